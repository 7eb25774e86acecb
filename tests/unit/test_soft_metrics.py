"""Soft and hard metrics against loops over the printed formulas, scikit-learn, and by hand."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy, pearsonr
from sklearn.metrics import accuracy_score, f1_score, precision_recall_fscore_support

from crowdgold.metrics.soft import (
    MULTICLASS,
    MULTILABEL,
    UndefinedMetricWarning,
    class_wise,
    one_hot,
)
from crowdgold.types.errors import InputError

HARD_AND_SOFT = {"accuracy": "soft accuracy", "macro F1": "soft macro F1"}


def drawn(seed=0, examples=40, classes=4, alpha=0.5):
    rng = np.random.default_rng(seed)
    return rng.dirichlet([alpha] * classes, (2, examples))


def shares(seed=0, examples=40, classes=3):
    return np.random.default_rng(seed).random((2, examples, classes)).round(1)


def printed_f1(P, Q):
    """2 sum min / sum (P + Q) over the pairs given."""
    pairs = list(zip(P, Q, strict=True))
    return 2 * sum(min(p, q) for p, q in pairs) / sum(p + q for p, q in pairs)


def binary(share):
    return [share, 1 - share]


def test_figure_1_and_equal_shares_are_of_the_first_class():
    """(0.2, 0.8) predicted for (0.5, 0.5): 0.7 of soft accuracy, more than 0.9 of PO-JSD."""
    P, Q = np.array([[0.5, 0.5]]), np.array([[0.2, 0.8]])
    assert MULTICLASS["soft accuracy"](P, Q) == pytest.approx(0.7)
    assert 0.9 < MULTICLASS["PO-JSD"](P, Q) < 0.95
    first = 1 - Q
    assert MULTICLASS["accuracy"](P, first) == MULTICLASS["accuracy"](first, P) == 1


def test_multiclass_metrics_are_the_printed_ones():
    P, Q = drawn()
    best = [(p.argmax() == q.argmax()) for p, q in zip(P, Q, strict=True)]
    I = np.array([[float(k == row.argmax()) for k in range(4)] for row in (*P, *Q)]).reshape(
        2, 40, 4
    )
    expected = {
        "accuracy": np.mean(best),
        "macro F1": np.mean([printed_f1(I[0][:, k], I[1][:, k]) for k in range(4)]),
        "soft accuracy": sum(min(*pair) for pair in zip(P.flat, Q.flat, strict=True)) / 40,
        "soft macro F1": np.mean([printed_f1(P[:, k], Q[:, k]) for k in range(4)]),
        "PO-JSD": 1 - np.mean([jensenshannon(p, q, 2) ** 2 for p, q in zip(P, Q, strict=True)]),
        "entropy correlation": pearsonr(entropy(P, axis=1), entropy(Q, axis=1)).statistic,
    }
    assert {name: MULTICLASS[name](P, Q) for name in MULTICLASS} == pytest.approx(expected)


def test_multilabel_metrics_are_the_printed_ones():
    P, Q = shares()
    J = (P > 0.5) * 1.0, (Q > 0.5) * 1.0
    jsd = [jensenshannon(binary(p), binary(q), 2) ** 2 for p, q in zip(P.flat, Q.flat, strict=True)]
    eta = [entropy([A, 1 - A], axis=0) for A in (P, Q)]
    expected = {
        "micro F1": printed_f1(J[0].ravel(), J[1].ravel()),
        "macro F1": np.mean([printed_f1(J[0][:, k], J[1][:, k]) for k in range(3)]),
        "soft micro F1": printed_f1(P.ravel(), Q.ravel()),
        "soft macro F1": np.mean([printed_f1(P[:, k], Q[:, k]) for k in range(3)]),
        "PO-JSD": 1 - np.mean(jsd),
        "entropy correlation": np.mean(
            [pearsonr(eta[0][:, k], eta[1][:, k]).statistic for k in range(3)]
        ),
    }
    assert {name: MULTILABEL[name](P, Q) for name in MULTILABEL} == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore::crowdgold.metrics.soft.UndefinedMetricWarning")
@pytest.mark.parametrize(("seed", "examples"), [(1, 50), (2, 200), (3, 5)])
def test_on_one_hot_input_all_are_scikit_learns(seed, examples):
    """Soft metrics become their hard ones, and these scikit-learn's; with 5 examples some classes
    are in neither, and count as 0 in both."""
    P, Q = (one_hot(A) for A in drawn(seed, examples, 6))
    truth, guess, all_classes = P.argmax(axis=1), Q.argmax(axis=1), range(6)
    theirs = {
        "accuracy": accuracy_score(truth, guess),
        "macro F1": f1_score(truth, guess, labels=all_classes, average="macro"),
    }
    for hard, soft in HARD_AND_SOFT.items():
        assert MULTICLASS[hard](P, Q) == pytest.approx(theirs[hard])
        assert MULTICLASS[soft](P, Q) == pytest.approx(theirs[hard])
    found = class_wise(P, Q)
    expected = precision_recall_fscore_support(truth, guess, labels=all_classes)
    for ours, other in zip(found, expected, strict=False):
        assert ours == pytest.approx(other)


@pytest.mark.parametrize("side", ["P", "Q"])
def test_constant_entropies_are_undefined_and_said(side):
    """As where a method predicts 0 for all (section 5.2)."""
    varied, flat = drawn()[0], np.full((40, 4), 0.25)
    given = (flat, varied) if side == "P" else (varied, flat)
    with pytest.warns(UndefinedMetricWarning, match=f"entropies of all rows of {side} are"):
        assert np.isnan(MULTICLASS["entropy correlation"](*given))
    P, Q = shares()
    Q[:, 1] = 0.0
    with pytest.warns(UndefinedMetricWarning, match=r"undefined.*class 1 .*of Q"):
        assert np.isnan(MULTILABEL["entropy correlation"](P, Q))


def test_classes_that_nobody_has_count_as_nothing_and_are_said():
    P, Q = np.array([[0.5, 0.5, 0.0]]), np.array([[1.0, 0.0, 0.0]])
    with pytest.warns(UndefinedMetricWarning) as caught:
        found = class_wise(P, Q)
    assert found.precision == pytest.approx([0.5, 0, 0])
    assert found.recall == pytest.approx([1, 0, 0])
    assert found.f1 == pytest.approx([2 / 3, 0, 0])
    said = [str(one.message) for one in caught]
    assert said == [
        "the precision of classes 1, 2 counts as 0: it is never predicted",
        "the recall of class 2 counts as 0: nobody gives it",
        "the F1 of class 2 counts as 0: nobody gives it and it is never predicted",
    ]
    with pytest.warns(UndefinedMetricWarning, match="micro F1 counts as 0"):
        assert MULTILABEL["micro F1"](P * 0.4, Q * 0.4) == 0


def test_nothing_is_said_where_all_is_defined():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [metric(*drawn()) for metric in MULTICLASS.values()]
        found += [metric(*shares()) for metric in MULTILABEL.values()]
    assert np.all(np.isfinite(found))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda P, Q: (P[:, :2], Q), r"true judgements P, rows 0.*: adds to .* multilabel"),
        (lambda P, Q: (P, Q[1:]), r"P has shape \(40, 4\) and Q \(39, 4\)"),
        (lambda P, Q: (P, Q - 1), "predicted judgements Q, rows 0.*expected shares from 0 to 1"),
        (lambda P, Q: (P * np.nan, Q), "P, rows 0, .* and 32 more: found"),
        (lambda P, Q: (P[0], Q), r"P: found shape \(4,\), expected \(examples, classes\)"),
        (lambda P, Q: (P[:0], Q), r"P: found shape \(0, 4\)"),
        (lambda P, Q: (P[:, :1], Q), "P: found 1 class, expected 2 or more"),
    ],
)
def test_what_is_no_distribution_is_refused(change, why):
    for metric in MULTICLASS.values():
        with pytest.raises(InputError, match=why):
            metric(*change(*drawn()))
