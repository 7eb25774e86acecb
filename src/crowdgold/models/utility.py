"""Latent utilities given the ranking, and P(Y = 1) given utility and votes (MAVEN, section 3.4).

The utility of the item of rank i is a quantile of F_U, the unconditional distribution of utilities,
at the i-th order statistic of n uniforms. Those are sums of the n + 1 gaps of a Dirichlet draw; the
n gaps of the printed formula would put the lowest item at minus infinity.

Items of equal scores share the stretch of F_U from halfway to the group below to halfway to the one
above, new in each imputation, as in `binned_ranks`. Where in it an item lies its votes say too, so
that its utility is integrated out over the stretch (places drawn without a look at the votes would
be those of scores that a coin has ranked):

    P(Y = 1 | group, votes) = int P(Y = 1 | u, votes) f(u | votes) du / int f(u | votes) du

F_U and P(Y = 1 | U, votes) are tabulated at steps of `STEP`, smaller ones where classes are far
apart, and interpolated linearly. Within 6 of the class means utilities are then right to 0.002 and
probabilities to 0.0005.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from crowdgold.models.quadrature import gauss_jacobi
from crowdgold.models.utility_distribution import BLOCK, table_kernel
from crowdgold.models.vote_sets import VoteParameters, VoteSets
from crowdgold.system.kernels import kernel
from crowdgold.types.items import Ranking

STEP = 0.05
GENTLE = 4.0
"""The log odds of a label rise by mu + |delta| for each unit of U at most; the error of a linear
interpolation goes with the square of that. Above this value the step falls in proportion."""
REACH = 8.5  # The tables end this many deviations beyond the outermost class means
MATRIX_ENTRIES = 2_000_000  # Numbers in the matrices whose eigenvalues are found at once: 16 MB


def known_of_labels(pattern: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Gold (0 or 1) of each item (n,), or 2 + its vote pattern where gold is negative."""
    known = np.where(gold >= 0, gold, 2 + pattern)
    return known.astype(np.min_scalar_type(2 + int(pattern.max(initial=0))))


@dataclass(frozen=True)
class Bend:
    """The slope of the log odds of a label in U - delta P, beside mu, of D draws (`bent_ranks`)."""

    knots: np.ndarray  # (J,) ascending
    slopes: np.ndarray  # (D, J) beta_j at them; linear between, constant beyond

    def at(self, draw: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The integral b, from the first knot on, and its derivative beta, each at x."""
        far = np.abs(x).max() + np.abs(self.knots).max() + 1
        edges = np.array([-far, *self.knots, far])
        slopes = np.interp(edges, self.knots, self.slopes[draw])
        heights = np.append(0.0, np.cumsum(np.diff(edges) * (slopes[1:] + slopes[:-1]) / 2))
        left, own = np.searchsorted(edges, x) - 1, np.interp(x, edges, slopes)
        return heights[left] - heights[1] + (x - edges[left]) * (slopes[left] + own) / 2, own


@dataclass(frozen=True)
class UtilityTable:
    """F_U and the label probabilities under one draw of all parameters."""

    utility: np.ndarray  # (G,) utilities, ascending
    distribution: np.ndarray  # (G,) F_U at them
    probability: np.ndarray  # (p, G) P(Y = 1 | U, vote pattern) without a gold label
    ratio: np.ndarray  # (p, G) density of U given the pattern over its density, up to a factor

    def sample_probabilities(
        self, known: np.ndarray, ranking: Ranking, rng: np.random.Generator
    ) -> np.ndarray:
        """P(Y_i = 1) (n,) at utilities that agree with the ranking; `known` of each label."""
        gaps = rng.standard_exponential(len(ranking) + 1)
        certain = np.repeat([[0.0, 1.0]], len(self.utility), axis=0)
        probability = np.concatenate([certain, self.probability.T], axis=1)
        ratio = np.concatenate([np.ones_like(certain), self.ratio.T], axis=1)
        return np.asarray(
            _probabilities(
                gaps, gaps.sum(), self.distribution, probability, ratio, known,
                ranking.order, ranking.ends,
            )
        )  # fmt: skip

    def quantile(self, share: np.ndarray) -> np.ndarray:
        """F_U^-1 at shares in (0, 1)."""
        return np.interp(share, self.distribution, self.utility)


class UtilityTables:
    """A predictor's tables of each draw when asked for; nodes of many draws at once are cheaper."""

    def __init__(
        self, vote: VoteParameters, mu: np.ndarray, delta: np.ndarray, sets: VoteSets,
        sd: np.ndarray | None = None, bend: Bend | None = None,
    ) -> None:  # fmt: skip
        """Keep D draws; `sd` (D,) is of the utilities of positives, that of negatives is 1."""
        self._bend = bend
        self._vote, self._delta = vote, np.asarray(delta, dtype=float)
        self._sd = np.ones(len(vote)) if sd is None else np.asarray(sd, dtype=float)
        # Beyond this the classes lie 2 REACH apart: the rank alone decides, whatever mu is.
        apart = np.abs(self._delta) + 4 * REACH * np.maximum(1.0, self._sd)
        self._mu = np.minimum(mu, apart)
        narrow = np.minimum(1.0, self._sd)
        # Nodes that hold the log of a convolved density to 1e-4 within 3 deviations.
        steep = np.minimum(np.abs(self._delta / narrow), 30.0)
        self._nodes = np.maximum(10, np.ceil(8 + 1.4 * steep)).astype(int)
        alpha, beta = vote.shapes(sets)
        before = vote.a * vote.d
        # The last pattern is that of an item without votes, for F_U.
        self._alpha = np.concatenate([alpha, before[:, None]], axis=1)
        self._beta = np.concatenate([beta, (vote.d - before)[:, None]], axis=1)
        log_votes = vote.pattern_log_likelihood(sets)
        log_prior = np.log(vote.phi / (1 - vote.phi))
        self._log_odds = log_prior[:, None] + log_votes[..., 1] - log_votes[..., 0]
        size = self._alpha[0].size * self._nodes.max() ** 2
        self._together = max(1, int(MATRIX_ENTRIES // size))
        self._first, self._found = -1, {}  # type: int, dict[int, tuple[np.ndarray, np.ndarray]]

    def of_draw(self, draw: int) -> UtilityTable:
        """Tabulate F_U and P(Y = 1 | U, vote pattern) at one draw."""
        first = draw - draw % self._together
        if first != self._first:  # points and weights of P by pattern and label: each (p + 1, 2, J)
            self._first, self._found = first, {}
            batch = np.arange(first, min(first + self._together, len(self._delta)))
            for nodes in np.unique(self._nodes[batch]):
                those = batch[self._nodes[batch] == nodes]
                both = gauss_jacobi(self._alpha[those], self._beta[those], int(nodes))
                pairs = zip(*both, strict=True)
                self._found |= dict(zip(those.tolist(), pairs, strict=True))
        points, weights = self._found[draw]
        mu, delta, sd = self._mu[draw], self._delta[draw], self._sd[draw]
        narrow = min(1.0, sd)
        bend = np.zeros(1) if self._bend is None else self._bend.slopes[draw]
        least, most = mu + min(0.0, bend.min()), mu + max(0.0, bend.max())
        low = min(min(0.0, delta) - REACH, least + min(0.0, delta) - REACH * sd)
        high = max(max(0.0, delta) + REACH, most + max(0.0, delta) + REACH * sd)
        steep = (mu + abs(delta) + np.abs(bend).max()) / narrow
        step = STEP * GENTLE * narrow / float(np.clip(steep, GENTLE, 30.0))
        utility = np.linspace(low, high, math.ceil((high - low) / step) + 1)
        shift = np.array([0.0, mu])[:, None] + delta * points
        phi = self._vote.phi[draw]
        distribution, probability, ratio = _tabulate(
            utility, shift, weights, np.array([1.0, sd]), np.array([1 - phi, phi]),
            self._log_odds[draw], self._bent(draw, utility, points[:, 1], weights[:, 1]),
        )  # fmt: skip
        return UtilityTable(utility, distribution, probability, ratio)

    def _bent(
        self, draw: int, utility: np.ndarray, points: np.ndarray, weights: np.ndarray
    ) -> np.ndarray:
        """What `_log_convolve` writes of positives, where they bend: (2, p + 1, G), or none."""
        if self._bend is None:
            return np.empty((2, 0, 0))
        mu, (own, _) = self._mu[draw], self._bend.at(draw, utility)
        step = (utility[-1] - utility[0]) / (len(utility) - 1)
        whole = logsumexp(own - 0.5 * (utility - mu) ** 2) + math.log(step / math.sqrt(2 * math.pi))
        x = utility - self._delta[draw] * points[..., None]
        own, slope = self._bend.at(draw, x)
        own -= 0.5 * (x - mu) ** 2
        highest = own.max(axis=1)
        density = weights[..., None] * np.exp(own - highest[:, None])
        total = density.sum(axis=1)
        return np.stack([
            highest + np.log(total) - whole, (density * (slope - x + mu)).sum(axis=1) / total,
        ])  # fmt: skip


def tabulate_utility(
    vote: VoteParameters, mu: float, delta: float, sets: VoteSets, sd: float = 1.0
) -> UtilityTable:
    """Tabulate F_U and P(Y = 1 | U, vote pattern) at one draw; see `UtilityTables`."""
    tables = UtilityTables(vote, np.array([mu]), np.array([delta]), sets, np.array([sd]))
    return tables.of_draw(0)


@table_kernel
def _tabulate(
    utility: np.ndarray, shift: np.ndarray, weights: np.ndarray, deviation: np.ndarray,
    share: np.ndarray, log_odds: np.ndarray, bent: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """F_U (G,), of the last pattern; P(Y = 1 | U, pattern) and the ratio of densities, (p, G)."""
    size, patterns = len(utility), len(log_odds)
    step = (utility[-1] - utility[0]) / (size - 1)
    log_density, slope = np.empty((2, size)), np.empty((2, size))
    probability, ratio = np.empty((patterns, size)), np.empty((patterns, size))
    for k in range(patterns):
        for y in range(2):
            _log_convolve(utility, step, shift[k, y], weights[k, y], deviation[y], log_density[y],
                          slope[y])  # fmt: skip
        if bent.size > 0:
            log_density[1] = bent[0, k]
        for g in range(size):
            odds = log_odds[k] + log_density[1, g] - log_density[0, g]
            probability[k, g] = 1 / (1 + math.exp(-min(max(odds, -700.0), 700.0)))
            # The log of f(U, Y = 0 | pattern) + f(U, Y = 1 | pattern), up to a constant.
            rest = math.log1p(math.exp(-abs(odds)))
            ratio[k, g] = log_density[0, g] + max(odds, 0.0) + rest
    for y in range(2):
        _log_convolve(utility, step, shift[patterns, y], weights[patterns, y], deviation[y],
                      log_density[y], slope[y])  # fmt: skip
    if bent.size > 0:
        log_density[1], slope[1] = bent[0, patterns], bent[1, patterns]
    distribution = np.zeros(size)
    before, before_slope = 0.0, 0.0
    for g in range(size):
        density, own_slope = 0.0, 0.0
        for y in range(2):
            part = share[y] * math.exp(log_density[y, g]) * 0.3989422804014327
            density += part
            own_slope += part * slope[y, g]
        if g > 0:
            # The trapezium rule with its end correction: exact up to degree 3.
            held = step / 2 * (before + density) + step * step / 12 * (before_slope - own_slope)
            distribution[g] = distribution[g - 1] + max(held, 0.0)
        before, before_slope = density, own_slope
    for k in range(patterns):
        for g in range(size):
            ratio[k, g] -= np.logaddexp(
                math.log(share[0]) + log_density[0, g], math.log(share[1]) + log_density[1, g]
            )
        ratio[k] = np.exp(ratio[k] - ratio[k].max())
    return distribution, probability, ratio


@table_kernel
def _log_convolve(
    utility: np.ndarray, step: float, shift: np.ndarray, weights: np.ndarray, deviation: float,
    log_density: np.ndarray, slope: np.ndarray,
) -> None:  # fmt: skip
    """Write log density and slope of sum_j w_j Normal(shift_j, deviation), without sqrt(2 pi).
    Normal densities go from step to step by a factor that changes by a constant factor, afresh in
    the middle of every `BLOCK` points, relative to the nearest node, so that no term that matters
    has vanished there.
    """
    nodes, size = len(shift), len(utility)
    t, mass, ratio = np.empty(nodes), np.empty(nodes), np.empty(nodes)
    stride = step / deviation
    factor = math.exp(-stride * stride)
    for block in range(0, size, BLOCK):
        middle = min(block + BLOCK // 2, size - 1)
        least = np.inf
        for j in range(nodes):
            distance = (utility[middle] - shift[j]) / deviation
            if weights[j] > 0:
                least = min(least, distance * distance)
        for direction in (-1, 1):
            for j in range(nodes):
                t[j] = (utility[middle] - shift[j]) / deviation
                excess = t[j] * t[j] - least
                mass[j] = weights[j] * math.exp(-0.5 * excess) if excess < 1400 else 0.0
                ratio[j] = math.exp(-direction * t[j] * stride - 0.5 * stride * stride)
            end = min(block + BLOCK, size) if direction == 1 else block - 1
            for g in range(middle, end, direction):
                total, moment = 0.0, 0.0
                for j in range(nodes):
                    total += mass[j]
                    moment += t[j] * mass[j]
                    mass[j] *= ratio[j]
                    ratio[j] *= factor
                    t[j] += direction * stride
                log_density[g] = math.log(total / deviation) - 0.5 * least
                slope[g] = -moment / total / deviation


@kernel()
def _cell_of(share: float, cell: int, distribution: np.ndarray) -> int:
    """The cell of the table that holds a share of F_U, looked for from a lower one."""
    while cell < len(distribution) - 2 and distribution[cell + 1] < share:
        cell += 1
    return cell


@kernel()
def _within(share: float, cell: int, distribution: np.ndarray) -> float:
    low, high = distribution[cell], distribution[cell + 1]
    return min(1.0, max(0.0, (share - low) / (high - low) if high > low else 0.5))


@kernel()
def _mean(
    low: float, low_cell: int, high: float, high_cell: int, distribution: np.ndarray,
    probability: np.ndarray, ratio: np.ndarray, column: int,
) -> float:  # fmt: skip
    """The mean of a column of `probability` between shares of F_U, weighed by `ratio`."""
    total, weight = 0.0, 0.0
    last_share, last_value, last_ratio = low, 0.0, 0.0
    for at in range(low_cell, high_cell + 2):
        if low_cell < at <= high_cell:  # a grid point between the ends
            share, value, own = distribution[at], probability[at, column], ratio[at, column]
        else:
            share, cell = (low, low_cell) if at == low_cell else (high, high_cell)
            within = _within(share, cell, distribution)
            value, own = probability[cell, column], ratio[cell, column]
            value += within * (probability[cell + 1, column] - value)
            own += within * (ratio[cell + 1, column] - own)
        if at > low_cell:
            width = max(share - last_share, 1e-300)
            total += width * (last_value * last_ratio + value * own)
            weight += width * (last_ratio + own)
        last_share, last_value, last_ratio = share, value, own
    return total / weight if weight > 0 else last_value


@kernel()
def _probabilities(
    gaps: np.ndarray, total: float, distribution: np.ndarray, probability: np.ndarray,
    ratio: np.ndarray, known: np.ndarray, order: np.ndarray, ends: np.ndarray,
) -> np.ndarray:  # fmt: skip
    result = np.empty(len(order))
    of_column, seen = np.zeros(probability.shape[1]), np.zeros(probability.shape[1], np.int64)
    cell, start, reached = 0, 0, 0.0
    for end in ends:
        if end == start + 1:
            reached += gaps[start]
            share = reached / total
            cell = _cell_of(share, cell, distribution)
            within = _within(share, cell, distribution)
            i = np.uintp(order[start])
            before, after = probability[cell, known[i]], probability[cell + 1, known[i]]
            result[i] = before + within * (after - before)
        else:
            low = (reached + gaps[start] / 2) / total if start > 0 else 0.0
            first = _cell_of(low, cell, distribution)
            for rank in range(start, end):
                reached += gaps[rank]
            high = (reached + gaps[end] / 2) / total if end < len(order) else 1.0
            cell = _cell_of(high, first, distribution)
            for rank in range(start, end):
                i = np.uintp(order[rank])
                column = known[i]
                if seen[column] != end:
                    seen[column] = end
                    of_column[column] = _mean(
                        low, first, high, cell, distribution, probability, ratio, column
                    )
                result[i] = of_column[column]
        start = end
    return result
