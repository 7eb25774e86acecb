"""The values of a model on imputed, resampled, or predicted and corrected labels.

Random streams that comparisons share, of labels and of resamples, are those of the stratum; what a
method draws beside them is its own.
"""

from dataclasses import dataclass

import numba
import numpy as np

from crowdgold.data import NO_GOLD, Items
from crowdgold.estimators import NO_LABEL, LabelPosterior
from crowdgold.evaluation.own_study.questions import NO_MODEL, Questions
from crowdgold.evaluation.own_study.samples import Corrected, Draws
from crowdgold.evaluation.rectified import RESAMPLES as RECTIFIED_RESAMPLES
from crowdgold.metrics import LabelMass, RankedItems


@dataclass(frozen=True)
class Ranked:
    """Items as a model ranks them.

    Attributes:
        items: of the study, or of a stratum.
        model: one of their predictors, or `NO_MODEL`.
        weights: (n,) what each item counts; None where all count the same.
    """

    items: Items
    model: str
    weights: np.ndarray | None = None

    def ranking(self) -> RankedItems:
        """Rank the items; without a model they stay as they stand."""
        if self.model != NO_MODEL:
            return RankedItems.of(self.items, self.model)
        size = len(self.items)
        votes = self.items.votes_positive.astype(float), self.items.votes_total.astype(float)
        return RankedItems(np.arange(size), *votes, np.zeros(size))

    def take(self, rows: np.ndarray) -> "Ranked":
        """Give the items at some positions."""
        weights = None if self.weights is None else self.weights[rows]
        return Ranked(self.items.take(rows), self.model, weights)

    def mass(self, share: np.ndarray, times: np.ndarray | None = None) -> LabelMass:
        """Split the weight of each item by its share (n,) of a positive.

        Args:
            share: labels, or probabilities.
            times: (n,) how often a resample holds each item.
        """
        positive, negative = share, 1 - share
        for weights in (self.weights, times):
            if weights is not None:
                positive, negative = positive * weights, negative * weights
        return LabelMass(positive, negative)


@numba.njit(cache=True)
def _counts(picked: np.ndarray, size: int) -> np.ndarray:
    counts = np.zeros(size, dtype=np.uint8)  # small, for the cache; none comes near to 255
    for item in picked:
        counts[item] += 1
    return counts


def draw_times(size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw how often each item (n,) is in a resample of all, with replacement."""
    return _counts(rng.integers(0, size, size, dtype=np.uint32), size)


def _known_mean(values: np.ndarray) -> np.ndarray:
    """Give the mean of the values (D, P) that are known: (P,); NaN where there are none."""
    known = np.isfinite(values)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.divide(total, known.sum(axis=0), out=np.full(len(total), np.nan),
                     where=known.any(axis=0))  # fmt: skip


def impute(
    posterior: LabelPosterior,
    questions: Questions,
    ranked: Ranked,
    label_rng: np.random.Generator,
    probability_rng: np.random.Generator,
    times_rng: np.random.Generator | None = None,
) -> tuple[Draws, np.ndarray]:
    """Impute labels under each draw, and compute all values of each imputed data set.

    Of the population, each imputed data set is resampled, items with their labels: with W such
    weights and Y labels, var M(W, Y) = E var(M | Y) + var E(M | Y), the sampling variance of a
    fully labelled table, and what is not known of its labels (Rubin, 1987, within and between
    imputations). Estimates are the mean of the values before that, the same for both targets.

    Args:
        posterior: the draws.
        questions: what is computed.
        ranked: the items.
        label_rng: source of the uniform that decides each label: the same for all models.
        probability_rng: source of what the posterior draws beside its parameters.
        times_rng: source of the resamples of the items: the same for all methods and models; None
            where values are of the items at hand.

    Returns:
        the values, and the mean of P(Y_i = 1) over the draws (n,).
    """
    order, size = ranked.ranking().order, len(ranked.items)
    # In the order of the ranking, so that each pass over the items reads memory in sequence.
    in_order = ranked.take(order)
    ranking = in_order.ranking()
    values, resampled, total = [], [], np.zeros(size)
    for draw in range(posterior.draws):
        probability = posterior.probability(draw, ranked.model, probability_rng)
        total += probability
        # Put in order as bytes, which is several times quicker than as floats.
        share = (label_rng.random(size) < probability)[order].astype(float)
        values.append(questions.values(in_order.mass(share), ranking))
        if times_rng is not None:
            times = draw_times(size, times_rng)[order].astype(float)
            resampled.append(questions.values(in_order.mass(share, times), ranking))
    found = np.array(values)
    drawn = Draws(np.array(resampled), _known_mean(found)) if resampled else Draws(found)
    return drawn, total / posterior.draws


def resample(
    labels: np.ndarray,
    questions: Questions,
    ranked: Ranked,
    rng: np.random.Generator,
    resamples: int,
    gold_only: bool = False,
) -> Draws:
    """Bootstrap the items that have a label.

    Args:
        labels: (n,) 0 or 1, or `NO_LABEL`.
        questions: what is computed.
        ranked: the items.
        rng: source of the resamples: the same for all models.
        resamples: their number.
        gold_only: whether every label is an expert's, so that where few of them are in a
            denominator there is no interval.
    """
    rows = np.flatnonzero(labels != NO_LABEL)
    known, share = ranked.take(rows), labels[rows].astype(float)
    ranking, size = known.ranking(), len(rows)
    values = []
    for _ in range(resamples):
        times = np.bincount(rng.integers(0, size, size), minlength=size).astype(float)
        values.append(questions.values(known.mass(share, times), ranking))
    counted = questions.counted(labels[rows], ranking) if gold_only else None
    return Draws(np.array(values), questions.values(known.mass(share), ranking), counted)


def correct(
    prediction: np.ndarray,
    questions: Questions,
    ranked: Ranked,
    rng: np.random.Generator,
    resamples: int = RECTIFIED_RESAMPLES,
    target: str = "items",
) -> Corrected:
    """Compute what the rectified estimator needs (`evaluation.rectified`).

    Args:
        prediction: (n,) P(Y_i = 1), made without the item's own gold label.
        questions: what is computed.
        ranked: the items; those with gold are a simple random sample of them.
        rng: source of the resamples of the gold items: the same for all models.
        resamples: their number.
        target: what intervals are about, one of `TARGETS`.
    """
    labels = ranked.items.gold
    rows = np.flatnonzero(labels != NO_GOLD)
    gold, size = ranked.take(rows), len(rows)
    ranking = gold.ranking()
    shares = labels[rows].astype(float), prediction[rows]
    values: list[list[np.ndarray]] = [[], []]
    for _ in range(resamples):
        times = np.bincount(rng.integers(0, size, size), minlength=size).astype(float)
        for source, share in zip(values, shares, strict=True):
            source.append(questions.values(gold.mass(share, times), ranking))
    points = [questions.values(gold.mass(share), ranking) for share in shares]
    points.append(questions.values(ranked.mass(prediction), ranked.ranking()))
    counted = questions.counted(labels[rows], ranking)
    fraction = size / len(labels)
    labelled, predicted = map(np.array, values)
    return Corrected(np.array(points), labelled, predicted, counted, size, fraction, target)
