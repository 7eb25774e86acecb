"""Metrics against their definitions, item by item and pair by pair, for any labels and masses."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    precision_score,
    recall_score,
    roc_auc_score,
    roc_curve,
)

from crowdgold.inference.estimate import Questions
from crowdgold.metrics.binary import parse_metric, recall_at_false_positive_rates
from crowdgold.metrics.metric import LabelMass, RankedItems
from unit.reference import make_items


@st.composite
def tables(draw, tied=True):
    """Tables of 2 to 15 items with both labels in their truth."""
    n = draw(st.integers(2, 15))

    def column(values, **options):
        return np.array(draw(st.lists(values, min_size=n, max_size=n, **options)))

    truth = column(st.integers(0, 1))
    assume(0 < truth.sum() < n)
    total = column(st.integers(1, 5))
    scores = column(st.integers(-3, 3) if tied else st.integers(-50, 50), unique=not tied)
    positive = np.minimum(column(st.integers(0, 5)), total)
    tie_break = np.array(draw(st.permutations(range(n))))
    return make_items(positive, total, truth, scores, tie_break, truth)


@st.composite
def masses(draw, items):
    """Masses of items: every item is split, and none is all positive or all negative."""
    n = len(items)
    parts = st.lists(st.floats(0.01, 5), min_size=n, max_size=n)
    return LabelMass.binary(np.array(draw(parts)), np.array(draw(parts)))


def value(text, items, mass):
    return parse_metric(text).value([mass], [RankedItems.of(items, "A")])


def levels(items):
    """Positions of the items of each score, from the highest to the lowest."""
    scores = items.scores["A"]
    return [np.flatnonzero(scores == one) for one in sorted(set(scores), reverse=True)]


def corners(items, mass):
    """Sums (L + 1,) of a mass (n,) over the highest levels."""
    return np.concatenate([[0], np.cumsum([mass[one].sum() for one in levels(items)])])


@settings(max_examples=150, deadline=None, derandomize=True)
@given(tables(), st.data())
def test_area_is_the_share_of_pairs_of_different_items(items, data):
    mass, scores = data.draw(masses(items)), items.scores["A"]
    won = compared = 0.0
    for i in range(len(items)):
        for j in range(len(items)):
            if i != j:
                weight = mass.positive[i] * mass.negative[j]
                compared += weight
                won += weight * ((scores[i] > scores[j]) + (scores[i] == scores[j]) / 2)
    # Sums of at most 210 terms of like sign: 1e-12 is far above their rounding, 210 x 1e-16.
    assert value("AUC", items, mass) == pytest.approx(won / compared, rel=1e-12)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(tables(), st.data())
def test_weights_repeat_items(items, data):
    """A weight of w is w copies of the item: AUC, recall, precision and accuracy as scikit-learn's.

    No item counts against itself; copies of an item have one label, so no pair of copies counts.
    Items of equal score count half.
    """
    n = len(items)
    weights = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    repeated = np.repeat(np.arange(n), weights)
    truth, scores = items.truth[repeated], items.scores["A"][repeated]
    assume(0 < truth.sum() < len(truth))
    mass = LabelMass.of_labels(items.truth, weights)
    assert value("AUC", items, mass) == pytest.approx(roc_auc_score(truth, scores), rel=1e-12)
    for threshold in (float(np.median(scores)), float(scores.max()), -60.0):
        flagged = (scores >= threshold).astype(int)
        for name, expected in (
            ("precision", precision_score),
            ("recall", recall_score),
            ("accuracy", accuracy_score),
        ):
            found = value(f"{name}@{threshold}", items, mass)
            assert found == pytest.approx(expected(truth, flagged), rel=1e-12, abs=1e-15)
    positive, total = items.votes_positive[repeated], items.votes_total[repeated]
    pairs = {
        "prevalence": (truth.sum(), len(truth)),
        "TPR_H": (positive[truth == 1].sum(), total[truth == 1].sum()),
        "TNR_H": ((total - positive)[truth == 0].sum(), total[truth == 0].sum()),
    }
    for name, (part, whole) in pairs.items():
        assert value(name, items, mass) == pytest.approx(part / whole, rel=1e-12, abs=1e-15)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(tables(), st.data())
def test_human_rates_and_thresholds_of_masses(items, data):
    mass = data.draw(masses(items))
    threshold = data.draw(st.integers(-4, 4))
    flagged = items.scores["A"] >= threshold
    p, q = mass.positive, mass.negative
    v, c = items.votes_positive, items.votes_total
    expected = {
        "prevalence": p.sum() / (p + q).sum(),
        "TPR_H": (p * v).sum() / (p * c).sum(),
        "TNR_H": (q * (c - v)).sum() / (q * c).sum(),
        f"recall@{threshold}": p[flagged].sum() / p.sum(),
        f"accuracy@{threshold}": (p[flagged].sum() + q[~flagged].sum()) / (p + q).sum(),
    }
    if flagged.any():
        expected[f"precision@{threshold}"] = p[flagged].sum() / (p + q)[flagged].sum()
    else:
        assert np.isnan(value(f"precision@{threshold}", items, mass))
    for text, wanted in expected.items():
        assert value(text, items, mass) == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(tables(), st.data())
def test_delta_tpr_is_where_the_roc_curve_first_reaches_the_voters_rate(items, data):
    """In exact fractions: no rounding decides which level is first. Inside a level of both labels
    the curve is a line; one of negatives alone is reached at its upper end."""
    n = len(items)
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    y = items.truth.astype(int)
    negatives, positives = int(weights[y == 0].sum()), int(weights[y == 1].sum())
    assume(negatives and positives)
    v, c = items.votes_positive, items.votes_total
    rate = Fraction(int((weights * v)[y == 0].sum()), int((weights * c)[y == 0].sum()))
    human = Fraction(int((weights * v)[y == 1].sum()), int((weights * c)[y == 1].sum()))
    fpr = [Fraction(int(one), negatives) for one in corners(items, weights * (y == 0))]
    tpr = [Fraction(int(one), positives) for one in corners(items, weights * (y == 1))]
    level = next(k for k, one in enumerate(fpr) if one >= rate)
    model = tpr[level]
    if level:
        share = (rate - fpr[level - 1]) / (fpr[level] - fpr[level - 1])
        model = tpr[level - 1] + share * (tpr[level] - tpr[level - 1])
    mass = LabelMass.of_labels(items.truth, weights)
    # A curve is read 1e-12 below a rate, so that rounding moves no point to the next level.
    assert value("delta_TPR", items, mass) == pytest.approx(float(model - human), abs=1e-10)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(tables(), st.data())
def test_roc_and_precision_recall_curves_of_masses_are_interpolated(items, data):
    """With every item split both curves are piecewise linear in the mass that is flagged."""
    mass = data.draw(masses(items))
    true = corners(items, mass.positive)
    flagged = corners(items, mass.positive + mass.negative)
    human = value("TNR_H", items, mass), value("TPR_H", items, mass)
    model = np.interp((1 - human[0]) * mass.negative.sum(), flagged - true, true) / true[-1]
    if human[0] < 1:
        expected = model - human[1]
        assert value("delta_TPR", items, mass) == pytest.approx(expected, abs=1e-9)
    recall = data.draw(st.floats(0.01, 1))
    wanted = recall * true[-1] / np.interp(recall * true[-1], true, flagged)
    assert value(f"precision_at_recall@{recall}", items, mass) == pytest.approx(wanted, rel=1e-9)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(tables(), st.integers(1, 20))
def test_precision_at_recall_is_inside_the_level_that_reaches_it(items, twentieths):
    y, needed = items.truth.astype(int), Fraction(twentieths, 20) * int(items.truth.sum())
    true, false = ([int(one) for one in corners(items, mass)] for mass in (y, 1 - y))
    level = next(k for k, reached in enumerate(true) if reached >= needed)
    # Of the level at which the recall is reached only the share that is needed counts.
    share = (needed - true[level - 1]) / (true[level] - true[level - 1])
    wrong = false[level - 1] + share * (false[level] - false[level - 1])
    recall = float(Fraction(twentieths, 20))
    found = value(f"precision_at_recall@{recall}", items, LabelMass.of_labels(items.truth))
    assert found == pytest.approx(float(needed / (needed + wrong)), rel=1e-9)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(tables(), st.data())
def test_equal_scores_are_crossed_as_if_in_every_order(items, data):
    """AUC is the mean over all orders of the items of each score, curves are straight from one
    score to the next, and curves and areas are those of scikit-learn, with weights too."""
    n, scores = len(items), items.scores["A"]
    weights = np.array(data.draw(st.lists(st.floats(0.01, 5), min_size=n, max_size=n)))
    mass, ranked = LabelMass.of_labels(items.truth, weights), RankedItems.of(items, "A")
    area = roc_auc_score(items.truth, scores, sample_weight=weights)
    assert value("AUC", items, mass) == pytest.approx(area, abs=1e-12)
    fpr, tpr, _ = roc_curve(items.truth, scores, sample_weight=weights, drop_intermediate=False)
    inside = np.array(data.draw(st.lists(st.floats(0.001, 0.999), min_size=1, max_size=5)))
    assume(np.abs(fpr - inside[:, None]).min() > 1e-9)
    found = recall_at_false_positive_rates(mass, ranked, inside)
    assert found == pytest.approx(np.interp(inside, fpr, tpr), abs=1e-9)
    (tied, *_) = sorted((one for one in levels(items) if len(one) <= 4), key=len)[::-1] or [[]]
    areas = []
    for order in permutations(range(len(tied))):
        split = scores.astype(float)
        split[tied] += 0.1 * np.array(order)
        areas.append(value("AUC", replace(items, scores={"A": split}), mass))
    assert np.mean(areas) == pytest.approx(area, abs=1e-12)


METRICS = (
    "prevalence", "TPR_H", "TNR_H", "AUC", "delta_TPR", "accuracy@0", "precision@0", "recall@0",
    "balanced_accuracy@0", "F1@0", "precision_at_recall@0.5",
)  # fmt: skip


@settings(max_examples=100, deadline=None, derandomize=True)
@given(tables(), st.data())
def test_neither_rows_nor_tie_breaking_numbers_decide_anything(items, data):
    """Labels and whole weights sum without rounding: to the last digit. An influence is a
    difference of such sums, and is the same to rounding."""
    n = len(items)
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    rows = np.array(data.draw(st.permutations(range(n))))
    other = replace(items.take(rows), tie_break=np.array(data.draw(st.permutations(range(n)))))
    questions = Questions(tuple(map(parse_metric, METRICS)), curves=True)
    found = []
    for one, times in ((items, weights), (other, weights[rows])):
        mass, ranked = LabelMass.of_labels(one.truth, times), RankedItems.of(one, "A")
        counted = questions.counted(one.truth, ranked, None)
        found.append((questions.values(mass, ranked), questions.influence(mass, ranked), counted))
    (value, influence, counted), (value_2, influence_2, counted_2) = found
    np.testing.assert_array_equal(value, value_2)
    np.testing.assert_array_equal(counted, counted_2)
    np.testing.assert_allclose(influence[rows], influence_2, rtol=1e-9, atol=1e-9)
