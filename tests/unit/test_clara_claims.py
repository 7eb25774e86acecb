"""The verdicts on CLARA's claims follow the tables, and the page says what was not made."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.claims.claims import read_claims
from crowdgold.claims.verdicts import FAILS, HOLDS, NO_VERDICT, NOT_DECIDED
from crowdgold.experiment.configuration import load
from crowdgold.papers.clara.claims import recovery
from unit.clara_tables import (
    PREVALENCES,
    audit_day_results,
    audit_results,
    day_results,
    policy_results,
    prevalence_results,
    recovery_results,
    replicate_rows,
    scores_results,
)
from unit.made_pages import PAGES, ROOT, page_from

ROOM = PAGES["reproduction_clara"]["claims"]
SETTINGS = dict.fromkeys(("gamma_3", "gamma_5", "gamma_9", "gamma_7_firm"), 10) | dict.fromkeys(
    ("gamma_3_weak", "gamma_5_weak"), 1
)
PRINTED = load(ROOT / "config/printed/clara.yaml") | SETTINGS
PRINTED_3 = {
    "items": 50_000, "quality": 0.9, "around": {"items": 100, "error": 0.045},
    "at_100": {"prevalence": 0.1, "rounding": 0.001, "TPR": 0.0383, "TNR": 0.0404},
    "many": {"items": 1000, "error": 0.015},
}  # fmt: skip
"""A made paper: errors of 0.4 / sqrt(items) are 0.0383 at 109 items and 0.0404 at 98."""


def judge_of(words, printed=PRINTED, where=""):
    """The judge of the claim with these words, of its tables."""
    known = [one for one in read_claims(ROOM, printed) if words in one.printed]
    (claim,) = [one for one in known if where in one.place]
    return lambda *tables: claim.judge(dict(zip(claim.needs, tables, strict=True)))


def alone(judge):
    """The judge of a claim of two tables, of the first of them without rows of the second."""
    return lambda table: judge(table, table.iloc[:0])


def verdicts(judge, *tables):
    return [judge(table).verdict for table in tables]


def test_the_error_must_be_smaller_in_most_settings():
    """Clearly smaller in all, in none, in 6 of 8, and in none clearly either way."""
    judge = judge_of("error is below the majority")
    mixed = prevalence_results()
    at = (mixed["tpr"] == 0.8) & (mixed["prevalence"] < 0.2) & (mixed["method"] == "CLARA")
    mixed.loc[at, "estimate"] += 0.1
    tables = (prevalence_results(), prevalence_results(clara=0.06), mixed)
    assert verdicts(judge, *tables) == [HOLDS, FAILS, HOLDS]
    found = judge(mixed)
    assert found.reason == ""
    rng = np.random.default_rng(1)
    alike = prevalence_results().assign(estimate=lambda t: t["truth"] + rng.normal(0, 0.1, len(t)))
    assert verdicts(judge, alike) == [NOT_DECIDED]


def test_a_bias_is_told_beside_that_without_swapped_labels():
    """CLARA is off by 0.1, and not where labels cannot be swapped; its intervals are longer by 0.1,
    and in the control the others are."""
    ordered = prevalence_results().replace({"method": {"CLARA": "CLARA-ordered"}})
    noise = np.random.default_rng(3).normal(0, 0.001, len(ordered))
    moved = prevalence_results().assign(estimate=lambda t: t["truth"] + 0.1 + noise)
    found = judge_of("unbiased estimator")(moved, moved.iloc[:0], ordered)
    assert found.verdict == FAILS
    assert "labels swapped" in found.cause
    assert "where labels cannot be swapped" in found.reason
    assert "0.10" in found.ours or "0.09" in found.ours
    without = found.reason.partition("where labels cannot")[2]
    assert "0.010" in without
    assert "0.10" not in without
    longer = prevalence_results().assign(lower=lambda t: t["lower"] - 0.1 - noise)
    shorter = judge_of("shorter on average")
    assert shorter(longer, longer.iloc[:0], ordered).verdict == HOLDS
    swapped = longer.replace({"method": {"CLARA": "CLARA-ordered"}})
    assert shorter(prevalence_results(), longer.iloc[:0], swapped).verdict == FAILS


def test_a_bias_is_small_but_at_the_smallest_prevalence():
    """No bias; one at the smallest prevalence, which the claim leaves out; one everywhere."""
    rng = np.random.default_rng(2)
    none = prevalence_results().assign(estimate=lambda t: t["truth"] + rng.normal(0, 0.01, len(t)))
    low = none.copy()
    low.loc[low["prevalence"] == min(PREVALENCES), "estimate"] += 0.5
    judge = alone(judge_of("consistently small"))
    moved = none.assign(estimate=none["estimate"] + 0.05)
    assert verdicts(judge, none, low, moved) == [HOLDS, HOLDS, FAILS]
    assert "CLARA at tpr 0.8 prevalence 0.01 0." in judge(low).reason
    one = none.copy()
    one.loc[(one["prevalence"] == 0.4) & (one["tpr"] == 0.9), "estimate"] += 0.5
    assert verdicts(judge, one) == [FAILS]
    assert judge(one).reason.startswith("clearly not: tpr 0.9 prevalence 0.4 (0.5)")


@pytest.mark.parametrize(("bias", "verdict"), [(0.0, HOLDS), (0.04, FAILS)])
def test_further_replicates_of_some_settings_decide(bias, verdict):
    """At one setting 12 replicates with errors of .1 leave a margin of .02 open; 2,000 do not.

    Their standard error is .002, a tenth of the margin. The replicates are numbered from 0 in both
    tables, and count apart; errors of .001 at the other settings are decided by 12.
    """
    rng = np.random.default_rng(5)
    first = prevalence_results(clara=0.0)
    first["estimate"] += rng.normal(0, 0.001, len(first))
    at = {"method": "CLARA", "tpr": 0.8, "prevalence": 0.4}
    noisy = (first[list(at)] == pd.Series(at)).all(axis=1)
    first.loc[noisy, "estimate"] += bias + rng.normal(0, 0.1, noisy.sum())
    more = replicate_rows(0, 0.1, rng, 2000, **at).assign(experiment="further")
    more["estimate"] += bias + rng.normal(0, 0.1, len(more))
    judge = judge_of("consistently small")
    assert judge(first, more.iloc[:0]).verdict == NOT_DECIDED
    found = judge(first, more)
    assert found.verdict == verdict
    assert found.replicates == "12 to 2,012"


def test_a_u_shape_falls_and_rises():
    def table(sizes):
        rng = np.random.default_rng(3)
        return pd.concat(
            replicate_rows(size, 0.1, rng, method="MV", tpr=0.8, prevalence=at)
            for at, size in zip(PREVALENCES, sizes, strict=True)
        )

    judge = judge_of("U-shape")
    shapes = ([3, 1, 1, 3], [3, 2, 1.5, 0.1], [1, 3, 3, 1])
    assert verdicts(judge, *map(table, shapes)) == [HOLDS, FAILS, FAILS]
    flat = table([1, 1, 1, 1])
    two = flat[flat["prevalence"] < 0.2]
    assert verdicts(judge, flat, two) == [NOT_DECIDED, NOT_DECIDED]


def test_lengths_are_compared_method_by_method_and_tpr_by_tpr():
    narrow = judge_of("intervals are shorter than CLARA")
    wider = alone(judge_of("wider at the lower TPR"))
    noise = np.random.default_rng(4).normal(0, 0.001, 192)

    def table(low, high, mv):
        half = {("CLARA", 0.8): low, ("CLARA", 0.9): high, ("MV", 0.8): mv, ("MV", 0.9): mv}
        made = prevalence_results(half=half)
        return made.assign(upper=made["upper"] + noise)

    assert verdicts(narrow, table(0.04, 0.02, 0.01), table(0.04, 0.02, 0.05)) == [HOLDS, FAILS]
    assert verdicts(narrow, table(0.04, 0.02, 0.03)) == [FAILS]
    assert "clearly not: prevalence at tpr 0.9" in narrow(table(0.04, 0.02, 0.03)).reason
    assert verdicts(wider, table(0.04, 0.02, 0.01), table(0.02, 0.04, 0.01)) == [HOLDS, FAILS]
    assert verdicts(wider, table(0.03, 0.03, 0.01)) == [NOT_DECIDED]


def test_coverage_near_zero_needs_enough_replicates_to_be_seen():
    """0 of 80 intervals is clearly below a tenth, 0 of 4 is not; all of them is above it."""
    judge = judge_of("close to zero where")
    wide = dict.fromkeys((("CLARA", 0.8), ("CLARA", 0.9), ("MV", 0.8), ("MV", 0.9)), 1.0)
    tables = (
        prevalence_results(size=80),
        prevalence_results(size=4),
        prevalence_results(size=40, half=wide),
    )
    assert verdicts(judge, *tables) == [HOLDS, NOT_DECIDED, FAILS]


def covering(share, method="CLARA", size=100, **columns):
    """Intervals of which a share covers, at every TPR and prevalence."""
    rng = np.random.default_rng(5)
    rows = []
    for tpr in (0.8, 0.9):
        for at in PREVALENCES:
            half = np.where(np.arange(size) < share * size, 1.0, 1e-6)
            rows.append(replicate_rows(0.01, half, rng, size, at, method=method, tpr=tpr,
                                       prevalence=at, **columns))  # fmt: skip
    return pd.concat(rows, ignore_index=True)


def test_coverage_is_pooled_from_a_prevalence_on():
    """200 intervals in each of 6 settings: 0.95 is at the level, 0.85 and 1 are not; 20 each are
    too few to say it."""
    judge = judge_of("the posterior's own")
    low = covering(0.95, size=200)
    low.loc[low["prevalence"] < 0.1, ["lower", "upper"]] = 9.0
    tables = [covering(share, size=200) for share in (0.95, 0.85, 1.0)]
    assert verdicts(judge, *tables, low) == [HOLDS, FAILS, FAILS, HOLDS]
    assert verdicts(judge, covering(0.95, size=20)) == [NOT_DECIDED]
    assert "by setting: tpr 0.8 prevalence 0.1 0.8" in judge(covering(0.85)).reason
    assert "none in the table" in judge(covering(0.95, "CLARA-printed")).ours


@pytest.mark.parametrize("words", ["scores reduce the error", "scores reduce the intervals"])
def test_scores_must_reduce_error_and_width_in_the_mean(words):
    judge = judge_of(words, where="log-ratios")
    noise = np.random.default_rng(6).normal(0, 1e-3, 144)

    def table(*sizes):
        made = scores_results(*sizes)
        return made.assign(upper=made["upper"] + noise)

    tables = (table(0.03, 0.02, 0.01), table(0.03, 0.02, 0.04), table(0.01, 0.02, 0.03))
    assert verdicts(judge, *tables) == [HOLDS, FAILS, FAILS]


def test_scores_must_not_cost_coverage():
    judge = judge_of("scores lose no coverage", where="log-ratios")

    def table(weak, strong, size):
        shares = {"none": 0.95, "1": weak, "4": strong}
        return pd.concat([covering(one, size=size, separation=at) for at, one in shares.items()])

    tables = [table(0.95, 0.95, 200), table(0.95, 0.95, 20), table(0.95, 0.3, 200)]
    assert verdicts(judge, *tables) == [HOLDS, NOT_DECIDED, FAILS]
    assert judge(tables[2]).reason.startswith("clearly not: 4 (0.3)")


def test_recovery_is_judged_from_about_so_many_items_on():
    """Errors are 0.4 / sqrt(items): 0.040 at 98, 0.0122 at 1,090; then twice and a half of it."""
    three = PRINTED | {"figure_3": PRINTED_3}
    around = judge_of("with around 100", three)
    many = judge_of("with over 1,000", three)
    tables = [recovery_results(constant) for constant in (0.4, 0.8)]
    assert verdicts(around, *tables) == [HOLDS, FAILS]
    assert verdicts(many, *tables) == [HOLDS, FAILS]
    assert verdicts(around, recovery_results(40.0)) == [FAILS]
    few = tables[0][tables[0]["n_reviewers"] == 1000]
    assert verdicts(many, few) == [NOT_DECIDED]
    row = recovery({"t": tables[0]}, PRINTED_3).set_index(["metric", "n_reviewers", "prevalence"])
    found = row.loc[("TPR", 100, 0.1)]
    assert found["items"] == pytest.approx(109)
    assert found["error"] == pytest.approx(0.4 / np.sqrt(109), rel=0.05)
    own = tables[0][
        (tables[0]["metric"] == "TPR:each") & (tables[0]["n_reviewers"] == 100)
        & (tables[0]["prevalence"] == 0.1)
    ]  # fmt: skip
    means = (own["estimate"] - 0.9).abs().groupby(own["replicate"]).mean()
    assert found["error_se"] == pytest.approx(means.std() / np.sqrt(3))
    smaller = recovery({"t": tables[0].assign(n=500)}, PRINTED_3)
    assert smaller["items"].to_numpy() == pytest.approx(row["items"].to_numpy() / 100)


def test_recovery_is_held_against_the_printed_errors():
    """Ours are 0.0383 and 0.0404, and what is around 100 items may move them by 0.0025."""
    tables = [
        recovery_results(0.4, replicates=12),
        recovery_results(0.6),
        recovery_results(0.4, replicates=1),
    ]
    judge = judge_of("for TPR and", PRINTED | {"figure_3": PRINTED_3})
    assert verdicts(judge, *tables) == [HOLDS, FAILS, HOLDS]
    other = PRINTED_3 | {"at_100": PRINTED_3["at_100"] | {"TNR": 0.02}}
    found = judge_of("for TPR and", PRINTED | {"figure_3": other})(tables[0])
    assert found.verdict == FAILS
    assert found.reason.startswith("clearly not: TNR at")
    assert found.reason.endswith(
        "our setting: gamma = 10, the weight of the prior, which is not printed"
    )
    few = tables[0][tables[0]["n_reviewers"] == 10]
    assert verdicts(judge, few) == [NOT_DECIDED]


def test_errors_fall_with_the_items():
    judge = judge_of("fall with the items")
    table = recovery_results()
    swapped = table.replace({"n_reviewers": {10: 1000, 1000: 10}})
    assert verdicts(judge, table, swapped) == [HOLDS, FAILS]
    assert verdicts(judge, table[table["n_reviewers"] == 10]) == [NOT_DECIDED]


def test_audits_are_compared_with_the_majority_and_by_the_auditors():
    better = judge_of("consistently outperforms")
    assert verdicts(better, audit_results(), audit_results(clara=0.5)) == [HOLDS, FAILS]
    assert verdicts(better, audit_results(clara=0.15)) == [FAILS]
    assert "auditor_precision 0.9" in better(audit_results(clara=0.15)).reason
    gains = judge_of("lead over the majority vote")
    tables = (audit_results(slope=1.0), audit_results(slope=0.0), audit_results(slope=-0.8))
    assert verdicts(gains, *tables) == [HOLDS, NOT_DECIDED, FAILS]


def test_daily_audits_are_paired_by_day():
    judge = judge_of("are close to zero, the")
    several = {"sd": 0.004, "replicates": 20}
    tables = (
        audit_day_results(**several),
        audit_day_results(clara=0.1, **several),
        # Below the majority vote's, and not close to zero.
        audit_day_results(clara=0.04, mv=0.1, **several),
    )
    assert verdicts(judge, *tables) == [HOLDS, FAILS, FAILS]
    assert "CLARA's mean error over the days: precision 0.00" in judge(tables[0]).reason


def test_daily_prevalences_agree_diverge_and_name_their_cause():
    calm, moved = day_results("a", drop=0.0, gap=0.0), day_results("b")
    far = day_results("a", drop=0.0, gap=0.2)
    assert verdicts(judge_of("align"), calm, far) == [HOLDS, FAILS]
    judge = judge_of("they diverge")
    found = judge(moved, moved)
    assert (found.verdict, "; CLARA, gamma = 10 " in found.reason) == (NO_VERDICT, True)
    assert "from then on" in found.ours
    cause = judge_of("finds the cause")
    both = moved.copy()
    both.loc[(both["metric"] == "TNR") & (both["day"] >= 15), "estimate"] -= 0.3
    rising = day_results("b", drop=-0.2)
    rising.loc[rising["metric"] == "TNR", "estimate"] += 0.01 * (rising["day"] >= 15)
    assert verdicts(cause, moved, both, rising) == [HOLDS, FAILS, FAILS]
    assert "TNR before day 15 0.9" in cause(both).ours


def test_daily_intervals_are_compared_in_both_experiments():
    judge = judge_of("longer than the majority vote's for both")
    noise = np.random.default_rng(7).normal(0, 1e-4, 120)
    long, other = (day_results(name).assign(upper=lambda t: t["upper"] + noise) for name in "ab")
    short = other.assign(method=other["method"].replace({"MV": "CLARA", "CLARA": "MV"}))
    assert judge(long, other).verdict == HOLDS
    assert judge(long, short).verdict == FAILS
    assert judge(short.assign(experiment="a"), short).verdict == FAILS
    assert judge(long, other).ours.count("±") == 2


def test_accuracy_is_read_at_a_share_of_the_labels():
    """CLARA's accuracy at half of the labels is top - 0.0375; 0.005 of rounding is allowed."""
    judge = judge_of("recovers the true label")
    tables = [policy_results(top=top) for top in (0.995, 0.99, 0.9825, 0.95)]
    assert verdicts(judge, *tables) == [HOLDS, HOLDS, NOT_DECIDED, FAILS]
    assert "0.5" not in judge(tables[0]).ours.split("with")[0]
    few = tables[0][tables[0]["share_of_labels"] > 0.6]
    assert verdicts(judge, few) == [NOT_DECIDED]


def with_snorkel(table):
    """The table, with Snorkel as good as the random stratified policy."""
    own = table[table["policy"] == "random stratified"].assign(policy="Snorkel")
    return pd.concat([table, own], ignore_index=True)


def test_policies_are_compared_at_equal_shares():
    judge = judge_of("Snorkel: random stratified")
    tables = (policy_results(0.05), policy_results(-0.2))
    assert verdicts(judge, *tables) == [HOLDS, FAILS]
    assert "in 6 places" in judge(tables[0]).ours
    other = judge_of("sampling and Snorkel: Snorkel")
    assert verdicts(other, *map(with_snorkel, tables)) == [HOLDS, FAILS]
    assert verdicts(other, tables[0]) == [NOT_DECIDED]


def test_the_prevalence_of_policies():
    whatever, biased = judge_of("whatever the share"), judge_of("fewer labels: random stratified")
    table = policy_results()
    off = table.assign(
        prevalence_estimate=table["prevalence_estimate"] + 0.05 * (table["policy"] == "CLARA")
    )
    assert verdicts(whatever, table, off) == [HOLDS, FAILS]
    assert verdicts(biased, table, policy_results(bias=0.0)) == [HOLDS, NOT_DECIDED]
    off = table["prevalence_estimate"] - table["prevalence_truth"]
    less = table.assign(prevalence_estimate=table["prevalence_estimate"] + 2 * (0.03 - off))
    assert verdicts(biased, less) == [FAILS]
    snorkel = judge_of("fewer labels: Snorkel")
    assert verdicts(snorkel, with_snorkel(table), table) == [HOLDS, NOT_DECIDED]
    assert verdicts(snorkel, level_within(with_snorkel(table))) == [NOT_DECIDED]


def level_within(table):
    """The table, with the same error at all shares but the least and the largest."""
    within = table["threshold_or_share"].between(0, 1, inclusive="neither")
    noise = np.random.default_rng(9).normal(0, 0.002, len(table))
    level = table["prevalence_truth"] + 0.03 + noise
    return table.assign(prevalence_estimate=table["prevalence_estimate"].mask(within, level))


def test_labels_saved_by_tie_breaking_and_by_confidence():
    left = judge_of("tie-breaking leaves")
    noise = np.random.default_rng(8).normal(0, 0.002, len(policy_results()))
    table = policy_results().assign(share_of_labels=lambda t: t["share_of_labels"] + noise)
    most = table.assign(share_of_labels=table["share_of_labels"] * 0.8)
    assert verdicts(left, table, most) == [HOLDS, FAILS]
    saves = judge_of("if we use CLARA")
    tables = [policy_results(top=top) for top in (1.01, 1.0, 0.95)]
    assert verdicts(saves, *tables) == [HOLDS, NOT_DECIDED, FAILS]
    also = judge_of("if we use Snorkel")
    swapped = tables[2].replace({"policy": {"CLARA": "Snorkel"}})
    assert verdicts(also, swapped, tables[0]) == [FAILS, NOT_DECIDED]
    assert "largest share of the labels saved at that loss" in saves(tables[0]).reason
    assert "saved at that loss: none in the table" in saves(tables[2]).reason


def test_every_claim_can_be_judged_from_the_tables_that_it_names():
    audits = audit_results()
    tables = {
        "clara_fig2": pd.concat([prevalence_results(), covering(0.8, "CLARA-printed")]),
        "clara_fig2_close": prevalence_results().assign(experiment="further"),
        "clara_fig2_ordered": prevalence_results().replace({"method": {"CLARA": "CLARA-ordered"}}),
        "clara_fig3": recovery_results(),
        "clara_fig4": audits,
        "clara_fig5": policy_results(),
        "clara_fig7_a": day_results("clara_fig7_a", 0.0, 0.0),
        "clara_fig7_b": day_results("clara_fig7_b"),
        "clara_fig7_b_firm": day_results("clara_fig7_b_firm"),
        "clara_fig8": audit_day_results(),
        "clara_fig9": policy_results(replicates=1),
        "clara_fig11": scores_results(),
        "clara_fig11_given": scores_results(),
    }
    page = page_from("reproduction_clara", SETTINGS, tables=tables)
    places = ("| Fig", "| Sec", "| ours")
    lines = [line for line in page.splitlines() if line.startswith(places)]
    assert len(lines) >= len(read_claims(ROOM, PRINTED)) - 1
    assert page.count("not made here") == 1
    assert "| Fig. 12 | Snorkel" in page
    assert "nan" not in page
    assert "below 4.5%" in page
    assert "clara_fig4 6" in page


def test_what_was_not_made_is_said():
    page = page_from("reproduction_clara", SETTINGS, tables={"clara_fig4": audit_results()})
    assert page.count("not made here") == len(read_claims(ROOM, PRINTED)) - 2
    assert "| CLARA consistently outperforms" in page
