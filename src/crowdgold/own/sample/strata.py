"""A prediction of the labels that are not there yet, and strata of items by it.

With gold labels the prediction rests on them: the cross-fitted regression on votes and ranks
(`models.logistic`), that of a pilot's labels too. Before there are enough, it is the regression's
prior, with as many positive items as votes are positive: rough, but it ranks items rightly where
votes and scores are of any use.

Items are sorted by the prediction and cut so that each stratum holds the same part of the standard
deviations that labels are expected to add (`spread`), the mean over all metrics: so each is to get
about as many labels.
"""

import numpy as np

from crowdgold.data import NO_GOLD, GoldDraw, InputError, Items
from crowdgold.models.logistic import cross_fit, features, without_labels
from crowdgold.own.sample.spread import LEAST

ENOUGH = 20
"""Gold labels from which on the prediction rests on them."""
STRATA = 8
LABELS_EACH = 6
"""Labels of a batch to a stratum: where they are fewer there are fewer strata."""


def predicted(items: Items, pilot: Items | None = None) -> np.ndarray:
    """P(Y_i = 1) of each item, (n,), by the labels that there are; by votes and ranks without.

    Args:
        items: of the study.
        pilot: other items with gold labels and scores of the same models.

    Raises:
        InputError: where the pilot has other models.
    """
    columns = features(items)
    if (items.gold != NO_GOLD).sum() >= ENOUGH:
        return cross_fit(columns, items.gold, draw=items.draw)
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
        return cross_fit(np.concatenate([known, columns]), gold, draw=draw)[len(labelled) :]
    share = float(items.votes_positive.sum() / items.votes_total.sum())
    least = 1 / (2 * len(items))
    return without_labels(columns, min(max(share, least), 1 - least))


def by_prediction(guess: np.ndarray, variance: np.ndarray, n: int) -> np.ndarray:
    """The number of each item's stratum, (m,), without gaps, from the lowest prediction up.

    Args:
        guess: (m,) P(Y_i = 1).
        variance: (m, M) what labels are expected to add to the variance of each metric.
        n: labels of the batch.
    """
    spread = np.sqrt(variance)
    total = spread.sum(axis=0)
    kept = total > 0
    each = (spread[:, kept] / total[kept]).sum(axis=1) + LEAST / len(guess)
    order = np.argsort(guess, kind="stable")
    up_to = np.cumsum(each[order])
    parts = max(1, min(STRATA, n // LABELS_EACH))
    cell = np.minimum((up_to - each[order] / 2) / up_to[-1] * parts, parts - 1).astype(int)
    # Items of one prediction stay together.
    _, first, times = np.unique(guess[order], return_index=True, return_counts=True)
    stratum = np.empty(len(guess), dtype=int)
    stratum[order] = np.repeat(cell[first], times)
    found: np.ndarray = np.unique(stratum, return_inverse=True)[1]
    return found
