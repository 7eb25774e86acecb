"""How many labelled items a metric rests on: those in the smallest denominator that it divides by.

The degrees of freedom of a metric's interval come from this number, and a metric that rests on too
few gold items has no interval. Items with weights are as many as Kish's number of equal weight, or
as `RankedItems.counting` says. Where items belong together, clusters are counted in their place.
Labels (n,) are 0, 1, or negative where there is none.
"""

import numpy as np

from crowdgold.metrics.ranked import RankedItems

Array = np.ndarray
Weights = Array | None


def number(members: Array, ranked: RankedItems, weights: Weights) -> float:
    """Items, or clusters, where `members` (n,) is true; with weights, as `counting` says."""
    if ranked.cluster is None:
        return int(members.sum()) if weights is None else ranked.counting(weights[members])
    of_all, cluster = np.unique(ranked.cluster[members], return_inverse=True)
    if weights is None:
        return len(of_all)
    return ranked.counting(np.bincount(cluster, weights[members], len(of_all)))


def all_labelled(labels: Array, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Number of labelled items."""
    return number(labels >= 0, ranked, weights)


def positives(labels: Array, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Number of items labelled positive."""
    return number(labels == 1, ranked, weights)


def negatives(labels: Array, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Number of items labelled negative."""
    return number(labels == 0, ranked, weights)


def smaller_class(labels: Array, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Number of labelled items of the class that has fewer."""
    return min(one(labels, ranked, at, weights) for one in (positives, negatives))


def voters_errors(labels: Array, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Labelled items of the smaller class, or negatives with a positive vote where these are fewer:
    a comparison at the voters' false positive rate rests on the items where voters were wrong.
    """
    wrong = number((labels == 0) & (ranked.votes_positive > 0), ranked, weights)
    return min(smaller_class(labels, ranked, at, weights), wrong)


def highest(labels: Array, ranked: RankedItems, flagged: int, weights: Weights) -> float:
    """Number of labelled items among so many that are ranked highest."""
    members = np.zeros(len(labels), dtype=bool)
    members[ranked.order[:flagged]] = True
    return number(members & (labels >= 0), ranked, weights)


def reached(labels: Array, ranked: RankedItems, recalls: Array, weights: Weights) -> Array:
    """How many items, (P,), are in the levels flagged, in part or whole, at recalls (P,): what is
    known of a level that is flagged in part rests on all its items.
    """
    counts = (labels == 1) * (1.0 if weights is None else weights)
    found = np.cumsum(counts[ranked.order])[ranked.corners[1:] - 1]
    level = np.searchsorted(found, recalls * found[-1]) + 1
    return ranked.corners[np.minimum(level, len(found))]


def flagged(labels: Array, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Number of labelled items that are scored at or above a threshold."""
    return highest(labels, ranked, ranked.above(at), weights)


def positives_and_flagged(
    labels: Array, ranked: RankedItems, at: float, weights: Weights = None
) -> float:
    """Number of labelled items that are positive, or scored at or above a threshold, or both."""
    members, above = labels == 1, ranked.order[: ranked.above(at)]
    members[above] |= labels[above] >= 0
    return number(members, ranked, weights)


def positives_or_reached(
    labels: Array, ranked: RankedItems, at: float, weights: Weights = None
) -> float:
    """Number of positives, or of the items flagged to reach a recall where those are fewer."""
    (found,) = reached(labels, ranked, np.array([at]), weights)
    known = highest(labels, ranked, found, weights)
    return min(positives(labels, ranked, at, weights), known)
