"""Metrics of predicted judgement distributions over classes, hard and soft (HLV, section 3).

P_ik is the share of people who label example i with class k, Q_ik a model's prediction of it. Where
an example has one class, rows add to 1 (multiclass); where it may have several, they need not
(multilabel).

    accuracy             mean_i sum_k I^P_ik I^Q_ik                       I: 1 at the row's largest
    soft accuracy        mean_i sum_k min(P_ik, Q_ik)
    (soft) macro F1      mean_k 2 sum_i min(P_ik, Q_ik) / sum_i (P_ik + Q_ik)     hard: of I
    PO-JSD               1 - mean_i JSD(p_i, q_i)                         in bits
    entropy correlation  Pearson's of the rows' entropies. The printed denominator lacks squares:
                         without them it is the root of a sum that is always 0.

Multilabel (section 3.2):

    (soft) micro F1      2 sum_ik min(P_ik, Q_ik) / sum_ik (P_ik + Q_ik)     hard: of J = 1(. > 0.5)
    (soft) macro F1      the mean over classes of the same for each
    PO-JSD               1 - mean_ik JSD([P_ik, 1 - P_ik], [Q_ik, 1 - Q_ik])
    entropy correlation  the mean over classes of Pearson's, of the entropies of [P_ik, 1 - P_ik];
                         undefined where it is for a class, as in the paper (section 5.2)

Where several classes of a row are the largest, the first of them counts. A class that nobody gives
and nobody predicts has an F1 of 0 / 0; it counts as 0, as in scikit-learn, with a warning. With
rows that add to 1, soft micro F1 is soft accuracy. Metrics are high where the prediction is good,
and all but entropy correlation lie in [0, 1].
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import entr

from crowdgold.types.columns import list_names, list_rows
from crowdgold.types.errors import InputError

SUM_TOLERANCE = 1e-6
"""Rows of distributions over classes add to 1 within this."""
Metric = Callable[[np.ndarray, np.ndarray], float]


class UndefinedMetricWarning(UserWarning):
    """A metric, or its part of a class, that divides 0 by 0; the message says why."""


def warn(message: str) -> None:
    """Warn of something undefined, near the line that asked for the metric."""
    warnings.warn(message, UndefinedMetricWarning, stacklevel=4)


def noted(metric: Callable[..., Any], true: np.ndarray, predicted: np.ndarray) -> tuple[Any, str]:
    """What a metric gives, and why it is undefined; empty where it is not."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedMetricWarning)
        value = metric(true, predicted)
    return value, "; ".join(str(one.message) for one in caught)


def name_classes(classes: Sequence[int] | np.ndarray) -> str:
    """Classes in a message, by their columns: the first few, then how many more."""
    return f"class{'es' if len(classes) > 1 else ''} {list_names(map(int, classes), 8)}"


def _checked(given: np.ndarray, name: str, sum_to_one: bool) -> np.ndarray:
    values = np.asarray(given, dtype=float)
    if values.ndim != 2 or values.shape[0] == 0 or values.shape[1] == 0:
        raise InputError(f"{name}: found shape {values.shape}, expected (examples, classes)")
    bad = np.flatnonzero(~((values >= 0) & (values <= 1 + SUM_TOLERANCE)).all(axis=1))
    if len(bad):
        example = values[bad[0]].tolist()
        raise InputError(f"{name}, {list_rows(bad)}: found {example}, expected shares from 0 to 1")
    if sum_to_one:
        if values.shape[1] < 2:
            raise InputError(f"{name}: found {values.shape[1]} class, expected 2 or more")
        total = values.sum(axis=1)
        bad = np.flatnonzero(np.abs(total - 1) > SUM_TOLERANCE)
        if len(bad):
            raise InputError(
                f"{name}, {list_rows(bad)}: adds to {total[bad[0]]:.6g}, expected 1; examples of "
                "several classes have the multilabel metrics"
            )
    return values


def judgements(true: np.ndarray, predicted: np.ndarray, sum_to_one: bool) -> list[np.ndarray]:
    """P and Q (N, K) as arrays of floats; `InputError` names the rows that cannot be used."""
    P = _checked(true, "true judgements P", sum_to_one)
    Q = _checked(predicted, "predicted judgements Q", sum_to_one)
    if P.shape != Q.shape:
        raise InputError(f"P has shape {P.shape} and Q {Q.shape}; expected the same")
    return [P, Q]


def normalised_entropy(shares: np.ndarray) -> np.ndarray:
    """Eta, the entropy of each distribution over log K: (...,) from shares (..., K)."""
    return np.asarray(entr(shares).sum(axis=-1) / np.log(shares.shape[-1]))


def divergence(true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """The Jensen-Shannon divergence in bits, in [0, 1]: (...,) from shares (..., K)."""
    middle, first, second = (
        entr(shares).sum(axis=-1) for shares in ((true + predicted) / 2, true, predicted)
    )
    # Rounding can leave a little less than 0.
    return np.maximum((middle - (first + second) / 2) / np.log(2), 0.0)


def correlations(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Pearson's correlation down each column: (K,) from (N, K); NaN where one varies by rounding
    alone.
    """
    first, second = (values - values.mean(axis=0) for values in (first, second))
    scale = np.sqrt((first**2).sum(axis=0)), np.sqrt((second**2).sum(axis=0))
    known = (scale[0] > 1e-12 * len(first)) & (scale[1] > 1e-12 * len(second))
    product = np.where(known, scale[0] * scale[1], 1.0)
    return np.where(known, (first * second).sum(axis=0) / product, np.nan)


def constant_side(true: np.ndarray, predicted: np.ndarray) -> str:
    """Which of two sets of entropies (N,) does not vary."""
    sides = {"P": true, "Q": predicted}.items()
    return " and ".join(
        name for name, values in sides if values.std() <= 1e-12 * np.sqrt(len(values))
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
    """Soft precision, recall and F1 of each class of P and Q (N, K) (HLV, equations A.1 to A.3); 0
    with a warning where a class is never predicted (precision), or given (recall). Rows need not
    add to 1.
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


def _binary(shares: np.ndarray) -> np.ndarray:
    """[P_ik, 1 - P_ik]: (N, K, 2)."""
    shares = np.minimum(shares, 1.0)
    return np.stack([shares, 1 - shares], axis=-1)


def _chosen(shares: np.ndarray) -> np.ndarray:
    """J: 1 where more than half give the class."""
    return (shares > 0.5).astype(float)


def _micro_f1(true: np.ndarray, predicted: np.ndarray) -> float:
    """The F1 of all classes together, of memberships (N, K)."""
    whole = float(true.sum() + predicted.sum())
    if whole <= 0:
        warn("the micro F1 counts as 0: nobody gives a class and none is predicted")
        return 0.0
    return 2 * float(np.minimum(true, predicted).sum()) / whole


def _entropy_correlation(P: np.ndarray, Q: np.ndarray) -> float:
    """The correlation of the rows' entropies; NaN, with a warning, where they do not vary."""
    eta = normalised_entropy(P), normalised_entropy(Q)
    found = float(correlations(*(values[:, None] for values in eta))[0])
    if np.isnan(found):
        warn(
            "the entropy correlation is undefined: the entropies of all rows of "
            f"{constant_side(*eta)} are the same"
        )
    return found


def _mean_entropy_correlation(P: np.ndarray, Q: np.ndarray) -> float:
    """The mean of the classes' entropy correlations; NaN, with a warning, where one is."""
    eta = [normalised_entropy(_binary(shares)) for shares in (P, Q)]
    found = correlations(*eta)
    missing = np.flatnonzero(np.isnan(found))
    if len(missing):
        side = constant_side(*(values[:, missing[0]] for values in eta))
        warn(
            f"the entropy correlation is undefined: the entropies of {name_classes(missing)} are "
            f"the same in all examples ({name_classes(missing[:1])}: of {side})"
        )
    return float(found.mean())


def _of_judgements(value: Callable[..., Any], sum_to_one: bool) -> Metric:
    """A metric of true and predicted judgements, which are looked at first."""
    return lambda true, predicted: float(value(*judgements(true, predicted, sum_to_one)))


MULTICLASS: dict[str, Metric] = {
    name: _of_judgements(value, sum_to_one=True)
    for name, value in {
        "accuracy": lambda P, Q: agreement(P, Q).mean(),
        "macro F1": lambda P, Q: class_f1(one_hot(P), one_hot(Q)).mean(),
        "soft accuracy": lambda P, Q: overlap(P, Q).mean(),
        "soft macro F1": lambda P, Q: class_f1(P, Q).mean(),
        "PO-JSD": lambda P, Q: 1 - divergence(P, Q).mean(),  # never below soft accuracy (theorem 1)
        "entropy correlation": _entropy_correlation,
    }.items()
}
"""Metrics of (P, Q), (N, K) with rows that add to 1, by the paper's names."""
MULTILABEL: dict[str, Metric] = {
    name: _of_judgements(value, sum_to_one=False)
    for name, value in {
        "micro F1": lambda P, Q: _micro_f1(_chosen(P), _chosen(Q)),
        "macro F1": lambda P, Q: class_f1(_chosen(P), _chosen(Q)).mean(),
        "soft micro F1": _micro_f1,
        "soft macro F1": lambda P, Q: class_f1(P, Q).mean(),
        "PO-JSD": lambda P, Q: 1 - divergence(_binary(P), _binary(Q)).mean(),
        "entropy correlation": _mean_entropy_correlation,
    }.items()
}
"""Metrics of (P, Q), (N, K) with shares from 0 to 1, by the paper's names."""
