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
they do together. The ends of a range are its ends in the sample, moved outwards by the sampling
error of the moments (p, C, cov(U, vote)), which are drawn from their normal approximation.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
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
DRAWS = 200
NEARLY_NONE = 1e-6
"""The least share of positive votes that is reckoned with."""
PREVALENCES = np.linspace(0.0025, 0.9975, 200)
STEPS = np.linspace(0, 1, 25)


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
    """Ranges of the prevalence, of each score's AUC, and of the effective number of votes.

    Attributes:
        most, right: what was assumed of the correlation of errors, and of the judges.
    """

    prevalence: Range
    auc: dict[str, Range]
    effective: Range
    most: float
    right: float


@dataclass(frozen=True)
class _Allowed:
    """Values (draws, prevalences, steps) that agree with the moments; NaN where none do."""

    phi: np.ndarray
    distance: np.ndarray
    rho: np.ndarray
    spread: np.ndarray


def _moments(columns: list[np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """Means of values (n,) in the sample, then drawn about it: (1 + DRAWS, columns)."""
    values = np.stack(columns, axis=1)
    error = np.atleast_2d(np.cov(values.T)) / len(values)
    drawn = rng.multivariate_normal(values.mean(axis=0), error, DRAWS, method="svd")
    found = np.vstack([values.mean(axis=0), drawn])
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


def _answer(ends: tuple[float, float], gold: float) -> Range:
    """A range, or a refusal, with the gold labels that would do where it says little."""
    lower, upper = ends
    if not np.isfinite(lower):
        why = "the votes contradict what is assumed of the judges"
        return Range(np.nan, np.nan, int(np.ceil(gold)), why)
    if upper - lower > WIDEST:
        why = f"the data allow anything from {lower:.2f} to {upper:.2f}"
        return Range(np.nan, np.nan, int(np.ceil(gold)), why)
    return Range(lower, upper, int(np.ceil(gold)) if upper - lower > WIDE else 0, "")


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


def _with_ranks(scores: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Terms (n,) whose mean is the covariance of scores' ranks and shares of positive votes."""
    known = np.isfinite(scores)
    if not known.any():
        return np.zeros(len(share))
    ranks = (pd.Series(scores[known]).rank().to_numpy() - 0.5) / known.sum() - 0.5
    terms = np.zeros(len(share))
    terms[known] = ranks * (share[known] - share[known].mean()) * len(share) / known.sum()
    return terms


def ranges(
    positive: np.ndarray,
    total: np.ndarray,
    scores: dict[str, np.ndarray],
    rng: np.random.Generator,
    most: float = MOST,
    right: float = RIGHT,
    alike: float = ALIKE,
    level: float = LEVEL,
) -> Ranges:
    """Ranges of the prevalence, of AUC and of the effective number of votes, without gold labels.

    Args:
        positive, total: (n,) positive votes and all votes of each item; two or more.
        scores: name -> (n,) scores, NaN where an item has none.
        most: correlation of errors given the label, at most.
        right: share of right votes on the items of each label, at least.
        alike: how far a score errs with the votes, at most, as a share of how far two votes do.

    Raises:
        InputError: where no item has two votes, or an assumption is not possible.
    """
    several = total > 1
    _check(int(several.sum()), most, right, alike)
    share = positive[several] / total[several]
    pair = positive * (positive - 1.0) / np.maximum(total * (total - 1.0), 1)
    together = [_with_ranks(one[several], share) for one in scores.values()]
    moments = _moments([share, pair[several], *together], rng)
    p, covariance = moments[:, 0], moments[:, 1] - moments[:, 0] ** 2
    allowed = _allowed(p, covariance, most, right)
    ends = _ends(allowed.phi, allowed.phi, level)
    z = ndtri((1 + level) / 2)
    least = float(np.clip(ends[0] if np.isfinite(ends[0]) else 0.1, 0.01, 0.5))
    gold = (2 * z * 0.5 / WANTED) ** 2
    auc = {
        name: _answer(_auc(allowed, joint, alike, level), gold / least)
        for name, joint in zip(scores, moments.T[2:], strict=True)
    }
    votes = _votes(moments, total[several], most, level)
    return Ranges(_answer(ends, gold), auc, votes, most, right)


def _votes(moments: np.ndarray, total: np.ndarray, most: float, level: float) -> Range:
    """Effective votes: all that are there, down to what the votes' correlation allows."""
    p, m = moments[:, 0], float(total.mean())
    rho = float(np.quantile((moments[:, 1] - p**2) / (p * (1 - p)), (1 + level) / 2))
    rho = float(np.clip(rho, 0, most))
    return Range(m / (1 + (m - 1) * rho), m, 0, "")
