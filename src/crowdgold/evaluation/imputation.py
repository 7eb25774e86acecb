"""Metrics of a fit, with intervals: by multiple imputation, by resampling, or corrected by gold.

For draws of label probabilities (MAVEN, section 3.4): per draw, impute labels, compute each metric,
and take mean and quantiles over the draws. Predictors that are compared share, per draw and item,
the uniform number that decides the label. For fixed labels, or items that count by one probability
each: the percentile bootstrap over labelled items, with the same resamples for all metrics and
predictors. Predictions that gold labels correct are evaluated in `rectified` and
`power_tuned_mean`, fits of rates in `item_rates`.
"""

from collections.abc import Sequence

import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.estimators import (
    NO_LABEL,
    ConfusionPosterior,
    Fit,
    FixedLabels,
    JudgedRate,
    LabelPosterior,
    LabelPrediction,
    LevelPosterior,
    MeanPrediction,
    ProbableLabels,
)
from crowdgold.evaluation.estimate import Estimate, metric_values
from crowdgold.evaluation.item_rates import estimate_rates
from crowdgold.evaluation.power_tuned_mean import estimate_means
from crowdgold.evaluation.rectified import rectify
from crowdgold.metrics import LabelMass, Metric, RankedItems, parse_metric

LEVEL = 0.95
RESAMPLES = 1000


def _impute(
    posterior: LabelPosterior,
    metrics: Sequence[Metric],
    items: Items,
    ranked: dict[str, RankedItems],
    rng: np.random.Generator,
) -> np.ndarray:
    """Give each metric of each imputed data set: (draws, metrics)."""
    label_rng, probability_rng = rng.spawn(2)
    values = np.empty((posterior.draws, len(metrics)))
    for draw in range(posterior.draws):
        uniform = label_rng.random(len(items))
        masses = {}
        for predictor in ranked:
            probability = posterior.probability(draw, predictor, probability_rng)
            positive = (uniform < probability).astype(float)
            masses[predictor] = LabelMass(positive, 1 - positive)
        values[draw] = metric_values(metrics, items, masses, ranked)
    return values


def _resample(
    full: LabelMass,
    metrics: Sequence[Metric],
    items: Items,
    ranked: dict[str, RankedItems],
    rng: np.random.Generator,
    resamples: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Give the metrics of a label mass, and of each resample of its items."""
    size = len(full.positive)
    point = metric_values(metrics, items, dict.fromkeys(ranked, full), ranked)
    values = np.empty((resamples, len(metrics)))
    for resample in range(resamples):
        weights = np.bincount(rng.integers(0, size, size), minlength=size).astype(float)
        mass = LabelMass(full.positive * weights, full.negative * weights)
        values[resample] = metric_values(metrics, items, dict.fromkeys(ranked, mass), ranked)
    return np.array(point), values


def _mass(labels: FixedLabels | LevelPosterior) -> LabelMass:
    """Give what each item counts: its label, or its probabilities where it has some."""
    if isinstance(labels, ProbableLabels):
        return LabelMass(labels.probability[:, 1], labels.probability[:, 0])
    if isinstance(labels, LevelPosterior):
        return LabelMass(labels.shares[:, 1], labels.shares[:, 0])
    return LabelMass.of_labels(labels.labels)


def _of_labels(
    fit: Fit,
    metrics: Sequence[Metric],
    items: Items,
    rng: np.random.Generator,
    level: float,
    resamples: int,
) -> list[Estimate]:
    """Estimate metrics that are functions of labels, in order."""
    labels = fit.labels
    if isinstance(labels, ConfusionPosterior | JudgedRate):
        return estimate_rates(fit, items, metrics, rng, level)
    if isinstance(labels, LabelPrediction):
        return rectify(labels, items, metrics, rng, level)
    if isinstance(labels, MeanPrediction):
        return estimate_means(labels, items, metrics, level)
    mass = None if isinstance(labels, LabelPosterior) else _mass(labels)
    if mass is not None:  # items without a label play no part
        there = np.flatnonzero(mass.positive + mass.negative)
        items, mass = items.take(there), LabelMass(mass.positive[there], mass.negative[there])
    needed = sorted({name for metric in metrics for name in metric.predictors(items)})
    ranked = {predictor: RankedItems.of(items, predictor) for predictor in needed}
    centres: list[float | None] = [None] * len(metrics)
    if mass is not None:
        point, values = _resample(mass, metrics, items, ranked, rng, resamples)
        centres = [float(value) for value in point]
    else:
        assert isinstance(labels, LabelPosterior)
        values = _impute(labels, metrics, items, ranked, rng)
    return [
        Estimate.of_draws(metric.text, column, level, centre)
        for metric, column, centre in zip(metrics, values.T, centres, strict=True)
    ]


def _parameter(metric: Metric, fit: Fit, items: Items, level: float) -> Estimate:
    known = fit.labels.parameters if isinstance(fit.labels, LabelPosterior) else {}
    draws = known.get(metric.name)
    if draws is None:
        draws = known.get(f"{metric.name}:{metric.predictors(items)[0]}")
    if draws is None:
        return Estimate.unavailable(metric.text)
    # The median: mu has no mean under its prior.
    return Estimate.of_draws(metric.text, draws, level, float(np.median(draws)))


def evaluate(
    fit: Fit,
    items: Items,
    metrics: Sequence[str],
    rng: np.random.Generator,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> list[Estimate]:
    """Estimate metrics from a fit.

    Args:
        fit: what a method gave for these items.
        items: the table.
        metrics: names (see `parse_metric`); parameters give their posterior median.
        rng: source of imputed labels or resamples.
        level: of the intervals.
        resamples: bootstrap resamples, for methods without draws.

    Returns:
        one estimate a metric, in order; a parameter that the method lacks is NaN.

    Raises:
        InputError: where a metric is not known or needs a predictor that is not there.
    """
    parsed = [parse_metric(text) for text in metrics]
    of_labels = [metric for metric in parsed if not metric.is_parameter]
    found = _of_labels(fit, of_labels, items, rng, level, resamples) if of_labels else []
    estimates = {estimate.metric: estimate for estimate in found}
    for metric in parsed:
        if metric.is_parameter:
            estimates[metric.text] = _parameter(metric, fit, items, level)
    return [estimates[metric.text] for metric in parsed]


def label_probabilities(
    fit: Fit, items: Items, predictor: str, rng: np.random.Generator
) -> np.ndarray:
    """Give the posterior mean of P(Y_i = 1) of each item: (n,); NaN where a method has no label."""
    if isinstance(fit.labels, LabelPrediction | MeanPrediction):
        return np.array(fit.labels.probability[predictor], dtype=float)
    if isinstance(fit.labels, FixedLabels):
        return np.where(fit.labels.labels == NO_LABEL, np.nan, fit.labels.labels.astype(float))
    if isinstance(fit.labels, ConfusionPosterior | LevelPosterior):
        return fit.labels.probability[:, 1]
    if isinstance(fit.labels, JudgedRate):
        raise InputError(f"{fit.method} estimates a rate, and no label of an item")
    total = np.zeros(len(items))
    for draw in range(fit.labels.draws):
        total += fit.labels.probability(draw, predictor, rng)
    return total / fit.labels.draws
