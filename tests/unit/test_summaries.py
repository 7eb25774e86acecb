"""Bias, error, width and coverage over replicates, worked out by hand and by simulation."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm

from crowdgold.experiment.summaries import average_over_settings, compare, coverage_band, summarise


def results(estimate, truth, half_width, method="M", metric="AUC", **columns):
    estimate = np.asarray(estimate, float)
    return pd.DataFrame(
        {
            "experiment": "e", "method": method, "metric": metric, "n": 100,
            "replicate": np.arange(len(estimate)), "truth": truth, "estimate": estimate,
            "lower": estimate - half_width, "upper": estimate + half_width,
            "diagnostics_passed": True,
        }
        | columns
    )  # fmt: skip


def test_summary_by_hand():
    """Errors +0.1, -0.1, +0.4: the widths 0.2, 0.2, 0.6 hold the truth twice."""
    table = results([0.6, 0.4, 0.9], 0.5, np.array([0.125, 0.0625, 0.5]))
    row = summarise(table, ["n"]).iloc[0]
    assert row[["replicates", "undefined", "gate_failures"]].tolist() == [3, 0, 0]
    numbers = {
        "truth": 0.5, "bias": 0.4 / 3, "error": 0.2, "width": (0.25 + 0.125 + 1) / 3,
        "bias_se": np.std([0.1, -0.1, 0.4], ddof=1) / np.sqrt(3),
        "error_se": np.std([0.1, 0.1, 0.4], ddof=1) / np.sqrt(3),
        "width_se": np.std([0.25, 0.125, 1], ddof=1) / np.sqrt(3), "coverage": 2 / 3,
        "coverage_se": np.sqrt(5 / 8 * 3 / 8 / 3),  # Jeffreys: 2.5 of 4
    }  # fmt: skip
    assert row[list(numbers)].to_dict() == pytest.approx(numbers)
    assert (row["band_low"], row["band_high"]) == coverage_band(3, 0.95)
    # An end that is the truth covers it.
    ends = results([0.25, 0.75, 1.0], 0.5, 0.25)
    assert summarise(ends, ["n"])["coverage"].iloc[0] == pytest.approx(2 / 3)


def test_values_that_are_not_there_are_counted_and_left_out():
    some = results([0.5, np.nan, 0.7], 0.5, 0.1, diagnostics_passed=[True, True, False])
    table = pd.concat([some, results([np.nan, np.nan], 0.5, 0.1, method="never")])
    first, never = summarise(table, ["n"]).to_dict("records")
    counts = "method", "replicates", "undefined", "gate_failures"
    assert [first[key] for key in counts] == ["M", 2, 1, 1]
    assert first["bias"] == pytest.approx(0.1)
    assert (never["replicates"], never["undefined"]) == (0, 2)
    assert np.isnan([never["bias"], never["coverage"]]).all()


def test_estimates_without_an_interval_count_for_the_bias_only():
    table = results([0.6, 0.4, 0.9], 0.5, [0.2, np.nan, 0.1])
    row = summarise(table, ["n"]).iloc[0]
    found = row[["replicates", "intervals", "bias", "width", "coverage"]].tolist()
    assert found == pytest.approx([3, 2, 0.4 / 3, 0.3, 0.5])
    assert (row["band_low"], row["band_high"]) == coverage_band(2, 0.95)
    none = summarise(results([0.6, 0.4], 0.5, np.nan), ["n"]).iloc[0]
    assert none[["replicates", "intervals"]].tolist() == [2, 0]
    assert np.isnan(none[["width", "coverage", "coverage_se", "band_low"]].astype(float)).all()


def test_misfit_by_hand():
    """MAVEN-R says 0.5 with an error of 0.1: flagged is what is more than 0.2 away, whatever the
    order of the rows. A replicate without a standard error counts for nothing."""
    honest = results([0.5] * 5, 0.5, 0.2, "MAVEN-R", standard_error=[0.1] * 4 + [np.nan])
    model = results([0.69, 0.71, 0.2, np.nan, 0.9], 0.5, 0.01, "MAVEN", standard_error=np.nan)
    table = pd.concat([model.iloc[::-1], honest], ignore_index=True)
    found = summarise(table, ["n"]).set_index("method")
    assert found.loc["MAVEN", "misfit"] == pytest.approx(2 / 3)
    assert found.loc["MAVEN", "misfit_se"] == pytest.approx(np.sqrt(2.5 / 4 * 1.5 / 4 / 3))
    assert np.isnan(found.loc["MAVEN-R", "misfit"])
    assert np.isnan(summarise(model, ["n"])["misfit"].iloc[0])


def test_misfit_is_of_the_same_data_only():
    """Other settings, metrics and experiments are no part of it."""
    model = results([0.9], 0.5, 0.1, "MAVEN", standard_error=np.nan)
    others = [
        results([0.9], 0.5, 0.1, "MAVEN-R", standard_error=0.1),
        results([0.1], 0.5, 0.1, "MAVEN-R", standard_error=0.1, n=200),
        results([0.1], 0.5, 0.1, "MAVEN-R", "TNR_H", standard_error=0.1),
        results([0.1], 0.5, 0.1, "MAVEN-R", standard_error=0.1, experiment="f"),
    ]
    for rectified, expected in zip(others, (0.0, np.nan, np.nan, np.nan), strict=True):
        found = summarise(pd.concat([model, rectified]), ["n"]).set_index("method")
        assert found.loc["MAVEN", "misfit"] == pytest.approx(expected, nan_ok=True)


def test_groups_are_kept_apart_in_order_of_appearance():
    kinds = itertools.product("ZA", ("AUC", "TNR_H"), (10, 20))
    rows = [results([1.0], 0.0, 0.1, method=one, metric=metric, n=n) for one, metric, n in kinds]
    summary = summarise(pd.concat(rows), ["n"])
    assert summary["method"].tolist() == ["Z"] * 4 + ["A"] * 4
    assert summary["n"].tolist() == [10, 20] * 4
    assert np.all(np.isnan(summary["bias_se"]))


@pytest.mark.parametrize(("replicates", "level"), [(60, 0.95), (400, 0.95), (25, 0.5), (5, 0.95)])
def test_the_band_is_the_exact_binomials(replicates, level):
    """Each side: the chance to be outside is at most that of 3.5 deviations, and would be more
    with a band one smaller; where it reaches 1 there is no such side."""
    low, high = (round(share * replicates) for share in coverage_band(replicates, level))
    tail = norm.sf(3.5)
    assert binom.cdf(low - 1, replicates, level) <= tail < binom.cdf(low, replicates, level)
    assert binom.sf(high, replicates, level) <= tail
    assert high == 0 or tail < binom.sf(high - 1, replicates, level)
    assert low / replicates < level < high / replicates or high == replicates


def test_ratios_by_hand():
    """Replicates are paired, whatever their order; those that one method lacks are left out."""
    new = results([0.7, 0.4, np.nan, 0.6], 0.5, [0.1, 0.2, 0.1, 0.3], method="new")
    old = results([0.9, 0.9, 0.6, 0.3], 0.5, [0.4, 0.4, 0.4, 0.8], method="old").iloc[::-1]
    row = compare(pd.concat([new, old]), ["n"], "new", "old").iloc[0]
    assert row["replicates"] == 3
    assert row["error_ratio"] == pytest.approx((0.2 + 0.1 + 0.1) / (0.4 + 0.4 + 0.2))
    assert row["width_ratio"] == pytest.approx((0.1 + 0.2 + 0.3) / (0.4 + 0.4 + 0.8))
    residual = np.array([0.2, 0.1, 0.1]) - 0.4 * np.array([0.4, 0.4, 0.2])
    assert row["error_ratio_se"] == pytest.approx(residual.std(ddof=1) / np.sqrt(3) / (1 / 3))


def test_the_error_of_a_ratio_is_that_of_repeated_experiments():
    """300 experiments of 60 replicates whose errors are correlated: the delta method's standard
    error against the spread of the ratios. The spread is known to 1 / sqrt(600) = 4 %, the delta
    method is off by O(1 / 60) and its mean by little: 20 % are 5 errors. Without the pairing it is
    off by more than 30 %, which must be refused."""
    rng = np.random.default_rng(12)
    ratio, error, unpaired = [], [], []
    for _ in range(300):
        shared = rng.normal(size=60)
        old = shared + 0.3 * rng.normal(size=60)
        new = 0.6 * shared + 0.3 * rng.normal(size=60)
        both = {"new": new, "old": old}
        table = pd.concat([results(own, 0.0, 1.0, method=name) for name, own in both.items()])
        row = compare(table, ["n"], "new", "old").iloc[0]
        ratio.append(row["error_ratio"])
        error.append(row["error_ratio_se"])
        relative = [np.abs(x).std(ddof=1) / np.abs(x).mean() for x in (new, old)]
        unpaired.append(row["error_ratio"] * np.hypot(*relative) / np.sqrt(60))
    spread = np.std(ratio, ddof=1)
    assert np.mean(error) == pytest.approx(spread, rel=0.2)
    assert np.mean(unpaired) > 1.3 * spread


def test_ratios_are_averaged_over_settings():
    """Ratios 0.4 and 0.8 of independent data: mean 0.6, se sqrt(0.03^2 + 0.04^2) / 2 = 0.025."""
    ratios = pd.DataFrame(
        {"experiment": "e", "n": [100, 200], "metric": "AUC", "error_ratio": [0.4, 0.8],
         "error_ratio_se": [0.03, 0.04], "width_ratio": [0.5, 0.5], "width_ratio_se": [0.0, 0.0],
         "method": "new", "baseline": "old", "replicates": [10, 12]}
    )  # fmt: skip
    row = average_over_settings(ratios, "n").iloc[0]
    assert row[["error_ratio", "error_ratio_se"]].tolist() == pytest.approx([0.6, 0.025])
    assert (row["width_ratio"], row["width_ratio_se"], row["replicates"]) == (0.5, 0, 22)
    assert np.isnan(row["n"])
    assert (row["method"], row["baseline"], row["metric"]) == ("new", "old", "AUC")
