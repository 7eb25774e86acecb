"""The likelihood and the tables of a predictor that need not be monotone, against quadrature."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import norm

from crowdgold.models.bent_ranks import STEP, BentRanks, log_likelihood
from crowdgold.models.binned_ranks import nodes_for_distribution
from crowdgold.models.utility import Bend, UtilityTables
from crowdgold.models.vote_sets import VoteParameters, find_vote_sets
from unit.reference import Theta, algorithm_1, beta_rule, label_odds
from unit.test_binned_ranks import CASES, VOTES, Direct, conditioned

KNOTS = np.array([-1.4, -0.8, -0.4, 0.2, 0.6, 1.4, 2.2, 3.0])
BENDS = {
    "down in the middle": [0.5, 0.3, 0.0, -3.0, -2.5, 1.0, 0.5, 0.2],
    "down at the ends": [-4.0, -1.0, 0.5, 0.5, 0.5, 0.5, -2.0, -3.0],
}


def bent_likelihood(model, theta, slopes):
    """As in the docstring of `bent_ranks`, at the parameters that the model is conditioned on."""
    size = nodes_for_distribution(theta.delta)
    knots = np.round(KNOTS / STEP).astype(int)
    bent = BentRanks.of(model.data, model.sets, model.vote, knots, size)
    return log_likelihood(theta.mu, theta.delta, np.array(slopes), 0, bent)


class DirectBent(Direct):
    """F_yv by summing, for each P, the density of E of the docstring on a fine grid."""

    def __init__(self, items, theta, slopes):
        super().__init__(items, theta, 1.0)
        x = np.linspace(-20, 25, 90_001)
        step = x[1] - x[0]
        b = np.cumsum(np.interp(x, KNOTS, slopes)) * step  # up to a constant
        density = np.exp(b - b.max()) * norm.pdf(x, theta.mu)
        density /= density.sum() * step
        self.x, self.own = x, [norm.pdf(x), density]
        self.held = [ndtr(x), (np.cumsum(density) - density / 2) * step]

    def mean(self, y, v, u, values):
        points, weights = self.rules[y, v]
        kept = weights > 1e-9
        each = [np.interp(u - self.theta.delta * p, self.x, values[y]) for p in points[kept]]
        return weights[kept] @ np.array(each) / weights[kept].sum()

    def below(self, y, v, t, sign=1):
        share = self.mean(y, v, t, self.held)
        return share if sign == 1 else 1 - share


@pytest.mark.parametrize("name", CASES)
def test_without_a_bend_it_is_the_likelihood_of_the_monotone_model(name):
    """To 0.01. A constant slope of 0.3 is as much more of mu; that of half of the pieces is not."""
    theta = CASES[name]
    model = conditioned(algorithm_1(theta, 2000, VOTES, 200, np.random.default_rng(3)), theta)
    for more in (0.0, 0.3):
        at = np.array([[theta.mu + more]]), np.array([theta.delta])
        expected = model.log_likelihood(*at)[0, 0]
        found = bent_likelihood(model, theta, np.full(8, more))
        assert found == pytest.approx(expected, abs=0.01)
    other = bent_likelihood(model, theta, [0.3, 0.3, 0.3, 0.3, -0.3, -0.3, -0.3, -0.3])
    assert abs(other - expected) > 0.02


@pytest.mark.parametrize("bend", BENDS)
@pytest.mark.parametrize("name", ["typical", "follows the votes", "against the votes"])
def test_with_a_bend_it_is_that_of_densities_on_a_fine_grid(name, bend):
    """To 0.03, which the steep slopes take. The bend upside down is another by far more."""
    theta = CASES[name]
    items = algorithm_1(theta, 400, VOTES, 60, np.random.default_rng(4))
    model = conditioned(items, theta)
    expected = DirectBent(items, theta, BENDS[bend]).log_likelihood()
    assert bent_likelihood(model, theta, BENDS[bend]) == pytest.approx(expected, abs=0.03)
    assert abs(bent_likelihood(model, theta, np.negative(BENDS[bend])) - expected) > 1


@pytest.mark.parametrize("bend", BENDS)
@pytest.mark.parametrize("delta", [1.0, 8.0, -3.0])
def test_probabilities_at_utilities_are_those_of_the_bent_densities(delta, bend):
    """F_U to 1e-3, P(Y = 1 | U, votes) to 2e-3. The latter falls somewhere as U rises, but
    where P says more of U than E does; that of the monotone model is another."""
    theta = Theta(0.3, (0.2, 0.6), (1.5, 1.5), 1.0, delta)
    items = algorithm_1(theta, 400, VOTES, 0, np.random.default_rng(5))
    direct = DirectBent(items, theta, BENDS[bend])
    sets = find_vote_sets(items)
    vote = VoteParameters(np.array([theta.phi]), np.array([theta.a]), np.array([theta.d]))
    one = np.array([theta.mu]), np.array([delta])
    own = Bend(KNOTS, np.array([BENDS[bend]]))
    table = UtilityTables(vote, *one, sets, bend=own).of_draw(0)
    flat = UtilityTables(vote, *one, sets).of_draw(0)
    direct.rules |= {(y, None): beta_rule(*theta.shapes(y)) for y in (0, 1)}
    u = np.linspace(-4, 6, 201) + [min(delta, 0), max(delta, 0)][delta > 0] / 2
    prior = 1 - theta.phi, theta.phi
    share = sum(prior[y] * direct.mean(y, None, u, direct.held) for y in (0, 1))
    assert np.interp(u, table.utility, table.distribution) == pytest.approx(share, abs=1e-3)
    for votes in range(VOTES + 1):
        q = label_odds(theta, votes, VOTES)
        negative, positive = (direct.mean(y, votes, u, direct.own) for y in (0, 1))
        expected = q * positive / (q * positive + (1 - q) * negative)
        found = np.interp(u, table.utility, table.probability[votes])
        assert found == pytest.approx(expected, abs=2e-3)
        assert delta == 8 or np.diff(found).min() < 0
        other = np.interp(u, flat.utility, flat.probability[votes])
        assert np.abs(other - expected).max() > 0.1
