"""Classifiers' scores in CLARA: a normal distribution for each true category (appendix 7.2).

A K-dimensional score vector s adds to 1, so that K - 1 numbers of it are modelled: its first K - 1
parts, as printed, or their log ratios log(s_k / s_K) to the last. Scores that are a sigmoid of
normal ones (section 7.3) are normal in log ratios alone. Means and covariances are those of the
items now in a category (equations 2 and 3); where there are too few to make a covariance, or the
configuration says so, they are drawn from their posterior under

    Sigma ~ InverseWishart(nu_0, (nu_0 - K) Sigma_0),   mu | Sigma ~ Normal(mu_0, Sigma / lambda_0)

with mu_0 and Sigma_0 those of all items, lambda_0 = 1 and nu_0 = K + 2 (not printed).
"""

from typing import NamedTuple

import numpy as np

from crowdgold.system.kernels import kernel
from crowdgold.types.annotations import Annotations

LAMBDA_0 = 1.0
RIDGE = 1e-10  # share of Sigma_0 in each covariance: scores may hardly differ within a category
LEAST_SHARE = 1e-300  # of the largest density of an item; so that logarithms exist


class ScoreModel(NamedTuple):
    """Scores of C classifiers, as compiled code takes them; C may be 0."""

    x: np.ndarray  # (C, I, K - 1) what is modelled; arbitrary where missing
    known: np.ndarray  # (C, I) whether the item has a score
    mean: np.ndarray  # mean, covariance: mu_0 (C, K - 1) and Sigma_0, of all items
    covariance: np.ndarray
    posterior: bool  # whether distributions are drawn from their posterior rather than fitted


def log_ratios(scores: np.ndarray) -> tuple[np.ndarray, str]:
    """log(s_k / s_K) of score vectors (I, K), NaN where missing, and what was put for zeros, which
    have no logarithm: half the smallest part that any vector of the classifier has, just beyond all
    known.
    """
    zero = scores == 0
    positive = scores[scores > 0]
    least = max(positive.min(initial=1.0) / 2, np.finfo(float).smallest_subnormal)
    filled = np.log(np.where(zero, least, scores))
    touched, known = zero.any(axis=1).sum(), np.isfinite(scores).all(axis=1).sum()
    said = (
        f"{touched} of {known} score vectors have parts of exactly 0; {least:.2g}, half the "
        "smallest other part, stands in for them in log ratios"
    )
    return filled[:, :-1] - filled[:, -1:], said if touched else ""


def score_model(
    annotations: Annotations, scale: str, posterior: bool
) -> tuple[ScoreModel, tuple[str, ...]]:
    """The model of the classifiers that have scores, and notes on what is not as it was given."""
    items, size = len(annotations.item), len(annotations.category) - 1
    parts: list[np.ndarray] = []
    notes: list[str] = []
    for name, vectors in annotations.scores.items():
        x, said = (vectors[:, :-1], "") if scale == "given" else log_ratios(vectors)
        if np.isfinite(x).any():
            parts.append(x)
        else:
            said = "no item has a score"
        notes += [f"{name}: {said}"] if said else []
    values = np.array(parts, dtype=float).reshape(len(parts), items, size)
    known = np.isfinite(values).all(axis=2)
    mean, covariance = np.zeros((len(parts), size)), np.zeros((len(parts), size, size))
    for c, (x, which) in enumerate(zip(values, known, strict=True)):
        mean[c] = x[which].mean(axis=0)
        covariance[c] = np.cov(x[which].T, bias=True) + RIDGE * np.eye(size)
    return ScoreModel(values, known, mean, covariance, posterior), tuple(notes)


@kernel()
def factor(matrix: np.ndarray, scale: float, lower: np.ndarray) -> None:
    """Cholesky L, L L' = scale * matrix, by hand: a library's routine takes seconds to compile."""
    for a in range(len(matrix)):
        for b in range(a + 1):
            rest = scale * matrix[a, b]
            for c in range(b):
                rest -= lower[a, c] * lower[b, c]
            lower[a, b] = np.sqrt(rest) if a == b else rest / lower[b, b]


@kernel()
def draw_normal_inverse_wishart(
    n: float, mean: np.ndarray, centred: np.ndarray, mean_0: np.ndarray, sigma_0: np.ndarray,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Draw (mu, Sigma) given n >= 0 scores, their mean (K - 1,) and sum of centred squares."""
    size, total = len(mean_0), LAMBDA_0 + n
    scale, sigma, mu = np.empty((size, size)), np.zeros((size, size)), np.empty(size)
    lower, root, half = np.empty((3, size, size))
    shift = LAMBDA_0 * n / total
    for a in range(size):
        for b in range(size):
            away = (mean[a] - mean_0[a]) * (mean[b] - mean_0[b])
            scale[a, b] = 2 * sigma_0[a, b] + centred[a, b] + shift * away
    factor(scale, 1.0, lower)
    # Bartlett: Sigma = H' H with A H = L', L L' = scale and A lower triangular.
    for a in range(size):
        for b in range(a):
            root[a, b] = rng.standard_normal()
        root[a, a] = np.sqrt(2 * rng.standard_gamma((size + 3 + n - a) / 2))
        for column in range(size):
            rest = lower[column, a] if column >= a else 0.0
            for b in range(a):
                rest -= root[a, b] * half[b, column]
            half[a, column] = rest / root[a, a]
    for c in range(size):
        for a in range(size):
            for b in range(size):
                sigma[a, b] += half[c, a] * half[c, b]
    factor(sigma, 1 / total, lower)
    for a in range(size):
        half[0, a] = rng.standard_normal()
        mu[a] = (LAMBDA_0 * mean_0[a] + n * mean[a]) / total
        for b in range(a + 1):
            mu[a] += lower[a, b] * half[0, b]
    return mu, sigma


@kernel()
def _moments(
    x: np.ndarray, known: np.ndarray, y: np.ndarray, number: np.ndarray, mean: np.ndarray,
    centred: np.ndarray,
) -> None:  # fmt: skip
    """Write numbers of scores (K,), means, and sums of centred squares by category, over zeros."""
    K, size = mean.shape
    for item in range(len(y)):
        if known[item]:
            number[y[item]] += 1
            for a in range(size):
                mean[y[item], a] += x[item, a]
    for k in range(K):
        for a in range(size):
            mean[k, a] /= max(number[k], 1.0)
    for item in range(len(y)):
        if known[item]:
            k = y[item]
            for a in range(size):
                for b in range(size):
                    centred[k, a, b] += (x[item, a] - mean[k, a]) * (x[item, b] - mean[k, b])


@kernel()
def _add_log_density(
    x: np.ndarray, known: np.ndarray, mean: np.ndarray, lower: np.ndarray, k: int, out: np.ndarray
) -> None:
    """Add log p(x_i | mean, L L'), less a constant of all k, to column k of `out` (I, K)."""
    size, constant = len(mean), 0.0
    solved, inverse = np.empty((2, size))
    for a in range(size):
        constant -= np.log(lower[a, a])
        inverse[a] = 1 / lower[a, a]
    for item in range(len(x)):
        if known[item]:
            distance = 0.0
            for a in range(size):
                away = x[item, a] - mean[a]
                for b in range(a):
                    away -= lower[a, b] * solved[b]
                solved[a] = away * inverse[a]
                distance += solved[a] * solved[a]
            out[item, k] += constant - distance / 2


@kernel()
def find_score_density(
    model: ScoreModel, y: np.ndarray, out: np.ndarray, rng: np.random.Generator
) -> None:
    """Write p(s_i | k), given the items now in each category, y (I,), into `out` (I, K): the
    product over the classifiers as a share of the largest, at least `LEAST_SHARE`; 1 where all are
    missing.
    """
    K, size = out.shape[1], out.shape[1] - 1
    lower = np.empty((size, size))
    for item in range(len(out)):
        for k in range(K):
            out[item, k] = 0.0
    for c in range(len(model.x)):
        x, known, mean_0, sigma_0 = model.x[c], model.known[c], model.mean[c], model.covariance[c]
        number, means, centred = np.zeros(K), np.zeros((K, size)), np.zeros((K, size, size))
        _moments(x, known, y, number, means, centred)
        for k in range(K):
            mean, sigma, n = means[k], centred[k], number[k]
            if model.posterior or n <= size:
                mean, sigma = draw_normal_inverse_wishart(n, mean, sigma, mean_0, sigma_0, rng)
            else:
                for a in range(size):
                    for b in range(size):
                        sigma[a, b] = sigma[a, b] / n + RIDGE * sigma_0[a, b]
            factor(sigma, 1.0, lower)
            _add_log_density(x, known, mean, lower, k, out)
    for item in range(len(out)):
        top = out[item, 0]
        for k in range(1, K):
            top = max(top, out[item, k])
        for k in range(K):
            below = out[item, k] - top
            # The exponential is most of the work, and that of one category is known.
            out[item, k] = max(np.exp(below), LEAST_SHARE) if below < 0 else 1.0
