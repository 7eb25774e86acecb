"""Labelling efficiency: fits, contours, costs and their errors against other computations."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.papers.maven.labelling_savings import (
    Costs,
    SavingsOptions,
    best_n,
    contour,
    equal_widths,
    fit_widths,
    least_squares,
    mean_log_widths,
    study_labelling,
)

GRID = [(n, f) for n in (6_000, 20_000, 60_000) for f in (0.02, 0.1, 0.4)]
GOLD = (1_000, 4_000, 12_000, 34_000)


def true_width(n, n_gold):
    """A made method: gold counts like three of its own, beside a part that only n makes small."""
    f = n_gold / n
    log_n, log_f = np.log(n / 20_000), np.log(f / 0.1)
    return np.sqrt(1 - f) * np.exp(-3.2 - 0.5 * log_n - 0.45 * log_f + 0.03 * log_n * log_f)


def true_gold_only(n_gold):
    return 3.2 / np.sqrt(n_gold)


def table(widths):
    rows = pd.DataFrame(widths, columns=["n", "n_gold", "log_width"])
    return rows.assign(log_width=np.log(rows["log_width"]), log_width_se=0.0, replicates=4)


def fitted():
    """The fit of the true widths."""
    method = [(n, n * f, true_width(n, n * f)) for n, f in GRID]
    return fit_widths(table(method), table([(g, g, true_gold_only(g)) for g in GOLD]))


COSTS = Costs(votes=3, gold_only=34_000, gold_needs_votes=True)


def test_least_squares_against_lstsq_and_its_residuals():
    rng = np.random.default_rng(1)
    design = np.column_stack([np.ones(9), rng.normal(size=(9, 3))])
    values, weights = rng.normal(size=9), rng.uniform(1, 5, 9)
    fit = least_squares(design, values, weights, np.full(9, np.nan))
    root = np.sqrt(weights / weights.mean())

    def solve(keep):
        return np.linalg.lstsq((root[:, None] * design)[keep], (root * values)[keep])[0]

    np.testing.assert_allclose(fit.coefficients, solve(np.full(9, True)), rtol=1e-10)
    residuals = root * (values - design @ fit.coefficients)
    assert fit.residual_sd == pytest.approx(np.sqrt(residuals @ residuals / 5))
    inverse = np.linalg.inv(design.T @ (root[:, None] ** 2 * design))
    np.testing.assert_allclose(fit.covariance, residuals @ residuals / 5 * inverse, rtol=1e-10)
    off = [values[k] - design[k] @ solve(np.arange(9) != k) for k in range(9)]
    assert fit.left_out == pytest.approx(np.sqrt(np.mean(np.square(off))))
    # Values on a line have no residuals, but means of error 0.1 have that error.
    x = np.arange(6.0)
    design = np.column_stack([np.ones(6), x])
    exact = least_squares(design, 2 * x, np.full(6, 4.0), np.full(6, 0.1))
    assert exact.residual_sd == pytest.approx(0.1)
    np.testing.assert_allclose(exact.covariance, 0.01 * np.linalg.inv(design.T @ design))


def test_too_few_settings_are_an_error():
    design = np.vander(np.arange(3.0))
    with pytest.raises(ValueError, match="found 3 settings for 3 coefficients"):
        least_squares(design, np.zeros(3), np.ones(3), np.zeros(3))


def test_mean_log_widths_by_hand():
    rows = pd.DataFrame({
        "method": [*"MMMM", "other"], "metric": [*"ddded"], "n": 100, "lower": 0.0,
        "upper": [1.0, np.e**2, 0.5, 9.0, 9.0], "gold_fraction": [0.2, 0.2, np.nan, 0.2, 0.2],
    })  # fmt: skip
    found = mean_log_widths(rows, "M", "d")
    assert found["n_gold"].tolist() == [20, 100]
    assert found["log_width"].tolist() == pytest.approx([1.0, np.log(0.5)])
    assert found["log_width_se"].iloc[0] == pytest.approx(1.0)
    assert found["replicates"].tolist() == [2, 1]
    assert len(mean_log_widths(rows.assign(upper=0.0), "M", "d")) == 0
    counted = mean_log_widths(rows.drop(columns="gold_fraction").assign(n_gold=7), "M", "d")
    assert counted["n_gold"].tolist() == [7]


def test_widths_of_the_fitted_form_are_recovered_and_what_is_not_reached_has_no_labels():
    widths = fitted()
    for n, n_gold in ((9_000, 400), (41_000, 16_000)):
        own, alone = true_width(n, n_gold), true_gold_only(n)
        assert widths.width(n, n_gold) == pytest.approx(own, rel=1e-9)
        population = widths.width(n, n_gold, "population")
        assert population == pytest.approx(np.hypot(own, alone), rel=1e-9)
    assert widths.gold_only(20_000) == pytest.approx(true_gold_only(20_000), rel=1e-9)
    for n, width in ((6_000, 1e-4), (6_000, 10.0), (30_000, widths.gold_only(34_000))):
        assert np.isnan(widths.gold_needed(n, width, "population"))
    assert contour(widths, 1e9, [6_000, 60_000]).empty
    assert not contour(widths, 34_000, [20_000]).empty
    assert equal_widths(widths, replace(COSTS, gold_only=70_000), "items").empty
    assert np.isnan(
        best_n(equal_widths(widths, replace(COSTS, gold_only=70_000), "items"), COSTS, 5)
    )


@pytest.mark.parametrize("aim", ["items", "population"])
def test_contours_are_where_the_widths_are_equal(aim):
    """Against a search through 20,000 numbers of gold labels."""
    widths = fitted()
    for n in (45_000, 60_000):
        labels = np.linspace(0.01 * n, 0.8 * n, 20_000)
        own = true_width(n, labels)
        width = np.hypot(own, true_gold_only(n)) if aim == "population" else own
        expected = labels[np.argmin(np.abs(width - true_gold_only(34_000)))]
        found = contour(widths, 34_000, [n], aim)
        assert found["n_gold"].iloc[0] == pytest.approx(expected, rel=2e-3)


def test_savings_by_hand_and_the_ratio_that_gives_them():
    """16,000 labels and 150,000 votes against 34,000 labels and 102,000 votes, or no votes."""
    assert COSTS.saving(50_000, 16_000, 10) == pytest.approx(1 - 310_000 / 442_000)
    without = replace(COSTS, gold_needs_votes=False)
    assert without.saving(50_000, 16_000, 10) == pytest.approx(1 - 310_000 / 340_000)
    for costs, printed in ((COSTS, 24.42), (without, 40.32)):
        ratio = costs.ratio_for(50_000, 16_000, 0.42)
        assert ratio == pytest.approx(printed, abs=0.01)
        assert costs.saving(50_000, 16_000, ratio) == pytest.approx(0.42)
    assert COSTS.ratio_for(50_000, 20_000, 0.42) == np.inf
    assert COSTS.ratio_for(10_000, 5_000, 0.42) == 0


@pytest.mark.parametrize("aim", ["items", "population"])
@pytest.mark.parametrize("ratio", [1, 10, 200])
def test_the_best_n_saves_as_much_as_any(aim, ratio):
    """Against 3,000 n, to what 1 % more items cost in votes: a step of the search."""
    widths = fitted()
    found = best_n(equal_widths(widths, COSTS, aim), COSTS, ratio)
    smallest = 34_000 if aim == "items" else 6_000
    points = contour(widths, 34_000, np.geomspace(smallest, 60_000, 3_000).tolist(), aim)
    savings = COSTS.saving(points["n"].to_numpy(), points["n_gold"].to_numpy(), ratio)
    n_gold = contour(widths, 34_000, [found], aim)["n_gold"].iloc[0]
    step = 0.01 * 3 * found / (ratio * 34_000 + 3 * 34_000)
    assert COSTS.saving(found, n_gold, ratio) == pytest.approx(savings.max(), abs=step)
    assert found >= 34_000 * (1 - 1e-9)


STUDY = SavingsOptions(
    method="MAVEN", baseline="GT", metric="d", n=50_000, n_gold=16_000, saving=0.42,
    contours=(1_000, 10_000), cost_ratios=(5, 50), votes=3, gold_only=34_000,
)  # fmt: skip


def long_results(noise, seed=0, replicates=4):
    rng = np.random.default_rng(seed)
    settings = [("MAVEN", n, f, true_width(n, n * f)) for n, f in GRID]
    settings += [("GT", g, np.nan, true_gold_only(g)) for g in GOLD]
    rows = [
        (method, "d", n, f, 0.0, width * np.exp(noise * rng.normal()))
        for method, n, f, width in settings
        for _ in range(replicates)
    ]
    columns = ["method", "metric", "n", "gold_fraction", "lower", "upper"]
    return pd.DataFrame(rows, columns=columns)


def savings_of(frame):
    rows = frame[(frame["part"] == "saving") & (frame["where"] == "paper")]
    return rows.set_index(["aim", "cost_ratio"])[["value", "value_se"]]


def test_a_study_gives_the_savings_of_the_true_widths():
    _, exact = study_labelling(long_results(noise=0), STUDY)
    found = savings_of(exact)["value"]
    for aim in ("items", "population"):
        labels = np.linspace(1_000, 39_000, 400_001)
        own = true_width(50_000, labels)
        width = np.hypot(own, true_gold_only(50_000)) if aim == "population" else own
        needed = labels[np.argmin(np.abs(width - true_gold_only(34_000)))]
        for ratio in (5, 50):
            expected = COSTS.saving(50_000, needed, ratio)
            assert found[aim, ratio] == pytest.approx(expected, abs=1e-4)
    ratios = exact[exact["part"] == "ratio"]
    printed, items = ratios["where"] == "printed numbers", ratios["aim"] == "items"
    assert ratios.loc[printed, "value"].tolist() == pytest.approx([24.42], abs=0.01)
    paper, best = (
        ratios.loc[items & (ratios["where"] == where), "value"].iloc[0]
        for where in ("paper", "best")
    )
    assert best <= paper < np.inf
    fits = exact[exact["part"] == "fit"].set_index("method")["value"]
    assert (fits < 1e-10).all()


def test_the_errors_of_savings_are_those_of_repeated_studies():
    """60 studies with noise of 5 % in each width: the mean standard error against the spread of
    the savings, which is known to 9 %. The errors rest on few degrees of freedom, and are at least
    those of the replicates: their mean is biased by some 10 %, so that 50 % are 4 errors and the
    bias. Half the noise must give half the spread and half the errors, within 25 % of it."""
    spread = {}
    for noise in (0.05, 0.025):
        studies = [
            savings_of(study_labelling(long_results(noise, seed), STUDY)[1]) for seed in range(60)
        ]
        values = pd.concat([one["value"] for one in studies], axis=1)
        errors = pd.concat([one["value_se"] for one in studies], axis=1)
        spread[noise] = values.std(axis=1)
        ratio = errors.mean(axis=1) / spread[noise]
        assert np.all(np.abs(ratio - 1) < 0.5)
    assert np.all(np.abs(spread[0.025] / spread[0.05] - 0.5) < 0.125)
