"""Metrics against their definitions, item by item and pair by pair, for any labels and masses."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_score, recall_score, roc_auc_score

from crowdgold.metrics import LabelMass, RankedItems, parse_metric
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


def descending(items):
    """Positions from the highest to the lowest score, by sorting pairs."""
    pairs = list(zip(items.scores["A"], items.tie_break, strict=True))
    return sorted(range(len(items)), key=lambda i: pairs[i], reverse=True)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(tables(), st.data())
def test_area_is_the_share_of_pairs_of_different_items(items, data):
    mass = data.draw(masses(items))
    rank = {i: r for r, i in enumerate(descending(items))}
    won = compared = 0.0
    for i in range(len(items)):
        for j in range(len(items)):
            if i != j:
                weight = mass.positive[i] * mass.negative[j]
                compared += weight
                won += weight * (rank[i] < rank[j])
    # Sums of at most 210 terms of like sign: 1e-12 is far above their rounding, 210 x 1e-16.
    assert value("AUC", items, mass) == pytest.approx(won / compared, rel=1e-12)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(tables(tied=False), st.data())
def test_weights_repeat_items(items, data):
    """A weight of w is w copies of the item: AUC, recall, precision and accuracy as scikit-learn's.

    No item counts against itself; copies of an item have one label, so no pair of copies counts.
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
def test_delta_tpr_is_at_the_first_roc_point_that_reaches_the_voters_rate(items, data):
    """In exact fractions: no rounding decides which point is first."""
    n = len(items)
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    y = items.truth.astype(int)
    negatives, positives = int(weights[y == 0].sum()), int(weights[y == 1].sum())
    assume(negatives and positives)
    v, c = items.votes_positive, items.votes_total
    rate = Fraction(int((weights * v)[y == 0].sum()), int((weights * c)[y == 0].sum()))
    human = Fraction(int((weights * v)[y == 1].sum()), int((weights * c)[y == 1].sum()))
    points, false, true = [(Fraction(0), Fraction(0))], 0, 0
    for i in descending(items):
        false += int(weights[i]) * (y[i] == 0)
        true += int(weights[i]) * (y[i] == 1)
        points.append((Fraction(int(false), negatives), Fraction(int(true), positives)))
    model = next(tpr for fpr, tpr in points if fpr >= rate)
    mass = LabelMass.of_labels(items.truth, weights)
    assert value("delta_TPR", items, mass) == pytest.approx(float(model - human), abs=1e-12)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(tables(), st.data())
def test_roc_and_precision_recall_curves_of_masses_are_interpolated(items, data):
    """With every item split both curves are piecewise linear in the mass that is flagged."""
    mass = data.draw(masses(items))
    order = descending(items)
    true = np.concatenate([[0], np.cumsum(mass.positive[order])])
    flagged = np.concatenate([[0], np.cumsum((mass.positive + mass.negative)[order])])
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
def test_precision_at_recall_is_at_the_first_cut_off_that_reaches_it(items, twentieths):
    recall = Fraction(twentieths, 20)
    y = items.truth[descending(items)].astype(int)
    recalls = [Fraction(int(y[:k].sum()), int(y.sum())) for k in range(len(y) + 1)]
    cut = next(k for k, reached in enumerate(recalls) if reached >= recall)
    found = value(f"precision_at_recall@{float(recall)}", items, LabelMass.of_labels(items.truth))
    # In the item at which the recall is reached only the share that is needed counts.
    needed = float(recall * int(y.sum()))
    expected = needed / (needed + int((1 - y[:cut]).sum()))
    assert found == pytest.approx(expected, rel=1e-9)
