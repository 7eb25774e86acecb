"""The binned rank likelihood: what the ranking says of (mu, delta), nothing counted twice.

Given votes and gold the utilities of the items are independent, with distribution function F_k in
vote set k. The ranking is cut into B bins of nearly equal size, with n_kb items of vote set k in
bin b; items of equal scores are in one bin. With the cut points at the quantiles t_b of the whole
distribution the likelihood is

    F_k    = q_k F_1,Vk + (1 - q_k) F_0,Vk            F_yv: `utility_distribution`
    Fbar   = sum_k (N_k / n) F_k,     t_b = Fbar^-1(c_b),  c_b the share of items in bins 1 .. b
    log L  = sum_kb n_kb log[F_k(t_b) - F_k(t_b-1)]

It is Hoeffding's (1951) likelihood of ranks, with the order statistics at the cuts put where they
are expected. The paper's pairwise likelihood (`score_model`) treats win counts that share items as
independent instead, and is too sure. Positives may have a deviation of their own, U | Y = 1 ~
Normal(mu + delta P, sd); the paper has 1 for both.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from crowdgold.models.priors import PAPER_PRIOR, ScorePrior
from crowdgold.models.score_model import TRUSTED_DELTA, Conditioned
from crowdgold.models.utility_distribution import (
    LEAST,
    REACH,
    STEP,
    mixture_at,
    table_kernel,
    tabulate_distribution,
    tails_at,
)
from crowdgold.models.vote_sets import VoteParameters, VoteSets
from crowdgold.types.items import Ranking

MOST_BINS = 40
ITEMS_A_BIN = 23


def number_of_bins(n: int) -> int:
    """The number of bins of n items: 40, fewer below 920 items, 30 at 700; 2 at least."""
    return max(2, min(MOST_BINS, n // ITEMS_A_BIN))


def nodes_for_distribution(delta: float) -> int:
    """The Gauss-Jacobi nodes that hold the log-likelihood at this delta, in deviations."""
    return max(10, math.ceil(8 + 1.4 * min(abs(delta), 2 * TRUSTED_DELTA)))


def bin_ends(ranking: Ranking, number: Callable[[int], int]) -> np.ndarray:
    """How many items are in the first 1 .. B bins, (B,), of whole groups of equal scores: a group
    larger than the mean bin is a bin of its own, and the others are cut at the group ends nearest
    to equal sizes. `number` says how many bins for items without ties.
    """
    sizes, last = ranking.sizes, len(ranking.ends) - 1
    large = (sizes > 1) & (sizes * number(len(ranking)) > len(ranking))
    cuts = [np.flatnonzero(large), np.flatnonzero(large) - 1, np.array([last])]
    if last > 0:
        small = np.cumsum(np.where(large, 0, sizes))
        bins = number(int(small[-1]))
        wanted = -(-np.arange(1, bins) * small[-1] // bins)
        after = np.minimum(np.searchsorted(small[:last], wanted), last - 1)
        before = np.maximum(after - 1, 0)
        nearer = wanted - small[before] <= np.abs(small[after] - wanted)
        cuts.append(np.where(nearer, before, after))
    chosen = np.unique(np.concatenate(cuts))
    return np.asarray(ranking.ends[chosen[chosen >= 0]])


@table_kernel
def _count(member_in_order: np.ndarray, ends: np.ndarray, sets: int) -> np.ndarray:
    count = np.zeros((len(ends), sets))
    start = 0
    for b in range(len(ends)):
        for rank in range(start, ends[b]):
            count[b, member_in_order[rank]] += 1
        start = ends[b]
    return count


@dataclass(frozen=True)
class BinnedRanks:
    """One predictor's ranking, binned."""

    count: np.ndarray  # (B, m) items n_kb of each vote set in each bin, lowest scores first
    # (B - 1,) vote set of the highest item of each bin but the last; where several items share that
    # score, the vote set that most of them are of
    highest: np.ndarray
    free_sd: bool = False  # whether positives have a standard deviation of their own
    prior: ScorePrior = PAPER_PRIOR  # of (mu, delta)

    @classmethod
    def of(
        cls, member: np.ndarray, ranking: Ranking, sets: int, free_sd: bool = False,
        prior: ScorePrior = PAPER_PRIOR,
    ) -> "BinnedRanks":  # fmt: skip
        """Count items by bin and by vote set, `member` (n,), in one pass over the ranking."""
        ends, in_order = bin_ends(ranking, number_of_bins), member[ranking.order]
        groups = np.searchsorted(ranking.ends, ends[:-1])
        starts = ranking.ends[groups] - ranking.sizes[groups]
        highest = [
            np.bincount(in_order[start:end]).argmax()
            for start, end in zip(starts, ends[:-1], strict=True)
        ]
        return cls(_count(in_order, ends, sets), np.array(highest, dtype=int), free_sd, prior)

    def conditioned(
        self, sets: VoteSets, vote: VoteParameters, draw: int
    ) -> "ConditionedBinnedRanks":
        """The likelihood given one draw of the vote model, with sd = 1."""
        return ConditionedBinnedRanks.at(self, sets, vote, draw)


@dataclass(frozen=True)
class ConditionedBinnedRanks(Conditioned[BinnedRanks]):
    """The binned rank likelihood given one draw of the vote model."""

    sd: float = 1.0  # standard deviation of the utilities of positives; that of negatives is 1

    def with_sd(self, sd: float) -> "ConditionedBinnedRanks":
        """The same with another standard deviation of positives."""
        return replace(self, sd=sd)

    def cost(self, delta: float) -> float:
        """What an evaluation costs, the tables of its delta included."""
        return 100.0 + abs(delta)

    def log_likelihood(self, mu: np.ndarray, delta: np.ndarray) -> np.ndarray:
        """The log-likelihood, up to a constant: mu (D, M), a row for each delta (D,) -> (D, M)."""
        widest = float(np.abs(delta).max()) / min(self.sd, 1.0)
        points, weights = self.nodes(nodes_for_distribution(widest))
        # Beyond this mu the labels lie apart: nothing changes any more.
        apart = np.abs(delta)[:, None] + 4 * REACH * max(1.0, self.sd)
        return np.asarray(
            _log_likelihood(
                np.minimum(mu, apart), delta, self.sd,
                points.transpose(1, 0, 2).copy(), weights.transpose(1, 0, 2).copy(),
                self.pattern_shares(), self.label_probability, self.sets.pattern, self.data.count,
            )
        )  # fmt: skip


@table_kernel
def _quantiles(
    mu: float, sd: float, low_0: float, mixture_0: np.ndarray, low_1: float,
    mixture_1: np.ndarray, share: np.ndarray, result: np.ndarray,
) -> None:  # fmt: skip
    """Write Fbar^-1 at ascending shares to `result`: a cell by scanning, then Newton within it."""
    t = min(low_0, mu + sd * low_1)
    end = max(low_0 + STEP * (len(mixture_0) - 1), mu + sd * (low_1 + STEP * (len(mixture_1) - 1)))
    stride = 2 * STEP * min(1.0, sd)
    last, reached = t, 0.0
    for b in range(len(share)):
        while reached < share[b] and t < end:
            last, before = t, reached
            t += stride
            reached = (
                mixture_at(t, low_0, mixture_0)[0] + mixture_at((t - mu) / sd, low_1, mixture_1)[0]
            )
            start = last + stride * (share[b] - before) / max(reached - before, 1e-300)
        if b > 0 and result[b - 1] > last:  # in the same cell as the quantile before
            start = 0.5 * (result[b - 1] + t)
        result[b] = _newton(
            share[b], max(last, result[b - 1]) if b > 0 else last, t, start,
            mu, sd, low_0, mixture_0, low_1, mixture_1,
        )  # fmt: skip


@table_kernel
def _newton(
    share: float, low: float, high: float, start: float, mu: float, sd: float,
    low_0: float, mixture_0: np.ndarray, low_1: float, mixture_1: np.ndarray,
) -> float:  # fmt: skip
    """Solve Fbar(t) = share in [low, high]; halve the bracket where Newton leaves it."""
    t = min(max(start, low), high)
    for _ in range(60):
        value_0, density_0 = mixture_at(t, low_0, mixture_0)
        value_1, density_1 = mixture_at((t - mu) / sd, low_1, mixture_1)
        excess = value_0 + value_1 - share
        if excess > 0:
            high = t
        else:
            low = t
        density = density_0 + density_1 / sd
        previous = t
        t = t - excess / density if density > 1e-250 else low - 1.0
        if not low <= t <= high:
            t = 0.5 * (low + high)
        if abs(t - previous) < 1e-6:  # Newton's next step would be of the order of its square
            break
    return t


@table_kernel
def tabulate_labels(
    delta: float, sd: float, points: np.ndarray, weights: np.ndarray, pattern_share: np.ndarray
) -> tuple[
    tuple[float, np.ndarray, np.ndarray], tuple[float, np.ndarray, np.ndarray]
]:  # fmt: skip
    """`tabulate_distribution` for label 0, and for label 1 in units of its deviation."""
    return (
        tabulate_distribution(delta, points[0], weights[0], pattern_share[0]),
        tabulate_distribution(delta / sd, points[1], weights[1], pattern_share[1]),
    )


@table_kernel
def write_masses(
    mu: float, sd: float, low_0: float, table_0: np.ndarray, mixture_0: np.ndarray,
    low_1: float, table_1: np.ndarray, mixture_1: np.ndarray, share: np.ndarray, mass: np.ndarray,
) -> None:  # fmt: skip
    """Write P(t_b-1 < U < t_b), (B, 2, p), to `mass`; t_b: quantiles of Fbar at `share`."""
    bins, _, patterns = mass.shape
    cut = np.empty(bins - 1)
    _quantiles(mu, sd, low_0, mixture_0, low_1, mixture_1, share, cut)
    # Rows: label 0 and 1 at one cut, then at the next.
    below, above = np.empty((4, patterns)), np.empty((4, patterns))
    below[:2], above[:2] = 0.0, 1.0
    for b in range(bins):
        last, this = 2 * (b % 2), 2 * ((b + 1) % 2)
        if b == bins - 1:
            below[this : this + 2], above[this : this + 2] = 1.0, 0.0
        else:
            tails_at(cut[b], low_0, table_0, below, above, this)
            tails_at((cut[b] - mu) / sd, low_1, table_1, below, above, this + 1)
        for y in range(2):
            for v in range(patterns):
                # From the lesser tail, so that no digits are lost.
                if below[this + y, v] < above[this + y, v]:
                    mass[b, y, v] = below[this + y, v] - below[last + y, v]
                else:
                    mass[b, y, v] = above[last + y, v] - above[this + y, v]


@table_kernel
def _log_likelihood(
    mu: np.ndarray, delta: np.ndarray, sd: float, points: np.ndarray, weights: np.ndarray,
    pattern_share: np.ndarray, q: np.ndarray, pattern: np.ndarray, count: np.ndarray,
) -> np.ndarray:  # fmt: skip
    bins, sets = count.shape
    result = np.zeros(mu.shape)
    total = np.cumsum(np.sum(count, axis=1))
    share = total[:-1] / total[-1]
    mass = np.empty((bins, 2, points.shape[1]))
    for d in range(mu.shape[0]):
        (low_0, table_0, mixture_0), (low_1, table_1, mixture_1) = tabulate_labels(
            delta[d], sd, points, weights, pattern_share
        )
        for e in range(mu.shape[1]):
            write_masses(
                mu[d, e], sd, low_0, table_0, mixture_0, low_1, table_1, mixture_1, share, mass
            )
            log_likelihood = 0.0
            for b in range(bins):
                for k in range(sets):
                    if count[b, k] > 0:
                        v = pattern[k]
                        held = q[k] * mass[b, 1, v] + (1 - q[k]) * mass[b, 0, v]
                        log_likelihood += count[b, k] * math.log(max(held, LEAST))
            result[d, e] = log_likelihood
    return result
