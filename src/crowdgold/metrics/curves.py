"""The precision-recall and the ROC curve of label mass over ranked items, at many points at once.

A point is what the metric of one point gives (`metrics.binary`): precision where recall reaches a
value, and recall at the first place of the ranking where the false positive rate reaches one.
"""

import numpy as np

from crowdgold.metrics import denominators, influence
from crowdgold.metrics.influence import ROUNDING
from crowdgold.metrics.ranked import Curve, LabelMass, RankedItems

PR, ROC = "PR", "ROC"
RECALLS = np.arange(1, 101) / 100
"""Where the precision-recall curve is taken; at recall 0 it has no value."""
FALSE_POSITIVE_RATES = np.arange(101) / 100
GRIDS = {PR: RECALLS, ROC: FALSE_POSITIVE_RATES}
POINTS = len(RECALLS) + len(FALSE_POSITIVE_RATES)


def _reached(
    cumulative: np.ndarray, wanted: np.ndarray, *others: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Other cumulative masses (L + 1,) where one reaches wanted values (P,): (P,) each. The level
    at which a value is reached counts by the share of it that is needed.
    """
    level = np.clip(np.searchsorted(cumulative, wanted), 1, len(cumulative) - 1)
    before = cumulative[level - 1]
    own = cumulative[level] - before
    share = np.divide(wanted - before, own, out=np.zeros(len(wanted)), where=own > 0)
    share = np.clip(share, 0.0, 1.0)
    return tuple(one[level - 1] + share * (one[level] - one[level - 1]) for one in others)


def precision_at_recalls(mass: LabelMass, ranked: RankedItems, recalls: np.ndarray) -> np.ndarray:
    """The precision where recall reaches values (P,) above 0: (P,); NaN without positives."""
    found, false = Curve.of(mass, ranked).rising
    total = float(found[-1])
    if total <= 0:
        return np.full(len(recalls), np.nan)
    wanted = recalls * total * (1 - ROUNDING)
    hits, alarms = _reached(found, wanted, found, false)
    flagged = hits + alarms
    return np.divide(hits, flagged, out=np.full(len(recalls), np.nan), where=flagged > 0)


def recall_at_false_positive_rates(
    mass: LabelMass, ranked: RankedItems, rates: np.ndarray
) -> np.ndarray:
    """The recall (TPR) where the false positive rate reaches values (P,): (P,), 0 at a rate of 0;
    NaN without positives or negatives.
    """
    found, false = Curve.of(mass, ranked).rising
    positive, negative = float(found[-1]), float(false[-1])
    if positive <= 0 or negative <= 0:
        return np.full(len(rates), np.nan)
    wanted = (rates - ROUNDING) * negative
    (hits,) = _reached(false, np.maximum(wanted, 0.0), found)
    return np.where(wanted > 0, hits, 0.0) / positive


def curve_points(mass: LabelMass, ranked: RankedItems) -> np.ndarray:
    """Both curves at their `GRIDS`, one after the other."""
    precision = precision_at_recalls(mass, ranked, RECALLS)
    recall = recall_at_false_positive_rates(mass, ranked, FALSE_POSITIVE_RATES)
    return np.concatenate([precision, recall])


def curve_influence(mass: LabelMass, ranked: RankedItems) -> np.ndarray:
    """What each item contributes to the points of `curve_points`, (n, P)."""
    precision = influence.precision_at_recalls(mass, ranked, RECALLS)
    recall = influence.recall_at_false_positives(mass, ranked, FALSE_POSITIVE_RATES)
    return np.concatenate([precision, recall], axis=1)


def _nearest_rise(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Isotonic regression (P,): of each point the highest of the lowest means over stretches that
    begin at the point or before, and end at it or after.
    """
    sums, weights = (np.concatenate([[0.0], np.cumsum(one)]) for one in (weight * values, weight))
    inside = np.triu(np.ones((len(values), len(values)), dtype=bool))
    mean = np.full(inside.shape, np.inf)
    np.divide(sums[1:] - sums[:-1, None], weights[1:] - weights[:-1, None], out=mean, where=inside)
    lowest = np.minimum.accumulate(mean[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.where(inside, lowest, -np.inf).max(axis=0))


def never_falling(estimate: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Points of a curve that cannot fall and the ends of their intervals, (3, P); NaN where there
    are none.

    Estimates are those nearest to the given ones, by squares over the intervals' squared widths,
    that do not fall (isotonic regression). What bounds a point from below bounds all that follow,
    and from above all that precede: where the true curve is inside all the intervals it is inside
    the new ones too. Each holds its estimate. Points without a value or an interval stay so.
    """
    found = np.array([estimate, lower, upper], dtype=float)
    there, bound = np.isfinite(found[0]), np.isfinite(found).all(axis=0)
    width = np.where(bound, found[2] - found[1], np.inf)
    # A point of width 0, as at either end, is as sure as the surest other; one without any, less.
    least = np.min(width[bound & (width > 0)], initial=1.0)
    weight = np.maximum(np.where(bound, width, 1.0), least / 10)[there] ** -2.0
    if (np.diff(found[0, there]) < 0).any():
        found[0, there] = _nearest_rise(found[0, there], weight)
    low, high = np.maximum.accumulate(found[1, bound]), found[2, bound][::-1]
    high = np.minimum.accumulate(high)[::-1]
    found[1, bound] = np.minimum(low, found[0, bound])
    found[2, bound] = np.maximum(high, found[0, bound])
    return found


def curve_support(
    labels: np.ndarray, ranked: RankedItems, weights: np.ndarray | None = None
) -> np.ndarray:
    """Labelled items in the smallest denominator of each point of `curve_points`, (P,), by labels
    (n,) 0 or 1 of every item, which count by weights (n,) where these differ.
    """
    counts = np.ones(len(labels)) if weights is None else weights[ranked.order]
    all_of, flagged = np.cumsum(counts), denominators.reached(labels, ranked, RECALLS, weights)
    enough = all_of[flagged - 1] ** 2 / np.cumsum(counts**2)[flagged - 1]
    if ranked.cluster is not None:
        enough = [denominators.highest(labels, ranked, one, weights) for one in flagged]
    positives = denominators.positives(labels, ranked, np.nan, weights)
    smaller = denominators.smaller_class(labels, ranked, np.nan, weights)
    of_curves = np.minimum(positives, enough), np.full(len(FALSE_POSITIVE_RATES), smaller)
    return np.concatenate(of_curves).astype(int if weights is None else float)
