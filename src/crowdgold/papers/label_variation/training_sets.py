"""What each method trains on: rows with targets and weights, made of the annotations, and
annotators ranked by how they go with the majority (HLV, section 4).
"""

from dataclasses import dataclass

import numpy as np

from crowdgold.papers.label_variation.judgements import Judged, Padded, why_left_out
from crowdgold.types.errors import InputError


def _agreement(judged: Judged) -> tuple[np.ndarray, np.ndarray]:
    """Whether each annotation goes with the majority on each question, (R, Q), and the majority's
    share.
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
    """Each annotator's score on each question: (A, Q), Q = 1 where an item has one class.

    AR scores an annotator by the mean, over the items on which they chose the majority-voted label,
    of the share of annotators who chose it; ARh (`hard`) by the share of their items on which they
    did. Both are 0 for an annotator who never did.

    The paper's example, as converted, has "1/2, (3/4 + 2/3)" for the second annotator's score; both
    of their annotations are the majority's, which 3/4 and 2/3 chose, so it is (3/4 + 2/3) / 2.

    Where items may have several classes, each class is a question of its own, to choose it or not,
    whose majority and its share are those of the annotators; the paper does not say how.
    """
    assert judged.annotator_of is not None
    with_majority, share = _agreement(judged)
    agreed = np.zeros((judged.annotators, with_majority.shape[1]))
    summed, given = np.zeros_like(agreed), np.zeros_like(agreed)
    np.add.at(agreed, judged.annotator_of, with_majority)
    np.add.at(summed, judged.annotator_of, with_majority if hard else with_majority * share)
    np.add.at(given, judged.annotator_of, np.ones_like(with_majority))
    number = given if hard else agreed
    return np.divide(summed, number, out=np.zeros_like(agreed), where=number > 0)


def item_weights(judged: Judged, hard: bool) -> np.ndarray:
    """Each item's weight, (N,): the sum of its annotators' scores, which are means over the classes
    where items may have several.
    """
    scores = annotator_scores(judged, hard).mean(axis=1)
    return np.bincount(judged.item_of, weights=scores[judged.annotator_of])


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """R rows."""

    item: np.ndarray  # (R,) position of a row's item
    target: np.ndarray  # (R, K) what its prediction should be
    weight: np.ndarray  # (R,) of its loss
    second: np.ndarray | None = None  # (R, K) the target of the second head (SLMV)
    annotations: Padded | None = None  # of each row (AE, AEh, LA-min, LA-max)

    def __len__(self) -> int:
        """R, the number of rows."""
        return len(self.item)


def training_set(method: str, judged: Judged, each: bool = False) -> TrainingSet:
    """What a method trains on; an InputError where these annotations do not allow it.

    Equal annotations of an item are one row of ReL with their number as its weight, where the
    dataset holds them so, because it does not say who gave them (ChaosNLI: 100 labels of three
    classes). Over the whole set the loss is the same, a sum over annotations; what differs is that
    they share a step of the optimiser, and that an epoch has fewer steps. `each` lays them out one
    by one. For a given model the sum over all rows is the one of SL, with each item weighted by its
    number of annotations: where all items have as many, ReL and SL differ by the steps of the
    optimiser alone.
    """
    if reason := why_left_out(method, judged.annotator_of is not None, judged.multilabel):
        raise InputError(reason)
    items, ones = np.arange(judged.items), np.ones(judged.items)
    match method:
        case "ReL":
            number = judged.counts
            if not each:
                return TrainingSet(judged.item_of, judged.chosen, number / number.mean())
            rows = np.repeat(np.arange(len(number)), number)
            return TrainingSet(judged.item_of[rows], judged.chosen[rows], np.ones(len(rows)))
        case "MV":
            return TrainingSet(items, judged.majority(), ones)
        case "AR" | "ARh":
            return TrainingSet(items, judged.majority(), item_weights(judged, method == "ARh"))
        case "AL":  # a row for each class that somebody chose for the item
            item, label = np.nonzero(judged.shares() > 0)
            return TrainingSet(item, np.eye(judged.classes)[label], np.ones(len(item)))
        case "SLMV":
            return TrainingSet(items, judged.shares(), ones, second=judged.majority())
        case "AE" | "AEh" | "LA-min" | "LA-max":
            return TrainingSet(items, judged.shares(), ones, annotations=judged.padded())
        case _:  # SL, JSD, SmF1, SMF1
            return TrainingSet(items, judged.shares(), ones)
