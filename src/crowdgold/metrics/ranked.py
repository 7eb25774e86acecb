"""Items in the order of a predictor, and the label mass that metrics are computed from.

A metric is a functional of two non-negative masses on each item: how much of it counts as positive
and how much as negative. Labels are masses of 0 and 1, a bootstrap resample multiplies them by its
weights, items without a label have none, and a probability splits an item in two.

Items whose scores are equal are one step of every curve. A threshold cannot tell them apart, so the
curve crosses them in a straight line, as if a random share of them were flagged.
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from operator import neg

import numpy as np

from crowdgold.system.kernels import kernel
from crowdgold.types.gold_draw import kish
from crowdgold.types.items import Items


@dataclass(frozen=True)
class LabelMass:
    """How much of each item counts as of each class. `shares` are (n, K) in the order of the table,
    the second of two classes positive; not negative, but where labels are corrected for experts'
    errors (`inference.expert_errors`); floats, or bytes where they are counts.
    """

    shares: np.ndarray
    _curves: list[tuple["RankedItems", "Curve"]] = field(
        default_factory=list, compare=False, repr=False
    )

    @classmethod
    def binary(cls, positive: np.ndarray, negative: np.ndarray) -> "LabelMass":
        """Masses of two classes from those of items, (n,) each; bytes stay bytes, else floats."""
        kind = positive.dtype if positive.dtype == np.uint8 else float
        shares = np.empty((len(positive), 2), dtype=kind, order="F")
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
    """What a metric needs to know of items beside their labels, by a predictor's scores."""

    order: np.ndarray  # (n,) positions from the highest to the lowest score; any of equal ones
    votes_positive: np.ndarray  # (n,) in the order of the table
    votes_total: np.ndarray  # (n,)
    scores_descending: np.ndarray  # (n,) in the order of `order`
    cluster: np.ndarray | None = None  # (n,) number of each item's; None where there are none
    counting: Callable[[np.ndarray], float] = kish  # how many items weights (m,) are taken for
    room: np.ndarray | None = None
    """Memory of the sums of a `Curve`, (2, n + 1), where each may overwrite the one before."""

    @classmethod
    def of(cls, items: Items, predictor: str) -> "RankedItems":
        """Items ranked by a predictor's scores; by `NO_PREDICTOR` all have the same."""
        scores = items.complete_scores(predictor)
        order = np.argsort(scores, kind="stable")[::-1].copy()
        votes = items.votes_positive.astype(float), items.votes_total.astype(float)
        return cls(order, *votes, scores[order], items.cluster)

    @cached_property
    def corners(self) -> np.ndarray:
        """Items in the 0 .. L highest levels, (L + 1,), of one score each; 0 .. n if all scores
        differ.
        """
        scores = self.scores_descending
        inside = np.flatnonzero(scores[1:] != scores[:-1]) + 1
        return np.concatenate([[0], inside, [len(scores)]])

    def of_level(self, values: np.ndarray) -> np.ndarray:
        """Values (L, ...) of levels as those of their items, (n, ...), in the order of `order`."""
        if len(values) == len(self.order):
            return values
        return np.repeat(values, np.diff(self.corners), axis=0)

    def above(self, threshold: float) -> int:
        """Count the items scored at or above a threshold."""
        return bisect_right(self.scores_descending, -threshold, key=neg)

    def corner(self, threshold: float) -> int:
        """Count the levels at or above a threshold: a position in `corners`, and in a `Curve`."""
        return int(np.searchsorted(self.corners, self.above(threshold)))

    def in_sequence(self) -> "RankedItems":
        """The items as they are ranked, for many curves of which one is in use at a time: a pass
        reads memory in sequence, and curves share the same, which takes longer to get for a million
        items.
        """
        order, room = np.arange(len(self.order)), np.empty((2, len(self.order) + 1))
        votes = self.votes_positive[self.order], self.votes_total[self.order]
        cluster = None if self.cluster is None else self.cluster[self.order]
        return RankedItems(order, *votes, self.scores_descending, cluster, room=room)


@dataclass(frozen=True)
class Curve:
    """What metrics need of a mass in a ranking, from one pass over the items. Within a level of
    scores both cumulative masses grow alike; of pairs of different items on one level half are won.
    """

    true_positives: np.ndarray  # (L + 1,) mass of the 0 .. L highest levels
    false_positives: np.ndarray  # (L + 1,)
    won: float  # pairs of positive above negative mass
    comparisons: float  # all such pairs
    votes: np.ndarray  # (2, 2) by mass: row, label; column, positive votes and all votes
    falls: bool  # any mass is negative, so that a cumulative mass may fall

    @cached_property
    def rising(self) -> tuple[np.ndarray, np.ndarray]:
        """The two cumulative masses as curves that never fall, to look for crossings on."""
        found = self.true_positives, self.false_positives
        return (_rising(found[0]), _rising(found[1])) if self.falls else found

    @classmethod
    def of(cls, mass: LabelMass, ranked: "RankedItems") -> "Curve":
        """Trace a mass through a ranking; kept with the mass, so metrics share the pass."""
        for known, curve in mass._curves:
            if known is ranked:
                return curve
        room = np.empty((2, len(ranked.order) + 1)) if ranked.room is None else ranked.room
        hits, alarms = room
        won, comparisons, own, votes, falls = _accumulate(
            mass.positive, mass.negative, ranked.order, ranked.votes_positive, ranked.votes_total,
            hits, alarms,
        )  # fmt: skip
        if len(ranked.corners) < len(hits):
            hits, alarms = hits[ranked.corners], alarms[ranked.corners]
            won = float(((hits[1:] + hits[:-1]) * np.diff(alarms)).sum() - own) / 2
        curve = cls(hits, alarms, won, comparisons, votes, falls)
        mass._curves.append((ranked, curve))
        return curve


def _rising(cumulative: np.ndarray) -> np.ndarray:
    """A cumulative mass without its falls, which negative masses make (`LabelMass.shares`): the
    middle between the highest value so far and the lowest that follows.
    """
    if (np.diff(cumulative) >= 0).all():
        return cumulative
    above = np.maximum.accumulate(cumulative)
    below = np.minimum.accumulate(cumulative[::-1])[::-1]
    return np.clip((above + below) / 2, 0.0, max(float(cumulative[-1]), 0.0))


@kernel()
def _accumulate(
    positive: np.ndarray, negative: np.ndarray, order: np.ndarray, votes_positive: np.ndarray,
    votes_total: np.ndarray, true_positives: np.ndarray, false_positives: np.ndarray,
) -> tuple[float, float, float, np.ndarray, bool]:  # fmt: skip
    nothing = 0 * positive.dtype.type(0)  # a 64-bit integer where masses are bytes, else a float
    won, own, above, passed = nothing, nothing, nothing, nothing
    votes_below, all_below, votes_above, all_above = 0.0, 0.0, 0.0, 0.0
    falls = False
    true_positives[0], false_positives[0] = 0.0, 0.0
    for rank in range(len(order)):
        i = np.uintp(order[rank])  # without a sign, which would be looked at
        p, q = nothing + positive[i], nothing + negative[i]
        falls |= (p < 0) | (q < 0)
        won += above * q
        own += p * q
        above += p
        passed += q
        true_positives[rank + 1] = above
        false_positives[rank + 1] = passed
        votes_below += q * votes_positive[i]
        all_below += q * votes_total[i]
        votes_above += p * votes_positive[i]
        all_above += p * votes_total[i]
    votes = np.array([[votes_below, all_below], [votes_above, all_above]])
    return float(won), float(above * passed - own), float(own), votes, falls
