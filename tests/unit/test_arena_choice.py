"""What to use for which data: what holds, what stands, and the page that says so."""

import numpy as np
import pytest

from crowdgold.data.datasets import DATASETS
from crowdgold.documents.which_method import which_method_page
from crowdgold.estimators import METHODS
from crowdgold.estimators.needs import ANNOTATORS, GOLD, NEEDS, SCORES
from crowdgold.evaluation import arena
from crowdgold.evaluation.arena import (
    arena_cells,
    judged,
)
from crowdgold.evaluation.arena_choice import (
    TOGETHER,
    Situation,
    candidates,
    choose,
    left_out,
    rank,
    record,
    records_of,
    situations,
)
from crowdgold.evaluation.study_features import (
    StudyFeatures,
)
from crowdgold.evaluation.summaries import coverage_band
from unit.made_arena import BOTH, LABELS, TWO_WORLDS, WORLDS, cells, of_all, row, summary, worlds_of


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
    by_has = {one.has: one for one in situations(worlds)}
    assert by_has[GOLD, SCORES].evidence_of("GT") == ("first", "second")
    assert by_has[GOLD, SCORES].evidence_of("CLARA") == ("first", "second", "third")
    assert by_has[()].evidence_of("DS") == ("third",)
    assert by_has[GOLD,].without("first").evidence == ("second",)


def test_records_pool_the_intervals_of_worlds():
    """40 intervals, of which 19 and 18 hold the truth; widths' geometric mean."""
    table = cells()
    one = record(table, "GT", "prevalence", BOTH)
    assert (one.intervals, one.width, one.coverage) == (40, 1.0, pytest.approx(0.95))
    assert one.band_low == coverage_band(40, 0.95, TOGETHER)[0] > coverage_band(40, 0.95)[0]
    assert one.holds
    other = record(table, "MV", "prevalence", BOTH)
    assert other.width == pytest.approx(np.sqrt(0.1 * 0.25))
    assert other.short == ("first",)
    assert not other.holds
    one_world = Situation((GOLD,), ("second",), ("first", "second"))
    assert record(table, "MAVEN-R", "prevalence", one_world) is None
    # Evidence is of both worlds, the width of the situation's own.
    apart = record(table, "MV", "prevalence", one_world)
    assert (apart.intervals, apart.inside, apart.width) == (40, 1, pytest.approx(0.25))


def test_worlds_together_find_what_each_alone_does_not():
    """16 of 20 is inside a world's band, 160 of 200 is below that of ten worlds."""
    rows = [row(str(k), "MV", "AUC", coverage=0.8) for k in range(10)]
    table = judged(arena_cells(summary(*rows), "GT", [], {}))
    assert set(table["verdict"]) == {arena.INSIDE}
    one = record(table, "MV", "AUC", of_all(table))
    assert not one.short
    assert not one.holds


def test_to_be_advised_takes_more_than_not_to_be_blamed():
    """Of 100, the band of 2 deviations begins at 90, that of 3.5 at 86."""
    for coverage, holds in ((0.9, True), (0.88, False)):
        rows = [row(str(k), "MV", "AUC", coverage=coverage) for k in range(5)]
        table = judged(arena_cells(summary(*rows), "GT", [], {}))
        one = record(table, "MV", "AUC", of_all(table))
        assert coverage > coverage_band(100, 0.95)[0]
        assert one.holds is holds


def test_a_choice_is_judged_in_the_world_that_it_was_made_without():
    """MV is narrowest and holds but in the third world: chosen there, it holds 8 of 20."""
    table = worlds_of({"a": 0.95, "b": 0.95, "c": 0.4})
    found = choose(table, of_all(table), "AUC")
    assert found.best.method == "GT"
    assert (found.tested.worlds, found.tested.intervals) == (3, 60)
    # Without the third MV is chosen, without another GT: 8, 19 and 19 of 20.
    assert found.tested.coverage == pytest.approx((8 + 19 + 19) / 60)
    assert found.best.holds
    assert not found.stands
    alone = Situation((GOLD, SCORES), ("a",), ("a",))
    assert left_out(table, alone, "AUC") is None
    assert not choose(table, alone, "AUC").stands
    good = worlds_of({"a": 0.95, "b": 0.95, "c": 0.95})
    assert choose(good, of_all(good), "AUC").stands
    assert choose(good, of_all(good), "AUC").best.method == "MV"
    assert not choose(good, Situation((), ("a", "b"), ("a", "b")), "AUC").stands, "too few worlds"


def test_what_stands_for_those_who_have_less_is_advised_to_those_who_have_more():
    """CLARA is too short in a world that knows annotators, and was chosen without it."""
    rows = [
        row(name, method, "prevalence", coverage, width)
        for name in "abcdef"
        for method, coverage, width in (
            ("GT", 0.95, 0.2),
            ("CLARA", 0.4 if name == "c" else 0.95, 0.1),
        )
        if method == "GT" or name in "abc"
    ]
    table = judged(arena_cells(summary(*rows), "GT", [], {}))
    seen = {name: StudyFeatures(9, 3, 5, False, name in "abc") for name in "abcdef"}
    page = which_method_page(table, seen)
    (more, less) = (line for line in page.splitlines() if line.startswith("- **prevalence**"))
    assert more.startswith("- **prevalence**: `GT`, as for those who have less (votes and gold")
    assert "40.0" not in less
    assert "`GT`: 95.0" in less


def test_the_narrowest_that_holds_comes_first():
    table = cells()
    situation = next(one for one in situations(WORLDS) if one.has == (GOLD, SCORES))
    assert [one.method for one in records_of(table, situation, "AUC")] == ["MAVEN-R", "GT", "MV"]
    assert rank([]) == []


def test_sentences_of_the_page_follow_from_the_numbers():
    """Other numbers give another advice: of a control in which MAVEN-R is too short."""
    seen = dict.fromkeys("abc", WORLDS["first"])
    for coverage, advised in ((0.95, "`MAVEN-R`: 95.0"), (0.2, "`GT`: 95.0")):
        page = which_method_page(worlds_of(dict.fromkeys("abc", coverage), "MAVEN-R"), seen)
        line = next(line for line in page.splitlines() if line.startswith("- **AUC**"))
        assert line.startswith(f"- **AUC**: {advised}")
        assert ("50 ± 0 % as wide as `GT`'s" in line) == (coverage == 0.95)
        assert ("`MAVEN-R` (20.0 %; too short in a; b; c)" in line) == (coverage == 0.2)
        assert "for 3 worlds in turn, 95.0" in line
    assert "it needs scores of a model; there are none" in which_method_page(cells(), WORLDS)
    assert "There is no other world" not in page


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
