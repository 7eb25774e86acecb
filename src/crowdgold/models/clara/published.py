"""CLARA as its authors' public code samples it: one chain, item by item, and means for draws.

The prior of the prevalence weighs one item, its mean that of all labels and one more of each; a row
of a confusion matrix weighs one label, .75 of it on the diagonal. True labels start at the majority
vote, the smallest of equals. A sweep takes all items once, in an order drawn anew, and draws each
true label by equation 1 as printed (`sweeps`): labels that a matrix gives on one item do not learn
from each other, so that the chain's distribution is not quite the posterior where a matrix is
shared. There is no move between the modes with swapped names.

Class k has a normal distribution of its own part s_k of each classifier's score vectors, with the
mean and the variance (n - 1) of the items now in k; both are found anew before each sweep, and not
within it. Where fewer than two items are in a class they stay what they were, at first those of all
items; the public code stops there.

What is kept is not a draw of the prevalence and the matrices but their means given the true labels:
their quantiles leave out how far the rates lie from these means, and are no posterior interval.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crowdgold.models.clara.gibbs import ClaraFit, swapped_share
from crowdgold.models.clara.model import ClaraPrior, Confusion, find_label_patterns, matrix_of_label
from crowdgold.models.clara.scores import LEAST_SHARE, RIDGE
from crowdgold.models.clara.sweeps import (
    Labels,
    State,
    first_state,
    lay_out,
    prior_of,
    sweep_collapsed,
)
from crowdgold.models.majority import majority_shares
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.system.kernels import kernel
from crowdgold.types.annotations import Annotations
from crowdgold.types.parameters import AtLeast, Settings

DIAGONAL = 0.75  # prior mean of the rates of right labels


@dataclass(frozen=True)
class PublishedSettings(Settings):
    """How CLARA samples as published; the numbers are those of the public code."""

    confusion: Annotated[Confusion,
        "Whose confusion matrices there are: one for each `annotator`, one for each `group`, or "
        "one that is `shared`."] = "annotator"  # fmt: skip
    warmup: Annotated[int, AtLeast(0, 10**9), "Sweeps that are thrown away."] = 1000
    draws: Annotated[int, AtLeast(1, 10**7), "Sweeps whose conditional means are kept."] = 1000
    lag: Annotated[int, AtLeast(1, 10**6), "Sweeps from one that is kept to the next."] = 1


def published_prior(annotations: Annotations) -> ClaraPrior:
    """The prior of the public code: an item's weight in all, and a label's in each row."""
    size = len(annotations.category)
    theta = np.bincount(annotations.label, minlength=size) + 1.0
    psi = np.full((size, size), (1 - DIAGONAL) / max(size - 1, 1))
    np.fill_diagonal(psi, DIAGONAL)
    return ClaraPrior(theta / theta.sum(), psi)


def score_parts(annotations: Annotations) -> np.ndarray:
    """Each classifier's score vectors (C, I, K); NaN where an item has none."""
    shape = len(annotations.item), len(annotations.category)
    return np.array(list(annotations.scores.values()), dtype=float).reshape(-1, *shape)


@kernel()
def estimate_normals(
    parts: np.ndarray, y: np.ndarray, mean: np.ndarray, variance: np.ndarray
) -> None:
    """Write the mean and the variance (n - 1) of each part k over the items now in class k into
    (C, K) arrays, which stay as they are where there are fewer than two, or where all are equal.
    """
    for c in range(parts.shape[0]):
        number, total = np.zeros(parts.shape[2]), np.zeros(parts.shape[2])
        square = np.zeros(parts.shape[2])
        for i in range(len(y)):
            if not np.isnan(parts[c, i, y[i]]):
                number[y[i]] += 1
                total[y[i]] += parts[c, i, y[i]]
        for i in range(len(y)):
            if not np.isnan(parts[c, i, y[i]]):
                square[y[i]] += (parts[c, i, y[i]] - total[y[i]] / number[y[i]]) ** 2
        for k in range(len(number)):
            if number[k] >= 2 and square[k] > 0:
                mean[c, k] = total[k] / number[k]
                variance[c, k] = square[k] / (number[k] - 1)


@kernel()
def weigh_scores(
    parts: np.ndarray, mean: np.ndarray, variance: np.ndarray, out: np.ndarray
) -> None:
    """Write prod_c Normal(s_ck; mean_ck, variance_ck) of each item into `out` (I, K), as a share of
    its largest, at least `LEAST_SHARE`; 1 where there is no score.
    """
    for i in range(len(out)):
        top = -np.inf
        for k in range(out.shape[1]):
            out[i, k] = 0.0
            for c in range(len(parts)):
                if not np.isnan(parts[c, i, k]):
                    off = parts[c, i, k] - mean[c, k]
                    out[i, k] -= (off * off / variance[c, k] + np.log(variance[c, k])) / 2
            top = max(top, out[i, k])
        for k in range(out.shape[1]):
            out[i, k] = max(np.exp(out[i, k] - top), LEAST_SHARE)


@kernel()
def _shuffle(order: np.ndarray, rng: np.random.Generator) -> None:
    for last in range(len(order) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        order[last], order[other] = order[other], order[last]


@kernel(nogil=True)
def _run(
    labels: Labels, parts: np.ndarray, mean: np.ndarray, variance: np.ndarray, state: State,
    warmup: int, lag: int, theta: np.ndarray, psi: np.ndarray, chance: np.ndarray,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Run the chain; write the kept means into theta (D, K) and psi (D, M, K, K), true category in
    rows, and add the chances of true labels in kept sweeps to `chance` (I, K).
    """
    K, kept, order = theta.shape[1], 0, np.arange(len(state.y))
    density = np.ones((len(order) if len(parts) else 0, K))
    for sweep in range(warmup + len(theta) * lag):
        if len(parts):
            estimate_normals(parts, state.y, mean, variance)
            weigh_scores(parts, mean, variance, density)
        _shuffle(order, rng)
        keep = sweep >= warmup and sweep % lag == 0
        sweep_collapsed(labels, density, order, state, chance, keep, rng)
        if keep:
            total = state.theta_shape.sum()
            for k in range(K):
                theta[kept, k] = state.theta_shape[k] / total
                for m in range(psi.shape[1]):
                    for r in range(K):
                        psi[kept, m, k, r] = state.psi_shape[m * K + r, k] / state.sum_shape[m, k]
            kept += 1


def sample_published(
    annotations: Annotations, prior: ClaraPrior, settings: PublishedSettings,
    rng: np.random.Generator,
) -> ClaraFit:  # fmt: skip
    """The published chain's conditional means, as the draws of one chain."""
    patterns = find_label_patterns(annotations, settings.confusion, exchangeable=False)
    laid, labels = prior_of(prior, False), lay_out(patterns, exact=False)
    y = majority_shares(annotations).argmax(axis=1)
    state = first_state(annotations, settings.confusion, laid, y, len(patterns))
    parts, K = score_parts(annotations), patterns.categories
    mean, variance = np.zeros((len(parts), K)), np.ones((len(parts), K))
    for c, part in enumerate(parts):
        if not np.isnan(part).all():
            mean[c], variance[c] = np.nanmean(part, axis=0), np.nanvar(part, axis=0) + RIDGE
    theta = np.empty((settings.draws, K))
    psi = np.empty((settings.draws, patterns.matrices, K, K), dtype=np.float32)
    chance = np.zeros((len(patterns), K))
    _run(
        labels, parts, mean, variance, state, settings.warmup, settings.lag, theta, psi, chance, rng
    )
    swapped = swapped_share(psi, matrix_of_label(annotations, settings.confusion)[0])
    return ClaraFit(theta[None], psi[None], 1, chance / settings.draws, swapped, Diagnostics())
