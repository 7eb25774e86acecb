"""CLARA's samplers against sums over all true labels, a grid, and each other."""

import numpy as np
import pytest
from clara_reference import (
    draw_labels,
    enumerated,
    error_of,
    grid_posterior,
)
from scipy.stats import ks_2samp

from crowdgold.models.clara.gibbs import ClaraSettings, sample_clara
from crowdgold.models.clara.model import ClaraPrior, empirical_prior
from crowdgold.types.errors import InputError

PRIOR = ClaraPrior(np.array([1.2, 0.8]), np.array([[2.0, 0.7], [0.5, 1.5]]))
LONG = {"chains": 4, "warmup": 500, "draws": 10_000, "lag": 4}
ONE = {"chains": 1, "warmup": 500, "draws": 40_000, "lag": 4}
"""As many draws of one chain, which is not diagnosed: that takes longer than the chain."""


@pytest.mark.parametrize("confusion", ["shared", "annotator"])
@pytest.mark.parametrize("sampler", ["collapsed", "blocked"])
def test_label_probabilities_are_those_of_enumeration(confusion, sampler):
    """Nine items, 512 assignments; 5 errors of 40,000 draws of autocorrelation time 10 at most."""
    annotations = draw_labels(9, 0.4, 0.8, 0.8, np.random.default_rng(3))
    exact = enumerated(annotations, PRIOR, confusion)[:, 1]
    settings = ClaraSettings(confusion, sampler, **ONE)
    found = sample_clara(annotations, PRIOR, settings, np.random.default_rng(4))
    error = np.sqrt(exact * (1 - exact) * 10 / 40_000)
    assert (np.abs(found.probability[:, 1] - exact) < 5 * error).all()


@pytest.mark.parametrize(
    ("sampler", "ordered"), [("blocked", False), ("collapsed", False), ("blocked", True)]
)
def test_the_posterior_is_that_of_a_grid(sampler, ordered):
    """150 items, TPR near 1/2: means and variances within 5 Monte Carlo errors, by batches.

    The grid's own error is what a grid of half as many points would change.
    """
    annotations = draw_labels(150, 0.35, 0.6, 0.85, np.random.default_rng(7))
    prior = empirical_prior(annotations, alpha=4.0, gamma=6.0)
    exact, coarse = (grid_posterior(annotations, prior, ordered, size) for size in (90, 45))
    settings = ClaraSettings("shared", sampler, ordered=ordered, **LONG)
    found = sample_clara(annotations, prior, settings, np.random.default_rng(8))
    draws = {
        "theta": found.theta[..., 1], "tpr": found.psi[..., 0, 1, 1], "tnr": found.psi[..., 0, 0, 0]
    }  # fmt: skip
    for name, values in draws.items():
        mean, deviation = exact[name]
        off = np.abs(np.subtract(exact[name], coarse[name]))
        assert abs(values.mean() - mean) < 5 * error_of(values) + off[0], name
        square = (values - mean) ** 2
        allowed = 5 * error_of(square) + 2 * deviation * off[1]
        assert abs(square.mean() - deviation**2) < allowed, name


def test_both_samplers_have_one_distribution():
    """Thinned to 400 nearly independent draws: Kolmogorov-Smirnov at 1e-4 for each of three."""
    annotations = draw_labels(400, 0.3, 0.8, 0.9, np.random.default_rng(9))
    prior = empirical_prior(annotations)
    found = [
        sample_clara(
            annotations, prior,
            ClaraSettings("annotator", sampler, chains=4, warmup=500, draws=100, lag=60),
            np.random.default_rng(10),
        )
        for sampler in ("blocked", "collapsed")
    ]  # fmt: skip
    for pick in (
        lambda fit: fit.theta[..., 1],
        lambda fit: fit.psi[..., 0, 1, 1],
        lambda fit: fit.psi[..., 2, 0, 0],
    ):
        first, second = (pick(fit).ravel() for fit in found)
        assert ks_2samp(first, second).pvalue > 1e-4
    other = sample_clara(
        annotations, empirical_prior(annotations, alpha=2000.0),
        ClaraSettings("annotator", chains=4, warmup=500, draws=100, lag=60),
        np.random.default_rng(11),
    )  # fmt: skip
    assert ks_2samp(other.theta[..., 1].ravel(), found[0].theta[..., 1].ravel()).pvalue < 1e-4


def test_contradicting_settings_are_refused():
    for settings, said in (
        ({"draws": 0}, "draws: found 0, expected 1 or more"),
        ({"sampler": "gibbs"}, "expected one of blocked, collapsed"),
        ({"sampler": "collapsed", "ordered": True}, "take the blocked sampler"),
    ):
        with pytest.raises(InputError, match=said):
            ClaraSettings(**settings)
