"""The two steps of the EM for confusion matrices, compiled: one pass over the labels a step.

An item's weight of a level is a product over its labels. Products of so few factors that none can
underflow, each at least the floor, are multiplied; items with more labels add logarithms.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from crowdgold.data import Annotations
from crowdgold.kernels import kernel

DECADES = 300.0
"""Products of doubles above 10^-300 keep their precision."""
SMALL = 1e-280
"""Products of the items' likelihoods below this are taken logarithms of."""


@dataclass(frozen=True)
class Labels:
    """The labels as the steps read them.

    Attributes:
        start: (I + 1,) where each item's labels start.
        cell: (L,) annotator K + label, the row of a table of weights by level.
        most: items with at most so many labels are multiplied.
        floor: added to probabilities in the likelihood.
        labelled: (I,) whether an item has a label.
    """

    start: np.ndarray
    cell: np.ndarray
    most: int
    floor: float
    labelled: np.ndarray

    @classmethod
    def of(cls, annotations: Annotations, floor: float) -> "Labels":
        """Make them of Annotations; `floor` is at least 0."""
        count = annotations.labels_of_item
        start = np.append(0, np.cumsum(count))
        cell = annotations.annotator_of * len(annotations.category) + annotations.label
        # The class prior is a factor too.
        most = int(DECADES / -np.log10(floor)) - 1 if floor > 0 else -1
        return cls(start, cell.astype(np.int32), most, floor, count > 0)


@kernel(error_model="numpy", nogil=True)
def _add_logarithms(
    cell: np.ndarray, log_prior: np.ndarray, weight: np.ndarray, own: np.ndarray
) -> float:
    """Fill an item's weights (K,), the largest 1, and give the logarithm of what they are over."""
    own[:] = log_prior
    for row in cell:
        for level in range(len(own)):
            own[level] += np.log(weight[row, level])
    top = own.max()
    for level in range(len(own)):
        own[level] = np.exp(own[level] - top)
    return float(top)


Pass = Callable[..., float]
"""(start, cell, most, prior, weight, posterior, counts, sizes) -> log likelihood."""


@cache
def _pass_with(levels: int) -> Pass:
    """The pass over the labels for a number of levels, which the compiler then knows.

    It fills posteriors (I, K) and adds to counts (A K, K) and to expected numbers of items (K,), at
    weights (A K, K) of labels by level.
    """

    @kernel(error_model="numpy", nogil=True)
    def one_pass(
        start: np.ndarray,
        cell: np.ndarray,
        most: int,
        prior: np.ndarray,
        weight: np.ndarray,
        posterior: np.ndarray,
        counts: np.ndarray,
        sizes: np.ndarray,
    ) -> float:
        total, product = 0.0, 1.0
        log_prior, own = np.log(prior), np.empty(levels)
        for item in range(len(start) - 1):
            first, last = start[item], start[item + 1]
            if first == last:
                continue
            if last - first <= most:
                for level in range(levels):
                    own[level] = prior[level]
                for label in range(first, last):
                    row = cell[label]
                    for level in range(levels):
                        own[level] *= weight[row, level]
            else:
                total += _add_logarithms(cell[first:last], log_prior, weight, own)
            norm = 0.0
            for level in range(levels):
                norm += own[level]
            # One logarithm for many items.
            if product * norm < SMALL:
                total += np.log(product)
                product = 1.0
            product *= norm
            inverse = 1 / norm
            for level in range(levels):
                own[level] *= inverse
                posterior[item, level] = own[level]
                sizes[level] += own[level]
            for label in range(first, last):
                row = cell[label]
                for level in range(levels):
                    counts[row, level] += own[level]
        return total + np.log(product)

    found: Pass = one_pass
    return found


def expectation(
    labels: Labels, prior: np.ndarray, confusion: np.ndarray, posterior: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Fill the posteriors, and give the log likelihood and the expected counts.

    Args:
        prior: (K,) the class prior.
        confusion: (A, K, K) confusion matrices, the true level in rows.
        posterior: (I, K) to be filled, where an item has labels.

    Returns:
        the log likelihood with the floor in it, the expected number of items of each level (K,),
        and of labels, N (A, K, K), by annotator, level and label.
    """
    annotators, levels, _ = confusion.shape
    # By label first: the levels of a label then stand side by side.
    weight = np.ascontiguousarray(confusion.transpose(0, 2, 1)).reshape(-1, levels) + labels.floor
    counts, sizes = np.zeros_like(weight), np.zeros(levels)
    start, cell, most = labels.start, labels.cell, labels.most
    one_pass, chance = _pass_with(levels), prior + labels.floor
    total = one_pass(start, cell, most, chance, weight, posterior, counts, sizes)
    return total, sizes, counts.reshape(annotators, levels, levels).transpose(0, 2, 1)


def next_confusion(
    counts: np.ndarray, confusion: np.ndarray, alpha: float
) -> tuple[np.ndarray, float]:
    """The confusion matrices of an M step, and the largest change of an entry.

    Args:
        counts: (A, K, K) expected counts.
        confusion: (A, K, K) the matrices before; a row without counts or smoothing stays.
        alpha: weight of the Dirichlet prior of a row, at least 1.
    """
    smoothed = counts + (alpha - 1)
    total = smoothed.sum(axis=2, keepdims=True)
    found = np.divide(smoothed, total, out=confusion.copy(), where=total > 0)
    return found, float(np.abs(found - confusion).max())
