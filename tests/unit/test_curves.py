"""Curves at many points against the metrics of one point, and against plain loops."""

import numpy as np
import pytest

from crowdgold.metrics import LabelMass, RankedItems, parse_metric
from crowdgold.metrics.curves import (
    FALSE_POSITIVE_RATES,
    POINTS,
    RECALLS,
    curve_points,
    curve_support,
    precision_at_recalls,
    recall_at_false_positive_rates,
)
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


@pytest.mark.parametrize("seed", range(3))
def test_the_roc_curve_by_loops(seed):
    mass, ranked = split_items(seed)
    positive, negative = (one[ranked.order].tolist() for one in (mass.positive, mass.negative))
    found = recall_at_false_positive_rates(mass, ranked, FALSE_POSITIVE_RATES)
    assert found[0] == 0
    for rate, value in zip(FALSE_POSITIVE_RATES[1:], found[1:], strict=True):
        share = first_share(negative, rate * sum(negative))
        assert value == pytest.approx(reached(positive, share) / sum(positive), abs=1e-9)


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
