"""How many independent votes the votes of judges who err together are worth, from gold labels.

v_j: the vote of judge j on an item, y its gold label, w_y the share of gold items of label y, and
S_y the covariance matrix of the m judges' votes on items of label y (unbiased, over the items that
two judges both labelled). Errors given the label:

    var = (1/m) sum_j sum_y w_y S_y,jj
    cov = mean over j < k of sum_y w_y S_y,jk
    rho = cov / var                                    correlation of errors given the label
    n_eff = m / (1 + (m - 1) rho)                      effective number of votes

n_eff is the variance of one vote given the label over that of the mean of m: m where judges err
independently, 1 where they are copies. Where judges on average err apart (rho < 0), it is above m.
Where it is not known who voted, voters are exchangeable, and an item's V of c votes give

    var = a - a^2,   cov = mean V (V - 1) / (c (c - 1)) - a^2,   a = mean V / c       in each class

with a^2 estimated without bias; m is the mean number of votes of an item.

The interval is that of 1 / n_eff = (1 + (m - 1) rho) / m, a ratio of variances, on the scale of its
logarithm: delete-one jackknife over gold items, and Student's t with the degrees of freedom that
the kurtosis of the items' contributions r leaves, 2 n / (kurt(r) - 1), at most n - 1. For a pair of
judges it is on Fisher's scale, atanh(rho).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from crowdgold.data import NO_GOLD
from crowdgold.data.judge_table import MISSING
from crowdgold.declared import LEVEL

FEWEST = 3
"""Gold items of each label that two judges have in common, below which nothing is said."""
LEAST_FREEDOM = 2.0
NO_SPREAD = 1e-8
"""Half the width of an interval below which the gold items do not differ, and there is none."""
NEARLY = 1 - 1e-12
"""The largest correlation on Fisher's scale."""


@dataclass(frozen=True)
class Ends:
    """A value and its interval; NaN where the gold labels do not tell."""

    value: float
    lower: float
    upper: float


NOT_KNOWN = Ends(np.nan, np.nan, np.nan)


@dataclass(frozen=True, eq=False)
class SharedErrors:
    """How far judges err together, and what their votes are worth.

    Attributes:
        votes: an item's, on average: m.
        effective: number of votes, n_eff.
        correlation: of errors given the label, rho.
        pairs: (m, m) correlations of each two judges' errors; empty where they are not known.
        pairs_lower, pairs_upper: their intervals.
        gold: gold items on which this rests.
        level: of the intervals.
    """

    votes: float
    effective: Ends
    correlation: Ends
    pairs: np.ndarray
    pairs_lower: np.ndarray
    pairs_upper: np.ndarray
    gold: int
    level: float


def _freedom(pseudo: np.ndarray, n: int) -> np.ndarray:
    """Degrees of freedom from the kurtosis of jackknife values (n, ...)."""
    apart = pseudo - pseudo.mean(axis=0)
    square = (apart**2).mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        kurtosis = (apart**4).mean(axis=0) / square**2
        found = 2 * n / (kurtosis - 1)
    return np.clip(np.nan_to_num(found, nan=n - 1.0), LEAST_FREEDOM, n - 1)


def _reach(left_out: np.ndarray, level: float) -> np.ndarray:
    """Half the width of an interval, from values (n, ...) each without one item."""
    n = len(left_out)
    apart = left_out - left_out.mean(axis=0)
    error = np.sqrt((n - 1) / n * (apart**2).sum(axis=0))
    return np.asarray(stdtrit(_freedom(left_out, n), (1 + level) / 2) * error)


def _covariances(table: np.ndarray, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Covariance (m, m) of errors given the label, and (n, m, m) without each item."""
    known = table != MISSING
    votes = np.where(known, table, 0).astype(float)
    seen = known.astype(float)
    both = seen[:, :, None] * seen[:, None, :]
    one = votes[:, :, None] * both
    each = np.stack([both, one, one.transpose(0, 2, 1), votes[:, :, None] * votes[:, None, :]])
    whole, without = np.zeros(1), np.zeros(1)
    for label in (0, 1):
        own = gold == label
        total = each[:, own].sum(axis=1)
        rest = total[:, None] - np.where(own[None, :, None, None], each, 0.0)
        n, n_rest = float(own.sum()), own.sum() - own.astype(float)
        whole = whole + n / len(gold) * _covariance(total)
        without = without + (n_rest / (len(gold) - 1))[:, None, None] * _covariance(rest)
    return np.asarray(whole), np.asarray(without)


def _covariance(sums: np.ndarray) -> np.ndarray:
    """Unbiased covariances from sums (4, ...): of items, of each vote, and of the product."""
    n, one, other, product = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n >= FEWEST - 1, (product - one * other / n) / (n - 1), np.nan)


def _of_matrix(covariance: np.ndarray) -> np.ndarray:
    """Rho from covariance matrices (..., m, m); pairs without enough items are left out."""
    size = covariance.shape[-1]
    variance = np.nanmean(np.diagonal(covariance, axis1=-2, axis2=-1), axis=-1)
    upper = np.triu_indices(size, 1)
    return np.asarray(np.nanmean(covariance[..., upper[0], upper[1]], axis=-1) / variance)


def _of_counts(positive: np.ndarray, total: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Rho of exchangeable voters: with all items, then without each of them: (1 + n,)."""
    share = positive / total
    pair = positive * (positive - 1) / (total * (total - 1))
    variance, covariance = np.zeros(1), np.zeros(1)
    for label in (0, 1):
        own = (gold == label).astype(float)
        sums = np.stack([own, own * share, own * share**2, own * pair])
        left = sums.sum(axis=1)[:, None] - np.column_stack([np.zeros(4), sums])
        n, mean, pairs = left[0], left[1] / left[0], left[3] / left[0]
        square = (left[1] ** 2 - left[2]) / (left[0] * (left[0] - 1))
        variance = variance + n * (mean - square)
        covariance = covariance + n * (pairs - square)
    return np.asarray(covariance / variance)


def _worth(rho: np.ndarray, votes: float, level: float) -> tuple[Ends, Ends]:
    """Effective votes and correlation with intervals, from rho of all and without each item."""
    share = (1 + (votes - 1) * rho) / votes
    if not (np.isfinite(share).all() and (share > 0).all()):
        return NOT_KNOWN, NOT_KNOWN
    reach = float(_reach(np.log(share[1:]), level))
    reach = reach if reach > NO_SPREAD else np.nan
    ends = np.exp(np.log(share[0]) + np.array([0.0, -reach, reach]))
    value, lower, upper = (ends * votes - 1) / (votes - 1)
    least = -1 / (votes - 1)
    return (
        Ends(*(1 / ends[[0, 2, 1]]).tolist()),
        Ends(float(value), float(np.maximum(lower, least)), float(np.minimum(upper, 1.0))),
    )


def _pairs(
    whole: np.ndarray, without: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Correlations of each two judges' errors (m, m), and the ends of their intervals."""

    def fisher(covariance: np.ndarray) -> np.ndarray:
        spread = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
        with np.errstate(divide="ignore", invalid="ignore"):
            rho = covariance / (spread[..., :, None] * spread[..., None, :])
            return np.asarray(np.arctanh(np.clip(rho, -NEARLY, NEARLY)))

    value = fisher(whole)
    with np.errstate(invalid="ignore"):
        reach = _reach(fisher(without), level)
    found = [np.tanh(value), np.tanh(value - reach), np.tanh(value + reach)]
    found[0][np.eye(len(value), dtype=bool)] = np.nan
    for end in found[1:]:
        end[~(reach > NO_SPREAD) | np.eye(len(value), dtype=bool)] = np.nan
    value, lower, upper = found
    return value, lower, upper


def _enough(gold: np.ndarray) -> bool:
    """Whether there are enough gold items of each label."""
    return min((gold == 0).sum(), (gold == 1).sum()) >= FEWEST


def _nothing(votes: float, gold: np.ndarray, level: float) -> SharedErrors:
    empty = np.empty((0, 0))
    return SharedErrors(votes, NOT_KNOWN, NOT_KNOWN, empty, empty, empty, len(gold), level)


def of_judges(table: np.ndarray, gold: np.ndarray, level: float = LEVEL) -> SharedErrors:
    """How far known judges err together.

    Args:
        table: (n, m) votes 0 and 1 by judge, -1 where there is none.
        gold: (n,) labels, `NO_GOLD` where there is none.
    """
    rows = (gold != NO_GOLD) & (table != MISSING).any(axis=1)
    table, gold = table[rows], gold[rows]
    votes = float((table != MISSING).sum(axis=1).mean()) if len(gold) else np.nan
    if not _enough(gold) or votes <= 1:
        return _nothing(votes, gold, level)
    whole, without = _covariances(table, gold)
    judged = np.isfinite(np.diagonal(whole)).sum() > 1 and np.nansum(np.diagonal(whole)) > 0
    if not judged or not np.isfinite(whole[np.triu_indices(len(whole), 1)]).any():
        return _nothing(votes, gold, level)
    rho = np.concatenate([_of_matrix(whole)[None], _of_matrix(without)])
    effective, correlation = _worth(rho, votes, level)
    pairs = _pairs(whole, without, level)
    return SharedErrors(votes, effective, correlation, *pairs, len(gold), level)


def of_votes(
    positive: np.ndarray, total: np.ndarray, gold: np.ndarray, level: float = LEVEL
) -> SharedErrors:
    """How far voters err together where it is not known who they are.

    Args:
        positive, total: (n,) positive votes and all votes of each item; one vote says nothing.
        gold: (n,) labels, `NO_GOLD` where there is none.
    """
    rows = (gold != NO_GOLD) & (total > 1)
    gold = gold[rows]
    votes = float(total[rows].mean()) if len(gold) else np.nan
    if not _enough(gold):
        return _nothing(votes, gold, level)
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = _of_counts(positive[rows].astype(float), total[rows].astype(float), gold)
    effective, correlation = _worth(rho, votes, level)
    empty = np.empty((0, 0))
    return SharedErrors(votes, effective, correlation, empty, empty, empty, len(gold), level)
