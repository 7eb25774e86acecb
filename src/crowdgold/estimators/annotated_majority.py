"""MV on Annotations (CLARA, section 4): the majority of each item's labels stands for the truth."""

import numpy as np

from crowdgold.data import Annotations, InputError
from crowdgold.estimators.posterior import NO_LABEL, Fit, FixedLabels


def _judged(annotations: Annotations, judges: str) -> np.ndarray:
    """Say which labels (L,) count: those of a group, or all where `judges` is empty."""
    if not judges:
        return np.ones(len(annotations), dtype=bool)
    found = np.flatnonzero(annotations.group == judges)
    if len(found) == 0:
        groups = ", ".join(map(repr, annotations.group))
        raise InputError(f"MV: judges: found {judges!r}, expected a group of the table: {groups}")
    return np.asarray(annotations.group_of == found[0])


def majority_of_labels(
    annotations: Annotations, rng: np.random.Generator, judges: str = ""
) -> np.ndarray:
    """Give the majority of each item's labels, ties decided at random: (I,) categories.

    Args:
        annotations: the labels.
        rng: decides ties.
        judges: the group whose labels count, all where it is empty.

    Returns:
        positions of categories, `NO_LABEL` where an item has no label that counts.

    Raises:
        InputError: where the table has no such group.
    """
    items, categories = len(annotations.item), len(annotations.category)
    counts = _judged(annotations, judges)
    cell = (annotations.item_of * categories + annotations.label)[counts]
    votes = np.bincount(cell, minlength=items * categories).reshape(items, categories)
    # A random part below 1 decides between equal numbers of votes and no others.
    majority = (votes + rng.random(votes.shape) / 2).argmax(axis=1)
    return np.where(votes.sum(axis=1) > 0, majority, NO_LABEL)


def fit_annotated_majority(
    annotations: Annotations, rng: np.random.Generator, judges: str = ""
) -> Fit:
    """Take the majority of the labels for the truth; arguments as for `majority_of_labels`."""
    return Fit("MV", FixedLabels(majority_of_labels(annotations, rng, judges)))
