"""An estimated metric, and the values of several metrics on the same label mass."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crowdgold.data import Items
from crowdgold.metrics import LabelMass, Metric, RankedItems


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
        note: why there is no estimate or no interval, where there is none.
    """

    metric: str
    estimate: float
    lower: float
    upper: float
    undefined: float = 0.0
    standard_error: float = float("nan")
    note: str = ""

    @classmethod
    def unavailable(cls, metric: str, note: str = "") -> "Estimate":
        """Make an estimate that has no value, and say why."""
        return cls(metric, np.nan, np.nan, np.nan, 1.0, note=note)


def metric_values(
    metrics: Sequence[Metric],
    items: Items,
    masses: Mapping[str, LabelMass],
    ranked: Mapping[str, RankedItems],
) -> list[float]:
    """Compute metrics of label masses.

    Args:
        metrics: none of them a model parameter.
        items: says which predictors there are.
        masses, ranked: label mass and ranking by predictor.
    """
    values = []
    for metric in metrics:
        names = metric.predictors(items)
        values.append(metric.value([masses[name] for name in names], [ranked[n] for n in names]))
    return values
