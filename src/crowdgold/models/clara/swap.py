"""A move of CLARA's chains that renames two true categories of all items at once, compiled.

The likelihood is the same where true categories a and b change names, in the labels y and in the
rows of all confusion matrices; only the prior tells them apart. A sampler that draws one item's
label at a time, or all labels given the rates, never crosses to the mode with other names. This
move does: it proposes y with a and b exchanged, and accepts with the chance min(1, ratio) where

    ratio = p(y', labels) / p(y, labels)
    p(y, labels) ~ prod_k Gamma(alpha_k + n_k)
                   prod_mk [prod_r Gamma(gamma_kr + c_mkr)] / Gamma(gamma_k + c_mk)

theta and psi integrated out, n and c counts given y; for y' those of a and b are exchanged, the
prior stays. The proposal is its own inverse, so that the ratio is exact and chains visit each mode
as often as its mass says. Scores have no part in it: their prior is the same for all categories.
With more than two categories the pair is drawn at random, which reaches every permutation.
"""

import math

import numpy as np

from crowdgold.kernels import kernel
from crowdgold.models.clara.state import Prior, State


@kernel()
def _gain(prior_a: float, prior_b: float, shape_a: float, shape_b: float) -> float:
    """The change of log Gamma of two shapes whose counts are exchanged."""
    if prior_a == prior_b:
        return 0.0
    moved_a, moved_b = prior_a + (shape_b - prior_b), prior_b + (shape_a - prior_a)
    after = math.lgamma(moved_a) + math.lgamma(moved_b)
    return after - math.lgamma(shape_a) - math.lgamma(shape_b)


@kernel()
def log_ratio_of_swap(prior: Prior, state: State, a: int, b: int) -> float:
    """Log p(y', labels) / p(y, labels), where y' has categories a and b exchanged."""
    K = len(prior.theta)
    found = _gain(prior.theta[a], prior.theta[b], state.theta_shape[a], state.theta_shape[b])
    before, shape = prior.psi, state.psi_shape
    total_a, total_b = before[:, a].sum(), before[:, b].sum()
    for first in range(0, len(shape), K):
        sum_a, sum_b = 0.0, 0.0
        for r in range(K):
            shape_a, shape_b = shape[first + r, a], shape[first + r, b]
            found += _gain(before[r, a], before[r, b], shape_a, shape_b)
            sum_a += shape_a
            sum_b += shape_b
        found -= _gain(total_a, total_b, sum_a, sum_b)
    return found


@kernel()
def _exchange(prior: np.ndarray, shape: np.ndarray, a: int, b: int) -> None:
    """Exchange the counts in two places of shapes (K,), whole numbers, so that nothing rounds."""
    count_a, count_b = np.rint(shape[a] - prior[a]), np.rint(shape[b] - prior[b])
    shape[a], shape[b] = prior[a] + count_b, prior[b] + count_a


@kernel()
def try_swap(prior: Prior, state: State, rng: np.random.Generator) -> None:
    """Propose to exchange two categories, and exchange them in y and the shapes where accepted.

    theta and psi are those of before the move: they are to be drawn anew from the shapes.

    Args:
        prior: the prior, not ordered: a cut prior has another ratio.
    """
    K, a, b = len(prior.theta), 0, 1
    if K > 2:
        a = int(rng.integers(0, K))
        b = (a + int(rng.integers(1, K))) % K
    if -rng.standard_exponential() >= log_ratio_of_swap(prior, state, a, b):
        return
    _exchange(prior.theta, state.theta_shape, a, b)
    for row in range(len(state.psi_shape)):
        _exchange(prior.psi[row % K], state.psi_shape[row], a, b)
    for m in range(len(state.sum_shape)):
        for k in (a, b):
            state.sum_shape[m, k] = state.psi_shape[m * K : (m + 1) * K, k].sum()
    for i in range(len(state.y)):
        if state.y[i] == a or state.y[i] == b:
            state.y[i] = a + b - state.y[i]
