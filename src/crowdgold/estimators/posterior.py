"""What a method gives back: labels, draws of label probabilities, or predictions to correct.

With them go the diagnostics of the fit and its times.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from crowdgold.models.diagnostics import Diagnostics

NO_LABEL = -1

TARGETS = ("items", "population")
"""What a rectified estimate is of: these items, or the population that they were drawn from."""

LabelProbability = Callable[[int, str, np.random.Generator], np.ndarray]
"""(draw, predictor, rng) -> P(Y_i = 1) of each item, (n,), under that draw."""


@dataclass(frozen=True)
class FixedLabels:
    """Labels that a method takes for the truth; intervals come from resampling items.

    Attributes:
        labels: (n,) 0, 1, or `NO_LABEL` where the method leaves the item out.
    """

    labels: np.ndarray


@dataclass(frozen=True)
class LabelPosterior:
    """Draws of P(Y_i = 1), from which labels are imputed.

    Attributes:
        draws: number of draws.
        probability: the probabilities under a draw. Methods that use scores condition on those of
            one predictor; the others ignore its name.
        parameters: model parameters by name (`phi`, or `mu:A` for predictor A), (draws,) each.
        without_own_gold: as `probability`, but of gold items too as if their own label were not
            known; None where a method cannot say.
    """

    draws: int
    probability: LabelProbability
    parameters: Mapping[str, np.ndarray] = field(default_factory=dict)
    without_own_gold: LabelProbability | None = None


@dataclass(frozen=True)
class LabelPrediction:
    """A prediction of every label, which the gold labels correct (the rectified estimator).

    Attributes:
        probability: predictor -> (n,) predicted P(Y_i = 1) of each item, in [0, 1], made without
            the item's own gold label.
        target: one of `TARGETS`.
    """

    probability: Mapping[str, np.ndarray]
    target: str = "items"

    def __post_init__(self) -> None:
        if self.target not in TARGETS:
            raise ValueError(f"target {self.target!r}; expected {' or '.join(map(repr, TARGETS))}")


@dataclass(frozen=True)
class MeanPrediction:
    """A prediction of every label, which corrects means of item-level values only (AutoEval).

    Attributes:
        probability: as of `LabelPrediction`.
    """

    probability: Mapping[str, np.ndarray]


Labels = FixedLabels | LabelPosterior | LabelPrediction | MeanPrediction
"""What evaluation makes metrics of."""


@dataclass(frozen=True)
class Fit:
    """A method fitted to a table.

    Attributes:
        method: the method's short name.
        labels: labels, draws of label probabilities, or predictions of the labels.
        diagnostics: of all chains that were run; trivially good where none was.
        seconds: wall time by part; `inference` is the model fit, without imputation.
    """

    method: str
    labels: Labels
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    seconds: Mapping[str, float] = field(default_factory=dict)
