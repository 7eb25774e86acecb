"""Metrics of a binary predictor and of its voters (MAVEN, section 4.1).

The voters' rates pool their votes: TNR_H is the share of negative votes among the votes on negative
items. AUC counts no item against itself, and items of equal score half. Points of the ROC and the
precision-recall curve are taken inside the level, of items with one score, at which they are
reached: only the share of it that is needed counts as flagged.
"""

from functools import partial
from typing import Any

import numpy as np

from crowdgold.metrics import denominators, influence
from crowdgold.metrics.influence import ROUNDING
from crowdgold.metrics.metric import DELTA, PARAMETERS, Asked, At, Metric, Scale, Words, read_metric
from crowdgold.metrics.ranked import Curve, LabelMass, RankedItems
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items


def _ratio(part: float, whole: float) -> float:
    """Divide; NaN where nothing is there to divide by, which callers count and leave out."""
    return float(part / whole) if whole > 0 else float("nan")


def prevalence(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """Share of positive mass."""
    curve = Curve.of(mass, ranked)
    positive, negative = curve.true_positives[-1], curve.false_positives[-1]
    return _ratio(positive, positive + negative)


def human_true_positive_rate(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """TPR_H: positive votes among the votes on positive items."""
    positive, total = Curve.of(mass, ranked).votes[1]
    return _ratio(positive, total)


def human_true_negative_rate(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """TNR_H: negative votes among the votes on negative items."""
    positive, total = Curve.of(mass, ranked).votes[0]
    return _ratio(total - positive, total)


def area_under_roc(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """AUC = P(a positive is ranked above a negative) + P(their scores are equal) / 2."""
    curve = Curve.of(mass, ranked)
    return _ratio(curve.won, curve.comparisons)


def _reach(cumulative: np.ndarray, wanted: float) -> tuple[int, float]:
    """Find where a cumulative mass (L + 1,) reaches a value: level, and the share of it needed."""
    level = min(max(int(np.searchsorted(cumulative, wanted)), 1), len(cumulative) - 1)
    own = cumulative[level] - cumulative[level - 1]
    share = (wanted - cumulative[level - 1]) / own if own > 0 else 0.0
    return level, float(min(max(share, 0.0), 1.0))


def _at(cumulative: np.ndarray, level: int, share: float) -> float:
    return float(cumulative[level - 1] + share * (cumulative[level] - cumulative[level - 1]))


def delta_true_positive_rate(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """TPR_M(t*) - TPR_H, t* the first threshold where the model's FPR reaches 1 - TNR_H."""
    curve = Curve.of(mass, ranked)
    rate = 1 - human_true_negative_rate(mass, ranked, threshold)
    found, false = curve.rising
    if np.isnan(rate) or found[-1] <= 0:
        return float("nan")
    wanted = (rate - ROUNDING) * float(false[-1])
    reached = _at(found, *_reach(false, wanted)) if wanted > 0 else 0
    model = reached / float(found[-1])
    return model - human_true_positive_rate(mass, ranked, threshold)


def precision(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """The positive share of the items scored at or above a threshold."""
    curve, above = Curve.of(mass, ranked), ranked.corner(threshold)
    positive = curve.true_positives[above]
    return _ratio(positive, positive + curve.false_positives[above])


def recall(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """The share of positives scored at or above a threshold."""
    curve = Curve.of(mass, ranked)
    return _ratio(curve.true_positives[ranked.corner(threshold)], curve.true_positives[-1])


def accuracy(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """The share of items on the right side of a threshold."""
    curve, above = Curve.of(mass, ranked), ranked.corner(threshold)
    negative = curve.false_positives[-1]
    right = curve.true_positives[above] + negative - curve.false_positives[above]
    return _ratio(right, curve.true_positives[-1] + negative)


def balanced_accuracy(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """The mean of the shares of positives flagged and of negatives left, at a threshold."""
    curve, above = Curve.of(mass, ranked), ranked.corner(threshold)
    negative = curve.false_positives[-1]
    left = _ratio(negative - curve.false_positives[above], negative)
    return (recall(mass, ranked, threshold) + left) / 2


def f1(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """F1 at a threshold, 2 TP / (flagged + positives): the harmonic mean of the two rates."""
    curve, above = Curve.of(mass, ranked), ranked.corner(threshold)
    hits = float(curve.true_positives[above])
    flagged = hits + float(curve.false_positives[above])
    return _ratio(2 * hits, flagged + float(curve.true_positives[-1]))


def precision_at_recall(mass: LabelMass, ranked: RankedItems, threshold: float) -> float:
    """A point of the precision-recall curve: the precision where recall reaches a value."""
    found, false = Curve.of(mass, ranked).rising
    total = float(found[-1])
    if total <= 0:
        return float("nan")
    place = _reach(found, threshold * total * (1 - ROUNDING))
    reached = _at(found, *place)
    return _ratio(reached, reached + _at(false, *place))


def _words(symbol: str, title: str, sentence: str, **other: Any) -> Words:
    """How a metric is written; its label, axis and comparisons use the symbol if not given."""
    return Words(
        **{"label": symbol, "axis": symbol, "compared": symbol, **other},
        symbol=symbol, title=title, sentence=sentence,
    )  # fmt: skip


_rate = partial(Metric, range=(0.0, 1.0), scale=Scale.LOGIT, needs_scores=False)
_of_model = partial(Metric, scale=Scale.LOGIT, needs_scores=True)
_ranking = partial(_of_model, range=(0.0, 1.0), needs_votes=False)
_flagging = partial(_ranking, at=At.SCORE)

_ALL: tuple[Metric, ...] = (
    _rate(
        "prevalence", _words("prevalence", "Prevalence", "{value} of the items are positive.",
               axis="share of positive items"),
        prevalence, influence.prevalence, rests_on=denominators.all_labelled, needs_votes=False,
    ),
    _rate(
        "TPR_H", _words("TPR_H", "Voters on positive items (TPR_H)",
               "Of the votes on positive items, {value} are positive.", label="$TPR_H$",
               axis="share of votes on positive items that are positive"),
        human_true_positive_rate, influence.human_true_positive_rate,
        rests_on=denominators.positives, needs_votes=True,
    ),
    _rate(
        "TNR_H", _words("TNR_H", "Voters on negative items (TNR_H)",
               "Of the votes on negative items, {value} are negative.", label="$TNR_H$",
               axis="share of votes on negative items that are negative"),
        human_true_negative_rate, influence.human_true_negative_rate,
        rests_on=denominators.negatives, needs_votes=True,
    ),
    _ranking(
        "AUC", _words("AUC", "Ranking (AUC)",
               "{model} has an AUC of {value}: the chance that it ranks a positive item above a "
               "negative one.", label="$AUC$", in_per_cent=False),
        area_under_roc, influence.area_under_roc, of_pairs=True,
        rests_on=denominators.smaller_class,
    ),
    _of_model(
        "delta_TPR", _words("ΔTPR", "Against a single voter (ΔTPR)",
               "At a single voter's false positive rate, {model} finds {value} {more} of the "
               "positive items than the voter", label=r"$\Delta_{TPR}(t^*)$",
               axis="TPR minus that of a voter, at the voter's FPR",
               compared="TPR at a single voter's false positive rate"),
        delta_true_positive_rate, influence.delta_true_positive_rate, range=(-1.0, 1.0),
        rests_on=denominators.voters_errors, needs_votes=True, against_voters=True,
    ),
    _flagging(
        "accuracy", _words("accuracy", "Accuracy",
               "{model} labels {value} of the items right, flagging scores from {at}."),
        accuracy, influence.accuracy, rests_on=denominators.all_labelled,
    ),
    _flagging(
        "precision", _words("precision", "Precision",
               "Of the items that {model} flags from {at}, {value} are positive."),
        precision, influence.precision, rests_on=denominators.flagged,
    ),
    _flagging(
        "recall", _words("recall", "Recall",
               "{model} flags {value} of the positive items, from {at}."),
        recall, influence.recall, rests_on=denominators.positives,
    ),
    _flagging(
        "balanced_accuracy", _words("balanced accuracy", "Balanced accuracy",
               "{model} labels {value} of an even mix of both classes right, flagging scores from "
               "{at}."),
        balanced_accuracy, influence.balanced_accuracy, rests_on=denominators.smaller_class,
        on_request=True,
    ),
    _flagging(
        "F1", _words("F1", "F1", "{model} has an F1 of {value}, flagging scores from {at}.",
               in_per_cent=False),
        f1, influence.f1, rests_on=denominators.positives_and_flagged,
    ),
    _ranking(
        "precision_at_recall", _words("precision at recall", "Precision at a recall",
               "Where {model} finds {at} of the positive items, {value} of what it flags is "
               "positive."),
        precision_at_recall, influence.precision_at_recall,
        rests_on=denominators.positives_or_reached, at=At.RECALL,
    ),
)  # fmt: skip
METRICS = {metric.name: metric for metric in _ALL}
"""The metrics of a binary predictor and its voters, by name, in the order of tables."""

LABEL_METRICS = tuple(name for name, metric in METRICS.items() if not metric.needs_scores)
"""Metrics of labels and votes alone, whose value does not depend on scores."""
MODEL_METRICS = tuple(
    name for name, metric in METRICS.items() if metric.needs_scores and metric.at is At.NOTHING
)
THRESHOLD_METRICS = tuple(name for name, metric in METRICS.items() if metric.at is At.SCORE)
STUDY_METRICS = (*LABEL_METRICS, *MODEL_METRICS, *THRESHOLD_METRICS)
"""Those that a user's study can ask for."""


def label_of(name: str) -> str:
    """A metric as figures write it, the difference of one, or a parameter; others as they are."""
    if name in METRICS:
        return METRICS[name].words.label
    plain = METRICS.get(name.removeprefix(DELTA))
    if plain is None:
        return PARAMETERS.get(name, name)
    label = plain.words.label
    return rf"$\Delta_{{{label[1:-1]}}}$" if label.startswith("$") else rf"$\Delta$ {label}"


def parse_metric(text: str) -> Asked:
    """A metric as a configuration asks for it, such as `AUC`, `recall:A@0.5` or `delta_AUC`."""
    return read_metric(text, METRICS)


def true_value(text: str, reference: Items) -> float:
    """True value of a metric: that of items whose true labels are known."""
    metric = parse_metric(text)
    if reference.truth is None:
        raise InputError(f"the true {text} needs items whose truth is known")
    mass = LabelMass.of_labels(reference.truth)
    ranked = [RankedItems.of(reference, name) for name in metric.predictors(reference)]
    return metric.value([mass] * len(ranked), ranked)
