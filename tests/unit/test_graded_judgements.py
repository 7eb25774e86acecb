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
    """The estimate exactly; the variance with a degree of freedom less for each mean, and with two
    labels more of either class, of which one is right.
    """
    judged = np.repeat([1, 0], [645, 355])[:, None]
    gold = np.array([[190, 10], [20, 180]])
    found = correct_gain(grade_weights(judged, np.ones(1), 2), gold, np.array([0.0, 1.0]))
    assert found.estimate == pytest.approx(corrected_rate(0.645, 0.9, 0.95))
    assert found.judged == 0.645
    q_pos, q_neg = 181 / 202, 191 / 202
    of_gold = printed_variance(0.645, q_pos, q_neg, np.inf, 201, 201)
    of_judged = 0.645 * 0.355 / 999 / 0.85**2
    assert found.standard_error**2 == pytest.approx(of_gold + of_judged)
    reach = (found.upper - found.lower) / 2
    assert 1.959964 < reach / found.standard_error < 1.98  # a thousand degrees of freedom
    ten = grade_weights(np.array([[1], [0]] * 5), np.ones(1), 2)
    few = correct_gain(ten, 100 * gold, np.array([0.0, 1.0]))
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
    weights, gold = np.random.default_rng(2).dirichlet(np.ones(3), 40), CONFUSION * 200
    smoothed = (gold + 2 / 3) / 202

    def mean(confusion):
        return float(weights.mean(axis=0) @ np.linalg.solve(confusion, GAINS))

    step, variance = 1e-6, 0.0
    for grade in range(3):
        moved = np.array([smoothed] * 3)
        moved[np.arange(3), grade, np.arange(3)] += step
        slope = np.array([(mean(one) - mean(smoothed)) / step for one in moved])
        row = smoothed[grade]
        variance += slope @ (np.diag(row) - np.outer(row, row)) @ slope / 201
    found = correct_gain(weights, gold, GAINS)
    of_queries = (weights @ corrected_gains(CONFUSION, GAINS)).var(ddof=1) / 40
    assert found.standard_error**2 - of_queries == pytest.approx(variance, rel=1e-4)


def test_the_interval_has_the_level_and_the_degrees_of_both_parts():
    """By hand: 8 gold items of each grade whose part is nearly all, and one of equal parts."""
    weights = np.tile([[0.5, 0.5], [0.5, 0.5]], (500, 1))
    found = correct_gain(weights, np.array([[7, 1], [1, 7]]), np.array([0.0, 1.0]), 0.9)
    # Two equal parts of 7 degrees each: 14, of which the 95 % quantile is 1.761.
    reach = (found.upper - found.lower) / 2
    assert reach / found.standard_error == pytest.approx(1.7613, abs=1e-3)
    # v = W of equal weights is (1/2, 1/2); h = C^-1 g of C with .8 on the diagonal; 10 - 1 labels.
    h = np.linalg.solve([[0.8, 0.2], [0.2, 0.8]], [0, 1])
    each = 0.25 * (0.8 * 0.2 * (h[1] - h[0]) ** 2) / 9
    assert found.standard_error**2 == pytest.approx(2 * each)


def test_gold_labels_that_show_no_error_do_not_say_that_there_is_none():
    """Judges right in .97 of cases, 20 gold labels of either class: 54 % of samples show no error
    of a class. Seeded, 300 studies, coverage above the binomial band's lower end; the plain
    variance is the control, which covers about half.
    """
    rng, right, covered, plain = np.random.default_rng(5), 0.97, 0, 0
    gains, chances = np.array([0.0, 1.0]), np.array([[right, 1 - right], [1 - right, right]])
    for _ in range(300):
        truth = rng.random(2000) < 0.1
        judged = np.where(rng.random(2000) < right, truth, ~truth).astype(int)[:, None]
        gold, weights = rng.multinomial(20, chances), grade_weights(judged, np.ones(1), 2)
        found = correct_gain(weights, gold, gains)
        covered += found.lower <= 0.1 <= found.upper
        q = np.diag(gold) / 20
        variance = printed_variance(weights[:, 1].mean(), q[1], q[0], 2000, 20, 20)
        plain += abs(found.estimate - 0.1) <= 1.96 * variance**0.5
    low = binom.ppf(5e-4, 300, 0.95)
    assert covered >= low
    assert plain < 200 < low


@pytest.mark.parametrize(
    ("queries", "gold", "words"),
    [
        (9, [[5, 5], [5, 5]], "some true grades get the same judged ones"),
        (9, [[1, 5], [5, 1]], "judges are no better than chance"),
        (9, [[5, 1, 0], [1, 5, 0]], r"gold: found shape \(2, 3\), expected \(2, 2\)"),
        (9, [[5, np.nan], [1, 5]], "gold: expected numbers, 0 or more"),
        (9, [[5, -1], [1, 5]], "gold: expected numbers, 0 or more"),
        (9, [[5, 1], [0, 1]], "gold labels of grade 1: found 1, expected 2 or more"),
        (1, [[5, 1], [1, 5]], "queries: found 1, expected 2 or more"),
    ],
)
def test_what_cannot_be_corrected_is_refused(queries, gold, words):
    with pytest.raises(InputError, match=words):
        correct_gain(np.full((queries, 2), 0.5), np.array(gold), np.array([0.0, 1.0]))


def test_a_grade_that_is_none_is_refused_and_shares_stay_within_their_range():
    with pytest.raises(InputError, match="a judged grade: found 5, expected 0 to 2"):
        grade_weights(np.array([[0, 5, 1]]), discounts(3), 3)
    all_high = np.tile([0.0, 1.0], (20, 1))
    found = correct_gain(all_high, np.array([[6, 4], [4, 6]]), np.array([0.0, 1.0]))
    assert (found.estimate, found.upper) == (1.0, 1.0)
    assert found.lower <= 1


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
