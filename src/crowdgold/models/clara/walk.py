"""Steps of CLARA's chains in the rates alone, true labels summed out, compiled.

A sampler that draws labels given rates and rates given labels is slow where the labels are nearly
unknown: a class that few items have, one label an item. There the rates move by as little as the
labels hold them. These steps are of the rates' own posterior, which sums over the labels,

    p(theta, psi | labels) ~ prior(theta, psi) prod_p [sum_k theta_k prod_(m, r in p) psi_mkr]^n_p

over the patterns p of n_p items each. They are Metropolis steps in x = log(rate / last rate) of
each Dirichlet distribution (theta, each row of a matrix), where its density is
prod_k rate_k^alpha_k. Their sizes differ three hundredfold, since a prior of small weight spreads x
over hundreds.

True labels are to be drawn anew after it.
"""

import numpy as np

from crowdgold.kernels import kernel
from crowdgold.models.clara.state import Labels, Prior, State
from crowdgold.models.label_patterns import LabelPatterns

STEPS = 5
"""Proposals before each sweep, which take about as long as a sweep of few patterns."""
MOST_RATES = 8
"""Free rates beyond which steps in all of them at once would hardly be accepted."""
SMALLEST, LARGEST = 0.03, 10.0
"""Deviations of a random step in x, drawn evenly in their logarithm between the two."""
FARTHEST = 600.0
"""Steps end at |x| below it, where all rates are numbers."""


def rates_are_few(patterns: LabelPatterns) -> bool:
    """Whether there are as few rates as these steps are for."""
    K = patterns.categories
    return (K - 1) * (1 + K * patterns.matrices) <= MOST_RATES


@kernel()
def _to_ratios(state: State, x: np.ndarray) -> None:
    """Write log(rate / last rate) of theta, then of each row of each matrix, into x (D,)."""
    K, place = len(state.theta), 0
    for k in range(K - 1):
        x[place] = np.log(state.theta[k] / state.theta[K - 1])
        place += 1
    for first in range(0, len(state.psi), K):
        for k in range(K):
            for r in range(K - 1):
                x[place] = np.log(state.psi[first + r, k] / state.psi[first + K - 1, k])
                place += 1


@kernel()
def _to_rates(x: np.ndarray, start: int, rates: np.ndarray) -> None:
    """Write the rates (K,) whose log ratios to the last are x[start : start + K - 1]."""
    K, top, total = len(rates), 0.0, 0.0
    for k in range(K - 1):
        top = max(top, x[start + k])
    for k in range(K):
        rates[k] = np.exp((x[start + k] if k < K - 1 else 0.0) - top)
        total += rates[k]
    for k in range(K):
        rates[k] /= total


@kernel()
def _log_posterior(
    x: np.ndarray, labels: Labels, prior: Prior, theta: np.ndarray, psi: np.ndarray
) -> float:
    """The log density of x, up to a constant; its rates are written into theta and psi.

    It is -inf beyond `FARTHEST`, where an ordered prior has no mass, and where the likelihood is
    too small for a number.
    """
    K, found = len(theta), 0.0
    if np.abs(x).max() > FARTHEST:
        return -np.inf
    _to_rates(x, 0, theta)
    for k in range(K):
        found += prior.theta[k] * np.log(theta[k])
    for first in range(0, len(psi), K):
        diagonal = 0.0
        for k in range(K):
            _to_rates(x, (K - 1) * (1 + first + k), psi[first : first + K, k])
            diagonal += psi[first + k, k]
            for r in range(K):
                found += prior.psi[r, k] * np.log(psi[first + r, k])
        if prior.ordered and diagonal <= 1:
            return -np.inf
    for p in range(len(labels.items)):
        total = 0.0
        for k in range(K):
            own = theta[k]
            for at in range(labels.start[p], labels.start[p + 1]):
                own *= psi[labels.row[at], k]
            total += own
        found += labels.items[p] * np.log(total) if total > 0 else -np.inf
    return found


@kernel()
def _add_random(x: np.ndarray, new: np.ndarray, rng: np.random.Generator) -> None:
    """Write x (D,), some of its coordinates moved at random, into `new`."""
    deviation = SMALLEST * (LARGEST / SMALLEST) ** rng.random()
    for d in range(len(x)):
        new[d] = x[d] + (deviation * rng.standard_normal() if rng.random() < 0.5 else 0.0)


@kernel()
def walk_rates(labels: Labels, prior: Prior, state: State, rng: np.random.Generator) -> None:
    """Take `STEPS` Metropolis steps of theta and psi, in place.

    Args:
        labels: label patterns.
        prior: the prior.
        state: the chain; its shapes and true labels stay as they are.
        rng: source of all draws.
    """
    x, new = np.empty((2, (len(state.theta) - 1) * (1 + len(state.psi))))
    theta, psi = np.empty_like(state.theta), np.empty_like(state.psi)
    _to_ratios(state, x)
    at = _log_posterior(x, labels, prior, theta, psi)
    for _ in range(STEPS):
        _add_random(x, new, rng)
        proposed = _log_posterior(new, labels, prior, theta, psi)
        if -rng.standard_exponential() < proposed - at:
            state.theta[:], state.psi[:], x[:], at = theta, psi, new, proposed
