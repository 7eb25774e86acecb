"""What a method says of a model's values, kept so that models can be compared value by value.

Two models are compared on the same resamples, or on labels imputed from the same random numbers,
which differ only where the models' scores speak differently of an item: their values are subtracted
draw by draw before anything is summarised, so that what they share drops out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from crowdgold.evaluation.estimate import Estimate
from crowdgold.evaluation.rectified import FEWEST, Resampled, corrected_estimate, too_few

Limits = Sequence[tuple[float, float]]


def _spread(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else float("nan")


@dataclass(frozen=True)
class Draws:
    """Values of P quantities under each imputed data set, or each resample of labelled items.

    Attributes:
        values: (D, P); NaN where a quantity has none.
        point: (P,) their values on the labels themselves; None where the mean stands for it.
        counted: (P,) gold items in the smallest denominator; None where more than gold is used.
    """

    values: np.ndarray
    point: np.ndarray | None = None
    counted: np.ndarray | None = None

    def select(self, columns: Sequence[int]) -> "Draws":
        """Give some of the quantities, in this order."""
        chosen = np.asarray(columns, dtype=int)
        point = None if self.point is None else self.point[chosen]
        counted = None if self.counted is None else self.counted[chosen]
        return Draws(self.values[:, chosen], point, counted)

    def minus(self, other: "Draws") -> "Draws":
        """Give the differences to another's values, draw by draw."""
        point = None
        if self.point is not None and other.point is not None:
            point = self.point - other.point
        counted = None
        if self.counted is not None and other.counted is not None:
            counted = np.minimum(self.counted, other.counted)
        return Draws(self.values - other.values, point, counted)

    def estimates(self, names: Sequence[str], limits: Limits, level: float) -> list[Estimate]:
        """Summarise each quantity: mean or value, quantiles, standard deviation."""
        points = [None] * len(names) if self.point is None else self.point.tolist()
        enough = [FEWEST] * len(names) if self.counted is None else self.counted.tolist()
        found = []
        for name, column, point, counted in zip(names, self.values.T, points, enough, strict=True):
            one = Estimate.of_draws(name, column, level, point)
            if np.isnan(one.estimate):
                found.append(replace(one, note="the labels leave it without a value"))
            elif counted < FEWEST:
                found.append(replace(one, lower=np.nan, upper=np.nan, note=too_few(counted)))
            else:
                found.append(replace(one, standard_error=_spread(column)))
        return found


@dataclass(frozen=True)
class Corrected:
    """Values of P quantities from a prediction of all labels and from gold labels.

    Attributes:
        points: (3, P) M_E(Y), M_E(g) and M_all(g), in the terms of `evaluation.rectified`.
        labelled, predicted: (R, P) M_E(Y) and M_E(g) under resampling of the gold items.
        counted: (P,) gold items in the smallest denominator.
        n_gold, fraction: gold items, and their share of all.
        target: what the intervals are about, these items or their population.
    """

    points: np.ndarray
    labelled: np.ndarray
    predicted: np.ndarray
    counted: np.ndarray
    n_gold: int
    fraction: float
    target: str = "items"

    def select(self, columns: Sequence[int]) -> "Corrected":
        """Give some of the quantities, in this order."""
        chosen = np.asarray(columns, dtype=int)
        parts = ("points", "labelled", "predicted", "counted")
        return replace(self, **{name: getattr(self, name)[..., chosen] for name in parts})

    def minus(self, other: "Corrected") -> "Corrected":
        """Give the differences to another's values; they are corrected as a whole."""
        return replace(
            self,
            points=self.points - other.points,
            labelled=self.labelled - other.labelled,
            predicted=self.predicted - other.predicted,
            counted=np.minimum(self.counted, other.counted),
        )

    def estimates(self, names: Sequence[str], limits: Limits, level: float) -> list[Estimate]:
        """Correct each quantity by the gold labels."""
        return [
            corrected_estimate(
                name, limit, (float(self.points[0, k]), *self.points[1:, k].tolist()),
                Resampled(self.labelled[:, k], self.predicted[:, k]), int(self.counted[k]),
                self.n_gold, self.fraction, self.target, level,
            )
            for k, (name, limit) in enumerate(zip(names, limits, strict=True))
        ]  # fmt: skip


Sample = Draws | Corrected
