"""Corrected ratings against the binary formula, enumeration, numerical derivatives and coverage."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.metrics import dcg_score

from crowdgold.models.graded_judgements import (
    correct_gain,
    corrected_gains,
    discounts,
    grade_weights,
)
from crowdgold.models.judge_error import corrected_rate
from crowdgold.papers.judge_error.simulation import compute_graded_judgements, confusion_of
from crowdgold.types.errors import InputError
from unit.test_judge_error import printed_variance

CONFUSION = np.array([[0.8, 0.15, 0.05], [0.1, 0.7, 0.2], [0.0, 0.3, 0.7]])
GAINS = np.array([0.0, 1.0, 3.0])


def test_two_grades_are_the_posts_formulas():
    """The estimate exactly, the variance with one degree of freedom less for each mean."""
    judged = np.repeat([1, 0], [645, 355])[:, None]
    gold = np.array([[190, 10], [20, 180]])
    found = correct_gain(grade_weights(judged, np.ones(1), 2), gold, np.array([0.0, 1.0]))
    assert found.estimate == pytest.approx(corrected_rate(0.645, 0.9, 0.95))
    assert found.judged == 0.645
    printed = printed_variance(0.645, 0.9, 0.95, 999, 199, 199)
    assert found.standard_error**2 == pytest.approx(printed)
    reach = (found.upper - found.lower) / 2
    assert 1.959964 < reach / found.standard_error < 1.98  # a thousand degrees of freedom
    few = correct_gain(grade_weights(judged[::100], np.ones(1), 2), gold, np.array([0.0, 1.0]))
    # Ten queries, whose part of the variance is nearly all: t of 9 degrees has 2.262.
    assert (few.upper - few.lower) / 2 / few.standard_error == pytest.approx(2.262, abs=0.02)


def test_the_corrected_sum_has_the_true_gain_in_the_mean_whatever_the_grades():
    """Every list of three documents, over all that judges can find; as they stand it is off."""
    counted, weights = corrected_gains(CONFUSION, GAINS), discounts(3)
    off = []
    for truth in itertools.product(range(3), repeat=3):
        mean = naive = 0.0
        for judged in itertools.product(range(3), repeat=3):
            chance = np.prod(CONFUSION[truth, judged])
            mean += chance * weights @ counted[list(judged)]
            naive += chance * weights @ GAINS[list(judged)]
        assert mean == pytest.approx(weights @ GAINS[list(truth)])
        off.append(abs(naive - weights @ GAINS[list(truth)]))
    assert max(off) > 0.5


def test_weights_of_ranks_are_those_of_dcg():
    grades = np.random.default_rng(1).integers(0, 3, (5, 7))
    found = grade_weights(grades, discounts(7), 3) @ GAINS
    order = np.arange(7, 0, -1)[None, :]
    expected = [dcg_score(GAINS[row][None, :], order) for row in grades]
    assert found == pytest.approx(expected)


def test_the_variance_is_that_of_the_delta_method():
    """The part of the gold labels, by numerical derivatives and the covariance of multinomials."""
    weights = np.random.default_rng(2).dirichlet(np.ones(3), 40)
    gold = CONFUSION * 200

    def mean(confusion):
        return float(weights.mean(axis=0) @ np.linalg.solve(confusion, GAINS))

    step, variance = 1e-6, 0.0
    for grade in range(3):
        moved = np.array([CONFUSION] * 3)
        moved[np.arange(3), grade, np.arange(3)] += step
        slope = np.array([(mean(one) - mean(CONFUSION)) / step for one in moved])
        row = CONFUSION[grade]
        variance += slope @ (np.diag(row) - np.outer(row, row)) @ slope / 199
    found = correct_gain(weights, gold, GAINS)
    of_queries = (weights @ corrected_gains(CONFUSION, GAINS)).var(ddof=1) / 40
    assert found.standard_error**2 - of_queries == pytest.approx(variance, rel=1e-4)


@pytest.mark.parametrize(
    ("queries", "gold", "words"),
    [
        (9, [[5, 5], [5, 5]], "some true grades get the same judged ones"),
        (9, [[5, 1], [0, 1]], "gold labels of grade 1: found 1, expected 2 or more"),
        (1, [[5, 1], [1, 5]], "queries: found 1, expected 2 or more"),
    ],
)
def test_what_cannot_be_corrected_is_refused(queries, gold, words):
    with pytest.raises(InputError, match=words):
        correct_gain(np.full((queries, 2), 0.5), np.array(gold), np.array([0.0, 1.0]))


def test_judges_are_one_grade_off():
    found = confusion_of(4, 0.7, 0.8)
    assert found.sum(axis=1) == pytest.approx(1)
    assert np.diag(found) == pytest.approx(0.7)
    assert found[1, [0, 2]] == pytest.approx([0.06, 0.24])
    assert (found[0, 1], found[3, 2]) == pytest.approx((0.3, 0.3))


def test_intervals_cover_and_those_of_the_grades_as_they_stand_do_not():
    """Seeded; of 300 studies within the binomial band of 3.5 deviations, each of three quantities;
    the control is the naive interval of DCG, far below it.
    """
    sizes = {"queries": 100, "documents": 10, "grades": 4, "gold": 200}
    judges = {"right": 0.75, "lenient": 0.8, "simulations": 300}
    found = compute_graded_judgements({**sizes, **judges}, np.random.default_rng(4))
    low, high = binom.interval(1 - 5e-4, 300, 0.95)
    corrected = found[found["estimator"] == "corrected"]
    assert len(corrected) == 3
    assert np.all((corrected["coverage"] * 300 >= low) & (corrected["coverage"] * 300 <= high))
    assert np.all(np.abs(corrected["bias"]) < 3.5 * corrected["bias_se"])
    naive = found[found["estimator"] == "naive"].set_index("quantity")
    assert naive.loc["DCG", "coverage"] * 300 < low
    assert naive.loc["DCG", "bias"] > 10 * naive.loc["DCG", "bias_se"]
