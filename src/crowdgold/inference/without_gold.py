"""What votes and scores say of a prevalence and an AUC without gold labels: ranges.

Without gold labels two accurate judges, or two copies of one, give the same votes: neither the
prevalence nor an AUC is identified. Any prevalence phi and any D, the share of positive votes on
positive items less that on negative ones, may be the true ones that agree with the moments of the
votes; no shape is assumed. For a score with ranks U, uniform on (0, 1), and r its correlation with
one vote given the label:

    AUC - 1/2 = cov(U, Y) / (phi (1 - phi))
    cov(U, vote) = D cov(U, Y) + r sd(U | Y) sd(vote | Y),     sd(U | Y) <= 1 / sqrt(12)

Any r from 0 to rho, or to a share of it, may be true: the score errs with the judges at most as
they do together. With p the share of positive votes, 1 - TNR_H = p - phi D, and TPR_H is larger by
D. A range of the prevalence that reaches the least value that is looked at has no lower end, and
begins at 0; so for the most. The ends of a range are its ends in the sample, moved outwards by the
sampling error of the moments, which are drawn from their normal approximation.

Moments. v_ij: the vote of judge j on item i, p_j the judge's share of positive votes, q_j the
judge's share of all votes, c an item's number of votes.

    either way    p = mean V / c,    V = sum_j v_ij
    by judge      S = sum_j q_j p_j (1 - p_j)
    by judge      C = mean sum_{j != k} (v_ij - p_j) (v_ik - p_k) / (c (c - 1))
    by count      S = p (1 - p)
    by count      C = mean V (V - 1) / (c (c - 1)) - p^2

C is the covariance of two judges' votes on one item, and S the variance of a vote, each on average.
Where it is not known who voted, judges who differ in p_j cannot be told from judges who err apart:
with m judges who all vote, the second C is the first less var(p_j) / (m - 1).

What agrees with them. a_jy is the chance of a positive vote of judge j on an item of label y,
D_j = a_j1 - a_j0, e_jk the covariance of two judges' errors given the label, D = sum_j q_j D_j:

    cov(v_j, v_k) = phi (1 - phi) D_j D_k + e_jk
    var(v_j)      = phi (1 - phi) D_j^2 + s_j,       s_j the variance given the label

With m = 1 / sum q^2, the number of judges where each votes equally often, and
w = sum_j q_j D_j^2 - D^2, how unequal the judges are:

    C = phi (1 - phi) (D^2 - w / (m - 1)) + rho s,    s = S - phi (1 - phi) (D^2 + w)

rho is the correlation of errors given the label, as `shared_errors` has it. (Where q_j differ, two
judges are taken to meet as often as by chance, and w is m sum_j q_j^2 D_j^2 - D^2.)

Judges by name: each is at least as often positive on positive items as on negative ones, so that
0 <= D_j <= min(p_j / phi, (1 - p_j) / (1 - phi)), and rho is from 0 to a most that is assumed. The
largest D is that of rho = 0 and the largest w: all D_j at their ends but one. The least D is that
of the most rho and w = 0. w is free between: nothing is assumed of how unequal judges are.

Voters who are not known: p_j and w cannot be seen. They are taken to be alike (w = 0, p_j = p), as
they are, too, where each item has others of many: then m is their number, and w / (m - 1) is small.
`LEAST` is a margin for that. Of few judges who all vote it is too small, and ranges need names. Any
phi for which some D gives such a rho, and right votes on at least a share `right` of the items of
each label, is allowed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from crowdgold.types.annotations import MISSING
from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note
from crowdgold.types.parameters import LEVEL

DRAWS = 200
NEARLY_NONE = 1e-6  # The least share of positive votes that is reckoned with
LEAST = -0.05  # Of rho, where it is not known who voted
_RARE = np.geomspace(1e-5, 0.0025, 9)[:-1]
PREVALENCES = np.concatenate([_RARE, np.linspace(0.0025, 0.9975, 200), 1 - _RARE[::-1]])
STEPS = np.linspace(0, 1, 25)
MOST = 0.6  # Of rho, where a user says nothing
RIGHT = 0.7  # Share of right votes on the items of each label, at least, where a user says nothing
ALIKE = 1.0
"""Correlation of a score's error with a vote's, at most, as a share of that of two votes."""
WIDEST = 0.9  # A range wider than this is no answer
WIDE = 0.5  # A range wider than this says little
WANTED = 0.2
"""Width of an interval from the gold labels that are asked for where a range says little."""
LEAST_SHARE = 0.01  # Of the items, on which gold labels are asked for as if a metric rested on it
UNKNOWN = (0.1, 0.9)
"""Where the prevalence is taken to be, for a number of gold labels, where votes do not tell it."""


@dataclass(frozen=True, eq=False)
class VoteMoments:
    """Moments in the sample, then drawn from their normal approximation: (1 + DRAWS, ...)."""

    share: np.ndarray  # p
    variance: np.ndarray  # S
    covariance: np.ndarray  # C
    with_scores: np.ndarray  # (..., scores) the covariance of each score's ranks with a vote
    of_judge: np.ndarray | None  # (..., m) p_j; None where it is not known who voted
    weight: np.ndarray  # (m,) q_j


def _drawn(
    columns: Iterable[np.ndarray], rng: np.random.Generator, weights: np.ndarray,
    cluster: np.ndarray | None,
) -> np.ndarray:  # fmt: skip
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
    """Moments of voters who are not known, from positive and all votes (n,), two or more each."""
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
    """Moments of known judges, from votes (n, m), `MISSING` where none; two or more an item."""
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


@dataclass(frozen=True)
class Allowed:
    """Values (draws, prevalences, steps) that agree with the moments; NaN where none do."""

    phi: np.ndarray
    distance: np.ndarray
    rho: np.ndarray  # the largest correlation of errors
    spread: np.ndarray  # the root of s that goes with it


def allowed_rates(moments: VoteMoments, most: float, right: float) -> Allowed:
    """Prevalences and distances D that agree with moments."""
    p, total, covariance = (
        one[:, None] for one in (moments.share, moments.variance, moments.covariance)
    )
    phi, of_judge, alone = PREVALENCES[None], moments.of_judge, (moments.weight**2).sum()
    each = phi * (1 - phi)
    # phi (1 - phi) D^2 is (C - rho S) / (1 - rho) where judges are alike, which falls in rho.
    ends = [np.maximum(covariance - rho * total, 0) / (1 - rho) for rho in (most, LEAST)]
    least = np.maximum.reduce(
        [np.sqrt(ends[0] / each), (right - p) / (1 - phi), (p - 1 + right) / phi]
    )
    top = np.minimum.reduce([np.sqrt(ends[1] / each), (1 - p) / (1 - phi), p / phi])
    if of_judge is not None:
        # The largest q_j D_j of each judge, (m, draws, prevalences), the largest first.
        single = np.minimum(
            of_judge[:, None] / phi[..., None], (1 - of_judge[:, None]) / (1 - phi)[..., None]
        )
        single = np.moveaxis(-np.sort(-single * moments.weight, axis=-1), -1, 0)
        # The best are as good as can be. What is to be reached is D^2 - sum_j (q_j D_j)^2, which
        # is linear in D between one judge at the end and the next.
        wanted = covariance * (1 - alone) / (PREVALENCES * (1 - PREVALENCES))
        top, reached = np.zeros(wanted.shape), np.zeros(wanted.shape)
        for end in single:
            with np.errstate(divide="ignore", invalid="ignore"):
                step = np.where(top > 0, (wanted - reached) / (2 * top), end)
            step = np.clip(step, 0, end)
            reached, top = reached + 2 * top * step, top + step
        top = np.where(wanted < 0, -1.0, top)
    with np.errstate(invalid="ignore"):
        found = np.where(least <= top, 1.0, np.nan)[..., None]
    distance = found * (least[..., None] + STEPS * (top - least)[..., None])
    between = each[..., None] * distance**2
    spread, shared = total[..., None] - between, covariance[..., None] - between
    if of_judge is not None:
        left, squares = distance, np.zeros(distance.shape)
        for end in single:
            own = np.clip(left, 0, end[..., None])
            left, squares = left - own, squares + own**2
        unequal = each[..., None] * (squares / alone - distance**2)  # the largest w
        fewer = alone / (1 - alone)
        unequal = np.clip(unequal, 0, np.maximum(most * spread - shared, 0) / (most + fewer))
        spread, shared = spread - unequal, shared + fewer * unequal
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = np.where(spread > 1e-9, shared / spread, most)
    phi = found * phi[..., None]
    return Allowed(phi, distance, np.clip(rho, 0, most), np.sqrt(np.maximum(spread, 0)))


@dataclass(frozen=True)
class Range:
    """A range of values that the data allow, or a refusal."""

    lower: float  # its ends, sampling error in them; NaN where there is no answer
    upper: float
    # Gold labels of a random sample for an interval of width `WANTED`, or all items; 0 where there
    # is an answer and it is no wider than `WIDE`.
    gold: int
    why: Note | None  # why there is no answer; None where there is one


@dataclass(frozen=True)
class Ranges:
    """Ranges of the prevalence, of voters' rates, of each score's AUC, and of effective votes."""

    prevalence: Range
    tpr: Range  # the votes' share of right ones on positive items
    tnr: Range  # on negative ones
    auc: dict[str, Range]
    effective: Range
    most: float  # what was assumed
    right: float
    alike: bool  # whether voters were taken to be alike, as it was not known who voted
    between: tuple[float, float]  # ends for the prevalence, also where refused for its width


def gold_wanted(share: float, items: int, level: float) -> int:
    """Gold labels that give a rate of this share of the items an interval of `WANTED` at most."""
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
        return Range(np.nan, np.nan, gold, Note("range_contradicted"))
    if upper - lower > WIDEST:
        why = Note("range_too_wide", {"lower": lower, "upper": upper})
        return Range(np.nan, np.nan, gold, why)
    return Range(lower, upper, gold if upper - lower > WIDE else 0, None)


def ranges(
    positive: np.ndarray, total: np.ndarray, scores: Mapping[str, np.ndarray],
    rng: np.random.Generator, most: float = MOST, right: float = RIGHT, alike: float = ALIKE,
    level: float = LEVEL, weights: np.ndarray | None = None, cluster: np.ndarray | None = None,
    table: np.ndarray | None = None,
) -> Ranges:  # fmt: skip
    """Ranges of the prevalence, of rates and AUC, and of the effective votes, without gold labels.

    `positive` and `total` are an item's votes, (n,), and `scores` name -> (n,), NaN where an item
    has none. What is assumed: `most`, the correlation of errors given the label at most; `right`,
    the share of right votes on the items of each label at least; `alike`, how far a score errs
    with the votes at most, as a share of how far two votes do. `weights`: (n,) items of the
    population that each stands for; `cluster`: (n,) number of the cluster of each item; `table`:
    (n, m) the votes by judge, `MISSING` where there is none; None where it is not known who voted,
    and voters are taken to be alike.
    """
    several = total > 1
    if not 0 <= most < 1:
        raise InputError(f"correlation of errors at most {most}; expected from 0 to below 1")
    if not 0.5 <= right < 1:
        raise InputError(f"share of right votes at least {right}; expected from 0.5 to below 1")
    if not 0 <= alike <= 1:
        raise InputError(f"share of the correlation {alike}; expected from 0 to 1")
    if (number := int(several.sum())) < 2:
        raise InputError(f"votes: found {number} items with two votes or more; expected 2 or more")
    of_item = np.ones(len(total)) if weights is None else np.asarray(weights, dtype=float)
    known = [one[several] for one in scores.values()]
    how = rng, of_item[several], None if cluster is None else cluster[several]
    if table is None:
        moments = by_count(positive[several], total[several], known, *how)
    else:
        own = table[several]
        moments = by_judge(own[:, (own != MISSING).any(axis=0)], known, *how)
    allowed = allowed_rates(moments, most, right)

    # The prevalence: beyond the values that are looked at lie 0 and 1.
    phi = allowed.phi[..., 0]
    lower, upper = _ends(phi, phi, level)
    lower = 0.0 if lower <= PREVALENCES[0] else lower
    upper = 1.0 if upper >= PREVALENCES[-1] else upper
    prevalence = lower, upper
    lower, upper = prevalence if np.isfinite(lower) else UNKNOWN
    gold = {share: gold_wanted(share, len(total), level) for share in (1.0, lower, 1 - upper)}

    # TPR_H and TNR_H: p = a_0 + phi D, a_1 = a_0 + D.
    phi, distance = (one[..., [0, -1]] for one in (allowed.phi, allowed.distance))
    a0 = moments.share[:, None, None] - phi * distance
    tpr, tnr = (np.clip(one, 0, 1) for one in (a0 + distance, 1 - a0))

    each = allowed.phi * (1 - allowed.phi)
    auc = {}
    for name, joint in zip(scores, moments.with_scores.T, strict=True):
        together = joint[:, None, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            high = 0.5 + together / (allowed.distance * each)
            shared = alike * allowed.rho * allowed.spread / np.sqrt(12)
            low = 0.5 + (together - shared) / (allowed.distance * each)
        outside = (low > 1) | (high < 0)
        low, high = (np.where(outside, np.nan, np.clip(one, 0, 1)) for one in (low, high))
        auc[name] = _answer(_ends(low, high, level), max(gold[lower], gold[1 - upper]))

    # Effective votes: all m that are there, down to what the votes' correlation allows.
    rho = np.where(np.isfinite(allowed.phi), allowed.rho, -1).reshape(len(allowed.phi), -1)
    rho = rho.max(axis=1)
    rho = np.where(rho < 0, moments.covariance / moments.variance, rho)
    largest = float(np.clip(np.quantile(rho, (1 + level) / 2), 0, most))
    m = float(np.average(total[several], weights=how[1]))
    return Ranges(
        _answer(prevalence, gold[1.0]),
        _answer(_ends(tpr, tpr, level), gold[lower]),
        _answer(_ends(tnr, tnr, level), gold[1 - upper]),
        auc,
        Range(m / (1 + (m - 1) * largest), m, 0, None),
        most, right, table is None, (lower, upper),
    )  # fmt: skip
