"""Annotators ranked by how they go with the majority, and items weighted by them (HLV, section 4).

AR scores an annotator by the mean, over the items on which they chose the majority-voted label, of
the share of annotators who chose it; ARh by the share of their items on which they did. Both are 0
for an annotator who never did. An item weighs the sum of its annotators' scores.

The paper's example, as converted, has "1/2, (3/4 + 2/3)" for the second annotator's score; both of
their annotations are the majority's, which 3/4 and 2/3 chose, so it is (3/4 + 2/3) / 2.

Where items may have several classes, each class is a question of its own, to choose it or not,
whose majority and its share are those of the annotators; the paper does not say how. An item's
weight is the mean over the classes.
"""

import numpy as np

from crowdgold.data.errors import InputError
from crowdgold.studies.label_variation.judgements import Judged


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
