"""Rates of annotators: from draws of confusion matrices, or by resampling items.

For draws of confusion matrices (CLARA): a rate of several annotators is the mean of theirs over the
labels; estimates are means over the draws. For labels taken for the truth (MV): the share of right
labels among those on items of a category, with the percentile bootstrap over items; where the items
have probabilities (Snorkel) the prevalence is their mean. Items enter a rate only through how many
of its labels of each kind they have, so that a resample is a draw of the numbers of items of each
such kind, which is multinomial.
"""

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
from crowdgold.types.notes import said

if TYPE_CHECKING:
    from crowdgold.inference.annotated_labels import ConfusionPosterior

NO_LABELS = "no labels count for it"


def _mean_rates(
    posterior: "ConfusionPosterior", value: np.ndarray, category: int, values: int
) -> np.ndarray:
    """Draws of the chance of a right label on items of a category, (E, values); NaN of none."""
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


def of_posterior(
    posterior: "ConfusionPosterior", annotations: Annotations, metric: ReviewerMetric, level: float
) -> list[Estimate]:
    """A metric from draws of confusion matrices: one estimate, or one for each annotator."""
    warning = posterior.warning
    if metric.name == SWAPPED:
        return [Estimate(metric.text, posterior.swapped, np.nan, np.nan, notes=said(warning))]
    if metric.name == PREVALENCE:
        found = Estimate.of_draws(metric.text, posterior.prevalence[:, 1], level)
        return [replace(found, notes=said(warning))]
    whose, value = annotators_of(metric, annotations), value_of_label(metric, annotations)
    tnr, tpr = (_mean_rates(posterior, value, category, len(whose)) for category in (0, 1))
    estimates = []
    for place, annotator in enumerate(whose):
        draws = rate_of(metric.name, posterior.rates_with[:, 1], tpr[:, place], tnr[:, place])
        found = Estimate.of_draws(metric.text, draws, level)
        note = warning if found.undefined < 1 else NO_LABELS
        estimates.append(replace(found, annotator=annotator, notes=said(note)))
    return estimates


def bootstrap_mean(
    probability: np.ndarray, metric: str, rng: np.random.Generator, level: float, resamples: int
) -> Estimate:
    """Estimate the mean probability (I,) of the items."""
    # Items with equal labels have equal probabilities, so that few values make a resample.
    values, times = np.unique(probability, return_counts=True)
    drawn = rng.multinomial(len(probability), times / len(probability), resamples)
    draws = drawn @ values / len(probability)
    return Estimate.of_draws(metric, draws, level, float(probability.mean()))


def of_labels(
    labels: np.ndarray, annotations: Annotations, metric: ReviewerMetric,
    rng: np.random.Generator, level: float, resamples: int,
) -> list[Estimate]:  # fmt: skip
    """A metric from labels taken for the truth: one estimate, or one for each annotator."""
    if metric.name == SWAPPED:
        return [Estimate.unavailable(metric.text, "it has no posterior")]
    known = labels[labels != NO_LABEL]
    items = len(known)
    if metric.name == PREVALENCE:
        if items == 0:
            return [Estimate.unavailable(metric.text, NO_LABELS)]
        share = float((known == 1).mean())
        # A resample of n items has a binomial number of positives.
        draws = rng.binomial(items, share, resamples) / items
        return [Estimate.of_draws(metric.text, draws, level, share)]
    truth = labels[annotations.item_of]
    value = np.where(truth == NO_LABEL, -1, value_of_label(metric, annotations))
    order = np.argsort(value, kind="stable")
    whose = annotators_of(metric, annotations)
    start = np.searchsorted(value[order], np.arange(len(whose) + 1))
    cell = 2 * truth + annotations.label
    estimates = []
    for place, annotator in enumerate(whose):
        own = order[start[place] : start[place + 1]]
        if len(own) == 0:
            found = Estimate.unavailable(metric.text, NO_LABELS)
        else:
            _, row = np.unique(annotations.item_of[own], return_inverse=True)
            counts = np.bincount(4 * row + cell[own], minlength=4 * (int(row[-1]) + 1))
            counts = counts.reshape(-1, 4)
            kinds, times = np.unique(counts, axis=0, return_counts=True)
            chance = np.append(times, items - len(counts)) / items
            drawn = rng.multinomial(items, chance, resamples)[:, :-1] @ kinds
            centre = rate_of_counts(metric.name, counts.sum(axis=0).reshape(2, 2))
            values = rate_of_counts(metric.name, drawn.reshape(-1, 2, 2))
            found = Estimate.of_draws(metric.text, values, level, float(centre))
        estimates.append(replace(found, annotator=annotator))
    return estimates
