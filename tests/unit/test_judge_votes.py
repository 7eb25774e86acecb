"""The model of named judges in NumPy against brute force, and what its methods ask of a table."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, ndtr
from scipy.stats import norm

from crowdgold.evaluation.jobs import Stratum, items_of
from crowdgold.methods.needs import FEW_ANNOTATORS, Has
from crowdgold.methods.registry import fit
from crowdgold.models.judge_votes import JudgeDraws, draw_prior, find_rows
from crowdgold.models.logistic import cross_fit, features
from crowdgold.reading.study import Study
from crowdgold.simulate import simulate
from crowdgold.types.annotations import MISSING, labels_by_judge
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD

JUDGES = {"ann": {"tpr": 0.9, "tnr": 0.85}, "bob": {"tpr": 0.7, "tnr": 0.9},
          "eve": {"tpr": 0.2, "tnr": 0.3}, "kim": {"tpr": 0.8, "tnr": 0.8}}  # fmt: skip
GIVEN = {"n": 400, "n_gold": 80, "phi": 0.3, "judges": JUDGES, "votes_total": 4,
         "predictors": {"A": {"mu": 1.2}}}  # fmt: skip


def drawn(seed=1, **changes):
    return simulate("panel", {**GIVEN, **changes}, np.random.default_rng(seed)).table


def brute_force(votes, b, r):
    """P(votes | Y = y) by adaptive quadrature over the common effect."""

    def at(u):
        chance = ndtr((b + np.sqrt(r) * u) / np.sqrt(1 - r))
        each = np.where(votes == 1, chance, np.where(votes == 0, 1 - chance, 1.0))
        return each.prod() * norm.pdf(u)

    return quad(at, -8, 8, limit=400, points=np.linspace(-4, 4, 9))[0]


def test_masses_are_those_of_brute_force():
    """To 2e-4 up to a latent correlation of .85, and to 2 % at the end of the prior."""
    rng = np.random.default_rng(2)
    votes = rng.integers(-1, 2, (12, 4))
    for r, close in (((0.0, 0.3), 2e-4), ((0.6, 0.85), 2e-4), ((0.9, 0.9), 0.02)):
        b = rng.normal([[-1], [1]], 0.6, (2, 4))
        found = np.exp(JudgeDraws(np.array([0.3]), b[None], np.array([r])).log_masses(votes)[0])
        expected = [[brute_force(one, b[y], r[y]) for one in votes] for y in (0, 1)]
        np.testing.assert_allclose(found, expected, rtol=close)


def test_masses_of_all_votes_add_to_one():
    every = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T
    draws = draw_prior(4, np.random.default_rng(3), size=20)
    np.testing.assert_allclose(np.exp(draws.log_masses(every)).sum(axis=-1), 1, atol=1e-9)


def test_without_a_common_effect_judges_are_independent():
    """Bayes' rule by hand; a judge without a vote says nothing."""
    rng = np.random.default_rng(4)
    b, votes = rng.normal([[-1], [1]], 0.5, (2, 3)), np.array([[1, 0, MISSING], [0, 0, 1]])
    draws = JudgeDraws(np.array([0.2]), b[None], np.zeros((1, 2)))
    rate = ndtr(b)
    for row, found in zip(votes, draws.label_probability(votes)[0], strict=True):
        given = row != MISSING
        like = np.where(row == 1, rate, 1 - rate)[:, given].prod(axis=1)
        assert found == pytest.approx(0.2 * like[1] / (0.2 * like[1] + 0.8 * like[0]))


def test_the_likelihood_of_rows_is_that_of_items():
    items = drawn(votes_total=3)
    votes = labels_by_judge(items.labels)
    rows = find_rows(votes, items.gold)
    assert rows.count.sum() == len(items)
    np.testing.assert_array_equal(rows.vote[rows.pattern[rows.member]], votes)
    np.testing.assert_array_equal(rows.gold[rows.member], items.gold)
    draws = draw_prior(4, np.random.default_rng(5), size=3)
    mass = np.exp(draws.log_masses(votes))
    joint = np.stack([(1 - draws.phi)[:, None] * mass[:, 0], draws.phi[:, None] * mass[:, 1]])
    own = np.where(
        items.gold == NO_GOLD, joint.sum(axis=0), np.where(items.gold == 1, *joint[::-1])
    )
    np.testing.assert_allclose(draws.log_likelihood(rows), np.log(own).sum(axis=1))


@pytest.mark.parametrize(
    ("annotators", "told"), [(None, "who gave"), (2, "found 2"), (16, "found 16")]
)
def test_judges_have_to_be_known_and_few(annotators, told):
    assert told in FEW_ANNOTATORS.lacks(Has(annotators=annotators, most_votes=3)).text
    assert not FEW_ANNOTATORS.lacks(Has(annotators=3, most_votes=3))


def test_methods_of_judges_refuse_what_has_none():
    items = replace(drawn(), labels=None)
    for name in ("judges", "judges-R"):
        with pytest.raises(InputError, match=f"{name} needs to know who gave each vote"):
            fit(name, items, np.random.default_rng(1))


def test_who_gave_each_vote_is_a_feature():
    """Each judge's vote less the item's share, and 0 without a vote; with scores and without."""
    items = drawn(votes_total=3)
    votes = labels_by_judge(items.labels)
    share = items.votes_positive / items.votes_total
    apart = np.where(votes == MISSING, 0, votes - share[:, None])
    for table, before in ((items, features(items)), (replace(items, scores={}), None)):
        found = features(table, judged=votes)
        np.testing.assert_allclose(found[:, -4:], apart)
        if before is not None:
            np.testing.assert_allclose(found[:, :-4], before)
        else:
            assert (found[:, 2] == 0).all()


def test_logistic_regression_finds_the_adversary():
    """Its prediction is better, by the log score, where it is told who gave which vote.

    Over 10 studies the mean gain is .05 to .1 an item, with a standard error of .01; and without
    names it is the regression that it was.
    """
    gain = []
    for seed in range(10):
        items = drawn(seed, n=1500, n_gold=100)
        told = fit("logistic-R", items, np.random.default_rng(1)).labels.probability["A"]
        plain = fit("logistic-R", replace(items, labels=None), np.random.default_rng(1))
        nameless = plain.labels.probability["A"]
        np.testing.assert_array_equal(nameless, cross_fit(features(items), items))
        score = [np.log(np.where(items.truth == 1, p, 1 - p)).mean() for p in (told, nameless)]
        gain.append(score[0] - score[1])
    assert np.mean(gain) > 0.02


def test_items_of_a_study_say_who_voted_where_judges_are_few():
    items = drawn()
    study = Study(replace(items, labels=None), items.labels)
    whole = Stratum("all", 0, np.arange(len(items)))
    assert items_of(study, whole).labels is items.labels
    part = items_of(study, Stratum("a=1", 1, np.array([5, 7, 9])))
    np.testing.assert_array_equal(
        labels_by_judge(part.labels), labels_by_judge(items.labels)[[5, 7, 9]]
    )
    many = replace(items.labels, annotator=np.array([f"a{k}" for k in range(16)], dtype=object))
    assert items_of(Study(replace(items, labels=None), many), whole).labels is None


def test_the_log_odds_stand_in_the_place_of_the_votes():
    items = drawn()
    odds = np.random.default_rng(6).normal(size=len(items))
    found = features(items, odds)
    np.testing.assert_allclose(found[:, 1], (odds - odds.mean()) / odds.std())
    assert expit(found).shape == (len(items), 3)
