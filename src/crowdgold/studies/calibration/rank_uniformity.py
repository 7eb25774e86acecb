"""Are ranks uniform? Simultaneous bands for their distribution function (Säilynoja et al., 2022).

Under a right sampler the rank of a prior draw among its posterior draws is uniform on 0 .. L. The
band holds the whole empirical distribution function of N such ranks with a given probability: the
pointwise binomial level is found from simulated sets of uniform ranks.
"""

from functools import cache

import numpy as np
import pandas as pd
from scipy.stats import binom, norm

SIGMA = 3.5
"""A uniform set of ranks leaves its band as seldom as a normal deviate is beyond this."""
SIMULATIONS = 40_000


def rank_of(value: float, draws: np.ndarray, rng: np.random.Generator) -> int:
    """The rank of a value among draws (L,), from 0 to L; ties are broken at random."""
    ties = int(np.sum(draws == value))
    return int(np.sum(draws < value)) + (int(rng.integers(0, ties + 1)) if ties else 0)


def distribution_function(ranks: np.ndarray, largest: int) -> np.ndarray:
    """The share of ranks at or below each of 0 .. L - 1: (L,)."""
    counts = np.bincount(ranks, minlength=largest + 1)
    return np.asarray(np.cumsum(counts)[:-1] / len(ranks))


@cache
def _pointwise_level(number: int, largest: int, sigma: float) -> float:
    """Find the two-sided pointwise level that makes the band simultaneous."""
    rng = np.random.default_rng(20221110)
    share = np.arange(1, largest + 1) / (largest + 1)
    smallest = []
    for _ in range(SIMULATIONS // 1000):
        ranks = rng.integers(0, largest + 1, (1000, number))
        counts = np.stack([np.bincount(row, minlength=largest + 1) for row in ranks])
        below = np.cumsum(counts, axis=1)[:, :-1]
        tail = np.minimum(binom.cdf(below, number, share), binom.sf(below - 1, number, share))
        smallest.append(tail.min(axis=1))
    return float(np.quantile(np.concatenate(smallest), 2 * norm.sf(sigma)))


def uniform_band(number: int, largest: int, sigma: float = SIGMA) -> tuple[np.ndarray, np.ndarray]:
    """The simultaneous band of the distribution function at 0 .. L - 1: (L,) low and high.

    Args:
        number: N, the ranks.
        largest: L, the posterior draws that a rank is taken among.
        sigma: normal deviate with the same two-sided probability as leaving the band.
    """
    share = np.arange(1, largest + 1) / (largest + 1)
    tail = _pointwise_level(number, largest, sigma)
    low = binom.ppf(tail, number, share)
    # The smallest tail that a uniform set reached with this frequency is itself inside.
    low = np.where(binom.cdf(low, number, share) < tail, low + 1, low)
    high = number - binom.ppf(tail, number, 1 - share)
    return np.asarray(low / number), np.asarray(high / number)


def leaves_band(ranks: np.ndarray, largest: int, sigma: float = SIGMA) -> bool:
    """Say whether the distribution function of ranks (N,) in 0 .. L leaves its band."""
    low, high = uniform_band(len(ranks), largest, sigma)
    found = distribution_function(ranks, largest)
    return bool(np.any(found < low - 1e-12) or np.any(found > high + 1e-12))


def check_uniformity(table: pd.DataFrame) -> list[tuple[str, bool]]:
    """Hold the ranks of every sampler against their bands.

    Args:
        table: rows of the check over many replicates, with the column `model`.

    Returns:
        a sentence and whether it is as it must be, for each model: all quantities of a sound model
        inside their bands, at least one quantity of a planted bug outside.
    """
    verdicts = []
    for model, rows in table.groupby("model", sort=False):
        outside = [
            str(quantity)
            for quantity, group in rows.groupby("quantity", sort=False)
            if leaves_band(group["rank"].to_numpy(), int(group["ranks"].iloc[0]))
        ]
        planted = bool(rows["planted"].iloc[0])
        failed = int((~rows.drop_duplicates("replicate")["diagnostics_passed"]).sum())
        found = f"outside the band: {', '.join(outside)}" if outside else "inside all bands"
        sentence = (
            f"{model}{', a planted bug' if planted else ''}: {found}; "
            f"{rows['replicate'].nunique()} replicates; {failed} fits missed the diagnostics gate "
            "and are included"
        )
        verdicts.append((sentence, bool(outside) == planted))
    return verdicts
