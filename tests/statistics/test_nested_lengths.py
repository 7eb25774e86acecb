"""The check of nested fits by their length, sampled by Stan."""

import numpy as np
from scipy.stats import kstwo, norm

from crowdgold.models.exact_cut import ScoreDraws
from crowdgold.papers.maven.experiments import EXACT_AGAIN, compare, compute_nested_lengths, modes

STUDY = {
    "n": 1000, "n_gold": 200, "phi": 0.3, "a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5,
    "votes_total": 2, "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip


def test_nested_fits_of_ten_iterations_are_as_near_as_chance_lets_them(stan):
    """60 draws of each way: two-sample Kolmogorov-Smirnov at level 1e-5, two quantities.

    60 draws shifted by 0.8 deviations lie 0.31 apart on average, so that the bound of 0.44 refuses
    a shift of 1.2 deviations and more; equal draws, such as the first exact cut given twice, would
    be at 0, which no row may be.
    """
    found = compute_nested_lengths(
        {"simulator": "maven", "study": STUDY, "lengths": [10], "chains": 2, "warmup": 200,
         "draws": 200, "vote_draws": 60},
        np.random.default_rng(8), stan,
    )  # fmt: skip
    assert found["length"].tolist() == [EXACT_AGAIN, EXACT_AGAIN, 10, 10]
    assert found["quantity"].tolist() == ["log mu", "delta"] * 2
    bound = kstwo.isf(1e-5, 60 * 60 / (60 + 60))
    assert found["distance"].between(1e-9, bound).all()
    assert (found[["failures", "exact_failures"]] == 0).all(axis=None)
    assert (found["seconds"] > 0).all()


def test_modes_are_counted_and_draws_in_tails():
    """Quantiles of a normal have one mode, of two normals six deviations apart two.

    One draw of 500 at 30 deviations is the only one in a tail.
    """
    normal = norm.ppf((np.arange(500) + 0.5) / 500)
    assert modes(normal) == 1
    assert modes(np.concatenate([normal[::2] - 3, normal[::2] + 3])) == 2
    assert modes(np.ones(5)) == 1
    exact = ScoreDraws(np.exp(normal), normal, 0)
    off = ScoreDraws(np.exp(normal), np.append(normal[1:], 30.0), 0)
    log_mu, delta = compare(off, exact)
    assert (log_mu["far"], delta["far"], delta["exact_far"]) == (0, 1 / 500, 0)
