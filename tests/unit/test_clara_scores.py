"""The distributions of classifiers' scores in CLARA against scipy and closed moments."""

import numpy as np
from scipy.stats import multivariate_normal

from crowdgold.models.clara_scores import LAMBDA_0, _draw_normal_inverse_wishart, log_score_density


def score_vectors(size, rng):
    scores = rng.dirichlet([2.0, 3.0, 4.0], size)
    scores[rng.random(size) < 0.2] = np.nan
    return scores


def test_fitted_densities_are_those_of_equations_2_and_3():
    """Up to a constant of all categories and the ridge of 1e-10; missing scores say nothing."""
    rng = np.random.default_rng(1)
    scores, y = score_vectors(300, rng), rng.integers(0, 3, 300)
    found = log_score_density(scores, y, 3, False, rng)
    known = np.isfinite(scores).all(axis=1)
    assert (found[~known] == 0).all()
    for k in range(3):
        here = scores[known & (y == k), :2]
        mean = here.sum(axis=0) / len(here)
        covariance = sum(np.outer(row - mean, row - mean) for row in here) / len(here)
        expected = multivariate_normal(mean, covariance).logpdf(scores[known, :2])
        np.testing.assert_allclose(found[known, k] - np.log(2 * np.pi), expected, rtol=1e-6)


def test_an_empty_category_is_drawn_from_the_prior_and_others_are_not():
    rng = np.random.default_rng(2)
    scores, y = score_vectors(200, rng), rng.integers(0, 2, 200)
    first, second = (
        log_score_density(scores, y, 3, False, np.random.default_rng(seed)) for seed in (3, 4)
    )
    assert np.isfinite(first).all()
    np.testing.assert_array_equal(first[:, :2], second[:, :2])
    assert not np.array_equal(first[:, 2], second[:, 2])


def test_draws_have_the_moments_of_the_posterior():
    """E Sigma = S / (nu - p - 1), Cov mu = E Sigma / (lambda_0 + n), to 5 errors of 20,000 draws.

    S and E mu as in Gelman et al. (2013, section 3.6), written out anew.
    """
    rng = np.random.default_rng(5)
    x = rng.normal([0.3, 0.5], [0.1, 0.2], (15, 2))
    mean_0, sigma_0 = np.array([0.1, 0.2]), np.array([[0.04, 0.01], [0.01, 0.09]])
    drawn = [_draw_normal_inverse_wishart(x, mean_0, sigma_0, rng) for _ in range(20_000)]
    mu, sigma = (np.array(part) for part in zip(*drawn, strict=True))
    n, mean = 15, x.mean(axis=0)
    scale = 2 * sigma_0 + sum(np.outer(row - mean, row - mean) for row in x)
    scale += LAMBDA_0 * n / (LAMBDA_0 + n) * np.outer(mean - mean_0, mean - mean_0)
    expected = scale / (2 + 3 + n - 2 - 1)
    centre = (LAMBDA_0 * mean_0 + n * mean) / (LAMBDA_0 + n)
    spread = np.einsum("di,dj->dij", mu - centre, mu - centre)
    for values, right in (
        (sigma, expected), (mu, centre), (spread, expected / (LAMBDA_0 + n))
    ):  # fmt: skip
        error = values.std(axis=0) / np.sqrt(len(values))
        assert (np.abs(values.mean(axis=0) - right) < 5 * error).all()
    assert (np.abs(mu.mean(axis=0) - mean) > 5 * mu.std(axis=0) / np.sqrt(len(mu))).any()
