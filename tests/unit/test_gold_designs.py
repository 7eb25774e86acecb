"""The fewest labels that could do, and shares of labels that are told of a table of designs."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.studies.gold_designs.check import check_gold_designs, least_share
from crowdgold.studies.gold_designs.plots import shares

STUDY = {
    "n": 1500, "phi": 0.2, "votes_total": 3, "a0": 0.1, "a1": 0.8, "d0": 1.5, "d1": 1.5,
    "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip


def test_the_least_share_is_neymans_for_few_labels_and_one_where_items_are_alike():
    """(sum sd)^2 / (n sum v) where no item is certain to be drawn: 1 % of the items, to 2 %."""
    variance = np.random.default_rng(1).exponential(size=5000)
    neyman = np.sqrt(variance).sum() ** 2 / 5000 / variance.sum()
    assert least_share(variance, 0.01) == pytest.approx(neyman, rel=0.02)
    assert least_share(np.full(50, 0.3), 0.2) == pytest.approx(1)


def test_the_least_share_leaves_the_variance_of_the_random_sample():
    """By hand, where one of four items is certain to be drawn, and control: fewer would not do."""
    variance = np.array([1.0, 1.0, 1.0, 100.0])
    share, wanted = least_share(variance, 0.9), variance.sum() * (1 / 0.9 - 1)
    chance = np.array([*3 * [(4 * 0.9 * share - 1) / 3], 1.0])
    assert (variance * (1 / chance - 1)).sum() == pytest.approx(wanted, rel=1e-6)
    fewer = np.array([*3 * [chance[0] * 0.99], 1.0])
    assert (variance * (1 / fewer - 1)).sum() > wanted * 1.001


def test_shares_are_squared_ratios_of_widths_and_coverage_is_counted():
    rows = [
        {"phi": 0.1, "replicate": k, "metric": "AUC", "design": design, "truth": 0.5,
         "estimate": 0.5, "lower": 0.5 - width, "upper": 0.5 + width - (0.6 if miss else 0.0)}
        for k in range(4)
        for design, width, miss in (
            ("random", 0.4, False), ("strata", 0.4, False), ("batches", 0.2, k == 0),
            ("batches, one metric", 0.1, False),
        )
    ]  # fmt: skip
    least = {"phi": 0.1, "metric": "AUC", "design": "least", "estimate": 0.25, "replicate": 0}
    found = shares(pd.DataFrame([*rows, least]), "phi").set_index("design")
    assert found.loc["strata", "share"] == pytest.approx(1)
    assert found.loc["batches, one metric", "share"] == pytest.approx(1 / 16)
    assert found.loc["least", "share"] == 0.25
    assert found.loc["batches", "coverage"] == 0.75
    assert found.loc["strata", ["share_se", "coverage"]].tolist() == [0, 1]


def test_a_study_is_estimated_from_every_sample():
    given = {
        "simulator": "maven", "study": STUDY, "n_gold": 150, "batches": [0.3, 0.7],
        "method": "votes-R", "metrics": ["prevalence", "AUC"], "learnt": 2000,
    }  # fmt: skip
    found = check_gold_designs(given, np.random.default_rng(3))
    assert len(found) == 2 * 5
    real = found[found["design"] != "least"]
    assert np.isfinite(real[["truth", "estimate", "lower", "upper"]]).all(axis=None)
    assert real["truth"].nunique() == 2
    assert found.loc[found["design"] == "least", "estimate"].between(0.1, 1).all()
