"""The corrected rate and its variance against derivatives, enumeration and limits; its errors."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from crowdgold.models.judge_error import (
    ADJUSTED,
    JudgementCounts,
    correct_rate,
    corrected_rate,
    corrected_variance,
    draw_rates,
)
from crowdgold.types.errors import InputError

POST = JudgementCounts(645, 1000, 180, 20, 190, 10)
"""What is expected of the paper's simulation."""
WITHIN = JudgementCounts(320, 500, 60, 8, 29, 3, within=True)


def printed_variance(p_j, q_pos, q_neg, n, m1, m0):
    """The variance as printed."""
    d = q_pos + q_neg - 1
    first = p_j * (1 - p_j) / n / d**2
    second = q_pos * (1 - q_pos) / m1 * (p_j - 1 + q_neg) ** 2 / d**4
    return first + second + q_neg * (1 - q_neg) / m0 * (p_j - q_pos) ** 2 / d**4


def test_the_papers_example():
    """p_J = 0.7 0.9 + 0.3 0.05 = 0.645 exactly, and it is corrected to 0.7."""
    found = correct_rate(POST, interval="paper")
    assert found.judged_rate == 0.645
    assert found.estimate == pytest.approx(0.7, abs=1e-15)
    assert found.standard_error**2 == pytest.approx(
        printed_variance(0.645, 0.9, 0.95, 1e3, 200, 200)
    )
    assert (found.upper - found.lower) / 2 == pytest.approx(1.959964 * found.standard_error)
    assert found.standard_error > np.sqrt(0.645 * 0.355 / 1000)


def test_the_checks_of_the_formula():
    """Perfect judges change nothing; without false positives p is above p_J, without false
    negatives below; the formula is undone by the rate that judges would find."""
    p_j, q = np.meshgrid(np.linspace(0.05, 0.95, 19), np.linspace(0.5, 0.95, 10))
    assert corrected_rate(p_j, 1.0, 1.0) == pytest.approx(p_j)
    assert (corrected_rate(p_j, q, 1.0) > p_j).all()
    assert corrected_rate(p_j, q, 1.0) == pytest.approx(p_j / q)
    assert (corrected_rate(p_j, 1.0, q) < p_j).all()
    assert corrected_rate(p_j * 0.8 + (1 - p_j) * 0.3, 0.8, 0.7) == pytest.approx(p_j)


def test_the_variance_is_that_of_the_gradient():
    """Against numerical derivatives and the covariances of the judgements, in both designs."""
    rates, sizes, step = np.array([0.4, 0.85, 0.9]), (300, 80, 120), 1e-6
    up, down = (
        np.array([corrected_rate(*(rates + sign * step * row)) for row in np.eye(3)])
        for sign in (1, -1)
    )
    gradient = (up - down) / (2 * step)
    spread = rates * (1 - rates)
    covariance = np.diag(spread / sizes)
    expected = gradient @ covariance @ gradient
    assert corrected_variance(*rates, *sizes) == pytest.approx(expected, rel=1e-8)
    assert expected == pytest.approx(printed_variance(*rates, *sizes))
    covariance[0, 1] = covariance[1, 0] = spread[1] / 300
    covariance[0, 2] = covariance[2, 0] = -spread[2] / 300
    expected = gradient @ covariance @ gradient
    assert corrected_variance(*rates, *sizes, within=True) == pytest.approx(expected, rel=1e-8)


def test_with_gold_for_all_items_it_is_their_share():
    counts = JudgementCounts(65, 150, 55, 15, 70, 10, within=True)
    found = correct_rate(counts, interval="paper")
    share = 70 / 150
    assert found.estimate == pytest.approx(share)
    assert found.standard_error**2 == pytest.approx(share * (1 - share) / 150)


def coverage_of_all_counts(p, tpr, tnr, m, interval):
    """Exact chances, over every outcome of 300 judged items and m gold labels of each class, that
    there is an interval and it holds p; that the estimate is inside [0, 1]; and both."""
    k, tp, tn = np.meshgrid(np.arange(301), np.arange(m + 1), np.arange(m + 1), indexing="ij")
    chance = binom.pmf(k, 300, p * tpr + (1 - p) * (1 - tnr))
    chance = chance * binom.pmf(tp, m, tpr) * binom.pmf(tn, m, tnr)
    k, tp, tn, chance = (part[tp + tn > m] for part in (k, tp, tn, chance))
    counts = JudgementCounts(k, np.full_like(k, 300), tp, m - tp, tn, m - tn)
    found = correct_rate(counts, interval=interval, outside="keep")
    covered, inside = (found.lower <= p) & (p <= found.upper), abs(found.raw - 0.5) <= 0.5
    beyond = (found.upper < 0) | (found.lower > 1)  # what is refused holds nothing
    return (chance[which].sum() for which in (covered & ~beyond, inside, covered & inside))


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.7, 0.95])
def test_the_adjusted_interval_covers_with_few_gold_labels(p):
    """By enumeration, without Monte Carlo error; its authors report small dips below 0.95, and the
    paper's interval is the control."""
    covered, *_ = coverage_of_all_counts(p, 0.9, 0.95, 20, ADJUSTED)
    assert covered > 0.945
    if p in (0.1, 0.95):
        covered, *_ = coverage_of_all_counts(p, 0.9, 0.95, 20, "paper")
        assert covered < 0.9


@pytest.mark.parametrize("gold", [20, 50])
@pytest.mark.parametrize("p", [0.01, 0.99])
def test_intervals_cover_where_many_estimates_are_outside(p, gold):
    """By enumeration; to refuse estimates outside [0, 1] is the control: two in five estimates are
    outside, and two in five data sets then had no interval at all."""
    covered, inside, both = coverage_of_all_counts(p, 0.8, 0.9, gold, ADJUSTED)
    assert covered > 0.95
    assert inside < 0.62
    assert both < 0.62
    _, inside, both = coverage_of_all_counts(p, 0.8, 0.9, gold, "paper")
    assert both / inside < 0.9


@pytest.mark.parametrize(
    ("changes", "options", "why"),
    [
        ({"positive": 1.5}, {}, "positive: found 1.5, expected a count"),
        ({"judged": float("nan")}, {}, "judged: found nan"),
        ({"true_negatives": 0, "false_positives": 0}, {}, "gold negatives: found 0.*TNR"),
        ({"true_positives": 5, "false_negatives": 195}, {}, r"0.025 \+ 0.95 = 0.975"),
        ({"positive": 20}, {}, "whole interval is beyond -0.0007.*, outside 0 to 1: .* from 0.05"),
        ({"positive": 995}, {}, "whole interval is beyond 1.0.*, outside 0 to 1: .* to 0.9"),
        ({}, {"level": 1}, "level"),
        ({}, {"level": float("nan")}, "level"),
        ({}, {"interval": "wald"}, "interval"),
        ({}, {"outside": "cut"}, "outside"),
    ],
)
def test_what_cannot_be_corrected_is_refused(changes, options, why):
    """Beside the command lines of `bad_inputs.counts`."""
    with pytest.raises(InputError, match=why):
        correct_rate(replace(POST, **changes), **options)


@pytest.mark.parametrize(("positive", "end"), [(40, 0.0), (920, 1.0)])
def test_an_estimate_outside_is_moved_and_the_interval_is_cut(positive, end):
    beyond = replace(POST, positive=positive)
    kept, moved = correct_rate(beyond, outside="keep"), correct_rate(beyond)
    assert kept.note == ""
    assert kept.estimate == kept.raw == moved.raw
    assert abs(kept.estimate - 0.5) > 0.5
    near, far = ("lower", "upper") if end == 0 else ("upper", "lower")
    assert moved.estimate == getattr(moved, near) == end
    assert getattr(moved, far) == getattr(kept, far)
    assert f"gives {kept.raw:.4g}, which is outside 0 to 1" in moved.note
    assert f"moved to {end:g}" in moved.note


def test_an_estimate_inside_stays_and_arrays_are_moved_each():
    found = correct_rate(replace(POST, positive=np.array([40, 645, 920])), interval="paper")
    assert found.estimate == pytest.approx([0, 0.7, 1])
    assert (found.lower[0], found.upper[2]) == (0, 1)
    assert found.raw[1] == found.estimate[1]
    assert correct_rate(POST).note == found.note == ""


def test_no_error_of_the_judges_is_not_taken_for_certainty():
    spotless = replace(POST, true_positives=20, false_negatives=0)
    paper, adjusted = (correct_rate(spotless, interval=one) for one in ("paper", "adjusted"))
    assert "TPR = 1 for certain" in paper.note
    assert adjusted.note == ""
    assert adjusted.upper - adjusted.lower > paper.upper - paper.lower


def posterior_on_a_grid(counts, size=160):
    """Mean and standard deviation of p, q+ and q- by brute force, at the midpoints of a grid."""
    middle = (np.arange(size) + 0.5) / size
    p, tpr, tnr = np.meshgrid(middle, middle, middle, indexing="ij", sparse=True)
    k, rest = counts.positive, counts.judged - counts.positive
    # With a prior of q ^ -1/2 (1 - q) ^ -1/2 of both.
    terms = [
        (tpr, counts.true_positives - 0.5, counts.false_negatives - 0.5),
        (tnr, counts.true_negatives - 0.5, counts.false_positives - 0.5),
    ]
    if counts.within:
        terms.append((p, counts.gold_positives, counts.gold_negatives))
        k = k - counts.true_positives - counts.false_positives
        rest = rest - counts.false_negatives - counts.true_negatives
    terms.append((p * tpr + (1 - p) * (1 - tnr), k, rest))
    log = sum(one * np.log(q) + other * np.log(1 - q) for q, one, other in terms)
    weight = np.where(tpr + tnr > 1, np.exp(log - log.max()), 0.0)
    weight /= weight.sum()
    means = [(weight * value).sum() for value in (p, tpr, tnr)]
    squares = [(weight * value**2).sum() for value in (p, tpr, tnr)]
    return [(m, np.sqrt(square - m**2)) for m, square in zip(means, squares, strict=True)]


@pytest.mark.parametrize(
    "counts",
    [
        JudgementCounts(30, 60, 14, 4, 17, 3),
        JudgementCounts(9, 60, 14, 4, 9, 3),
        WITHIN,
        JudgementCounts(16, 80, 6, 3, 20, 4, within=True),
    ],
)
def test_the_posterior_against_brute_force(counts):
    """40,000 draws: means within 5 of their standard errors, and 1e-3 for the grid, deviations
    within 5 of theirs, sd / sqrt(2 D), for tails no heavier than twice the normal's."""
    size = 40_000
    drawn = draw_rates(counts, size, np.random.default_rng(11))
    for values, (mean, spread) in zip(drawn, posterior_on_a_grid(counts), strict=True):
        assert abs(values.mean() - mean) < 5 * spread / np.sqrt(size) + 1e-3
        assert abs(values.std() - spread) < 2 * 5 * spread / np.sqrt(2 * size) + 1e-3


def test_the_posterior_needs_no_gold_and_stays_inside_where_the_estimate_does_not():
    """Without gold, and with one positive and one negative judgement, the mean of p is 1/2 by
    symmetry: to 5 errors of 20,000 draws."""
    drawn = draw_rates(JudgementCounts(1, 2, 0, 0, 0, 0), 20_000, np.random.default_rng(3))
    assert abs(drawn.rate.mean() - 0.5) < 5 * 0.3 / np.sqrt(20_000)
    assert (drawn.tpr + drawn.tnr > 1).all()
    rate = draw_rates(replace(POST, positive=20), 2000, np.random.default_rng(4)).rate
    assert 0 <= rate.min() < rate.max() < 0.1
    for counts, said in (
        (JudgementCounts(0, 10**6, 500, 0, 500, 500), "rule this out"),
        (JudgementCounts(500, 1000, 2, 250, 2, 246, within=True), "rule out that it is more than"),
    ):
        with pytest.raises(InputError, match=said):
            draw_rates(counts, 100, np.random.default_rng(5))
