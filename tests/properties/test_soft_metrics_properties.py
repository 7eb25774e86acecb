"""What holds of soft metrics for any judgement distributions (HLV, section 3)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from crowdgold.metrics.soft import MULTICLASS, MULTILABEL, divergence, one_hot, overlap

ROUNDING = 1e-12


@st.composite
def distributions(draw):
    """Two sets of rows that add to 1, with zeros and ties among them."""
    shape = draw(st.tuples(st.integers(1, 6), st.integers(2, 5)))
    weight = st.one_of(st.just(0.0), st.sampled_from([0.25, 1.0]), st.floats(1e-9, 1.0))
    pair = []
    for _ in range(2):
        rows = draw(arrays(float, shape, elements=weight))
        rows[rows.sum(axis=1) == 0] = 1.0
        pair.append(rows / rows.sum(axis=1, keepdims=True))
    return pair


@given(distributions())
def test_theorem_1_soft_accuracy_is_at_most_po_jsd(pair):
    """Row by row, as the proof has it, and so in the mean."""
    P, Q = pair
    assert (overlap(P, Q) <= 1 - divergence(P, Q) + ROUNDING).all()
    assert MULTICLASS["soft accuracy"](P, Q) <= MULTICLASS["PO-JSD"](P, Q) + ROUNDING


@pytest.mark.filterwarnings("ignore::crowdgold.metrics.soft.UndefinedMetricWarning")
@given(distributions())
def test_metrics_are_symmetric_bounded_and_best_where_equal(pair):
    P, Q = pair
    for name in ("soft accuracy", "soft macro F1", "PO-JSD"):
        metric = MULTICLASS[name]
        found = metric(P, Q)
        assert -ROUNDING <= found <= 1 + ROUNDING
        assert found == pytest.approx(metric(Q, P))
        assert found <= metric(P, P) + ROUNDING
    assert MULTICLASS["soft accuracy"](P, P) == pytest.approx(1)


@given(distributions())
def test_soft_micro_f1_is_soft_accuracy_where_rows_add_to_1(pair):
    P, Q = pair
    found = MULTILABEL["soft micro F1"](P, Q)
    assert found == pytest.approx(MULTICLASS["soft accuracy"](P, Q))


@given(distributions())
def test_without_label_variation_soft_metrics_are_hard_ones(pair):
    P, Q = map(one_hot, pair)
    assert MULTICLASS["soft accuracy"](P, Q) == pytest.approx(MULTICLASS["accuracy"](P, Q))


@settings(max_examples=50)
@given(distributions(), st.floats(0, 1))
def test_a_nearer_prediction_scores_more(pair, share):
    """On the way from Q to P soft accuracy does not fall."""
    P, Q = pair
    nearer = share * P + (1 - share) * Q
    assert overlap(P, nearer).mean() >= overlap(P, Q).mean() - ROUNDING
    assert np.all(divergence(P, nearer) <= divergence(P, Q) + 1e-9)
