"""Agreement of several labels of an item: Krippendorff's alpha, for labels without order.

With n_uk labels k of item u, n_u of them in all, and n of items that have two or more:

    D_o = (1 / n) sum_u [n_u^2 - sum_k n_uk^2] / (n_u - 1)          observed disagreement
    D_e = [n^2 - sum_k n_k^2] / (n (n - 1))                          that of labels paired at random
    alpha = 1 - D_o / D_e

(Krippendorff, Computing Krippendorff's alpha-reliability, 2011, section C). An item with one label
says nothing of agreement and is left out; who gave a label does not matter.
"""

from dataclasses import dataclass

import numpy as np

from crowdgold.inference.central_interval import central_interval


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha: 1 where labels agree, 0 where they do as if drawn at random.

    Attributes:
        alpha: NaN where no item has two labels, or all labels are the same.
        lower, upper: percentile bootstrap interval over items.
        items: items with two or more labels.
        level: of the interval.
    """

    alpha: float
    lower: float
    upper: float
    items: int
    level: float


def alpha_of_patterns(counts: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Krippendorff's alpha of items that have one of P patterns of labels.

    Args:
        counts: (P, K) labels of each category in a pattern.
        times: (..., P) items of each pattern.

    Returns:
        (...) alpha, NaN where it is not defined.
    """
    total = counts.sum(axis=1)
    pairable = total > 1
    counts, total, times = counts[pairable], total[pairable], times[..., pairable]
    apart = (total**2 - (counts**2).sum(axis=1)) / (total - 1)
    of_category = times @ counts
    n = of_category.sum(axis=-1)
    expected = n**2 - (of_category**2).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - (n - 1) * (times @ apart) / expected, np.nan)


def agreement(
    counts: np.ndarray, rng: np.random.Generator, level: float = 0.95, resamples: int = 1000
) -> Agreement:
    """Measure the agreement of labels, with an interval over items.

    Args:
        counts: (n, K) labels of each category that each item has.
        resamples: of the items that have two or more labels.
    """
    several = counts[counts.sum(axis=1) > 1].astype(np.int64)
    if not len(several):
        return Agreement(np.nan, np.nan, np.nan, 0, level)
    patterns, times = np.unique(several, axis=0, return_counts=True)
    patterns = patterns.astype(float)
    alpha = float(alpha_of_patterns(patterns, times.astype(float)))
    drawn = rng.multinomial(len(several), times / times.sum(), size=resamples).astype(float)
    values = alpha_of_patterns(patterns, drawn)
    values = values[np.isfinite(values)]
    if not np.isfinite(alpha) or len(values) < 2:
        return Agreement(alpha, np.nan, np.nan, len(several), level)
    lower, upper = central_interval(values, level)
    return Agreement(alpha, float(lower), float(upper), len(several), level)
