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
NO_LABEL = -1  # The majority of an item without labels


def _tied(annotations: Annotations) -> np.ndarray:
    """The categories with the most labels of an item: (I, K); none where it has no label."""
    votes = annotations.votes()
    return (votes == votes.max(axis=1, keepdims=True)) & (votes.max(axis=1, keepdims=True) > 0)


def majority_shares(annotations: Annotations) -> np.ndarray:
    """Each item's majority vote as shares, even among tied ones: (I, K); zeros for no label."""
    top = _tied(annotations)
    return np.asarray(top / np.maximum(top.sum(axis=1, keepdims=True), 1))


def majority_labels(
    annotations: Annotations, ties: str, rng: np.random.Generator | None = None
) -> np.ndarray:
    """Each item's majority vote (I,), `NO_LABEL` for none; ties by one of `TIES` but "share"."""
    if ties not in TIES:
        raise InputError(f"ties: found {ties!r}, expected one of {', '.join(TIES)}")
    top = _tied(annotations)
    if ties == "share":
        raise InputError("ties: 'share' gives shares of categories (`majority_shares`), no label")
    if ties == "random":
        if rng is None:
            raise ValueError("ties at random need a generator of random numbers")
        order = rng.random(top.shape)
    elif ties == "first_met":
        cell = annotations.item_of * top.shape[1] + annotations.label
        first = np.full(top.size, len(annotations))
        # The last assignment to a cell stays: that of its first label.
        first[cell[::-1]] = np.arange(len(annotations))[::-1]
        order = -first.reshape(top.shape).astype(float)
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
    """Each item's majority (n,), ties at random; printed floor(V / c) would ask for unanimity."""
    twice = 2 * items.votes_positive
    tied = twice == items.votes_total
    return np.where(tied, rng.random(len(items)) < 0.5, twice > items.votes_total).astype(np.int8)
