"""Claims as data: quantities give cells, predicates judge them, and entries become claims."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crowdgold.claims.cells import ClaimError, cells_of, choose
from crowdgold.claims.claims import claims_of, own_modules, read_claims
from crowdgold.claims.predicates import PREDICATES, all_of
from crowdgold.claims.quantities import quantity
from crowdgold.claims.verdicts import (
    FAILS,
    HOLDS,
    KINDS,
    NO_CAUSE,
    NO_VERDICT,
    NOT_DECIDED,
    NOT_JUDGED,
    UNDECIDABLE,
    JudgedClaims,
    Judgement,
)
from crowdgold.experiment.configuration import load

ROOT = Path(__file__).resolve().parents[2]
ROOM = "crowdgold.papers.maven"


def cells(*values, error=0.1, groups=None):
    names = groups or [f"cell {k}" for k in range(len(values))]
    return cells_of("value", names, values, [error] * len(values), degrees=np.inf)


def results(error=1.0, width=0.6, metrics=("AUC",)):
    """12 replicates of GT, with errors of 0.1 and widths of 0.2, and MAVEN with so many times that.

    They differ by some per cent: replicates that are all the same would have no error.
    """
    rng = np.random.default_rng(1)
    rows = []
    for k in range(12):
        for n_gold in (100, 400):
            for metric in metrics:
                for method, (e, w) in {"GT": (1, 1), "MAVEN": (error, width)}.items():
                    off = 0.1 * e * (1 + 0.1 * rng.random())
                    rows.append(
                        {"experiment": "e", "n_gold": n_gold, "replicate": k, "method": method,
                         "metric": metric, "truth": 0.8, "estimate": 0.8 + off,
                         "lower": 0.8, "upper": 0.8 + 0.2 * w * (1 + 0.01 * rng.random()),
                         "diagnostics_passed": True}
                    )  # fmt: skip
    return pd.DataFrame(rows)


def test_printed_numbers_are_met_to_the_rounding_and_what_decides_is_named():
    within, below = PREDICATES["within"], PREDICATES["below"]
    found = within(cells(1), margin=1, number={"cell 0": 1, "cell 9": 1})
    assert (found.verdict, found.reason) == (NOT_DECIDED, "not of all that is printed")
    assert within(cells_of("", [""], [0.1 + 0.2]), margin=0, number=0.3).verdict == HOLDS
    assert below(cells(0.5, 0.95), 1).reason == "not decided: cell 1 (0.95)"
    assert below(cells(0.5, 2), 1).reason == "clearly not: cell 1 (2)"
    steps = PREDICATES["order"](cells(0, 1, 0), 0)
    assert steps.reason == "clearly not: cell 1 to cell 2 (-1)"


@pytest.mark.parametrize(
    ("predicate", "arguments", "cases"),
    [
        ("below", {"margin": 1}, {HOLDS: (0.5, 0.7), NOT_DECIDED: (0.5, 0.9), FAILS: (0.9, 1.3)}),
        ("above", {"margin": 1}, {HOLDS: (1.5, 1.3), NOT_DECIDED: (0.9, 1.3), FAILS: (1.3, 0.7)}),
        ("within", {"number": 1, "margin": 0.5},
         {HOLDS: (1.2, 0.8), NOT_DECIDED: (1, 1.4), FAILS: (1, 2)}),
        ("within", {"number": {"cell 0": 1, "cell 1": 2}, "margin": 0.3},
         {HOLDS: (1.1, 1.9), NOT_DECIDED: (1.2, 2), FAILS: (2, 1)}),
        ("within", {"margin": 0.3}, {HOLDS: (0.1, -0.1), NOT_DECIDED: (0.3, 0), FAILS: (0.6, 0)}),
        ("order", {"margin": 0}, {HOLDS: (0, 1, 2), NOT_DECIDED: (0, 0.1, 1), FAILS: (0, 1, 0)}),
        ("order", {"margin": 0, "groups": ["cell 1", "cell 0"]}, {HOLDS: (1, 0), FAILS: (0, 1)}),
        ("below", {"margin": 1, "inside": "most"},
         {HOLDS: (0.5, 0.5, 2), NOT_DECIDED: (0.5, 1, 2), FAILS: (0.5, 2)}),
        ("above", {"margin": 1, "inside": "any"},
         {HOLDS: (2, 0, 0), NOT_DECIDED: (1, 0, 0), FAILS: (0, 0, 0)}),
    ],
)  # fmt: skip
def test_a_predicate_follows_the_cells(predicate, arguments, cases):
    """Standard errors of 0.1; what is nearer than two of them to a margin decides nothing."""
    for verdict, values in cases.items():
        found = PREDICATES[predicate](cells(*values), **arguments)
        assert found.verdict == verdict, values


@pytest.mark.parametrize(
    ("towards", "ends", "cases"),
    [
        ("falls", False, {HOLDS: (2, 1, 0), NOT_DECIDED: (2, 1, 1), FAILS: (2, 1, 2)}),
        ("rises", False, {HOLDS: (0, 1, 2), NOT_DECIDED: (1, 1, 1), FAILS: (1, 0, 2)}),
        ("falls", True, {HOLDS: (2, 3, 0), NOT_DECIDED: (1, 3, 1), FAILS: (0, 3, 2)}),
    ],
)
def test_a_trend_is_within_groups(towards, ends, cases):
    for verdict, values in cases.items():
        group = cells(*values, groups=["a"] * 3)
        found = PREDICATES["trend"](group, margin=0, towards=towards, ends=ends)
        assert found.verdict == verdict, values
    single = PREDICATES["trend"](cells(1, 2), margin=0, towards="rises")
    assert single.verdict == NOT_DECIDED


def test_all_parts_of_a_claim_must_hold():
    def verdict(*parts):
        return all_of([Judgement("", one) for one in parts]).verdict

    assert verdict(HOLDS, HOLDS) == HOLDS
    assert verdict(HOLDS, FAILS) == verdict(NOT_DECIDED, FAILS) == FAILS
    assert verdict(HOLDS, NOT_DECIDED) == NOT_DECIDED


def test_the_part_that_needs_most_says_how_many_replicates_decide_a_claim():
    parts = [
        Judgement("", NOT_DECIDED, "", "3; some 31 needed", "below 1", 30.4),
        Judgement("", NOT_DECIDED, "", "3; some 10 needed", "below 1", 10.0),
        Judgement("", HOLDS, "", "5", "above 2"),
    ]
    found = all_of(parts)
    assert (found.replicates, found.wanted) == ("3, 5; some 31 needed", "below 1; above 2")
    assert all_of([*parts, Judgement("", FAILS, "", "3")]).replicates == "3, 5"


def test_a_printed_mean_of_few_replicates_has_an_error_of_its_own():
    """Ours is 0.3 off, with an error of 0.01 from 1,000 replicates; of 10 that would be 0.1.

    With that the distance is 0.3 +- 0.2, of which 0.2 are allowed; no replicates of ours decide.
    """
    ours = cells_of("value", ["a"], [1.3], [0.01], replicates=1000)
    judge = PREDICATES["within"]
    assert judge(ours, number=1, margin=0.2).verdict == FAILS
    found = judge(ours, number=1, margin=0.2, printed_of=10)
    assert (found.verdict, found.needed) == (NOT_DECIDED, np.inf)
    assert "the printed number's own error is too large" in found.replicates
    assert judge(ours, number=1, margin=0.2, printed_of=100).verdict == FAILS


def test_rows_are_chosen_by_values_ends_and_bounds():
    table = pd.DataFrame({"n": [1, 2, 3, 4], "name": ["ab", "ac", "b", "b"]})
    for where, wanted in (
        ({"n": 2}, [2]),
        ({"n": [1, 4]}, [1, 4]),
        ({"n": "largest"}, [4]),
        ({"name": "b", "n": "smallest"}, [3]),
        ({"n": {"least": 2, "below": 4}}, [2, 3]),
        ({"n": {"above": 2, "most": 3}}, [3]),
        ({"name": {"begins": "a", "not": "ac"}}, [1]),
    ):
        assert list(choose(table, where)["n"]) == wanted
    with pytest.raises(ClaimError, match="no column 'm'"):
        choose(table, {"m": 1})
    with pytest.raises(ClaimError, match="no bound 'over'"):
        choose(table, {"n": {"over": 1}})


def test_ratios_come_by_setting_at_an_end_and_in_the_mean():
    of = {"ratio": "width", "method": "MAVEN", "against": "GT"}
    tables = {"e": results(metrics=("AUC", "TNR_H"))}
    each = quantity(tables, {**of, "by": "n_gold"})
    assert list(each.names) == ["AUC at 100", "TNR_H at 100", "AUC at 400", "TNR_H at 400"]
    assert each.rows["value"].to_numpy() == pytest.approx(0.6, abs=0.005)
    last = quantity(tables, {**of, "by": "n_gold", "where": {"n_gold": "largest"}})
    assert (list(last.names), last.title) == (["AUC", "TNR_H"], "width MAVEN / GT at n_gold 400")
    mean = quantity(tables, {**of, "ratio": ["width", "error"], "mean_over": "n_gold"})
    assert list(mean.names)[::2] == ["width of AUC", "error of AUC"]
    assert mean.rows["value"].to_numpy() == pytest.approx([0.6, 0.6, 1, 1], abs=0.05)


def test_summaries_are_by_setting_or_pooled():
    """Errors of some 0.105 below a width of 0.12 or 0.06: all intervals hold the truth's end."""
    tables = {"e": results()}
    of = {"summary": "bias", "method": "MAVEN"}
    each = quantity(tables, {**of, "by": "n_gold"})
    assert list(each.names) == ["100", "400"]
    pooled = quantity(tables, {**of, "pooled": True})
    assert pooled.rows["value"].iloc[0] == pytest.approx(each.rows["value"].mean())
    own = tables["e"].query("method == 'MAVEN'")
    off = own["estimate"] - own["truth"]
    assert pooled.rows["error"].iloc[0] == pytest.approx(off.std() / len(off) ** 0.5)
    lower = {"e": results().assign(estimate=lambda t: 1.6 - t["estimate"])}
    size = quantity(lower, {**of, "size": True})
    assert size.rows["value"].iloc[0] == pytest.approx(pooled.rows["value"].iloc[0])


def test_means_columns_and_differences_of_cells():
    table = pd.DataFrame(
        {"who": ["a", "a", "b", "b"], "replicate": [0, 1, 0, 1], "x": [1.0, 3.0, 0.0, 1.0],
         "se": 0.5}
    )  # fmt: skip
    tables = {"t": table}
    mean = quantity(tables, {"mean": "x", "by": "who"})
    assert mean.rows["value"].tolist() == [2, 0.5]
    assert mean.rows["error"].tolist() == [1, 0.5]
    stands = quantity(tables, {"column": "x", "error": "se", "by": "who"})
    assert stands.rows[["group", "value", "error"]].to_numpy().tolist() == [
        ["a", 1, 0.5], ["b", 0, 0.5]
    ]  # fmt: skip
    one = {"mean": "x", "where": {"who": "b"}}
    less = quantity(tables, {"difference": [{"mean": "x", "by": "who"}, one]})
    assert less.rows["value"].tolist() == [1.5, 0]
    assert less.rows["error"].tolist() == pytest.approx([1.25**0.5, 0.5**0.5])
    more = pd.concat([table, table.iloc[:1].assign(x=2.0)])
    less = quantity({"t": more}, {"difference": [{"mean": "x", "where": {"who": "a"}}, one]})
    assert less.degrees().tolist() == [1], "of the side that is the less known"
    pair = quantity(tables, {"paired": "x", "column": "who", "first": "a", "second": "b"})
    assert pair.rows[["value", "error"]].to_numpy().tolist() == [[1.5, 0.5]]


ENTRY = {
    "where": "Fig. {{ figure.number }}", "tables": ["e"], "predicate": "below",
    "printed": "MAVEN's intervals are {{ '{:.0%}'.format(figure.less) }} narrower",
    "of": {"ratio": "width", "method": "MAVEN", "against": "GT", "by": "n_gold"},
    "margin": "{{ 1 - figure.less }}",
}  # fmt: skip


def claim_of(**changes):
    """The claim of the entry with these changes; without the keys whose change is none."""
    entry = {key: value for key, value in {**ENTRY, **changes}.items() if value is not None}
    (claim,) = claims_of([entry], PRINTED, ROOM)
    return claim


def judged(width=0.6, **changes):
    return claim_of(**changes).judge({"e": results(width=width)})


PRINTED = {"figure": {"number": 4, "less": 0.25}}


def test_an_entry_becomes_a_claim_with_the_papers_numbers():
    claim = claim_of()
    (row,) = JudgedClaims([(claim, claim.judged({"e": results()}))]).frame.itertuples()
    assert (row.place, row.printed) == ("Fig. 4", "MAVEN's intervals are 25% narrower")
    assert row.values.startswith("width MAVEN / GT: AUC at 100 0.599")
    assert (row.wanted, row.verdict, row.replicates) == ("below 0.75", HOLDS, "12")
    assert (row.reason, row.kind, row.ours, row.stand_in) == ("", "", False, False)
    assert claim.judged({"e": results(width=0.8)}).verdict == FAILS
    assert claim.judged({}).verdict == NOT_JUDGED
    nowhere = {**ENTRY["of"], "where": {"n_gold": {"above": 400}}}
    assert judged(of=nowhere).verdict == NOT_DECIDED


def test_the_cause_or_that_none_is_known_stands_where_a_claim_does_not_hold_and_a_note_always():
    more = {"cause": "private", "note": "one run", "settings": "gamma = 10"}
    assert judged(**more).reason == "gamma = 10; one run"
    reason = judged(1.2, **more).reason
    assert reason.startswith("clearly not: AUC at 100 (1.2)")
    assert reason.endswith("; private; gamma = 10; one run")
    assert judged(1.2).reason.endswith(NO_CAUSE)
    assert NO_CAUSE not in judged().reason


@pytest.mark.parametrize(
    ("change", "place", "kind", "heading"),
    [
        ({}, "Fig. 4", "unknown", "No cause is known"),
        ({"cause": "a", "kind": "slip"}, "Fig. 4", "slip", "A slip of text or code"),
        ({"cause": "a", "kind": "setting"}, "Fig. 4", "setting", "It depends on a setting that"),
        ({"stand_in": "Task 1", "cause": "a"}, "Fig. 4, stand-in for Task 1", "stand-in",
         "On a stand-in, which shows neither"),
        ({"stand_in": True, "where": "Fig. 7a"}, "Fig. 7a, stand-in", "stand-in", "On a stand-in"),
        ({"ours": True, "cause": "a", "where": "on fig. 2"}, "ours, on fig. 2", "", "- **ours"),
        ({"ours": True, "where": ""}, "ours", "", "- **ours**"),
    ],
)  # fmt: skip
def test_a_claim_that_does_not_hold_says_whose_fault_that_is(change, place, kind, heading):
    """Where it holds there is no fault."""
    claim = claim_of(**change)
    fails, holds = (claim.judge({"e": results(width=width)}) for width in (1.2, 0.6))
    assert (claim.place, fails.kind, holds.kind) == (place, kind, "")
    judged_claims = JudgedClaims([(claim, fails), (claim, holds)])
    assert judged_claims.with_verdict(FAILS).startswith(heading)
    assert judged_claims.with_verdict(HOLDS).startswith(f"- **{place}**")
    own = change.get("ours", False)
    assert list(judged_claims.frame["ours"]) == [own, own]
    said = "Of 2 claims of our own 1 holds" if own else "Of 2 claims 1 holds"
    assert judged_claims.counted.startswith(said)
    assert ("Of those that do not hold 1 " in judged_claims.counted) == (not own)


@pytest.mark.parametrize(
    ("paper", "sections"),
    [("maven", [""]), ("clara", [""]), ("judge_error", [""]), ("label_variation", [""]),
     ("soft_metrics", [""]), ("stableval", ["text", "synthetic"])],
)  # fmt: skip
def test_every_claim_of_a_paper_says_whose_fault_it_is(paper, sections):
    """Or that no cause is known. A claim of our own is nobody's."""
    name = "stableval_synthetic" if paper == "stableval" else paper
    options = dict.fromkeys(
        ("labelling", "draws", "gamma_3", "gamma_5", "gamma_7", "gamma_9", "gamma_11"), 1
    )
    printed = {**load(ROOT / f"config/printed/{name}.yaml"), **options}
    for section in sections:
        for claim in read_claims(f"crowdgold.papers.{paper}", printed, section):
            assert (claim.kind in KINDS) != claim.ours, claim


def test_what_is_told_may_be_another_quantity_and_the_cause_one_too():
    mean = {**ENTRY["of"], "by": [], "mean_over": "n_gold"}
    column = {"column": "truth", "where": {"replicate": 0, "method": "GT", "n_gold": 100},
              "title": "as the truth is"}  # fmt: skip
    found = judged(1.2, says=mean, cause=column)
    assert found.values.startswith("width MAVEN / GT, mean over n_gold: AUC 1.")
    assert found.reason.endswith("; as the truth is 0.8")


def test_a_claim_is_judged_beside_by_another_table_where_that_is_there():
    beside = {"f": "with gamma = 1"}
    claim = claim_of(beside=beside)
    both = claim.judged({"e": results(), "f": results(width=1.2)})
    assert both.verdict == HOLDS
    assert both.reason.startswith("with gamma = 1: width MAVEN / GT: AUC at 100 1.")
    assert both.reason.endswith(f": {FAILS}")
    assert claim.judged({"e": results()}).reason == ""
    failing = claim_of(beside=beside, cause="a prior; of votes")
    found = failing.judged({"e": results(width=1.2), "f": results()})
    assert (found.verdict, found.cause) == (FAILS, "a prior (with gamma = 1 it holds); of votes")


def test_a_claim_of_parts_fails_less_easily_for_each_of_them():
    """A part 2.1 errors above its margin decides a claim by itself, not one among two."""
    part = {"of": {"own": "claims_example:one", "value": 1.21}, "predicate": "below", "margin": 1}
    whole = {"where": "1", "printed": "2", "tables": ["e"]}
    other = {**part, "of": {"own": "claims_example:one", "value": 0.5}}
    alone, both = claims_of([{**whole, **part}, {**whole, "all_of": [part, other]}], {}, "unit")
    assert alone.judge({"e": results()}).verdict == FAILS
    assert both.judge({"e": results()}).verdict == NOT_DECIDED


def test_a_claim_is_repeated_for_what_it_lists():
    each = {"metric": ["AUC", "TNR_H"], "n": [100, 400]}
    of = {**ENTRY["of"], "where": {"metric": "{{ metric }}", "n_gold": "{{ n }}"}}
    claims = claims_of([{**ENTRY, "each": each, "of": of, "where": "{{ n }}"}], PRINTED, ROOM)
    assert [claim.place for claim in claims] == ["100", "400", "100", "400"]
    listed = [{"metric": "AUC", "n": 100}, {"metric": "TNR_H", "n": 400}]
    claims = claims_of([{**ENTRY, "each": listed, "of": of}], PRINTED, ROOM)
    found = [claim.judge({"e": results(metrics=("AUC", "TNR_H"))}).values for claim in claims]
    assert ["TNR_H" in text for text in found] == [False, True]


def test_parts_and_functions_of_the_room_stand_in_the_place_of_a_predicate():
    part = {key: ENTRY[key] for key in ("of", "predicate")} | {"margin": 1}
    whole = {"where": "1", "printed": "2", "tables": ["e"]}
    own = {"of": {"own": "claims_example:cells", "value": 2}, "predicate": "above", "margin": 1}
    entries = [
        {**whole, "all_of": [part, {**part, "predicate": "above", "show": "ends"}]},
        {**whole, **own},
        {**whole, "own": "claims_example:judge", "said": "so"},
    ]
    found = [claim.judge({"e": results()}) for claim in claims_of(entries, {}, "unit")]
    assert [one.verdict for one in found] == [FAILS, HOLDS, HOLDS]
    assert found[0].values.endswith("width MAVEN / GT 0.60 to 0.60 in 2 places")
    assert found[2].values == "so of e"


def test_values_that_could_not_be_others_have_no_verdict():
    """They are told, whatever they are; the claim needs no margin."""
    without = {"predicate": None, "margin": None, "no_verdict": "by design", "note": "so"}
    found = [judged(width, **without) for width in (0.6, 3.0)]
    assert {(one.verdict, one.reason) for one in found} == {(NO_VERDICT, "by design; so")}
    assert found[0].values.startswith("width MAVEN / GT: AUC at 100 0.599")
    assert found[0].values != found[1].values


def test_what_no_replicates_decide_is_said_to_be_so_where_it_is_not_decided():
    why, width = "two datasets", 1 - PRINTED["figure"]["less"]
    other, found = judged(width), judged(width, undecidable=why)
    assert (other.verdict, found.verdict) == (NOT_DECIDED, UNDECIDABLE)
    assert found.reason.startswith("two datasets; ")
    assert ["needed" in one.replicates for one in (other, found)] == [True, False]
    for width, verdict in ((0.3, HOLDS), (3.0, FAILS)):
        found = judged(width, undecidable=why)
        assert (found.verdict, why in found.reason) == (verdict, False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"predicate": "nearly"}, "predicate 'nearly': expected one of above"),
        ({"margin": None}, "predicate 'below': no margin is declared"),
        ({"where": "{{ figure.place }}"}, "no such thing among"),
        ({"own": "claims:nothing"}, "own: claims:nothing"),
        ({"tables": None}, "without tables"),
        ({"of": {"rate": "width"}}, "begins with 'rate': expected one of ratio"),
        ({"of": {**ENTRY["of"], "over": 1}}, "over"),
        ({"note": {"column": "sweeps", "table": "e", "title": "sweeps"}}, r"^Fig\. 4, .*sweeps"),
    ],
)
def test_a_wrong_entry_is_named(change, words):
    """Reading refuses it, but for a wrong quantity."""

    def judge():
        claim = claim_of(**change)
        assert {"of", "note"} & {*change}
        claim.judged({"e": results()})

    with pytest.raises(ClaimError, match=words):
        judge()


def test_modules_that_claims_name_are_known(tmp_path, monkeypatch):
    (tmp_path / "some_room").mkdir()
    (tmp_path / "some_room/__init__.py").touch()
    text = "- {own: 'a:f'}\n- {all_of: [{of: {own: 'b.c:g'}}]}\n- {predicate: below}\n"
    (tmp_path / "some_room/claims.yaml").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    assert own_modules("some_room") == {"some_room.a", "some_room.b.c"}


@pytest.mark.parametrize(
    ("of", "trials"),
    [
        ({"summary": "coverage", "method": "GT", "where": {"n_gold": 100}}, [12]),
        ({"summary": "coverage", "method": "GT", "by": "n_gold"}, [12, 12]),
        ({"summary": "coverage", "method": "GT", "pooled": True}, [24]),
        ({"summary": "coverage", "method": "GT", "mean_over": "n_gold"}, [np.nan]),
        ({"summary": "width", "method": "GT", "by": "n_gold"}, [np.nan, np.nan]),
        ({"coverage": "method", "where": {"method": "GT"}}, [24]),
        ({"coverage": "method", "unit": "replicate", "where": {"method": "GT"}}, [np.nan]),
    ],
    ids=str,
)
def test_only_intervals_of_independent_studies_are_trials(of, trials):
    """A mean over settings, or of the intervals of a replicate, is no share of independent ones;
    nor are those of two agents of one study, who share its annotators."""
    table = results()
    assert quantity({"e": table}, of).trials() == pytest.approx(trials, nan_ok=True)
    both = pd.concat([table.assign(agent="a"), table.assign(agent="b")])
    if "summary" in of and "pooled" not in of:
        assert np.isnan(quantity({"e": both}, of).trials()).all()


@pytest.mark.parametrize("lacks", ["e", "f"])
def test_a_table_that_lacks_what_the_claim_is_about_is_named(lacks):
    """The table that it is judged from, and one beside."""
    tables = {"e": results(), "f": results()}
    tables[lacks] = tables[lacks].drop(columns="n_gold")
    with pytest.raises(ClaimError, match=rf"^Fig\. 4, .*: without 'n_gold' in {lacks}$"):
        claim_of(beside={"f": "with gamma = 1"}).judged(tables)


def test_a_main_claim_may_tell_another_quantity_with_its_words_where_it_holds():
    """Where it does not hold its words stand alone, as the cause follows them."""
    aside = {"summary": "coverage", "method": ["MAVEN", "GT"], "by": "n_gold", "title": "coverage",
             "show": "ends"}  # fmt: skip
    claim = claim_of(main=aside)
    assert claim.main
    words = "- **Fig. 4**: MAVEN's intervals are 25% narrower"
    for width, verdict, own in (
        (0.6, HOLDS, " (coverage 1.00 to 1.00 in 4 places)"),
        (1.6, FAILS, ""),
    ):
        told = JudgedClaims([(claim, claim.judged({"e": results(width=width)}))])
        assert f"{words}{own}." in told.with_verdict(verdict).splitlines()[-1]
