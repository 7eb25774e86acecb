"""Metrics of a binary predictor and of its voters (MAVEN, section 4.1).

The voters' rates pool their votes: TNR_H is the share of negative votes among the votes on negative
items. AUC counts no item against itself. Points of the ROC and the precision-recall curve are taken
inside the item at which they are reached: only the share of it that is needed counts as flagged.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crowdgold.data import NO_PREDICTOR, InputError, Items
from crowdgold.metrics.ranked import Curve, LabelMass, RankedItems

ROUNDING = 1e-12


def _ratio(part: float, whole: float) -> float:
    """Divide; NaN where nothing is there to divide by, which callers count and leave out."""
    return float(part / whole) if whole > 0 else float("nan")


def prevalence(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give the share of positive mass."""
    curve = Curve.of(mass, ranked)
    positive, negative = curve.true_positives[-1], curve.false_positives[-1]
    return _ratio(positive, positive + negative)


def human_true_positive_rate(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give TPR_H: positive votes among the votes on positive items."""
    positive, total = Curve.of(mass, ranked).votes[1]
    return _ratio(positive, total)


def human_true_negative_rate(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give TNR_H: negative votes among the votes on negative items."""
    positive, total = Curve.of(mass, ranked).votes[0]
    return _ratio(total - positive, total)


def area_under_roc(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give AUC = P(a positive is ranked above a negative)."""
    curve = Curve.of(mass, ranked)
    return _ratio(curve.won, curve.comparisons)


def _reach(cumulative: np.ndarray, wanted: float) -> tuple[int, float]:
    """Find where a cumulative mass (n + 1,) reaches a value: item, and the share of it needed."""
    item = min(max(int(np.searchsorted(cumulative, wanted)), 1), len(cumulative) - 1)
    own = cumulative[item] - cumulative[item - 1]
    share = (wanted - cumulative[item - 1]) / own if own > 0 else 0.0
    return item, float(min(max(share, 0.0), 1.0))


def _at(cumulative: np.ndarray, item: int, share: float) -> float:
    return float(cumulative[item - 1] + share * (cumulative[item] - cumulative[item - 1]))


def delta_true_positive_rate(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give TPR_M(t*) - TPR_H, t* the first threshold where the model's FPR reaches 1 - TNR_H."""
    curve = Curve.of(mass, ranked)
    rate = 1 - human_true_negative_rate(mass, ranked, threshold)
    total = float(curve.false_positives[-1])
    if np.isnan(rate) or curve.true_positives[-1] <= 0:
        return float("nan")
    wanted = (rate - ROUNDING) * total
    reached = _at(curve.true_positives, *_reach(curve.false_positives, wanted)) if wanted > 0 else 0
    model = reached / float(curve.true_positives[-1])
    return model - human_true_positive_rate(mass, ranked, threshold)


def precision(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give the positive share of the items scored at or above a threshold."""
    curve, above = Curve.of(mass, ranked), ranked.above(threshold)
    positive = curve.true_positives[above]
    return _ratio(positive, positive + curve.false_positives[above])


def recall(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give the share of positives scored at or above a threshold."""
    curve = Curve.of(mass, ranked)
    return _ratio(curve.true_positives[ranked.above(threshold)], curve.true_positives[-1])


def accuracy(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give the share of items on the right side of a threshold."""
    curve, above = Curve.of(mass, ranked), ranked.above(threshold)
    negative = curve.false_positives[-1]
    right = curve.true_positives[above] + negative - curve.false_positives[above]
    return _ratio(right, curve.true_positives[-1] + negative)


def f1(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give F1 at a threshold, 2 TP / (flagged + positives): the harmonic mean of the two rates."""
    curve, above = Curve.of(mass, ranked), ranked.above(threshold)
    hits = float(curve.true_positives[above])
    flagged = hits + float(curve.false_positives[above])
    return _ratio(2 * hits, flagged + float(curve.true_positives[-1]))


def precision_at_recall(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Give a point of the precision-recall curve: the precision where recall reaches a value."""
    curve = Curve.of(mass, ranked)
    total = float(curve.true_positives[-1])
    if total <= 0:
        return float("nan")
    item, share = _reach(curve.true_positives, threshold * total * (1 - ROUNDING))
    reached = _at(curve.true_positives, item, share)
    return _ratio(reached, reached + _at(curve.false_positives, item, share))


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
    "F1": f1,
    "precision_at_recall": precision_at_recall,
}
"""Metrics of one predictor by name."""

DIFFERENCES = {"delta_AUC": "AUC"}
"""Differences of a metric between two predictors: the first minus the second."""

PARAMETERS = ("phi", "a0", "a1", "d0", "d1", "mu", "delta")
"""Parameters of MAVEN (table 1), which a fit reports beside metrics."""

OF_VOTES = ("prevalence", "TPR_H", "TNR_H")
"""Metrics of labels and votes alone, whose value does not depend on scores."""

WITH_THRESHOLD = ("precision", "recall", "accuracy", "F1", "precision_at_recall")


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

    @property
    def limits(self) -> tuple[float, float]:
        """Give the least and the largest value that it can have."""
        difference = self.name in DIFFERENCES or self.name == "delta_TPR"
        return (-1.0, 1.0) if difference else (0.0, 1.0)

    def predictors(self, items: Items) -> list[str]:
        """Give the predictors whose labels it needs: one, or two for a difference.

        What is of labels and votes alone needs none, and `NO_PREDICTOR` stands for it.
        """
        if self.name in DIFFERENCES:
            if len(items.predictors) < 2:
                raise InputError(f"{self.text} needs two predictors; there is {items.predictors}")
            return items.predictors[:2]
        if not items.predictors and self.name in OF_VOTES and not self.predictor:
            return [NO_PREDICTOR]
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
