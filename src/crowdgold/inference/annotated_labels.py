"""What methods of annotators give back: confusion matrices, levels of items, corrected rates.

CLARA's TPR and TNR of all labels are the chance of a right label on positives and negatives, which
TPR_H and TNR_H are the shares of in the items at hand.
"""

from dataclasses import dataclass, replace

import numpy as np

from crowdgold.inference import annotator_rates
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.labels import UNLIKE, CountedLabels, Labels
from crowdgold.inference.power_tuned_mean import power_tuned_mean
from crowdgold.inference.questions import Questions, View
from crowdgold.inference.rectified import Request
from crowdgold.inference.samples import Sample, Stated
from crowdgold.metrics.reviewers import PREVALENCE, ReviewerMetric, parse_reviewer_metric
from crowdgold.models.judge_error import INTERVALS, KEEP, JudgementCounts, correct_rate
from crowdgold.models.majority import NO_LABEL
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note

PREVALENCE_ONLY = Note("estimates_others", {"metrics": [PREVALENCE]})

RATES = {"prevalence": "prevalence", "TPR_H": "TPR", "TNR_H": "TNR"}
"""Metrics of Items -> what they are called of annotators."""


@dataclass(frozen=True)
class ConfusionPosterior(Labels):
    """Draws of the prevalence and of confusion matrices, given Annotations."""

    prevalence: np.ndarray  # (D, K) for its own estimate and interval
    rates_with: np.ndarray  # (E, K) prevalences that belong to the draws of the matrices
    confusion: np.ndarray  # (E, M, K, K) confusion matrices; true category in rows
    matrix_of: np.ndarray  # (L,) the matrix that each label is drawn from
    probability: np.ndarray  # (I, K) P(y_i = k | data)
    swapped: float = 0.0  # share of the posterior in which the diagonals add to less than 1
    warning: Note | None = None  # what a reader of any of its estimates should know

    @property
    def posterior(self) -> dict[str, np.ndarray]:
        """The draws of the matrices, and of the prevalences that belong to them."""
        return {"prevalence": self.rates_with, "confusion": self.confusion}

    def sample(self, view: View, questions: Questions, request: Request) -> Sample:
        """Rates of all labels behind the items' votes; of other metrics, why there is none."""
        found = []
        for metric in questions.asked:
            if metric.name not in RATES:
                others = Note("estimates_others", {"metrics": list(RATES)})
                found.append(Estimate.unavailable(metric.text, others))
                continue
            if view.items.labels is None:
                raise InputError("the table does not say who gave each vote")
            rate = annotator_rates.of_posterior(
                self, view.items.labels, parse_reviewer_metric(RATES[metric.name]), request.level
            )
            found.append(replace(rate[0], metric=metric.text))
        return Stated(found)

    def probabilities(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """The probability of the second category."""
        return self.probability[:, 1]

    def rates_of_annotators(
        self, annotations: Annotations, metric: ReviewerMetric, rng: np.random.Generator,
        level: float, resamples: int,
    ) -> list[Estimate]:  # fmt: skip
        """Means over the draws, and their quantiles."""
        return annotator_rates.of_posterior(self, annotations, metric, level)


@dataclass(frozen=True)
class AgentDraws:
    """Draws of the levels of agents' responses; NaN where an agent has none."""

    shares: np.ndarray  # (D, S, K) among each agent's responses with labels
    expected: np.ndarray  # (D, S, K) among all responses that it could give


@dataclass(frozen=True)
class LevelPosterior(CountedLabels):
    """The probability of each category of each item, given Annotations."""

    probability: np.ndarray  # (I, K) of each category; of no meaning where an item has no label
    hard: bool  # an item counts as of its most probable category, the lowest of equals
    confusion: np.ndarray | None = None  # (A, K, K), the true category in rows
    draws: AgentDraws | None = None  # None where responses are resampled

    @property
    def shares(self) -> np.ndarray:
        """What each category counts of an item: (I, K)."""
        if not self.hard:
            return self.probability
        chosen = self.probability.argmax(axis=1)
        return np.asarray(np.eye(self.probability.shape[1])[chosen])

    @property
    def share(self) -> np.ndarray:
        """What the second category counts of an item, (I,)."""
        return self.shares[:, 1]

    def level_shares(self, categories: int) -> np.ndarray:
        """The shares of the categories."""
        return self.shares

    @property
    def levels(self) -> "LevelPosterior":
        """It is what it says of levels."""
        return self

    def rates_of_annotators(
        self, annotations: Annotations, metric: ReviewerMetric, rng: np.random.Generator,
        level: float, resamples: int,
    ) -> list[Estimate]:  # fmt: skip
        """As of fixed labels, where items count as of their most probable category."""
        if not self.hard:
            raise InputError(UNLIKE)
        labels = np.where(annotations.labels_of_item > 0, self.probability.argmax(axis=1), NO_LABEL)
        return annotator_rates.of_labels(labels, annotations, metric, rng, level, resamples)


@dataclass(frozen=True)
class JudgedRate(Labels):
    """Judgements of a sample and what gold labels say of them, which correct a rate."""

    counts: JudgementCounts  # the judgements and gold labels
    correction: str  # "paper" or "adjusted" (Rogan and Gladen), or "power-tuned" (PPI++)
    outside: str = KEEP  # what becomes of an estimate outside [0, 1]: "keep" it, or "clip" it
    of_items = False

    def sample(self, view: View, questions: Questions, request: Request) -> Sample:
        """The corrected prevalence; of other metrics, why there is none."""
        return Stated(
            [
                of_judged_rate(self, parse_reviewer_metric(PREVALENCE), request.level)
                if metric.name == PREVALENCE
                else Estimate.unavailable(metric.text, PREVALENCE_ONLY)
                for metric in questions.asked
            ]
        )

    def rates_of_annotators(
        self, annotations: Annotations, metric: ReviewerMetric, rng: np.random.Generator,
        level: float, resamples: int,
    ) -> list[Estimate]:  # fmt: skip
        """The corrected prevalence."""
        return [of_judged_rate(self, metric, level)]


def power_tuned_rate(counts: JudgementCounts, level: float) -> tuple[float, float, float, float]:
    """PPI++'s estimate of the rate, its interval's ends, and its standard error."""
    counts.check()
    names = ("true_positives", "false_negatives", "true_negatives", "false_positives")
    sizes = np.array([getattr(counts, name) for name in names], dtype=int)
    if sizes.sum() == 0 or not counts.within:
        raise InputError("PPI++ needs gold labels of some of the judged items; there are none")
    gold, judged = np.repeat([1.0, 1.0, 0.0, 0.0], sizes), np.repeat([1.0, 0.0, 0.0, 1.0], sizes)
    positive = int(counts.positive) - int(judged.sum())
    others = np.repeat([1.0, 0.0], [positive, int(counts.judged) - len(gold) - positive])
    return power_tuned_mean(gold, judged, others, level)


def of_judged_rate(found: JudgedRate, metric: ReviewerMetric, level: float) -> Estimate:
    """The prevalence with its interval; other metrics have no value here.

    Experiments keep estimates as the formulas give them, also outside [0, 1]: to move them inside,
    as for a user, would show as a bias. Where there is none, the note says why.
    """
    if metric.name != PREVALENCE:
        return Estimate.unavailable(metric.text, PREVALENCE_ONLY)
    try:
        if found.correction not in INTERVALS:
            estimate, lower, upper, error = power_tuned_rate(found.counts, level)
        else:
            one = correct_rate(found.counts, level, found.correction, found.outside)
            estimate, lower, upper, error = (
                float(value) for value in (one.estimate, one.lower, one.upper, one.standard_error)
            )
    except InputError as problem:
        return Estimate.unavailable(metric.text, Note("no_rate", {"problem": str(problem)}))
    return Estimate(metric.text, estimate, lower, upper, standard_error=error)
