"""Utilities from ranks, and label probabilities at them, against quadrature and simulation."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import norm

from crowdgold.models.utility import known_of_labels, tabulate_utility
from crowdgold.models.vote_sets import VoteParameters, find_vote_sets
from crowdgold.types.items import Ranking
from unit.reference import Theta, algorithm_1, beta_rule, label_odds, make_items

VOTES = 3
SETS = find_vote_sets(make_items(np.arange(VOTES + 1), VOTES, -1))
CASES = [
    Theta(0.3, (0.2, 0.6), (1.5, 0.8), 1.0, 1.0),
    Theta(0.05, (0.01, 0.99), (0.0102, 0.0102), 0.3, 8.0),
    Theta(0.9, (0.3, 0.4), (99.0, 0.0102), 1.0, -8.0),
    Theta(0.5, (0.1, 0.6), (1.5, 1.5), 0.5, 3.0),
    Theta(0.4, (0.45, 0.55), (90.0, 90.0), 8.0, 0.0),
    Theta(0.6, (0.2, 0.7), (0.5, 3.0), 5.0, 5.0),
    Theta(0.2, (0.2, 0.7), (0.05, 3.0), 0.5, 30.0),
]


def table_of(theta, sets=SETS, sd=1.0):
    vote = VoteParameters(np.array([theta.phi]), np.array([theta.a]), np.array([theta.d]))
    return tabulate_utility(vote, theta.mu, theta.delta, sets, sd)


def distribution(theta, u, sd=1.0):
    """F_U: the mixture over labels of beta-normal convolutions."""
    total = np.zeros(len(u))
    for y, prior in ((0, 1 - theta.phi), (1, theta.phi)):
        p, w = beta_rule(*theta.shapes(y))
        total += prior * (w @ ndtr((u - (theta.mu * y + theta.delta * p)[:, None]) / sd**y))
    return total


def probability(theta, u, votes, sd=1.0):
    """P(Y = 1 | U, votes) by Bayes' rule."""
    density = []
    for y in (0, 1):
        p, w = beta_rule(*theta.shapes(y, votes, VOTES))
        mean = (theta.mu * y + theta.delta * p)[:, None]
        density.append(w @ norm.pdf(u, loc=mean, scale=sd**y))
    q = label_odds(theta, votes, VOTES)
    return q * density[1] / (q * density[1] + (1 - q) * density[0])


def unknown_of(votes):
    """What is known of items of these votes without gold."""
    return known_of_labels(votes, np.full(len(votes), -1))


@pytest.mark.parametrize(
    ("theta", "sd"),
    [*((one, 1.0) for one in CASES), *((one, sd) for one in CASES[:4] for sd in (0.3, 0.7, 2.5))],
    ids=str,
)
def test_tables_hold_their_stated_error(theta, sd):
    """Within 6 of the class means: 0.002 in U where F_U is in [1e-7, 1 - 1e-7] (as at 10^6 items),
    0.0005 in P(Y = 1 | U, votes). With a deviation of positives, 0.001 within 4, where both labels
    have some density; the tables for sd = 1 are refused.
    """
    reach, close, ends = (6, 5e-4, 1e-7) if sd == 1 else (4, 1e-3, 1e-6)
    means = np.array([0, theta.delta, theta.mu, theta.mu + theta.delta])
    u = np.linspace(means.min() - reach, means.max() + reach, 333)
    table, other = table_of(theta, sd=sd), table_of(theta)
    for votes in range(VOTES + 1):
        expected = probability(theta, u, votes, sd)
        found = np.interp(u, table.utility, table.probability[votes])
        assert np.abs(found - expected).max() < close
    wrong = np.abs(np.interp(u, other.utility, other.probability[1]) - expected).max()
    assert sd == 1 or wrong > 0.02
    share = distribution(theta, u, sd)
    inside = (share > ends) & (share < 1 - ends)
    assert sd != 1 or inside.sum() > 100
    assert np.abs(table.quantile(share[inside]) - u[inside]).max() < 2e-3


def test_shares_are_uniform_order_statistics():
    """A table whose probability is its own F_U gives back the share of rank i of n = 9, Beta(i, 10
    - i). Of 4,000 draws means within 5 standard errors, and variances too (at most 3.4 % each). The
    printed n gaps, a mean of i / 9, must be refused.
    """
    n, draws, rng, table = 9, 4000, np.random.default_rng(6), table_of(CASES[0])
    own = table.distribution[None]
    identity = replace(table, probability=own, ratio=np.ones_like(own))
    known, order = unknown_of(np.zeros(n, dtype=int)), rng.permutation(n)
    ranking = Ranking(order, np.arange(1, n + 1))
    shares = np.array(
        [identity.sample_probabilities(known, ranking, rng)[order] for _ in range(draws)]
    )
    rank = np.arange(1, n + 1)
    assert np.all(np.diff(shares, axis=1) >= 0)
    assert np.all((shares > 0) & (shares < 1))
    variance = rank * (n + 1 - rank) / ((n + 1) ** 2 * (n + 2))
    error = np.sqrt(variance / draws)
    assert np.all(np.abs(shares.mean(axis=0) - rank / (n + 1)) < 5 * error)
    assert np.any(np.abs(shares.mean(axis=0) - rank / n) > 5 * error)
    assert shares.var(axis=0, ddof=1) == pytest.approx(variance, rel=5 * 0.034)
    gap = np.corrcoef(shares[:, 0], shares[:, -1])[0, 1]
    # corr(U_(1), U_(n)) = 1 / n; its standard error is about 1 / sqrt(draws).
    assert abs(gap - 1 / n) < 5 / np.sqrt(draws)


def test_what_is_known_of_labels_holds_any_number_of_vote_patterns():
    """255 patterns and two labels do not fit in a byte; each has the probability of its own row."""
    table, rows = table_of(CASES[0]), np.linspace(0.1, 0.9, 255)
    probability = np.repeat(rows[:, None], len(table.utility), axis=1)
    flat = replace(table, probability=probability, ratio=np.ones_like(probability))
    known, ranking = unknown_of(np.arange(255)), Ranking.of(np.arange(255))
    assert flat.sample_probabilities(known, ranking, np.random.default_rng(3)) == pytest.approx(
        rows
    )


def votes_density(theta, u, votes):
    """The density of U given the votes, by Bayes' rule."""
    q, total = label_odds(theta, votes, VOTES), np.zeros(len(u))
    for y, share in ((0, 1 - q), (1, q)):
        p, w = beta_rule(*theta.shapes(y, votes, VOTES))
        total += share * (w @ norm.pdf(u, loc=(theta.mu * y + theta.delta * p)[:, None]))
    return total


@pytest.mark.parametrize("theta", CASES[:4], ids=str)
def test_the_probability_of_a_group_is_the_mean_over_its_stretch(theta):
    """Groups of 1, 3, 40, 1, 1 and 154 items, by the trapezium rule on 801 points, halfway to the
    neighbours; to 0.001. Means that the votes do not weigh must be another number.
    """
    sizes = np.array([1, 3, 40, 1, 1, 154])
    ends, n = np.cumsum(sizes), sizes.sum()
    table, votes = table_of(theta), np.arange(n) % (VOTES + 1)
    known = known_of_labels(votes, np.full(n, -1))
    ranking = Ranking(np.arange(n), ends)
    found = table.sample_probabilities(known, ranking, np.random.default_rng(4))
    gaps = np.random.default_rng(4).standard_exponential(n + 1)
    reached = np.concatenate([[0.0], np.cumsum(gaps)]) / gaps.sum()
    between = (reached[:-1] + reached[1:]) / 2  # halfway to the item before, and after
    between[0], between[-1] = 0.0, 1.0
    apart = 0.0
    for size, end in zip(sizes, ends, strict=True):
        for at in range(end - size, min(end, end - size + VOTES + 1)):
            if size == 1:
                p = probability(theta, table.quantile(reached[[end]]), votes[at])
                assert found[at] == pytest.approx(p[0], abs=1e-3)
                continue
            u = np.linspace(*table.quantile(between[[end - size, end]]), 801)
            p, weight = probability(theta, u, votes[at]), votes_density(theta, u, votes[at])
            mean = np.trapezoid(p * weight, u) / np.trapezoid(weight, u)
            assert found[at] == pytest.approx(mean, abs=1e-3)
            of_all = np.trapezoid(p, distribution(theta, u))
            of_all /= np.ptp(distribution(theta, u))
            apart = max(apart, abs(of_all - found[at]))
    assert apart > 0.01


@pytest.mark.parametrize("cuts", [[0.7], [-0.4, 0.4, 1.2, 2.2]], ids=["two", "five"])
def test_the_label_probability_of_a_group_is_a_frequency(cuts):
    """Of 200,000 items, positives by group and votes against their probabilities, within 5
    deviations. Utilities uniform in a group's stretch, whatever the votes, must be refused.
    """
    theta = Theta(0.3, (0.2, 0.6), (1.5, 1.5), 1.5, 1.0)
    items = algorithm_1(theta, 200_000, VOTES, 0, np.random.default_rng(1))
    group = np.searchsorted(cuts, items.scores["A"])
    table = table_of(theta)
    uniform = replace(table, ratio=np.ones_like(table.ratio))
    cell = group * (VOTES + 1) + items.votes_positive
    known = known_of_labels(items.votes_positive, items.gold)
    for one, agrees in ((table, True), (uniform, False)):
        p = one.sample_probabilities(known, Ranking.of(group), np.random.default_rng(2))
        excess = np.bincount(cell, items.truth - p)
        spread = np.sqrt(np.bincount(cell, p * (1 - p)))
        assert bool(np.abs(excess / spread).max() < 5) is agrees


def test_equal_scores_are_told_apart_by_nothing_but_their_votes():
    """Whatever the order of the rows; and all groups are drawn anew in each imputation."""
    items = algorithm_1(CASES[0], 400, VOTES, 40, np.random.default_rng(5))
    values = items.scores["A"].round(1)
    rows = np.random.default_rng(6).permutation(400)
    table, known = table_of(CASES[0]), known_of_labels(items.votes_positive, items.gold)

    def probabilities(rows, seed):
        rng = np.random.default_rng(seed)
        return table.sample_probabilities(known[rows], Ranking.of(values[rows]), rng)

    every = np.arange(400)
    assert np.array_equal(probabilities(every, 1)[rows], probabilities(rows, 1))
    free = items.gold < 0
    assert np.all(probabilities(every, 1)[free] != probabilities(every, 2)[free])


@pytest.mark.parametrize(
    "theta",
    [Theta(0.5, (0.01, 0.99), (0.02, 99.0), 200.0, -30.0),
     Theta(1e-4, (0.1, 0.2), (0.0102, 99.0), 1e-3, 30.0)],
    ids=str,
)  # fmt: skip
def test_extreme_parameters_give_finite_probabilities(theta):
    table, rng = table_of(theta), np.random.default_rng(1)
    quantile = table.quantile(np.array([1e-9, 0.5, 1 - 1e-9]))
    assert all(np.isfinite(one).all() for one in (table.probability, table.ratio, quantile))
    assert np.all(np.diff(table.distribution) >= 0)
    ranking = Ranking.of(np.arange(40) // 10)
    p = table.sample_probabilities(unknown_of(np.arange(40) % 4), ranking, rng)
    assert np.all((p >= 0) & (p <= 1))
