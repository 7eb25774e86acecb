"""CLARA's model (section 3.2): its priors, and the patterns of labels that its likelihood sees.

theta ~ Dirichlet(alpha theta_0) and psi_m,k ~ Dirichlet(gamma_k psi_0,k), weights as configured.
The prior means take the majority votes for true labels (section 7.2).

A confusion matrix belongs to each annotator, to each group, or to all. The likelihood of an item
sees only how often each (matrix, label) occurs on it: items with the same counts, and without
scores, share a pattern, and a sampler's sweep costs the patterns and not the items.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from crowdgold.models.majority import majority_shares
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError

PSEUDO_LABELS = 1.0
"""Labels spread evenly over each row of psi_0 and over theta_0 before they are normalised: where a
label never occurs its prior mean would be 0, and it could never be drawn."""


@dataclass(frozen=True)
class ClaraPrior:
    """Dirichlet priors of the prevalence and of every confusion matrix."""

    theta: np.ndarray  # (K,) alpha theta_0, positive
    psi: np.ndarray  # (K, K) gamma_k psi_0,k, positive; true label k in rows, observed in columns


def empirical_prior(annotations: Annotations, alpha: float = 1.0, gamma: float = 1.0) -> ClaraPrior:
    """Majority votes give its means; weights `alpha`, items, and `gamma`, labels a row."""
    for name, value in (("alpha", alpha), ("gamma", gamma)):
        if not (np.isfinite(value) and value > 0):
            raise InputError(f"{name}: found {value!r}, expected a positive number")
    shares, size = majority_shares(annotations), len(annotations.category)
    theta = shares.sum(axis=0) + PSEUDO_LABELS / size
    psi = np.zeros((size, size))
    np.add.at(psi.T, annotations.label, shares[annotations.item_of])
    psi += PSEUDO_LABELS / size
    return ClaraPrior(alpha * theta / theta.sum(), gamma * psi / psi.sum(axis=1, keepdims=True))


Confusion = Literal["annotator", "group", "shared"]
CONFUSION: tuple[str, ...] = get_args(Confusion)  # Whose confusion matrix a label is drawn from


@dataclass(frozen=True)
class LabelPatterns:
    """The labels of I items as P patterns; the cells of pattern p are start[p] to start[p + 1]."""

    matrices: int  # number M of confusion matrices
    categories: int  # number K of categories
    count: np.ndarray  # (P,) items of each pattern
    start: np.ndarray  # (P + 1,) first cell of each pattern
    matrix: np.ndarray  # (cells,) confusion matrix of each cell
    label: np.ndarray  # (cells,) label of each cell
    times: np.ndarray  # (cells,) how often the pattern has that label from that matrix, at least 1
    pattern_of: np.ndarray  # (I,) pattern of each item

    def __len__(self) -> int:
        return len(self.count)


def matrix_of_label(annotations: Annotations, confusion: str) -> tuple[np.ndarray, int]:
    """The confusion matrix (L,) that each label is drawn from, and how many there are."""
    if confusion == "annotator":
        return annotations.annotator_of, len(annotations.annotator)
    if confusion == "group":
        return annotations.group_of, len(annotations.group)
    if confusion == "shared":
        return np.zeros(len(annotations), dtype=int), 1
    raise InputError(f"confusion {confusion!r}; expected one of {', '.join(CONFUSION)}")


def find_label_patterns(
    annotations: Annotations, confusion: str, exchangeable: bool = True
) -> LabelPatterns:
    """Patterns of items with equal counts of labels; of single items if not exchangeable."""
    matrix, matrices = matrix_of_label(annotations, confusion)
    K, size = len(annotations.category), len(annotations.item)
    code = (annotations.item_of * matrices + matrix) * K + annotations.label
    cells, times = np.unique(code, return_counts=True)
    item, kind = np.divmod(cells, matrices * K)
    start = np.searchsorted(item, np.arange(size + 1))
    length = start[1:] - start[:-1]
    first = pattern_of = np.arange(size)
    if exchangeable:  # items are compared as rows of numbers, those of one length at a time
        content = kind * (times.max() + 1) + times
        pattern_of, heads, found = np.empty(size, dtype=int), [], 0
        for number in np.unique(length):
            items = np.flatnonzero(length == number)
            rows = content[start[items][:, None] + np.arange(number)]
            _, at, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            pattern_of[items] = found + inverse.ravel()
            heads.append(items[at])
            found += len(at)
        first = np.concatenate(heads)
    count = np.bincount(pattern_of, minlength=len(first))
    length = length[first]
    chosen = np.repeat(start[first] - np.cumsum(length) + length, length) + np.arange(length.sum())
    begins = np.concatenate([[0], np.cumsum(length)])
    matrix, label = np.divmod(kind[chosen], K)
    return LabelPatterns(matrices, K, count, begins, matrix, label, times[chosen], pattern_of)
