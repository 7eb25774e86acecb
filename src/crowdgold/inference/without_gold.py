"""What votes and scores say of a prevalence and an AUC without gold labels: ranges.

Without gold labels two accurate judges, or two copies of one, give the same votes: neither the
prevalence nor an AUC is identified. Any prevalence phi and any D, the share of positive votes on
positive items less that on negative ones, may be the true ones that agree with the moments of the
votes (`allowed_rates`); no shape is assumed. For a score with ranks U, uniform on (0, 1), and r its
correlation with one vote given the label:

    AUC - 1/2 = cov(U, Y) / (phi (1 - phi))
    cov(U, vote) = D cov(U, Y) + r sd(U | Y) sd(vote | Y),     sd(U | Y) <= 1 / sqrt(12)

Any r from 0 to rho, or to a share of it, may be true: the score errs with the judges at most as
they do together. With p the share of positive votes, 1 - TNR_H = p - phi D, and TPR_H is larger by
D. A range of the prevalence that reaches the least value that is looked at has no lower end, and
begins at 0; so for the most. The ends of a range are its ends in the sample, moved outwards by the
sampling error of the moments, which are drawn from their normal approximation.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from crowdgold.data import InputError
from crowdgold.data.judge_table import MISSING
from crowdgold.declared import LEVEL
from crowdgold.inference.allowed_rates import PREVALENCES, Allowed, allowed_rates
from crowdgold.inference.vote_moments import VoteMoments, by_count, by_judge

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
UNKNOWN = (0.1, 0.9)
"""Where the prevalence is taken to be, for a number of gold labels, where votes do not tell it."""


@dataclass(frozen=True)
class Range:
    """A range of values that the data allow, or a refusal.

    Attributes:
        lower, upper: its ends, sampling error in them; NaN where there is no answer.
        gold: gold labels of a random sample that would give an interval of width `WANTED`, or all
            items where these are fewer; 0 where there is an answer and it is no wider than `WIDE`.
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
        alike: whether voters were taken to be alike, as it was not known who voted.
        between: ends of the range of the prevalence, also where that is refused for its width.
    """

    prevalence: Range
    tpr: Range
    tnr: Range
    auc: dict[str, Range]
    effective: Range
    most: float
    right: float
    alike: bool
    between: tuple[float, float]


def gold_wanted(share: float, items: int, level: float) -> int:
    """Gold labels of a random sample that give a rate an interval of width `WANTED` at most.

    Args:
        share: of the items, on which the rate rests; below .01 it counts as that.
        items: that there are; no more labels than these are foretold.
        level: of the interval.
    """
    z = float(ndtri((1 + level) / 2))
    wanted = (2 * z * 0.5 / WANTED) ** 2 / min(max(share, LEAST_SHARE), 1)
    return min(int(np.ceil(wanted)), items)


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


def _prevalence(allowed: Allowed, level: float) -> tuple[float, float]:
    """Ends of the range of the prevalence; beyond the values that are looked at lie 0 and 1."""
    phi = allowed.phi[..., 0]
    lower, upper = _ends(phi, phi, level)
    return 0.0 if lower <= PREVALENCES[0] else lower, 1.0 if upper >= PREVALENCES[-1] else upper


def _rates(
    allowed: Allowed, p: np.ndarray, level: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ends of the ranges of TPR_H and TNR_H: p = a_0 + phi D, a_1 = a_0 + D."""
    phi, distance = (one[..., [0, -1]] for one in (allowed.phi, allowed.distance))
    a0 = p[:, None, None] - phi * distance
    tpr, tnr = (np.clip(one, 0, 1) for one in (a0 + distance, 1 - a0))
    return _ends(tpr, tpr, level), _ends(tnr, tnr, level)


def _auc(allowed: Allowed, joint: np.ndarray, alike: float, level: float) -> tuple[float, float]:
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
    table: np.ndarray | None = None,
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
        table: (n, m) the votes by judge, `MISSING` where there is none; None where it is not known
            who voted, and voters are taken to be alike.

    Raises:
        InputError: where no item has two votes, or an assumption is not possible.
    """
    several = total > 1
    _check(int(several.sum()), most, right, alike)
    of_item = np.ones(len(total)) if weights is None else np.asarray(weights, dtype=float)
    known = [one[several] for one in scores.values()]
    how = rng, of_item[several], None if cluster is None else cluster[several]
    if table is None:
        moments = by_count(positive[several], total[several], known, *how)
    else:
        own = table[several]
        moments = by_judge(own[:, (own != MISSING).any(axis=0)], known, *how)
    allowed = allowed_rates(moments, most, right)
    ends, rates = _prevalence(allowed, level), _rates(allowed, moments.share, level)
    lower, upper = ends if np.isfinite(ends[0]) else UNKNOWN
    gold = {share: gold_wanted(share, len(total), level) for share in (1.0, lower, 1 - upper)}
    of_class = max(gold[lower], gold[1 - upper])
    return Ranges(
        _answer(ends, gold[1.0]),
        _answer(rates[0], gold[lower]),
        _answer(rates[1], gold[1 - upper]),
        {
            name: _answer(_auc(allowed, joint, alike, level), of_class)
            for name, joint in zip(scores, moments.with_scores.T, strict=True)
        },
        _votes(allowed, moments, float(np.average(total[several], weights=how[1])), most, level),
        most,
        right,
        table is None,
        (lower, upper),
    )


def _votes(allowed: Allowed, moments: VoteMoments, m: float, most: float, level: float) -> Range:
    """Effective votes: all m that are there, down to what the votes' correlation allows."""
    rho = np.where(np.isfinite(allowed.phi), allowed.rho, -1).reshape(len(allowed.phi), -1)
    rho = rho.max(axis=1)
    rho = np.where(rho < 0, moments.covariance / moments.variance, rho)
    largest = float(np.clip(np.quantile(rho, (1 + level) / 2), 0, most))
    return Range(m / (1 + (m - 1) * largest), m, 0, "")
