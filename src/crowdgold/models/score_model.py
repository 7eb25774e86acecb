"""The score model of MAVEN (section 3.2.2) given a draw of the vote model, as the cut takes it.

U_i | Y_i, P_i ~ Normal(mu Y_i + delta P_i, 1) ranks the items. The likelihood is that of the win
counts, W_kl ~ Normal(C_kl w_kl, sigma_kl) for l < k, with sigma_kl of Hanley and McNeil (1982).
Scores with many ties have the likelihood of `tied_wins`.
"""

import math
from dataclasses import dataclass, field
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from crowdgold.models.priors import PAPER_PRIOR, ScorePrior
from crowdgold.models.quadrature import gauss_jacobi, gauss_of_differences
from crowdgold.models.utility_distribution import (
    REACH,
    STEP,
    densities,
    hermite,
    integrate_step,
    table_kernel,
    table_size,
)
from crowdgold.models.vote_sets import VoteParameters, VoteSets
from crowdgold.system.kernels import kernel

TRUSTED_DELTA = 30.0  # beyond it the quadrature is not held to its error, and a result says so


class ScoreLikelihood(Protocol):
    """A score likelihood given one draw of the vote model: a function of (mu, delta) only."""

    @property
    def prior(self) -> ScorePrior:
        """The prior of (mu, delta)."""

    def log_likelihood(self, mu: np.ndarray, delta: np.ndarray) -> np.ndarray:
        """The log-likelihood on a grid: mu (D, M), a row for each of delta (D,) -> (D, M)."""
        ...

    def cost(self, delta: float) -> float:
        """What an evaluation at this delta costs, in units of some 0.1 microseconds."""
        ...


class ScoreSummary(Protocol):
    """What is kept of one predictor's ranking, whatever the number of items."""

    @property
    def prior(self) -> ScorePrior:
        """The prior of (mu, delta)."""

    def conditioned(self, sets: VoteSets, vote: VoteParameters, draw: int) -> ScoreLikelihood:
        """The likelihood given one draw of the vote model."""
        ...


Summary = TypeVar("Summary", bound=ScoreSummary)


@dataclass(frozen=True)
class Conditioned(Generic[Summary]):
    """What every score likelihood given one draw of the vote model holds."""

    data: Summary  # what is kept of the ranking
    sets: VoteSets  # the vote sets it belongs to
    vote: VoteParameters  # one draw of the vote model
    label_probability: np.ndarray  # (m,) q_k
    _nodes: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict, repr=False)

    @classmethod
    def at(cls, data: Summary, sets: VoteSets, vote: VoteParameters, draw: int) -> Self:
        """Condition on one draw of the vote model."""
        one = vote.select(np.array([draw]))
        return cls(data, sets, one, one.label_probability(sets)[0])

    @property
    def prior(self) -> ScorePrior:
        """The prior of (mu, delta)."""
        return self.data.prior

    def nodes(self, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        """Gauss-Jacobi nodes and weights of P_i by pattern and label: each (p, 2, J)."""
        if nodes not in self._nodes:
            alpha, beta = self.vote.shapes(self.sets)
            self._nodes[nodes] = gauss_jacobi(alpha[0], beta[0], nodes)
        return self._nodes[nodes]

    def pattern_shares(self) -> np.ndarray:
        """The share of items of each vote pattern expected to have label 0, and 1: (2, p)."""
        patterns = len(self.sets.pattern_total)
        positive = np.bincount(
            self.sets.pattern, self.sets.count * self.label_probability, patterns
        )
        every = np.bincount(self.sets.pattern, self.sets.count, patterns)
        return np.stack([every - positive, positive]) / self.sets.count.sum()


def nodes_for(delta: float) -> int:
    """Nodes that hold w_kl to 1e-6 at |delta|, measured against 64 over the prior range."""
    return max(4, math.ceil(2.6 + 0.7 * min(abs(delta), TRUSTED_DELTA)))


def nodes_of_difference(nodes: int) -> int:
    """The nodes of P - P' that hold w_kl to 1e-6 where P and P' have so many each."""
    return 2 * nodes - 3


@dataclass(frozen=True)
class ScoreData:
    """What the score model knows of one predictor: win counts between vote sets."""

    wins: np.ndarray  # (m, m) counts W_kl as floats
    count: np.ndarray  # (m,) items N_k as floats
    pattern: np.ndarray  # (m,) vote pattern of each vote set
    prior: ScorePrior = PAPER_PRIOR  # of (mu, delta)

    def conditioned(
        self, sets: VoteSets, vote: VoteParameters, draw: int
    ) -> "ConditionedScoreModel":
        """The score model given one draw of the vote model."""
        return ConditionedScoreModel.at(self, sets, vote, draw)


@dataclass(frozen=True)
class ConditionedScoreModel(Conditioned[ScoreData]):
    """The score model given one draw of the vote model: a density of (mu, delta) only."""

    def differences(self, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        """Nodes and weights of P - P', each (3, p, p, K), by labels (0 and 0, 1 and 1, 1 and 0) and
        patterns: nearly twice as many, as a function of it varies twice as much.
        """
        points, weights = self.nodes(nodes)
        # (label pair, pattern of P, pattern of P', node)
        own = [values.swapaxes(0, 1)[[0, 1, 1], :, None] for values in (points, weights)]
        other = [values.swapaxes(0, 1)[[0, 1, 0], None] for values in (points, weights)]
        wanted = nodes_of_difference(nodes)
        return gauss_of_differences(own[0], own[1], other[0], other[1], wanted)

    def log_likelihood(self, mu: np.ndarray, delta: np.ndarray) -> np.ndarray:
        """The pseudo-log-likelihood on a grid: mu (D, M), a row for each delta (D,) -> (D, M)."""
        points, weights = self.nodes(nodes_for(float(np.abs(delta).max())))
        data = self.data
        return np.asarray(
            _log_likelihood(
                mu, delta, points, weights,
                self.label_probability, data.pattern, data.count, data.wins,
            )
        )  # fmt: skip

    def cost(self, delta: float) -> float:
        """What an evaluation at this delta costs: its pairs of quadrature nodes."""
        return float(nodes_for(delta) ** 2)

    def win_rates(self, mu: float, delta: float) -> np.ndarray:
        """w_kl = P(an item of k ranks above one of l): (m, m)."""
        points, weights = self.nodes(nodes_for(delta))
        same = _same_label_rates(delta, points, weights)
        cross = _cross_label_rates(mu, delta, points, weights)
        return np.asarray(_win_rates(same, cross, self.label_probability, self.data.pattern))


@kernel()
def _normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x * 0.7071067811865476)


@kernel()
def _same_label_rates(delta: float, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """P(U_i > U_j) for labels y = y' = 0, 1 and patterns r, s: (2, p, p)."""
    patterns, _, nodes = points.shape
    rate = np.full((2, patterns, patterns), 0.5)
    scale = delta * math.sqrt(0.5)
    for y in range(2):
        for r in range(patterns):
            for s in range(r):
                total = 0.0
                for i in range(nodes):
                    for j in range(nodes):
                        total += (
                            weights[r, y, i]
                            * weights[s, y, j]
                            * _normal_cdf(scale * (points[r, y, i] - points[s, y, j]))
                        )
                rate[y, r, s] = total
                rate[y, s, r] = 1 - total
    return rate


@kernel()
def _cross_label_rates(
    mu: float, delta: float, points: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """P(U_i > U_j) for labels y = 1, y' = 0 and patterns r, s: (p, p)."""
    patterns, _, nodes = points.shape
    rate = np.zeros((patterns, patterns))
    scale = math.sqrt(0.5)
    for r in range(patterns):
        for s in range(patterns):
            total = 0.0
            for i in range(nodes):
                for j in range(nodes):
                    shift = mu + delta * (points[r, 1, i] - points[s, 0, j])
                    total += weights[r, 1, i] * weights[s, 0, j] * _normal_cdf(scale * shift)
            rate[r, s] = total
    return rate


@kernel()
def _win_rate(
    k: int, l: int, same: np.ndarray, cross: np.ndarray, q: np.ndarray, pattern: np.ndarray
) -> float:
    r, s = pattern[k], pattern[l]
    return (
        q[k] * q[l] * same[1, r, s]
        + (1 - q[k]) * (1 - q[l]) * same[0, r, s]
        + q[k] * (1 - q[l]) * cross[r, s]
        + (1 - q[k]) * q[l] * (1 - cross[s, r])
    )


@kernel()
def _win_rates(
    same: np.ndarray, cross: np.ndarray, q: np.ndarray, pattern: np.ndarray
) -> np.ndarray:
    sets = len(q)
    rates = np.zeros((sets, sets))
    for k in range(sets):
        for l in range(sets):
            rates[k, l] = _win_rate(k, l, same, cross, q, pattern)
    return rates


@kernel()
def win_deviation(rate: float, first: float, second: float) -> float:
    """sigma_kl after Hanley and McNeil (1982), N_k = first (the positive set), N_l = second; w_kl
    is clipped to [1 / (2 C), 1 - 1 / (2 C)] so that it never vanishes.
    """
    comparisons = first * second
    w = min(max(rate, 0.5 / comparisons), 1 - 0.5 / comparisons)
    square = w * w
    variance = (
        w * (1 - w)
        + (first - 1) * (w / (2 - w) - square)
        + (second - 1) * (2 * square / (1 + w) - square)
    )
    return math.sqrt(comparisons * variance)


@table_kernel
def _rate_table(delta: float, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Tabulate G_sy(u) = E[Phi((u - delta P) / sqrt(2))], P of pattern s and label y: (2, G, 3, p)
    values and two derivatives, in units of `STEP`, on the grid of u / sqrt(2) of
    `utility_distribution`; quintic interpolation is then right to 1e-7.
    """
    patterns = points.shape[0]
    scaled = delta * math.sqrt(0.5)
    low = min(0.0, scaled) - REACH
    size = table_size(scaled)
    table = np.empty((2, size, 3, patterns))
    for s in range(patterns):
        for y in range(2):
            density = densities(scaled, low, points[s, y], weights[s, y])
            below = 0.0
            for g in range(size):
                if g > 0:
                    below += integrate_step(density, g - 1)
                table[y, g, 0, s] = below
                table[y, g, 1, s] = density[0, g] * STEP
                table[y, g, 2, s] = density[1, g] * STEP**2
    return table


@table_kernel
def _tabulated_rates(
    mu: float, label: int, other: int, delta: float, table: np.ndarray,
    points: np.ndarray, weights: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """P(U_i > U_j) for labels y = label, y' = other and patterns r, s: (p, p)."""
    patterns, _, nodes = points.shape
    rate = np.zeros((patterns, patterns))
    last = table.shape[1] - 1
    low = min(0.0, delta * math.sqrt(0.5)) - REACH
    for r in range(patterns):
        for i in range(nodes):
            u = mu * (label - other) + delta * points[r, label, i]
            weight = weights[r, label, i]
            position = (u * math.sqrt(0.5) - low) / STEP
            if position < 0:
                continue
            if position >= last:
                rate[r] += weight
                continue
            g = int(position)
            left, right = table[other, g], table[other, g + 1]
            a, b, c, d, e, f = hermite(position - g)
            for s in range(patterns):
                rate[r, s] += weight * (
                    a * left[0, s] + b * left[1, s] + c * left[2, s]
                    + d * right[0, s] + e * right[1, s] + f * right[2, s]
                )  # fmt: skip
    return rate


@kernel()
def _log_likelihood(
    mu: np.ndarray, delta: np.ndarray, points: np.ndarray, weights: np.ndarray,
    q: np.ndarray, pattern: np.ndarray, count: np.ndarray, wins: np.ndarray,
) -> np.ndarray:  # fmt: skip
    sets, patterns = len(q), points.shape[0]
    result = np.zeros(mu.shape)
    constant = 0.5 * math.log(2 * math.pi)
    same = np.zeros((2, patterns, patterns))
    for d in range(mu.shape[0]):
        table = _rate_table(delta[d], points, weights)
        for y in range(2):
            same[y] = _tabulated_rates(0.0, y, y, delta[d], table, points, weights)
        for e in range(mu.shape[1]):
            cross = _tabulated_rates(mu[d, e], 1, 0, delta[d], table, points, weights)
            total = 0.0
            for k in range(sets):
                for l in range(k):
                    rate = _win_rate(k, l, same, cross, q, pattern)
                    deviation = win_deviation(rate, count[k], count[l])
                    z = (wins[k, l] - count[k] * count[l] * rate) / deviation
                    total -= 0.5 * z * z + math.log(deviation) + constant
            result[d, e] = total
    return result
