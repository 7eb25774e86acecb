"""Metrics of a binary predictor and of its voters (MAVEN, section 4.1).

The voters' rates pool their votes: TNR_H is the share of negative votes among the votes on negative
items. AUC counts no item against itself, and items of equal score half. Points of the ROC and the
precision-recall curve are taken inside the level, of items with one score, at which they are
reached: only the share of it that is needed counts as flagged.

Both curves are also taken at many points at once. A point is what the metric of one point gives:
precision where recall reaches a value, and recall at the first place of the ranking where the false
positive rate reaches one.
"""

from functools import partial
from typing import Any

import numpy as np

from crowdgold.metrics import influence
from crowdgold.metrics.influence import (
    ROUNDING,
    all_labelled,
    flagged,
    highest,
    negatives,
    positives,
    positives_and_flagged,
    positives_or_reached,
    reached,
    smaller_class,
    voters_errors,
)
from crowdgold.metrics.metric import (
    DELTA,
    PARAMETERS,
    Asked,
    At,
    Curve,
    LabelMass,
    Metric,
    RankedItems,
    Scale,
    Words,
    read_metric,
)
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
        prevalence, influence.prevalence, rests_on=all_labelled, needs_votes=False,
    ),
    _rate(
        "TPR_H", _words("TPR_H", "Voters on positive items (TPR_H)",
               "Of the votes on positive items, {value} are positive.", label="$TPR_H$",
               axis="share of votes on positive items that are positive"),
        human_true_positive_rate, influence.human_true_positive_rate,
        rests_on=positives, needs_votes=True,
    ),
    _rate(
        "TNR_H", _words("TNR_H", "Voters on negative items (TNR_H)",
               "Of the votes on negative items, {value} are negative.", label="$TNR_H$",
               axis="share of votes on negative items that are negative"),
        human_true_negative_rate, influence.human_true_negative_rate,
        rests_on=negatives, needs_votes=True,
    ),
    _ranking(
        "AUC", _words("AUC", "Ranking (AUC)",
               "{model} has an AUC of {value}: the chance that it ranks a positive item above a "
               "negative one.", label="$AUC$", in_per_cent=False),
        area_under_roc, influence.area_under_roc, of_pairs=True,
        rests_on=smaller_class,
    ),
    _of_model(
        "delta_TPR", _words("ΔTPR", "Against a single voter (ΔTPR)",
               "At a single voter's false positive rate, {model} finds {value} {more} of the "
               "positive items than the voter", label=r"$\Delta_{TPR}(t^*)$",
               axis="TPR minus that of a voter, at the voter's FPR",
               compared="TPR at a single voter's false positive rate"),
        delta_true_positive_rate, influence.delta_true_positive_rate, range=(-1.0, 1.0),
        rests_on=voters_errors, needs_votes=True, against_voters=True,
    ),
    _flagging(
        "accuracy", _words("accuracy", "Accuracy",
               "{model} labels {value} of the items right, flagging scores from {at}."),
        accuracy, influence.accuracy, rests_on=all_labelled,
    ),
    _flagging(
        "precision", _words("precision", "Precision",
               "Of the items that {model} flags from {at}, {value} are positive."),
        precision, influence.precision, rests_on=flagged,
    ),
    _flagging(
        "recall", _words("recall", "Recall",
               "{model} flags {value} of the positive items, from {at}."),
        recall, influence.recall, rests_on=positives,
    ),
    _flagging(
        "balanced_accuracy", _words("balanced accuracy", "Balanced accuracy",
               "{model} labels {value} of an even mix of both classes right, flagging scores from "
               "{at}."),
        balanced_accuracy, influence.balanced_accuracy, rests_on=smaller_class,
        on_request=True,
    ),
    _flagging(
        "F1", _words("F1", "F1", "{model} has an F1 of {value}, flagging scores from {at}.",
               in_per_cent=False),
        f1, influence.f1, rests_on=positives_and_flagged,
    ),
    _ranking(
        "precision_at_recall", _words("precision at recall", "Precision at a recall",
               "Where {model} finds {at} of the positive items, {value} of what it flags is "
               "positive."),
        precision_at_recall, influence.precision_at_recall,
        rests_on=positives_or_reached, at=At.RECALL,
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


PR, ROC = "PR", "ROC"
RECALLS = np.arange(1, 101) / 100
"""Where the precision-recall curve is taken; at recall 0 it has no value."""
FALSE_POSITIVE_RATES = np.arange(101) / 100
GRIDS = {PR: RECALLS, ROC: FALSE_POSITIVE_RATES}
POINTS = len(RECALLS) + len(FALSE_POSITIVE_RATES)


def _reached(
    cumulative: np.ndarray, wanted: np.ndarray, *others: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Other cumulative masses (L + 1,) where one reaches wanted values (P,): (P,) each. The level
    at which a value is reached counts by the share of it that is needed.
    """
    level = np.clip(np.searchsorted(cumulative, wanted), 1, len(cumulative) - 1)
    before = cumulative[level - 1]
    own = cumulative[level] - before
    share = np.divide(wanted - before, own, out=np.zeros(len(wanted)), where=own > 0)
    share = np.clip(share, 0.0, 1.0)
    return tuple(one[level - 1] + share * (one[level] - one[level - 1]) for one in others)


def precision_at_recalls(mass: LabelMass, ranked: RankedItems, recalls: np.ndarray) -> np.ndarray:
    """The precision where recall reaches values (P,) above 0: (P,); NaN without positives."""
    found, false = Curve.of(mass, ranked).rising
    total = float(found[-1])
    if total <= 0:
        return np.full(len(recalls), np.nan)
    wanted = recalls * total * (1 - ROUNDING)
    hits, alarms = _reached(found, wanted, found, false)
    flagged = hits + alarms
    return np.divide(hits, flagged, out=np.full(len(recalls), np.nan), where=flagged > 0)


def recall_at_false_positive_rates(
    mass: LabelMass, ranked: RankedItems, rates: np.ndarray
) -> np.ndarray:
    """The recall (TPR) where the false positive rate reaches values (P,): (P,), 0 at a rate of 0;
    NaN without positives or negatives.
    """
    found, false = Curve.of(mass, ranked).rising
    positive, negative = float(found[-1]), float(false[-1])
    if positive <= 0 or negative <= 0:
        return np.full(len(rates), np.nan)
    wanted = (rates - ROUNDING) * negative
    (hits,) = _reached(false, np.maximum(wanted, 0.0), found)
    return np.where(wanted > 0, hits, 0.0) / positive


def curve_points(mass: LabelMass, ranked: RankedItems) -> np.ndarray:
    """Both curves at their `GRIDS`, one after the other."""
    precision = precision_at_recalls(mass, ranked, RECALLS)
    recall = recall_at_false_positive_rates(mass, ranked, FALSE_POSITIVE_RATES)
    return np.concatenate([precision, recall])


def curve_influence(mass: LabelMass, ranked: RankedItems) -> np.ndarray:
    """What each item contributes to the points of `curve_points`, (n, P)."""
    precision = influence.precision_at_recalls(mass, ranked, RECALLS)
    recall = influence.recall_at_false_positives(mass, ranked, FALSE_POSITIVE_RATES)
    return np.concatenate([precision, recall], axis=1)


def _nearest_rise(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Isotonic regression (P,): of each point the highest of the lowest means over stretches that
    begin at the point or before, and end at it or after.
    """
    sums, weights = (np.concatenate([[0.0], np.cumsum(one)]) for one in (weight * values, weight))
    inside = np.triu(np.ones((len(values), len(values)), dtype=bool))
    mean = np.full(inside.shape, np.inf)
    np.divide(sums[1:] - sums[:-1, None], weights[1:] - weights[:-1, None], out=mean, where=inside)
    lowest = np.minimum.accumulate(mean[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.where(inside, lowest, -np.inf).max(axis=0))


def never_falling(estimate: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Points of a curve that cannot fall and the ends of their intervals, (3, P); NaN where there
    are none.

    Estimates are those nearest to the given ones, by squares over the intervals' squared widths,
    that do not fall (isotonic regression). What bounds a point from below bounds all that follow,
    and from above all that precede: where the true curve is inside all the intervals it is inside
    the new ones too. Each holds its estimate. Points without a value or an interval stay so.
    """
    found = np.array([estimate, lower, upper], dtype=float)
    there, bound = np.isfinite(found[0]), np.isfinite(found).all(axis=0)
    width = np.where(bound, found[2] - found[1], np.inf)
    # A point of width 0, as at either end, is as sure as the surest other; one without any, less.
    least = np.min(width[bound & (width > 0)], initial=1.0)
    weight = np.maximum(np.where(bound, width, 1.0), least / 10)[there] ** -2.0
    if (np.diff(found[0, there]) < 0).any():
        found[0, there] = _nearest_rise(found[0, there], weight)
    low, high = np.maximum.accumulate(found[1, bound]), found[2, bound][::-1]
    high = np.minimum.accumulate(high)[::-1]
    found[1, bound] = np.minimum(low, found[0, bound])
    found[2, bound] = np.maximum(high, found[0, bound])
    return found


def curve_support(
    labels: np.ndarray, ranked: RankedItems, weights: np.ndarray | None = None
) -> np.ndarray:
    """Labelled items in the smallest denominator of each point of `curve_points`, (P,), by labels
    (n,) 0 or 1 of every item, which count by weights (n,) where these differ.
    """
    counts = np.ones(len(labels)) if weights is None else weights[ranked.order]
    all_of, at = np.cumsum(counts), reached(labels, ranked, RECALLS, weights)
    enough = all_of[at - 1] ** 2 / np.cumsum(counts**2)[at - 1]
    if ranked.cluster is not None:
        enough = [highest(labels, ranked, one, weights) for one in at]
    smaller = smaller_class(labels, ranked, np.nan, weights)
    found = np.minimum(positives(labels, ranked, np.nan, weights), enough)
    of_curves = found, np.full(len(FALSE_POSITIVE_RATES), smaller)
    return np.concatenate(of_curves).astype(int if weights is None else float)
