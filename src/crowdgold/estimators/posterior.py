"""What a method gives back: labels, or draws of label probabilities, with diagnostics and times."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from crowdgold.models.diagnostics import Diagnostics

NO_LABEL = -1

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
    """

    draws: int
    probability: LabelProbability
    parameters: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Fit:
    """A method fitted to a table.

    Attributes:
        method: the method's short name.
        labels: labels, or draws of label probabilities.
        diagnostics: of all chains that were run; trivially good where none was.
        seconds: wall time by part; `inference` is the model fit, without imputation.
    """

    method: str
    labels: FixedLabels | LabelPosterior
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    seconds: Mapping[str, float] = field(default_factory=dict)
