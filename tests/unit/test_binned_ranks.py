"""The binned rank likelihood against distribution functions and quantiles found by other means."""

import numpy as np
import pytest
from scipy.special import ndtr

from crowdgold.models.binned_ranks import BinnedRanks, bin_ends, number_of_bins
from crowdgold.models.utility_distribution import (
    STEP,
    mixture_at,
    table_size,
    tabulate_distribution,
    tails_at,
)
from crowdgold.models.vote_sets import VoteParameters, find_vote_sets
from crowdgold.types.items import Ranking
from unit.reference import Theta, algorithm_1, beta_rule, label_odds, make_items

VOTES = 3
TYPICAL = Theta(0.3, (0.2, 0.6), (1.5, 1.5), 1.0, 1.0)
CASES = {
    "typical": TYPICAL,
    "follows the votes": TYPICAL._replace(mu=0.75, delta=8.0),
    "against the votes": TYPICAL._replace(mu=3.0, delta=-8.0),
    "voters alike": TYPICAL._replace(d=(0.05, 0.1), delta=3.0),
    "voters independent": TYPICAL._replace(d=(99.0, 99.0), delta=5.0),
    "rare": TYPICAL._replace(phi=0.03, mu=2.5),
    "labels apart": TYPICAL._replace(mu=5.0, delta=0.5),
    "steep": TYPICAL._replace(mu=1.0, delta=25.0),
}


def conditioned(items, theta, sd=1.0):
    sets = find_vote_sets(items)
    data = BinnedRanks.of(sets.member, items.ranking("A"), len(sets))
    vote = VoteParameters(np.array([theta.phi]), np.array([theta.a]), np.array([theta.d]))
    return data.conditioned(sets, vote, 0).with_sd(sd)


def bins_of(items, bins):
    """Count (bin, vote set) naively, vote sets in sorted order of (votes, gold)."""
    keys = sorted(set(zip(items.votes_positive.tolist(), items.gold.tolist(), strict=True)))
    count = np.zeros((bins, len(keys)))
    n = len(items)
    for rank, i in enumerate(sorted(range(n), key=lambda i: items.scores["A"][i])):
        count[int(rank * bins / n), keys.index((items.votes_positive[i], items.gold[i]))] += 1
    return keys, count


class Direct:
    """F_yv, F_k and Fbar by a fine rule for the beta densities, tails kept apart."""

    def __init__(self, items, theta, sd, keys_and_count=None):
        self.theta, self.sd = theta, (1.0, sd)
        self.rules = {
            (y, v): beta_rule(*theta.shapes(y, v, VOTES)) for y in (0, 1) for v in range(VOTES + 1)
        }
        self.keys, self.count = keys_and_count or bins_of(items, number_of_bins(len(items)))
        self.q = [float(g) if g >= 0 else label_odds(theta, v, VOTES) for v, g in self.keys]

    def below(self, y, v, t, sign=1):
        """P(U < t) of label y and v votes at each of t, or P(U > t) for sign -1."""
        points, weights = self.rules[y, v]
        points, weights = points[weights > 1e-18], weights[weights > 1e-18]
        z = (t[:, None] - self.theta.mu * y - self.theta.delta * points) / self.sd[y]
        return ndtr(sign * z) @ weights

    def cuts(self):
        """Halve a bracket of each quantile of Fbar 50 times."""
        size = self.count.sum(axis=0)
        share = np.zeros((2, VOTES + 1))
        for (v, _), q, N in zip(self.keys, self.q, size, strict=True):
            share[:, v] += np.array([1 - q, q]) * N / size.sum()
        wanted = np.cumsum(self.count.sum(axis=1))[:-1] / size.sum()
        low, high = np.full(len(wanted), -45.0), np.full(len(wanted), 45.0)
        for _ in range(50):
            t = (low + high) / 2
            mean = sum(share[y, v] * self.below(y, v, t) for y, v in self.rules)
            low, high = np.where(mean < wanted, t, low), np.where(mean < wanted, high, t)
        return (low + high) / 2

    def log_likelihood(self):
        t = self.cuts()
        tail = {sign: {rule: self.below(*rule, t, sign) for rule in self.rules} for sign in (1, -1)}
        total = 0.0
        for (v, _), q, count in zip(self.keys, self.q, self.count.T, strict=True):
            below, above = (q * tail[sign][1, v] + (1 - q) * tail[sign][0, v] for sign in (1, -1))
            below, above = np.array([0, *below, 1]), np.array([1, *above, 0])
            mass = np.where(below[1:] < above[1:], np.diff(below), -np.diff(above))
            total += count[count > 0] @ np.log(mass[count > 0])
        return total


@pytest.mark.parametrize("n", [2, 30, 700, 919, 920, 100_000])
def test_bins_are_nearly_equal_and_hold_some_items(n):
    items = algorithm_1(TYPICAL, n, VOTES, 0, np.random.default_rng(n))
    sets = find_vote_sets(items)
    size = BinnedRanks.of(sets.member, items.ranking("A"), len(sets)).count.sum(axis=1)
    assert len(size) == number_of_bins(n) <= 40
    assert size.max() - size.min() <= 1
    assert size.min() >= 1
    assert n < 700 or len(size) >= 30


CUTS = {
    "two values": [0.9],
    "two values, one rare": [3.5],
    "five values": [-0.5, 0.4, 1.2, 2.2],
    "half of them equal": [0.9, *np.arange(0.91, 9, 0.0001)],
    "most of them equal": [-3.0, 2.5, *np.arange(2.51, 9, 0.0001)],
    "pairs": np.arange(-9, 9, 0.004),
}


def cut(name, n=1500, theta=TYPICAL, seed=2):
    """A table of scores that are equal between two cuts."""
    items = algorithm_1(theta, n, VOTES, n // 10, np.random.default_rng(seed))
    values = np.searchsorted(CUTS[name], items.scores["A"])
    return make_items(items.votes_positive, VOTES, items.gold, values.astype(float))


@pytest.mark.parametrize("name", CUTS)
def test_bins_hold_whole_groups(name):
    """A value is in one bin, one of many items is a bin, no other is large, few are a bin each."""
    items = cut(name)
    ranking = items.ranking("A")
    ends = bin_ends(ranking, number_of_bins)
    assert set(ends) <= set(ranking.ends)
    assert ends[-1] == len(items)
    fair = len(items) / number_of_bins(len(items))
    bins = np.searchsorted(ends, ranking.ends)
    for size, at in zip(ranking.sizes, bins, strict=True):
        assert size <= fair or (bins == at).sum() == 1
    size = np.diff(ends, prepend=0)
    alone = np.bincount(bins) == 1
    assert size[~alone].max(initial=0) <= fair + ranking.sizes[ranking.sizes <= fair].max(initial=0)
    if len(CUTS[name]) < 5:
        assert len(ends) == len(set(items.scores["A"])) == len(CUTS[name]) + 1


def test_items_that_are_not_equal_keep_their_bins_beside_many_that_are():
    """Of 10,000 items 9,000 have the lowest score: the others are in bins of 25."""
    ranking = Ranking.of(np.maximum(np.arange(10_000.0), 8_999))
    assert np.diff(bin_ends(ranking, number_of_bins), prepend=0).tolist() == [9000, *[25] * 40]


def test_bins_and_likelihood_know_no_order_of_rows():
    items = cut("five values")
    rows = np.random.default_rng(8).permutation(len(items))
    one, other = conditioned(items, TYPICAL), conditioned(items.take(rows), TYPICAL)
    assert np.array_equal(one.data.count, other.data.count)
    assert np.array_equal(one.data.highest, other.data.highest)
    at = np.array([[0.5, 2.0]]), np.array([1.0])
    assert np.array_equal(one.log_likelihood(*at), other.log_likelihood(*at))


@pytest.mark.parametrize("name", ["two values", "five values"])
@pytest.mark.parametrize("case", ["typical", "follows the votes", "rare"])
def test_log_likelihood_of_few_values_is_that_of_ordinal_regression(name, case):
    """To 1e-3, cut at the shares of each value; a coin that broke the ties makes another number."""
    theta = CASES[case]
    items = cut(name, theta=theta)
    rows = list(zip(items.votes_positive.tolist(), items.gold.tolist(), strict=True))
    keys, values = sorted(set(rows)), sorted(set(items.scores["A"]))
    count = np.zeros((len(values), len(keys)))
    for row, score in zip(rows, items.scores["A"], strict=True):
        count[values.index(score), keys.index(row)] += 1
    expected = Direct(items, theta, 1.0, (keys, count)).log_likelihood()
    at = np.array([[theta.mu]]), np.array([theta.delta])
    assert conditioned(items, theta).log_likelihood(*at)[0, 0] == pytest.approx(expected, abs=1e-3)
    broken = items.scores["A"] + np.random.default_rng(3).random(len(items))
    broken = make_items(items.votes_positive, VOTES, items.gold, broken)
    assert abs(conditioned(broken, theta).log_likelihood(*at)[0, 0] - expected) > 1


@pytest.mark.parametrize("n", [47, 500, 1001])
def test_the_highest_item_of_a_bin_is_its_last(n):
    """Sizes that bins do not divide; an item's neighbours are of other vote sets than itself."""
    sets = find_vote_sets(algorithm_1(TYPICAL, n, VOTES, n // 10, np.random.default_rng(5)))
    bins, order = number_of_bins(n), np.lexsort([np.arange(n), np.arange(n) % 7])
    member = np.empty(n, dtype=int)
    member[order] = np.arange(n) % len(sets)
    found = BinnedRanks.of(member, Ranking(order, np.arange(1, n + 1)), len(sets)).highest
    last = {rank * bins // n: member[order[rank]] for rank in range(n)}
    assert found.tolist() == [last[b] for b in range(bins - 1)]


@pytest.mark.parametrize("delta", [-30.0, -8.0, 0.0, 0.7, 3.0, 30.0])
@pytest.mark.parametrize("d", [(1.5, 1.5), (0.05, 0.1), (99.0, 0.5)])
def test_tabulated_distributions_keep_their_digits_in_both_tails(delta, d):
    """Relative to themselves 1e-7 down to 1e-7 and 1e-6 down to 1e-12, between grid points, against
    the same quadrature nodes. The mixture, in which quantiles are sought, is right to 1e-8.
    """
    theta = TYPICAL._replace(d=d, delta=delta)
    model = conditioned(algorithm_1(theta, 300, VOTES, 40, np.random.default_rng(2)), theta)
    points, weights = (one[:, 1].copy() for one in model.nodes(50))
    share = model.pattern_shares()[1]
    low, table, mixture = tabulate_distribution(delta, points, weights, share)
    assert len(table) == table_size(delta)
    u = np.linspace(low - 1, low + STEP * len(table) + 1, 499)
    z = u[:, None, None] - delta * points
    exact = np.stack([(ndtr(z) * weights).sum(-1), (ndtr(-z) * weights).sum(-1)])
    found = np.empty_like(exact)
    for i, at in enumerate(u):
        tails_at(at, low, table, found[0], found[1], i)
    for least, close in ((1e-7, 1e-7), (1e-12, 1e-6)):
        assert np.abs(found / exact - 1)[exact > least].max() < close
    mean = [mixture_at(at, low, mixture)[0] for at in u]
    assert mean == pytest.approx(exact[0] @ share, abs=1e-8)


@pytest.mark.parametrize(
    ("name", "sd"),
    [*((name, 1.0) for name in CASES), ("typical", 0.5), ("steep", 0.5), ("rare", 2.0)],
)
def test_log_likelihood_is_the_direct_one(name, sd):
    """Right to 1e-4, of 2,000 items, 200 of them gold; a mu larger by 0.01 is told apart."""
    theta = CASES[name]
    items = algorithm_1(theta, 2000, VOTES, 200, np.random.default_rng(3))
    model = conditioned(items, theta, sd)
    mu, delta = np.array([[theta.mu, theta.mu + 0.01]]), np.array([theta.delta])
    found = model.log_likelihood(mu, delta)[0]
    expected = Direct(items, theta, sd).log_likelihood()
    assert found[0] == pytest.approx(expected, abs=1e-4)
    assert found[1] != pytest.approx(expected, abs=1e-4)


def test_impossible_rankings_have_a_finite_likelihood():
    """Positives below negatives at mu far out: a very low likelihood, and no NaN or infinity."""
    items = algorithm_1(TYPICAL._replace(mu=-3.0), 800, VOTES, 400, np.random.default_rng(4))
    model = conditioned(items, TYPICAL)
    mu = np.array([[1e-3, 5.0, 50.0, 1e9]] * 3)
    found = model.log_likelihood(mu, np.array([-40.0, 0.0, 40.0]))
    assert np.all(np.isfinite(found))
    assert found[1, 0] > found[1, 1] > found[1, 2]
