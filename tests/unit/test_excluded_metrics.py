"""Metrics that the paper on human label variation excludes, by hand and against SciPy."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from crowdgold.papers.soft_metrics.experiments import EXCLUDED, compute_excluded_metrics

P = np.array([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])
Q = np.array([[0.25, 0.25, 0.5], [0.2, 0.2, 0.6]])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cross-entropy", -np.mean(entropy(P, axis=1) + entropy(P, Q, axis=1))),
        ("Kullback-Leibler divergence", -np.mean(entropy(P, Q, axis=1))),
        ("information closeness", -2 * np.mean(jensenshannon(P, Q, base=2, axis=1) ** 2)),
        ("Jensen-Shannon distance", 1 - np.mean(jensenshannon(P, Q, base=2, axis=1))),
        (
            "entropy similarity",
            entropy(P, axis=1) @ entropy(Q, axis=1)
            / np.linalg.norm(entropy(P, axis=1)) / np.linalg.norm(entropy(Q, axis=1)),
        ),
    ],
)  # fmt: skip
def test_an_excluded_metric_is_as_defined(name, value):
    assert EXCLUDED[name](P, Q) == pytest.approx(value)


def test_correlations_are_those_of_the_metrics_values():
    """Information closeness is a straight line in PO-JSD; its interval lies around it. A control:
    the entropies of independent rows correlate with nothing.
    """
    sizes = {"matrices": 200, "rows": 30, "classes": 5, "alpha": 1.0, "beta": 1.0, "level": 0.95}
    found = compute_excluded_metrics(sizes, np.random.default_rng(2)).set_index(["metric", "kept"])
    assert found.loc[("information closeness", "PO-JSD"), "r"] == pytest.approx(1)
    distance = found.loc[("Jensen-Shannon distance", "PO-JSD")]
    assert 0.9 < distance["low"] < distance["r"] < distance["high"] < 1
    unlike = found.loc[("information closeness", "entropy correlation")]
    assert abs(unlike["r"]) < 4 * unlike["r_se"]
