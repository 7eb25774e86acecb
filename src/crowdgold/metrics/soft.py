"""Metrics of predicted judgement distributions over classes, hard and soft (HLV, section 3.1).

    accuracy             mean_i sum_k I^P_ik I^Q_ik                       I: 1 at the row's largest
    soft accuracy        mean_i sum_k min(P_ik, Q_ik)
    (soft) macro F1      mean_k 2 sum_i min(P_ik, Q_ik) / sum_i (P_ik + Q_ik)     hard: of I
    PO-JSD               1 - mean_i JSD(p_i, q_i)                         in bits
    entropy correlation  Pearson's of the rows' entropies. The printed denominator lacks squares:
                         without them it is the root of a sum that is always 0.

Where several classes of a row are the largest, the first of them counts. A class that nobody gives
and nobody predicts has an F1 of 0 / 0; it counts as 0, as in scikit-learn, with a warning. Metrics
are high where the prediction is good, and all but entropy correlation lie in [0, 1].
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from crowdgold.metrics.judgements import (
    constant_side,
    correlations,
    divergence,
    judgements,
    name_classes,
    normalised_entropy,
    warn,
)


class ClassWise(NamedTuple):
    """Precision, recall and F1 of each class: (K,) each."""

    precision: np.ndarray
    recall: np.ndarray
    f1: np.ndarray


def _ratio(part: np.ndarray, whole: np.ndarray, name: str, why: str) -> np.ndarray:
    """Divide by class; 0 with a warning where there is nothing to divide by."""
    empty = np.flatnonzero(whole <= 0)
    if len(empty):
        warn(f"{name} of {name_classes(empty)} counts as 0: {why}")
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def class_f1(true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """The F1 of each class, (K,), of checked memberships (N, K) (HLV, equation A.3)."""
    common = np.minimum(true, predicted).sum(axis=0)
    whole = true.sum(axis=0) + predicted.sum(axis=0)
    return _ratio(2 * common, whole, "the F1", "nobody gives it and it is never predicted")


def class_wise(true: np.ndarray, predicted: np.ndarray) -> ClassWise:
    """Soft precision, recall and F1 of each class (HLV, equations A.1 to A.3).

    Args:
        true, predicted: (N, K) P and Q, shares from 0 to 1; rows need not add to 1.

    Returns:
        0 with a warning where a class is never predicted (precision), or given (recall).

    Raises:
        InputError: naming the rows that cannot be used.
    """
    P, Q = judgements(true, predicted, sum_to_one=False)
    common = np.minimum(P, Q).sum(axis=0)
    return ClassWise(
        _ratio(common, Q.sum(axis=0), "the precision", "it is never predicted"),
        _ratio(common, P.sum(axis=0), "the recall", "nobody gives it"),
        class_f1(P, Q),
    )


def one_hot(shares: np.ndarray) -> np.ndarray:
    """I: 1 at the first of each row's largest shares, else 0; (N, K)."""
    found = np.zeros_like(shares)
    np.put_along_axis(found, shares.argmax(axis=-1)[..., None], 1.0, axis=-1)
    return found


def agreement(true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Whether each row's largest shares are of the same class: (N,) 0 or 1."""
    return (true.argmax(axis=-1) == predicted.argmax(axis=-1)).astype(float)


def overlap(true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """The mass that the rows' distributions share, sum_k min(P_ik, Q_ik): (N,)."""
    return np.asarray(np.minimum(true, predicted).sum(axis=-1))


def accuracy(true: np.ndarray, predicted: np.ndarray) -> float:
    """The share of examples whose most frequent class is predicted as such."""
    return float(agreement(*judgements(true, predicted, sum_to_one=True)).mean())


def macro_f1(true: np.ndarray, predicted: np.ndarray) -> float:
    """The mean over classes of the F1 of the most frequent classes."""
    P, Q = judgements(true, predicted, sum_to_one=True)
    return float(class_f1(one_hot(P), one_hot(Q)).mean())


def soft_accuracy(true: np.ndarray, predicted: np.ndarray) -> float:
    """The share of the judgement distribution that is predicted correctly."""
    return float(overlap(*judgements(true, predicted, sum_to_one=True)).mean())


def soft_macro_f1(true: np.ndarray, predicted: np.ndarray) -> float:
    """The mean over classes of the soft F1."""
    return float(class_f1(*judgements(true, predicted, sum_to_one=True)).mean())


def po_jsd(true: np.ndarray, predicted: np.ndarray) -> float:
    """1 less the mean Jensen-Shannon divergence; never below soft accuracy (theorem 1)."""
    return 1 - float(divergence(*judgements(true, predicted, sum_to_one=True)).mean())


def entropy_correlation(true: np.ndarray, predicted: np.ndarray) -> float:
    """The correlation of the rows' entropies; NaN, with a warning, where they do not vary."""
    eta = [normalised_entropy(rows) for rows in judgements(true, predicted, sum_to_one=True)]
    found = float(correlations(*(values[:, None] for values in eta))[0])
    if np.isnan(found):
        warn(
            "the entropy correlation is undefined: the entropies of all rows of "
            f"{constant_side(*eta)} are the same"
        )
    return found


Metric = Callable[[np.ndarray, np.ndarray], float]

MULTICLASS: dict[str, Metric] = {
    "accuracy": accuracy,
    "macro F1": macro_f1,
    "soft accuracy": soft_accuracy,
    "soft macro F1": soft_macro_f1,
    "PO-JSD": po_jsd,
    "entropy correlation": entropy_correlation,
}
"""Metrics of (P, Q), (N, K) with rows that add to 1, by the paper's names."""
