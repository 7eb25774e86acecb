"""EM for annotators' confusion matrices, K levels (STABLEVAL, sections 3.2 and 3.3, algorithm 1).

A latent level z_i ~ mu; annotator r labels item i with o by pi_r[z_i, o], independently of others.

    E: gamma_ic ~ (mu_c + floor) prod_{labels of i} (pi_r[c, y_ir] + floor)
    M: mu_c      = (sum_i gamma_ic + alpha_mu - 1) / (I + K (alpha_mu - 1))
       pi_r[c,o] = (N_rco + alpha_pi - 1) / (sum_o N_rco + K (alpha_pi - 1))

Both are smoothed by Dirichlet priors, of which the M step gives the mode. The log posterior, but
for a constant,

    sum_i log sum_c mu_c prod pi_r[c, y_ir] + (alpha_mu - 1) sum log mu + (alpha_pi - 1) sum log pi

never falls from a step to the next, up to what the floor takes. The floor stands in the likelihood
(the published code takes logarithms of value + 1e-10); the M step does not know it.

The two steps of the EM for confusion matrices, compiled: one pass over the labels a step.

An item's weight of a level is a product over its labels. Products of so few factors that none can
underflow, each at least the floor, are multiplied; items with more labels add logarithms.

Resamples of labels in two ways at once: of the responses, and of the annotators.

Each is drawn with replacement, and a label counts as often as its response was drawn times as often
as its annotator was (Owen 2007, the pigeonhole bootstrap). A bootstrap over responses alone answers
what other responses would have changed; this one also what other annotators would have.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Annotated, Literal

import numpy as np

from crowdgold.models.majority import NO_LABEL, majority_labels, majority_shares
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.system.kernels import kernel
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import AtLeast, Range, Settings

DECADES = 300.0
"""Products of doubles above 10^-300 keep their precision."""
SMALL = 1e-280
"""Products of the items' likelihoods below this are taken logarithms of."""


@dataclass(frozen=True)
class Labels:
    """The labels as the steps read them.

    Attributes:
        start: (I + 1,) where each item's labels start.
        cell: (L,) annotator K + label, the row of a table of weights by level.
        most: items with at most so many labels are multiplied.
        floor: added to probabilities in the likelihood.
        labelled: (I,) whether an item has a label.
    """

    start: np.ndarray
    cell: np.ndarray
    most: int
    floor: float
    labelled: np.ndarray

    @classmethod
    def of(cls, annotations: Annotations, floor: float) -> "Labels":
        """Make them of Annotations; `floor` is at least 0."""
        count = annotations.labels_of_item
        start = np.append(0, np.cumsum(count))
        cell = annotations.annotator_of * len(annotations.category) + annotations.label
        # The class prior is a factor too.
        most = int(DECADES / -np.log10(floor)) - 1 if floor > 0 else -1
        return cls(start, cell.astype(np.int32), most, floor, count > 0)


@kernel(error_model="numpy", nogil=True)
def _add_logarithms(
    cell: np.ndarray, log_prior: np.ndarray, weight: np.ndarray, own: np.ndarray
) -> float:
    """Fill an item's weights (K,), the largest 1, and give the logarithm of what they are over."""
    own[:] = log_prior
    for row in cell:
        for level in range(len(own)):
            own[level] += np.log(weight[row, level])
    top = own.max()
    for level in range(len(own)):
        own[level] = np.exp(own[level] - top)
    return float(top)


Pass = Callable[..., float]
"""(start, cell, most, prior, weight, posterior, counts, sizes) -> log likelihood."""


@cache
def _pass_with(levels: int) -> Pass:
    """The pass over the labels for a number of levels, which the compiler then knows.

    It fills posteriors (I, K) and adds to counts (A K, K) and to expected numbers of items (K,), at
    weights (A K, K) of labels by level.
    """

    @kernel(error_model="numpy", nogil=True)
    def one_pass(
        start: np.ndarray,
        cell: np.ndarray,
        most: int,
        prior: np.ndarray,
        weight: np.ndarray,
        posterior: np.ndarray,
        counts: np.ndarray,
        sizes: np.ndarray,
    ) -> float:
        total, product = 0.0, 1.0
        log_prior, own = np.log(prior), np.empty(levels)
        for item in range(len(start) - 1):
            first, last = start[item], start[item + 1]
            if first == last:
                continue
            if last - first <= most:
                for level in range(levels):
                    own[level] = prior[level]
                for label in range(first, last):
                    row = cell[label]
                    for level in range(levels):
                        own[level] *= weight[row, level]
            else:
                total += _add_logarithms(cell[first:last], log_prior, weight, own)
            norm = 0.0
            for level in range(levels):
                norm += own[level]
            # One logarithm for many items.
            if product * norm < SMALL:
                total += np.log(product)
                product = 1.0
            product *= norm
            inverse = 1 / norm
            for level in range(levels):
                own[level] *= inverse
                posterior[item, level] = own[level]
                sizes[level] += own[level]
            for label in range(first, last):
                row = cell[label]
                for level in range(levels):
                    counts[row, level] += own[level]
        return total + np.log(product)

    found: Pass = one_pass
    return found


def expectation(
    labels: Labels, prior: np.ndarray, confusion: np.ndarray, posterior: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Fill the posteriors, and give the log likelihood and the expected counts.

    Args:
        prior: (K,) the class prior.
        confusion: (A, K, K) confusion matrices, the true level in rows.
        posterior: (I, K) to be filled, where an item has labels.

    Returns:
        the log likelihood with the floor in it, the expected number of items of each level (K,),
        and of labels, N (A, K, K), by annotator, level and label.
    """
    annotators, levels, _ = confusion.shape
    # By label first: the levels of a label then stand side by side.
    weight = np.ascontiguousarray(confusion.transpose(0, 2, 1)).reshape(-1, levels) + labels.floor
    counts, sizes = np.zeros_like(weight), np.zeros(levels)
    start, cell, most = labels.start, labels.cell, labels.most
    one_pass, chance = _pass_with(levels), prior + labels.floor
    total = one_pass(start, cell, most, chance, weight, posterior, counts, sizes)
    return total, sizes, counts.reshape(annotators, levels, levels).transpose(0, 2, 1)


def next_confusion(
    counts: np.ndarray, confusion: np.ndarray, alpha: float
) -> tuple[np.ndarray, float]:
    """The confusion matrices of an M step, and the largest change of an entry.

    Args:
        counts: (A, K, K) expected counts.
        confusion: (A, K, K) the matrices before; a row without counts or smoothing stays.
        alpha: weight of the Dirichlet prior of a row, at least 1.
    """
    smoothed = counts + (alpha - 1)
    total = smoothed.sum(axis=2, keepdims=True)
    found = np.divide(smoothed, total, out=confusion.copy(), where=total > 0)
    return found, float(np.abs(found - confusion).max())


def resample_items(annotations: Annotations, rng: np.random.Generator) -> np.ndarray:
    """Draw as many responses of each agent as it has, with replacement: (I,) positions, ascending.

    Responses of no agent are drawn among themselves.
    """
    drawn = []
    for agent in np.unique(annotations.agent_of):
        own = np.flatnonzero(annotations.agent_of == agent)
        drawn.append(own[rng.integers(len(own), size=len(own))])
    return np.sort(np.concatenate(drawn))


def resample_annotators(annotations: Annotations, rng: np.random.Generator) -> np.ndarray:
    """Draw as many annotators as there are, with replacement: how often each was, (A,)."""
    size = len(annotations.annotator)
    return np.bincount(rng.integers(size, size=size), minlength=size)


def labels_drawn(annotations: Annotations, items: np.ndarray, times: np.ndarray) -> Annotations:
    """The labels of some responses by some annotators.

    Args:
        items: (J,) positions of responses, ascending; one that stands twice is there twice.
        times: (A,) how often each annotator's labels count; all annotators keep their positions.
    """
    drawn = annotations.of_items(items)
    often = times[drawn.annotator_of]
    return drawn.of_labels(np.repeat(np.arange(len(often)), often))


STILL = 1e-6
"""An EM has converged where no entry of a confusion matrix moves by more in a step."""


@dataclass(frozen=True)
class EmSettings(Settings):
    """How the EM starts, smooths and stops."""

    alpha_mu: Annotated[
        float, AtLeast(1), "Weight of the class prior's Dirichlet prior; 1 smooths nothing."
    ] = 1.0
    alpha_pi: Annotated[
        float, AtLeast(1), "Weight of that of each row of a matrix; 1 smooths nothing."
    ] = 1.01
    floor: Annotated[
        float, Range(least=0, below=1), "Added to probabilities in the likelihood."
    ] = 1e-10
    start: Annotated[
        Literal["majority", "labels", "uniform"],
        "The class prior's start: shares of the majority votes, or the mean share of each item's "
        "labels, or uniform.",
    ] = "majority"
    ties: Annotated[
        Literal["first_met", "lowest", "highest", "share"],
        "What becomes of ties among these votes (`majority.TIES`).",
    ] = "lowest"
    diagonal: Annotated[
        float,
        Range(above=0, most=1),
        "Start of each matrix's diagonal; the rest of a row is even.",
    ] = 0.8
    steps: Annotated[
        int, AtLeast(1), "E steps at most; exactly so many where `tolerance` is 0."
    ] = 10_000
    tolerance: Annotated[
        float, AtLeast(0), "Stop where no entry of a confusion matrix moves by as much."
    ] = 1e-8


PRESETS: Mapping[str, EmSettings] = {
    "converged": EmSettings(),
    "published": EmSettings(steps=100, tolerance=0.0),
    "published_synthetic": EmSettings(alpha_pi=1.0, start="uniform", steps=100, tolerance=1e-6),
}
"""The settings by name: run until it has converged, and those behind the published results: of the
real data, and of the synthetic study."""


@dataclass(frozen=True)
class ConfusionEm:
    """A fit by EM.

    Attributes:
        posterior: (I, K) gamma, of the last E step; the class prior where an item has no label.
        prior: (K,) mu, of the M step after it.
        confusion: (A, K, K) pi, of the M step after it; the true level in rows.
        log_posterior: (steps,) the log posterior at the parameters that each E step started from.
        movement: the largest change of an entry of `confusion` in the last M step.
        converged: whether that is below the tolerance; never where the tolerance is 0.
    """

    posterior: np.ndarray
    prior: np.ndarray
    confusion: np.ndarray
    log_posterior: np.ndarray
    movement: float
    converged: bool

    @property
    def steps(self) -> int:
        """The number of E steps."""
        return len(self.log_posterior)

    @property
    def diagnostics(self) -> Diagnostics:
        """Whether it has converged, for users."""
        if self.movement < STILL:
            return Diagnostics(notes=(f"EM: {self.steps} steps",))
        return Diagnostics(
            failures=(
                f"EM not converged: in step {self.steps} an entry of a confusion matrix still "
                f"moved by {self.movement:.1e} (limit {STILL:g})",
            )
        )


def _prior_at_start(annotations: Annotations, settings: EmSettings) -> np.ndarray:
    categories = len(annotations.category)
    if settings.start == "uniform":
        return np.full(categories, 1 / categories)
    if settings.start == "labels":
        votes = annotations.votes()
        total = (votes / np.maximum(votes.sum(axis=1, keepdims=True), 1)).sum(axis=0)
    elif settings.ties == "share":
        total = majority_shares(annotations).sum(axis=0)
    else:
        majority = majority_labels(annotations, settings.ties)
        total = np.bincount(majority[majority != NO_LABEL], minlength=categories)
    return np.asarray(total / total.sum())


def _confusion_at_start(annotations: Annotations, diagonal: float) -> np.ndarray:
    categories = len(annotations.category)
    matrix = np.full((categories, categories), (1 - diagonal) / (categories - 1))
    np.fill_diagonal(matrix, diagonal)
    return np.repeat(matrix[None], len(annotations.annotator), axis=0)


def _log_prior(prior: np.ndarray, confusion: np.ndarray, settings: EmSettings) -> float:
    """The log density of the Dirichlet priors, but for a constant."""
    value = 0.0
    for weight, parts in ((settings.alpha_mu, prior), (settings.alpha_pi, confusion)):
        if weight > 1:
            with np.errstate(divide="ignore"):
                value += (weight - 1) * float(np.log(parts).sum())
    return value


def fit_confusion_em(annotations: Annotations, settings: EmSettings | None = None) -> ConfusionEm:
    """Estimate confusion matrices, the class prior and each item's level by EM.

    Args:
        annotations: the labels; annotators may have any number on an item.
        settings: start, smoothing and stop; run until it has converged where not given.

    Raises:
        InputError: where there are no labels.
    """
    settings = settings or PRESETS["converged"]
    if len(annotations) == 0:
        raise InputError("EM: the table has no labels; expected at least one")
    labels = Labels.of(annotations, settings.floor)
    prior = _prior_at_start(annotations, settings)
    confusion = _confusion_at_start(annotations, settings.diagonal)
    posterior = np.empty((len(annotations.item), len(annotations.category)))
    trace: list[float] = []
    movement = np.inf
    while len(trace) < settings.steps and not movement < settings.tolerance:
        log_prior = _log_prior(prior, confusion, settings)
        log_likelihood, sizes, counts = expectation(labels, prior, confusion, posterior)
        trace.append(log_likelihood + log_prior)
        sizes += settings.alpha_mu - 1
        prior = sizes / sizes.sum()
        confusion, movement = next_confusion(counts, confusion, settings.alpha_pi)
    posterior[~labels.labelled] = prior
    return ConfusionEm(
        posterior, prior, confusion, np.array(trace), movement, movement < settings.tolerance
    )


@lru_cache(maxsize=1)
def fit_preset(annotations: Annotations, preset: str) -> tuple[ConfusionEm, float]:
    """The fit with settings of `PRESETS`, and its seconds; methods of one job share it."""
    start = time.perf_counter()
    found = fit_confusion_em(annotations, PRESETS[preset])
    return found, time.perf_counter() - start
