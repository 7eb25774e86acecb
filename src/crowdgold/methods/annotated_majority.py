"""MV on Annotations (CLARA, section 4): the majority of each item's labels stands for the truth."""

from dataclasses import replace

import numpy as np

from crowdgold.data import Annotations, InputError
from crowdgold.inference.annotated_labels import LevelPosterior
from crowdgold.inference.labels import Fit, FixedLabels
from crowdgold.models.majority import check_ties, majority_labels, majority_shares


def labels_of_group(annotations: Annotations, judges: str) -> Annotations:
    """The labels of a group, all where `judges` is empty; `InputError` for no such group."""
    if not judges:
        return annotations
    found = np.flatnonzero(annotations.group == judges)
    if len(found) == 0:
        groups = ", ".join(map(repr, annotations.group))
        raise InputError(f"MV: judges: found {judges!r}, expected a group of the table: {groups}")
    own = annotations.group_of == found[0]
    parts = ("item_of", "annotator_of", "group_of", "label")
    return replace(annotations, **{name: getattr(annotations, name)[own] for name in parts})


def fit_annotated_majority(
    annotations: Annotations, rng: np.random.Generator, judges: str = "", ties: str = "random"
) -> Fit:
    """Take the majority of the labels for the truth.

    Args:
        annotations: the labels.
        rng: decides ties at random.
        judges: the group whose labels count, all where it is empty.
        ties: one of `models.majority.TIES`; with "share" tied categories share an item.

    Returns:
        labels, `NO_LABEL` where an item has no label that counts; or shares of categories.

    Raises:
        InputError: where the table has no such group, or there is no such rule for ties.
    """
    check_ties(ties)
    counted = labels_of_group(annotations, judges)
    if ties == "share":
        return Fit("MV", LevelPosterior(majority_shares(counted), hard=False))
    return Fit("MV", FixedLabels(majority_labels(counted, ties, rng)))
