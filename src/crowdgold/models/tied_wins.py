"""The likelihood of win counts where many scores are equal.

A tied pair is half a win of either. Scores of few values are utilities that were cut into groups:
an item of vote set k is in group g with the chance p_kg that its utility lies between the quantiles
t_g-1 and t_g of the whole distribution (`binned_ranks`). Then

    w_kl  = sum_g p_kg B_lg,  B_lg = p_l1 + ... + p_l,g-1 + p_lg / 2     the mean of a half-won pair
    Q_1   = sum_g p_lg (1 - B_kg)^2                   two items of k against one of l, both won
    Q_2   = sum_g p_kg B_lg^2                         one item of k against two of l, both won
    tie   = sum_g p_kg p_lg
    var W = C [w (1 - w) - tie / 4 + (N_k - 1) (Q_1 - w^2) + (N_l - 1) (Q_2 - w^2)]

which is exact for utilities cut at known places. A tie counts 1/2, whose square is 1/4: hence
tie / 4. Hanley and McNeil (1982) approximate Q_1 by w / (2 - w) and Q_2 by 2 w^2 / (1 + w), for
scores without ties. With ties neither these nor the w_kl of uncut utilities are right: a mu that
explains the wins of uncut utilities is too small.
"""

import math
from dataclasses import dataclass

import numpy as np

from crowdgold.models.binned_ranks import (
    bin_ends,
    nodes_for_distribution,
    tabulate_labels,
    write_masses,
)
from crowdgold.models.priors import PAPER_PRIOR, ScorePrior
from crowdgold.models.score_model import Conditioned, ScoreData
from crowdgold.models.utility_distribution import REACH, table_kernel
from crowdgold.models.vote_sets import VoteParameters, VoteSets, win_counts
from crowdgold.types.items import Ranking

FINEST = 200
"""Bins that untied items are cut into. To take the items of a bin for tied changes w_kl by 1e-5, by
5e-5 where |delta| is 8."""


@dataclass(frozen=True)
class TiedWins:
    """Win counts of a predictor of which one score at least is that of many items."""

    wins: np.ndarray  # (m, m) counts W_kl
    count: np.ndarray  # (m,) items N_k as floats
    # (B,) items in each group of equal scores, lowest first; where few items share a score, in some
    # neighbouring groups
    bin_size: np.ndarray
    prior: ScorePrior = PAPER_PRIOR  # of (mu, delta)

    def conditioned(self, sets: VoteSets, vote: VoteParameters, draw: int) -> "ConditionedTiedWins":
        """The score model given one draw of the vote model."""
        return ConditionedTiedWins.at(self, sets, vote, draw)


def count_wins(
    sets: VoteSets, ranking: Ranking, prior: ScorePrior = PAPER_PRIOR
) -> ScoreData | TiedWins:
    """The win counts; where groups are at most one item in `FINEST` the variance of W changes by
    less than a part in a thousand, and the likelihood is the printed one.
    """
    wins = win_counts(sets.member, ranking, len(sets))
    count, largest = sets.count.astype(float), int(ranking.sizes.max())
    if largest == 1 or largest * FINEST <= len(ranking):
        return ScoreData(wins, count, sets.pattern, prior)
    ends = bin_ends(ranking, lambda n: max(1, min(n, FINEST)))
    return TiedWins(wins, count, np.diff(ends, prepend=0), prior)


@dataclass(frozen=True)
class ConditionedTiedWins(Conditioned[TiedWins]):
    """The likelihood of tied win counts given one draw of the vote model."""

    def log_likelihood(self, mu: np.ndarray, delta: np.ndarray) -> np.ndarray:
        """The pseudo-log-likelihood on a grid: mu (D, M), a row for each delta (D,) -> (D, M)."""
        rate, deviation = self.moments(mu, delta)
        k, l = np.tril_indices(len(self.sets), -1)
        comparisons = np.outer(self.data.count, self.data.count)[k, l]
        z = (self.data.wins[k, l] - comparisons * rate[..., k, l]) / deviation[..., k, l]
        density = -0.5 * z * z - np.log(deviation[..., k, l]) - 0.5 * math.log(2 * math.pi)
        return np.asarray(density.sum(axis=-1))

    def cost(self, delta: float) -> float:
        """What an evaluation costs, the tables of its delta included."""
        return 100.0 + abs(delta) + len(self.data.bin_size) * len(self.sets) ** 2 / 50

    def moments(self, mu: np.ndarray, delta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rates w_kl and the deviations of W_kl, for l < k: each (D, M, m, m)."""
        points, weights = self.nodes(nodes_for_distribution(float(np.abs(delta).max())))
        # Beyond this mu the labels lie apart: nothing changes any more.
        apart = np.abs(delta)[:, None] + 4 * REACH
        return _moments(
            np.minimum(mu, apart), delta,
            points.transpose(1, 0, 2).copy(), weights.transpose(1, 0, 2).copy(),
            self.pattern_shares(), self.label_probability, self.sets.pattern,
            self.data.count, self.data.bin_size,
        )  # type: ignore[no-any-return]  # fmt: skip


@table_kernel
def half_wins(
    held: np.ndarray, other: np.ndarray, first: float, second: float
) -> tuple[float, float]:
    """The mean w of a pair, and var W_kl, given p_kg and p_lg (B,), lowest first, N_k and N_l."""
    w, tie, q_1, q_2 = 0.0, 0.0, 0.0, 0.0
    below, other_below = 0.0, 0.0
    for g in range(len(held)):
        p, r = held[g], other[g]
        beats, beaten = other_below + r / 2, 1 - below - p / 2
        w += p * beats
        tie += p * r
        q_1 += r * beaten * beaten
        q_2 += p * beats * beats
        below += p
        other_below += r
    square = w * w
    of_pair = w - square - tie / 4
    variance = of_pair + (first - 1) * (q_1 - square) + (second - 1) * (q_2 - square)
    return w, first * second * variance


@table_kernel
def _moments(
    mu: np.ndarray, delta: np.ndarray, points: np.ndarray, weights: np.ndarray,
    pattern_share: np.ndarray, q: np.ndarray, pattern: np.ndarray, count: np.ndarray,
    bin_size: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    bins, sets = len(bin_size), len(q)
    rate = np.full((*mu.shape, sets, sets), 0.5)
    deviation = np.ones((*mu.shape, sets, sets))
    total = np.cumsum(bin_size)
    share = total[:-1] / total[-1]
    mass = np.empty((bins, 2, points.shape[1]))
    held = np.empty((sets, bins))
    for d in range(mu.shape[0]):
        (low_0, table_0, mixture_0), (low_1, table_1, mixture_1) = tabulate_labels(
            delta[d], 1.0, points, weights, pattern_share
        )
        for e in range(mu.shape[1]):
            write_masses(
                mu[d, e], 1.0, low_0, table_0, mixture_0, low_1, table_1, mixture_1, share, mass
            )
            for k in range(sets):
                v = pattern[k]
                for b in range(bins):
                    held[k, b] = q[k] * mass[b, 1, v] + (1 - q[k]) * mass[b, 0, v]
                for l in range(k):
                    w, variance = half_wins(held[k], held[l], count[k], count[l])
                    # Never below that of half a win, as the printed one.
                    least = 0.5 * (1 - 0.5 / (count[k] * count[l]))
                    rate[d, e, k, l] = w
                    deviation[d, e, k, l] = math.sqrt(max(variance, least))
    return rate, deviation
