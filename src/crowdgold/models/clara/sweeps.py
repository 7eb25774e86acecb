"""One sweep of each of CLARA's Gibbs samplers over the true labels (appendix 7.2), compiled.

Collapsed: theta and psi are integrated out, and the true label of each item i is drawn given those
of all others,

    P(y_i = k | rest) ~ (alpha_k + n_k^-i) prod_m G_m,k(labels of i) p(s_i | k)
    G_m,k = prod_r (gamma_kr + c_mkr^-i)^[t_mr] / (gamma_k + c_mk^-i)^[t_m]

n^-i and c^-i count without item i, t_mr labels r of matrix m on item i, gamma_k = sum_r gamma_kr,
and x^[t] = x (x + 1) ... (x + t - 1): a matrix that gives several labels on an item learns from
each for the next. As printed (equation 1), x^[t] is x^t, which is the same where no matrix has two
labels on an item; "n_k - 1" is read as n_k^-i.

Blocked: theta and psi are drawn given the labels, and then all true labels at once. Items of a
pattern are exchangeable, so that their number in each category is multinomial.
"""

import numpy as np

from crowdgold.kernels import kernel
from crowdgold.models.clara.state import Labels, Prior, State

SMALL = 1e-200
"""Weights that add to less are found anew in logarithms: items can have hundreds of labels."""
TRIES = 10_000
"""Draws of a confusion matrix until its diagonal adds to more than 1."""


@kernel()
def _choose(weight: np.ndarray, total: float, rng: np.random.Generator) -> int:
    """Draw a category with chances in proportion to the weights (K,), which add to `total`."""
    left = rng.random() * total
    for k in range(len(weight) - 1):
        left -= weight[k]
        if left < 0:
            return k
    return len(weight) - 1


@kernel()
def _from_logs(weight: np.ndarray) -> float:
    """Turn logarithms of weights (K,) into weights of which the largest is 1; give their sum."""
    top, total = weight[0], 0.0
    for k in range(1, len(weight)):
        top = max(top, weight[k])
    for k in range(len(weight)):
        weight[k] = np.exp(weight[k] - top)
        total += weight[k]
    return total


@kernel()
def _weigh_in_logs(
    i: int, labels: Labels, density: np.ndarray, state: State, weight: np.ndarray
) -> float:
    """Find the weights of an item that `sweep_collapsed` finds, and their sum, by logarithms."""
    for k in range(len(weight)):
        weight[k] = np.log(state.theta_shape[k])
        if len(density) > 0:
            weight[k] += np.log(density[i, k])
        for at in range(labels.start[i], labels.start[i + 1]):
            above = state.psi_shape[labels.row[at], k] + labels.alike[at]
            below = state.sum_shape[labels.matrix[at], k] + labels.before[at]
            weight[k] += np.log(above / below)
    return _from_logs(weight)


@kernel()
def sweep_collapsed(
    labels: Labels, density: np.ndarray, state: State, chance: np.ndarray, keep: bool,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Draw the true label of each item in turn; y and the shapes follow.

    1 taken from a shape and added again rounds it once, to the spacing of numbers as large as it
    has ever been: at most 1e-11 below a hundred thousand labels.

    Args:
        labels: one pattern an item.
        density: (I, K) in proportion to p(s_i | k), or (0, K) without scores.
        chance: (I, K) to which P(y_i = k | rest) is added where `keep`.
        keep: see there.
    """
    # Five times as slow if arrays were taken out of tuples, or passed on, for each item.
    start, row, matrix = labels.start, labels.row, labels.matrix
    alike, before = labels.alike, labels.before
    y, size, above, below = state.y, state.theta_shape, state.psi_shape, state.sum_shape
    weight, scored = np.empty(len(size)), len(density) > 0
    for i in range(len(y)):
        k, total = y[i], 0.0
        size[k] -= 1
        for at in range(start[i], start[i + 1]):
            above[row[at], k] -= 1
            below[matrix[at], k] -= 1
        for k in range(len(weight)):
            own = size[k] * density[i, k] if scored else size[k]
            for at in range(start[i], start[i + 1]):
                own *= (above[row[at], k] + alike[at]) / (below[matrix[at], k] + before[at])
            weight[k] = own
            total += own
        if total < SMALL:
            total = _weigh_in_logs(i, labels, density, state, weight)
        y[i] = k = _choose(weight, total, rng)
        size[k] += 1
        for at in range(start[i], start[i + 1]):
            above[row[at], k] += 1
            below[matrix[at], k] += 1
        if keep:
            for k in range(len(weight)):
                chance[i, k] += weight[k] / total


@kernel()
def _weigh_rates_in_logs(
    p: int, labels: Labels, density: np.ndarray, state: State, weight: np.ndarray
) -> float:
    """Find the weights of a pattern that `sweep_blocked` finds, and their sum, by logarithms."""
    for k in range(len(weight)):
        weight[k] = np.log(state.theta[k])
        if len(density) > 0:
            weight[k] += np.log(density[p, k])
        for at in range(labels.start[p], labels.start[p + 1]):
            weight[k] += np.log(state.psi[labels.row[at], k])
    return _from_logs(weight)


@kernel()
def _reset_shapes(prior: Prior, state: State) -> None:
    K = len(prior.theta)
    for k in range(K):
        state.theta_shape[k] = prior.theta[k]
        for row in range(len(state.psi_shape)):
            state.psi_shape[row, k] = prior.psi[row % K, k]


@kernel()
def sweep_blocked(
    labels: Labels, prior: Prior, density: np.ndarray, state: State, chance: np.ndarray,
    keep: bool, rng: np.random.Generator,
) -> None:  # fmt: skip
    """Draw how many items of each pattern have each true category, given theta and psi.

    The shapes are made anew from the prior; other arguments as for `sweep_collapsed`.
    """
    _reset_shapes(prior, state)
    # As there.
    count, start, row, theta, psi = labels.items, labels.start, labels.row, state.theta, state.psi
    y, size, above = state.y, state.theta_shape, state.psi_shape
    K, weight, scored = len(theta), np.empty(len(theta)), len(density) > 0
    for p in range(len(count)):
        left, total = count[p], 0.0
        for k in range(K):
            own = theta[k] * density[p, k] if scored else theta[k]
            for at in range(start[p], start[p + 1]):
                own *= psi[row[at], k]
            weight[k] = own
            total += own
        if total < SMALL:
            total = _weigh_rates_in_logs(p, labels, density, state, weight)
        if keep:
            for k in range(K):
                chance[p, k] += weight[k] / total
        if left == 1:
            y[p] = k = _choose(weight, total, rng)
            size[k] += 1
            for at in range(start[p], start[p + 1]):
                above[row[at], k] += 1
            continue
        for k in range(K):
            drawn = left
            if k < K - 1 and left > 0 and total > 0:
                drawn = rng.binomial(left, min(1.0, weight[k] / total))
            left -= drawn
            total -= weight[k]
            size[k] += drawn
            for at in range(start[p], start[p + 1]):
                above[row[at], k] += drawn


@kernel()
def draw_dirichlet(shape: np.ndarray, out: np.ndarray, rng: np.random.Generator) -> None:
    """Draw from a Dirichlet distribution into `out` (K,); its logarithm stays finite."""
    least, total = shape[0], 0.0
    for k in range(1, len(shape)):
        least = min(least, shape[k])
    for k in range(len(shape)):
        out[k] = rng.standard_gamma(shape[k] if least >= 1 else shape[k] + 1)
        total += out[k]
    if least < 1:
        # Gamma(a) = Gamma(a + 1) U^(1/a), in logs, as small shapes would give 0.
        for k in range(len(shape)):
            out[k] = np.log(out[k]) - rng.standard_exponential() / shape[k]
        total = _from_logs(out)
    for k in range(len(shape)):
        out[k] = max(out[k] / total, 1e-300)


@kernel()
def draw_rates(prior: Prior, state: State, rng: np.random.Generator) -> int:
    """Draw theta and psi given the shapes, in place.

    Where the prior is ordered, psi_m is drawn until its diagonal adds to more than 1 (binary
    labels: TPR + TNR > 1), which is a draw of the posterior under the prior cut to there.

    Returns:
        the matrices for which that did not come about in `TRIES` draws; they keep what they were.
    """
    theta, psi, above, ordered = state.theta, state.psi, state.psi_shape, prior.ordered
    K, failed = len(theta), 0
    draw_dirichlet(state.theta_shape, theta, rng)
    shape, drawn, fresh = np.empty(K), np.empty(K), np.empty((K, K))
    for first in range(0, len(psi), K):
        failed += 1
        for _ in range(TRIES):
            diagonal = 0.0
            for k in range(K):
                for r in range(K):
                    shape[r] = above[first + r, k]
                draw_dirichlet(shape, drawn, rng)
                for r in range(K):
                    fresh[r, k] = drawn[r]
                diagonal += drawn[k]
            if not ordered or diagonal > 1:
                for r in range(K):
                    for k in range(K):
                        psi[first + r, k] = fresh[r, k]
                failed -= 1
                break
    return failed
