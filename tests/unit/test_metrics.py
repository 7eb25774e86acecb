"""Metric names, errors, and values at the edges, worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from crowdgold.metrics.binary import METRICS, parse_metric, true_value
from crowdgold.metrics.metric import Curve, LabelMass, RankedItems
from crowdgold.types.errors import InputError
from unit.reference import make_items


@pytest.mark.parametrize(
    ("text", "name", "predictor", "threshold"),
    [
        ("AUC", "AUC", None, np.nan),
        ("AUC:B", "AUC", "B", np.nan),
        ("precision:my model@-0.5", "precision", "my model", -0.5),
        ("precision_at_recall@1", "precision_at_recall", None, 1.0),
        ("delta_AUC", "delta_AUC", None, np.nan),
        ("mu:A", "mu", "A", np.nan),
    ],
)
def test_names_are_read(text, name, predictor, threshold):
    metric = parse_metric(text)
    assert (metric.text, metric.name, metric.predictor) == (text, name, predictor)
    assert metric.threshold == pytest.approx(threshold, nan_ok=True)
    assert metric.is_parameter is (name == "mu")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("auc", "no metric 'auc'.*there are .*AUC"),
        ("precision", "precision@THRESHOLD"),
        ("AUC@0.5", "should have the form AUC"),
        ("recall@high", "'high' is not a number"),
        ("recall@nan", "not a finite number"),
        ("precision@inf", "not a finite number"),
        ("precision_at_recall@0", "above 0 and at most 1"),
        ("precision_at_recall@1.01", "above 0 and at most 1"),
    ],
)
def test_names_that_mean_nothing_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_metric(text)


def test_predictors_are_looked_up():
    items = make_items([0, 1], 2, -1, {"A": np.arange(2.0), "B": np.arange(2.0)})
    assert parse_metric("AUC").predictors(items) == ["A"]
    assert parse_metric("AUC:B").predictors(items) == ["B"]
    assert parse_metric("delta_AUC").predictors(items) == ["A", "B"]
    with pytest.raises(InputError, match="no predictor 'C'"):
        parse_metric("AUC:C").predictors(items)
    with pytest.raises(InputError, match="needs two predictors"):
        parse_metric("delta_AUC").predictors(make_items([0, 1], 2, -1))
    with pytest.raises(InputError, match="no scores"):
        parse_metric("AUC").predictors(make_items([0, 1], 2, -1, {}))


def test_true_values_by_hand():
    """Labels by falling A: 1 0 1 1 0. Votes on negatives: 1 of 4; on positives: 5 of 6."""
    scores = {"A": np.array([5.0, 4, 3, 2, 1]), "B": np.array([5.0, 1, 3, 4, 2])}
    items = make_items([2, 1, 1, 2, 0], 2, -1, scores, truth=[1, 0, 1, 1, 0])
    expected = {
        "prevalence": 3 / 5,
        "TNR_H": 3 / 4,
        "TPR_H": 5 / 6,
        "AUC": 4 / 6,
        "AUC:B": 6 / 6,
        "delta_AUC": 4 / 6 - 1,
        "delta_TPR": 1 / 3 - 5 / 6,  # FPR 1 / 4 is reached at the first negative, TPR 1 / 3
        "precision@3": 2 / 3,  # items scored exactly 3 are flagged
        "recall@3": 2 / 3,
        "accuracy@3": 3 / 5,
        "F1@3": 2 * 2 / (3 + 3),
        "balanced_accuracy@3": (2 / 3 + 1 / 2) / 2,
        "precision_at_recall@1": 3 / 4,
        "precision_at_recall@0.5": 1.5 / 2.5,
    }
    for text, value in expected.items():
        assert true_value(text, items) == pytest.approx(value, abs=1e-9), text
    with pytest.raises(InputError, match="truth is known"):
        true_value("AUC", make_items([0, 1], 2, -1))


@pytest.mark.parametrize("name", sorted(METRICS))
@pytest.mark.parametrize("labels", [[1, 1], [0, 0], [-1, -1]], ids=str)
def test_what_cannot_be_computed_is_nan_and_never_an_error(name, labels):
    """There is a value where the metric's smallest denominator holds an item, and else none."""
    metric, given = METRICS[name], np.array(labels)
    ranked = RankedItems.of(make_items([1, 0], 2, -1), "A")
    value = metric.value(LabelMass.of_labels(given), ranked, 0.5)
    assert np.isfinite(value) == (metric.rests_on(given, ranked, 0.5, None) > 0)


def test_delta_tpr_of_perfect_voters_is_at_the_first_point_of_the_curve():
    """FPR 0 is reached at (0, 0), where nothing is flagged."""
    items = make_items([2, 2, 0], 2, -1, [3.0, 2, 1], truth=[1, 1, 0])
    assert true_value("delta_TPR", items) == -1.0


def test_above_counts_ties_with_the_threshold():
    ranked = RankedItems.of(make_items([0] * 4, 1, -1, [1.0, 2, 2, 3]), "A")
    assert [ranked.above(t) for t in (0, 1, 1.5, 2, 3, 3.1)] == [4, 4, 3, 3, 1, 0]


@pytest.mark.parametrize("negative_mass_of", ["positives", "negatives"])
def test_a_sum_that_falls_is_levelled_before_crossings_are_looked_for(negative_mass_of):
    """Sums 0, 1, .5, 1.5, 2.5: the highest so far is 0, 1, 1, 1.5, 2.5, the lowest from there on
    0, .5, .5, 1.5, 2.5; between them 0, .75, .75, 1.5, 2.5. The other sum never falls."""
    falling, plain = np.array([1.0, -0.5, 1, 1]), np.array([0.0, 1.5, 0, 0])
    given = (falling, plain) if negative_mass_of == "positives" else (plain, falling)
    ranked = RankedItems.of(make_items([0] * 4, 1, -1, [4.0, 3, 2, 1]), "A")
    curve = Curve.of(LabelMass.binary(*given), ranked)
    levelled, other = curve.rising if negative_mass_of == "positives" else curve.rising[::-1]
    assert levelled.tolist() == [0, 0.75, 0.75, 1.5, 2.5]
    assert other.tolist() == [0, 0, 1.5, 1.5, 1.5]


def test_a_curve_belongs_to_its_ranking():
    """Rankings that are made and dropped in turn never share a curve."""
    items = make_items([0, 1, 2, 3], [3, 3, 3, 3], [0, 0, 1, 1])
    scores = {"A": np.arange(4.0), "B": -np.arange(4.0)}
    items = replace(items, scores=scores)
    mass = LabelMass.of_labels(np.array([0, 0, 1, 1]))
    values = [METRICS["AUC"].value(mass, RankedItems.of(items, name), np.nan) for name in "ABAB"]
    assert values == [1.0, 0.0, 1.0, 0.0]
