"""How metrics are asked for (about what, at which level), and what an estimate of one is."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crowdgold.inference.interval import central_interval
from crowdgold.inference.rectified import POPULATION, TARGETS


@dataclass(frozen=True)
class Estimate:
    """An estimated metric.

    Attributes:
        metric: the metric as it was asked for.
        estimate: point estimate.
        lower, upper: ends of the interval; NaN where there is none.
        undefined: share of draws or resamples in which the metric had no value (no positives,
            say); they are left out.
        standard_error: of the point estimate, where the method has one.
        note: why there is no estimate or no interval, where there is none; or what to beware of.
        annotator, agent, item: whose it is, where a metric has a value for each of several; items
            are the agents' responses.
    """

    metric: str
    estimate: float
    lower: float
    upper: float
    undefined: float = 0.0
    standard_error: float = float("nan")
    note: str = ""
    annotator: str = ""
    agent: str = ""
    item: str = ""

    @classmethod
    def unavailable(cls, metric: str, note: str = "") -> "Estimate":
        """An estimate that has no value, with the reason."""
        return cls(metric, np.nan, np.nan, np.nan, 1.0, note=note)

    @classmethod
    def of_draws(
        cls, metric: str, values: np.ndarray, level: float, centre: float | None = None
    ) -> "Estimate":
        """Summarise draws of a metric: mean, or `centre` in its place, and central interval.

        Args:
            metric: the metric as it was asked for.
            values: (draws,) its values; those that are not finite are left out, and counted.
            centre: the point estimate, where it is not the mean.
        """
        known = values[np.isfinite(values)]
        undefined = 1 - len(known) / len(values)
        if len(known) == 0 or (centre is not None and not np.isfinite(centre)):
            return cls.unavailable(metric)
        lower, upper = central_interval(known, level)
        point = float(known.mean()) if centre is None else centre
        return cls(metric, point, float(lower), float(upper), undefined)


LEVEL = 0.95
LABELS, RESAMPLED, NEW_ITEMS, OWN = ROLES = ("labels", "resamples", "population", "own")
"""What random numbers are for. Those of labels, of resamples of labelled items and of all items
are the same for all predictors, so that these can be compared; the last is a predictor's own."""

Make = Callable[[str, str], np.random.Generator]
"""(role, predictor; empty where it is shared) -> a generator, the same at each call."""


@dataclass(frozen=True)
class Streams:
    """Random numbers by what they are for; each call gives the same ones again."""

    make: Make

    @classmethod
    def of(cls, rng: np.random.Generator) -> "Streams":
        """Streams that a generator decides."""
        entropy = [int(one) for one in rng.integers(0, 2**32, 4)]

        def make(role: str, predictor: str) -> np.random.Generator:
            key = (ROLES.index(role), zlib.crc32(predictor.encode()))
            return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=key))

        return cls(make)

    def labels(self) -> np.random.Generator:
        """Decides imputed labels."""
        return self.make(LABELS, "")

    def resamples(self) -> np.random.Generator:
        """Draws resamples of labelled items."""
        return self.make(RESAMPLED, "")

    def new_items(self) -> np.random.Generator:
        """Draws resamples of all items."""
        return self.make(NEW_ITEMS, "")

    def own(self, predictor: str) -> np.random.Generator:
        """Draws what a method needs for one predictor."""
        return self.make(OWN, predictor)


@dataclass(frozen=True)
class Request:
    """How metrics are estimated.

    Attributes:
        streams: random numbers.
        level: of the intervals.
        target: what intervals are about, one of `TARGETS`.
        resamples: where they are more than 0, methods that take labels for the truth have the
            percentile bootstrap of so many resamples, as in the papers' figures.
    """

    streams: Streams
    level: float = LEVEL
    target: str = POPULATION
    resamples: int = 0

    def __post_init__(self) -> None:
        if self.target not in TARGETS:
            raise ValueError(f"target {self.target!r}; expected {' or '.join(map(repr, TARGETS))}")
