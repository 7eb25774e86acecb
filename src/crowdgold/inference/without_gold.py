"""What votes and scores say of a prevalence and an AUC without gold labels: ranges.

Without gold labels two accurate judges, or two copies of one, give the same votes: neither the
prevalence nor an AUC is identified. With p the chance of a positive vote, C the covariance of two
votes on one item, S = p (1 - p), phi the prevalence, a_y the chance of a positive vote on an item
of label y, D = a_1 - a_0, and rho the correlation of two votes' errors given the label:

    p = a_0 + phi D,     C = phi (1 - phi) D^2 + rho (S - phi (1 - phi) D^2)

Any phi for which some D gives rho between `LEAST` and a most that is assumed, and right votes on at
least a share `right` of the items of each label, may be the true one; no shape is assumed. For a
score with ranks U, uniform on (0, 1), and r its correlation with one vote given the label:

    AUC - 1/2 = cov(U, Y) / (phi (1 - phi))
    cov(U, vote) = D cov(U, Y) + r sd(U | Y) sd(vote | Y),     sd(U | Y) <= 1 / sqrt(12)

Any r from 0 to rho, or to a share of it, may be true: the score errs with the judges at most as
they do together. TPR_H is a_1 and TNR_H is 1 - a_0. A range of the prevalence that reaches the
least value that is looked at has no lower end, and begins at 0; so for the most. The ends of a
range are its ends in the sample, moved outwards by the sampling error of the moments (p, C,
cov(U, vote)), which are drawn from their normal approximation.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from crowdgold.data import InputError
from crowdgold.declared import LEVEL

LEAST = -0.05
"""Of rho. Judges of whom some are better than others have one a little below 0 when their errors
are independent, since who voted is not looked at."""
MOST = 0.6
"""Of rho, where a user says nothing."""
RIGHT = 0.7
"""Share of right votes on the items of each label, at least, where a user says nothing."""
ALIKE = 1.0
"""Correlation of a score's error with a vote's, at most, as a share of that of two votes."""
WIDEST = 0.9
"""A range wider than this is no answer."""
WIDE = 0.5
"""A range wider than this says little."""
WANTED = 0.2
"""Width of an interval from the gold labels that are asked for where a range says little."""
LEAST_SHARE = 0.01
"""Of the items, on which gold labels are asked for as if a metric rested on it."""
CONTRADICTED = "the votes contradict what is assumed of the judges"
DRAWS = 200
NEARLY_NONE = 1e-6
"""The least share of positive votes that is reckoned with."""
_RARE = np.geomspace(1e-5, 0.0025, 9)[:-1]
PREVALENCES = np.concatenate([_RARE, np.linspace(0.0025, 0.9975, 200), 1 - _RARE[::-1]])
STEPS = np.linspace(0, 1, 25)
UNKNOWN = (0.1, 0.9)
"""Where the prevalence is taken to be, for a number of gold labels, where votes do not tell it."""


@dataclass(frozen=True)
class Range:
    """A range of values that the data allow, or a refusal.

    Attributes:
        lower, upper: its ends, sampling error in them; NaN where there is no answer.
        gold: gold labels of a random sample that would give an interval of width `WANTED`, where
            the range is wider than `WIDE` or there is no answer; else 0.
        why: why there is no answer; empty where there is one.
    """

    lower: float
    upper: float
    gold: int
    why: str


@dataclass(frozen=True)
class Ranges:
    """Ranges of the prevalence, of voters' rates, of each score's AUC, and of the effective votes.

    Attributes:
        tpr, tnr: of TPR_H and TNR_H, the votes' share of right ones on the items of each label.
        most, right: what was assumed of the correlation of errors, and of the judges.
        between: ends of the range of the prevalence, also where that is refused for its width.
    """

    prevalence: Range
    tpr: Range
    tnr: Range
    auc: dict[str, Range]
    effective: Range
    most: float
    right: float
    between: tuple[float, float]


@dataclass(frozen=True)
class _Allowed:
    """Values (draws, prevalences, steps) that agree with the moments; NaN where none do."""

    phi: np.ndarray
    distance: np.ndarray
    rho: np.ndarray
    spread: np.ndarray


def gold_wanted(share: float, level: float) -> int:
    """Gold labels of a random sample that give a rate an interval of width `WANTED` at most.

    Args:
        share: of the items, on which the rate rests; below .01 it counts as that.
        level: of the interval.
    """
    z = float(ndtri((1 + level) / 2))
    return int(np.ceil((2 * z * 0.5 / WANTED) ** 2 / min(max(share, LEAST_SHARE), 1)))


def _moments(
    columns: list[np.ndarray],
    rng: np.random.Generator,
    weights: np.ndarray,
    cluster: np.ndarray | None,
) -> np.ndarray:
    """Means of values (n,) in the sample, then drawn about it: (1 + DRAWS, columns)."""
    values = np.stack(columns, axis=1)
    mean = np.average(values, axis=0, weights=weights)
    apart = (values - mean) * (weights / weights.sum())[:, None]
    if cluster is not None:
        _, unit = np.unique(cluster, return_inverse=True)
        apart = np.stack([np.bincount(unit, one) for one in apart.T], axis=1)
    error = apart.T @ apart * len(apart) / max(len(apart) - 1, 1)
    drawn = rng.multivariate_normal(mean, error, DRAWS, method="svd")
    found = np.vstack([mean, drawn])
    found[:, 0] = np.clip(found[:, 0], NEARLY_NONE, 1 - NEARLY_NONE)
    return found


def _allowed(p: np.ndarray, covariance: np.ndarray, most: float, right: float) -> _Allowed:
    """Prevalences and distances D that agree with moments (draws,)."""
    p, covariance = p[:, None], covariance[:, None]
    phi, total = PREVALENCES[None], p * (1 - p)
    each = phi * (1 - phi)
    # phi (1 - phi) D^2 is (C - rho S) / (1 - rho), which falls in rho.
    ends = [np.maximum(covariance - rho * total, 0) / (1 - rho) for rho in (most, LEAST)]
    least = np.maximum.reduce(
        [np.sqrt(ends[0] / each), (right - p) / (1 - phi), (p - 1 + right) / phi]
    )
    top = np.minimum.reduce([np.sqrt(ends[1] / each), (1 - p) / (1 - phi), p / phi])
    with np.errstate(invalid="ignore"):
        found = np.where(least <= top, 1.0, np.nan)[..., None]
    distance = found * (least[..., None] + STEPS * (top - least)[..., None])
    between = each[..., None] * distance**2
    spread = total[..., None] - between
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = np.where(spread > 1e-9, (covariance[..., None] - between) / spread, most)
    phi = found * phi[..., None]
    return _Allowed(phi, distance, np.clip(rho, 0, most), np.sqrt(np.maximum(spread, 0)))


def _ends(lower: np.ndarray, upper: np.ndarray, level: float) -> tuple[float, float]:
    """Ends of a range from those of the sample and of the draws: (1 + DRAWS, ...) each."""
    draws = len(lower)
    least = np.where(np.isfinite(lower), lower, np.inf).reshape(draws, -1).min(axis=1)
    most = np.where(np.isfinite(upper), upper, -np.inf).reshape(draws, -1).max(axis=1)
    known = np.isfinite(least) & np.isfinite(most)
    if known.mean() < (1 - level) / 2:
        return np.nan, np.nan
    tail = (1 - level) / 2
    ends = np.quantile(least[known], tail), np.quantile(most[known], 1 - tail)
    return float(ends[0]), float(ends[1])


def _answer(ends: tuple[float, float], gold: int) -> Range:
    """A range, or a refusal, with the gold labels that would do where it says little."""
    lower, upper = ends
    if not np.isfinite(lower):
        return Range(np.nan, np.nan, gold, CONTRADICTED)
    if upper - lower > WIDEST:
        why = f"the data allow anything from {lower:.2f} to {upper:.2f}"
        return Range(np.nan, np.nan, gold, why)
    return Range(lower, upper, gold if upper - lower > WIDE else 0, "")


def _prevalence(allowed: _Allowed, level: float) -> tuple[float, float]:
    """Ends of the range of the prevalence; beyond the values that are looked at lie 0 and 1."""
    phi = allowed.phi[..., 0]
    lower, upper = _ends(phi, phi, level)
    return 0.0 if lower <= PREVALENCES[0] else lower, 1.0 if upper >= PREVALENCES[-1] else upper


def _rates(
    allowed: _Allowed, p: np.ndarray, level: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ends of the ranges of TPR_H and TNR_H: p = a_0 + phi D, a_1 = a_0 + D."""
    phi, distance = (one[..., [0, -1]] for one in (allowed.phi, allowed.distance))
    a0 = p[:, None, None] - phi * distance
    tpr, tnr = (np.clip(one, 0, 1) for one in (a0 + distance, 1 - a0))
    return _ends(tpr, tpr, level), _ends(tnr, tnr, level)


def _auc(allowed: _Allowed, joint: np.ndarray, alike: float, level: float) -> tuple[float, float]:
    """Ends of the range of an AUC; joint (draws,): the covariance of ranks and votes."""
    together = joint[:, None, None]
    each = allowed.phi * (1 - allowed.phi)
    with np.errstate(divide="ignore", invalid="ignore"):
        upper = 0.5 + together / (allowed.distance * each)
        shared = alike * allowed.rho * allowed.spread / np.sqrt(12)
        lower = 0.5 + (together - shared) / (allowed.distance * each)
    outside = (lower > 1) | (upper < 0)
    lower, upper = (np.where(outside, np.nan, np.clip(one, 0, 1)) for one in (lower, upper))
    return _ends(lower, upper, level)


def _check(items: int, most: float, right: float, alike: float) -> None:
    """Raise an `InputError` where what is assumed is not possible, or votes are too few."""
    if not 0 <= most < 1:
        raise InputError(f"correlation of errors at most {most}; expected from 0 to below 1")
    if not 0.5 <= right < 1:
        raise InputError(f"share of right votes at least {right}; expected from 0.5 to below 1")
    if not 0 <= alike <= 1:
        raise InputError(f"share of the correlation {alike}; expected from 0 to 1")
    if items < 2:
        raise InputError(f"votes: found {items} items with two votes or more; expected 2 or more")


def _with_ranks(scores: np.ndarray, share: np.ndarray, weights: np.ndarray) -> np.ndarray:
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


def ranges(
    positive: np.ndarray,
    total: np.ndarray,
    scores: Mapping[str, np.ndarray],
    rng: np.random.Generator,
    most: float = MOST,
    right: float = RIGHT,
    alike: float = ALIKE,
    level: float = LEVEL,
    weights: np.ndarray | None = None,
    cluster: np.ndarray | None = None,
) -> Ranges:
    """Ranges of the prevalence, of rates and AUC, and of the effective votes, without gold labels.

    Args:
        positive, total: (n,) positive votes and all votes of each item; two or more.
        scores: name -> (n,) scores, NaN where an item has none.
        most: correlation of errors given the label, at most.
        right: share of right votes on the items of each label, at least.
        alike: how far a score errs with the votes, at most, as a share of how far two votes do.
        weights: (n,) items of the population that each stands for; None where none are given.
        cluster: (n,) number of the cluster of each item; None where none belong together.

    Raises:
        InputError: where no item has two votes, or an assumption is not possible.
    """
    several = total > 1
    _check(int(several.sum()), most, right, alike)
    of_item = np.ones(len(total)) if weights is None else np.asarray(weights, dtype=float)
    own, share = of_item[several], positive[several] / total[several]
    pair = positive * (positive - 1.0) / np.maximum(total * (total - 1.0), 1)
    together = [_with_ranks(one[several], share, own) for one in scores.values()]
    units = None if cluster is None else cluster[several]
    moments = _moments([share, pair[several], *together], rng, own, units)
    p, covariance = moments[:, 0], moments[:, 1] - moments[:, 0] ** 2
    allowed = _allowed(p, covariance, most, right)
    ends, rates = _prevalence(allowed, level), _rates(allowed, p, level)
    lower, upper = ends if np.isfinite(ends[0]) else UNKNOWN
    gold = {share: gold_wanted(share, level) for share in (1.0, lower, 1 - upper)}
    of_class = max(gold[lower], gold[1 - upper])
    return Ranges(
        _answer(ends, gold[1.0]),
        _answer(rates[0], gold[lower]),
        _answer(rates[1], gold[1 - upper]),
        {
            name: _answer(_auc(allowed, joint, alike, level), of_class)
            for name, joint in zip(scores, moments.T[2:], strict=True)
        },
        _votes(moments, float(np.average(total[several], weights=own)), most, level),
        most,
        right,
        (lower, upper),
    )


def _votes(moments: np.ndarray, m: float, most: float, level: float) -> Range:
    """Effective votes: all m that are there, down to what the votes' correlation allows."""
    p = moments[:, 0]
    rho = float(np.quantile((moments[:, 1] - p**2) / (p * (1 - p)), (1 + level) / 2))
    rho = float(np.clip(rho, 0, most))
    return Range(m / (1 + (m - 1) * rho), m, 0, "")
