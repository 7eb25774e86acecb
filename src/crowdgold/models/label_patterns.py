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
