"""Classifiers' scores in CLARA: a normal distribution for each true category (appendix 7.2).

A K-dimensional score vector adds to 1, so that its first K - 1 parts are modelled. Means and
covariances are those of the items now in a category (equations 2 and 3); where there are too few to
make a covariance, or the configuration says so, they are drawn from their posterior under

    Sigma ~ InverseWishart(nu_0, (nu_0 - K) Sigma_0),   mu | Sigma ~ Normal(mu_0, Sigma / lambda_0)

with mu_0 and Sigma_0 those of all items, lambda_0 = 1 and nu_0 = K + 2 (not printed).
"""

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

LAMBDA_0 = 1.0
RIDGE = 1e-10
"""Share of Sigma_0 that is added to a covariance: scores may hardly differ within a category."""


def leading_parts(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the first K - 1 parts of score vectors (I, K), and which items (I,) have any."""
    return scores[:, :-1], np.isfinite(scores).all(axis=1)


def _draw_normal_inverse_wishart(
    x: np.ndarray, mean_0: np.ndarray, sigma_0: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw (mu, Sigma) given the scores x (n, K - 1) of a category, which may be none."""
    size, n = len(mean_0), len(x)
    nu = size + 3 + n
    mean = x.mean(axis=0) if n else mean_0
    centred = x - mean
    shift = np.outer(mean - mean_0, mean - mean_0) * LAMBDA_0 * n / (LAMBDA_0 + n)
    scale = 2 * sigma_0 + centred.T @ centred + shift
    # Bartlett: Sigma^-1 = L A A' L' with L L' = scale^-1.
    root = np.tril(rng.normal(size=(size, size)), -1)
    root[np.diag_indices(size)] = np.sqrt(rng.chisquare(nu - np.arange(size)))
    lower = cholesky(scale, lower=True)
    half = solve_triangular(root, lower.T, lower=True).T
    sigma = half @ half.T
    centre = (LAMBDA_0 * mean_0 + n * mean) / (LAMBDA_0 + n)
    drawn = centre + cholesky(sigma / (LAMBDA_0 + n), lower=True) @ rng.normal(size=size)
    return drawn, sigma


def log_score_density(
    scores: np.ndarray, y: np.ndarray, categories: int, posterior: bool, rng: np.random.Generator
) -> np.ndarray:
    """Give log p(s_i | k) of every item under the distributions of the items now in each category.

    Args:
        scores: (I, K) score vectors of one classifier; NaN where missing.
        y: (I,) current true categories.
        categories: K.
        posterior: whether the distributions are drawn from their posterior rather than fitted.
        rng: source of the draws.

    Returns:
        (I, K); zeros where the scores are missing.
    """
    x, known = leading_parts(scores)
    inside, own = x[known], y[known]
    mean_0 = inside.mean(axis=0)
    sigma_0 = np.atleast_2d(np.cov(inside.T, bias=True)) + RIDGE * np.eye(x.shape[1])
    log_density = np.zeros((len(x), categories))
    for k in range(categories):
        here = inside[own == k]
        if posterior or len(here) <= x.shape[1]:
            mean, sigma = _draw_normal_inverse_wishart(here, mean_0, sigma_0, rng)
        else:
            mean = here.mean(axis=0)
            sigma = np.atleast_2d(np.cov(here.T, bias=True)) + RIDGE * sigma_0
        lower = cholesky(sigma, lower=True)
        away = inside - mean
        distance = (away.T * cho_solve((lower, True), away.T)).sum(axis=0)
        log_density[known, k] = -distance / 2 - np.log(np.diag(lower)).sum()
    return log_density
