"""What each method trains on: rows with targets and weights, made of the annotations (HLV, section
4).

    ReL           a row for each annotation
    MV            a row an item, its majority-voted labels
    AR, ARh       the same, weighted by the item's annotators
    AL            a row for each class that somebody chose for the item
    SL, JSD, SmF1, SMF1    a row an item, its shares P
    SLMV          the same, and the majority-voted labels for a second head
    AE, AEh, LA-min, LA-max    a row an item, its annotations

Equal annotations of an item are one row of ReL with their number as its weight, where the dataset
holds them so, because it does not say who gave them (ChaosNLI: 100 labels of three classes). Over
the whole set the loss is the same, a sum over annotations; what differs is that they share a step
of the optimiser, and that an epoch has fewer steps. `each` lays them out one by one. For a given
model the sum over all rows is the one of SL, with each item weighted by its number of annotations:
where all items have as many, ReL and SL differ by the steps of the optimiser alone.

Annotators ranked by how they go with the majority, and items weighted by them (HLV, section 4).

AR scores an annotator by the mean, over the items on which they chose the majority-voted label, of
the share of annotators who chose it; ARh by the share of their items on which they did. Both are 0
for an annotator who never did. An item weighs the sum of its annotators' scores.

The paper's example, as converted, has "1/2, (3/4 + 2/3)" for the second annotator's score; both of
their annotations are the majority's, which 3/4 and 2/3 chose, so it is (3/4 + 2/3) / 2.

Where items may have several classes, each class is a question of its own, to choose it or not,
whose majority and its share are those of the annotators; the paper does not say how. An item's
weight is the mean over the classes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crowdgold.papers.label_variation.judgements import Judged, Padded, find_method, why_left_out
from crowdgold.types.errors import InputError


def _agreement(judged: Judged) -> tuple[np.ndarray, np.ndarray]:
    """Give, by annotation and question, whether it goes with the majority, and how many did.

    Returns:
        (R, Q) 0 or 1, and (R, Q) the majority's share of the item's annotations; Q is 1, or the
        number of classes where items may have several.
    """
    shares, majority = judged.shares(), judged.majority()
    of_row = majority[judged.item_of]
    if judged.multilabel:
        with_majority = (judged.chosen == of_row).astype(float)
        share = np.where(majority == 1, shares, 1 - shares)
        return with_majority, share[judged.item_of]
    with_majority = (judged.chosen * of_row).sum(axis=1, keepdims=True)
    return with_majority, (shares * majority).sum(axis=1, keepdims=True)[judged.item_of]


def annotator_scores(judged: Judged, hard: bool) -> np.ndarray:
    """Score each annotator on each question: (A, Q), Q = 1 where an item has one class.

    Args:
        judged: annotations that say who gave them.
        hard: ARh, else AR.

    Raises:
        InputError: where it is not known who gave the annotations.
    """
    if judged.annotator_of is None:
        raise InputError("AR and ARh: the annotations do not say who gave them")
    with_majority, share = _agreement(judged)
    agreed = np.zeros((judged.annotators, with_majority.shape[1]))
    summed, given = np.zeros_like(agreed), np.zeros_like(agreed)
    np.add.at(agreed, judged.annotator_of, with_majority)
    np.add.at(summed, judged.annotator_of, with_majority if hard else with_majority * share)
    np.add.at(given, judged.annotator_of, np.ones_like(with_majority))
    number = given if hard else agreed
    return np.divide(summed, number, out=np.zeros_like(agreed), where=number > 0)


def item_weights(judged: Judged, hard: bool) -> np.ndarray:
    """Each item's weight, (N,): the sum of its annotators' scores.

    Args and errors are those of `annotator_scores`.
    """
    scores = annotator_scores(judged, hard).mean(axis=1)
    return np.bincount(judged.item_of, weights=scores[judged.annotator_of])


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """R rows.

    Attributes:
        item: (R,) position of a row's item.
        target: (R, K) what its prediction should be.
        weight: (R,) of its loss.
        second: (R, K) the target of the second head (SLMV), else None.
        annotations: of each row (AE, AEh, LA-min, LA-max), else None.
    """

    item: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    second: np.ndarray | None = None
    annotations: Padded | None = None

    def __len__(self) -> int:
        """R, the number of rows."""
        return len(self.item)


def _by_item(judged: Judged, target: np.ndarray, **more: np.ndarray | Padded) -> TrainingSet:
    weight = np.ones(judged.items)
    return TrainingSet(np.arange(judged.items), target, weight, **more)  # type: ignore[arg-type]


def _repeated(judged: Judged, each: bool) -> TrainingSet:
    number = judged.counts
    if each:
        rows = np.repeat(np.arange(len(number)), number)
        return TrainingSet(judged.item_of[rows], judged.chosen[rows], np.ones(len(rows)))
    return TrainingSet(judged.item_of, judged.chosen, number / number.mean())


def _ambiguous(judged: Judged) -> TrainingSet:
    item, label = np.nonzero(judged.shares() > 0)
    return TrainingSet(item, np.eye(judged.classes)[label], np.ones(len(item)))


def _ranked(hard: bool) -> Callable[[Judged], TrainingSet]:
    def weighted(judged: Judged) -> TrainingSet:
        weight = item_weights(judged, hard)
        return TrainingSet(np.arange(judged.items), judged.majority(), weight)

    return weighted


def _soft(judged: Judged) -> TrainingSet:
    return _by_item(judged, judged.shares())


def _annotations(judged: Judged) -> TrainingSet:
    return _by_item(judged, judged.shares(), annotations=judged.padded())


MAKERS: dict[str, Callable[[Judged], TrainingSet]] = {
    "MV": lambda judged: _by_item(judged, judged.majority()),
    "AR": _ranked(hard=False),
    "ARh": _ranked(hard=True),
    "AL": _ambiguous,
    "SL": _soft,
    "SLMV": lambda judged: _by_item(judged, judged.shares(), second=judged.majority()),
    "AE": _annotations,
    "AEh": _annotations,
    "JSD": _soft,
    "SmF1": _soft,
    "SMF1": _soft,
    "LA-min": _annotations,
    "LA-max": _annotations,
}


def training_set(method: str, judged: Judged, each: bool = False) -> TrainingSet:
    """Make what a method trains on.

    Args:
        judged: the annotations of the training items.
        each: whether ReL has a row for each of several equal annotations; else one, weighted.

    Raises:
        InputError: for an unknown method, or one that these annotations do not allow.
    """
    name = find_method(method).name
    if reason := why_left_out(name, judged.annotator_of is not None, judged.multilabel):
        raise InputError(reason)
    return _repeated(judged, each) if name == "ReL" else MAKERS[name](judged)
