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
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

import numpy as np

from crowdgold.data import Annotations, InputError
from crowdgold.declared import AtLeast, Range, Settings
from crowdgold.models.confusion_steps import Labels, expectation, next_confusion
from crowdgold.models.majority import NO_LABEL, majority_labels, majority_shares
from crowdgold.models.stan_fit import Diagnostics

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
