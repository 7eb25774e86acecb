"""What is asked of items as one predictor ranks them: metrics, and points of its curves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crowdgold.metrics.curves import POINTS, curve_influence, curve_points, curve_support
from crowdgold.metrics.denominators import positives, positives_and_flagged
from crowdgold.metrics.metric import Asked, Scale
from crowdgold.metrics.ranked import LabelMass, RankedItems
from crowdgold.types.gold_draw import kish
from crowdgold.types.items import Items


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

    def select(self, columns: Sequence[int], texts: Sequence[str] | None = None) -> "Named":
        """Some of them, in this order, under other names where these are given."""
        names = [self.texts[k] for k in columns] if texts is None else texts
        scales = [self.scales[k] for k in columns]
        chosen = np.asarray(columns, dtype=int)
        return Named(names, self.limits[chosen], scales, self.parts[chosen])

    def differences(self) -> "Named":
        """Names, ranges and scales of their differences between two predictors."""
        low, high = self.limits.T
        limits = np.stack([low - high, high - low], axis=1)
        return Named(self.texts, limits, self.scales, self.parts)


@dataclass(frozen=True)
class Questions:
    """The metrics of a predictor, and whether points of its curves follow them."""

    asked: tuple[Asked, ...]
    curves: bool = False  # whether points of the curves follow (`metrics.curves`)

    @property
    def texts(self) -> list[str]:
        """The metrics' names, without the points."""
        return [one.text for one in self.asked]

    @property
    def named(self) -> Named:
        """Names, ranges and scales; points of the curves have no names."""
        points = POINTS * self.curves
        limits = [one.known.range for one in self.asked] + [(0.0, 1.0)] * points
        scales = [one.known.scale for one in self.asked] + [Scale.LOGIT] * points
        pairs = [one.known.of_pairs for one in self.asked] + [False] * points
        ranges = np.array(limits, dtype=float).reshape(-1, 2)
        parts = np.where(np.array(pairs, dtype=bool)[:, None], ranges, np.nan)
        return Named(self.texts + [""] * points, ranges, scales, parts)

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
