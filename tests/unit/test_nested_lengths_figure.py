"""The comparison of nested fits with the exact cut, on draws whose distances are known."""

import numpy as np
import pytest
from scipy.stats import norm

from crowdgold.models.exact_cut import ScoreDraws
from crowdgold.papers.maven.experiments import compare


def normal_draws(centre, deviation):
    """99,999 draws: the quantiles of a normal, so that nothing is left to chance."""
    at = centre + deviation * norm.ppf(np.arange(1, 100_000) / 100_000)
    return ScoreDraws(np.exp(at), 3 * at, 0)


@pytest.mark.parametrize(("shift", "ratio"), [(0.0, 1.0), (0.5, 1.0), (0.0, 2.0)])
def test_shifts_and_spreads_are_in_deviations_of_the_exact_cut(shift, ratio):
    """The distance of N(s, 1) from N(0, 1) is 2 Phi(s / 2) - 1; of equal draws it is 0."""
    exact, found = normal_draws(0.3, 0.2), normal_draws(0.3 + 0.2 * shift, 0.2 * ratio)
    for row in compare(found, exact):
        assert row["shift"] == pytest.approx(shift, abs=1e-3)
        assert row["spread"] == pytest.approx(ratio, abs=1e-3)
        if ratio == 1:
            assert row["distance"] == pytest.approx(2 * norm.cdf(shift / 2) - 1, abs=1e-3)
        else:
            assert row["distance"] > 0.1
