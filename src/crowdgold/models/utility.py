"""Latent utilities given the ranking, and P(Y = 1) given utility and votes (MAVEN, section 3.4).

The utility of the item of rank i is a quantile of F_U, the unconditional distribution of utilities,
at the i-th order statistic of n uniforms. Those are sums of the n + 1 gaps of a Dirichlet draw; the
n gaps of the printed formula would put the lowest item at minus infinity.

F_U and P(Y = 1 | U, votes) are tabulated at steps of `STEP`, smaller ones where classes are far
apart, and interpolated linearly. Within 6 of the class means utilities are then right to 0.002 and
probabilities to 0.0005.
"""

import math
from dataclasses import dataclass

import numba
import numpy as np
from scipy.special import ndtr

from crowdgold.models.quadrature import gauss_jacobi
from crowdgold.models.vote_model import VoteParameters
from crowdgold.models.vote_sets import VoteSets

STEP = 0.05
GENTLE = 4.0
"""The log odds of a label rise by mu + |delta| for each unit of U at most; the error of a linear
interpolation goes with the square of that. Above this value the step falls in proportion."""
REACH = 8.5
"""The tables end this many deviations beyond the outermost class means."""


def nodes_for_density(delta: float) -> int:
    """Give the nodes that hold the log of a convolved density to 1e-4 within 3 deviations."""
    return max(10, math.ceil(8 + 1.4 * min(abs(delta), 30.0)))


@dataclass(frozen=True)
class UtilityTable:
    """F_U and the label probabilities under one draw of all parameters.

    Attributes:
        utility: (G,) utilities, ascending.
        distribution: (G,) F_U at them.
        probability: (p, G) P(Y = 1 | U, vote pattern) without a gold label.
    """

    utility: np.ndarray
    distribution: np.ndarray
    probability: np.ndarray

    def sample_probabilities(
        self, pattern: np.ndarray, gold: np.ndarray, order: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Draw utilities that agree with the ranking, and give P(Y_i = 1) at them.

        Args:
            pattern: (n,) vote pattern of each item.
            gold: (n,) gold label, negative where there is none.
            order: (n,) positions from the lowest to the highest score.
            rng: source of the gaps.

        Returns:
            (n,) probabilities in the order of the table; 0 or 1 where gold is known.
        """
        gaps = rng.standard_exponential(len(order) + 1)
        return _probabilities(
            gaps, gaps.sum(), self.distribution, self.probability, pattern, gold, order
        )

    def quantile(self, share: np.ndarray) -> np.ndarray:
        """Give F_U^-1 at shares in (0, 1)."""
        return np.interp(share, self.distribution, self.utility)


def tabulate_utility(
    vote: VoteParameters, mu: float, delta: float, sets: VoteSets, sd: float = 1.0
) -> UtilityTable:
    """Tabulate F_U and P(Y = 1 | U, vote pattern) at one draw.

    Args:
        vote: one draw of the vote model.
        mu, delta: the draw of the score model.
        sets: the vote sets of the items.
        sd: standard deviation of the utilities of positives; that of negatives is 1.
    """
    deviation = np.array([1.0, sd])
    # Beyond this the classes lie 2 REACH apart: the rank alone decides the label, whatever mu is.
    mu = min(mu, abs(delta) + 4 * REACH * max(1.0, sd))
    reach = REACH * deviation
    low = min(min(0.0, delta) - reach[0], mu + min(0.0, delta) - reach[1])
    high = max(max(0.0, delta) + reach[0], mu + max(0.0, delta) + reach[1])
    narrow = min(1.0, sd)
    step = STEP * GENTLE * narrow / float(np.clip((mu + abs(delta)) / narrow, GENTLE, 30.0))
    utility = np.linspace(low, high, math.ceil((high - low) / step) + 1)
    nodes = nodes_for_density(delta / narrow)
    a, d = vote.a[0], vote.d[0]
    points, weights = gauss_jacobi(a * d, (1 - a) * d, nodes)
    shift = np.array([0.0, mu])[:, None] + delta * points
    by_label = np.einsum(
        "yj,yju->yu", weights, ndtr((utility - shift[..., None]) / deviation[:, None, None])
    )
    distribution = (1 - vote.phi[0]) * by_label[0] + vote.phi[0] * by_label[1]

    alpha, beta = vote.shapes(sets)
    points, weights = gauss_jacobi(alpha[0], beta[0], nodes)
    shift = np.array([0.0, mu])[None, :, None] + delta * points
    log_density = _log_convolved(utility, shift, weights, deviation)
    log_votes = vote.pattern_log_likelihood(sets)[0]
    log_odds = math.log(vote.phi[0] / (1 - vote.phi[0])) + log_votes[:, 1] - log_votes[:, 0]
    log_odds = log_odds[:, None] + log_density[:, 1] - log_density[:, 0]
    return UtilityTable(utility, distribution, 1 / (1 + np.exp(-np.clip(log_odds, -700, 700))))


@numba.njit(cache=True)
def _log_convolved(
    utility: np.ndarray, shift: np.ndarray, weights: np.ndarray, deviation: np.ndarray
) -> np.ndarray:
    """Give the log density of utilities, up to a constant, for patterns and labels: (p, 2, G)."""
    patterns, labels, nodes = shift.shape
    result = np.empty((patterns, labels, len(utility)))
    for k in range(patterns):
        for y in range(labels):
            for g, u in enumerate(utility):
                least = np.inf
                for j in range(nodes):
                    if weights[k, y, j] > 0:
                        least = min(least, ((u - shift[k, y, j]) / deviation[y]) ** 2)
                total = 0.0
                for j in range(nodes):
                    distance = ((u - shift[k, y, j]) / deviation[y]) ** 2 - least
                    if distance < 1400:
                        total += weights[k, y, j] * math.exp(-0.5 * distance)
                result[k, y, g] = math.log(total / deviation[y]) - 0.5 * least
    return result


@numba.njit(cache=True)
def _probabilities(
    gaps: np.ndarray, total: float, distribution: np.ndarray, probability: np.ndarray,
    pattern: np.ndarray, gold: np.ndarray, order: np.ndarray,
) -> np.ndarray:  # fmt: skip
    result = np.empty(len(order))
    cell, last = 0, len(distribution) - 2
    reached = 0.0
    for rank in range(len(order)):
        reached += gaps[rank]
        share = reached / total
        while cell < last and distribution[cell + 1] < share:
            cell += 1
        width = distribution[cell + 1] - distribution[cell]
        within = (share - distribution[cell]) / width if width > 0 else 0.5
        within = min(1.0, max(0.0, within))
        i = order[rank]
        if gold[i] >= 0:
            result[i] = gold[i]
        else:
            k = pattern[i]
            low = probability[k, cell]
            result[i] = low + within * (probability[k, cell + 1] - low)
    return result
