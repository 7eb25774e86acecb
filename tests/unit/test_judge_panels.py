"""Panels of judges: what the check gives, what is counted of it, and the bars of the page."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.claims.claims import read_claims
from crowdgold.claims.verdicts import FAILS, HOLDS, NOT_DECIDED
from crowdgold.models.stan import StanModels
from crowdgold.papers.judge_panels.experiments import (
    EFFECTIVE,
    WITHOUT,
    compute_judge_panels,
    stan_models,
)
from crowdgold.papers.judge_panels.page import draw_judge_panels, given_ranges, measured, pooled

STUDY = {
    "n": 400, "phi": 0.3, "votes_total": 3, "correlation": 0.2,
    "judges": {name: {"tpr": 0.85, "tnr": 0.8} for name in ("ann", "bob", "eve")},
    "predictors": {"A": {"mu": 1.5, "ease": 0.5}},
}  # fmt: skip
GIVEN = {"study": STUDY, "n_gold": [60, 120], "methods": ["GT", "votes-R", "logistic-R"]}


def row(correlation, method, metric, lower, upper, replicate, truth=0.5):
    return {"experiment": "e", "study.correlation": correlation, "replicate": replicate,
            "n_gold": 0 if method == WITHOUT else 50, "method": method, "metric": metric,
            "truth": truth, "estimate": 0.5, "lower": lower, "upper": upper}  # fmt: skip


def made(*, covers=0.95, answered=0.9, outside=0.0, worth=0.95, studies=100):
    """Rows of replicates with such shares."""
    rows = []
    for k in range(studies):
        hit = 0.4 if k < round(studies * covers) else 0.55
        rows += [row(0.2, name, "AUC", hit, hit + 0.2, k) for name in ("votes-R", "logistic-R")]
        rows.append(row(0.2, "GT", "AUC", 0.3, 0.7, k))
        end = 3.0 if k < round(studies * worth) else 1.5
        rows.append(row(0.2, EFFECTIVE, "votes", 1.0, end, k, truth=2.0))
        lower = 0.1 if k < round(studies * (answered - outside)) else 0.6
        there = k < round(studies * answered)
        ends = (lower, 0.8) if there else (np.nan, np.nan)
        rows.append(row(0.2, WITHOUT, "AUC", *ends, k))
    return pd.DataFrame(rows)


def test_a_panel_is_estimated_with_each_number_of_gold_labels():
    """The truth is that of the process, the same for all; a range has no estimate."""
    found = compute_judge_panels(GIVEN, np.random.default_rng(1), StanModels())
    assert found["n_gold"].value_counts().to_dict() == {60: 13, 120: 13, 0: 2}
    truth = found.groupby("metric")["truth"].agg(["min", "max"])
    assert (truth["min"] == truth["max"]).all()
    assert truth.loc["TPR_H", "min"] == pytest.approx(0.85)
    assert truth.loc["votes", "min"] == pytest.approx(3 / 1.4)
    real = found[found["method"] != WITHOUT]
    assert (real["lower"] <= real["estimate"]).all()
    assert (real["estimate"] <= real["upper"]).all()
    assert stan_models(GIVEN) == ()
    assert stan_models({"methods": ["judges-R", "judges", "DS"]}) == ("judges", "dawid_skene")


def test_shares_are_counted_by_hand():
    found = measured(made(covers=0.9, answered=0.8, outside=0.08), "study.correlation")
    found = found.set_index("method")
    assert found.loc["logistic-R", "coverage"] == pytest.approx(0.9)
    assert found.loc["logistic-R", "width_ratio"] == pytest.approx(0.5)
    assert found.loc[WITHOUT, "answered"] == pytest.approx(0.8)
    assert found.loc[WITHOUT, "coverage"] == pytest.approx(0.9)
    assert found.loc[WITHOUT, "width"] == pytest.approx(0.7)
    both = pooled(found.reset_index(), ["n_gold"]).set_index("n_gold")
    assert both.loc[0, "answered"] == pytest.approx(0.8)


def verdicts(**changes):
    """What the claims of the page come to; those of a metric that is not there, left out."""
    tables = {"judge_panels": made(**changes)}
    claims = read_claims("crowdgold.papers.judge_panels", {})
    there = [one for one in claims if "prevalence" not in one.place]
    return [one.judged(tables).verdict for one in there]


KEPT = {"covers": 1.0, "worth": 0.95, "answered": 0.95}
"""Where 100 studies decide all but both claims of effective votes, whose bars are too near."""


@pytest.mark.parametrize(
    ("changes", "at", "verdict"),
    [
        ({}, [0, 1, 4, 5], HOLDS), ({"covers": 0.95}, [0, 1], NOT_DECIDED),
        ({"covers": 0.8}, [0, 1], FAILS), ({"worth": 0.95}, [2, 3], NOT_DECIDED),
        ({"worth": 0.75}, [2], FAILS), ({"worth": 0.75}, [3], HOLDS),
        ({"worth": 1.0}, [3], NOT_DECIDED), ({"worth": 1.0, "studies": 300}, [3], FAILS),
        ({"answered": 0.82}, [4], NOT_DECIDED), ({"answered": 0.6}, [4], FAILS),
        ({"outside": 0.07}, [5], NOT_DECIDED), ({"outside": 0.2}, [5], FAILS),
    ],
)  # fmt: skip
def test_a_bar_is_decided_where_it_is_farther_than_two_errors(changes, at, verdict):
    """By the binomial distribution: of 100 studies all may be right where .98 would be (.13), and
    of 300 not (.002); .95 of 100 is near both .9 and .98 (.06 and .05)."""
    found = verdicts(**{**KEPT, **changes})
    assert len(found) == 6
    assert {found[one] for one in at} == {verdict}


def test_an_interval_that_is_missing_is_not_one_that_misses():
    table = made(covers=1.0)
    table.loc[(table["method"] == "logistic-R") & (table["replicate"] > 50), "lower"] = np.nan
    claims = read_claims("crowdgold.papers.judge_panels", {})
    assert claims[0].judged({"judge_panels": table}).verdict == HOLDS


@pytest.mark.parametrize(("answered", "verdict"), [(1.0, HOLDS), (0.05, NOT_DECIDED)])
def test_a_range_that_is_refused_says_nothing_of_the_truth(answered, verdict):
    """Ranges all hold the truth: of 100 that decides, of five it does not."""
    table = made(answered=answered, outside=0.0)
    rows = given_ranges({"judge_panels": table})
    assert rows["lower"].notna().all()
    assert len(rows) == round(100 * answered)
    claims = read_claims("crowdgold.papers.judge_panels", {})
    assert claims[-1].judged({"judge_panels": table}).verdict == verdict


@pytest.mark.parametrize(("answered", "drawn"), [(0.4, False), (0.6, True)])
def test_a_range_is_drawn_where_half_of_the_studies_have_one(answered, drawn):
    """Where fewer do, the panel says how many; every axis has a title."""
    table = made(answered=answered)
    assert set(table.loc[table["method"] == WITHOUT, "metric"]) >= {"AUC"}
    figure, _ = draw_judge_panels(table, by="study.correlation", label="rho")
    panel = figure.axes[3]
    ends = [path.vertices for one in panel.collections for path in one.get_paths()]
    heights = np.concatenate([points[:, 1] for points in ends if len(points)])
    assert np.isfinite(heights).any() == drawn
    assert [text.get_text() for text in panel.texts] == ([] if drawn else ["40% have\na range"])
    assert all(one.get_xlabel() and one.get_ylabel() for one in figure.axes)
