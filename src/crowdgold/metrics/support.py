"""How many labels a metric rests on: the items in the smallest denominator that it divides by."""

from collections.abc import Sequence

import numpy as np

from crowdgold.metrics.binary import DIFFERENCES, Metric
from crowdgold.metrics.ranked import RankedItems

ALL = ("prevalence", "accuracy")
POSITIVES = ("TPR_H", "recall")
NEGATIVES = ("TNR_H",)
AT_THRESHOLD = ("precision", "F1")
"""Metrics of the items that are flagged at a threshold."""


def _flagged(metric: Metric, labels: np.ndarray, ranked: RankedItems) -> int:
    """Count the labelled items that a predictor flags: at a threshold, or to reach a recall."""
    labels = labels[ranked.order]
    if metric.name in AT_THRESHOLD:
        return int((labels[: ranked.above(metric.threshold)] >= 0).sum())
    found = np.cumsum(labels == 1)
    reached = int(np.searchsorted(found, metric.threshold * found[-1]))
    return int((labels[: reached + 1] >= 0).sum())


def support(metric: Metric, labels: np.ndarray, ranked: Sequence[RankedItems]) -> int:
    """Count the labelled items in the smallest denominator of a metric.

    All labelled items for a prevalence or an accuracy, one class for its rate, the smaller class
    for what compares the two, the flagged items for a precision.

    Args:
        metric: not a model parameter.
        labels: (n,) 0 or 1; negative where there is no label.
        ranked: the n items as ranked by each predictor that the metric is about.
    """
    positives, negatives = int((labels == 1).sum()), int((labels == 0).sum())
    name = DIFFERENCES.get(metric.name, metric.name)
    if name in ALL:
        return positives + negatives
    if name in POSITIVES:
        return positives
    if name in NEGATIVES:
        return negatives
    if name in (*AT_THRESHOLD, "precision_at_recall"):
        flagged = [_flagged(metric, labels, order) for order in ranked]
        return min(flagged) if name == "precision" else min(positives, *flagged)
    return min(positives, negatives)
