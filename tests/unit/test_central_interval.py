"""The central interval of draws holds the truth as often as it says, however few they are."""

import numpy as np
import pytest

from crowdgold.experiment.summaries import coverage_band
from crowdgold.inference.interval import central_interval

TIMES = 40_000


@pytest.mark.parametrize("size", [39, 50, 100, 250])
def test_a_few_exact_draws_hold_the_truth_as_often_as_they_say(size):
    """Truth and draws are exchangeable uniforms: within the binomial band at 3.5 deviations of
    40,000 times, of half-width 0.4 points. The control, NumPy's default place, is 0.8 to 1.9 below
    it.
    """
    rng = np.random.default_rng(size)
    draws, truth = rng.random((size, TIMES)), rng.random(TIMES)
    lower, upper = central_interval(draws, 0.95)
    low, high = coverage_band(TIMES, 0.95)
    assert low <= ((lower <= truth) & (truth <= upper)).mean() <= high
    usual_lower, usual_upper = np.quantile(draws, [0.025, 0.975], axis=0)
    assert ((usual_lower <= truth) & (truth <= usual_upper)).mean() < low


def test_ends_are_the_draws_that_leave_as_many_gaps_outside():
    """Of 79 draws 2 of 80 gaps are below and 2 above; of too few, their smallest and largest."""
    for draws, ends in (
        (np.arange(79)[::-1], (1, 77)), (np.arange(39), (0, 38)), (np.arange(99), (1.5, 96.5)),
        ([3.0, 1.0, 2.0], (1, 3)), ([3.0], (3, 3)),
    ):  # fmt: skip
        assert central_interval(np.array(draws), 0.95) == pytest.approx(ends)


def test_draws_that_are_undefined_are_left_out_column_by_column():
    draws = np.arange(39.0)[:, None] + [0, 100]
    gone = np.vstack([draws, [[np.nan, 500.0]]])
    lower, upper = central_interval(gone, 0.95)
    assert (lower[0], upper[0]) == pytest.approx((0, 38))
    assert lower[1] == pytest.approx(100 + 0.025)
    assert upper[1] == pytest.approx(138 + 0.975 * (500 - 138))
