"""What a metric is, and how a metric is asked for by name.

A metric is one object: its value as a functional of label mass, what each item contributes to it
(its influence), the range of its values, what it divides by, and the scale of its interval. None of
these has a default, so that a metric without them cannot be registered.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from crowdgold.metrics.ranked import LabelMass, RankedItems
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_PREDICTOR, Items

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
    rests_on: RestsOn  # of `metrics.denominators`
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
        low, high = self.metric.range
        return (low - high, high - low) if self.is_difference else (low, high)

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
