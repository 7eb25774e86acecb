"""The study of experts who err: what it reads, and what is told of its table."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.claims.quantities import quantity
from crowdgold.inference.expert_errors import BY_VOTES, EQUAL, expert_errors
from crowdgold.inference.expert_errors import GIVEN as OF_USER
from crowdgold.papers.experts.experiments import (
    DOUBLES,
    GIVEN,
    READINGS,
    ExpertsParameters,
    compute_experts,
    with_opinions,
)
from crowdgold.papers.experts.page import of_auc, read_experts, readings, readings_table, wide_table
from crowdgold.simulate import simulate
from crowdgold.simulate.expert_opinions import EXPERTS, PROTOCOLS, RARER, Erring, draw_opinions
from crowdgold.simulate.expert_opinions import with_opinions as with_drawn_opinions
from crowdgold.types.errors import InputError

STUDY = {
    "n": 1500, "n_gold": 200, "phi": 0.2, "votes_total": 3, "a0": 0.1, "a1": 0.8, "d0": 1.5,
    "d1": 1.5, "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip


def test_items_without_truth_have_no_experts_who_err():
    items = replace(simulate("maven", STUDY, np.random.default_rng(1)).table, truth=None)
    with pytest.raises(InputError, match="found items without true labels"):
        with_drawn_opinions(items, Erring(0.1, 0.1), RARER, np.random.default_rng(1))


def test_experts_err_as_often_as_they_are_said_to_together_or_alone():
    """200,000 items: a share of .05 has a standard error of .0005."""
    truth = np.repeat([0, 1], 100_000)
    for experts in (Erring(0.1, 0.03), Erring(0.05, 0.05, 0.5)):
        labels = draw_opinions(truth, experts, RARER, np.random.default_rng(1))
        for y, error in ((1, experts.positive), (0, experts.negative)):
            first = labels[truth == y, 0]
            assert (first != y).mean() == pytest.approx(error, abs=0.003)
        both = (labels[:, 1] >= 0) & (truth == 1) & (labels[:, 0] == 0)
        again = (labels[both, 1] == 0).mean()
        known = experts.positive
        assert (again > 3 * known) == (experts.shared > 0)


def test_doubles_have_no_third_opinion_and_given_errors_are_the_right_ones():
    items = simulate("maven", STUDY, np.random.default_rng(5)).table
    doubles, given = (
        with_opinions(items, "err_10_and_3", second, np.random.default_rng(6))
        for second in (DOUBLES, GIVEN)
    )
    assert doubles.opinions.number.max() == 2
    assert (doubles.opinions.number == 2).sum() == pytest.approx(200 / 3, abs=27)  # 4 errors
    assert (given.opinions.number <= 1).all()
    found = expert_errors(given)
    assert (found.source, found.unknown) == (OF_USER, "")
    assert (found.sensitivity, found.specificity) == pytest.approx((0.9, 0.97))
    assert expert_errors(doubles).source in (BY_VOTES, EQUAL)


@pytest.mark.parametrize("second", [*PROTOCOLS, DOUBLES, GIVEN])
def test_a_study_is_read_in_every_way(second):
    given = {
        "simulator": "maven", "study": STUDY, "experts": "err_5", "second": second,
        "method": "logistic-R", "corrected": "logistic-E", "metrics": ["prevalence", "AUC"],
        "population": 5000,
    }  # fmt: skip
    found = compute_experts(given, np.random.default_rng(3))
    assert len(found) == 2 * len(READINGS) + 2
    assert set(found["reading"]) == {*READINGS, "experts"}
    assert np.isfinite(found[["truth", "estimate", "lower", "upper"]].to_numpy(float)).all()
    own = found[found["reading"] == "experts"].set_index("metric")["truth"]
    assert own.to_dict() == {"sensitivity": 0.95, "specificity": 0.95}


def test_coverage_and_width_are_counted_against_right_labels():
    rows = [
        {"second": "rarer", "experts": "err_5", "metric": "AUC", "replicate": k, "truth": 0.5,
         "reading": reading, "lower": 0.5 - width, "upper": 0.5 + width - miss}
        for k in range(4)
        for reading, width, miss in (
            ("error-free", 0.1, 0.0), ("majority", 0.2, 0.3 if k else 0.0), ("corrected", 0.3, 0),
        )
    ]  # fmt: skip
    rows[2]["lower"] = rows[2]["upper"] = np.nan
    found = read_experts(pd.DataFrame(rows).assign(estimate=0.5), ["second", "experts"])
    own = found.set_index("reading")
    assert own.loc["majority", "coverage"] == 0.25
    assert own.loc["corrected", ["coverage", "share"]].tolist() == [1, 0.75]
    assert own.loc["corrected", "width"] == pytest.approx(3)


def test_every_kind_of_experts_is_one_that_the_check_takes():
    (kinds,) = (one.choices for one in ExpertsParameters.declared() if one.name == "experts")
    assert tuple(kinds) == tuple(EXPERTS)


def made(kind="err_5", missed=3, wide=1.2, replicates=20):
    """Corrected AUCs miss in some studies, and have none in one more; prevalence always holds."""
    table = pd.DataFrame(
        {"second": "rarer", "experts": kind, "replicate": replicate, "metric": metric,
         "reading": reading, "truth": 0.8, "estimate": 0.8, "lower": 0.8 - width / 2,
         "upper": 0.8 + width / 2}
        for replicate in range(replicates) for metric in ("prevalence", "AUC")
        for reading, width in (("error-free", 0.1), ("corrected", 0.1 * wide))
    )  # fmt: skip
    own = (table["reading"] == "corrected") & (table["metric"] == "AUC")
    ends = ["lower", "upper"]
    table.loc[own & (table["replicate"] < missed), ends] += 0.2
    table.loc[own & (table["replicate"] == replicates - 1), ends] = np.nan
    return table


def test_coverage_and_widths_are_of_intervals_that_there_are():
    tables = {"experts": pd.concat([made(), made("err_2", 0)])}
    where = {"experts": "err_5", "reading": "corrected", "lower": {"above": -np.inf}}
    of = {"coverage": "experts", "table": {"own": readings}, "where": where}
    rows = quantity(tables, {**of, "at": "metric"}).rows
    assert dict(zip(rows["place"], rows["value"], strict=True)) == {
        "prevalence": 1, "AUC": pytest.approx(16 / 19),
    }  # fmt: skip
    (pooled,) = quantity(tables, {**of, "unit": "replicate"}).rows.to_dict("records")
    # Three studies of one half, 17 of one whole; the last has one of its two intervals.
    assert pooled["value"] == pytest.approx(18.5 / 20)
    assert pooled["error"] == pytest.approx(np.std([0.5] * 3 + [1] * 17, ddof=1) / np.sqrt(20))
    of = {"ratio": "width", "method": "corrected", "against": "error-free"}
    table = made().assign(experiment="experts")
    found = quantity({"experts": table}, {**of, "table": {"own": readings}})
    row = found.rows.set_index("group").loc["AUC"]
    assert (row["value"], row["replicates"]) == (pytest.approx(1.2), 19)


def test_the_tables_have_a_line_a_reading_and_the_share_of_wide_intervals():
    table = made()
    first = table[table["reading"] == "corrected"].assign(reading="first opinion")
    page = readings_table(pd.concat([table, first]), "rarer", "coverage", {"err_5": "5 %"})
    assert "| 5 % | corrected for experts' errors | 1.00 | 0.84 |" in page
    assert "| 5 % | one opinion, taken for true | 1.00 | 0.84 |" in page
    assert "error-free" not in page
    both = pd.concat([table, first])
    assert of_auc(both, "first opinion") == {"err_5": pytest.approx(16 / 19)}
    # Every fourth is .51 wide, of AUC the twentieth is missing; error-free ones are .1 wide.
    table = made(missed=0)
    every = (table["reading"] == "corrected") & (table["replicate"] % 4 == 0)
    table.loc[every, "upper"] = table.loc[every, "lower"] + 0.51
    page = wide_table(table, "rarer", {"err_5": "5 %"})
    assert "| 5 % | 0.25 | 0.26 |" in page
    assert "| 5 % | 0.00 | 0.00 |" in wide_table(made(), "rarer", {"err_5": "5 %"})
