"""Metrics asked of items as one predictor ranks them, and what a method says of them: estimates.

What a method says of P quantities is kept so that predictors can be compared one by one. Two
predictors are compared on the same gold items, or on labels imputed from the same random numbers,
which differ only where the predictors' scores speak differently of an item: what is kept of one is
subtracted from what is kept of the other before anything is summarised, so that what they share
drops out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crowdgold.inference.interval import central_interval
from crowdgold.metrics.binary import POINTS, curve_influence, curve_points, curve_support
from crowdgold.metrics.influence import positives, positives_and_flagged
from crowdgold.metrics.metric import Asked, LabelMass, RankedItems, Scale
from crowdgold.types.gold_draw import kish
from crowdgold.types.items import Items
from crowdgold.types.notes import Note, texts


@dataclass(frozen=True)
class View:
    """Items as a predictor ranks them."""

    items: Items  # of a study, or of a stratum
    predictor: str  # one of their predictors, or `NO_PREDICTOR`
    weights: np.ndarray | None = None  # (n,) what each counts, of mean 1

    def __len__(self) -> int:
        return len(self.items)

    def ranking(self) -> RankedItems:
        """The items in the order of the predictor's scores."""
        return RankedItems.of(self.items, self.predictor)

    def take(self, rows: np.ndarray) -> "View":
        """The items at some positions."""
        weights = None if self.weights is None else self.weights[rows]
        return View(self.items.take(rows), self.predictor, weights)

    def mass(self, probability: np.ndarray, times: np.ndarray | None = None) -> LabelMass:
        """Label mass by labels, or their chance, (n,), and how often a resample holds each."""
        weights = self.weights
        if times is not None:
            weights = times if weights is None else weights * times
        return LabelMass.of_probability(probability, weights)


@dataclass(frozen=True)
class Named:
    """Names, ranges and scales of P quantities. `parts`: (P, 2) of metrics that compare items of
    two classes, and of their differences, the ranges of one and of both parts, by which the
    interval of a difference is at least that of its parts (`interval.from_parts`); NaN of others.
    """

    texts: Sequence[str]  # names
    limits: np.ndarray  # (P, 2) ranges
    scales: Sequence[Scale]  # of their intervals
    parts: np.ndarray
    bounds: np.ndarray  # (P, 2) of the difference of two of each; its scale's range can be wider

    def select(self, columns: Sequence[int], texts: Sequence[str] | None = None) -> "Named":
        """Some of them, in this order, under other names where these are given."""
        names = [self.texts[k] for k in columns] if texts is None else texts
        scales = [self.scales[k] for k in columns]
        chosen = np.asarray(columns, dtype=int)
        bounds = self.bounds[chosen]
        return Named(names, self.limits[chosen], scales, self.parts[chosen], bounds)

    def differences(self) -> "Named":
        """Names, ranges and scales of their differences between two predictors."""
        low, high = self.limits.T
        return replace(self, limits=np.stack([low - high, high - low], axis=1))


@dataclass(frozen=True)
class Questions:
    """The metrics of a predictor, and whether points of its curves follow them."""

    asked: tuple[Asked, ...]
    curves: bool = False  # whether points of the curves follow (`metrics.binary`)

    @property
    def texts(self) -> list[str]:
        """The metrics' names, without the points."""
        return [one.text for one in self.asked]

    @property
    def named(self) -> Named:
        """Names, ranges and scales; points of the curves have no names."""
        points = POINTS * self.curves
        limits = [one.known.range for one in self.asked] + [(0.0, 1.0)] * points
        bounds = [one.known.range_of_differences for one in self.asked] + [(-1.0, 1.0)] * points
        scales = [one.known.scale for one in self.asked] + [Scale.LOGIT] * points
        pairs = [one.known.of_pairs for one in self.asked] + [False] * points
        ranges = np.array(limits, dtype=float).reshape(-1, 2)
        parts = np.where(np.array(pairs, dtype=bool)[:, None], ranges, np.nan)
        of_differences = np.array(bounds, dtype=float).reshape(-1, 2)
        return Named(self.texts + [""] * points, ranges, scales, parts, of_differences)

    def divides_by_positives(self) -> np.ndarray:
        """Whether each value divides by a number of positives, which labels alone say, (P,)."""
        found = [one.known.rests_on in (positives, positives_and_flagged) for one in self.asked]
        return np.array(found + [True] * (POINTS * self.curves), dtype=bool)

    def values(self, mass: LabelMass, ranked: RankedItems) -> np.ndarray:
        """Values of a label mass, (P,): metrics, then points; NaN where one has none."""
        found = [one.known.value(mass, ranked, one.threshold) for one in self.asked]
        return np.concatenate([found, curve_points(mass, ranked)] if self.curves else [found])

    def influence(self, mass: LabelMass, ranked: RankedItems) -> np.ndarray:
        """What each item contributes to the values, (n, P) (`metrics.delete_one`)."""
        found = [one.known.influence(mass, ranked, one.threshold)[:, None] for one in self.asked]
        found += [curve_influence(mass, ranked)] if self.curves else []
        return np.concatenate([np.empty((len(mass.shares), 0)), *found], axis=1)

    def counted(
        self, labels: np.ndarray, ranked: RankedItems, weights: np.ndarray | None = None,
        counting: Callable[[np.ndarray], float] = kish,
    ) -> np.ndarray:  # fmt: skip
        """Labelled items in the smallest denominator of each value, (P,); with `weights`, (n,),
        those of equal weight that say as much, by `counting`.
        """
        ranked = replace(ranked, counting=counting)
        found = [one.known.rests_on(labels, ranked, one.threshold, weights) for one in self.asked]
        points = [curve_support(labels, ranked, weights)] if self.curves else []
        return np.concatenate([np.array(found, dtype=int if weights is None else float), *points])


@dataclass(frozen=True)
class Estimate:
    """An estimated metric, of an annotator, agent or item where it has a value for each."""

    metric: str  # the metric as it was asked for
    estimate: float  # point estimate
    lower: float  # ends of the interval; NaN where there is none
    upper: float
    undefined: float = 0.0  # share of draws without a value (no positives, say), left out
    standard_error: float = float("nan")  # of the point estimate, where the method has one
    notes: tuple[Note, ...] = ()  # why there is none, or what to beware of
    annotator: str = ""
    agent: str = ""
    item: str = ""  # an agent's response
    gold: int | None = None  # gold items of the class that an annotator's rate is of, where counted

    @classmethod
    def unavailable(cls, metric: str, why: Note | None = None) -> "Estimate":
        """An estimate that has no value, with the reason."""
        return cls(metric, np.nan, np.nan, np.nan, 1.0, notes=(why,) if why else ())

    @property
    def note(self) -> str:
        """Its notes in words."""
        return texts(self.notes)

    def as_row(self) -> dict[str, Any]:
        """As a row of a table of results, its notes in words."""
        held = {name: value for name, value in vars(self).items() if name != "gold"}
        return {"note" if name == "notes" else name: self.note if name == "notes" else value
                for name, value in held.items()}  # fmt: skip

    @classmethod
    def of_draws(
        cls, metric: str, values: np.ndarray, level: float, centre: float | None = None
    ) -> "Estimate":
        """Mean of finite draws of a metric, or `centre` in its place, and central interval."""
        known = values[np.isfinite(values)]
        undefined = 1 - len(known) / len(values)
        if len(known) == 0 or (centre is not None and not np.isfinite(centre)):
            return cls.unavailable(metric)
        lower, upper = central_interval(known, level)
        point = float(known.mean()) if centre is None else centre
        return cls(metric, point, float(lower), float(upper), undefined)


FEWEST = 3
"""Gold items, or clusters of them, below which nothing shows how uncertain a metric is. Its
interval is then an exact bound, or there is none."""
NOTHING_SAID = 0.95  # Share of a metric's range from which on an interval says nothing


class Sample:
    """What a method says of P quantities; what a kind cannot tell is None."""

    @property
    def probability(self) -> np.ndarray | None:
        """(n,) P(Y_i = 1), where it came with the values."""
        return None

    def select(self, columns: Sequence[int]) -> "Sample":
        """Some of the quantities, in this order."""
        raise NotImplementedError

    def minus(self, other: "Sample") -> "Sample | None":
        """The differences to another predictor's."""
        return None

    def about_items(self) -> "Sample | None":
        """The same about the items at hand; None where it speaks of one target alone."""
        return None

    def saved(self, named: Named, level: float) -> np.ndarray | None:
        """Ends of the ratio of its variance to that of gold labels alone, (2, P); None where gold
        corrects nothing.
        """
        return None

    def estimates(self, named: Named, level: float) -> list[Estimate]:
        """An estimate of each quantity."""
        raise NotImplementedError


@dataclass(frozen=True)
class Draws(Sample):
    """Values of P quantities under each imputed data set, or each resample of labelled items."""

    values: np.ndarray  # (D, P); NaN where a quantity has none
    point: np.ndarray | None = None  # (P,) the estimates; None where the mean stands for it
    probability: np.ndarray | None = None  # of imputed data sets, (n,) mean P(Y_i = 1)

    def select(self, columns: Sequence[int]) -> "Draws":
        """Some of the quantities, in this order."""
        chosen = np.asarray(columns, dtype=int)
        return Draws(self.values[:, chosen], None if self.point is None else self.point[chosen])

    def minus(self, other: Sample) -> "Draws | None":
        """The differences to another's values, draw by draw."""
        if not isinstance(other, Draws):
            return None
        point = None
        if self.point is not None and other.point is not None:
            point = self.point - other.point
        return Draws(self.values - other.values, point)

    def estimates(self, named: Named, level: float) -> list[Estimate]:
        """Mean or point of each quantity, quantiles, standard deviation."""
        points = [None] * len(named.texts) if self.point is None else self.point.tolist()
        found = []
        for name, column, point in zip(named.texts, self.values.T, points, strict=True):
            one, known = Estimate.of_draws(name, column, level, point), column[np.isfinite(column)]
            if np.isnan(one.estimate):
                found.append(replace(one, notes=(Note("no_value_of_draws"),)))
            else:
                spread = float(known.std(ddof=1)) if len(known) > 1 else float("nan")
                found.append(replace(one, standard_error=spread))
        return found


@dataclass(frozen=True)
class Stated(Sample):
    """Estimates that a method gives as they are, and that cannot be compared between predictors."""

    stated: Sequence[Estimate]

    def select(self, columns: Sequence[int]) -> "Stated":
        """Some of the estimates, in this order."""
        return Stated([self.stated[column] for column in columns])

    def estimates(self, named: Named, level: float) -> list[Estimate]:
        """The estimates, whatever the level: they were made with one."""
        return list(self.stated)
