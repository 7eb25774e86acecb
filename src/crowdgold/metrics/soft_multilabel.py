"""Metrics of predicted judgements where an example may have several classes (HLV, section 3.2).

    (soft) micro F1      2 sum_ik min(P_ik, Q_ik) / sum_ik (P_ik + Q_ik)     hard: of J = 1(. > 0.5)
    (soft) macro F1      the mean over classes of the same for each
    PO-JSD               1 - mean_ik JSD([P_ik, 1 - P_ik], [Q_ik, 1 - Q_ik])
    entropy correlation  the mean over classes of Pearson's, of the entropies of [P_ik, 1 - P_ik];
                         undefined where it is for a class, as in the paper (section 5.2)

With rows that add to 1, soft micro F1 is soft accuracy. A class that nobody gives and nobody
predicts counts with an F1 of 0, with a warning, as in `crowdgold.metrics.soft`.
"""

import numpy as np

from crowdgold.metrics.soft import (
    Metric,
    class_f1,
    constant_side,
    correlations,
    divergence,
    judgements,
    name_classes,
    normalised_entropy,
    warn,
)


def _binary(shares: np.ndarray) -> np.ndarray:
    """[P_ik, 1 - P_ik]: (N, K, 2)."""
    shares = np.minimum(shares, 1.0)
    return np.stack([shares, 1 - shares], axis=-1)


def _chosen(shares: np.ndarray) -> np.ndarray:
    """J: 1 where more than half give the class."""
    return (shares > 0.5).astype(float)


def _micro_f1(true: np.ndarray, predicted: np.ndarray) -> float:
    whole = float(true.sum() + predicted.sum())
    if whole <= 0:
        warn("the micro F1 counts as 0: nobody gives a class and none is predicted")
        return 0.0
    return 2 * float(np.minimum(true, predicted).sum()) / whole


def micro_f1(true: np.ndarray, predicted: np.ndarray) -> float:
    """The F1 of all classes together, of those that more than half give."""
    return _micro_f1(*map(_chosen, judgements(true, predicted, sum_to_one=False)))


def macro_f1(true: np.ndarray, predicted: np.ndarray) -> float:
    """The mean over classes of the F1, of those that more than half give."""
    P, Q = judgements(true, predicted, sum_to_one=False)
    return float(class_f1(_chosen(P), _chosen(Q)).mean())


def soft_micro_f1(true: np.ndarray, predicted: np.ndarray) -> float:
    """The soft F1 of all classes together."""
    return _micro_f1(*judgements(true, predicted, sum_to_one=False))


def soft_macro_f1(true: np.ndarray, predicted: np.ndarray) -> float:
    """The mean over classes of the soft F1."""
    return float(class_f1(*judgements(true, predicted, sum_to_one=False)).mean())


def po_jsd(true: np.ndarray, predicted: np.ndarray) -> float:
    """1 less the mean Jensen-Shannon divergence of each example and class."""
    P, Q = judgements(true, predicted, sum_to_one=False)
    return 1 - float(divergence(_binary(P), _binary(Q)).mean())


def entropy_correlation(true: np.ndarray, predicted: np.ndarray) -> float:
    """The mean of the classes' entropy correlations; NaN, with a warning, where one is."""
    P, Q = judgements(true, predicted, sum_to_one=False)
    eta = [normalised_entropy(_binary(shares)) for shares in (P, Q)]
    found = correlations(*eta)
    missing = np.flatnonzero(np.isnan(found))
    if len(missing):
        side = constant_side(*(values[:, missing[0]] for values in eta))
        warn(
            f"the entropy correlation is undefined: the entropies of {name_classes(missing)} are "
            f"the same in all examples ({name_classes(missing[:1])}: of {side})"
        )
        return float("nan")
    return float(found.mean())


MULTILABEL: dict[str, Metric] = {
    "micro F1": micro_f1, "macro F1": macro_f1, "soft micro F1": soft_micro_f1,
    "soft macro F1": soft_macro_f1, "PO-JSD": po_jsd, "entropy correlation": entropy_correlation,
}  # fmt: skip
"""Metrics of (P, Q), (N, K) with shares from 0 to 1, by the paper's names."""
