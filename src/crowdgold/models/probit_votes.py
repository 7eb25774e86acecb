"""The probability of votes whose latent tendency is normal, tabulated (MAVEN, appendix C.3).

Given lambda ~ Normal(m, s), each of c voters votes positively with probability Phi(lambda), so that

    G(m, s) = P(V | c, m, s) = (c choose V) int Phi(lambda)^V Phi(-lambda)^(c - V) N(lambda; m, s)

depends on the vote pattern (V, c) and on two numbers, of which all items share s. Its log is
smooth, and close to a quadratic in m on either side. It is held by polynomials in m on cells that
widen outwards, whose coefficients are Chebyshev series in log(1 + kappa s^2), kappa the most votes
on an item: that takes the nearest singularity, at s^2 = -1 / V, away from the range. The table is
right to 1e-8 within |m| < 40 for up to ten votes an item, to 1e-6 within 9 for forty; beyond the
outermost cells it goes on as a quadratic.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr

from crowdgold.kernels import kernel
from crowdgold.models.vote_sets import log_choose

DEVIATIONS = 8.5
"""The integrand falls at least as fast as the normal density: by e^-36 within so many s."""

HALF_EDGES = (1.0, 2.0, 3.2, 5.0, 8.0, 13.0, 20.0, 29.0, 42.0, 80.0, 180.0, 420.0)
"""Edges of the cells on either side of 0."""

DEGREE = 9
"""Of the polynomials in m."""


def _mills(x: np.ndarray) -> np.ndarray:
    """The derivative of log Phi."""
    return np.asarray(np.exp(-(x**2) / 2 - log_ndtr(x)) / np.sqrt(2 * np.pi))


def _mode(positive: int, negative: int, mean: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Find the peak of the integrand, which is log-concave, by Newton's method in a bracket."""
    low, high = mean - s**2 * negative * _mills(-mean), mean + s**2 * positive * _mills(mean)
    place = (low + high) / 2
    for _ in range(40):
        up, down = _mills(place), _mills(-place)
        slope = positive * up - negative * down - (place - mean) / s**2
        bend = positive * up * (place + up) + negative * down * (down - place) + s**-2
        low, high = np.where(slope > 0, place, low), np.where(slope < 0, place, high)
        step = place + slope / bend
        place = np.where((step > low) & (step < high), step, (low + high) / 2)
    return place


def log_vote_probability(positive: int, total: int, mean: np.ndarray, s: np.ndarray) -> np.ndarray:
    """The log of G(m, s) by the trapezoidal rule around the integrand's peak.

    The step is half the integrand's narrowest possible deviation, 1 / sqrt(1 / s^2 + c), with
    which the rule is exact to rounding.

    Args:
        positive, total: votes V and c.
        mean, s: any broadcastable shapes; s in (0, 1].
    """
    negative = total - positive
    mean, s = np.broadcast_arrays(np.asarray(mean, float), np.asarray(s, float))
    count = int(np.ceil(4 * DEVIATIONS * np.sqrt(1 + total))) + 1
    offset = np.linspace(-DEVIATIONS, DEVIATIONS, count)
    place = _mode(positive, negative, mean, s)[..., None] + offset * s[..., None]
    log_value = -(((place - mean[..., None]) / s[..., None]) ** 2) / 2
    if positive:
        log_value += positive * log_ndtr(place)
    if negative:
        log_value += negative * log_ndtr(-place)
    top = log_value.max(axis=-1)
    total_value = np.exp(log_value - top[..., None]).sum(axis=-1) * (offset[1] - offset[0])
    constant = float(log_choose(np.array(total), np.array(positive))) - np.log(2 * np.pi) / 2
    return np.asarray(top + np.log(total_value) + constant)


@dataclass(frozen=True)
class ProbitVoteTable:
    """log G(m, s) for p vote patterns.

    Attributes:
        edge: (L - 1,) ascending edges between the L cells of m; the outer two cells have no end.
        origin, scale: (L,) a cell's polynomial is in u = (m - origin) / scale.
        coefficient: (p, L, D + 1, Q) Chebyshev series in t for each power of u, from 0 upwards.
        kappa, low, high: t = (2 log(1 + kappa s^2) - low - high) / (high - low), in [-1, 1].
    """

    edge: np.ndarray
    origin: np.ndarray
    scale: np.ndarray
    coefficient: np.ndarray
    kappa: float
    low: float
    high: float

    def at(self, s: float) -> np.ndarray:
        """The coefficients of the powers of u at this s: (p, L, D + 1)."""
        t = (2 * np.log1p(self.kappa * s**2) - self.low - self.high) / (self.high - self.low)
        order = np.arange(self.coefficient.shape[-1])
        return np.asarray(self.coefficient @ np.cos(order * np.arccos(np.clip(t, -1, 1))))


@lru_cache(maxsize=16)
def tabulate_probit_votes(patterns: tuple[tuple[int, int], ...], s_least: float) -> ProbitVoteTable:
    """Tabulate log G(m, s) for vote patterns and s from `s_least` to 1.

    Args:
        patterns: (votes_positive, votes_total) of each pattern.
        s_least: in (0, 1).
    """
    kappa = float(max(total for _, total in patterns))
    low, high = np.log1p(kappa * s_least**2), np.log1p(kappa)
    order = int(np.ceil(6 + 8 * high))
    angle = np.pi * (np.arange(order) + 0.5) / order
    s = np.sqrt(np.expm1((low + high + (high - low) * np.cos(angle)) / 2) / kappa)
    half = np.array(HALF_EDGES)
    edge = np.concatenate([-half[::-1], [0.0], half])
    origin, scale = (edge[1:] + edge[:-1]) / 2, (edge[1:] - edge[:-1]) / 2
    u = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
    mean = origin[:, None] + scale[:, None] * u
    series = 2 / order * np.cos(np.arange(order)[:, None] * angle)
    series[0] /= 2
    powers = np.linalg.inv(np.vander(u, increasing=True))
    found = []
    for positive, total in patterns:
        value = log_vote_probability(positive, total, mean[..., None], s)
        found.append(np.einsum("di,kiq,rq->kdr", powers, value, series))
    inner = np.array(found)
    ends = [_taylor(inner[:, 0], -1.0), _taylor(inner[:, -1], 1.0)]
    coefficient = np.concatenate([ends[0][:, None], inner, ends[1][:, None]], axis=1)
    origin = np.concatenate([edge[:1], origin, edge[-1:]])
    scale = np.concatenate([scale[:1], scale, scale[-1:]])
    coefficient.flags.writeable = False
    return ProbitVoteTable(edge, origin, scale, coefficient, kappa, float(low), float(high))


def _taylor(coefficient: np.ndarray, end: float) -> np.ndarray:
    """The quadratic that goes on from a polynomial at u = `end`: (p, D + 1, Q)."""
    power = np.arange(DEGREE + 1)
    sign = end**power
    quadratic = np.zeros_like(coefficient)
    for degree, factor in enumerate((np.ones_like(power), power, power * (power - 1) / 2)):
        quadratic[:, degree] = np.einsum("d,pdq->pq", factor * sign * end**degree, coefficient)
    return quadratic


@kernel()
def evaluate_cells(
    coefficient: np.ndarray,
    edge: np.ndarray,
    origin: np.ndarray,
    scale: np.ndarray,
    pattern: np.ndarray,
    mean: np.ndarray,
) -> np.ndarray:
    """The log of G at one s.

    Args:
        coefficient: (p, L, D + 1) from `ProbitVoteTable.at`.
        edge, origin, scale: as in the table.
        pattern: (n,) vote pattern of each item.
        mean: (n,) m of each item.
    """
    value = np.empty(len(mean))
    for i in range(len(mean)):
        cell = np.searchsorted(edge, mean[i])
        u = (mean[i] - origin[cell]) / scale[cell]
        own = coefficient[pattern[i], cell]
        total = own[-1]
        for power in range(len(own) - 2, -1, -1):
            total = total * u + own[power]
        value[i] = total
    return value
