"""The arena: its cells, the figure, and what the page on methods says of it."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.experiment.registries import entries
from crowdgold.experiment.summaries import coverage_band, share_error
from crowdgold.methods.needs import NEEDS, Has, lacks_package
from crowdgold.methods.registry import METHODS
from crowdgold.papers.arena import table as arena
from crowdgold.papers.arena.plots import COVERS, OTHER, UNSURE, colour_of_coverage, word_of
from crowdgold.papers.arena.table import (
    INSIDE,
    arena_cells,
    by_fewest_short,
    judged,
)
from crowdgold.types.notes import Note
from unit.made_pages import page_from

SIZE = 20
LABELS = {"one": "first", "two": "second"}


def row(experiment, method, metric, coverage=0.95, width=0.1, note="", shape=None):
    """A row of a summary; without an interval where there is a note."""
    low, high = coverage_band(SIZE, 0.95)
    known = {
        "width": width, "width_se": 0.01 * width, "coverage": coverage, "band_low": low,
        "band_high": high, "coverage_se": share_error(coverage, SIZE),
    }  # fmt: skip
    size = 0 if note else SIZE
    return {
        "experiment": experiment, "shape": shape, "method": method, "metric": metric,
        "replicates": size, "undefined": SIZE - size, "intervals": size, "gate_failures": 0,
        "truth": 0.3, "bias": 0.01, "bias_se": 0.001, "error": 0.02, "error_se": 0.001,
        "level": 0.95, "note": note, **(dict.fromkeys(known, np.nan) if note else known),
    }  # fmt: skip


def summary(*rows):
    return pd.DataFrame(list(rows))


NEEDS_NAMES = {"note": "it needs to know who gave each vote"}
TWO_WORLDS = summary(
    row("one", "GT", "prevalence", width=0.2),
    row("one", "MV", "prevalence", coverage=0.1, width=0.02),
    row("one", "MAVEN-R", "prevalence", width=0.1),
    row("one", "CLARA", "prevalence", **NEEDS_NAMES),
    row("one", "GT", "AUC", width=0.4),
    row("one", "MV", "AUC", coverage=0.5, width=0.1),
    row("one", "MAVEN-R", "AUC", width=0.3),
    row("one", "CLARA", "AUC", **NEEDS_NAMES),
    row("two", "GT", "prevalence", width=0.2),
    row("two", "MV", "prevalence", coverage=0.9, width=0.05),
    row("two", "MAVEN-R", "prevalence", note="it needs scores of a model; there are none"),
    row("two", "CLARA", "prevalence", coverage=0.85, width=0.04),
)


CELLS = judged(arena_cells(TWO_WORLDS, "GT", ["shape"], LABELS))


def test_every_method_has_a_cell_for_every_metric_of_every_world():
    """Ratios by hand; a metric that a world lacks has cells that say why, for all methods."""
    assert len(CELLS) == 2 * 4 * 2
    assert list(CELLS.columns) == [*arena.COLUMNS, "verdict"]
    cells = CELLS.set_index(["world", "method", "metric"])
    ratios = cells[["width_ratio", "width_ratio_se"]].T
    assert ratios["first", "MAVEN-R", "prevalence"].iloc[0] == pytest.approx(0.5)
    ratio_error = 0.75 * np.hypot(0.01, 0.01)
    assert ratios["first", "MAVEN-R", "AUC"].iloc[1] == pytest.approx(ratio_error)
    assert ratios["first", "GT", "AUC"].tolist() == [1, 0]
    for method in ("GT", "MV", "MAVEN-R", "CLARA"):
        lacking = cells.loc[("second", method, "AUC")]
        limits = METHODS[method].cannot_estimate("AUC")
        needed = Note("no_scores" if method == "MAVEN-R" else "metric_of_scores")
        assert lacking["reason"] == (limits or needed).text
        assert bool(limits) == (method == "CLARA")
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
    assert ((CELLS["intervals"] > 0) == (CELLS["reason"] == "")).all()
    found = {(one.method, one.metric, one.world) for one in CELLS.itertuples() if one.reason}
    assert found == {
        ("CLARA", "prevalence", "first"), ("CLARA", "AUC", "first"),
        ("MAVEN-R", "prevalence", "second"),
        *((method, "AUC", "second") for method in ("GT", "MV", "MAVEN-R", "CLARA")),
    }  # fmt: skip
    silent = row("one", "CLARA", "AUC", note="x") | {"note": ""}
    bare = arena_cells(summary(silent), "GT", [], {})
    assert bare["reason"].tolist() == ["it estimates prevalence, TPR_H, TNR_H only"]


def test_thresholds_belong_to_worlds_and_shapes_are_worlds():
    rows = [row("one", "GT", "accuracy@0.5", shape=shape) for shape in ("bimodal", "u_shaped")]
    rows = summary(*rows, row("two", "GT", "accuracy@1"))
    table = arena_cells(rows, "GT", ["shape"], LABELS)
    assert set(table["metric"]) == {"accuracy"}
    assert table["world"].tolist() == ["first, bimodal", "first, u shaped", "second"]


def test_verdicts_follow_the_band_and_methods_that_hold_stand_first():
    worlds = {"a": 0.1, "b": 0.95, "c": 1.0}
    rows = summary(*(row(name, "GT", "AUC", covered) for name, covered in worlds.items()))
    found = judged(arena_cells(rows, "GT", [], {}))["verdict"]
    assert found.tolist() == [arena.SHORT, INSIDE, INSIDE]
    assert by_fewest_short(CELLS)[-1] == "MV"
    silent = pd.concat([CELLS, CELLS.assign(method="none", intervals=0)])
    assert by_fewest_short(silent)[-1] == "none"


def test_a_figure_of_a_metric_that_no_world_has_is_refused():
    options = {"metrics": ["prevalence", "AUC"], "labels": LABELS, "by": ["shape"]}
    assert len(entries("plot")["arena"](TWO_WORLDS, options)[1]) == 16
    with pytest.raises(ValueError, match="no world has 'recall'"):
        entries("plot")["arena"](TWO_WORLDS, {**options, "metrics": ["recall"]})


def test_every_need_has_a_word_in_the_cells_of_the_figure():
    """Tables that have nothing, gold alone, or a vote an item lack all else; an unknown reason is
    told as such."""
    gold, votes = Has(gold_positive=5, gold_negative=5), Has(most_votes=1)
    tables = (Has(), gold, votes)
    lacking = [[lack.text for lack in map(one.lacks, tables) if lack] for one in NEEDS]
    assert all(lacking)
    reasons = [reason for of_need in lacking for reason in of_need]
    reasons += [lacks_package("no_such_package").text, Note("metric_of_scores").text]
    reasons += [one.cannot_estimate("none").text for one in METHODS.values() if one.estimates]
    assert all(reasons)
    assert OTHER not in {word_of(reason) for reason in reasons}
    assert word_of("the moon is full") == OTHER


def test_low_coverage_of_few_replicates_is_not_coloured_as_coverage():
    """Six of ten are inside the band of ten replicates, and no sign of 95 %."""
    assert coverage_band(10, 0.95)[0] <= 0.6
    cell = {"verdict": INSIDE, "level": 0.95}
    colours = [colour_of_coverage({**cell, "coverage": share}) for share in (1.0, 0.9, 0.8, 0.6)]
    assert colours == [COVERS, COVERS, UNSURE, UNSURE]


def worlds_of(coverages, method):
    """Rows of a world for each coverage of a method's intervals, half as wide as GT's."""
    return [
        one
        for name, coverage in coverages.items()
        for one in (row(name, "GT", "AUC", width=0.2), row(name, method, "AUC", coverage, 0.1))
    ]


def page_of(rows, experiments=None):
    return page_from(
        "which-method",
        {"options": {"baseline": "GT", "by": [], "labels": {}}, "experiments": experiments or {}},
        summaries=summary(*rows),
        times=pd.DataFrame({"method": ["GT", "GT", "MV"], "seconds": [0.4, 0.6, 0.1]}),
    )


def test_the_page_says_how_the_answer_did():
    """57 of 60 intervals in three settings, half as wide; then one setting where it fails."""
    page = page_of(worlds_of(dict.fromkeys("abc", 0.95), "logistic-R"))
    assert "contained the truth in 95 % of cases" in page
    assert "In 0 of 3 pairs of a setting and a metric were they shorter than chance allows" in page
    assert "they were 0.50 times as wide" in page
    assert "| `logistic-R` | gold labels | 3 of 3 | 0.95 | 0.95 (AUC, a) |" in page
    other = page_of(worlds_of({"a": 0.95, "b": 0.95, "c": 0.1}, "logistic-R"))
    assert "In 1 of 3 pairs" in other
    assert "| `logistic-R` | gold labels | 2 of 3 | 0.67 | 0.10 (AUC, c) |" in other


def test_where_experts_err_the_other_answer_is_told_and_the_first_keeps_its_numbers():
    """In three settings logistic-R is wrong and logistic-E right; where all err alike, none is."""
    rows = worlds_of(dict.fromkeys("abc", 0.95), "logistic-R")
    erring = worlds_of(dict.fromkeys("xyz", 0.2), "logistic-R")
    erring += [row(name, "logistic-E", "AUC", 0.95, 0.1) for name in "xyz"]
    alike = [row("alike", name, "AUC", 0.0) for name in ("GT", "logistic-R", "logistic-E")]
    one_by_one, together = ({"experts": {"error": 0.1, "shared": one}} for one in (0, 0.5))
    experiments = {**{key: {} for key in "abc"}, **dict.fromkeys("xyz", one_by_one)}
    page = page_of([*rows, *erring, *alike], {**experiments, "alike": together})
    assert "contained the truth in 95 % of cases. In 0 of 3 pairs" in page
    assert "**With gold labels of experts who err" in page
    assert "takes these labels for the truth, contained it in 20 %" in page
    assert "| `logistic-R` | gold labels | 3 of 3 |" in page
    assert "| `logistic-E` | gold labels, experts' errors | none |" not in page
    assert "logistic-E" not in page_of(rows)


def test_methods_without_gold_are_counted_where_there_is_none():
    """Of DS and MV in two settings one fails in one; that it fails beside gold does not count."""
    rows = [
        row("a", "DS", "prevalence"), row("b", "DS", "prevalence", 0.1),
        row("a", "MV", "prevalence"), row("b", "MV", "prevalence"),
        row("gold", "GT", "prevalence"), row("gold", "MV", "prevalence", 0.1),
    ]  # fmt: skip
    assert "In the 2 settings without them the intervals of 1 of 2 methods were" in page_of(rows)
