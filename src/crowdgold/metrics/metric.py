"""What a metric is: a functional of label mass on ranked items, asked for by its name.

Label mass is two non-negative masses on each item: how much of it counts as positive
and how much as negative. Labels are masses of 0 and 1, a bootstrap resample multiplies them by its
weights, items without a label have none, and a probability splits an item in two.

Items whose scores are equal are one step of every curve. A threshold cannot tell them apart, so the
curve crosses them in a straight line, as if a random share of them were flagged.

A metric is one object: its value as a functional of label mass, what each item contributes to it
(its influence), the range of its values, what it divides by, and the scale of its interval. None of
these has a default, so that a metric without them cannot be registered.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from operator import neg

import numpy as np

from crowdgold.system.kernels import kernel
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import kish
from crowdgold.types.items import NO_PREDICTOR, Items


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


Value = Callable[[LabelMass, RankedItems, float], float]
"""(mass, ranked items, threshold) -> value; NaN where nothing is there to divide by."""
Influence = Callable[[LabelMass, RankedItems, float], np.ndarray]
"""(mass, ranked items, threshold) -> (n,), as `delete_one`."""
RestsOn = Callable[[np.ndarray, RankedItems, float, np.ndarray | None], float]
"""(labels, ranked items, threshold, weights) -> labelled items in the smallest denominator; with
weights, those of equal weight that say as much."""

DELTA = "delta_"
"""Before a metric's name: the difference of that metric between two predictors."""
PARAMETERS = {
    "phi": r"$\phi$", "a0": "a0", "a1": "a1", "d0": "d0", "d1": "d1", "mu": r"$\mu$",
    "delta": r"$\delta$",
}  # fmt: skip
"""Parameters of MAVEN (table 1), which a fit reports beside metrics -> as figures write them."""


class Scale(Enum):
    """The scale on which a metric's interval is symmetric."""

    LOGIT = "logit"
    """Of the value's place within its range: for a range with two ends."""
    IDENTITY = "identity"
    """The metric's own: for a range without ends."""


class At(Enum):
    """What a metric's threshold is."""

    NOTHING = ""
    SCORE = "a score"
    RECALL = "a recall"


def delete_one(value: Value) -> Influence:
    """The influence of each item on a metric, (n - 1) (M - M_{-i}), computed without each item
    anew: the jackknife's pseudo-values less the metric, whose variance over n is the metric's
    sampling variance. It takes n evaluations, so that metrics of large tables bring formulas of
    their own.
    """

    def influence(mass: LabelMass, ranked: RankedItems, at: float) -> np.ndarray:
        size = len(mass.shares)
        whole, without = value(mass, ranked, at), np.empty(size)
        for item in range(size):
            kept = mass.shares.copy()
            kept[item] = 0
            without[item] = value(LabelMass(kept), ranked, at)
        return (size - 1) * (whole - without)

    return influence


@dataclass(frozen=True)
class Words:
    """How a metric is written. The sentence says what a value means, with the places {value},
    {model} and {at} (the threshold), and {more} of one that compares a model with the voters.
    """

    label: str  # in figures
    title: str  # the heading of what a report says of it
    axis: str  # what it is, at an axis
    sentence: str
    symbol: str  # its short name in a sentence
    compared: str  # what a model is said to be ahead of another in
    in_per_cent: bool = True


@dataclass(frozen=True)
class Metric:
    """A metric of one predictor, or of labels and votes alone.

    Where it is of pairs, items of two classes, its spread does not follow from its value, and the
    difference of two of it errs more to one side than its own spread shows, so that the two
    intervals are looked at as well.
    """

    name: str  # as configurations, tables and files write it
    words: Words
    value: Value
    influence: Influence  # `delete_one` where there is no formula
    range: tuple[float, float]
    rests_on: RestsOn  # of `metrics.influence`
    scale: Scale
    needs_scores: bool
    needs_votes: bool
    at: At = At.NOTHING
    of_pairs: bool = False
    against_voters: bool = False  # itself a difference, a model's value less the voters'
    on_request: bool = False  # a user's study has it only where it is asked for

    def __post_init__(self) -> None:
        kinds = {"words": Words, "value": None, "influence": None, "rests_on": None,
                 "scale": Scale, "at": At}  # fmt: skip
        for name, kind in kinds.items():
            given = getattr(self, name)
            if not (callable(given) if kind is None else isinstance(given, kind)):
                wanted = "a function" if kind is None else f"one of {kind.__name__}"
                raise ValueError(f"metric {self.name}: {name} is {given!r}, expected {wanted}")
        low, high = self.range
        if not low < high:
            raise ValueError(f"metric {self.name}: range {self.range}, expected (low, high)")
        if self.scale is Scale.LOGIT and not np.isfinite(self.range).all():
            raise ValueError(f"metric {self.name}: a logit scale needs a range with two ends")

    @property
    def range_of_differences(self) -> tuple[float, float]:
        """The least and the largest difference of two of it; what voters add to both is gone."""
        low, high = self.range
        return (low, high) if self.against_voters else (low - high, high - low)


@dataclass(frozen=True)
class Asked:
    """A metric as a configuration asks for it: `[delta_]NAME[:PREDICTOR][@THRESHOLD]`."""

    text: str  # as written
    name: str  # with `delta_` before it for the difference of two predictors
    predictor: str | None  # the table's first where not given
    threshold: float  # score, or recall, at which it is taken; NaN where it has none
    metric: Metric | None  # computed of each predictor; None for a model parameter
    is_difference: bool = False  # the first predictor's value less the second's

    @property
    def is_parameter(self) -> bool:
        """Whether it is a model parameter rather than a function of labels."""
        return self.metric is None

    @property
    def known(self) -> Metric:
        """The metric, of what is not a model parameter."""
        assert self.metric is not None
        return self.metric

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest value that it can have."""
        if self.metric is None:
            return (-np.inf, np.inf)
        return self.metric.range_of_differences if self.is_difference else self.metric.range

    @property
    def of_one(self) -> "Asked":
        """What is asked of each of two predictors whose difference is wanted."""
        return replace(self, is_difference=False)

    def predictors(self, items: Items) -> list[str]:
        """The predictors that it is about: one, or two for a difference; `NO_PREDICTOR` of labels
        and votes alone where there are no scores.
        """
        if self.metric is not None and self.metric.needs_votes and not items.has_votes:
            raise InputError(f"{self.text}: it is of votes, and the table has none")
        if self.is_difference:
            if len(items.predictors) < 2:
                raise InputError(f"{self.text} needs two predictors; there is {items.predictors}")
            return items.predictors[:2]
        needs_scores = self.metric is None or self.metric.needs_scores
        if not needs_scores and not items.predictors and not self.predictor:
            return [NO_PREDICTOR]
        if not items.predictors:
            raise InputError(f"{self.text}: the table has no scores; add a column 'score'")
        chosen = self.predictor or items.predictors[0]
        if chosen not in items.predictors:
            raise InputError(f"{self.text}: no predictor {chosen!r}; there are {items.predictors}")
        return [chosen]

    def value(self, masses: list[LabelMass], ranked: list[RankedItems]) -> float:
        """Its value, from the label mass and ranking of each of its predictors."""
        pairs = zip(masses, ranked, strict=True)
        values = [self.known.value(mass, order, self.threshold) for mass, order in pairs]
        return values[0] if len(values) == 1 else values[0] - values[1]


def read_metric(text: str, known: Mapping[str, Metric]) -> Asked:
    """A metric as it is asked for, among those that are known."""
    head, at_sign, threshold = text.partition("@")
    name, colon, predictor = head.partition(":")
    metric = known.get(name)
    is_difference = metric is None and name.startswith(DELTA) and name not in PARAMETERS
    if is_difference:
        metric = known.get(name.removeprefix(DELTA))
    if name not in (*known, *PARAMETERS) and (metric is None or not metric.needs_scores):
        names = ", ".join([*known, *PARAMETERS])
        raise InputError(
            f"no metric {name!r} (in {text!r}); there are {names}, and {DELTA}NAME for the "
            "difference of two predictors"
        )
    kind = At.NOTHING if metric is None else metric.at
    if bool(colon) != bool(predictor):
        raise InputError(f"metric {text!r}: no name after ':', expected {name}:PREDICTOR")
    if (kind is not At.NOTHING) != bool(at_sign) or bool(at_sign) != bool(threshold):
        form = name if kind is At.NOTHING else f"{name}@THRESHOLD"
        raise InputError(f"metric {text!r} should have the form {form}")
    try:
        at = float(threshold) if threshold else float("nan")
    except ValueError:
        raise InputError(f"metric {text!r}: threshold {threshold!r} is not a number") from None
    if threshold and not np.isfinite(at):
        raise InputError(f"metric {text!r}: threshold {threshold!r} is not a finite number")
    if kind is At.RECALL and not 0 < at <= 1:
        raise InputError(f"metric {text!r}: a recall is above 0 and at most 1")
    return Asked(text, name, predictor or None, at, metric, is_difference)
