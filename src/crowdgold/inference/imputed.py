"""Metrics of imputed labels, and of resamples of labels.

For draws of label probabilities (MAVEN, section 3.4): per draw, impute labels, compute each metric,
and take mean and quantiles over the draws. Predictors that are compared share, per draw and item,
the uniform number that decides the label. For labels taken for the truth in the papers' figures:
the percentile bootstrap over labelled items, the same resamples for all predictors.
"""

from collections.abc import Callable

import numpy as np

from crowdgold.inference.design import Design
from crowdgold.inference.questions import Questions, View
from crowdgold.inference.rectified import POPULATION
from crowdgold.inference.request import Request
from crowdgold.inference.samples import Draws
from crowdgold.kernels import kernel

LabelProbability = Callable[[int, str, np.random.Generator], np.ndarray]
"""(draw, predictor, rng) -> P(Y_i = 1) of each item, (n,), under that draw."""


@kernel()
def _counts(picked: np.ndarray, size: int) -> np.ndarray:
    counts = np.zeros(size, dtype=np.uint8)  # small, for the cache; none comes near to 255
    for item in picked:
        counts[item] += 1
    return counts


def draw_times(
    size: int, rng: np.random.Generator, cluster: np.ndarray | None = None
) -> np.ndarray:
    """How often each item (n,) is in a resample of all, with replacement.

    Args:
        size: n.
        rng: source of the resample.
        cluster: (n,) number of each item's cluster, from 0, where clusters are drawn.
    """
    if cluster is not None:
        return draw_times(int(cluster.max()) + 1, rng)[cluster]
    return _counts(rng.integers(0, size, size, dtype=np.uint32), size)


def _known_mean(values: np.ndarray) -> np.ndarray:
    """Mean of the values (D, P) that are known: (P,); NaN where there are none."""
    known = np.isfinite(values)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.divide(total, known.sum(axis=0), out=np.full(len(total), np.nan),
                     where=known.any(axis=0))  # fmt: skip


def impute(
    probability: LabelProbability, draws: int, view: View, questions: Questions, request: Request
) -> Draws:
    """Values of the data sets that are imputed under each draw.

    About the population, each imputed data set is resampled, items with their labels: with W such
    weights and Y labels, var M(W, Y) = E var(M | Y) + var E(M | Y), the sampling variance of a
    fully labelled table, and what is not known of its labels (Rubin, 1987, within and between
    imputations). Items that belong together are drawn by whole clusters. Estimates are the mean of
    the values before that, the same for both targets.

    Args:
        probability: (draw, predictor, rng) -> P(Y_i = 1) of each item, (n,).
        questions: what is computed.
        request: target and random numbers.
    """
    streams, size = request.streams, len(view)
    label_rng, own_rng = streams.labels(), streams.own(view.predictor)
    times_rng = streams.new_items() if request.target == POPULATION else None
    ranking, cluster = view.ranking(), view.items.cluster
    order = ranking.order
    if cluster is not None:
        cluster = np.unique(cluster, return_inverse=True)[1]
    in_order, ranking = view.take(order), ranking.in_sequence()
    values, resampled, total, uniform = [], [], np.zeros(size), np.empty(size)
    for draw in range(draws):
        share = probability(draw, view.predictor, own_rng)
        total += share
        # Labels and counts stay bytes, which are several times quicker than floats.
        labels = (label_rng.random(out=uniform) < share)[order].view(np.uint8)
        values.append(questions.values(in_order.mass(labels), ranking))
        if times_rng is not None:
            times = draw_times(size, times_rng, cluster)[order]
            resampled.append(questions.values(in_order.mass(labels, times), ranking))
    found = np.array(values)
    if not resampled:
        return Draws(found, probability=total / draws)
    return Draws(np.array(resampled), _known_mean(found), total / draws)


def resample(
    share: np.ndarray, view: View, questions: Questions, rng: np.random.Generator, resamples: int,
    design: Design,
) -> Draws:  # fmt: skip
    """Values of bootstrap resamples of labelled items, and of the items themselves.

    Args:
        share: (m,) labels, or what counts as positive of each item.
        view: the m items.
        questions: what is computed.
        design: how the items were drawn.
    """
    ranking, share = view.ranking(), share.astype(float)
    values = [
        questions.values(view.mass(share, design.times(rng)), ranking) for _ in range(resamples)
    ]
    return Draws(np.array(values), questions.values(view.mass(share), ranking))
