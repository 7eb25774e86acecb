"""Judgement distributions: which arrays they are, and their entropies (HLV, section 3).

P_ik is the share of people who label example i with class k, Q_ik a model's prediction of it. Where
an example has one class, rows add to 1 (multiclass); where it may have several, they need not
(multilabel).
"""

import warnings
from collections.abc import Sequence

import numpy as np
from scipy.special import entr

from crowdgold.data import InputError
from crowdgold.data.checks import list_names, list_rows

SUM_TOLERANCE = 1e-6
"""Rows of distributions over classes add to 1 within this."""
SHOWN = 8


class UndefinedMetricWarning(UserWarning):
    """A metric, or its part of a class, that divides 0 by 0; the message says why."""


def warn(message: str) -> None:
    """Warn of something undefined, at the line that asked for the metric."""
    warnings.warn(message, UndefinedMetricWarning, stacklevel=4)


def name_classes(classes: Sequence[int] | np.ndarray) -> str:
    """Name classes for a message by their columns: the first few, then how many more."""
    return f"class{'es' if len(classes) > 1 else ''} {list_names(map(int, classes), SHOWN)}"


def _check_one(values: np.ndarray, name: str, sum_to_one: bool) -> None:
    if values.ndim != 2 or values.shape[0] == 0 or values.shape[1] == 0:
        raise InputError(f"{name}: found shape {values.shape}, expected (examples, classes)")
    bad = ~((values >= 0) & (values <= 1 + SUM_TOLERANCE)).all(axis=1)
    if bad.any():
        rows = list_rows(np.flatnonzero(bad))
        example = values[np.flatnonzero(bad)[0]].tolist()
        raise InputError(f"{name}, {rows}: found {example}, expected shares from 0 to 1")
    if sum_to_one:
        if values.shape[1] < 2:
            raise InputError(f"{name}: found {values.shape[1]} class, expected 2 or more")
        total = values.sum(axis=1)
        bad = np.abs(total - 1) > SUM_TOLERANCE
        if bad.any():
            rows, first = list_rows(np.flatnonzero(bad)), total[np.flatnonzero(bad)[0]]
            raise InputError(
                f"{name}, {rows}: adds to {first:.6g}, expected 1; examples of several classes "
                "have the multilabel metrics"
            )


def judgements(true: np.ndarray, predicted: np.ndarray, sum_to_one: bool) -> list[np.ndarray]:
    """Check P and Q and give them as arrays of floats.

    Args:
        true, predicted: (N, K) P and Q.
        sum_to_one: whether rows must add to 1.

    Raises:
        InputError: naming the rows that cannot be used.
    """
    found = [np.asarray(values, dtype=float) for values in (true, predicted)]
    for values, name in zip(found, ("true judgements P", "predicted judgements Q"), strict=True):
        _check_one(values, name, sum_to_one)
    if found[0].shape != found[1].shape:
        raise InputError(f"P has shape {found[0].shape} and Q {found[1].shape}; expected the same")
    return found


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
    """Pearson's correlation down each column: (K,) from (N, K); NaN where one is constant.

    A column counts as constant where it varies by rounding alone.
    """
    first, second = (values - values.mean(axis=0) for values in (first, second))
    scale = np.sqrt((first**2).sum(axis=0)), np.sqrt((second**2).sum(axis=0))
    known = (scale[0] > 1e-12 * len(first)) & (scale[1] > 1e-12 * len(second))
    product = np.where(known, scale[0] * scale[1], 1.0)
    return np.where(known, (first * second).sum(axis=0) / product, np.nan)


def constant_side(true: np.ndarray, predicted: np.ndarray) -> str:
    """Say which of two sets of entropies (N,) does not vary."""
    sides = [
        name
        for name, values in (("P", true), ("Q", predicted))
        if values.std() <= 1e-12 * np.sqrt(len(values))
    ]
    return " and ".join(sides)
