"""EM for annotators' confusion matrices, K levels (STABLEVAL, sections 3.2 and 3.3, algorithm 1).

A latent level z_i ~ mu; annotator r labels item i with o by pi_r[z_i, o], independently of others.

    E: gamma_ic ~ (mu_c + floor) prod_{labels of i} (pi_r[c, y_ir] + floor)
    M: mu_c      = (sum_i gamma_ic + alpha_mu - 1) / (I + K (alpha_mu - 1))
       pi_r[c,o] = (N_rco + alpha_pi - 1) / (sum_o N_rco + K (alpha_pi - 1))

the mode under Dirichlet priors. The log posterior, but for a constant,

    sum_i log sum_c mu_c prod pi_r[c, y_ir] + (alpha_mu - 1) sum log mu + (alpha_pi - 1) sum log pi

never falls from a step to the next, up to what the floor takes. The floor stands in the likelihood
(the published code takes logarithms of value + 1e-10); the M step does not know it.

A resampled label counts as often as its response was drawn times as often as its annotator was
(Owen 2007, the pigeonhole bootstrap). A bootstrap over responses alone answers what other responses
would have changed; this one also what other annotators would have.
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

DECADES = 300.0  # Products of doubles above 10^-300 keep their precision
SMALL = 1e-280  # Products of the items' likelihoods below this are taken logarithms of
Pass = Callable[..., float]  # (start, cell, most, prior, weight, posterior, counts, sizes)
STILL = 1e-6  # An EM has converged where no entry of a confusion matrix moves by more in a step


@dataclass(frozen=True)
class Labels:
    """The labels as the steps read them."""

    start: np.ndarray  # (I + 1,) where each item's labels start
    cell: np.ndarray  # (L,) annotator K + label, the row of a table of weights by level
    most: int  # items with at most so many labels are multiplied
    floor: float  # added to probabilities in the likelihood
    labelled: np.ndarray  # (I,) whether an item has a label

    @classmethod
    def of(cls, annotations: Annotations, floor: float) -> "Labels":
        """Those of Annotations."""
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


@cache
def _pass_with(levels: int) -> Pass:
    """The pass over the labels for a number of levels, known to the compiler. It fills posteriors
    (I, K), adds to counts (A K, K) and sizes (K,), at weights (A K, K) of labels by level.
    """

    @kernel(error_model="numpy", nogil=True)
    def one_pass(
        start: np.ndarray, cell: np.ndarray, most: int, prior: np.ndarray, weight: np.ndarray,
        posterior: np.ndarray, counts: np.ndarray, sizes: np.ndarray,
    ) -> float:  # fmt: skip
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

    return one_pass


def resample_items(annotations: Annotations, rng: np.random.Generator) -> np.ndarray:
    """Positions (I,), ascending, of responses drawn with replacement within each agent, or none."""
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
    """Labels of responses at positions (J,), ascending, each as often (A,) as its annotator."""
    drawn = annotations.of_items(items)
    often = times[drawn.annotator_of]
    return drawn.of_labels(np.repeat(np.arange(len(often)), often))


@dataclass(frozen=True)
class EmSettings(Settings):
    """How the EM starts, smooths and stops."""

    alpha_mu: Annotated[float, AtLeast(1),
        "Weight of the class prior's Dirichlet prior; 1 smooths nothing."] = 1.0  # fmt: skip
    alpha_pi: Annotated[float, AtLeast(1),
        "Weight of that of each row of a matrix; 1 smooths nothing."] = 1.01  # fmt: skip
    floor: Annotated[float, Range(least=0, below=1),
        "Added to probabilities in the likelihood."] = 1e-10  # fmt: skip
    start: Annotated[Literal["majority", "labels", "uniform"],
        "The class prior's start: shares of the majority votes, or the mean share of each item's "
        "labels, or uniform."] = "majority"  # fmt: skip
    ties: Annotated[Literal["first_met", "lowest", "highest", "share"],
        "What becomes of ties among these votes (`majority.TIES`)."] = "lowest"  # fmt: skip
    diagonal: Annotated[float, Range(above=0, most=1),
        "Start of each matrix's diagonal; the rest of a row is even."] = 0.8  # fmt: skip
    steps: Annotated[int, AtLeast(1),
        "E steps at most; exactly so many where `tolerance` is 0."] = 10_000  # fmt: skip
    tolerance: Annotated[float, AtLeast(0),
        "Stop where no entry of a confusion matrix moves by as much."] = 1e-8  # fmt: skip


PRESETS: Mapping[str, EmSettings] = {
    "converged": EmSettings(),
    "published": EmSettings(steps=100, tolerance=0.0),
    "published_synthetic": EmSettings(alpha_pi=1.0, start="uniform", steps=100, tolerance=1e-6),
}
"""The settings by name: run until it has converged, and those behind the published results: of the
real data, and of the synthetic study."""


@dataclass(frozen=True)
class ConfusionEm:
    """A fit by EM."""

    posterior: np.ndarray  # (I, K) gamma, of the last E step; the prior where there is no label
    prior: np.ndarray  # (K,) mu, of the M step after it
    confusion: np.ndarray  # (A, K, K) pi, of the M step after it; the true level in rows
    log_posterior: np.ndarray  # (steps,) at the parameters that each E step started from
    movement: float  # the largest change of an entry of `confusion` in the last M step
    converged: bool  # whether that is below the tolerance; never where the tolerance is 0

    @property
    def steps(self) -> int:
        """The number of E steps."""
        return len(self.log_posterior)

    @property
    def diagnostics(self) -> Diagnostics:
        """Whether it has converged, for users."""
        if self.movement < STILL:
            return Diagnostics(notes=(f"EM: {self.steps} steps",))
        failure = (
            f"EM not converged: in step {self.steps} an entry of a confusion matrix still "
            f"moved by {self.movement:.1e} (limit {STILL:g})"
        )
        return Diagnostics(failures=(failure,))


def fit_confusion_em(annotations: Annotations, settings: EmSettings | None = None) -> ConfusionEm:
    """Confusion matrices, class prior and each item's level by EM; `InputError` for no labels."""
    settings = settings or PRESETS["converged"]
    if len(annotations) == 0:
        raise InputError("EM: the table has no labels; expected at least one")
    labels = Labels.of(annotations, settings.floor)
    categories = len(annotations.category)
    if settings.start == "uniform":
        total: np.ndarray = np.ones(categories)
    elif settings.start == "labels":
        votes = annotations.votes()
        total = (votes / np.maximum(votes.sum(axis=1, keepdims=True), 1)).sum(axis=0)
    elif settings.ties == "share":
        total = majority_shares(annotations).sum(axis=0)
    else:
        majority = majority_labels(annotations, settings.ties)
        total = np.bincount(majority[majority != NO_LABEL], minlength=categories)
    prior = total / total.sum()
    matrix = np.full((categories, categories), (1 - settings.diagonal) / (categories - 1))
    np.fill_diagonal(matrix, settings.diagonal)
    confusion = np.repeat(matrix[None], len(annotations.annotator), axis=0)
    posterior = np.empty((len(annotations.item), categories))
    trace: list[float] = []
    movement, one_pass = np.inf, _pass_with(categories)
    while len(trace) < settings.steps and not movement < settings.tolerance:
        log_prior = 0.0
        for weight, parts in ((settings.alpha_mu, prior), (settings.alpha_pi, confusion)):
            if weight > 1:
                with np.errstate(divide="ignore"):
                    log_prior += (weight - 1) * float(np.log(parts).sum())
        # By label first: the levels of a label then stand side by side.
        turned = np.ascontiguousarray(confusion.transpose(0, 2, 1))
        by_label = turned.reshape(-1, categories) + labels.floor
        counts, sizes = np.zeros_like(by_label), np.zeros(categories)
        log_likelihood = one_pass(
            labels.start, labels.cell, labels.most, prior + labels.floor, by_label, posterior,
            counts, sizes,
        )  # fmt: skip
        trace.append(log_likelihood + log_prior)
        sizes += settings.alpha_mu - 1
        prior = sizes / sizes.sum()
        smoothed = counts.reshape(confusion.shape).transpose(0, 2, 1) + (settings.alpha_pi - 1)
        rows = smoothed.sum(axis=2, keepdims=True)
        before = confusion  # a row without counts or smoothing stays
        confusion = np.divide(smoothed, rows, out=before.copy(), where=rows > 0)
        movement = float(np.abs(confusion - before).max())
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
