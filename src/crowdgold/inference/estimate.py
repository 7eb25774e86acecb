"""An estimated metric."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdgold.inference.interval import central_interval
from crowdgold.types.notes import Note, texts


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
