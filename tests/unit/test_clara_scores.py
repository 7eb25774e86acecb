"""The distributions of classifiers' scores in CLARA against scipy and closed moments."""

import numpy as np
import pandas as pd
from scipy.stats import multivariate_normal

from crowdgold.models.clara.scores import (
    LAMBDA_0,
    draw_normal_inverse_wishart,
    find_score_density,
    log_ratios,
    score_model,
)
from crowdgold.types.annotations import annotations_from_frame


def score_vectors(size, rng):
    scores = rng.dirichlet([2.0, 3.0, 4.0], size)
    scores[rng.random(size) < 0.2] = np.nan
    return scores


def annotated(*classifiers):
    """An item for each score vector, each with one label."""
    size, K = classifiers[0].shape
    frame = pd.DataFrame({"item": np.arange(size).astype(str), "annotator": "a", "label": "0"})
    table = pd.concat(
        pd.DataFrame(scores, columns=[str(k) for k in range(K)])
        .assign(item=frame["item"], classifier=f"c{c}")
        .dropna()
        for c, scores in enumerate(classifiers)
    )
    return annotations_from_frame(frame, [str(k) for k in range(K)], scores=table)


def log_density(annotations, y, scale, posterior, rng):
    model, _ = score_model(annotations, scale, posterior)
    out = np.empty((len(y), len(annotations.category)))
    find_score_density(model, y, out, rng)
    return np.log(out)


def test_fitted_densities_are_those_of_equations_2_and_3():
    """Relative to the largest of an item, but for the ridge of 1e-10; missing scores say nothing.

    Two classifiers' densities multiply.
    """
    rng = np.random.default_rng(1)
    classifiers, y = [score_vectors(300, rng), score_vectors(300, rng)], rng.integers(0, 3, 300)
    found = log_density(annotated(*classifiers), y, "given", False, rng)
    expected = np.zeros((300, 3))
    for scores in classifiers:
        known = np.isfinite(scores).all(axis=1)
        for k in range(3):
            here = scores[known & (y == k), :2]
            mean = here.sum(axis=0) / len(here)
            covariance = sum(np.outer(row - mean, row - mean) for row in here) / len(here)
            normal = multivariate_normal(mean, covariance)
            expected[known, k] += normal.logpdf(scores[known, :2])
    expected -= expected.max(axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert (found == 0).all(axis=1).any()


def test_an_empty_category_is_drawn_from_the_prior_and_others_are_not():
    rng = np.random.default_rng(2)
    annotations, y = annotated(score_vectors(200, rng)), rng.integers(0, 2, 200)
    first, second = (
        log_density(annotations, y, "given", False, np.random.default_rng(seed)) for seed in (3, 4)
    )
    assert np.isfinite(first).all()
    ratios = [np.diff(found, axis=1) for found in (first, second)]
    np.testing.assert_allclose(ratios[0][:, 0], ratios[1][:, 0], atol=1e-9)
    assert not np.allclose(ratios[0][:, 1], ratios[1][:, 1])


def test_draws_have_the_moments_of_the_posterior():
    """E Sigma = S / (nu - p - 1), Cov mu = E Sigma / (lambda_0 + n), to 5 errors of 20,000 draws.

    S and E mu as in Gelman et al. (2013, section 3.6), written out anew.
    """
    rng = np.random.default_rng(5)
    x = rng.normal([0.3, 0.5], [0.1, 0.2], (15, 2))
    mean_0, sigma_0 = np.array([0.1, 0.2]), np.array([[0.04, 0.01], [0.01, 0.09]])
    n, mean = 15, x.mean(axis=0)
    squares = sum(np.outer(row - mean, row - mean) for row in x)
    drawn = [
        draw_normal_inverse_wishart(15.0, mean, squares, mean_0, sigma_0, rng)
        for _ in range(20_000)
    ]
    mu, sigma = (np.array(part) for part in zip(*drawn, strict=True))
    scale = 2 * sigma_0 + squares
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


def test_log_ratios_of_exact_zeros_lie_just_beyond_all_others():
    scores = np.array([[0.2, 0.8], [1.0, 0.0], [np.nan, np.nan], [0.0, 1.0], [0.99, 0.01]])
    found, said = log_ratios(scores)
    expected = np.log([0.2 / 0.8, 1 / 0.005, np.nan, 0.005 / 1, 0.99 / 0.01])
    np.testing.assert_allclose(found[:, 0], expected)
    assert said.startswith("2 of 4 score vectors have parts of exactly 0; 0.005, half")
    assert log_ratios(scores[:1])[1] == ""


def test_log_ratios_are_what_is_modelled_and_notes_are_kept():
    """Sigmoid scores give back the normal numbers they come from; a sigmoid of 40 is 1."""
    rng = np.random.default_rng(6)
    raw = rng.normal(0, 2, 50)
    raw[0] = 40
    score = 1 / (1 + np.exp(-raw))
    annotations = annotated(np.stack([score, 1 - score], axis=1))
    given, none = score_model(annotations, "given", False)
    ratios, notes = score_model(annotations, "log_ratio", False)
    assert not none
    assert [note.partition(":")[0] for note in notes] == ["c0"]
    np.testing.assert_allclose(ratios.x[0, 1:, 0], raw[1:], atol=1e-6)
    assert ratios.x[0, 0, 0] > raw[1:].max()
    assert given.x[0, 0, 0] == 1
