"""Majority votes of Annotations and of Items, and what becomes of ties."""

from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items

TieRule = Literal["random", "first_met", "lowest", "highest", "share"]
TIES: tuple[str, ...] = get_args(TieRule)
"""What becomes of tied categories: one of them drawn at random; the one whose label stands first in
the table; the lowest or the highest; or an even share for each."""

NO_LABEL = -1
"""The majority of an item without labels."""


def check_ties(ties: str) -> None:
    """Check the name of a tie rule; `InputError` where there is none."""
    if ties not in TIES:
        raise InputError(f"ties: found {ties!r}, expected one of {', '.join(TIES)}")


def _tied(annotations: Annotations) -> np.ndarray:
    """Say which categories have the most labels of an item: (I, K); none where it has no label."""
    votes = annotations.votes()
    return (votes == votes.max(axis=1, keepdims=True)) & (votes.max(axis=1, keepdims=True) > 0)


def _first_label(annotations: Annotations) -> np.ndarray:
    """The position of the first label of each category on each item: (I, K); L for none."""
    size = len(annotations.item) * len(annotations.category)
    cell = annotations.item_of * len(annotations.category) + annotations.label
    first = np.full(size, len(annotations))
    # The last assignment to a cell stays: that of its first label.
    first[cell[::-1]] = np.arange(len(annotations))[::-1]
    return first.reshape(len(annotations.item), -1)


def majority_shares(annotations: Annotations) -> np.ndarray:
    """Each item's majority vote as shares of the categories: (I, K).

    Tied categories share an item evenly; an item without labels has a row of zeros.
    """
    top = _tied(annotations)
    return np.asarray(top / np.maximum(top.sum(axis=1, keepdims=True), 1))


def majority_labels(
    annotations: Annotations, ties: str, rng: np.random.Generator | None = None
) -> np.ndarray:
    """Each item's majority vote: (I,) categories, `NO_LABEL` where it has no label.

    Args:
        ties: one of `TIES` but "share".
        rng: decides ties at random; needed for no other rule.

    Raises:
        InputError: for another rule.
    """
    check_ties(ties)
    top = _tied(annotations)
    if ties == "share":
        raise InputError("ties: 'share' gives shares of categories (`majority_shares`), no label")
    if ties == "random":
        if rng is None:
            raise ValueError("ties at random need a generator of random numbers")
        order = rng.random(top.shape)
    elif ties == "first_met":
        order = -_first_label(annotations).astype(float)
    else:
        rising = np.arange(top.shape[1], dtype=float)
        order = np.broadcast_to(rising if ties == "highest" else -rising, top.shape)
    chosen = np.where(top, order, -np.inf).argmax(axis=1)
    return np.where(top.any(axis=1), chosen, NO_LABEL)


def labels_of_group(annotations: Annotations, group: str) -> Annotations:
    """The labels of a group, all where it is empty; `InputError` for no such group."""
    if not group:
        return annotations
    found = np.flatnonzero(annotations.group == group)
    if len(found) == 0:
        groups = ", ".join(map(repr, annotations.group))
        raise InputError(f"judges: found {group!r}, expected a group of the table: {groups}")
    own = annotations.group_of == found[0]
    parts = ("item_of", "annotator_of", "group_of", "label")
    return replace(annotations, **{name: getattr(annotations, name)[own] for name in parts})


def majority_vote(items: Items, rng: np.random.Generator) -> np.ndarray:
    """The majority of each item's votes, ties decided at random: (n,) 0 or 1.

    The paper prints floor(V / c), which would ask for unanimity; V > c / 2 is meant.
    """
    twice = 2 * items.votes_positive
    tied = twice == items.votes_total
    return np.where(tied, rng.random(len(items)) < 0.5, twice > items.votes_total).astype(np.int8)
