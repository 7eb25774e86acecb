"""CLARA's estimates on the paper's settings: coverage in its band, and the majority vote's not.

Bands are the exact binomials of 3.5 deviations (`coverage_band`), which a calibrated interval
leaves once in some 2,000 comparisons. All seeds are fixed.
"""

import numpy as np
import pandas as pd
import pytest

from crowdgold.experiment.summaries import summarise
from crowdgold.inference.agents import evaluate_annotations
from crowdgold.methods.registry import fit
from crowdgold.metrics.reviewers import true_values
from crowdgold.simulate import simulate

LENGTH = {"chains": 2, "warmup": 200, "draws": 300, "lag": 4}
SHARED = {"confusion": "shared", **LENGTH}


def summary(parameters, methods, metrics, seed, replicates=50):
    """Fit methods to replicates; give a row for each method and metric."""
    rows = []
    for replicate in range(replicates):
        drawn = simulate("clara", parameters, np.random.default_rng([seed, replicate]))
        for method, settings in methods.items():
            rng = np.random.default_rng([seed, replicate, 1])
            fitted = fit(method, drawn.table, rng, settings)
            for one in evaluate_annotations(fitted, drawn.table, metrics, rng, 0.95, 400):
                truth = true_values(one.metric, drawn.table, drawn.parameters)[""]
                rows.append(
                    {**vars(one), "experiment": "e", "method": method, "replicate": replicate,
                     "truth": truth, "diagnostics_passed": True}
                )  # fmt: skip
    return summarise(pd.DataFrame(rows), []).set_index(["method", "metric"])


@pytest.fixture(scope="module")
def prevalence():
    """Figure 2's setting at prevalence 0.4, where the errors of majority votes do not cancel."""
    parameters = {"n": 2000, "n_reviewers": 3, "prevalence": 0.4, "tpr": 0.8, "tnr": 0.9}
    return summary(parameters, {"MV": {}, "CLARA": SHARED}, ["prevalence", "TPR", "TNR"], 41)


def test_the_prevalence_is_covered_and_majority_votes_miss_it(prevalence):
    row = prevalence.loc["CLARA", "prevalence"]
    assert row["band_low"] <= row["coverage"] <= row["band_high"]
    assert abs(row["bias"]) < 5 * row["bias_se"]
    control = prevalence.loc["MV", "prevalence"]
    assert control["coverage"] < control["band_low"]
    assert abs(control["bias"]) > 5 * control["bias_se"]
    assert control["width"] < row["width"]


@pytest.mark.parametrize("metric", ["TPR", "TNR"])
def test_the_rates_are_covered_and_majority_votes_miss_them(prevalence, metric):
    row, control = prevalence.loc["CLARA", metric], prevalence.loc["MV", metric]
    assert row["band_low"] <= row["coverage"] <= row["band_high"]
    assert control["coverage"] < control["band_low"]


def test_the_published_interval_covers_too_seldom():
    """Good reviewers: most of what is uncertain is which items there are, which it leaves out."""
    parameters = {"n": 500, "n_reviewers": 3, "prevalence": 0.4, "tpr": 0.95, "tnr": 0.95}
    methods = {"CLARA": SHARED, "CLARA-published": {"confusion": "shared"}}
    found = summary(parameters, methods, ["prevalence"], 43, 30).droplevel("metric")
    assert found.loc["CLARA", "band_low"] <= found.loc["CLARA", "coverage"]
    assert found.loc["CLARA-published", "coverage"] < found.loc["CLARA-published", "band_low"]


def test_audits_measure_reviewers_though_auditors_err():
    """Figure 4's setting; the majority of auditors as good as the reviewers is the control."""
    parameters = {
        "n": 2000, "prevalence": 0.5, "design": "audit", "n_reviewers": 10, "n_auditors": 5,
        "reviewer_precision": 0.8, "auditor_precision": 0.8,
    }  # fmt: skip
    methods = {"MV": {"judges": "auditors"}, "CLARA": {"confusion": "group", **LENGTH}}
    metrics = ["precision:reviewers", "recall:reviewers"]
    found = summary(parameters, methods, metrics, 42, 30)
    for metric in metrics:
        row, control = found.loc["CLARA", metric], found.loc["MV", metric]
        assert row["band_low"] <= row["coverage"] <= row["band_high"]
        assert control["coverage"] < control["band_low"]
        assert row["error"] + 5 * row["error_se"] < control["error"]
