"""How metrics are estimated: about what, at which level, and with which random numbers."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crowdgold.declared import LEVEL
from crowdgold.inference.rectified import POPULATION, TARGETS

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
