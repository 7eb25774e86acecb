"""Items in the order of a predictor, and the label mass that metrics are computed from.

A metric is a functional of two non-negative masses on each item: how much of it counts as positive
and how much as negative. Labels are masses of 0 and 1, a bootstrap resample multiplies them by its
weights, items without a label have none, and a probability splits an item in two.
"""

from dataclasses import dataclass, field

import numpy as np

from crowdgold.data import NO_PREDICTOR, Items
from crowdgold.kernels import kernel


@dataclass(frozen=True)
class LabelMass:
    """How much of each item counts as of each class.

    Attributes:
        shares: (n, K) in the order of the table; of two classes the second is the positive one.
            Not negative, but where labels are corrected for experts' errors
            (`inference.expert_errors`).
    """

    shares: np.ndarray
    _curves: list[tuple["RankedItems", "Curve"]] = field(
        default_factory=list, compare=False, repr=False
    )

    @classmethod
    def binary(cls, positive: np.ndarray, negative: np.ndarray) -> "LabelMass":
        """Masses of two classes from the positive (n,) and the negative (n,) mass of each item."""
        shares = np.empty((len(positive), 2), order="F")
        shares[:, 0], shares[:, 1] = negative, positive
        return cls(shares)

    @classmethod
    def of_probability(
        cls, probability: np.ndarray, weights: np.ndarray | None = None
    ) -> "LabelMass":
        """Masses of items that count by the probability (n,) of being positive, times weights."""
        if weights is None:
            return cls.binary(probability, 1 - probability)
        return cls.binary(probability * weights, (1 - probability) * weights)

    @classmethod
    def of_labels(cls, labels: np.ndarray, weights: np.ndarray | None = None) -> "LabelMass":
        """Masses of labels (n,) 0 or 1 (negative numbers: no label), times weights (n,)."""
        times = 1.0 if weights is None else weights
        return cls.binary((labels == 1) * times, (labels == 0) * times)

    @property
    def positive(self) -> np.ndarray:
        """Mass of the positive class, (n,)."""
        return self.shares[:, 1]

    @property
    def negative(self) -> np.ndarray:
        """Mass of the negative class, (n,)."""
        return self.shares[:, 0]


@dataclass(frozen=True)
class RankedItems:
    """What a metric needs to know of items beside their labels.

    Attributes:
        order: (n,) positions from the highest to the lowest score of the predictor.
        votes_positive, votes_total: (n,) votes, in the order of the table.
        scores_descending: (n,) scores in the order of `order`.
        cluster: (n,) number of each item's cluster; None where none belong together.
    """

    order: np.ndarray
    votes_positive: np.ndarray
    votes_total: np.ndarray
    scores_descending: np.ndarray
    cluster: np.ndarray | None = None

    @classmethod
    def of(cls, items: Items, predictor: str) -> "RankedItems":
        """Items ranked by a predictor's scores, ties broken as the table says.

        By `NO_PREDICTOR` they stay as they stand, with scores of 0.
        """
        order = items.order(predictor)[::-1].copy()
        scores = np.zeros(len(items)) if predictor == NO_PREDICTOR else items.scores[predictor]
        return cls(
            order,
            items.votes_positive.astype(float),
            items.votes_total.astype(float),
            scores[order],
            items.cluster,
        )

    def above(self, threshold: float) -> int:
        """Count the items scored at or above a threshold."""
        below = np.searchsorted(self.scores_descending[::-1], threshold, side="left")
        return len(self.scores_descending) - int(below)


@dataclass(frozen=True)
class Curve:
    """What metrics need of a mass in a ranking, from one pass over the items.

    Attributes:
        true_positives, false_positives: (n + 1,) mass of the 0 .. n highest items.
        won: pairs of positive above negative mass. An item is never held against itself.
        comparisons: pairs of positive and negative mass of different items.
        votes: (2, 2) mass-weighted votes: row, label; column, positive votes and all votes.
    """

    true_positives: np.ndarray
    false_positives: np.ndarray
    won: float
    comparisons: float
    votes: np.ndarray

    @property
    def rising(self) -> tuple[np.ndarray, np.ndarray]:
        """The two cumulative masses as curves that never fall, to look for crossings on."""
        return _rising(self.true_positives), _rising(self.false_positives)

    @classmethod
    def of(cls, mass: LabelMass, ranked: "RankedItems") -> "Curve":
        """Trace a mass through a ranking; kept with the mass, so metrics share the pass."""
        for known, curve in mass._curves:
            if known is ranked:
                return curve
        curve = cls(
            *_accumulate(
                mass.positive,
                mass.negative,
                ranked.order,
                ranked.votes_positive,
                ranked.votes_total,
            )
        )
        mass._curves.append((ranked, curve))
        return curve


def _rising(cumulative: np.ndarray) -> np.ndarray:
    """A cumulative mass without its falls, which negative masses make (`LabelMass.shares`).

    It is the middle between the highest value so far and the lowest that follows.
    """
    if (np.diff(cumulative) >= 0).all():
        return cumulative
    above = np.maximum.accumulate(cumulative)
    below = np.minimum.accumulate(cumulative[::-1])[::-1]
    return np.clip((above + below) / 2, 0.0, max(float(cumulative[-1]), 0.0))


@kernel()
def _accumulate(
    positive: np.ndarray,
    negative: np.ndarray,
    order: np.ndarray,
    votes_positive: np.ndarray,
    votes_total: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, float, float, np.ndarray]:
    true_positives = np.zeros(len(order) + 1)
    false_positives = np.zeros(len(order) + 1)
    votes = np.zeros((2, 2))
    won, own, above, passed = 0.0, 0.0, 0.0, 0.0
    for rank in range(len(order)):
        i = order[rank]
        p, q = positive[i], negative[i]
        won += above * q
        own += p * q
        above += p
        passed += q
        true_positives[rank + 1] = above
        false_positives[rank + 1] = passed
        votes[0, 0] += q * votes_positive[i]
        votes[0, 1] += q * votes_total[i]
        votes[1, 0] += p * votes_positive[i]
        votes[1, 1] += p * votes_total[i]
    return true_positives, false_positives, won, above * passed - own, votes
