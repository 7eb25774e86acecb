"""Curves at many points against the metrics of one point, and against plain loops."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from crowdgold.metrics.binary import (
    FALSE_POSITIVE_RATES,
    POINTS,
    RECALLS,
    curve_points,
    curve_support,
    never_falling,
    parse_metric,
    precision_at_recalls,
    recall_at_false_positive_rates,
)
from crowdgold.metrics.metric import LabelMass, RankedItems
from unit.label_mass_reference import first_share, reached
from unit.reference import make_items


def split_items(seed, n=40):
    """Items with scores and label mass of any size, some of it none."""
    rng = np.random.default_rng(seed)
    items = make_items(rng.integers(0, 4, n), 3, -1, rng.normal(size=n))
    weights = rng.integers(0, 3, n).astype(float)
    share = np.where(rng.random(n) < 0.5, rng.random(n), rng.integers(0, 2, n))
    return LabelMass.of_probability(share, weights), RankedItems.of(items, "A")


@pytest.mark.parametrize("seed", range(3))
def test_points_are_those_of_the_metric_of_one_point(seed):
    mass, ranked = split_items(seed)
    found = precision_at_recalls(mass, ranked, RECALLS)
    for recall, value in zip(RECALLS.tolist(), found, strict=True):
        metric = parse_metric(f"precision_at_recall@{recall}")
        assert value == pytest.approx(metric.value([mass], [ranked]), rel=1e-12)


@pytest.mark.parametrize("labels", [[0, 0], [1, 1], [-1, -1]], ids=str)
def test_without_a_class_there_is_no_roc_curve_and_without_positives_no_precision(labels):
    items = make_items([0, 1], 2, -1)
    mass, ranked = LabelMass.of_labels(np.array(labels)), RankedItems.of(items, "A")
    points = curve_points(mass, ranked)
    assert len(points) == POINTS
    assert np.isfinite(points[: len(RECALLS)]).all() == (1 in labels)
    assert np.isnan(points[len(RECALLS) :]).all()


def test_the_support_of_points_is_that_of_the_metric_of_one_point():
    rng = np.random.default_rng(5)
    labels = (rng.random(60) < 0.3).astype(int)
    ranked = RankedItems.of(make_items([1] * 60, 2, -1, rng.normal(size=60)), "A")
    found = curve_support(labels, ranked)
    metrics = [parse_metric(f"precision_at_recall@{recall}") for recall in RECALLS.tolist()]
    expected = [one.known.rests_on(labels, ranked, one.threshold) for one in metrics]
    np.testing.assert_array_equal(found[: len(RECALLS)], expected)
    assert set(found[len(RECALLS) :]) == {min(labels.sum(), 60 - labels.sum())}


def test_a_curve_that_cannot_fall_is_the_nearest_one_and_keeps_what_its_intervals_hold():
    """No point nor end falls, and what rises inside all given intervals is inside the new ones."""
    rng = np.random.default_rng(1)
    true = np.sort(rng.random(60))
    error = 0.02 + 0.1 * rng.random(60)
    estimate = true + error * rng.standard_normal(60)
    lower, upper = estimate - 3 * error, estimate + 3 * error
    lower[:3], upper[:3], estimate[50] = np.nan, np.nan, np.nan
    found = never_falling(estimate, lower, upper)
    known = np.isfinite(estimate)
    assert (np.diff(estimate[known]) < 0).any()
    assert (np.isnan(found) == np.isnan([estimate, lower, upper])).all()
    bound = np.isfinite(found).all(axis=0)
    for one in (found[0, known], *found[1:, bound]):
        assert (np.diff(one) >= 0).all()
    assert (found[1, bound] <= found[0, bound]).all()
    assert (found[0, bound] <= found[2, bound]).all()
    inside = known & np.isfinite(lower) & (lower <= true) & (true <= upper)
    assert (found[1, inside] <= true[inside]).all()
    assert (true[inside] <= found[2, inside]).all()
    assert (found[2, bound] - found[1, bound]).mean() < (upper - lower)[bound].mean()
    given = (estimate + times * error for times in (0, -3, 3))
    whole = never_falling(*(one[known] for one in given))
    peer = isotonic_regression(estimate[known], weights=error[known] ** -2.0)
    assert whole[0] == pytest.approx(peer.x, abs=1e-12)
    # Weighted: of two points that fall the surer one hardly moves.
    pair = never_falling(np.array([0.5, 0.4]), np.array([0.49, 0.1]), np.array([0.51, 0.7]))
    assert pair[0] == pytest.approx([0.5, 0.5], abs=0.002)
    rises = np.array([[0.1, 0.2, 0.3], [0.0, 0.1, 0.2], [0.3, 0.4, 0.5]])
    assert never_falling(*rises).tolist() == rises.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_the_roc_curve_by_loops(seed):
    mass, ranked = split_items(seed)
    positive, negative = (one[ranked.order].tolist() for one in (mass.positive, mass.negative))
    found = recall_at_false_positive_rates(mass, ranked, FALSE_POSITIVE_RATES)
    assert found[0] == 0
    for rate, value in zip(FALSE_POSITIVE_RATES[1:], found[1:], strict=True):
        share = first_share(negative, rate * sum(negative))
        assert value == pytest.approx(reached(positive, share) / sum(positive), abs=1e-9)
