"""What a method gives back: labels, draws of label probabilities, or predictions to correct.

With them go the diagnostics of the fit and its times.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from crowdgold.models.diagnostics import Diagnostics
from crowdgold.models.judge_error import JudgementCounts
from crowdgold.models.majority import NO_LABEL as NO_LABEL

TARGETS = ("items", "population")
"""What a rectified estimate is of: these items, or the population that they were drawn from."""

LabelProbability = Callable[[int, str, np.random.Generator], np.ndarray]
"""(draw, predictor, rng) -> P(Y_i = 1) of each item, (n,), under that draw."""


@dataclass(frozen=True)
class FixedLabels:
    """Labels that a method takes for the truth; intervals come from resampling items.

    Attributes:
        labels: (n,) 0 or 1 (of Annotations, the category's position), or `NO_LABEL` where the
            method leaves the item out.
    """

    labels: np.ndarray


@dataclass(frozen=True)
class ProbableLabels(FixedLabels):
    """Fixed labels of Annotations with their probabilities, whose mean is the prevalence.

    Attributes:
        probability: (I, K) of each category.
    """

    probability: np.ndarray


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


@dataclass(frozen=True)
class ConfusionPosterior:
    """Draws of the prevalence and of confusion matrices, given Annotations.

    Attributes:
        prevalence: (D, K) the prevalence of each category, for its own estimate and interval.
        rates_with: (E, K) prevalences that belong to the draws of the matrices.
        confusion: (E, M, K, K) confusion matrices; true category in rows.
        matrix_of: (L,) the matrix that each label is drawn from.
        probability: (I, K) P(y_i = k | data).
        swapped: share of the posterior in which labels are swapped: averaged over the labels, the
            matrices' diagonals add to less than 1 (binary labels: TPR + TNR < 1).
        warning: what a reader of any of its estimates should know; empty where there is nothing.
    """

    prevalence: np.ndarray
    rates_with: np.ndarray
    confusion: np.ndarray
    matrix_of: np.ndarray
    probability: np.ndarray
    swapped: float = 0.0
    warning: str = ""


@dataclass(frozen=True)
class AgentDraws:
    """Draws of the levels of agents' responses.

    Attributes:
        shares: (D, S, K) shares of the levels among each agent's responses with labels; NaN where
            it has none.
        expected: (D, S, K) among all responses that it could give.
    """

    shares: np.ndarray
    expected: np.ndarray


@dataclass(frozen=True)
class LevelPosterior:
    """The probability of each category of each item, given Annotations.

    Attributes:
        probability: (I, K) of each category; of no meaning where an item has no label.
        hard: whether an item counts as of its most probable category (the lowest of equals), and
            not by the probabilities.
        confusion: (A, K, K) confusion matrices, the true category in rows; None where the method
            has none.
        draws: of the agents' levels; None where intervals come from resampling responses.
    """

    probability: np.ndarray
    hard: bool
    confusion: np.ndarray | None = None
    draws: AgentDraws | None = None

    @property
    def shares(self) -> np.ndarray:
        """Give what each category counts of an item: (I, K)."""
        if not self.hard:
            return self.probability
        chosen = self.probability.argmax(axis=1)
        return np.asarray(np.eye(self.probability.shape[1])[chosen])


@dataclass(frozen=True)
class JudgedRate:
    """Judgements of a sample and what gold labels say of them, which correct a rate.

    Attributes:
        counts: the judgements and gold labels.
        correction: "paper" or "adjusted", the interval of Rogan and Gladen's estimate; or
            "power-tuned" (PPI++).
    """

    counts: JudgementCounts
    correction: str


Labels = (
    FixedLabels
    | LabelPosterior
    | LabelPrediction
    | MeanPrediction
    | ConfusionPosterior
    | LevelPosterior
    | JudgedRate
)
"""What evaluation makes metrics of."""


@dataclass(frozen=True)
class Fit:
    """A method fitted to a table.

    Attributes:
        method: the method's short name.
        labels: labels, draws of label probabilities or confusion matrices, or predictions.
        diagnostics: of all chains that were run; trivially good where none was.
        seconds: wall time by part; `inference` is the model fit, without imputation.
    """

    method: str
    labels: Labels
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    seconds: Mapping[str, float] = field(default_factory=dict)
