"""How many labelled items a metric rests on: those in the smallest denominator that it divides by.

The degrees of freedom of a metric's interval come from this number, and a metric that rests on too
few gold items has no interval.
"""

import numpy as np

from crowdgold.metrics.ranked import RankedItems


def all_labelled(labels: np.ndarray, ranked: RankedItems, at: float) -> int:
    """Number of labelled items; labels (n,) are 0, 1, or negative where there is none."""
    return int((labels >= 0).sum())


def positives(labels: np.ndarray, ranked: RankedItems, at: float) -> int:
    """Number of items labelled positive."""
    return int((labels == 1).sum())


def negatives(labels: np.ndarray, ranked: RankedItems, at: float) -> int:
    """Number of items labelled negative."""
    return int((labels == 0).sum())


def smaller_class(labels: np.ndarray, ranked: RankedItems, at: float) -> int:
    """Number of labelled items of the class that has fewer."""
    return min(positives(labels, ranked, at), negatives(labels, ranked, at))


def voters_errors(labels: np.ndarray, ranked: RankedItems, at: float) -> int:
    """Labelled items of the smaller class, or negatives with a positive vote where those are fewer.

    A comparison at the voters' false positive rate rests on the items where voters were wrong.
    """
    wrong = int(((labels == 0) & (ranked.votes_positive > 0)).sum())
    return min(smaller_class(labels, ranked, at), wrong)


def flagged(labels: np.ndarray, ranked: RankedItems, at: float) -> int:
    """Number of labelled items that are scored at or above a threshold."""
    return int((labels[ranked.order][: ranked.above(at)] >= 0).sum())


def positives_or_flagged(labels: np.ndarray, ranked: RankedItems, at: float) -> int:
    """Number of positives, or of flagged items where those are fewer."""
    return min(positives(labels, ranked, at), flagged(labels, ranked, at))


def positives_or_reached(labels: np.ndarray, ranked: RankedItems, at: float) -> int:
    """Number of positives, or of the items flagged to reach a recall where those are fewer."""
    found = np.cumsum(labels[ranked.order] == 1)
    reached = int(np.searchsorted(found, at * found[-1])) if len(found) else 0
    known = int((labels[ranked.order][: reached + 1] >= 0).sum())
    return min(positives(labels, ranked, at), known)
