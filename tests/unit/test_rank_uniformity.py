"""Bands for the distribution function of ranks, and the verdict that rests on them."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm

from crowdgold.papers.calibration.simulation_based import (
    check_uniformity,
    distribution_function,
    leaves_band,
    rank_of,
    uniform_band,
)

LARGEST = 99


def test_the_band_is_left_as_seldom_as_it_says():
    """At 2 deviations the share of 4,000 uniform sets that leave the band is at most 4.55 %, and
    more than half of it (counts are whole numbers, so the band can be wider than asked for), with
    4 binomial deviations allowed. A pointwise band, the control, is left far more often.
    """
    rng = np.random.default_rng(1)
    sets = rng.integers(0, LARGEST + 1, (4000, 60))
    found = np.mean([leaves_band(ranks, LARGEST, 2.0) for ranks in sets])
    wanted = 2 * norm.sf(2)
    slack = 4 * np.sqrt(wanted / 4000)
    assert wanted / 2 - slack < found < wanted + slack
    share = np.arange(1, LARGEST + 1) / (LARGEST + 1)
    low, high = binom.interval(1 - wanted, 60, share)
    cumulative = [60 * distribution_function(ranks, LARGEST) for ranks in sets]
    pointwise = np.mean([np.any((c < low) | (c > high)) for c in cumulative])
    assert pointwise > wanted + slack


def test_the_band_holds_its_own_ends_and_narrows_with_more_ranks():
    (low, high), (lower, higher) = (uniform_band(size, LARGEST) for size in (50, 500))
    assert np.all((low >= 0) & (low <= high) & (high <= 1))
    assert np.mean(higher - lower) < 0.5 * np.mean(high - low)


@pytest.mark.parametrize("shape", [(2, 2), (1, 1.8), (0.6, 0.6)])
def test_ranks_that_are_not_uniform_leave_the_band(shape):
    """300 ranks that follow Beta laws: posterior too wide, shifted, too narrow."""
    rng = np.random.default_rng(2)
    ranks = np.floor(rng.beta(*shape, 300) * (LARGEST + 1)).astype(int)
    assert leaves_band(ranks, LARGEST)


def test_a_rank_counts_the_draws_below_and_breaks_ties_at_random():
    rng = np.random.default_rng(3)
    assert rank_of(0.5, np.array([0.1, 0.6, 0.2]), rng) == 2
    tied = [rank_of(1.0, np.ones(4), rng) for _ in range(2000)]
    counts = np.bincount(tied, minlength=5)
    # Five equally likely ranks: each count within 4 binomial deviations of 400.
    assert np.all(np.abs(counts - 400) < 4 * np.sqrt(2000 * 0.2 * 0.8))


def made(model, ranks, planted):
    return pd.DataFrame(
        {"model": model, "replicate": range(len(ranks)), "quantity": "phi", "rank": ranks,
         "ranks": LARGEST, "planted": planted, "diagnostics_passed": True}
    )  # fmt: skip


def test_the_verdict_wants_uniform_ranks_of_sound_models_only():
    rng = np.random.default_rng(4)
    uniform, wrong = rng.integers(0, 100, 200), rng.integers(50, 100, 200)
    models = (("sound", uniform, False), ("unsound", wrong, False), ("bug", wrong, True),
              ("missed_bug", uniform, True))  # fmt: skip
    verdicts = check_uniformity(pd.concat(made(*one) for one in models))
    assert [holds for _, holds in verdicts] == [True, False, True, False]
    assert "outside the band: phi" in verdicts[1][0]
