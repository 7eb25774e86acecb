"""Items in the order of a predictor, and the label mass that metrics are computed from.

A metric is a functional of two non-negative masses on each item: how much of it counts as positive
and how much as negative. Labels are masses of 0 and 1, a bootstrap resample multiplies them by its
weights, items without a label have none, and a probability splits an item in two.
"""

from dataclasses import dataclass

import numpy as np

from crowdgold.data import Items


@dataclass(frozen=True)
class LabelMass:
    """Positive and negative mass of each item, (n,) each, in the order of the table."""

    positive: np.ndarray
    negative: np.ndarray

    @classmethod
    def of_labels(cls, labels: np.ndarray, weights: np.ndarray | None = None) -> "LabelMass":
        """Make masses of labels (n,) 0 or 1 (negative numbers: no label) and weights (n,)."""
        positive, negative = (labels == 1).astype(float), (labels == 0).astype(float)
        if weights is not None:
            positive, negative = positive * weights, negative * weights
        return cls(positive, negative)


@dataclass(frozen=True)
class RankedItems:
    """What a metric needs to know of items beside their labels.

    Attributes:
        order: (n,) positions from the highest to the lowest score of the predictor.
        votes_positive, votes_total: (n,) votes, in the order of the table.
        scores_descending: (n,) scores in the order of `order`.
    """

    order: np.ndarray
    votes_positive: np.ndarray
    votes_total: np.ndarray
    scores_descending: np.ndarray

    @classmethod
    def of(cls, items: Items, predictor: str) -> "RankedItems":
        """Rank items by a predictor's scores, ties broken as the table says."""
        order = items.order(predictor)[::-1].copy()
        return cls(
            order,
            items.votes_positive.astype(float),
            items.votes_total.astype(float),
            items.scores[predictor][order],
        )

    def above(self, threshold: float) -> int:
        """Count the items scored at or above a threshold."""
        return int(np.searchsorted(-self.scores_descending, -threshold, side="right"))
