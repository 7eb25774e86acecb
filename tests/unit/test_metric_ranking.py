"""Rank centrality, the permutation test, and studies of metrics."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import pearsonr

from crowdgold.metrics.rank_centrality import permutation_test, rank_centrality
from crowdgold.papers.soft_metrics.experiments import compute_metric_study, fisher_band, made_metric
from crowdgold.simulate.pairwise_choices import draw_choices
from crowdgold.types.errors import InputError

STRENGTH = np.array([0.4, 0.3, 0.2, 0.1])


def walk(wins, ties=None, steps=20_000):
    """Rank centrality by walking: the printed chain, its step as printed, until it stands still."""
    total = wins + wins.T + (0 if ties is None else ties)
    weight = np.divide(wins, total, out=np.zeros_like(wins), where=total > 0)
    chain = weight / (total > 0).sum(axis=1).max()
    chain += np.diag(1 - chain.sum(axis=1))
    at = np.full(len(wins), 1 / len(wins))
    for _ in range(steps):
        at = at @ chain
    return at


@pytest.mark.parametrize("compared", ["decided", "all"])
def test_scores_are_where_the_walk_stands_still(compared):
    # Where there is no end of judgements: the column wins over the row by its share.
    share = STRENGTH / (STRENGTH + STRENGTH[:, None])
    wins = 1e6 * (share - np.diag(np.diag(share)))
    assert rank_centrality(wins, 0 * wins, compared) == pytest.approx(STRENGTH)
    rng = np.random.default_rng(1)
    wins = rng.integers(0, 6, (5, 5)).astype(float)
    half = rng.integers(0, 4, (5, 5))
    ties = (half + half.T).astype(float)
    wins[0, 3] = wins[3, 0] = ties[0, 3] = ties[3, 0] = 0
    np.fill_diagonal(wins, 0)
    np.fill_diagonal(ties, 0)
    expected = walk(wins, ties if compared == "all" else None)
    found = rank_centrality(wins, ties, compared)
    assert found == pytest.approx(expected, abs=1e-9)
    assert found.sum() == pytest.approx(1)


def test_those_who_never_win_are_refused_and_a_prior_helps():
    wins = np.array([[0, 4, 4], [4, 0, 4], [0, 0, 0]])
    with pytest.raises(InputError, match=r"C.* no side both wins and loses"):
        rank_centrality(wins.T, names=["A", "B", "C"])
    found = rank_centrality(wins.T, prior=0.5)
    assert found[2] == min(found)
    apart = np.zeros((4, 4))
    apart[0, 1] = apart[1, 0] = apart[2, 3] = apart[3, 2] = 1
    with pytest.raises(InputError, match="do not rank all"):
        rank_centrality(apart, prior=1)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((np.zeros((2, 3)),), "wins: found shape"),
        ((np.array([[0, -1], [1, 0]]),), "below 0"),
        ((np.zeros((1, 1)),), "found 1 competitor"),
        ((np.ones((2, 2)), np.array([[0, 1], [2, 0]])), "undecided: expected the same"),
        ((np.ones((2, 2)), None, "most"), "compared: found 'most'"),
        ((np.ones((2, 2)), None, "all", -1), "prior: found -1"),
    ],
)
def test_impossible_comparisons_are_named(arguments, why):
    with pytest.raises(InputError, match=why):
        rank_centrality(*arguments)


@pytest.mark.parametrize(
    ("values", "why"), [([1.0] * 4, "found values that are all the same"), ([1.0] * 2, "3 or more")]
)
def test_values_that_correlate_with_nothing_are_refused(values, why):
    with pytest.raises(InputError, match=why):
        permutation_test(np.array(values), STRENGTH[: len(values)], 9, np.random.default_rng(4))


def test_the_p_value_is_that_of_all_permutations():
    """Six methods, 720 permutations: the random test's share is within 5 binomial errors."""
    rng = np.random.default_rng(2)
    first = rng.normal(size=6)
    second = first + rng.normal(size=6)
    found, p_value = permutation_test(first, second, 20_000, rng)
    assert found == pytest.approx(pearsonr(first, second).statistic)
    every = [abs(np.corrcoef(first, order)[0, 1]) for order in permutations(second)]
    exact = np.mean(np.array(every) >= abs(found) - 1e-12)
    assert abs(p_value - exact) < 5 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4


def test_without_a_relation_p_values_are_uniform():
    """Of 400 unrelated pairs p is at most 0.05 in 5 %, within 5 binomial errors."""
    rng = np.random.default_rng(3)
    found = [permutation_test(*rng.normal(size=(2, 13)), 199, rng)[1] for _ in range(400)]
    share = np.mean(np.array(found) <= 0.05)
    assert abs(share - 0.05) < 5 * np.sqrt(0.05 * 0.95 / 400)


def test_choices_have_their_chances():
    """Pooled over 4,000 judgements a pair: shares within 5 binomial errors; ties are symmetric."""
    found = draw_choices(STRENGTH, 4000, 2.3, 0.0, 0.3, np.random.default_rng(5))
    assert (found.undecided == found.undecided.T).all()
    assert (found.wins + found.wins.T + found.undecided)[0, 1:].tolist() == [4000] * 3
    decided = 4000 - found.undecided[0, 3]
    assert abs(found.undecided[0, 3] / 4000 - 0.3) < 5 * np.sqrt(0.21 / 4000)
    assert abs(found.wins[0, 3] / decided - 0.2) < 5 * np.sqrt(0.16 / decided)
    with pytest.raises(InputError, match=r"judges: found 0.5"):
        draw_choices(STRENGTH, 8, 0.5, 0.0, 0.3, np.random.default_rng(5))


def test_effects_of_instances_make_judges_agree():
    """With an effect of sd 3 the wins of a pair vary more than a binomial's do."""
    rng = np.random.default_rng(6)
    equal = np.ones(2)
    spread = [
        np.var([draw_choices(equal, 40, 8, sd, 0.0, rng).wins[0, 1] for _ in range(200)])
        for sd in (0.0, 3.0)
    ]
    assert spread[0] < 2 * 10 < spread[1]


def test_a_made_metric_has_its_correlation_and_studies_find_less():
    rng = np.random.default_rng(7)
    made = made_metric(STRENGTH, 0.6, rng)
    assert np.corrcoef(made, STRENGTH)[0, 1] == pytest.approx(0.6)
    low, high = fisher_band(0.6, 13, 0.95)
    assert np.arctanh([low, high]) == pytest.approx(
        np.arctanh(0.6) + np.array([-1, 1]) * 1.959964 / np.sqrt(10)
    )
    study = {
        "strengths": [0.126, 0.109, 0.098, 0.085, 0.07, 0.048, 0.024], "judgements": 8,
        "judges": 2.3, "instance_sd": 0, "undecided": 0.33, "correlations": [0.9, 0.0],
        "studies": 40, "permutations": 19, "level": 0.95,
    }  # fmt: skip
    table = compute_metric_study(study, rng)
    assert table["correlation"].tolist() == [0, 0.9]
    none, much = table.to_dict("records")
    assert abs(none["mean"]) < 5 * 0.4 / np.sqrt(40)
    assert 0.4 < much["mean"] < 0.9
    assert much["ranked_right"] > 0.8
    assert np.isnan(none["ranked_right"])
