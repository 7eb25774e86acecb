"""The score model: win rates, deviations and likelihood against independent quadrature."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import invgamma, laplace, norm

from crowdgold.models import score_model
from crowdgold.models.exact_cut import FAR, log_prior
from crowdgold.models.priors import PAPER_PRIOR, ScorePrior
from crowdgold.models.quadrature import gauss_jacobi, gauss_of_differences
from crowdgold.models.score_model import (
    TRUSTED_DELTA,
    ConditionedScoreModel,
    ScoreData,
    nodes_for,
    nodes_of_difference,
    win_deviation,
)
from crowdgold.models.vote_sets import VoteParameters, find_vote_sets, win_counts
from unit.reference import (
    Theta,
    algorithm_1,
    beats,
    deviation,
    label_odds,
    make_items,
    win_rate,
)

DELTAS = (-30.0, -8.0, -2.0, 0.0, 0.5, 3.0, 5.0, 10.0, 20.0, 30.0)


def vote_parameters(theta):
    return VoteParameters(np.array([theta.phi]), np.array([theta.a]), np.array([theta.d]))


def conditioned(items, theta, predictor="A"):
    sets = find_vote_sets(items)
    wins = win_counts(sets.member, items.ranking(predictor), len(sets))
    data = ScoreData(wins, sets.count.astype(float), sets.pattern)
    return ConditionedScoreModel.at(data, sets, vote_parameters(theta), 0)


def draw_theta(rng, kind):
    """Draw vote parameters from their prior; `kind` puts lambda or a at an end of it."""
    lam = {"strong": (0.99, 0.99), "mixed": (0.01, 0.99)}.get(
        kind, tuple(rng.uniform(0.01, 0.99, 2))
    )
    a = (1e-3, 0.999) if kind == "sure" else tuple(np.sort(rng.random(2)))
    return Theta(float(rng.random()), a, (1 / lam[0] - 1, 1 / lam[1] - 1))


@pytest.mark.parametrize("kind", ["any", "strong", "mixed", "sure"])
def test_win_rates_hold_to_1e_6(kind):
    """Over the vote model's prior and |delta| <= 30, shapes down to 1e-5; gold makes q 0 or 1."""
    rng = np.random.default_rng(31)
    items = make_items([0, 1, 2, 3, 0, 3, 1], [3, 3, 3, 3, 3, 3, 1], [-1, -1, -1, -1, 0, 1, -1])
    sets = find_vote_sets(items)
    smallest, worst = np.inf, 0.0
    for delta in DELTAS:
        theta = draw_theta(rng, kind)._replace(delta=delta, mu=float(np.exp(rng.normal())))
        smallest = min(smallest, *theta.shapes(0), *theta.shapes(1))
        rates = conditioned(items, theta).win_rates(theta.mu, delta)
        assert rates + rates.T == pytest.approx(1, abs=1e-12)
        for k, l in (rng.choice(len(sets), 2, replace=False), (1, 0)):
            votes = [(int(sets.votes_positive[s]), int(sets.votes_total[s])) for s in (k, l)]
            q = [
                float(sets.gold[s]) if sets.gold[s] >= 0 else label_odds(theta, *votes[i])
                for i, s in enumerate((k, l))
            ]
            worst = max(worst, abs(rates[k, l] - win_rate(theta, *votes, *q)))
    assert worst < 1e-6
    assert kind == "any" or smallest < 0.011


def test_the_bound_of_1e_6_can_fail():
    """Six nodes are right at delta = 2 and wrong at 30: the bound is no matter of course."""
    first, second = (2.05, 0.1), (1.2, 1.07)

    def error(delta, nodes):
        x, v = gauss_jacobi(np.array(first[0]), np.array(first[1]), nodes)
        z, w = gauss_jacobi(np.array(second[0]), np.array(second[1]), nodes)
        return abs(v @ ndtr(delta * (x[:, None] - z) / 2**0.5) @ w - beats(0, delta, first, second))

    assert error(2.0, 6) < 1e-6 < 1e-4 < error(TRUSTED_DELTA, 6)
    assert error(TRUSTED_DELTA, nodes_for(TRUSTED_DELTA)) < 1e-6
    assert nodes_for(-TRUSTED_DELTA) == nodes_for(TRUSTED_DELTA) > nodes_for(10.0)


@pytest.mark.parametrize("delta", [0.5, 3.0, -10.0, 20.0, 30.0])
def test_sums_over_differences_hold_win_rates_to_1e_6(delta):
    """As Stan sums them, against 64 by 64 nodes of P and P', over the vote model's prior; with two
    thirds of the nodes of P - P' it must fail at |delta| = 30.
    """
    rng = np.random.default_rng(5)
    items = make_items([0, 1, 2, 3, 0, 1], [3, 3, 3, 3, 1, 1], [-1] * 6)
    worst = least = 0.0
    for kind in ("any", "strong", "mixed", "sure"):
        theta = draw_theta(rng, kind)
        model = conditioned(items, theta)
        x, v = model.nodes(64)
        nodes = nodes_for(delta)
        few = 2 * nodes_of_difference(nodes) // 3
        for pair, (y, z) in enumerate([(0, 0), (1, 1), (1, 0)]):
            own, other = (x[:, y, :, None], v[:, y]), (x[:, z, None], v[:, z])
            gap, weight = model.differences(nodes)
            short = gauss_of_differences(
                own[0][:, None, :, 0], own[1][:, None], x[:, z][None], other[1][None], few
            )
            for mu in (0.0, 0.7, 4.0):
                shift = mu * (y - z)
                both = ndtr((shift + delta * (own[0][:, None] - other[0][None])) / 2**0.5)
                exact = np.einsum("ri,rsij,sj->rs", own[1], both, other[1])
                found = (weight[pair] * ndtr((shift + delta * gap[pair]) / 2**0.5)).sum(axis=-1)
                worst = max(worst, np.abs(found - exact).max())
                rough = (short[1] * ndtr((shift + delta * short[0]) / 2**0.5)).sum(axis=-1)
                least = max(least, np.abs(rough - exact).max())
    assert worst < 1e-6
    assert abs(delta) < 30 or least > 1e-5


def test_win_rates_are_frequencies_of_algorithm_1():
    """Of 500 samples of 2,000 items, 6 pairs within 5 of their own standard errors; the rates at mu
    + 0.5 must be refused: they are up to 10 away.
    """
    theta = Theta(0.3, (0.2, 0.6), (1.5, 0.3), 1.2, 2.0)
    rng = np.random.default_rng(8)
    shares = []
    for _ in range(500):
        items = algorithm_1(theta, 2000, 3, 0, rng)
        sets = find_vote_sets(items)
        wins = win_counts(sets.member, items.ranking("A"), len(sets))
        shares.append(wins / np.outer(sets.count, sets.count))
    shares = np.array(shares)
    error = shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
    model = conditioned(items, theta)
    off = np.triu_indices(4, 1)
    score = np.abs(shares.mean(axis=0) - model.win_rates(theta.mu, theta.delta))[off] / error[off]
    assert score.max() < 5
    wrong = np.abs(shares.mean(axis=0) - model.win_rates(theta.mu + 0.5, theta.delta))[off]
    assert (wrong / error[off]).max() > 5


@pytest.mark.parametrize("w", [1e-9, 1e-3, 0.2, 0.5, 0.87, 0.999, 1 - 1e-9])
@pytest.mark.parametrize(("first", "second"), [(1, 1), (1, 50), (50, 1), (30, 400), (2000, 7)])
def test_deviation_is_hanley_and_mcneils(w, first, second):
    found = win_deviation(w, float(first), float(second))
    assert found == pytest.approx(deviation(w, first, second), rel=1e-12)


@pytest.mark.parametrize("w", [0.7, 0.95])
def test_deviation_is_exact_for_exponential_scores(w):
    """Negatives Exp(1), positives Exp(rate (1 - w) / w): P(win) = w, and Q_1, Q_2 are exact. Of
    20,000 samples a deviation is known to 0.5 %, at most doubled by kurtosis; 4 % are 4 errors. The
    sets the other way round must be refused.
    """
    rng = np.random.default_rng(4)
    first, second = 8, 30
    positive = rng.exponential(w / (1 - w), (20_000, first, 1))
    negative = rng.exponential(1.0, (20_000, 1, second))
    wins = (positive > negative).sum(axis=(1, 2))
    found = wins.std(ddof=1)
    assert found == pytest.approx(win_deviation(w, float(first), float(second)), rel=0.04)
    assert found != pytest.approx(win_deviation(w, float(second), float(first)), rel=0.04)


def test_log_likelihood_is_the_sum_of_normal_log_densities():
    """By scipy at reference win rates: w right to 1e-6 means a log density right to 1e-4 here."""
    theta = Theta(0.3, (0.2, 0.6), (1.5, 0.8), 1.2, 2.0)
    items = algorithm_1(theta, 300, 3, 40, np.random.default_rng(3))
    model = conditioned(items, theta)
    sets = model.sets
    q = [
        float(gold) if gold >= 0 else label_odds(theta, int(v), 3)
        for gold, v in zip(sets.gold, sets.votes_positive, strict=True)
    ]
    mu, delta = np.array([[0.4, 2.0], [1.0, 3.0]]), np.array([-1.0, 2.5])
    found = model.log_likelihood(mu, delta)
    assert found.shape == (2, 2)
    for d, e in ((0, 1), (1, 0)):
        at = theta._replace(mu=mu[d, e], delta=delta[d])
        expected = 0.0
        for k in range(len(sets)):
            for l in range(k):
                votes = [(int(sets.votes_positive[s]), 3) for s in (k, l)]
                w = win_rate(at, *votes, q[k], q[l])
                N, M = sets.count[k], sets.count[l]
                wins = model.data.wins[k, l]
                expected += norm.logpdf(wins, N * M * w, deviation(w, int(N), int(M)))
        assert found[d, e] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("delta", DELTAS)
def test_interpolated_win_rates_hold_to_1e_7_of_the_double_sum(delta):
    """Over the same nodes, mu below 0 included, where the exact cut's interpolation reaches."""
    rng = np.random.default_rng(8)
    a, d = np.sort(rng.random(2)), 1 / rng.uniform(0.01, 0.99, 2) - 1
    votes = np.arange(4)[:, None]
    points, weights = gauss_jacobi(a * d + votes, (1 - a) * d + 3 - votes, nodes_for(delta))
    for mu in (-9.0, -0.5, 0.01, 0.7, 4.0, 300.0):
        table = score_model._rate_table(delta, points, weights)
        rates = score_model._tabulated_rates(mu, 1, 0, delta, table, points, weights)
        direct = score_model._cross_label_rates(mu, delta, points, weights)
        assert rates == pytest.approx(direct, abs=1e-7)
        for y in (0, 1):
            rates = score_model._tabulated_rates(0, y, y, delta, table, points, weights)
            direct = score_model._same_label_rates(delta, points, weights)[y]
            assert rates == pytest.approx(direct, abs=1e-7)


@pytest.mark.parametrize(
    "prior", [PAPER_PRIOR, ScorePrior(1.5, 0.2, 3.0), ScorePrior(4.0, 7.0, 40.0)]
)
def test_the_prior_of_the_cut_is_inverse_gamma_and_laplace(prior):
    """In z, 1 / z = 1 / mu + 1 / FAR, with the Jacobian of mu, up to a constant; none outside."""
    mu, delta = np.array([0.05, 0.4, 1.0, 9.0]), np.array([-25.0, 0.0, 3.0, 11.0])
    z = 1 / (1 / mu + 1 / FAR)
    rise = 1 / (1 - z / FAR) ** 2  # dmu / dz
    expected = invgamma.logpdf(mu, prior.mu_shape, scale=prior.mu_scale) + np.log(rise)
    expected += laplace.logpdf(delta, scale=prior.delta_scale)
    found = log_prior(prior, delta, z)
    assert found - found[0] == pytest.approx(expected - expected[0], abs=1e-9)
    assert np.all(np.isinf(log_prior(prior, np.zeros(2), np.array([-0.1, FAR + 0.1]))))
