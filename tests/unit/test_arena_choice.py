"""What to use for which data: what passes, what is confirmed, and the pages that say so."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.datasets import DATASETS
from crowdgold.experiment.summaries import coverage_band
from crowdgold.methods.needs import NEEDS
from crowdgold.methods.registry import METHODS
from crowdgold.papers.arena import table as arena
from crowdgold.papers.arena.choice import (
    ANNOTATORS,
    ERRING,
    GOLD,
    SCORES,
    TOGETHER,
    Situation,
    StudyFeatures,
    borrow,
    candidates,
    choose,
    left_out,
    rank,
    record,
    records_of,
    situations,
)
from crowdgold.papers.arena.pages import with_experts
from crowdgold.papers.arena.table import arena_cells, judged
from crowdgold.papers.arena.world_features import read_worlds, worlds_table
from unit.made_arena import BOTH, LABELS, TWO_WORLDS, WORLDS, cells, of_all, row, summary, worlds_of
from unit.made_pages import page_from


def kept(table):
    """A table as it comes back from the file that it is kept in."""
    file = io.BytesIO()
    table.to_parquet(file)
    return pd.read_parquet(file)


def page_of(name, of_arena, worlds, real=(), kinds=()):
    """A page on methods, from tables that went through files."""
    return page_from(
        name,
        {"baseline": "GT"},
        cells=kept(of_arena),
        worlds=kept(worlds_table(worlds, dict(kinds))),
        real=kept(pd.DataFrame(dict(real).items(), columns=["experiment", "dataset"])),
        times=pd.DataFrame({"method": ["GT", "MV"], "seconds": [0.5, 0.1]}),
    )


def evidence_page(*of_arena, **more):
    return page_of("which-method-evidence", *of_arena, **more)


def rows_of(page, metric):
    """The cells of each row of a metric, situation by situation."""
    lines = [line for line in page.splitlines() if line.startswith(f"| {metric} | ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_worlds_are_the_same_after_they_were_kept():
    read, kinds = read_worlds(kept(worlds_table(WORLDS, {"first": "one"})))
    assert {name: str(one) for name, one in read.items()} == {
        name: str(one) for name, one in WORLDS.items()
    }
    assert kinds == {"first": "one"}


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


def test_gold_of_experts_who_err_is_no_evidence_for_gold_that_is_true():
    """Nor the other way round; that of experts who err together is none for either. Methods without
    gold are judged in all worlds.
    """
    erring = replace(WORLDS["first"], experts=True)
    worlds = WORLDS | {"erring": erring, "alike": replace(erring, together=True)}
    by_has = {one.has: one for one in situations(worlds)}
    assert by_has[GOLD,].evidence == ("first", "second")
    assert by_has[GOLD, ERRING].evidence == by_has[GOLD, ERRING, SCORES].worlds == ("erring",)
    assert by_has[GOLD,].evidence_of("GT") == ("first", "second")
    assert by_has[GOLD,].evidence_of("CLARA") == ("first", "second", "erring", "alike")
    assert [with_experts(worlds, alone) for alone in (False, True)] == [
        ["erring", "alike"], ["erring"],
    ]  # fmt: skip
    assert (ERRING,) not in by_has
    assert [ERRING in one for one in by_has] == sorted(ERRING in one for one in by_has)
    assert candidates([GOLD], ["logistic-R", "logistic-E"]) == ["logistic-R"]
    assert candidates([GOLD, ERRING], ["logistic-R", "logistic-E"]) == ["logistic-R", "logistic-E"]


def test_the_page_keeps_the_advice_for_true_gold_where_other_experts_err():
    """57 of 60 intervals of three settings; in three more logistic-R is wrong, logistic-E right."""
    true = worlds_of(dict.fromkeys("abc", 0.95), "logistic-R")
    wrong = worlds_of(dict.fromkeys("xyz", 0.2), "logistic-R")
    right = worlds_of(dict.fromkeys("xyz", 0.95), "logistic-E")
    seen = dict.fromkeys("abc", WORLDS["first"])
    seen |= dict.fromkeys("xyz", replace(WORLDS["first"], experts=True))
    table = pd.concat([true, wrong, right[right["method"] == "logistic-E"]], ignore_index=True)
    page = page_of("which-method", table, seen)
    assert (
        "contained the truth in 95 % of cases. In 0 of 3 pairs of a setting and a metric were they"
        in page
    )
    assert "takes these labels for the truth, contained it in 20 %" in page
    (erring,) = (
        line for line in page.splitlines() if line.startswith("| Votes, gold labels, second")
    )
    assert "`logistic-E` (95, " in erring
    (plain,) = (
        line for line in page.splitlines() if line.startswith("| Votes, gold labels and scores")
    )
    assert "`logistic-R` (95, " in plain
    assert "logistic-E" not in page_of("which-method", true, dict.fromkeys("abc", WORLDS["first"]))
    evidence = evidence_page(table, seen)
    assert "settings but those whose experts err" in evidence
    assert evidence.count("| `logistic-R` | gold labels | 3 of 3 |") == 1
    assert evidence.count("| `logistic-R` | gold labels | 0 of 3 |") == 1


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


def test_the_methods_that_were_chosen_in_turn_are_named():
    table = worlds_of({"a": 0.95, "b": 0.95, "c": 0.4})
    assert choose(table, of_all(table), "AUC").tested.picks == {"GT": 2, "MV": 1}
    page = evidence_page(table, dict.fromkeys("abc", WORLDS["first"]))
    for own in rows_of(page, "AUC"):
        assert own[1] == "none is confirmed; `GT` passes"
        assert own[4] == "76.7 ± 5.5 % of 60, 3 settings (`GT` 2, `MV` 1)"


def test_worlds_of_a_kind_are_left_out_together():
    """MV fails in the third world and in the fourth, its twin: chosen without both, it is judged in
    each of them; with the twin left in, GT is."""
    table = worlds_of({"a": 0.95, "b": 0.95, "c": 0.4, "d": 0.4})
    apart = of_all(table)
    assert left_out(table, apart, "AUC").picks == {"GT": 4}
    twins = replace(apart, kinds={"c": "twin", "d": "twin"})
    assert twins.without("d").evidence == ("a", "b")
    found = left_out(table, twins, "AUC")
    assert found.picks == {"GT": 2, "MV": 2}
    assert found.covered == 19 + 19 + 8 + 8
    assert found.only(["c"]).covered == 8
    assert found.only(["elsewhere"]) is None


def test_of_methods_that_are_as_wide_as_each_other_the_one_that_covers_more_is_chosen():
    """A ratio has an error of 1 in 70: two of the difference of two, in three worlds, are 2.3 %."""
    for width, coverage, best in (
        (0.099, 0.95, "DS"), (0.099, 0.9, "MV"), (0.09, 0.9, "DS"),
    ):  # fmt: skip
        rows = [
            row(name, method, "prevalence", covers, wide)
            for name in "abc"
            for method, covers, wide in (
                ("GT", 0.95, 0.2), ("MV", 0.925, 0.1), ("DS", coverage, width),
            )
        ]  # fmt: skip
        table = judged(arena_cells(summary(*rows), "GT", [], {}))
        assert records_of(table, of_all(table), "prevalence")[0].method == best


def test_widths_are_compared_in_the_worlds_that_methods_share():
    """Both have intervals in two worlds of three, but only the second has a ratio of both: there DS
    is narrower, though its mean over its own is not."""
    rows = [
        *(row(name, "GT", "AUC", width=0.2) for name in "abc"),
        row("a", "MV", "AUC", width=0.01), row("b", "MV", "AUC", width=0.15),
        row("b", "DS", "AUC", width=0.1), row("c", "DS", "AUC", width=0.1),
    ]  # fmt: skip
    table = judged(arena_cells(summary(*rows), "GT", [], {}))
    everywhere = of_all(table)
    records = [record(table, name, "AUC", everywhere) for name in ("MV", "DS")]
    assert records[0].width < records[1].width
    assert rank(records)[0].method == "DS"


def test_what_is_borrowed_is_judged_in_the_worlds_of_those_who_have_more():
    table = worlds_of({"a": 0.95, "b": 0.95, "c": 0.95, "d": 0.7})
    less = Situation((GOLD,), tuple("abcd"), tuple("abcd"))
    more = Situation((GOLD, ANNOTATORS), ("b", "c", "d"), tuple("abcd"))
    choice = choose(table, less, "AUC")
    found = borrow(table, more, less, choice)
    assert set(found.tested.judged) == set("bcd")
    assert found.less is less
    assert not borrow(table, replace(more, worlds=("c", "d")), less, choice).stands, "too few"


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
    more, less = rows_of(evidence_page(table, seen), "prevalence")
    assert more[1] == "`GT`, as for: votes and gold labels; no scores and no annotators"
    assert more[5].startswith("in these settings alone `GT` passes and is not confirmed")
    assert "40.0" not in less[2]
    assert less[1] == "`GT`"
    assert less[2].startswith("95.0")
    page = page_of("which-method", table, seen)
    assert page.count("| `GT` (95, 100) |") == 2


def test_the_narrowest_that_holds_comes_first():
    table = cells()
    situation = next(one for one in situations(WORLDS) if one.has == (GOLD, SCORES))
    assert [one.method for one in records_of(table, situation, "AUC")] == ["MAVEN-R", "GT", "MV"]
    assert rank([]) == []


def test_sentences_of_the_page_follow_from_the_numbers():
    """Other numbers give another advice: of a control in which MAVEN-R is too short."""
    seen = dict.fromkeys("abc", WORLDS["first"])
    for coverage, advised in ((0.95, "`MAVEN-R`"), (0.2, "`GT`")):
        table = worlds_of(dict.fromkeys("abc", coverage), "MAVEN-R")
        own = rows_of(evidence_page(table, seen), "AUC")[0]
        assert own[1] == advised
        assert own[2].startswith("95.0 ± ")
        assert (own[3] == "50 ± 0 %") == (coverage == 0.95)
        short = "narrower, but too short: `MAVEN-R` (20.0 %; in a; b; c)"
        assert (own[5] == short) == (coverage == 0.2)
        assert own[4].startswith("95.0")
        assert own[4].endswith("of 60, 3 settings")
        assert f"| {advised} (95, " in page_of("which-method", table, seen)
    assert "it needs scores of a model; there are none" in evidence_page(cells(), WORLDS)


def test_the_page_says_how_the_answer_did_and_whether_anything_is_confirmed_without_gold():
    """57 of 60 intervals in three settings, half as wide; no choice, or DS, is confirmed."""
    seen = dict.fromkeys("abc", WORLDS["first"])
    table = worlds_of({"a": 0.95, "b": 0.95, "c": 0.95}, "logistic-R")
    page = page_of("which-method", table, seen)
    assert "contained the truth in 95 % of cases" in page
    assert "In 0 of 3 pairs of a setting and a metric were they shorter than chance allows" in page
    assert "they were 0.50 times as wide" in page
    assert "**Without gold labels: none that we could confirm.**" in page
    other = worlds_of({"a": 0.95, "b": 0.95, "c": 0.1}, "logistic-R")
    assert "In 1 of 3 pairs" in page_of("which-method", other, seen)
    bare = dict.fromkeys("abc", StudyFeatures(2000, 3, 0, False, False))
    rows = [row(name, "DS", "prevalence") for name in "abc"]
    alone = judged(arena_cells(summary(*rows), "GT", [], {}))
    assert "the lower rows of the table name" in page_of("which-method", alone, bare)


def test_fits_that_failed_a_gate_are_counted_beside_what_is_said_of_them():
    rows = [
        row(name, method, "AUC", width=width) | {"gate_failures": failures}
        for name in "abc"
        for method, width, failures in (("GT", 0.2, 0), ("MV", 0.1, 11))
    ]
    page = evidence_page(
        judged(arena_cells(summary(*rows), "GT", [], {})),
        dict.fromkeys("abc", WORLDS["first"]),
    )
    own = rows_of(page, "AUC")[0]
    assert own[1:3] == ["`MV`", "95.0 ± 3.0 % of 60, 3 settings"]
    assert own[5] == "55 % of its fits had not converged"
    assert "33 of 60 fits had Markov chains that had not converged" in page
    assert "| 55% |" in page


def test_the_page_says_of_every_dataset_whether_it_is_a_world():
    real = {"one": "product_pairs", "elsewhere": "chaosnli"}
    page = evidence_page(cells(), WORLDS, real=real)
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    for name, dataset in DATASETS.items():
        assert (dataset.gold or dataset.no_gold) in rows[name]
    assert rows["product_pairs"].endswith("| yes |")
    assert "were not at hand" in rows["chaosnli"]


def test_no_method_may_hold():
    other = TWO_WORLDS.assign(coverage=TWO_WORLDS["coverage"] / 4)
    page = evidence_page(judged(arena_cells(other, "GT", [], LABELS)), WORLDS)
    assert "none passes; the nearest is `GT`" in page
