"""Draws against posteriors that are known by another route.

Each moment is compared in Monte Carlo standard errors (from the effective sample size). With
z = 5 a comparison fails by chance with probability 6e-7; the 160 comparisons of this file
together with 1e-4. Seeds are fixed, so a machine gives the same answer every time.
"""

import numpy as np
import pytest
from arviz_stats.base import array_stats
from scipy.stats import multivariate_normal

Z = 5.0


def assert_moments(draws, expected):
    """`draws`: (iteration, chain, quantity); `expected`: the posterior means of the quantities."""
    for i, truth in enumerate(expected):
        one = draws[:, :, i].T
        z = (one.mean() - truth) / array_stats.mcse(one, method="mean")
        assert abs(z) < Z, f"quantity {i}: mean {one.mean():.4f}, expected {truth:.4f}, z = {z:.1f}"


@pytest.mark.parametrize("metric", ["diag_e", "dense_e"])
def test_the_moments_of_ten_correlated_normals(model, normal, metric):
    fit = model("correlated_normal").sample(
        normal, chains=4, iter_sampling=2000, metric=metric, seed=71, show_progress=False
    )
    centred = fit.draws()[:, :, 7:17] - np.array(normal["mu"])
    rows, columns = np.triu_indices(10)
    products = centred[:, :, rows] * centred[:, :, columns]
    expected = np.concatenate([np.zeros(10), np.array(normal["S"])[rows, columns]])
    assert_moments(np.concatenate([centred, products], axis=2), expected)
    assert fit.metric_type == metric


def eight_schools_moments(data):
    """Posterior means of mu, theta, their squares, and log tau.

    Given tau everything is Gaussian: the conditional moments are exact, and p(tau | y) is a
    product of a normal density and the prior. What is left is one integral over log tau.
    """
    y, sigma = np.array(data["y"], float), np.array(data["sigma"], float)
    grid = np.linspace(-14, 9, 6001)
    weight, first, second = [], [], []
    for tau in np.exp(grid):
        prior = np.full((9, 9), 25.0) + np.diag([0.0] + [tau**2] * 8)
        marginal = prior[1:, 1:] + np.diag(sigma**2)
        gain = np.linalg.solve(marginal, prior[1:, :]).T
        mean = gain @ y
        variance = np.diag(prior - gain @ prior[1:, :])
        cauchy = 1 / (1 + (tau / 5) ** 2)
        weight.append(multivariate_normal.pdf(y, np.zeros(8), marginal) * cauchy * tau)
        first.append(mean)
        second.append(variance + mean**2)
    share = np.array(weight) / np.sum(weight)
    return np.concatenate([share @ np.array(first), share @ np.array(second), [share @ grid]])


def test_eight_schools(model, schools):
    fit = model("eight_schools").sample(
        schools, chains=4, iter_sampling=2500, adapt_delta=0.95, seed=72, show_progress=False
    )
    mu, theta = fit.stan_variable("mu"), fit.stan_variable("theta")
    tau = fit.stan_variable("tau")
    flat = np.column_stack([mu, theta, mu**2, theta**2, np.log(tau)])
    # cmdstanpy stacks the chains one after another
    assert_moments(flat.reshape(4, 2500, -1).swapaxes(0, 1), eight_schools_moments(schools))


def test_generated_quantities_are_drawn_anew(model, normal):
    built = model("correlated_normal")
    fit = built.sample(normal, chains=1, seed=73, sig_figs=12, show_progress=False)
    again = built.generate_quantities(normal, fit, seed=74)
    total = fit.stan_variable("y").sum(axis=1)
    np.testing.assert_allclose(again.stan_variable("total"), total, rtol=1e-5)
    noise = again.stan_variable("noise")
    assert_moments(np.stack([noise, noise**2], axis=1)[:, None, :], [0, 1])
    assert not np.allclose(noise, fit.stan_variable("noise"))
