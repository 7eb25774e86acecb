"""One sweep of each of CLARA's Gibbs samplers over the true labels (appendix 7.2).

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

import numba
import numpy as np

SMALL = 1e-200
"""Weights that are all smaller are scaled up, since items can have hundreds of labels."""


@numba.njit(cache=True)
def _choose(weight: np.ndarray, rng: np.random.Generator) -> int:
    """Draw a category with chances in proportion to the weights (K,)."""
    total = 0.0
    for k in range(len(weight)):
        total += weight[k]
    left = rng.random() * total
    for k in range(len(weight) - 1):
        left -= weight[k]
        if left < 0:
            return k
    return len(weight) - 1


@numba.njit(cache=True)
def count_item(
    sign: int, k: int, item: int, start: np.ndarray, matrix: np.ndarray, label: np.ndarray,
    times: np.ndarray, n: np.ndarray, c: np.ndarray,
) -> None:  # fmt: skip
    """Add an item of true category k to the counts, or take it away.

    n (K,) are items; c (M, K, K + 1) are labels, those of all categories in the last column.
    """
    n[k] += sign
    last = c.shape[2] - 1
    for cell in range(start[item], start[item + 1]):
        c[matrix[cell], k, label[cell]] += sign * times[cell]
        c[matrix[cell], k, last] += sign * times[cell]


@numba.njit(cache=True)
def _weigh_labels(
    weight: np.ndarray, item: int, start: np.ndarray, matrix: np.ndarray, label: np.ndarray,
    times: np.ndarray, c: np.ndarray, gamma: np.ndarray, exact: bool,
) -> None:  # fmt: skip
    """Multiply the weights (K,) by the product of G_m,k over the matrices that label an item."""
    given, before, last = 0, -1, len(weight)
    for cell in range(start[item], start[item + 1]):
        m, r = matrix[cell], label[cell]
        if m != before:
            given, before = 0, m
        for copy in range(times[cell]):
            own, all_own = (copy, given) if exact else (0, 0)
            largest = 0.0
            for k in range(last):
                weight[k] *= gamma[k, r] + c[m, k, r] + own
                weight[k] /= gamma[k, last] + c[m, k, last] + all_own
                largest = max(largest, weight[k])
            given += 1
            if largest < SMALL:
                weight /= largest


@numba.njit(cache=True)
def sweep_collapsed(
    start: np.ndarray, matrix: np.ndarray, label: np.ndarray, times: np.ndarray,
    log_score: np.ndarray, alpha: np.ndarray, gamma: np.ndarray, exact: bool,
    y: np.ndarray, n: np.ndarray, c: np.ndarray, rng: np.random.Generator,
) -> None:  # fmt: skip
    """Draw the true label of each item in turn; y (I,), and the counts n and c follow.

    Args:
        start, matrix, label, times: the label patterns, one an item.
        log_score: (I, K) log p(s_i | k), or (0, K) without scores.
        alpha, gamma: (K,) and (K, K + 1) priors, the sum of a row in the last column.
        exact: the exact conditional, or the printed one.
        y, n, c: the state, changed in place; c as for `count_item`.
        rng: source of all draws.
    """
    weight = np.empty(len(alpha))
    for item in range(len(y)):
        count_item(-1, y[item], item, start, matrix, label, times, n, c)
        for k in range(len(alpha)):
            weight[k] = alpha[k] + n[k]
        if len(log_score):
            weight *= np.exp(log_score[item] - log_score[item].max())
        _weigh_labels(weight, item, start, matrix, label, times, c, gamma, exact)
        y[item] = _choose(weight, rng)
        count_item(1, y[item], item, start, matrix, label, times, n, c)


@numba.njit(cache=True)
def draw_dirichlet(shape: np.ndarray, out: np.ndarray, rng: np.random.Generator) -> None:
    """Draw from a Dirichlet distribution into `out` (K,); its logarithm stays finite."""
    for k in range(len(shape)):
        # Gamma(a) = Gamma(a + 1) U^(1/a), in logs, as small shapes would give 0.
        out[k] = np.log(rng.standard_gamma(shape[k] + 1)) - rng.standard_exponential() / shape[k]
    out[:] = np.exp(out - out.max())
    out[:] = np.maximum(out / out.sum(), 1e-300)


@numba.njit(cache=True)
def draw_rates(
    alpha: np.ndarray, gamma: np.ndarray, ordered: bool, n: np.ndarray, c: np.ndarray,
    theta: np.ndarray, psi: np.ndarray, tries: int, rng: np.random.Generator,
) -> int:  # fmt: skip
    """Draw theta (K,) and psi (M, K, K) given the counts, in place.

    Where `ordered`, psi_m is drawn until its diagonal adds to more than 1 (binary labels: TPR + TNR
    > 1), which is a draw of the posterior under the prior cut to there.

    Returns:
        the matrices for which that did not come about in `tries` draws; they keep what they were.
    """
    draw_dirichlet(alpha + n, theta, rng)
    K, failed = len(theta), 0
    fresh = np.empty(psi.shape[1:])
    for m in range(len(psi)):
        for _ in range(tries):
            for k in range(K):
                draw_dirichlet(gamma[k, :K] + c[m, k, :K], fresh[k], rng)
            if not ordered or np.trace(fresh) > 1:
                psi[m] = fresh
                break
        else:
            failed += 1
    return failed


@numba.njit(cache=True)
def sweep_blocked(
    start: np.ndarray, matrix: np.ndarray, label: np.ndarray, times: np.ndarray,
    count: np.ndarray, log_score: np.ndarray, theta: np.ndarray, psi: np.ndarray,
    n: np.ndarray, c: np.ndarray, z: np.ndarray, chance: np.ndarray, rng: np.random.Generator,
) -> None:  # fmt: skip
    """Draw how many items of each pattern have each true category, given theta and psi.

    Args:
        start, matrix, label, times, count: the label patterns.
        log_score: (P, K) log p(s | k), or (0, K) without scores.
        theta, psi: the rates.
        n, c: counts as for `count_item`, overwritten.
        z: (P, K) items of each pattern in each category, overwritten.
        chance: (P, K) P(y = k | labels, theta, psi) of each pattern, overwritten.
        rng: source of all draws.
    """
    n[:] = 0
    c[:] = 0
    log_theta, log_psi = np.log(theta), np.log(psi)
    for p in range(len(count)):
        weight = chance[p]
        for k in range(len(theta)):
            total = log_theta[k]
            for cell in range(start[p], start[p + 1]):
                total += times[cell] * log_psi[matrix[cell], k, label[cell]]
            weight[k] = total + log_score[p, k] if len(log_score) else total
        weight[:] = np.exp(weight - weight.max())
        weight /= weight.sum()
        left, mass = count[p], 1.0
        for k in range(len(theta)):
            if k == len(theta) - 1 or mass <= 0:
                z[p, k] = left
            elif count[p] == 1:
                z[p, k] = 1 if left == 1 and rng.random() * mass < weight[k] else 0
            else:
                z[p, k] = rng.binomial(left, min(1.0, weight[k] / mass)) if left > 0 else 0
            left -= z[p, k]
            mass -= weight[k]
            n[k] += z[p, k]
            for cell in range(start[p], start[p + 1]):
                c[matrix[cell], k, label[cell]] += z[p, k] * times[cell]
                c[matrix[cell], k, len(theta)] += z[p, k] * times[cell]


@numba.njit(cache=True)
def advance_blocked(
    sweeps: int, start: np.ndarray, matrix: np.ndarray, label: np.ndarray, times: np.ndarray,
    count: np.ndarray, log_score: np.ndarray, alpha: np.ndarray, gamma: np.ndarray, ordered: bool,
    tries: int, theta: np.ndarray, psi: np.ndarray, n: np.ndarray, c: np.ndarray, z: np.ndarray,
    chance: np.ndarray, rng: np.random.Generator,
) -> int:  # fmt: skip
    """Make blocked sweeps; arguments as for `sweep_blocked` and `draw_rates`.

    Returns:
        the matrices that could not be drawn, over all sweeps.
    """
    failed = 0
    for _ in range(sweeps):
        sweep_blocked(
            start, matrix, label, times, count, log_score, theta, psi, n, c, z, chance, rng
        )
        failed += draw_rates(alpha, gamma, ordered, n, c, theta, psi, tries, rng)
    return failed


@numba.njit(cache=True)
def advance_collapsed(
    sweeps: int, start: np.ndarray, matrix: np.ndarray, label: np.ndarray, times: np.ndarray,
    log_score: np.ndarray, alpha: np.ndarray, gamma: np.ndarray, exact: bool, y: np.ndarray,
    n: np.ndarray, c: np.ndarray, rng: np.random.Generator,
) -> None:  # fmt: skip
    """Make collapsed sweeps; arguments as for `sweep_collapsed`."""
    for _ in range(sweeps):
        sweep_collapsed(start, matrix, label, times, log_score, alpha, gamma, exact, y, n, c, rng)


@numba.njit(cache=True)
def count_all(
    y: np.ndarray, start: np.ndarray, matrix: np.ndarray, label: np.ndarray, times: np.ndarray,
    n: np.ndarray, c: np.ndarray,
) -> None:  # fmt: skip
    """Count items and labels by true category from zero, as `count_item` does."""
    n[:] = 0
    c[:] = 0
    for item in range(len(y)):
        count_item(1, y[item], item, start, matrix, label, times, n, c)
