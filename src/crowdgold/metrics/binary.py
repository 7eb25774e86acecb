"""Metrics of a binary predictor and of its voters (MAVEN, section 4.1).

The voters' rates pool their votes: TNR_H is the share of negative votes among the votes on negative
items. AUC counts no item against itself. Points of the ROC and the precision-recall curve are taken
inside the item at which they are reached: only the share of it that is needed counts as flagged.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numba
import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.metrics.ranked import LabelMass, RankedItems

ROUNDING = 1e-12


def _ratio(part: float, whole: float) -> float:
    """Divide; NaN where nothing is there to divide by, which callers count and leave out."""
    return float(part / whole) if whole > 0 else float("nan")


def prevalence(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give the share of positive mass."""
    positive, negative = float(mass.positive.sum()), float(mass.negative.sum())
    return _ratio(positive, positive + negative)


def human_true_positive_rate(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give TPR_H: positive votes among the votes on positive items."""
    votes = float(mass.positive @ ranked.votes_total)
    return _ratio(float(mass.positive @ ranked.votes_positive), votes)


def human_true_negative_rate(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give TNR_H: negative votes among the votes on negative items."""
    votes = float(mass.negative @ ranked.votes_total)
    return _ratio(votes - float(mass.negative @ ranked.votes_positive), votes)


@numba.njit(cache=True)
def _area_under_roc(positive: np.ndarray, negative: np.ndarray, order: np.ndarray) -> float:
    above, won, total_negative, own = 0.0, 0.0, 0.0, 0.0
    for i in order:
        won += above * negative[i]
        above += positive[i]
        total_negative += negative[i]
        own += positive[i] * negative[i]
    comparisons = above * total_negative - own
    return won / comparisons if comparisons > 0 else np.nan


@numba.njit(cache=True)
def _positive_share_at_negative_share(
    positive: np.ndarray, negative: np.ndarray, order: np.ndarray, false_positive_rate: float
) -> float:
    """Give the TPR of the first ROC point whose FPR reaches a rate."""
    total_positive, total_negative = positive.sum(), negative.sum()
    if total_positive <= 0 or total_negative <= 0:
        return np.nan
    wanted = false_positive_rate * total_negative - ROUNDING * total_negative
    true_positives, false_positives = 0.0, 0.0
    if wanted <= 0:
        return 0.0
    for i in order:
        if false_positives + negative[i] >= wanted:
            share = min(1.0, (wanted - false_positives) / negative[i])
            return (true_positives + share * positive[i]) / total_positive
        true_positives += positive[i]
        false_positives += negative[i]
    return 1.0


@numba.njit(cache=True)
def _precision_at_recall(
    positive: np.ndarray, negative: np.ndarray, order: np.ndarray, recall: float
) -> float:
    """Give the precision where the recall reaches a value, inside the item that reaches it."""
    wanted = recall * positive.sum() * (1 - ROUNDING)
    true_positives, flagged = 0.0, 0.0
    for i in order:
        if positive[i] > 0 and true_positives + positive[i] >= wanted:
            share = min(1.0, max(0.0, (wanted - true_positives) / positive[i]))
            true_positives += share * positive[i]
            return true_positives / (flagged + share * (positive[i] + negative[i]))
        true_positives += positive[i]
        flagged += positive[i] + negative[i]
    return np.nan


def area_under_roc(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give AUC = P(a positive is ranked above a negative)."""
    return float(_area_under_roc(mass.positive, mass.negative, ranked.order))


def delta_true_positive_rate(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give TPR_M(t*) - TPR_H, t* the first threshold where the model's FPR reaches 1 - TNR_H."""
    rate = 1 - human_true_negative_rate(mass, ranked, threshold)
    if np.isnan(rate):
        return float("nan")
    model = _positive_share_at_negative_share(mass.positive, mass.negative, ranked.order, rate)
    return float(model) - human_true_positive_rate(mass, ranked, threshold)


def precision(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give the positive share of the items scored at or above a threshold."""
    flagged = ranked.order[: ranked.above(threshold)]
    positive = float(mass.positive[flagged].sum())
    return _ratio(positive, positive + float(mass.negative[flagged].sum()))


def recall(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give the share of positives scored at or above a threshold."""
    flagged = ranked.order[: ranked.above(threshold)]
    return _ratio(float(mass.positive[flagged].sum()), float(mass.positive.sum()))


def accuracy(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give the share of items on the right side of a threshold."""
    flagged = ranked.order[: ranked.above(threshold)]
    negative = float(mass.negative.sum())
    right = float(mass.positive[flagged].sum()) + negative - float(mass.negative[flagged].sum())
    return _ratio(right, float(mass.positive.sum()) + negative)


def precision_at_recall(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give a point of the precision-recall curve: the precision where recall reaches a value."""
    return float(_precision_at_recall(mass.positive, mass.negative, ranked.order, threshold))


Functional = Callable[[LabelMass, RankedItems, float], float]

METRICS: dict[str, Functional] = {
    "prevalence": prevalence,
    "TPR_H": human_true_positive_rate,
    "TNR_H": human_true_negative_rate,
    "AUC": area_under_roc,
    "delta_TPR": delta_true_positive_rate,
    "precision": precision,
    "recall": recall,
    "accuracy": accuracy,
    "precision_at_recall": precision_at_recall,
}
"""Metrics of one predictor by name."""

DIFFERENCES = {"delta_AUC": "AUC"}
"""Differences of a metric between two predictors: the first minus the second."""

PARAMETERS = ("phi", "a0", "a1", "d0", "d1", "mu", "delta")
"""Parameters of MAVEN (table 1), which a fit reports beside metrics."""

WITH_THRESHOLD = ("precision", "recall", "accuracy", "precision_at_recall")


@dataclass(frozen=True)
class Metric:
    """A metric as a configuration names it: NAME[:PREDICTOR][@THRESHOLD].

    Attributes:
        text: the name as written.
        name: a key of `METRICS`, `DIFFERENCES`, or one of `PARAMETERS`.
        predictor: the predictor it is about; the table's first where not given.
        threshold: score (or, for precision_at_recall, recall) at which it is taken.
    """

    text: str
    name: str
    predictor: str | None
    threshold: float

    @property
    def is_parameter(self) -> bool:
        """Say whether it is a model parameter rather than a function of labels."""
        return self.name in PARAMETERS

    def predictors(self, items: Items) -> list[str]:
        """Give the predictors whose labels it needs: one, or two for a difference."""
        if self.name in DIFFERENCES:
            if len(items.predictors) < 2:
                raise InputError(f"{self.text} needs two predictors; there is {items.predictors}")
            return items.predictors[:2]
        if not items.predictors:
            raise InputError(f"{self.text}: the table has no scores; add a column 'score'")
        chosen = self.predictor or items.predictors[0]
        if chosen not in items.predictors:
            raise InputError(f"{self.text}: no predictor {chosen!r}; there are {items.predictors}")
        return [chosen]

    def value(self, masses: list[LabelMass], ranked: list[RankedItems]) -> float:
        """Compute it from the label mass and ranking of each of its predictors."""
        functional = METRICS[DIFFERENCES.get(self.name, self.name)]
        values = [
            functional(mass, order, self.threshold)
            for mass, order in zip(masses, ranked, strict=True)
        ]
        return values[0] if len(values) == 1 else values[0] - values[1]


def parse_metric(text: str) -> Metric:
    """Read a metric's name.

    Raises:
        InputError: where there is no such metric, or a threshold is missing or not wanted.
    """
    head, _, threshold = text.partition("@")
    name, _, predictor = head.partition(":")
    known = [*METRICS, *DIFFERENCES, *PARAMETERS]
    if name not in known:
        raise InputError(f"no metric {name!r} (in {text!r}); there are {', '.join(known)}")
    if (name in WITH_THRESHOLD) != bool(threshold):
        form = f"{name}@THRESHOLD" if name in WITH_THRESHOLD else name
        raise InputError(f"metric {text!r} should have the form {form}")
    try:
        at = float(threshold) if threshold else float("nan")
    except ValueError:
        raise InputError(f"metric {text!r}: threshold {threshold!r} is not a number") from None
    if threshold and not np.isfinite(at):
        raise InputError(f"metric {text!r}: threshold {threshold!r} is not a finite number")
    if name == "precision_at_recall" and not 0 < at <= 1:
        raise InputError(f"metric {text!r}: a recall is above 0 and at most 1")
    return Metric(text, name, predictor or None, at)


def true_value(text: str, reference: Items) -> float:
    """Give the true value of a metric: that of items whose true labels are known.

    Raises:
        InputError: where the truth is not known.
    """
    metric = parse_metric(text)
    if reference.truth is None:
        raise InputError(f"the true {text} needs items whose truth is known")
    predictors = metric.predictors(reference)
    mass = LabelMass.of_labels(reference.truth)
    ranked = [RankedItems.of(reference, predictor) for predictor in predictors]
    return metric.value([mass] * len(ranked), ranked)
