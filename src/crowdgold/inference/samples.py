"""What a method says of P quantities, kept so that predictors can be compared quantity by quantity.

Two predictors are compared on the same gold items, or on labels imputed from the same random
numbers, which differ only where the predictors' scores speak differently of an item: what is kept
of one is subtracted from what is kept of the other before anything is summarised, so that what they
share drops out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from crowdgold.inference.estimate import Estimate
from crowdgold.inference.questions import Named
from crowdgold.types.notes import Note

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
