"""CLARA's second mode, where the categories are swapped, and its chains that are continued."""

from functools import cache

import numpy as np
import pytest
from clara_reference import counted_posterior, draw_labels, error_of, log_dirichlet_multinomial

from crowdgold.models.clara import gibbs as clara
from crowdgold.models.clara.gibbs import ClaraSettings, log_ratio_of_swap, sample_clara
from crowdgold.models.clara.model import ClaraPrior, empirical_prior
from crowdgold.models.clara.sweeps import first_state, prior_of

LONG = {"chains": 4, "warmup": 500, "draws": 5000, "lag": 4}
FLAT, FIRM = [[1.0, 1.0], [1.0, 1.0]], [[1.5, 0.5], [0.5, 1.5]]
WEAK = [[0.75, 0.25], [0.25, 0.75]]
POSTERIORS = {
    # items, prevalence, TPR, TNR, seed of the labels; prior of theta and of the matrix.
    "one basin": ((40, 0.4, 0.5, 0.7, 14), [1, 1], FIRM),
    "never crossed by Gibbs alone": ((60, 0.3, 0.8, 0.9, 1), [1, 1], WEAK),
    "a larger table": ((100, 0.4, 0.8, 0.8, 2), [1, 1], WEAK),
    "rare positives": ((100, 0.05, 0.8, 0.9, 7), [0.95, 0.05], [[0.88, 0.12], [0.2, 0.8]]),
    "prevalence pulled far away": ((60, 0.3, 0.8, 0.9, 3), [35, 15], FLAT),
    "theta and matrix pull apart": ((80, 0.3, 0.8, 0.9, 3), [10, 40], [[5, 3], [3, 5]]),
}


@cache
def exact_posterior(name):
    """The sum over all numbers of positive items, for both samplers."""
    return counted_posterior(*drawn(name))


def drawn(name):
    """Labels and prior of one of the posteriors."""
    (*truth, seed), theta, psi = POSTERIORS[name]
    labels = draw_labels(*truth, np.random.default_rng(seed))
    return labels, ClaraPrior(np.array(theta, dtype=float), np.array(psi, dtype=float))


def below_one(fit):
    """Whether TPR + TNR < 1, by draw."""
    return fit.psi[..., 0, 0, 0] + fit.psi[..., 0, 1, 1] < 1


@pytest.mark.parametrize("name", POSTERIORS)
@pytest.mark.parametrize("sampler", ["blocked", "collapsed"])
def test_the_second_mode_has_its_mass(sampler, name):
    """Against a sum over all numbers of positive items, within 5 Monte Carlo errors by batches.

    The masses are .02 to .28; the band tells each from half of it.
    """
    annotations, prior = drawn(name)
    exact = exact_posterior(name)
    settings = ClaraSettings("shared", sampler, **LONG)
    found = sample_clara(annotations, prior, settings, np.random.default_rng(1))
    error = error_of(below_one(found))
    assert exact["swapped"] > 0.02
    assert abs(found.swapped - exact["swapped"]) < 5 * error < 0.5 * exact["swapped"]
    theta = found.theta[..., 1]
    assert abs(theta.mean() - exact["theta"]) < 5 * error_of(theta)
    assert found.diagnostics.passed
    assert any("labels swapped" in text for text in found.diagnostics.notes)


def test_without_the_move_the_second_mode_is_not_found(monkeypatch):
    """Four chains from the majority votes, by Gibbs steps alone, stay in one mode, and R-hat finds
    nothing: 0 where .050 is right."""
    annotations, prior = drawn("never crossed by Gibbs alone")
    plan = clara.Plan
    monkeypatch.setattr(
        clara, "Plan", lambda *given: plan(*given)._replace(swaps=False, walks=False)
    )
    found = sample_clara(
        annotations, prior, ClaraSettings("shared", **LONG), np.random.default_rng(1)
    )
    assert found.swapped == 0
    assert found.diagnostics.passed
    assert not found.diagnostics.notes
    assert exact_posterior("never crossed by Gibbs alone")["swapped"] == pytest.approx(
        0.05, abs=5e-4
    )


def test_the_ratio_is_that_of_the_collapsed_joint():
    """Three categories, four matrices: against the joint's formula, both ways, to 1e-9."""
    rng = np.random.default_rng(5)
    prior = ClaraPrior(rng.gamma(2.0, size=3), rng.gamma(1.0, size=(3, 3)))
    laid = prior_of(prior, False)
    counts = rng.integers(0, 9, (4, 3, 3)).astype(float)
    items = rng.integers(1, 9, 3).astype(float)

    def joint(items, counts):
        total = log_dirichlet_multinomial(prior.theta, items)
        return total + sum(
            log_dirichlet_multinomial(prior.psi[k], counts[:, k]).sum() for k in range(3)
        )

    annotations = draw_labels(5, 0.5, 0.8, 0.8, rng)
    blank = first_state(
        annotations,
        "shared",
        prior_of(ClaraPrior(np.ones(2), np.ones((2, 2))), False),
        np.zeros(5, int),
        5,
    )
    shape = counts.transpose(0, 2, 1).reshape(12, 3) + np.tile(laid.psi, (4, 1))
    state = blank._replace(theta_shape=items + prior.theta, psi_shape=shape)
    for a, b in ((0, 1), (2, 0), (1, 2)):
        other = np.arange(3)
        other[[a, b]] = b, a
        expected = joint(items[other], counts[:, other]) - joint(items, counts)
        assert log_ratio_of_swap(laid, state, a, b) == pytest.approx(expected, abs=1e-9)
        assert log_ratio_of_swap(laid, state, b, a) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("sampler", ["blocked", "collapsed"])
def test_chains_that_start_swapped_come_back_where_nothing_is(sampler):
    """Thirty annotators: the prior of each matrix speaks against the second mode, whose mass is
    some 1e-12. Two of the four chains start there."""
    annotations = draw_labels(400, 0.3, 0.8, 0.9, np.random.default_rng(6), annotators=30)
    settings = ClaraSettings("annotator", sampler, warmup=200, draws=500)
    found = sample_clara(
        annotations, empirical_prior(annotations), settings, np.random.default_rng(7)
    )
    assert found.swapped == 0
    assert found.diagnostics.passed
    assert found.theta[..., 1].mean(axis=1) == pytest.approx([0.3] * 4, abs=0.1)


def test_a_cut_prior_has_no_second_mode():
    annotations, prior = drawn("never crossed by Gibbs alone")
    settings = ClaraSettings("shared", ordered=True, **LONG)
    found = sample_clara(annotations, prior, settings, np.random.default_rng(8))
    assert found.swapped == 0
    assert found.diagnostics.passed


def test_chains_that_miss_their_gate_go_on():
    """100 sweeps of 5 annotators are too few; those of the first run come first in the longer."""
    annotations = draw_labels(200, 0.3, 0.8, 0.9, np.random.default_rng(9), annotators=5)
    prior = empirical_prior(annotations, gamma=10.0)
    settings = ClaraSettings("annotator", warmup=100, draws=50, lag=2)
    found = sample_clara(annotations, prior, settings, np.random.default_rng(10))
    times = found.theta.shape[1] // 50
    assert times in (4, 8)
    assert found.diagnostics.notes == (f"chains continued to {times} times the draws",)
    assert found.psi.shape[:2] == found.theta.shape[:2] == (4, 50 * times)
    assert found.probability.sum(axis=1) == pytest.approx(np.ones(200))
    once = ClaraSettings("annotator", chains=1, warmup=100, draws=50, lag=2)
    alone = sample_clara(annotations, prior, once, np.random.default_rng(10))
    np.testing.assert_array_equal(found.theta[0, :50], alone.theta[0])
    whole = ClaraSettings("annotator", chains=1, warmup=100, draws=50 * times, lag=2)
    shifted = sample_clara(annotations, prior, whole, np.random.default_rng(11))
    error = 5 * error_of(found.theta[..., 1])
    assert abs(found.theta[..., 1].mean() - shifted.theta[..., 1].mean()) < 4 * error
