"""The check of nested fits by their length, sampled by Stan."""

import numpy as np
from scipy.stats import kstwo

from crowdgold.studies.maven.nested_lengths import EXACT_AGAIN, check_nested_lengths

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
    found = check_nested_lengths(
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
