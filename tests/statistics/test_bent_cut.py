"""Draws of the score model that can bend, against importance sampling and a world with a bend."""

import numpy as np
import pytest

from crowdgold.models.bent_ranks import STEP, BentRanks, log_likelihood, sample_bent_cut
from crowdgold.models.binned_ranks import BinnedRanks
from crowdgold.models.exact_cut import sample_exact_cut
from crowdgold.models.vote_sets import find_vote_sets
from crowdgold.simulate import simulate
from unit.dense_grid import vote_draws
from unit.reference import Theta, algorithm_1

TYPICAL = Theta(0.3, (0.2, 0.6), (1.5, 1.5), 1.0, 1.0)
WORLD = {
    "n": 4000, "n_gold": 400, "phi": 0.3, "a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5,
    "votes_total": 3, "predictors": {"A": {"mu": 2.0, "delta": 1.0}},
}  # fmt: skip


@pytest.mark.parametrize(("n", "n_gold"), [(100, 10), (300, 60)])
def test_draws_have_the_moments_of_importance_sampling(n, n_gold):
    """Of mu, delta and all slopes, at one vote draw: means within 5 standard errors of 800 draws
    and of the weighted sample, whose own size is counted.

    Proposals are draws of the monotone cut, with a bend from its prior; a weight is the ratio of
    the two likelihoods. Draws with the prior's bend in the place of their own must be refused where
    the data say something of it.
    """
    items = algorithm_1(TYPICAL, n, 3, n_gold, np.random.default_rng(1))
    sets, rng = find_vote_sets(items), np.random.default_rng(2)
    data = BinnedRanks.of(sets.member, items.ranking("A"), len(sets))
    vote = vote_draws(TYPICAL, 800)
    found = sample_bent_cut(data, sets, vote, rng)
    assert found.failures == 0
    many = vote.select(np.zeros(20_000, int))
    first = sample_exact_cut(data, sets, many.select(np.arange(4000)), rng)
    mu, delta = (np.tile(one, 5) for one in (first.mu, first.delta))
    knots = np.round(found.bend.knots / STEP).astype(int)
    model = BentRanks.of(data, sets, vote.select(np.zeros(1, int)), knots, 24)
    prior = rng.exponential(size=(len(mu), 1)) * rng.standard_normal((len(mu), len(knots)))
    flat = np.zeros_like(prior[0])
    log_weight = np.array([
        log_likelihood(m, d, own, 0, model) - log_likelihood(m, d, flat, 0, model)
        for m, d, own in zip(mu, delta, prior, strict=True)
    ])  # fmt: skip
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    size = 1 / (weight**2).sum()
    assert size > 300
    clipped = lambda slopes: np.clip(slopes, -3, 3)  # noqa: E731 - which bounds the errors
    expected = np.column_stack([np.log(mu), delta, clipped(prior)])
    mean = weight @ expected
    deviation = np.sqrt(weight @ (expected - mean) ** 2)
    error = 5 * deviation * np.sqrt(1 / size + 1 / len(vote))
    own = np.column_stack([np.log(found.mu), found.delta, clipped(found.bend.slopes)])
    assert np.all(np.abs(own.mean(axis=0) - mean) < error)
    assert own.std(axis=0) == pytest.approx(deviation, rel=0.25)
    if n == 300:
        assert not np.all(np.abs(expected.mean(axis=0) - mean) < error)


def test_the_slope_falls_where_the_world_bends_and_not_where_it_does_not():
    """Three in ten positives have scores around 0, amid the negatives: above them the log odds
    fall, with nearly all draws. In MAVEN's own world they fall with few, and each slope of the log
    odds is within 4 deviations of mu, that of the world."""
    band = {"band_label": 1, "band_share": 0.3, "band_at": 0.0, "band_delta": 1.0,
            "band_spread": 0.3}  # fmt: skip
    theta = TYPICAL._replace(mu=2.0)
    lowest = {}
    for name, more in (("band", band), ("maven", {})):
        items = simulate(name, WORLD | more, np.random.default_rng(3)).table
        sets = find_vote_sets(items)
        data = BinnedRanks.of(sets.member, items.ranking("A"), len(sets))
        vote = vote_draws(theta, 200)
        found = sample_bent_cut(data, sets, vote, np.random.default_rng(4))
        assert found.failures == 0
        slopes = found.mu[:, None] + found.bend.slopes
        lowest[name] = slopes[:, 1:-1].min(axis=1)
    assert np.mean(lowest["band"] < 0) > 0.98
    assert np.mean(lowest["maven"] < 0) < 0.5
    assert np.all(np.abs(slopes.mean(axis=0) - theta.mu) < 4 * slopes.std(axis=0))
