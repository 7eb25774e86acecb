"""Who gave each vote of Items: labels of two categories, "0" and "1", in the order of the items."""

from collections.abc import Collection

import numpy as np

from crowdgold.data.annotations import NO_GROUP, Annotations
from crowdgold.data.errors import InputError

VOTES = ("0", "1")
"""The categories of votes; the second is positive."""


def labels_of_items(
    item: np.ndarray, item_of: np.ndarray, annotator: np.ndarray, positive: np.ndarray
) -> Annotations:
    """Make the labels behind the votes of items.

    Args:
        item_of: (L,) position of each label's item, ascending.
        annotator: (L,) who gave each label; equal names are one annotator. Annotators are sorted.
        positive: (L,) whether the label is positive.
    """
    names, annotator_of = np.unique(annotator.astype(str), return_inverse=True)
    return Annotations(
        item=item,
        annotator=names.astype(object),
        group=np.array([NO_GROUP], dtype=object),
        category=np.array(VOTES, dtype=object),
        item_of=item_of.astype(np.int64),
        annotator_of=annotator_of.astype(np.int64),
        group_of=np.zeros(len(item_of), dtype=np.int64),
        label=positive.astype(np.int64),
    )


def positive_categories(annotations: Annotations, positive: Collection[str]) -> np.ndarray:
    """Say which categories count as positive: (K,), some and not all.

    Args:
        positive: names of categories; the last one where there are none.

    Raises:
        InputError: where there is no such category, or all are positive.
    """
    names = [str(name) for name in annotations.category]
    chosen = set(map(str, positive)) or {names[-1]}
    for name in sorted(chosen):
        if name not in names:
            raise InputError(
                f"positive: found {name!r}, expected categories out of {', '.join(names)}"
            )
    if len(chosen) == len(names):
        raise InputError(f"positive: all of {', '.join(names)}; expected some and not all")
    return np.array([name in chosen for name in names])
