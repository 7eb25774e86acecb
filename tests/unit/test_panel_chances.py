"""A panel's chance of a positive vote against sums over a fine grid, and labels given utilities."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, log_ndtr, ndtr
from scipy.stats import norm

from crowdgold.methods.judges import PanelVotes, ScoredJudges, fit_scores, label_posterior
from crowdgold.models.binned_ranks import BinnedRanks
from crowdgold.models.judge_votes import JudgeDraws, find_rows
from crowdgold.models.panel_scores import (
    BELOW,
    MOST_GROUPS,
    PanelRanks,
    PatternGroups,
    group_patterns,
    group_sets,
    panel_chances,
)
from crowdgold.models.quadrature import gauss_jacobi
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.models.vote_sets import find_vote_sets
from crowdgold.types.annotations import labels_by_judge
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Ranking
from unit.panel_model import PanelModel

Z = np.linspace(-7, 7, 2001)
DENSITY = norm.pdf(Z) / norm.pdf(Z).sum()
EVERY = np.array(np.meshgrid(*[[0, 1]] * 5)).reshape(5, -1).T
UNEQUAL = np.array([[-2.0, -1.5, -0.5, 0.0, 0.5], [-0.5, 0.2, 1.0, 1.5, 2.5]])
LIKE = np.array([[-1.4, -1.1, -0.9, -1.2, -0.5], [1.1, 0.8, 0.6, 1.3, 0.9]])
MODEL = PanelModel(0.3, LIKE, np.array([0.5, 0.4]), 1.0, 1.5)


def rng(seed=1):
    return np.random.default_rng(seed)


def given_votes(b, r, votes):
    """P at points of the common effect (Z,), and masses there: of each pattern, and without."""
    place = (b[:, None] + np.sqrt(r) * Z) / np.sqrt(1 - r)
    likelihood = np.exp((votes == 1) @ log_ndtr(place) + (votes == 0) @ log_ndtr(-place))
    mass = np.vstack([likelihood * DENSITY, DENSITY])
    return ndtr(place).mean(axis=0), mass / mass.sum(axis=1, keepdims=True)


def one_draw(b, r, phi=0.3):
    return JudgeDraws(np.array([phi]), b[None], np.array([[r, r]]))


def each_alone(vote):
    return PatternGroups(vote, np.ones(len(vote)), np.arange(len(vote)))


@pytest.mark.parametrize("b", [LIKE, UNEQUAL], ids=["alike", "unequal"])
@pytest.mark.parametrize("r", [0.02, 0.3, 0.6, 0.84, 0.9])
def test_utilities_hardly_tell_the_beta_from_the_panel(b, r):
    """The distribution function of delta P + Z, |delta| 1 and 3: to 0.003 given the votes, and to
    0.01 without; to 0.01 both at the end of the prior, where the nodes are coarse. A scale that is
    half as large, the control, is outside of that where judges err together."""
    found = panel_chances(one_draw(b, r), each_alone(EVERY))
    u, apart = np.linspace(-7, 8, 300), {1.0: [], 0.5: []}
    for y in (0, 1):
        chance, mass = given_votes(b[y], r, EVERY)
        alpha = np.append(found.alpha[0, :, y], found.a[0, y] * found.d[0, y])
        beta = np.append(found.beta[0, :, y], (1 - found.a[0, y]) * found.d[0, y])
        for delta in (1.0, -3.0, 3.0):
            exact = mass @ ndtr(u - delta * chance[:, None])
            for part, errors in apart.items():
                points, weights = gauss_jacobi(part * alpha, part * beta, 40)
                own = (weights[..., None] * ndtr(u - delta * points[..., None])).sum(axis=1)
                errors.append(np.abs(own - exact).max(axis=1))
    right, wrong = (np.max(errors, axis=0) for errors in apart.values())
    assert right[:-1].max() < (0.003 if r < 0.9 else 0.01)
    assert right[-1] < 0.01
    assert r < 0.1 or wrong[-1] > 0.01


@pytest.mark.parametrize("r", [0.0, 1e-9, 1e-4])
def test_without_a_common_effect_the_chance_is_nearly_a_constant(r):
    """Its mean to 1e-3; its standard deviation is 0.005 at most, or that of the effect."""
    found = panel_chances(one_draw(LIKE, r), each_alone(EVERY))
    np.testing.assert_allclose(found.a[0], ndtr(LIKE).mean(axis=1), atol=1e-3)
    assert np.sqrt(found.a * (1 - found.a) / (found.d + 1)).max() < 0.0051
    assert (found.alpha + found.beta).max() < 1.01e4
    assert np.isfinite(gauss_jacobi(found.alpha, found.beta, 12)[0]).all()


def test_a_group_is_the_mixture_of_its_patterns():
    """Moments and odds of a group, by hand from those of its patterns; to 1e-9."""
    draws, count = one_draw(UNEQUAL, 0.5), rng().integers(1, 30, 32)
    groups = PatternGroups(EVERY, count, rng(2).integers(0, 3, 32))
    alone, found = (panel_chances(draws, one) for one in (each_alone(EVERY), groups))
    positive = expit(draws.log_odds(EVERY)[0])
    np.testing.assert_allclose(expit(alone.log_odds[0]), positive, atol=1e-12)

    def moments(chances, group, y):
        """The mean and the mean square."""
        alpha, beta = chances.alpha[0, group, y], chances.beta[0, group, y]
        mean = alpha / (alpha + beta)
        return np.array([mean, mean * (alpha + 1) / (alpha + beta + 1)])

    for group in range(3):
        own = groups.group == group
        share = count[own] @ positive[own] / count[own].sum()
        assert expit(found.log_odds[0, group]) == pytest.approx(share, abs=1e-9)
        for y, chance in ((0, 1 - positive), (1, positive)):
            weight = count[own] * chance[own] / (count[own] @ chance[own])
            expected = moments(alone, own, y) @ weight
            assert moments(found, group, y) == pytest.approx(expected, abs=1e-9)


ONE_GOOD = np.array([[-2.0, -0.3, -0.3, -0.3, -0.3], [2.0, 0.3, 0.3, 0.3, 0.3]])


def left_open(draws, groups):
    """The mean variance of the label given the group of an item's votes."""
    positive = expit(panel_chances(draws, groups).log_odds[0])
    return groups.sum(groups.count[None])[0] @ (positive * (1 - positive)) / groups.count.sum()


@pytest.mark.parametrize("b", [LIKE, UNEQUAL, ONE_GOOD], ids=["alike", "unequal", "one good"])
def test_groups_know_of_the_label_nearly_what_patterns_do(b):
    """Its variance given the group: at most a twentieth more than given the pattern.

    With one good judge of five, groups by P_i alone, the control, leave half as much again open.
    """
    draws, count = one_draw(b, 0.3), rng(5).integers(1, 60, 32)
    groups = group_patterns(draws, EVERY, count)
    assert len(groups) <= MOST_GROUPS
    by_pattern = left_open(draws, PatternGroups(EVERY, count, np.arange(32)))
    assert by_pattern <= left_open(draws, groups) < 1.05 * by_pattern
    if b is ONE_GOOD:
        assert left_open(draws, group_patterns(draws, EVERY, count, (1, 8))) > 1.5 * by_pattern


def test_groups_make_vote_sets_as_numbers_of_votes_do():
    items, _ = MODEL.draw(300, 40, rng())
    full = replace(items, votes_total=np.full(300, 5), votes_positive=rng().integers(1, 6, 300))
    expected, found = find_vote_sets(full), group_sets(full.votes_positive, full.gold)
    for name in ("votes_positive", "votes_total", "gold", "count", "member", "pattern",
                 "pattern_positive", "pattern_total"):  # fmt: skip
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def fitted(items, draws):
    rows = find_rows(labels_by_judge(items.labels), items.gold)
    votes = PanelVotes(rows, draws, draws.log_odds(rows.vote), Diagnostics())
    return votes, fit_scores(items, votes, ScoredJudges(), rng(3))


def test_an_items_label_has_the_odds_of_its_own_votes():
    """Bayes' rule by sums over a fine grid; root mean square error of the probability 0.015.

    There are more than ten patterns to a group; the odds of the group alone, the control, are
    twice as far off.
    """
    model = replace(MODEL, seen=0.8, mu=0.8, delta=2.0)
    items, _ = model.draw(1500, 100, rng())
    votes, scores = fitted(items, model.draws(3))
    own, gold = scores["A"], np.full(len(items), NO_GOLD)
    assert len(votes.rows.vote) > 10 * MOST_GROUPS
    gaps = rng(4).standard_exponential(len(items) + 1)
    utility = np.empty(len(items))
    shares = np.cumsum(gaps)[:-1] / gaps.sum()
    utility[own.ranking.order] = own.tables.of_draw(0).quantile(shares)
    delta = own.draws.delta[0]
    mu = own.draws.mu[0] - delta * model.class_gap()
    odds = votes.log_odds[0, votes.pattern].copy()
    for y, sign in ((0, -1), (1, 1)):
        chance, mass = given_votes(model.b[y], model.r[y], labels_by_judge(items.labels))
        at = norm.pdf(utility[:, None] - mu * y - delta * chance)
        odds += sign * np.log((mass[:-1] * at).sum(axis=1))
    right, wrong = (
        np.sqrt(np.mean((one.probabilities(0, gold, rng(4)) - expit(odds)) ** 2))
        for one in (own, replace(own, beyond=0 * own.beyond))
    )
    assert right < 0.015
    assert wrong > 2 * right


def test_a_group_stands_for_its_items_without_gold():
    """Gold on every item with four positive votes or more: the odds of each group are those of the
    others, to 1e-3. Those of all items, the control, are off by more than ten times that."""
    model = replace(MODEL, seen=0.8)
    items, _ = model.draw(1500, 0, rng())
    chosen = items.votes_positive >= 4
    items = replace(items, gold=np.where(chosen, items.truth, NO_GOLD).astype(np.int8))
    votes, scores = fitted(items, model.draws(2))
    odds = np.round(votes.log_odds[0] - scores["A"].beyond[0], 9)[votes.pattern]
    positive, groups = expit(votes.log_odds[0])[votes.pattern], np.unique(odds[~chosen])
    assert len(groups) > 8
    apart = {
        name: np.abs(expit(groups) - [positive[own & (odds == one)].mean() for one in groups]).max()
        for name, own in (("others", ~chosen), ("all", np.ones(1500, dtype=bool)))
    }
    assert apart["others"] < 1e-3
    assert apart["all"] > 0.01


def test_the_likelihood_is_that_of_binned_ranks_at_another_mu():
    """To 0.01 where it varies by more than 1; mu is less by delta times the gap of the labels."""
    items, _ = MODEL.draw(300, 40, rng())
    draws, rows = MODEL.draws(2), find_rows(labels_by_judge(items.labels), items.gold)
    groups = group_patterns(draws, rows.vote, np.ones(len(rows.vote)))
    sets = group_sets(groups.group[rows.pattern[rows.member]], items.gold)
    chances, ranking = panel_chances(draws, groups), items.ranking("A")
    found, plain = (
        kind.of(sets.member, ranking, len(sets)).conditioned(sets, chances, 1)
        for kind in (PanelRanks, BinnedRanks)
    )
    mean_mu, delta = np.array([[0.5, 1.0, 3.0], [0.2, 1.0, 2.0]]), np.array([-1.0, 2.0])
    expected = plain.log_likelihood(mean_mu - delta[:, None] * MODEL.class_gap(), delta)
    np.testing.assert_allclose(found.log_likelihood(mean_mu + BELOW, delta), expected, atol=1e-2)
    assert np.ptp(expected) > 1


def test_items_without_a_score_have_the_odds_of_their_votes():
    items, _ = MODEL.draw(400, 60, rng())
    without = np.arange(400) % 7 == 0
    partly = replace(items, scores={"A": np.where(without, np.nan, items.scores["A"])})
    votes, scores = fitted(partly, MODEL.draws(5))
    posterior = label_posterior(partly, votes, scores)
    np.testing.assert_array_equal(scores["A"].pattern, votes.pattern[~without])
    chance, known = expit(votes.log_odds[2])[votes.pattern], items.gold != NO_GOLD
    by_votes = np.where(known, items.gold, chance)
    np.testing.assert_array_equal(posterior.probability(2, NO_PREDICTOR, rng()), by_votes)
    found = posterior.probability(2, "A", rng())
    by_votes_alone = known | without
    np.testing.assert_array_equal(found[by_votes_alone], by_votes[by_votes_alone])
    assert (found[~by_votes_alone] != chance[~by_votes_alone]).mean() > 0.9
    alone = posterior.without_own_gold(2, "A", rng())
    assert ((alone > 0) & (alone < 1)).all()


def test_a_predictor_of_hardly_any_item_has_no_score_model():
    items, _ = MODEL.draw(50, 10, rng())
    items = replace(items, scores={"A": np.where(np.arange(50) == 3, 0.2, np.nan)})
    votes, scores = fitted(items, MODEL.draws(3))
    assert scores == {}
    posterior = label_posterior(items, votes, scores)
    assert np.isfinite(posterior.probability(0, "A", rng())).all()


def test_judges_who_are_alike_are_grouped_by_their_positive_votes():
    b = np.repeat([[-1.0], [1.0]], 5, axis=1)
    groups = group_patterns(one_draw(b, 0.3), EVERY, np.ones(32), (6, 1))
    np.testing.assert_array_equal(groups.group, EVERY.sum(axis=1))
    sets = group_sets(groups.group, np.full(32, NO_GOLD))
    ranks = BinnedRanks.of(sets.member, Ranking.of(np.arange(32)), len(sets))
    found = panel_chances(one_draw(b, 0.3), groups)
    share = ranks.conditioned(sets, found, 0).pattern_shares().sum(axis=0)
    np.testing.assert_allclose(share, np.array([1, 5, 10, 10, 5, 1]) / 32)
