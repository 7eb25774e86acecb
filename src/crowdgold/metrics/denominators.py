"""How many labelled items a metric rests on: those in the smallest denominator that it divides by.

The degrees of freedom of a metric's interval come from this number, and a metric that rests on too
few gold items has no interval. Items with weights are as many as Kish's number of equal weight.
"""

import numpy as np

from crowdgold.data.gold_draw import kish
from crowdgold.metrics.ranked import RankedItems

Weights = np.ndarray | None


def _number(members: np.ndarray, weights: Weights) -> float:
    """Items where `members` (n,) is true; of these the number of equal weight."""
    return int(members.sum()) if weights is None else kish(weights[members])


def all_labelled(
    labels: np.ndarray, ranked: RankedItems, at: float, weights: Weights = None
) -> float:
    """Number of labelled items; labels (n,) are 0, 1, or negative where there is none."""
    return _number(labels >= 0, weights)


def positives(labels: np.ndarray, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Number of items labelled positive."""
    return _number(labels == 1, weights)


def negatives(labels: np.ndarray, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Number of items labelled negative."""
    return _number(labels == 0, weights)


def smaller_class(
    labels: np.ndarray, ranked: RankedItems, at: float, weights: Weights = None
) -> float:
    """Number of labelled items of the class that has fewer."""
    return min(one(labels, ranked, at, weights) for one in (positives, negatives))


def voters_errors(
    labels: np.ndarray, ranked: RankedItems, at: float, weights: Weights = None
) -> float:
    """Labelled items of the smaller class, or negatives with a positive vote where those are fewer.

    A comparison at the voters' false positive rate rests on the items where voters were wrong.
    """
    wrong = _number((labels == 0) & (ranked.votes_positive > 0), weights)
    return min(smaller_class(labels, ranked, at, weights), wrong)


def _highest(labels: np.ndarray, ranked: RankedItems, number: int, weights: Weights) -> float:
    """Number of labelled items among so many that are ranked highest."""
    members = np.zeros(len(labels), dtype=bool)
    members[ranked.order[:number]] = True
    return _number(members & (labels >= 0), weights)


def flagged(labels: np.ndarray, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Number of labelled items that are scored at or above a threshold."""
    return _highest(labels, ranked, ranked.above(at), weights)


def positives_or_flagged(
    labels: np.ndarray, ranked: RankedItems, at: float, weights: Weights = None
) -> float:
    """Number of positives, or of flagged items where those are fewer."""
    return min(one(labels, ranked, at, weights) for one in (positives, flagged))


def positives_or_reached(
    labels: np.ndarray, ranked: RankedItems, at: float, weights: Weights = None
) -> float:
    """Number of positives, or of the items flagged to reach a recall where those are fewer."""
    counts = (labels == 1) * (1.0 if weights is None else weights)
    found = np.cumsum(counts[ranked.order])
    reached = int(np.searchsorted(found, at * found[-1])) if len(found) else 0
    known = _highest(labels, ranked, reached + 1, weights)
    return min(positives(labels, ranked, at, weights), known)
