"""Predictions of labels: what they are made of, and that an item's own gold label is not in it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, ndtri

from crowdgold.inference.estimate import View
from crowdgold.inference.labels import ImputesGold, LabelPosterior, LabelPrediction
from crowdgold.inference.rectified import drawn_labels
from crowdgold.methods.maven import _posterior
from crowdgold.methods.raw_predictions import predictions
from crowdgold.methods.registry import fit
from crowdgold.models.exact_cut import ScoreDraws
from crowdgold.models.joint_model import ScoreMixtureDraws, label_probability
from crowdgold.models.logistic import FOLDS, INTERCEPT_PRECISION, cross_fit, features, rank_share
from crowdgold.models.vote_sets import VoteParameters, find_vote_sets
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD
from unit.reference import Theta, algorithm_1, make_items

THETA = Theta(0.3, (0.2, 0.6), (1.5, 1.5), 1.0, 1.0)


def rng(seed=0):
    return np.random.default_rng(seed)


def with_gold(items, gold):
    return make_items(
        items.votes_positive, items.votes_total, gold, dict(items.scores), items.tie_break
    )


def test_scores_that_are_probabilities_are_taken_as_they_are():
    scores = {"A": np.array([0.0, 0.4, 1.0]), "B": np.array([-0.1, 0.4, 0.2])}
    found = predictions(make_items([0, 1, 2], 2, -1, scores))
    assert found["A"].tolist() == [0.0, 0.4, 1.0]
    assert found["B"] == pytest.approx([1 / 6, 5 / 6, 3 / 6])


def test_equal_scores_have_the_middle_of_their_ranks():
    for scores, expected in (([2, 1, np.nan, 2, 3], [0.5, 0.125, 0.5, 0.5, 0.875]),
                             ([np.nan] * 2, [0.5] * 2)):  # fmt: skip
        assert rank_share(np.array(scores)).tolist() == expected


def test_vote_shares_are_the_same_for_all_predictors():
    items = make_items([0, 1, 3], [2, 2, 4], [1, 0, 1], {"A": np.arange(3.0), "B": np.zeros(3)})
    found = fit("votes-R", items, rng()).labels.probability
    assert found["A"].tolist() == found["B"].tolist() == [0, 0.5, 0.75]


def test_features_by_hand():
    """An item without a score is in the middle of that model's ranking."""
    items = algorithm_1(THETA, 300, 3, 60, rng(1))
    scores = {"A": items.scores["A"], "B": np.where(np.arange(300) < 50, np.nan, items.scores["A"])}
    columns = features(replace(items, scores=scores))
    odds = np.log((items.votes_positive + 0.5) / (3 - items.votes_positive + 0.5))
    rank_a = ndtri((np.argsort(np.argsort(scores["A"])) + 0.5) / 300)
    rank_b = np.zeros(300)
    rank_b[50:] = ndtri((np.argsort(np.argsort(scores["A"][50:])) + 0.5) / 250)
    mean = (rank_a + rank_b) / 2
    expected = [np.ones(300), (odds - odds.mean()) / odds.std(), (mean - mean.mean()) / mean.std(),
                rank_a - mean, rank_b - mean]  # fmt: skip
    np.testing.assert_allclose(columns.T, expected, atol=1e-12)
    assert features(replace(items, scores={})).shape == (300, 2)


def dealt(columns):
    """The folds of gold items: sorted by votes, within these by mean rank, and dealt in turn."""
    fold = np.empty(len(columns), int)
    fold[np.lexsort((columns[:, 2], columns[:, 1]))] = np.arange(len(columns)) % FOLDS
    return fold


def test_regression_by_folds():
    """Gold items by the other folds, others by the mean of all, by a general optimiser."""
    items = algorithm_1(THETA, 300, 3, 60, rng(1))
    columns, gold = features(items), items.gold.astype(int)
    centre, precision = np.array([0, 1, 1]), np.array([INTERCEPT_PRECISION, 1, 1])
    found = cross_fit(columns, items)
    fold = dealt(columns[:60])
    assert np.bincount(fold).tolist() == [3] * FOLDS
    expected = np.zeros(300)
    for one in range(FOLDS):
        x, y = columns[:60][fold != one], gold[:60][fold != one]

        def loss(b, x=x, y=y):
            eta = x @ b
            prior = 0.5 * np.sum(precision * (b - centre) ** 2)
            return np.logaddexp(0, eta).sum() - y @ eta + prior

        guess = expit(columns @ minimize(loss, centre, method="BFGS", tol=1e-10).x)
        expected[:60] += np.where(fold == one, guess[:60], 0)
        expected[60:] += guess[60:] / FOLDS
    assert found == pytest.approx(expected, abs=1e-5)
    # It learns: better than the prevalence of the gold items.
    y = items.truth[60:]
    assert np.mean((found[60:] - y) ** 2) < 0.85 * np.mean((gold[:60].mean() - y) ** 2)


def test_an_items_own_gold_label_is_not_in_its_cross_fitted_prediction():
    """Its fold's predictions stay as they are to the last bit when it changes; all others move."""
    items = algorithm_1(THETA, 200, 3, 50, rng(3))
    columns = features(items)
    fold = dealt(columns[:50])
    for changed in (0, 7, 31):
        gold = items.gold.copy()
        gold[changed] = 1 - gold[changed]
        before, after = (cross_fit(columns, replace(items, gold=g)) for g in (items.gold, gold))
        same = np.append(fold == fold[changed], np.zeros(150, bool))
        assert np.array_equal(before[same], after[same])
        assert np.all(before[~same] != after[~same])


def test_neither_rows_nor_columns_decide_who_is_dealt_where():
    """Items alike in votes and scores are dealt by their identifiers; drawn labels do not move."""
    items = algorithm_1(THETA, 200, 3, 50, rng(3))
    scores = {"b": np.round(items.scores["A"]), "a": np.round(2 * items.scores["A"]) % 3}
    moved = rng(4).permutation(200)
    for tied in ({}, scores):
        one = replace(items, scores=tied)
        two = replace(one.take(moved), scores={name: tied[name][moved] for name in sorted(tied)})
        found, other = (cross_fit(features(table), table) for table in (one, two))
        np.testing.assert_allclose(found[moved], other, rtol=1e-9)
        drawn = [drawn_labels(*table, 3) for table in ((one, found), (two, found[moved]))]
        np.testing.assert_array_equal(drawn[0][:, moved], drawn[1])


def test_folds_without_a_class_and_few_labels():
    columns = np.column_stack([np.ones(20), rng(0).normal(size=20)])
    gold = np.full(20, NO_GOLD)
    gold[:6] = [1, 0, 0, 0, 0, 0]
    items = make_items([0] * 20, 1, gold)
    found = cross_fit(columns, items)
    assert np.all((found > 0) & (found < 1))
    assert found[0] < 0.2  # the one positive is predicted from five negatives
    gold[1:] = NO_GOLD
    with pytest.raises(InputError, match="at least 2; the table has 1"):
        cross_fit(columns, replace(items, gold=gold))


def maven_posterior(items, draws=3):
    """MAVEN's posterior at fixed parameters."""
    vote = VoteParameters(
        np.full(draws, THETA.phi), np.tile(THETA.a, (draws, 1)), np.tile(THETA.d, (draws, 1))
    )
    scores = {"A": ScoreDraws(np.full(draws, 1.0), np.linspace(0.5, 1.5, draws), 0)}
    return _posterior(items, find_vote_sets(items), vote, scores, {"A": items.ranking("A")})


def test_an_items_own_gold_label_is_not_in_mavens_prediction():
    """With parameters fixed no label moves it; the control: the imputing probability does."""
    items = algorithm_1(THETA, 150, 3, 50, rng(5))
    flipped = with_gold(items, np.where(items.gold >= 0, 1 - items.gold, NO_GOLD))
    none = with_gold(items, NO_GOLD)
    for draw in range(3):
        posterior, other, unlabelled = map(maven_posterior, (items, flipped, none))
        found = posterior.without_own_gold(draw, "A", rng(6))
        assert np.array_equal(found, other.without_own_gold(draw, "A", rng(6)))
        assert np.array_equal(found, unlabelled.probability(draw, "A", rng(6)))
        assert np.all((found > 0) & (found < 1))
        imputing = posterior.probability(draw, "A", rng(6))
        assert np.array_equal(imputing[:50], items.gold[:50])
        assert np.array_equal(imputing[50:], found[50:])


def test_predictions_are_means_over_draws_and_methods_give_them_without_random_numbers():
    items = algorithm_1(THETA, 100, 3, 40, rng(7))
    for method in ("score-R", "votes-R", "logistic-R"):
        labels, again = (fit(method, items, rng(seed)).labels for seed in (1, 2))
        assert isinstance(labels, LabelPrediction)
        own = labels.probability["A"]
        assert np.array_equal(own, again.probability["A"])
        assert labels.probabilities(View(items, "A"), rng()) == pytest.approx(own)

    def without(draw, predictor, source):
        return np.array([0.1, 0.4]) * (draw + 1) * (2 if predictor == "B" else 1)

    posterior = LabelPosterior(2, lambda *_: np.ones(2), without_own_gold=without)
    two = make_items([0, 1], 2, -1, {"A": np.arange(2.0), "B": np.arange(2.0)})
    found = posterior.predictions(two, rng(), 100)
    assert found["A"] == pytest.approx([0.15, 0.6])
    assert found["B"] == pytest.approx([0.3, 1.2])


def test_labels_are_imputed_as_if_no_gold_were_known_where_that_is_asked_for():
    """Of MAVEN and of a model of votes and scores, at fixed parameters; by default gold is kept."""
    items = algorithm_1(THETA, 150, 3, 150, rng(8))
    unlabelled = with_gold(items, NO_GOLD)
    posterior = maven_posterior(items)
    assert ImputesGold().imputed(posterior) is posterior
    drawn = ImputesGold(gold_labels="drawn").imputed(posterior)
    found = drawn.probability(1, "A", rng(9))
    assert np.array_equal(found, maven_posterior(unlabelled).probability(1, "A", rng(9)))
    with pytest.raises(InputError, match="gives no label without the item's own"):
        LabelPosterior(1, lambda *_: np.ones(1)).as_if_no_gold()
    vote = VoteParameters(np.array([0.3]), np.array([[0.2, 0.6]]), np.full((1, 2), np.inf))
    draws = ScoreMixtureDraws(vote, np.array([[0.0, 1.0]]), np.ones(1))
    sets = find_vote_sets(items)
    of_votes, no_gold = (
        label_probability(draws, 0, items.scores["A"], sets, known) for known in (True, False)
    )
    assert np.array_equal(of_votes, items.gold)
    none = find_vote_sets(unlabelled)
    expected = label_probability(draws, 0, items.scores["A"], none)
    assert no_gold == pytest.approx(expected)
    assert np.all((no_gold > 0) & (no_gold < 1))
