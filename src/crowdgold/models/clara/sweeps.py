"""The compiled steps of CLARA's Gibbs samplers (appendix 7.2), and what they work on.

Collapsed: theta and psi are integrated out, and the true label of each item i is drawn given those
of all others,

    P(y_i = k | rest) ~ (alpha_k + n_k^-i) prod_m G_m,k(labels of i) p(s_i | k)
    G_m,k = prod_r (gamma_kr + c_mkr^-i)^[t_mr] / (gamma_k + c_mk^-i)^[t_m]

n^-i and c^-i count without item i, t_mr labels r of matrix m on item i, gamma_k = sum_r gamma_kr,
and x^[t] = x (x + 1) ... (x + t - 1): a matrix that gives several labels on an item learns from
each for the next. As printed (equation 1) and published (`published`), x^[t] is x^t, the same where
no matrix has two labels on an item; "n_k - 1" is read as n_k^-i.

Blocked: theta and psi are drawn given the labels, and then all true labels at once. Items of a
pattern are exchangeable, so that their number in each category is multinomial. Where labels are
nearly unknown (a rare class, one label an item) the rates move by as little as the labels hold
them. Metropolis steps of the rates alone, after which true labels are drawn anew, sum over them,

    p(theta, psi | labels) ~ prior(theta, psi) prod_p [sum_k theta_k prod_(m, r in p) psi_mkr]^n_p

over the patterns p of n_p items, in x = log(rate / last rate) of each Dirichlet distribution, where
its density is prod_k rate_k^alpha_k. A prior of small weight spreads x over hundreds, so that their
sizes differ three hundredfold.
"""

from typing import NamedTuple

import numpy as np

from crowdgold.models.clara.model import ClaraPrior, LabelPatterns, matrix_of_label
from crowdgold.models.majority import majority_shares
from crowdgold.system.kernels import kernel
from crowdgold.types.annotations import Annotations

FLIPPED = 0.1  # Share of the items of every chain but the first that start in a category at random
STEPS = 5  # Proposals before each sweep, which take about as long as a sweep of few patterns
MOST_RATES = 8  # Free rates beyond which steps in all of them at once would hardly be accepted
SMALLEST, LARGEST = 0.03, 10.0  # deviations of a random step in x, even in their logarithm
FARTHEST = 600.0  # Steps end at |x| below it, where all rates are numbers
SMALL = 1e-200  # weights that add to less are found by logarithms: items can have many labels
TRIES = 10_000  # Draws of a confusion matrix until its diagonal adds to more than 1


class Labels(NamedTuple):
    """Labels of P patterns of items, one entry a label; those of pattern p start at start[p]."""

    items: np.ndarray  # (P,) items of the pattern
    start: np.ndarray  # (P + 1,) first label
    row: np.ndarray  # (labels,) m K + r of a label r from matrix m
    matrix: np.ndarray  # (labels,) m
    alike: np.ndarray  # (labels,) earlier labels r of the matrix on the item; 0 where printed
    before: np.ndarray  # (labels,) the same of earlier labels of the matrix, whatever they are


class Prior(NamedTuple):
    """Dirichlet priors."""

    theta: np.ndarray  # (K,) alpha theta_0
    psi: np.ndarray  # (K, K) gamma_k psi_0,k, turned: label r in rows, true category k in columns
    ordered: bool  # whether it is cut to matrices whose diagonal adds to more than 1


class State(NamedTuple):
    """What a chain is at; changed in place. The shapes, prior plus counts, are of the Dirichlet
    distributions given the true labels. Rows of psi and its shape are m K + r, columns the true
    category.
    """

    y: np.ndarray  # (P,) true category, where a pattern is one item
    theta: np.ndarray  # (K,) prevalence
    psi: np.ndarray  # (M K, K) confusion matrices
    theta_shape: np.ndarray  # (K,) alpha_k + n_k
    psi_shape: np.ndarray  # (M K, K) gamma_kr + c_mkr
    sum_shape: np.ndarray  # (M, K) gamma_k + c_mk; the collapsed sampler alone keeps it up to date


def lay_out(patterns: LabelPatterns, exact: bool) -> Labels:
    """Patterns for compiled code, one entry a label, for the `exact` or the printed conditional."""
    of_cell = np.repeat(np.arange(len(patterns.times)), patterns.times)
    first_of_cell = np.cumsum(patterns.times) - patterns.times
    start = np.concatenate([[0], np.cumsum(patterns.times)])[patterns.start]
    matrix = patterns.matrix[of_cell]
    position = np.arange(len(of_cell))
    alike = position - first_of_cell[of_cell]
    # Cells of a matrix stand together: its first label on the item is where item or matrix change.
    new = np.concatenate([[True], matrix[1:] != matrix[:-1]])[: len(matrix)]
    new[start[:-1][start[:-1] < len(matrix)]] = True
    before = position - np.maximum.accumulate(np.where(new, position, 0))
    return Labels(
        patterns.count, start,
        (matrix * patterns.categories + patterns.label[of_cell]).astype(np.uint32),
        matrix.astype(np.uint32), (alike * exact).astype(np.float32),
        (before * exact).astype(np.float32),
    )  # fmt: skip


def first_categories(
    annotations: Annotations, scattered: bool, rng: np.random.Generator
) -> np.ndarray:
    """Majority votes (I,), ties at random; if `scattered`, `FLIPPED` of them anywhere."""
    shares = majority_shares(annotations)
    K = len(annotations.category)
    shares = np.where(shares.sum(axis=1, keepdims=True) > 0, shares, 1 / K)
    y = (shares.cumsum(axis=1) < rng.random((len(shares), 1))).sum(axis=1).clip(max=K - 1)
    if not scattered:
        return np.asarray(y)
    return np.where(rng.random(len(y)) < FLIPPED, rng.integers(0, K, len(y)), y)


def prior_of(prior: ClaraPrior, ordered: bool) -> Prior:
    """Lay the prior out for compiled code."""
    turned = np.ascontiguousarray(prior.psi.T, dtype=float)
    return Prior(np.array(prior.theta, dtype=float), turned, ordered)


def first_state(
    annotations: Annotations, confusion: str, prior: Prior, y: np.ndarray, patterns: int
) -> State:
    """A chain's state, without rates, of items in categories y; so are patterns that are items."""
    matrix, M = matrix_of_label(annotations, confusion)
    K = len(prior.theta)
    code = (matrix * K + annotations.label) * K + y[annotations.item_of]
    shape = np.bincount(code, minlength=M * K * K).reshape(M, K, K) + prior.psi
    psi = np.broadcast_to((np.full((K, K), 0.5) + 0.5 * K * np.eye(K)) / K, (M, K, K))
    return State(
        y.astype(np.int64) if len(y) == patterns else np.zeros(patterns, dtype=np.int64),
        np.full(K, 1 / K), psi.reshape(M * K, K).copy(), np.bincount(y, minlength=K) + prior.theta,
        shape.reshape(M * K, K), shape.sum(axis=1),
    )  # fmt: skip


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
    """The log density of x, up to a constant, its rates written into theta and psi; -inf beyond
    `FARTHEST`, where an ordered prior has no mass, and where the likelihood underflows.
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
    """Take `STEPS` Metropolis steps of theta and psi, in place; shapes and true labels stay."""
    x, new = np.empty((2, (len(state.theta) - 1) * (1 + len(state.psi))))
    theta, psi = np.empty_like(state.theta), np.empty_like(state.psi)
    _to_ratios(state, x)
    at = _log_posterior(x, labels, prior, theta, psi)
    for _ in range(STEPS):
        _add_random(x, new, rng)
        proposed = _log_posterior(new, labels, prior, theta, psi)
        if -rng.standard_exponential() < proposed - at:
            state.theta[:], state.psi[:], x[:], at = theta, psi, new, proposed


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
    """The weights of an item as in `sweep_collapsed`, and their sum, by logarithms."""
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
    labels: Labels, density: np.ndarray, order: np.ndarray, state: State, chance: np.ndarray,
    keep: bool, rng: np.random.Generator,
) -> None:  # fmt: skip
    """Draw the true label of each item, in `order` (I,), one pattern an item; y and shapes follow.
    `density` (I, K) is in proportion to p(s_i | k), or (0, K) without scores; to `chance` (I, K)
    P(y_i = k | rest) is added where `keep`. 1 taken from a shape and added again rounds it once, to
    the spacing of numbers as large as it has ever been: at most 1e-11 below a hundred thousand
    labels.
    """
    # Five times as slow if arrays were taken out of tuples, or passed on, for each item.
    start, row, matrix = labels.start, labels.row, labels.matrix
    alike, before = labels.alike, labels.before
    y, size, above, below = state.y, state.theta_shape, state.psi_shape, state.sum_shape
    weight, scored = np.empty(len(size)), len(density) > 0
    for i in order:
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
    """The weights of a pattern as in `sweep_blocked`, and their sum, by logarithms."""
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
    """Draw true labels of each pattern's items given theta and psi; shapes anew; else as above."""
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
    """Draw theta and psi given the shapes, in place; give the number of matrices that failed. Where
    the prior is ordered, psi_m is drawn until its diagonal adds to more than 1 (binary labels: TPR
    + TNR > 1), a draw of the posterior under the prior cut to there; one for which that does not
    come about in `TRIES` draws keeps what it was.
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
