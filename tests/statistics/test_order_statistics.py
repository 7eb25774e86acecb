"""Ranks in the place of raw scores (MAVEN, appendix A): close at n = 10,000, finite at n = 100."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from scipy.stats import norm

from crowdgold.papers.maven.experiments import compute_order_statistics
from unit.reference import Theta, beta_rule, label_odds

PAPER = {
    "phi": 0.5, "a0": 0.1, "a1": 0.6, "d0": 1.5, "d1": 1.5, "mu": 0.5, "delta": 3.0,
    "votes_total": 3, "percentiles": [1, 50, 99], "datasets": 400, "draws": 4000,
}  # fmt: skip
THETA = Theta(0.5, (0.1, 0.6), (1.5, 1.5), 0.5, 3.0)


def check(n, seed=1, **changes):
    return compute_order_statistics(PAPER | {"n": n} | changes, np.random.default_rng(seed))


def log_odds(u, votes):
    """The log odds of a positive label at utility u, by quadrature."""
    density = []
    for y in (0, 1):
        p, w = beta_rule(*THETA.shapes(y, votes, 3))
        density.append(w @ norm.pdf(u - THETA.mu * y - THETA.delta * p))
    return logit(label_odds(THETA, votes, 3)) + np.log(density[1] / density[0])


def rank_and_score(table):
    """The rows of both sources side by side where at least 30 data sets are behind them."""
    rank, score = (
        table[table["source"] == source].set_index(["percentile", "votes_positive"])
        for source in ("rank", "score")
    )
    known = score[score["datasets"] >= 30]
    return rank.merge(known, left_index=True, right_index=True, suffixes=("_rank", "_score"))


def test_ranks_give_the_log_odds_of_raw_scores_at_10_000_items():
    """At n = 10,000 the paper calls the approximation perfect: means of the two sources agree to
    0.012 and 5 Monte Carlo errors of the sources (deviations from the central 95 %, over the root
    of the number of data sets), over log odds that range from -3.4 to 4.4. The 0.012 are 0.007 for
    the tabulated utilities, which are right to 0.002 where log odds rise by at most mu + delta =
    3.5 for each unit, and 0.005 for the approximation: less than 0.5 at n = 100 (below), falling
    like 1 / n. Log odds that are off by 0.3 must be refused. At n = 100 the ranks say less:
    intervals are wider by the root of 100, in the tails somewhat less; at least 5 times.
    """
    large = rank_and_score(check(10_000, datasets=1000))
    assert len(large) >= 7
    assert np.ptp(large["mean_score"]) > 5
    error = np.hypot(
        *(
            (large[f"upper_{name}"] - large[f"lower_{name}"]) / 3.92
            / np.sqrt(large[f"datasets_{name}"])
            for name in ("rank", "score")
        )
    )  # fmt: skip
    distance = large["mean_rank"] - large["mean_score"]
    assert np.all(np.abs(distance) < 0.012 + 5 * error)
    assert np.all(np.abs(distance + 0.3) > 0.012 + 5 * error)
    small = rank_and_score(check(100, datasets=1000))
    both = small.merge(large, left_index=True, right_index=True, suffixes=("_small", ""))
    for name in ("rank", "score"):
        wide = both[f"upper_{name}_small"] - both[f"lower_{name}_small"]
        assert np.all(wide > 5 * (both[f"upper_{name}"] - both[f"lower_{name}"]))


def test_the_median_of_many_is_at_the_quantile_of_utilities():
    """At n = 10^6 the median utility is known to 0.002: log odds by quadrature at the median of
    2 x 10^6 utilities of Algorithm 1. Both medians have deviations of about 0.0018 and 0.0013
    (1.25 sd / sqrt(n), sd 1.4), the table 0.002, and log odds rise by at most 3.5 for each unit of
    utility: 3.5 (0.002 + 3 x 0.0013) = 0.02, the rank's own spread being averaged over 4,000 draws.
    """
    rng = np.random.default_rng(2)
    y = (rng.random(2_000_000) < THETA.phi).astype(int)
    a, d = np.array(THETA.a)[y], np.array(THETA.d)[y]
    median = np.median(rng.normal(THETA.mu * y + THETA.delta * rng.beta(a * d, (1 - a) * d)))
    table = check(1_000_000, datasets=2, percentiles=[50])
    ranks = table[table["source"] == "rank"].set_index("votes_positive")
    for votes in range(4):
        assert ranks.loc[votes, "mean"] == pytest.approx(log_odds(median, votes), abs=0.02)
        assert ranks.loc[votes, "upper"] - ranks.loc[votes, "lower"] < 0.05


def test_the_lowest_percentile_of_100_items_is_finite():
    """The lowest of 100 items: n + 1 gaps keep it finite (n gaps would put it at -infinity).

    Its mean log odds are near those from the raw scores for each number of votes that the lowest
    item has in at least 30 of 2,000 data sets: within 0.5, an eighth of the error of 4 that n gaps
    with the lowest table value would make, which must be refused. What is left is the
    approximation's own error, visible in the paper's figure too, not Monte Carlo error.
    """
    table = check(100, datasets=2000, percentiles=[1])
    numbers = table[["mean", "lower", "upper"]].to_numpy()
    assert np.all(np.isfinite(numbers))
    both = rank_and_score(table)
    assert len(both) >= 2
    distance = both["mean_rank"] - both["mean_score"]
    assert np.all(np.abs(distance) < 0.5)
    assert not np.any(np.abs(distance - 4) < 0.5)


def test_the_table_says_how_many_data_sets_are_behind_a_row():
    table = check(100, datasets=300, percentiles=[1, 99])
    scores = table[table["source"] == "score"]
    assert scores.groupby("percentile")["datasets"].sum().tolist() == [300, 300]
    assert set(table[table["source"] == "rank"]["datasets"]) == {4000}
    again = check(100, datasets=300, percentiles=[1, 99])
    pd.testing.assert_frame_equal(table, again)
