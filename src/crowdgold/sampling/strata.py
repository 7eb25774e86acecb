"""A prediction of the labels that are not there yet, and strata of items by it.

With gold labels, a pilot's too, there are two: the cross-fitted regression on votes and ranks
(`models.logistic`) with labels that count by their chances, and with labels that all count alike.
The first is right on average where the regression is not; the second needs fewer labels where it
is. What labels tell is taken as the mean over all predictions, so that none is missed by much.
Before there are enough, it is the regression's prior, which ranks items rightly where votes and
scores are of any use. How many are positive is not known then: where few are, most positive votes
are wrong. So there are several predictions, with as many positive items as votes are positive, and
with fewer.

Items are sorted by how often each is to be drawn (`allocation.rates`), and cut so that each stratum
is to get about as many labels. Strata of the prediction alone would need up to a third more labels:
items that are as likely to be positive can count differently, as a positive one without a positive
vote does for TPR_H.
"""

import numpy as np

from crowdgold.data import NO_GOLD, GoldDraw, InputError, Items
from crowdgold.models.logistic import by_others, features, without_labels

ENOUGH = 20
"""Gold labels from which on the prediction rests on them."""
STRATA = 8
PARTS_OF_VOTES = (1.0, 0.3)
"""Positive items that are thought of before there are labels, as parts of the positive votes."""
LABELS_EACH = 6
"""Labels of a batch to a stratum: where they are fewer there are fewer strata."""
ENOUGH_FOR_ALL = STRATA * LABELS_EACH
"""Labels of a batch from which on it has all strata, so that a larger one begins with its items."""


def predicted(items: Items, pilot: Items | None = None) -> list[np.ndarray]:
    """Predictions of P(Y_i = 1), (n,) each, by labels, or without any by votes and ranks.

    Args:
        items: of the study.
        pilot: other items with gold labels and scores of the same models.

    Raises:
        InputError: where the pilot has other models.
    """
    columns = features(items)
    if (items.gold != NO_GOLD).sum() >= ENOUGH:
        return _by_labels(columns, items.gold, items.key, items.draw)
    if pilot is not None:
        if pilot.predictors != items.predictors:
            raise InputError(
                f"--pilot: it has scores of {', '.join(pilot.predictors) or 'no model'}, the study "
                f"of {', '.join(items.predictors) or 'none'}; expected the same models"
            )
        labelled = pilot.take(np.flatnonzero(pilot.gold != NO_GOLD))
        known = features(pilot)[pilot.gold != NO_GOLD]
        gold = np.concatenate([labelled.gold, np.full(len(items), NO_GOLD)])
        draw = None
        if labelled.draw is not None:
            weights = labelled.draw.weights(np.arange(len(labelled)))
            draw = GoldDraw(1 / np.concatenate([weights, np.ones(len(items))]))
        key = np.concatenate([labelled.key, items.key])
        found = _by_labels(np.concatenate([known, columns]), gold, key, draw)
        return [one[len(labelled) :] for one in found]
    share = float(items.votes_positive.sum() / items.votes_total.sum())
    least = 1 / (2 * len(items))
    ends = [min(max(share * part, least), 1 - least) for part in PARTS_OF_VOTES]
    return [without_labels(columns, one) for one in ends]


def _by_labels(
    columns: np.ndarray, gold: np.ndarray, key: np.ndarray, draw: GoldDraw | None
) -> list[np.ndarray]:
    """Predictions by labels that count by their chances, and by labels that count alike."""
    draws = [None] if draw is None else [draw, None]
    return [by_others(columns, gold, key, one) for one in draws]


def by_rate(rate: np.ndarray, n: int) -> np.ndarray:
    """The number of each item's stratum, (m,), without gaps, from the lowest rate up.

    Args:
        rate: (m,) how often each item is to be drawn, relative to others (`allocation.rates`).
        n: labels of the batch.
    """
    order = np.argsort(rate, kind="stable")
    up_to = np.cumsum(rate[order])
    parts = max(1, min(STRATA, n // LABELS_EACH))
    cell = np.minimum((up_to - rate[order] / 2) / up_to[-1] * parts, parts - 1).astype(int)
    # Items of one rate stay together.
    _, first, times = np.unique(rate[order], return_index=True, return_counts=True)
    stratum = np.empty(len(rate), dtype=int)
    stratum[order] = np.repeat(cell[first], times)
    found: np.ndarray = np.unique(stratum, return_inverse=True)[1]
    return found
