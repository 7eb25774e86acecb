"""How often the majority of the votes is right, by gold labels and what each of them counts."""

import numpy as np

from crowdgold.data import NO_GOLD, Items


def majority_right(items: Items) -> tuple[float, float]:
    """The share of gold positives and of gold negatives that the majority gets right; NaN of
    none.
    """
    right = 0.5 + np.sign(2 * items.votes_positive - items.votes_total) / 2
    (positive, of_positive), (negative, of_negative) = _weighed(items, 1), _weighed(items, 0)
    return (
        float(np.average(right[positive], weights=of_positive)) if len(positive) else np.nan,
        float(np.average(1 - right[negative], weights=of_negative)) if len(negative) else np.nan,
    )


def _weighed(items: Items, label: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the gold items of a label, and what each counts."""
    rows = np.flatnonzero(items.gold == label)
    weights = np.ones(len(rows))
    if items.draw is not None and len(rows):
        known = np.flatnonzero(items.gold != NO_GOLD)
        weights = items.draw.weights(known)[np.isin(known, rows)]
    return rows, weights


def positive_share(items: Items) -> float:
    """The share of positive gold labels, by what each counts; NaN without gold."""
    negative, positive = (_weighed(items, label)[1].sum() for label in (0, 1))
    return float(positive / (positive + negative)) if positive + negative else np.nan
