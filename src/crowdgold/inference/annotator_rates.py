"""Rates of annotators: from draws of confusion matrices, by resampling items, or from gold labels.

For draws of confusion matrices (CLARA): a rate of several annotators is the mean of theirs over the
labels; estimates are means over the draws. For labels taken for the truth (MV): the share of right
labels among those on items of a category, with the percentile bootstrap over items; where the items
have probabilities (Snorkel) the prevalence is their mean. Items enter a rate only through how many
of its labels of each kind they have, so that a resample is a draw of the numbers of items of each
such kind, which is multinomial.

From gold labels (`of_gold`) an annotator's TPR and TNR are TPR_H and TNR_H of the items that the
annotator labelled, with the annotator's labels as their only votes. How gold was drawn, clusters,
weights and exact bounds count as for any metric. Rates are of such items as each annotator gets.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from crowdgold.inference.design import drawn_from
from crowdgold.inference.estimate import Estimate, Questions, View
from crowdgold.inference.rectified import of_labels as from_labels
from crowdgold.metrics.binary import parse_metric
from crowdgold.metrics.reviewers import (
    EACH,
    PREVALENCE,
    RATES,
    SWAPPED,
    ReviewerMetric,
    annotators_of,
    rate_of,
    rate_of_counts,
    value_of_label,
)
from crowdgold.models.majority import NO_LABEL
from crowdgold.types.annotations import Annotations
from crowdgold.types.items import NO_GOLD
from crowdgold.types.notes import Note

if TYPE_CHECKING:
    from crowdgold.inference.labels import ConfusionPosterior

NO_LABELS = Note("no_labels_for_it")


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
    warning = (posterior.warning,) if posterior.warning else ()
    if metric.name == SWAPPED:
        return [Estimate(metric.text, posterior.swapped, np.nan, np.nan, notes=warning)]
    if metric.name == PREVALENCE:
        found = Estimate.of_draws(metric.text, posterior.prevalence[:, 1], level)
        return [replace(found, notes=warning)]
    whose, value = annotators_of(metric, annotations), value_of_label(metric, annotations)
    tnr, tpr = (_mean_rates(posterior, value, category, len(whose)) for category in (0, 1))
    estimates = []
    for place, annotator in enumerate(whose):
        draws = rate_of(metric.name, posterior.rates_with[:, 1], tpr[:, place], tnr[:, place])
        found = Estimate.of_draws(metric.text, draws, level)
        notes = warning if found.undefined < 1 else (NO_LABELS,)
        estimates.append(replace(found, annotator=annotator, notes=notes))
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
        return [Estimate.unavailable(metric.text, Note("no_posterior"))]
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


def positions_of(annotations: Annotations, item: np.ndarray) -> np.ndarray:
    """The position of each label's item, (L,), among others by name, (n,); -1 where it is not."""
    place = pd.Index(item.astype(str)).get_indexer(annotations.item.astype(str))
    return np.asarray(place[annotations.item_of])


def of_gold(view: View, annotations: Annotations, target: str, level: float) -> list[Estimate]:
    """Each annotator's TPR and TNR, from the gold labels of a view's items that they labelled."""
    size, row = len(view), positions_of(annotations, view.items.item)
    known = row >= 0
    pair, of_pair = np.unique(
        annotations.annotator_of[known] * size + row[known], return_inverse=True
    )
    total = np.bincount(of_pair, minlength=len(pair))
    positive = np.bincount(of_pair, annotations.label[known] == 1, len(pair)).astype(np.int64)
    whose, rows = np.divmod(pair, size)
    start = np.searchsorted(whose, np.arange(len(annotations.annotator) + 1))
    bare = replace(
        view, items=replace(view.items, scores={}, labels=None, truth=None, oracle=None,
                            opinions=None),
    )  # fmt: skip
    questions, texts = Questions((parse_metric("TPR_H"), parse_metric("TNR_H"))), RATES[:2]
    named = questions.named.select([0, 1], [f"{name}:{EACH}" for name in texts])
    estimates: list[Estimate] = []
    for place, annotator in enumerate(map(str, annotations.annotator)):
        part = slice(start[place], start[place + 1])
        own = bare.take(rows[part])
        items = replace(own.items, votes_total=total[part], votes_positive=positive[part])
        weights = None if own.weights is None else own.weights / own.weights.mean()
        own, gold = View(items, own.predictor, weights), np.flatnonzero(items.gold != NO_GOLD)
        if len(gold) == 0:
            found = [
                Estimate.unavailable(text, Note("no_gold_of_annotator")) for text in named.texts
            ]
        else:
            labelled, design = drawn_from(own, gold)
            sample = from_labels(
                items.gold[gold], labelled, questions, target, design, among=own, level=level
            )
            found = sample.estimates(named, level)
        for one, label in zip(found, (1, 0), strict=True):
            number = int((items.gold == label).sum())
            estimates.append(replace(one, annotator=annotator, gold=number))
    return estimates
