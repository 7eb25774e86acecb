"""The arena: its cells, what to use for which data, the page, the figure, and the nearest world."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.data.datasets import DATASETS
from crowdgold.documents.which_method import which_method_page
from crowdgold.estimators import METHODS
from crowdgold.estimators.needs import ANNOTATORS, GOLD, NEEDS, SCORES
from crowdgold.evaluation import arena
from crowdgold.evaluation.arena import (
    arena_cells,
    attainable_coverage,
    by_fewest_short,
    judged,
    reasons_table,
)
from crowdgold.evaluation.arena_choice import (
    TOGETHER,
    Situation,
    candidates,
    left_out,
    rank,
    record,
    records_of,
    situations,
)
from crowdgold.evaluation.arena_record import RECORD, nearest_worlds, read_arena, record_text
from crowdgold.evaluation.study_features import (
    ABSENT,
    StudyFeatures,
    differences,
    distance,
    features_of,
    mean_features,
    nearest,
)
from crowdgold.evaluation.summaries import coverage_band, share_error
from crowdgold.plotting import FIGURES
from crowdgold.plotting.style import save_figure
from unit.reference import make_items

SIZE = 20
LABELS = {"one": "first", "two": "second"}


def row(experiment, method, metric, coverage=0.95, width=0.1, note="", size=SIZE, shape=None):
    """A row of a summary; without an interval where there is a note."""
    low, high = coverage_band(size, 0.95) if size else (np.nan, np.nan)
    there = not note
    return {
        "experiment": experiment, "shape": shape, "method": method, "metric": metric,
        "replicates": size if there else 0, "undefined": 0 if there else size,
        "gate_failures": 0, "truth": 0.3, "bias": 0.01, "bias_se": 0.001, "error": 0.02,
        "error_se": 0.001, "intervals": size if there else 0,
        "width": width if there else np.nan, "width_se": 0.01 * width if there else np.nan,
        "coverage": coverage if there else np.nan,
        "coverage_se": share_error(coverage, size) if there else np.nan,
        "level": 0.95, "band_low": low if there else np.nan, "band_high": high if there else np.nan,
        "seconds": 0.5, "note": note,
    }  # fmt: skip


def summary(*rows):
    return pd.DataFrame(list(rows))


TWO_WORLDS = summary(
    row("one", "GT", "prevalence", width=0.2),
    row("one", "MV", "prevalence", coverage=0.1, width=0.02),
    row("one", "MAVEN-R", "prevalence", width=0.1),
    row("one", "CLARA", "prevalence", note="it needs to know who gave each vote"),
    row("one", "GT", "AUC", width=0.4),
    row("one", "MV", "AUC", coverage=0.5, width=0.1),
    row("one", "MAVEN-R", "AUC", width=0.3),
    row("one", "CLARA", "AUC", note="it needs to know who gave each vote"),
    row("two", "GT", "prevalence", width=0.2),
    row("two", "MV", "prevalence", coverage=0.9, width=0.05),
    row("two", "MAVEN-R", "prevalence", note="it needs scores of a model; there are none"),
    row("two", "CLARA", "prevalence", coverage=0.85, width=0.04),
)
WORLDS = {
    "first": StudyFeatures(2000, 3, 200, True, False, 0.3, 0.7, 0.9, 0.8),
    "second": StudyFeatures(2000, 5, 100, False, True, 0.2, 0.8, 0.8),
}


def cells():
    return judged(arena_cells(TWO_WORLDS, "GT", ["shape"], LABELS))


def cell(table, world, method, metric):
    found = table[
        (table["world"] == world) & (table["method"] == method) & (table["metric"] == metric)
    ]
    assert len(found) == 1
    return found.iloc[0]


def test_every_method_has_a_cell_for_every_metric_of_every_world():
    """Ratios by hand; a metric that a world lacks has cells that say why, for all methods."""
    table = cells()
    assert len(table) == 2 * 4 * 2
    assert list(table.columns) == [*arena.COLUMNS, "verdict"]
    assert cell(table, "first", "MAVEN-R", "prevalence")["width_ratio"] == pytest.approx(0.5)
    ratio_error = 0.75 * np.hypot(0.01, 0.01)
    assert cell(table, "first", "MAVEN-R", "AUC")["width_ratio_se"] == pytest.approx(ratio_error)
    assert cell(table, "first", "GT", "AUC")["width_ratio"] == 1
    assert cell(table, "first", "GT", "AUC")["width_ratio_se"] == 0
    for method in ("GT", "MV", "MAVEN-R", "CLARA"):
        lacking = cell(table, "second", method, "AUC")
        assert lacking["reason"] == arena.NO_SCORES
        assert lacking["verdict"] == arena.NONE


def test_widths_are_compared_on_the_same_replicates_alone():
    """Without an interval in some replicates there is no ratio; for none, where GT lacks some."""
    some = {"intervals": SIZE - 1}
    both = [row("one", "GT", "AUC"), row("one", "MV", "AUC")]
    ours = arena_cells(summary(both[0], both[1] | some), "GT", [], {})
    assert np.isfinite(ours["width_ratio"]).tolist() == [True, False]
    theirs = arena_cells(summary(both[0] | some, both[1]), "GT", [], {})
    assert theirs["width_ratio"].isna().all()
    assert arena_cells(summary(*both), "GT", [], {})["width_ratio"].tolist() == [1, 1]


def test_a_cell_has_an_interval_or_a_reason():
    table = cells()
    assert ((table["intervals"] > 0) == (table["reason"] == "")).all()
    reasons = reasons_table(table)
    found = set(zip(reasons["methods"], reasons["metrics"], reasons["worlds"], strict=True))
    assert found == {
        ("CLARA", "prevalence", "first"),
        ("CLARA", "AUC", "first"),
        ("MAVEN-R", "prevalence, AUC", "second"),
        ("GT, MV, CLARA", "AUC", "second"),
    }
    silent = row("one", "CLARA", "AUC", note="x") | {"note": ""}
    bare = arena_cells(summary(silent), "GT", [], {})
    assert bare["reason"].tolist() == ["it estimates prevalence, TPR_H, TNR_H only"]


def test_thresholds_belong_to_worlds_and_shapes_are_worlds():
    table = arena_cells(
        summary(
            row("one", "GT", "accuracy@0.5", shape="bimodal"),
            row("one", "GT", "accuracy@0.5", shape="u_shaped"),
            row("two", "GT", "accuracy@1"),
        ),
        "GT",
        ["shape"],
        LABELS,
    )
    assert set(table["metric"]) == {"accuracy"}
    assert table["world"].tolist() == ["first, bimodal", "first, u shaped", "second"]


@pytest.mark.parametrize(
    ("coverage", "verdict"), [(0.1, arena.SHORT), (0.95, arena.INSIDE), (1.0, arena.INSIDE)]
)
def test_verdicts_follow_the_band(coverage, verdict):
    table = judged(arena_cells(summary(row("one", "GT", "AUC", coverage)), "GT", [], {}))
    assert table["verdict"].iloc[0] == verdict


def test_what_methods_need_is_known_and_nothing_else():
    for method in METHODS.values():
        assert set(method.needs) <= set(NEEDS)
    assert candidates([], ["MV", "GT", "DS", "MAVEN", "CLARA", "ORACLE"]) == ["MV", "DS"]
    assert candidates([GOLD], ["GT", "MAVEN-R", "votes-R"]) == ["GT", "votes-R"]
    assert candidates([SCORES, GOLD], ["MAVEN-R", "CLARA"]) == ["MAVEN-R"]
    assert candidates([ANNOTATORS], ["CLARA", "CLARA+S", "PEC"]) == ["CLARA", "PEC"]


def test_worlds_speak_to_situations_that_have_no_more_than_they_do():
    """Without gold only worlds without gold count: methods use what gold there is."""
    worlds = {**WORLDS, "third": StudyFeatures(500, 3, 0, True, True)}
    found = {one.has: one.worlds for one in situations(worlds)}
    assert found[(GOLD,)] == ("first", "second")
    assert found[(GOLD, SCORES)] == ("first",)
    assert found[(GOLD, ANNOTATORS)] == ("second",)
    assert found[()] == found[(SCORES, ANNOTATORS)] == ("third",)
    assert (GOLD, SCORES, ANNOTATORS) not in found


def test_records_pool_the_intervals_of_worlds():
    """40 intervals, of which 19 and 18 hold the truth; widths' geometric mean."""
    table = cells()
    one = record(table, "GT", "prevalence", ("first", "second"))
    assert (one.intervals, one.width, one.coverage) == (40, 1.0, pytest.approx(0.95))
    assert one.band_low == coverage_band(40, 0.95, TOGETHER)[0] > coverage_band(40, 0.95)[0]
    assert one.holds
    other = record(table, "MV", "prevalence", ("first", "second"))
    assert other.width == pytest.approx(np.sqrt(0.1 * 0.25))
    assert other.short == ("first",)
    assert not other.holds
    assert record(table, "MAVEN-R", "prevalence", ("second",)) is None


def test_worlds_together_find_what_each_alone_does_not():
    """16 of 20 is inside a world's band, 160 of 200 is below that of ten worlds."""
    rows = [row(str(k), "MV", "AUC", coverage=0.8) for k in range(10)]
    table = judged(arena_cells(summary(*rows), "GT", [], {}))
    assert set(table["verdict"]) == {arena.INSIDE}
    one = record(table, "MV", "AUC", list(table["world"]))
    assert not one.short
    assert not one.holds


def test_to_be_advised_takes_more_than_not_to_be_blamed():
    """Of 100, the band of 2 deviations begins at 90, that of 3.5 at 86."""
    for coverage, holds in ((0.9, True), (0.88, False)):
        rows = [row(str(k), "MV", "AUC", coverage=coverage) for k in range(5)]
        table = judged(arena_cells(summary(*rows), "GT", [], {}))
        one = record(table, "MV", "AUC", list(table["world"]))
        assert coverage > coverage_band(100, 0.95)[0]
        assert one.holds is holds


def test_a_choice_is_judged_in_the_world_that_it_was_made_without():
    """MV is narrowest and holds but in the third world: chosen there, it holds 8 of 20."""
    coverages = {"a": 0.95, "b": 0.95, "c": 0.4}
    rows = [
        one
        for name, coverage in coverages.items()
        for one in (row(name, "GT", "AUC", width=0.2), row(name, "MV", "AUC", coverage, 0.1))
    ]
    table = judged(arena_cells(summary(*rows), "GT", [], {}))
    worlds = Situation((GOLD, SCORES), tuple(coverages))
    assert records_of(table, worlds, "AUC")[0].method == "GT"
    found = left_out(table, worlds, "AUC")
    assert (found.worlds, found.intervals) == (3, 60)
    # Without the third MV is chosen, without another GT: 8, 19 and 19 of 20.
    assert found.coverage == pytest.approx((8 + 19 + 19) / 60)
    assert left_out(table, Situation((GOLD, SCORES), ("a",)), "AUC") is None
    assert "There is no other world" in which_method_page(cells(), WORLDS)


def test_the_narrowest_that_holds_comes_first():
    table = cells()
    situation = next(one for one in situations(WORLDS) if one.has == (GOLD, SCORES))
    assert [one.method for one in records_of(table, situation, "AUC")] == ["MAVEN-R", "GT", "MV"]
    assert rank([]) == []


def test_sentences_of_the_page_follow_from_the_numbers():
    """Other numbers give another advice: of a control in which MAVEN-R is too short."""
    page = which_method_page(cells(), WORLDS)
    advised = [line for line in page.splitlines() if line.startswith("- **AUC**")]
    assert advised
    assert all("`MAVEN-R`: 95.0" in line and "75 ± 1 % as wide" in line for line in advised)
    assert "it needs scores of a model; there are none" in page
    other = TWO_WORLDS.copy()
    of_maven = (other["method"] == "MAVEN-R") & (other["metric"] == "AUC")
    other.loc[of_maven, "coverage"] = 0.2
    changed = which_method_page(judged(arena_cells(other, "GT", [], LABELS)), WORLDS)
    line = next(line for line in changed.splitlines() if line.startswith("- **AUC**"))
    assert line.startswith("- **AUC**: `GT`: 95.0")
    assert "`MAVEN-R` (20.0 %; too short in first)" in line


def test_the_page_says_of_every_dataset_whether_it_is_a_world():
    real = {"one": "product_pairs", "elsewhere": "chaosnli"}
    page = which_method_page(cells(), WORLDS, real=real)
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    for name, dataset in DATASETS.items():
        assert (dataset.gold or dataset.no_gold) in rows[name]
    assert rows["product_pairs"].endswith("| yes |")
    assert "were not at hand" in rows["chaosnli"]


def test_no_method_may_hold():
    other = TWO_WORLDS.assign(coverage=TWO_WORLDS["coverage"] / 4)
    page = which_method_page(judged(arena_cells(other, "GT", [], LABELS)), WORLDS)
    assert "no method holds. The nearest is" in page


def test_quantiles_of_few_draws_cover_less_than_they_say():
    """Normal draws and truths, 40,000 times: four standard errors of a share of .93 are .005."""
    rng = np.random.default_rng(7)
    draws, truths = rng.normal(size=(100, 40_000)), rng.normal(size=40_000)
    lower, upper = np.quantile(draws, [0.025, 0.975], axis=0)
    covered = float(((lower <= truths) & (truths <= upper)).mean())
    assert abs(covered - attainable_coverage(100, 0.95)) < 0.005
    assert abs(covered - 0.95) > 0.005, "the control: the nominal level"


def test_methods_that_hold_stand_first():
    assert by_fewest_short(cells())[-1] == "MV"
    silent = pd.concat([cells(), cells().assign(method="none", intervals=0)])
    assert by_fewest_short(silent)[-1] == "none"


def test_the_figure_shows_its_cells_and_their_reasons(tmp_path):
    options = {"metrics": ["prevalence", "AUC"], "labels": LABELS, "by": ["shape"]}
    figure, shown = FIGURES["arena"](TWO_WORLDS, options)
    assert len(shown) == 16
    footer = figure.get_supxlabel()
    for reason in set(shown["reason"]) - {""}:
        assert reason in footer
    save_figure(figure, shown, tmp_path / "arena")
    assert len(pd.read_csv(tmp_path / "arena.csv")) == 16
    with pytest.raises(ValueError, match="no world has 'recall'"):
        FIGURES["arena"](TWO_WORLDS, {**options, "metrics": ["recall"]})


def test_features_by_hand():
    """Gold: 6 positives with 12 of 18 votes positive, 5 negatives with 3 of 15."""
    positive = [2] * 6 + [3, 0, 0, 0, 0] + [3, 1]
    gold = [1] * 6 + [0] * 5 + [-1, -1]
    items = make_items(positive, 3, gold)
    found = features_of(items)
    assert (found.items, found.votes_per_item, found.gold) == (13, 3, 11)
    assert (found.scores, found.annotators) == (True, False)
    assert found.base_rate == pytest.approx(6 / 11)
    assert (found.tpr, found.tnr) == (pytest.approx(12 / 18), pytest.approx(12 / 15))
    assert found.auc == 0
    few = features_of(make_items(positive, 3, [1, 0] + [-1] * 11))
    assert np.isnan([few.base_rate, few.tpr, few.auc]).all()
    assert mean_features([found, replace(found, items=15)]).items == 14


def test_distance_by_hand():
    one = StudyFeatures(1000, 3, 99, True, False, 0.5, 0.8, 0.9, 0.7)
    assert distance(one, one) == 0
    other = StudyFeatures(2000, 3, 199, False, False, 0.5, 0.8)
    apart = differences(one, other)
    assert "auc" not in apart
    assert apart["items"] == pytest.approx(-np.log(2))
    assert apart["gold"] == pytest.approx(-np.log(2))
    assert apart["scores"] == ABSENT
    assert distance(one, other) == pytest.approx(np.sqrt((2 * np.log(2) ** 2 + 4) / 7))
    assert distance(one, other) == distance(other, one)
    assert nearest(one, {"far": other, "near": one})[0] == ("near", 0.0)
    rare = replace(one, base_rate=0.0)
    assert np.isfinite(distance(one, rare))


def test_the_record_says_what_a_method_did_in_the_nearest_world(tmp_path):
    path = tmp_path / "worlds.json"
    path.write_text(record_text(cells(), WORLDS, "GT", {"one": "hash"}))
    found = read_arena(path)
    for name, world in WORLDS.items():
        assert vars(found.worlds[name]) == pytest.approx(vars(world), nan_ok=True)
    near = replace(WORLDS["first"], items=2100)
    said = nearest_worlds(near, ["GT", "MV", "MAVEN-R", "CLARA", "AutoEval"], found)
    assert set(said) == {"GT", "MV", "MAVEN-R", "CLARA"}
    assert (
        "in 'first', the nearest world of the arena (distance 0.0), its 95% intervals held"
        in (said["MAVEN-R"])
    )
    assert "95% of 20 replicates of 2 metrics, too short for none beyond chance" in said["MAVEN-R"]
    assert "0.61 times as wide as GT's" in said["MAVEN-R"]  # the root of 0.5 x 0.75
    assert "too short for prevalence (10%), AUC (50%)" in said["MV"]
    assert "in 'second', the nearest world of the arena in which it has intervals" in said["CLARA"]
    assert ": not alike)" in said["CLARA"]
    assert nearest_worlds(near, ["GT"], read_arena(tmp_path / "none.json")) == {}


def test_the_record_that_comes_with_the_library_is_of_its_methods():
    """It is there once the arena has been run (`make arena docs`); until then nothing is said."""
    found = read_arena()
    assert (found is None) == (not RECORD.is_file())
    if found is None:
        return
    assert len(found.worlds) >= 10
    assert {method for _, method in found.lines} <= set(METHODS)
    for line in found.lines.values():
        assert all(0 <= one <= 1 for one in (line.coverage, *line.short.values()))
