"""CLARA's steps of the rates alone, true labels summed out."""

import numpy as np
import pytest
from clara_reference import counted_posterior, draw_labels, error_of

from crowdgold.models.clara import gibbs as clara
from crowdgold.models.clara.gibbs import ClaraSettings, sample_clara
from crowdgold.models.clara.model import ClaraPrior, empirical_prior, find_label_patterns
from crowdgold.models.clara.sweeps import first_state, lay_out, prior_of, walk_rates
from crowdgold.simulate import simulate

RARE = {
    "n": 2000, "n_reviewers": 3, "tnr": 0.9, "tpr": 0.8, "prevalence": 0.01, "design": "tie_break",
}  # fmt: skip
THETA, PSI = np.array([1.5, 1.0]), np.array([[1.5, 0.5], [0.5, 1.5]])


def walked(annotations, prior, draws):
    """Rates (draws, 2) of a chain of these steps and nothing else: theta, and TPR + TNR."""
    patterns = find_label_patterns(annotations, "shared")
    laid, own = lay_out(patterns, True), prior_of(prior, False)
    rng, found = np.random.default_rng(3), np.empty((draws, 2))
    items = np.zeros(len(annotations.item), dtype=int)
    state = first_state(annotations, "shared", own, items, len(patterns))
    for draw in range(draws):
        walk_rates(laid, own, state, rng)
        found[draw] = state.theta[1], state.psi[0, 0] + state.psi[1, 1]
    return found[draws // 10 :]


@pytest.mark.parametrize(("moved", "right"), [(0.0, True), (1.0, False)])
def test_the_steps_alone_have_the_posterior(moved, right):
    """Against a sum over all numbers of positive items, within 5 Monte Carlo errors by batches: the
    mean of theta, and the mass where TPR + TNR < 1. A prior of theta with a power of theta_1 more,
    which a slip in the change of variables would be, is told from it."""
    annotations = draw_labels(40, 0.4, 0.5, 0.7, np.random.default_rng(14))
    exact = counted_posterior(annotations, ClaraPrior(THETA, PSI))
    found = walked(annotations, ClaraPrior(THETA + np.array([0, moved]), PSI), 60_000)
    for draws, at in ((found[:, 0], exact["theta"]), (found[:, 1] < 1, exact["swapped"])):
        assert (abs(draws.mean() - at) < 5 * error_of(draws[None])) == right


@pytest.mark.parametrize("seed", [1, 2])
def test_the_mode_of_many_positives_has_its_mass_where_few_are(seed):
    """The mean of theta, .02 and .33, against a sum over all numbers of positive items, within 5
    Monte Carlo errors by batches. A prior of weight 1 leaves room for most items being positive."""
    drawn = simulate("clara", {**RARE, "n": 250, "prevalence": 0.02}, np.random.default_rng(seed))
    prior = empirical_prior(drawn.table)
    settings = ClaraSettings("shared", chains=4, warmup=1000, draws=5000, lag=10)
    found = sample_clara(drawn.table, prior, settings, np.random.default_rng(1)).theta[..., 1]
    exact = counted_posterior(drawn.table, prior)["theta"]
    assert abs(found.mean() - exact) < 5 * error_of(found) < 0.6 * exact


@pytest.mark.parametrize("walks", [True, False])
def test_a_class_that_few_items_have_does_not_hold_chains_up(walks, monkeypatch):
    """One item in a hundred is positive: three of four fits pass their gate without being continued
    to eight times the draws, and by Gibbs steps alone at most one does."""
    plan = clara.Plan
    monkeypatch.setattr(clara, "Plan", lambda *given: plan(*given)._replace(walks=walks))
    settings = ClaraSettings("shared", chains=4, warmup=500, draws=500, lag=20)
    quick = 0
    for seed in range(4):
        drawn = simulate("clara", RARE, np.random.default_rng(seed))
        found = sample_clara(
            drawn.table, empirical_prior(drawn.table), settings, np.random.default_rng(5)
        )
        quick += found.diagnostics.passed and found.theta.shape[1] <= 4 * settings.draws
    assert quick >= 3 if walks else quick <= 1
