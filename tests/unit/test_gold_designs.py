"""The fewest labels that could do, and shares of labels that are told of a table of designs."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.claims.quantities import quantity
from crowdgold.papers.gold_designs.experiments import compute_gold_designs, least_share
from crowdgold.papers.gold_designs.page import answer, largest_by_error, samples, shares

STUDY = {
    "n": 1500, "phi": 0.2, "votes_total": 3, "a0": 0.1, "a1": 0.8, "d0": 1.5, "d1": 1.5,
    "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip


def test_the_least_share():
    # (sum sd)^2 / (n sum v) where no item is certain to be drawn: 1 % of the items, to 2 %.
    variance = np.random.default_rng(1).exponential(size=5000)
    neyman = np.sqrt(variance).sum() ** 2 / 5000 / variance.sum()
    assert least_share(variance, 0.01) == pytest.approx(neyman, rel=0.02)
    assert least_share(np.full(50, 0.3), 0.2) == pytest.approx(1)
    # By hand, where one of four items is certain to be drawn, and control: fewer would not do.
    variance = np.array([1.0, 1.0, 1.0, 100.0])
    share, wanted = least_share(variance, 0.9), variance.sum() * (1 / 0.9 - 1)
    chance = np.array([*3 * [(4 * 0.9 * share - 1) / 3], 1.0])
    assert (variance * (1 / chance - 1)).sum() == pytest.approx(wanted, rel=1e-6)
    fewer = np.array([*3 * [chance[0] * 0.99], 1.0])
    assert (variance * (1 / fewer - 1)).sum() > wanted * 1.001


def rows_of(experiment, positive, widths, missed, prediction="right", replicates=4):
    """Prevalence and AUC by designs of these widths; some (design, replicate) miss the truth."""
    return [
        {"experiment": experiment, "study.phi": positive, "replicate": k, "metric": metric,
         "design": design, "prediction": prediction, "truth": truth, "estimate": truth,
         "lower": truth - width, "population_width": 1 + width,
         "upper": truth + width * (-0.5 if (design, k) in missed else 1)}
        for k in range(replicates)
        for metric, truth in (("prevalence", positive), ("AUC", 0.5))
        for design, width in widths.items()
    ]  # fmt: skip


WIDTHS = {"random": 0.4, "one batch": 0.4, "batches": 0.2}


def test_shares_are_squared_ratios_of_widths_and_coverage_is_counted():
    rows = rows_of("gold_designs", 0.03, WIDTHS, {("one batch", 0)})
    least = {"experiment": "gold_designs", "study.phi": 0.03, "metric": "AUC", "design": "least",
             "prediction": "right", "estimate": 0.25, "replicate": 0}  # fmt: skip
    found = shares(pd.DataFrame([*rows, least]))
    auc = found[found["metric"] == "AUC"].set_index("design")
    assert set(found["positive"]) == {0.03}
    assert auc.loc["batches", "share"] == pytest.approx(0.25)
    assert auc.loc["batches", "population_share"] == pytest.approx((1.2 / 1.4) ** 2)
    assert np.isnan(auc.loc["least", "population_share"])
    assert auc.loc["least", "share"] == 0.25
    assert auc.loc["one batch", "coverage"] == 0.75
    assert auc.loc["batches", ["share_se", "coverage", "replicates"]].tolist() == [0, 1, 4]
    table = pd.DataFrame(rows_of("gold_designs", 0.2, WIDTHS, set()))
    missing = table["design"].eq("batches") & table["replicate"].eq(1)
    table.loc[missing, ["lower", "upper"]] = np.nan
    found = shares(table).set_index(["design", "metric"])["coverage"]
    assert found["batches", "AUC"] == 0.75
    assert found["random", "AUC"] == 1


def test_shares_by_error_are_ratios_of_mean_squared_errors():
    """Errors of .1 and .3 at random have a mean square of .05; half as large, a quarter of it."""
    table = pd.DataFrame(rows_of("gold_designs", 0.03, WIDTHS, set(), replicates=2))
    off = np.where(table["design"] == "batches", 0.5, 1.0) * np.where(table["replicate"], 0.3, 0.1)
    table["estimate"] = table["truth"] + off
    found = shares(table).set_index(["design", "metric"])
    assert found.loc[("batches", "AUC"), "error_share"] == pytest.approx(0.25)
    assert found.loc[("one batch", "AUC"), "error_share"] == pytest.approx(1)
    assert found.loc[("batches", "AUC"), "error_share_se"] == pytest.approx(0, abs=1e-12)
    found = found.reset_index()
    told = answer(found, {"prevalence": "the prevalence", "AUC": "AUC"})
    assert "sample in two batches needs 25 for the prevalence and 25 for AUC. For the same" in told
    assert told.endswith("error it needs 25 for the prevalence and 25 for AUC.")
    table["estimate"] = table["truth"] + np.where(table["design"] == "batches", 0.1, 1.0) * off
    told = answer(shares(table), {"prevalence": "the prevalence", "AUC": "AUC"})
    assert largest_by_error(found, ["AUC"], 0.031).startswith("0.25")
    assert largest_by_error(found, ["AUC"], 0.031).endswith(" (AUC)")
    assert largest_by_error(found, ["AUC"], 0.2) == "not known here"
    assert told.endswith(" Intervals of the prevalence and AUC are longer than errors call for.")


def test_coverage_is_of_each_metric_or_of_samples():
    main = rows_of("gold_designs", 0.03, WIDTHS, ()) + rows_of("gold_designs", 0.2, WIDTHS, ())
    other = rows_of("other", 0.1, WIDTHS, {("batches", 0), ("batches", 1)})
    tables = {"gold_designs": pd.DataFrame(main), "other": pd.DataFrame(other)}
    of = {"coverage": [], "table": {"own": samples}}
    tuned, never = ({"design": "batches", "experiment": one} for one in ("gold_designs", "other"))
    by_metric = [quantity(tables, {**of, "at": "metric", "where": one}) for one in (tuned, never)]
    assert [own.rows["value"].tolist() for own in by_metric] == [[1, 1], [0.5, 0.5]]
    pooled = quantity(tables, {**of, "unit": ["experiment", "replicate"], "where": never}).rows
    # Two samples of four, with both metrics inside: the error is that of four values 0, 0, 1, 1.
    assert pooled[["value", "replicates"]].iloc[0].tolist() == [0.5, 4]
    assert pooled["error"].iloc[0] == pytest.approx(np.sqrt(1 / 3) / 2)


def test_a_study_is_estimated_from_every_sample():
    given = {
        "simulator": "maven", "study": STUDY, "n_gold": 150, "batches": [0.3, 0.7],
        "method": "votes-R", "metrics": ["prevalence", "AUC"], "learnt": 2000,
    }  # fmt: skip
    found = compute_gold_designs(given, np.random.default_rng(3))
    assert len(found) == 3 * 2 * 2 + 2 * 2 + 2
    alone = found[found["design"] == "batches for the metric"]
    assert sorted(zip(alone["metric"], alone["prediction"], strict=True)) == [
        ("AUC", "right"), ("AUC", "wrong"), ("prevalence", "right"), ("prevalence", "wrong"),
    ]  # fmt: skip
    real = found[found["design"] != "least"]
    assert (real["population_width"] > real["upper"] - real["lower"]).all()
    assert np.isfinite(real[["truth", "estimate", "lower", "upper"]]).all(axis=None)
    assert real["truth"].nunique() == 2
    assert set(real["prediction"]) == {"right", "wrong"}
    assert found.loc[found["design"] == "least", "estimate"].between(0.1, 1).all()
