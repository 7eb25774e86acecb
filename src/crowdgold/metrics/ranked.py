"""Items in the order of a predictor, their label mass, and its precision-recall and ROC curves.

A metric is a functional of two non-negative masses on each item: how much of it counts as positive
and how much as negative. Labels are masses of 0 and 1, a bootstrap resample multiplies them by its
weights, items without a label have none, and a probability splits an item in two.

The precision-recall and the ROC curve of label mass over ranked items, at many points at once.

A point is what the metric of one point gives (`metrics.binary`): precision where recall reaches a
value, and recall at the first place of the ranking where the false positive rate reaches one.
"""

from dataclasses import dataclass, field

import numpy as np

from crowdgold.data import NO_PREDICTOR, Items
from crowdgold.kernels import kernel
from crowdgold.metrics import denominators, influence
from crowdgold.metrics.influence import ROUNDING


@dataclass(frozen=True)
class LabelMass:
    """How much of each item counts as of each class.

    Attributes:
        shares: (n, K) non-negative, in the order of the table; of two classes the second is the
            positive one.
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
    """

    order: np.ndarray
    votes_positive: np.ndarray
    votes_total: np.ndarray
    scores_descending: np.ndarray

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


PR, ROC = "PR", "ROC"
RECALLS = np.arange(1, 101) / 100
"""Where the precision-recall curve is taken; at recall 0 it has no value."""
FALSE_POSITIVE_RATES = np.arange(101) / 100
GRIDS = {PR: RECALLS, ROC: FALSE_POSITIVE_RATES}
POINTS = len(RECALLS) + len(FALSE_POSITIVE_RATES)


def _reached(
    cumulative: np.ndarray, wanted: np.ndarray, *others: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Other cumulative masses (n + 1,) where one reaches wanted values (P,): (P,) each.

    The item at which a value is reached counts by the share of it that is needed.
    """
    item = np.clip(np.searchsorted(cumulative, wanted), 1, len(cumulative) - 1)
    before = cumulative[item - 1]
    own = cumulative[item] - before
    share = np.divide(wanted - before, own, out=np.zeros(len(wanted)), where=own > 0)
    share = np.clip(share, 0.0, 1.0)
    return tuple(one[item - 1] + share * (one[item] - one[item - 1]) for one in others)


def precision_at_recalls(mass: LabelMass, ranked: RankedItems, recalls: np.ndarray) -> np.ndarray:
    """The precision where recall reaches values (P,) above 0: (P,); NaN without positives."""
    curve = Curve.of(mass, ranked)
    total = float(curve.true_positives[-1])
    if total <= 0:
        return np.full(len(recalls), np.nan)
    wanted = recalls * total * (1 - ROUNDING)
    hits, alarms = _reached(
        curve.true_positives, wanted, curve.true_positives, curve.false_positives
    )
    flagged = hits + alarms
    return np.divide(hits, flagged, out=np.full(len(recalls), np.nan), where=flagged > 0)


def recall_at_false_positive_rates(
    mass: LabelMass, ranked: RankedItems, rates: np.ndarray
) -> np.ndarray:
    """The recall (TPR) where the false positive rate reaches values (P,): (P,).

    At a rate of 0 nothing is flagged. NaN where there are no positives or no negatives.
    """
    curve = Curve.of(mass, ranked)
    positive, negative = float(curve.true_positives[-1]), float(curve.false_positives[-1])
    if positive <= 0 or negative <= 0:
        return np.full(len(rates), np.nan)
    wanted = (rates - ROUNDING) * negative
    (hits,) = _reached(curve.false_positives, np.maximum(wanted, 0.0), curve.true_positives)
    return np.where(wanted > 0, hits, 0.0) / positive


def curve_points(mass: LabelMass, ranked: RankedItems) -> np.ndarray:
    """Both curves at their `GRIDS`, one after the other."""
    return np.concatenate(
        [
            precision_at_recalls(mass, ranked, RECALLS),
            recall_at_false_positive_rates(mass, ranked, FALSE_POSITIVE_RATES),
        ]
    )


def curve_influence(mass: LabelMass, ranked: RankedItems) -> np.ndarray:
    """What each item contributes to the points of `curve_points`, (n, P)."""
    return np.concatenate(
        [
            influence.precision_at_recalls(mass, ranked, RECALLS),
            influence.recall_at_false_positives(mass, ranked, FALSE_POSITIVE_RATES),
        ],
        axis=1,
    )


def curve_support(
    labels: np.ndarray, ranked: RankedItems, weights: np.ndarray | None = None
) -> np.ndarray:
    """Labelled items in the smallest denominator of each point of `curve_points`, (P,).

    Args:
        labels: (n,) 0 or 1 of every item.
        ranked: the items.
        weights: (n,) what each counts, where they differ (`denominators`).
    """
    counts = np.ones(len(labels)) if weights is None else weights[ranked.order]
    found, all_of = np.cumsum(counts * (labels[ranked.order] == 1)), np.cumsum(counts)
    flagged = np.minimum(np.searchsorted(found, RECALLS * found[-1]) + 1, len(labels))
    enough = all_of[flagged - 1] ** 2 / np.cumsum(counts**2)[flagged - 1]
    positives, smaller = (
        one(labels, ranked, np.nan, weights)
        for one in (denominators.positives, denominators.smaller_class)
    )
    of_curves = np.minimum(positives, enough), np.full(len(FALSE_POSITIVE_RATES), smaller)
    return np.concatenate(of_curves).astype(int if weights is None else float)
