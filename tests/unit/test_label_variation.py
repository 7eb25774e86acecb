"""What people chose, and what each training method makes of it: the paper's examples (HLV, 4)."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from crowdgold.datasets.dataset import JUDGED_COLUMNS as COLUMNS
from crowdgold.papers.label_variation.encoders import read_prepared
from crowdgold.papers.label_variation.judgements import (
    METHODS,
    Judged,
    Score,
    annotator_scores,
    geometric_mean,
    item_weights,
    score,
    training_set,
    why_left_out,
)
from crowdgold.types.errors import InputError

A, B = [1, 0], [0, 1]


def judged(items, annotators=None, named=0, **more):
    """Annotations of items, each a list of rows; of annotators 0, 1, ... where not given."""
    chosen = [row for item in items for row in item]
    item_of = [i for i, item in enumerate(items) for _ in item]
    if annotators is None:
        annotators = [j for item in items for j in range(len(item))]
    who = np.array(annotators)
    return Judged(np.array(item_of), np.array(chosen, float), who, annotators=named, **more)


EXAMPLE = judged([[A, A, B, A], [A, B, B]])
"""x1 is labelled A, A, B, A by four annotators, x2 A, B, B by the first three."""


def test_a_method_that_cannot_be_used_says_why():
    assert "who gave which annotation" in why_left_out("AE", False, False)
    assert "may have several" in why_left_out("AL", True, True)
    assert not any(why_left_out(name, True, False) for name in METHODS)
    anonymous = Judged(np.array([0]), np.array([[1.0, 0]]))
    with pytest.raises(InputError, match="AR needs to know"):
        training_set("AR", anonymous)


def test_the_papers_ranking_scores():
    # AR: 3/4, (3/4 + 2/3) / 2, 2/3, 3/4; ARh: 1/2, 2/2, 1/2, 1/1. The second of AR is derived.
    soft = [Fraction(3, 4), (Fraction(3, 4) + Fraction(2, 3)) / 2, Fraction(2, 3), Fraction(3, 4)]
    np.testing.assert_allclose(annotator_scores(EXAMPLE, hard=False)[:, 0], list(map(float, soft)))
    assert annotator_scores(EXAMPLE, hard=True)[:, 0].tolist() == [0.5, 1, 0.5, 1]
    weights = [sum(soft), sum(soft[:3])]
    np.testing.assert_allclose(item_weights(EXAMPLE, hard=False), list(map(float, weights)))
    assert item_weights(EXAMPLE, hard=True).tolist() == [3, 2]
    # Annotator 2 on both items, and so does one without any annotation.
    found = judged([[A, A, B], [B, B, A]], named=4)
    for hard in (True, False):
        assert annotator_scores(found, hard)[2:, 0].tolist() == [0, 0]
        assert (annotator_scores(found, hard)[:2] > 0).all()
    # Two annotators and two classes: on class 0 both say yes; on class 1 one of two is a no.
    found = judged([[[1, 1], [1, 0]]], multilabel=True)
    assert annotator_scores(found, hard=True).tolist() == [[1, 0], [1, 1]]
    assert annotator_scores(found, hard=False).tolist() == [[1, 0], [1, 0.5]]
    assert item_weights(found, hard=True).tolist() == [1.5]


def test_shares_majorities_and_ties():
    # A tie of one class goes to the first, as arg max does; half is not more than half.
    found = judged([[A, B], [B], [A, A, B]])
    np.testing.assert_allclose(found.shares(), [[0.5, 0.5], [0, 1], [2 / 3, 1 / 3]])
    assert found.majority().tolist() == [A, B, A]
    assert found.tied().tolist() == [True, False, False]
    several = judged([[[1, 1, 0], [1, 0, 0]], [[0, 0, 0]]], multilabel=True)
    np.testing.assert_allclose(several.shares(), [[1, 0.5, 0], [0, 0, 0]])
    assert several.majority().tolist() == [[1, 0, 0], [0, 0, 0]]
    assert several.tied().tolist() == [True, False]
    some = EXAMPLE.of_items(np.array([1, 0]))
    np.testing.assert_allclose(some.shares(), EXAMPLE.shares()[::-1])
    assert some.annotator_of.tolist() == [0, 1, 2, 0, 1, 2, 3]
    alone = EXAMPLE.of_items(np.array([1]))
    assert alone.annotators == 4
    assert alone.of_present_annotators().annotators == 3


def test_annotator_ranking_takes_the_tied_class_that_is_met_first():
    """And so do its scores; MV takes the first in the order of the classes, wherever it is met."""
    found = judged([[B, A], [A, B], [B, A, A]])
    assert found.majority(first_met=True).tolist() == [B, A, A]
    assert found.of_items(np.array([2, 0])).majority(first_met=True).tolist() == [A, B]
    for name in ("AR", "ARh"):
        assert training_set(name, found).target.tolist() == [B, A, A]
    for name in ("MV", "SLMV"):
        rows = training_set(name, found)
        assert (rows.target if name == "MV" else rows.second).tolist() == [A, A, A]
    assert annotator_scores(found, hard=True)[:2, 0].tolist() == [2 / 3, 1 / 3]


def test_what_each_method_trains_on():
    # {(x, y1), (x, y2)}; and {(x1, y1), (x1, y2), (x2, y2)} of y1 y1 y2 and y2 y2 y2.
    repeated = training_set("ReL", judged([[A, B]]))
    assert repeated.item.tolist() == [0, 0]
    assert repeated.target.tolist() == [A, B]
    assert repeated.weight.tolist() == [1, 1]
    ambiguous = training_set("AL", judged([[A, A, B], [B, B, B]]))
    pairs = list(zip(ambiguous.item.tolist(), ambiguous.target.tolist(), strict=True))
    assert pairs == [(0, A), (0, B), (1, B)]
    assert ambiguous.weight.tolist() == [1, 1, 1]
    np.testing.assert_allclose(training_set("SL", EXAMPLE).target, [[0.75, 0.25], [1 / 3, 2 / 3]])
    both = training_set("SLMV", EXAMPLE)
    assert both.second.tolist() == [A, B]
    np.testing.assert_allclose(both.target, EXAMPLE.shares())
    for name in ("MV", "AR", "ARh"):
        assert training_set(name, EXAMPLE).target.tolist() == [A, B]
    assert training_set("ARh", EXAMPLE).weight.tolist() == [3, 2]
    for name in ("AE", "AEh", "LA-min", "LA-max"):
        laid_out = training_set(name, EXAMPLE).annotations
        assert laid_out.number.tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]
        assert laid_out.annotator.tolist() == [[0, 1, 2, 3], [0, 1, 2, 0]]
        assert laid_out.chosen[1].tolist() == [A, B, B, [0, 0]]
    for name, method in METHODS.items():
        rows = training_set(name, EXAMPLE)
        assert (len(rows) > EXAMPLE.items) == method.enlarges, name
    single = judged([[A], [B]], annotators=[0, 1])
    for name in METHODS:
        rows = training_set(name, single)
        assert rows.target.tolist() == [A, B]
        assert rows.weight.tolist() == [1, 1]


def test_equal_annotations_are_one_row_with_their_number_where_nobody_is_named():
    """The weights' mean is 1, so that a step is as long; one by one they are as many rows."""
    counted = Judged(np.array([0, 0, 1]), np.array([A, B, A], float), count=np.array([70, 30, 100]))
    joined, apart = (training_set("ReL", counted, each) for each in (False, True))
    np.testing.assert_allclose(joined.weight, [1.05, 0.45, 1.5])
    assert len(apart) == 200
    assert set(apart.weight) == {1}
    for rows in (joined, apart):
        summed = np.zeros((2, 2))
        np.add.at(summed, rows.item, rows.target * rows.weight[:, None])
        np.testing.assert_allclose(summed / rows.weight.sum(), [[0.35, 0.15], [0.5, 0]])
    np.testing.assert_allclose(counted.shares(), [[0.7, 0.3], [1, 0]])


def frame_of(*rows):
    return pd.DataFrame(rows, columns=COLUMNS)


def test_a_prepared_table_is_read_with_its_split():
    frame = frame_of(
        ("a", "train", "x", "", "p", "0", 1), ("a", "train", "x", "", "q", "1", 1),
        ("b", "test", "y", "", "q", "1", 1), ("c", "dev", "z", "", "p", "0", 1),
    )  # fmt: skip
    data = read_prepared("armis", frame)
    assert data.judged.shares().tolist() == [[0.5, 0.5], [0, 1], [1, 0]]
    assert data.judged.annotator_of.tolist() == [0, 1, 1, 0]
    assert list(data.texts.first) == ["x", "y", "z"]
    (split,) = data.splits()
    parts = (split.training, split.fitting, split.development, split.test)
    assert [one.tolist() for one in parts] == [[0], [0], [2], [1]]
    with pytest.raises(InputError, match=r"item c: found label '2', .*0, 1; .*/armis\.parquet"):
        read_prepared("armis", frame.assign(label=["0", "1", "1", "2"]))
    with pytest.raises(InputError, match="did you mean 'armis'"):
        read_prepared("armi", frame)


def test_folds_hold_each_item_once_and_a_tenth_for_development():
    rows = [(f"i{k}", str(k % 10), "p", "h", "", "e", 100) for k in range(200)]
    data = read_prepared("chaosnli_texts", frame_of(*rows).assign(subset="snli"), "snli")
    splits = data.splits()
    assert sorted(np.concatenate([one.test for one in splits]).tolist()) == list(range(200))
    for one in splits:
        assert len(one.development) == 18
        assert sorted([*one.fitting, *one.development]) == one.training.tolist()
        assert not set(one.training) & set(one.test)
    assert data.texts.second == ["h"] * 200
    with pytest.raises(InputError, match="no subset 'mnli_m'"):
        read_prepared("chaosnli_texts", frame_of(*rows).assign(subset="snli"), "mnli_m")


def test_scores_say_why_one_is_undefined_and_their_mean_is_geometric():
    true = np.array([[0.8, 0.2], [0.5, 0.5]])
    found = score(true, np.array([[1.0, 0], [1.0, 0]]), multilabel=False)
    assert list(found) == [
        "micro F1", "macro F1", "soft micro F1", "soft macro F1", "PO-JSD", "entropy correlation",
    ]  # fmt: skip
    assert found["soft micro F1"].value == pytest.approx(0.65)
    assert np.isnan(found["entropy correlation"].value)
    assert "undefined" in found["entropy correlation"].note
    # (0.5 0.5 0.5 (1 + 0) / 2)^(1/4); the macro F1s do not count; undefined is worst.
    values = dict.fromkeys(("micro F1", "soft micro F1", "PO-JSD"), Score(0.5, ""))
    macro = dict.fromkeys(("macro F1", "soft macro F1"), Score(0.01, ""))
    none = {"entropy correlation": Score(0.0, "")}
    assert geometric_mean({**values, **macro, **none}) == pytest.approx(0.5)
    assert geometric_mean({**values, "entropy correlation": Score(np.nan, "why")}) == 0
