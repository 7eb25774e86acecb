"""An estimated metric."""

from dataclasses import dataclass

import numpy as np

from crowdgold.inference.interval import central_interval


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
