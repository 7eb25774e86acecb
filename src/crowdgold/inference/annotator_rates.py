"""Rates of annotators: from draws of confusion matrices, or by resampling items.

For draws of confusion matrices (CLARA): a rate of several annotators is the mean of theirs over the
labels; estimates are means over the draws. For labels taken for the truth (MV): the share of right
labels among those on items of a category, with the percentile bootstrap over items; where the items
have probabilities (Snorkel) the prevalence is their mean. Items enter a rate only through how many
of its labels of each kind they have, so that a resample is a draw of the numbers of items of each
such kind, which is multinomial.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from crowdgold.inference.estimate import Estimate
from crowdgold.metrics.reviewers import (
    PREVALENCE,
    SWAPPED,
    ReviewerMetric,
    annotators_of,
    rate_of,
    rate_of_counts,
    value_of_label,
)
from crowdgold.models.majority import NO_LABEL
from crowdgold.types.annotations import Annotations

if TYPE_CHECKING:
    from crowdgold.inference.annotated_labels import ConfusionPosterior

NO_LABELS = "no labels count for it"


def _mean_rates(
    posterior: "ConfusionPosterior", value: np.ndarray, category: int, values: int
) -> np.ndarray:
    """Draws of the chance of the right label on items of a category: (E, values).

    Args:
        value: (L,) the value that each label counts for, -1 for none.
        category: of the items.
        values: how many values there are; one without labels is NaN.
    """
    matrices = posterior.confusion.shape[1]
    counted = value >= 0
    pair, labels = np.unique(
        value[counted] * matrices + posterior.matrix_of[counted], return_counts=True
    )
    whose, matrix = np.divmod(pair, matrices)
    rates = np.full((len(posterior.confusion), values), np.nan)
    if len(pair):
        present, start = np.unique(whose, return_index=True)
        weighed = posterior.confusion[:, matrix, category, category] * labels
        total = np.add.reduceat(labels, start)
        rates[:, present] = np.add.reduceat(weighed, start, axis=1) / total
    return rates


def _rates_of_posterior(
    posterior: "ConfusionPosterior", annotations: Annotations, metric: ReviewerMetric, level: float
) -> Iterator[Estimate]:
    whose, value = annotators_of(metric, annotations), value_of_label(metric, annotations)
    tnr, tpr = (_mean_rates(posterior, value, category, len(whose)) for category in (0, 1))
    for position, annotator in enumerate(whose):
        draws = rate_of(metric.name, posterior.rates_with[:, 1], tpr[:, position], tnr[:, position])
        found = Estimate.of_draws(metric.text, draws, level)
        note = posterior.warning if found.undefined < 1 else NO_LABELS
        yield replace(found, annotator=annotator, note=note)


def of_posterior(
    posterior: "ConfusionPosterior", annotations: Annotations, metric: ReviewerMetric, level: float
) -> list[Estimate]:
    """A metric from draws of confusion matrices: one estimate, or one for each annotator."""
    if metric.name == SWAPPED:
        share = posterior.swapped
        return [Estimate(metric.text, share, np.nan, np.nan, note=posterior.warning)]
    if metric.name == PREVALENCE:
        found = Estimate.of_draws(metric.text, posterior.prevalence[:, 1], level)
        return [replace(found, note=posterior.warning)]
    return list(_rates_of_posterior(posterior, annotations, metric, level))


def _bootstrap_prevalence(
    labels: np.ndarray, metric: str, rng: np.random.Generator, level: float, resamples: int
) -> Estimate:
    """Estimate the share of positives among the items with a label."""
    known = labels[labels != NO_LABEL]
    if len(known) == 0:
        return Estimate.unavailable(metric, NO_LABELS)
    share = float((known == 1).mean())
    # A resample of n items has a binomial number of positives.
    draws = rng.binomial(len(known), share, resamples) / len(known)
    return Estimate.of_draws(metric, draws, level, share)


def bootstrap_mean(
    probability: np.ndarray, metric: str, rng: np.random.Generator, level: float, resamples: int
) -> Estimate:
    """Estimate the mean probability (I,) of the items."""
    # Items with equal labels have equal probabilities, so that few values make a resample.
    values, times = np.unique(probability, return_counts=True)
    drawn = rng.multinomial(len(probability), times / len(probability), resamples)
    draws = drawn @ values / len(probability)
    return Estimate.of_draws(metric, draws, level, float(probability.mean()))


def _bootstrap_rate(
    metric: ReviewerMetric,
    item: np.ndarray,
    cell: np.ndarray,
    items: int,
    rng: np.random.Generator,
    level: float,
    resamples: int,
) -> Estimate:
    """Estimate a rate of labels against labels taken for the truth.

    Args:
        metric: the rate.
        item: (l,) items of its labels, ascending.
        cell: (l,) 2 y + r, of the item's category y and the label r.
        items: how many are resampled.
        rng, level, resamples: of the bootstrap.
    """
    _, row = np.unique(item, return_inverse=True)
    counts = np.bincount(4 * row + cell, minlength=4 * (int(row[-1]) + 1)).reshape(-1, 4)
    kinds, times = np.unique(counts, axis=0, return_counts=True)
    chance = np.append(times, items - len(counts)) / items
    drawn = rng.multinomial(items, chance, resamples)[:, :-1] @ kinds
    centre = rate_of_counts(metric.name, counts.sum(axis=0).reshape(2, 2))
    values = rate_of_counts(metric.name, drawn.reshape(-1, 2, 2))
    return Estimate.of_draws(metric.text, values, level, float(centre))


def _rates_of_labels(
    labels: np.ndarray,
    annotations: Annotations,
    metric: ReviewerMetric,
    rng: np.random.Generator,
    level: float,
    resamples: int,
) -> Iterator[Estimate]:
    truth = labels[annotations.item_of]
    value = np.where(truth == NO_LABEL, -1, value_of_label(metric, annotations))
    order = np.argsort(value, kind="stable")
    whose = annotators_of(metric, annotations)
    start = np.searchsorted(value[order], np.arange(len(whose) + 1))
    cell = 2 * truth + annotations.label
    items = int((labels != NO_LABEL).sum())
    for position, annotator in enumerate(whose):
        own = order[start[position] : start[position + 1]]
        if len(own) == 0:
            found = Estimate.unavailable(metric.text, NO_LABELS)
        else:
            item = annotations.item_of[own]
            found = _bootstrap_rate(metric, item, cell[own], items, rng, level, resamples)
        yield replace(found, annotator=annotator)


def of_labels(
    labels: np.ndarray,
    annotations: Annotations,
    metric: ReviewerMetric,
    rng: np.random.Generator,
    level: float,
    resamples: int,
) -> list[Estimate]:
    """A metric from labels taken for the truth: one estimate, or one for each annotator."""
    if metric.name == SWAPPED:
        return [Estimate.unavailable(metric.text, "it has no posterior")]
    if metric.name == PREVALENCE:
        return [_bootstrap_prevalence(labels, metric.text, rng, level, resamples)]
    return list(_rates_of_labels(labels, annotations, metric, rng, level, resamples))
