"""Moments of votes on items without labels, with their sampling error.

v_ij: the vote of judge j on item i, p_j the judge's share of positive votes, q_j the judge's share
of all votes, c an item's number of votes.

    both        p = mean V / c,    V = sum_j v_ij
    by judge    S = sum_j q_j p_j (1 - p_j)
                C = mean sum_{j != k} (v_ij - p_j) (v_ik - p_k) / (c (c - 1))
    by count    S = p (1 - p)
                C = mean V (V - 1) / (c (c - 1)) - p^2

C is the covariance of two judges' votes on one item, and S the variance of a vote, each on average.
Where it is not known who voted, judges who differ in p_j cannot be told from judges who err apart:
with m judges who all vote, the second C is the first less var(p_j) / (m - 1).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from crowdgold.data.judge_table import MISSING

DRAWS = 200
NEARLY_NONE = 1e-6
"""The least share of positive votes that is reckoned with."""


@dataclass(frozen=True, eq=False)
class VoteMoments:
    """Moments in the sample, then drawn about it from their normal approximation: (1 + DRAWS, ...).

    Attributes:
        share, variance, covariance: p, S and C.
        with_scores: (..., scores) the covariance of each score's ranks with a vote.
        of_judge: (..., m) p_j; None where it is not known who voted.
        weight: (m,) q_j.
    """

    share: np.ndarray
    variance: np.ndarray
    covariance: np.ndarray
    with_scores: np.ndarray
    of_judge: np.ndarray | None
    weight: np.ndarray


def _drawn(
    columns: Iterable[np.ndarray],
    rng: np.random.Generator,
    weights: np.ndarray,
    cluster: np.ndarray | None,
) -> np.ndarray:
    """Means of values (n,) in the sample, then drawn about it: (1 + DRAWS, columns)."""
    values = np.stack(list(columns), axis=1)
    mean = np.average(values, axis=0, weights=weights)
    apart = (values - mean) * (weights / weights.sum())[:, None]
    if cluster is not None:
        _, unit = np.unique(cluster, return_inverse=True)
        apart = np.stack([np.bincount(unit, one) for one in apart.T], axis=1)
    error = apart.T @ apart * len(apart) / max(len(apart) - 1, 1)
    return np.vstack([mean, rng.multivariate_normal(mean, error, DRAWS, method="svd")])


def _ranked(scores: np.ndarray, share: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Terms (n,) whose mean is the covariance of scores' ranks and shares of positive votes."""
    known, terms = np.isfinite(scores), np.zeros(len(share))
    if not known.any():
        return terms
    own = weights[known] / weights[known].sum()
    _, place = np.unique(scores[known], return_inverse=True)
    each = np.bincount(place, own)
    ranks = (np.cumsum(each) - each / 2)[place] - 0.5
    apart = share[known] - own @ share[known]
    terms[known] = ranks * apart * weights.sum() / weights[known].sum()
    return terms


def by_count(
    positive: np.ndarray, total: np.ndarray, scores: Iterable[np.ndarray],
    rng: np.random.Generator, weights: np.ndarray, cluster: np.ndarray | None,
) -> VoteMoments:  # fmt: skip
    """Moments of voters who are not known.

    Args:
        positive, total: (n,) positive votes and all votes of each item; two or more.
        scores: (n,) each, NaN where an item has none.
        weights, cluster: (n,) as of `without_gold.ranges`.
    """
    share = positive / total
    pair = positive * (positive - 1.0) / (total * (total - 1.0))
    ranked = [_ranked(one, share, weights) for one in scores]
    p, both, *others = _drawn([share, pair, *ranked], rng, weights, cluster).T
    p = np.clip(p, NEARLY_NONE, 1 - NEARLY_NONE)
    with_scores = np.array(others).reshape(len(ranked), len(p)).T
    return VoteMoments(p, p * (1 - p), both - p**2, with_scores, None, np.ones(1))


def by_judge(
    table: np.ndarray, scores: Iterable[np.ndarray],
    rng: np.random.Generator, weights: np.ndarray, cluster: np.ndarray | None,
) -> VoteMoments:  # fmt: skip
    """Moments of known judges.

    Args:
        table: (n, m) votes by judge, `MISSING` where there is none; each judge and each item has
            some, an item two or more.
        scores, weights, cluster: as of `by_count`.
    """
    seen = table != MISSING
    vote, total = np.where(seen, table, 0), seen.sum(axis=1)
    there = np.average(seen, axis=0, weights=weights)
    mean = np.average(vote, axis=0, weights=weights) / there
    apart = np.where(seen, vote - mean, 0.0)
    pair = (apart.sum(axis=1) ** 2 - (apart**2).sum(axis=1)) / (total * (total - 1))
    share = vote.sum(axis=1) / total
    ranked = [_ranked(one, share, weights) for one in scores]
    columns = [share, pair, *ranked, *(mean + apart / there).T]
    found = np.split(_drawn(columns, rng, weights, cluster), [1, 2, 2 + len(ranked)], axis=1)
    p, of_judge = (np.clip(one, NEARLY_NONE, 1 - NEARLY_NONE) for one in found[::3])
    weight = np.average(seen / total[:, None], axis=0, weights=weights)
    variance = (of_judge * (1 - of_judge)) @ weight
    return VoteMoments(p[:, 0], variance, found[1][:, 0], found[2], of_judge, weight)
