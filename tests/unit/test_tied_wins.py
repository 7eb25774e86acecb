"""Win counts of tied scores: mean, variance and likelihood against enumeration and simulation."""

import itertools

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import norm

from crowdgold.models.binned_ranks import BinnedRanks
from crowdgold.models.exact_cut import sample_exact_cut
from crowdgold.models.score_model import ScoreData, win_deviation
from crowdgold.models.tied_wins import FINEST, TiedWins, count_wins, half_wins
from crowdgold.models.vote_sets import VoteParameters, find_vote_sets, win_counts
from unit.reference import Theta, algorithm_1, beta_rule, label_odds, make_items

VOTES = 3
THETA = Theta(0.3, (0.2, 0.6), (1.5, 1.5), 1.5, 1.0)
CUTS = {
    "two values": [0.9],
    "five values": [-0.5, 0.4, 1.2, 2.2],
    "rare": [-1.5, 2.8, 3.2],
    "half of them equal": [0.9, *np.arange(0.91, 6, 0.01)],
}


def vote(theta=THETA, draws=1):
    one = VoteParameters(np.array([theta.phi]), np.array([theta.a]), np.array([theta.d]))
    return one.select(np.zeros(draws, dtype=int))


def table(cuts, n=4000, n_gold=400, theta=THETA, seed=1):
    """A table of Algorithm 1, scores cut into groups."""
    items = algorithm_1(theta, n, VOTES, n_gold, np.random.default_rng(seed))
    values = np.searchsorted(cuts, items.scores["A"]).astype(float)
    return make_items(items.votes_positive, VOTES, items.gold, values, items.tie_break, items.truth)


@pytest.mark.parametrize("sizes", [(1, 1), (1, 3), (3, 1), (2, 3), (3, 3)])
def test_mean_and_variance_are_those_of_all_outcomes(sizes):
    """Every assignment of three scores to two small sets, each with its chance."""
    p, r = np.array([0.2, 0.5, 0.3]), np.array([0.6, 0.1, 0.3])
    outcomes, chances = [], []
    for values in itertools.product(range(3), repeat=sum(sizes)):
        one, other = list(values[: sizes[0]]), list(values[sizes[0] :])
        outcomes.append(((1 + np.sign(np.subtract.outer(one, other))) / 2).sum())
        chances.append(p[one].prod() * r[other].prod())
    mean = np.dot(outcomes, chances)
    variance = np.dot((outcomes - mean) ** 2, chances)
    found = half_wins(p, r, *map(float, sizes))
    assert found == pytest.approx((mean / np.prod(sizes), variance), rel=1e-12)


def cells(theta, cuts, sets):
    """Chances p_kg of groups between fixed cuts, by a fine rule for the beta densities."""
    edges, held = np.array([-np.inf, *cuts, np.inf]), []
    for v, gold in zip(sets.votes_positive.tolist(), sets.gold.tolist(), strict=True):
        q = float(gold) if gold >= 0 else label_odds(theta, v, VOTES)
        below = np.zeros(len(edges))
        for y, share in ((0, 1 - q), (1, q)):
            p, w = beta_rule(*theta.shapes(y, v, VOTES))
            below += share * (ndtr(edges[:, None] - theta.mu * y - theta.delta * p) @ w)
        held.append(np.diff(below))
    return np.array(held)


def at_truth(cuts, counts=None):
    """The likelihood with groups as large as expected between the cuts, its moments, and chances
    of the groups."""
    items = table(cuts)
    sets = find_vote_sets(items)
    held = cells(THETA, cuts, sets)
    wins = win_counts(sets.member, items.ranking("A"), len(sets))
    counts = sets.count.astype(float) if counts is None else counts
    model = TiedWins(wins, counts, sets.count @ held).conditioned(sets, vote(), 0)
    rate, deviation = model.moments(np.array([[THETA.mu]]), np.array([THETA.delta]))
    return model, rate[0, 0], deviation[0, 0], held


@pytest.mark.parametrize("name", CUTS)
def test_rates_and_deviations_are_those_of_reference_chances(name):
    """Where the groups are as large as the model expects, the quantiles are the cuts; to 1e-5."""
    model, rate, deviation, held = at_truth(CUTS[name])
    for k, l in zip(*np.tril_indices(len(model.sets), -1), strict=True):
        w, variance = half_wins(held[k], held[l], *model.data.count[[k, l]])
        assert rate[k, l] == pytest.approx(w, abs=1e-5)
        assert deviation[k, l] == pytest.approx(np.sqrt(variance), rel=1e-4)


@pytest.mark.parametrize("name", ["two values", "five values"])
def test_means_and_deviations_are_those_of_simulated_counts(name):
    """20,000 counts of 8 items of a vote set against 30 of another, items drawn from the groups.

    Means are judged by 5 standard errors. A standard deviation of a roughly normal count is known
    to 1 / sqrt(2 x 20,000) = 0.5 %, and 3 % are 4 standard errors at least. The printed deviation,
    without the share of ties, must be refused, and so must the rate of scores that are not cut.
    """
    counts = np.where(np.arange(12) % 2, 8.0, 30.0)
    model, rate, deviation, held = at_truth(CUTS[name], counts)
    untied = ScoreData(model.data.wins, counts, model.sets.pattern)
    uncut = untied.conditioned(model.sets, model.vote, 0).win_rates(THETA.mu, THETA.delta)
    rng = np.random.default_rng(3)
    draws, printed, other_rate = 20_000, [], []
    for k, l in ((3, 0), (2, 1), (7, 4)):
        one, other = (rng.choice(len(held[s]), (draws, int(counts[s])), p=held[s]) for s in (k, l))
        wins = ((1 + np.sign(one[:, :, None] - other[:, None])) / 2).sum(axis=(1, 2))
        pairs, spread = counts[k] * counts[l], wins.std(ddof=1)
        error = spread / np.sqrt(draws)
        assert abs(wins.mean() - pairs * rate[k, l]) < 5 * error
        assert deviation[k, l] == pytest.approx(spread, rel=0.03)
        printed.append(abs(win_deviation(rate[k, l], counts[k], counts[l]) / spread - 1))
        other_rate.append(abs(wins.mean() - pairs * uncut[k, l]) / error)
    assert max(printed) > 0.1
    assert max(other_rate) > 5


@pytest.mark.parametrize(("mu", "delta"), [(1.5, 1.0), (4.0, 0.0), (0.5, 8.0), (3.0, -8.0)])
def test_fine_bins_stand_for_untied_items(mu, delta):
    items = table([-9.0], n=40_000, n_gold=0)
    sets = find_vote_sets(items)
    empty, count = np.zeros((4, 4)), sets.count.astype(float)
    size = np.full(FINEST, len(items) // FINEST)
    model = TiedWins(empty, count, size).conditioned(sets, vote(), 0)
    rate, _ = model.moments(np.array([[mu]]), np.array([delta]))
    plain = ScoreData(empty, count, sets.pattern).conditioned(sets, vote(), 0).win_rates(mu, delta)
    below = np.tril_indices(4, -1)
    assert rate[0, 0][below] == pytest.approx(plain[below], abs=2e-5 if abs(delta) < 5 else 6e-5)


def test_the_likelihood_is_the_sum_of_normal_log_densities():
    items = table(CUTS["five values"])
    sets = find_vote_sets(items)
    data = count_wins(sets, items.ranking("A"))
    assert data.bin_size.tolist() == np.unique(items.scores["A"], return_counts=True)[1].tolist()
    model = data.conditioned(sets, vote(), 0)
    mu, delta = np.array([[0.4, 2.0], [1.0, 3.0]]), np.array([-1.0, 2.5])
    rate, deviation = model.moments(mu, delta)
    below = np.tril_indices(len(sets), -1)
    pairs = np.outer(sets.count, sets.count)
    expected = norm.logpdf(data.wins, pairs * rate, deviation)[..., below[0], below[1]].sum(axis=-1)
    assert model.log_likelihood(mu, delta) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("size", "kind"), [(1, ScoreData), (20, ScoreData), (21, TiedWins)])
def test_the_printed_likelihood_is_that_of_rankings_with_few_ties(size, kind):
    """No ties; or groups of one item in 200, which is as many as make a group of its own."""
    items = algorithm_1(THETA, 4000, VOTES, 400, np.random.default_rng(1))
    scores = np.argsort(np.argsort(items.scores["A"])) // size
    one = make_items(items.votes_positive, VOTES, items.gold, scores.astype(float))
    assert type(count_wins(find_vote_sets(items), one.ranking("A"))) is kind


def test_scores_that_are_all_equal_say_nothing():
    items = make_items(np.arange(40) % 4, VOTES, -1, np.zeros(40))
    sets = find_vote_sets(items)
    mu, delta = np.array([[0.1, 5.0], [1.0, 9.0]]), np.array([-8.0, 3.0])
    for data in (
        count_wins(sets, items.ranking("A")),
        BinnedRanks.of(sets.member, items.ranking("A"), len(sets)),
    ):
        found = data.conditioned(sets, vote(), 0).log_likelihood(mu, delta)
        assert np.ptp(found) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", CUTS)
def test_cut_scores_tell_the_same_parameters(name):
    """(mu, delta) of the model that made the utilities, and not that of a coarser ranking.

    20 draws for each of 8 tables of 4,000 items; means over the tables are within 4 of their
    standard errors of the truth, for both likelihoods. Taken for those of a ranking without ties,
    the same win counts of two values give a mu that is too small.
    """
    found = []
    for seed in range(8):
        items = table(CUTS[name], seed=seed)
        sets, ranking = find_vote_sets(items), items.ranking("A")
        wins = count_wins(sets, ranking)
        binned = BinnedRanks.of(sets.member, ranking, len(sets))
        untied = ScoreData(wins.wins, wins.count, sets.pattern)
        for data in (wins, binned, untied):
            draws = sample_exact_cut(data, sets, vote(draws=20), np.random.default_rng(seed))
            found.append([draws.mu.mean(), draws.delta.mean()])
    found = np.reshape(found, (8, 3, 2))
    error = found.std(axis=0, ddof=1) / np.sqrt(8)
    score = (found.mean(axis=0) - [THETA.mu, THETA.delta]) / error
    assert np.abs(score[:2]).max() < 4
    assert name != "two values" or score[2, 0] < -5
