"""Label patterns: items whose labels are alike are exchangeable under CLARA (section 3.2).

A confusion matrix belongs to each annotator, to each group, or to all. The likelihood of an item
sees only how often each (matrix, label) occurs on it: items with the same counts, and without
scores, share a pattern, and a sampler's sweep costs the patterns and not the items.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError

Confusion = Literal["annotator", "group", "shared"]
CONFUSION: tuple[str, ...] = get_args(Confusion)
"""Whose confusion matrix a label is drawn from."""


@dataclass(frozen=True)
class LabelPatterns:
    """The labels of I items as P patterns; the cells of pattern p are start[p] to start[p + 1].

    Attributes:
        matrices: number M of confusion matrices.
        categories: number K of categories.
        count: (P,) items of each pattern.
        start: (P + 1,) first cell of each pattern.
        matrix: (cells,) confusion matrix of each cell.
        label: (cells,) label of each cell.
        times: (cells,) how often the pattern has that label from that matrix, at least 1.
        pattern_of: (I,) pattern of each item.
    """

    matrices: int
    categories: int
    count: np.ndarray
    start: np.ndarray
    matrix: np.ndarray
    label: np.ndarray
    times: np.ndarray
    pattern_of: np.ndarray

    def __len__(self) -> int:
        return len(self.count)


def matrix_of_label(annotations: Annotations, confusion: str) -> tuple[np.ndarray, int]:
    """The confusion matrix (L,) that each label is drawn from, and how many there are.

    Raises:
        InputError: where `confusion` is not one of `CONFUSION`.
    """
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
    """Count the labels of each item, and join items whose counts are equal.

    Args:
        confusion: whose confusion matrices there are, one of `CONFUSION`.
        exchangeable: whether items may be joined; with scores each item has a pattern of its own.
    """
    matrix, matrices = matrix_of_label(annotations, confusion)
    K, size = len(annotations.category), len(annotations.item)
    code = (annotations.item_of * matrices + matrix) * K + annotations.label
    cells, times = np.unique(code, return_counts=True)
    item, kind = np.divmod(cells, matrices * K)
    start = np.searchsorted(item, np.arange(size + 1))
    if exchangeable:
        first, pattern_of, count = _distinct(start, kind * (times.max() + 1) + times)
    else:
        first, pattern_of, count = np.arange(size), np.arange(size), np.ones(size, dtype=int)
    length = (start[1:] - start[:-1])[first]
    chosen = np.repeat(start[first] - np.cumsum(length) + length, length) + np.arange(length.sum())
    return LabelPatterns(
        matrices,
        K,
        count,
        np.concatenate([[0], np.cumsum(length)]),
        kind[chosen] // K,
        kind[chosen] % K,
        times[chosen],
        pattern_of,
    )


def _distinct(start: np.ndarray, content: np.ndarray) -> tuple[np.ndarray, ...]:
    """Find equal items: the first of each kind (P,), the kind of each (I,), and their counts (P,).

    Items are compared as rows of numbers, those of one length at a time.
    """
    length = start[1:] - start[:-1]
    kind = np.empty(len(length), dtype=int)
    first: list[np.ndarray] = []
    found = 0
    for size in np.unique(length):
        items = np.flatnonzero(length == size)
        rows = content[start[items][:, None] + np.arange(size)]
        _, at, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        kind[items] = found + inverse.ravel()
        first.append(items[at])
        found += len(at)
    return np.concatenate(first), kind, np.bincount(kind, minlength=found)
