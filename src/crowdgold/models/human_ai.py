"""H-AI (MAVEN, appendix C.3, after Steyvers et al., 2022): voters and a model that agree.

Given the label y, (lambda_H, lambda_M) is bivariate normal with means mu_H,y and mu_M,y, deviations
1 and sigma_M, and correlation rho. X_i = lambda_M,i, and V_i ~ Binomial(c_i, Phi(lambda_H,i)).
Given the score, lambda_H is normal with mean mu_H,y + rho (x - mu_M,y) / sigma_M and deviation
sqrt(1 - rho^2), so that it is integrated out once for each vote pattern: given lambda ~
Normal(m, s), each of c voters votes positively with probability Phi(lambda), and

    G(m, s) = P(V | c, m, s) = (c choose V) int Phi(lambda)^V Phi(-lambda)^(c - V) N(lambda; m, s)

depends on the vote pattern (V, c) and on two numbers, of which all items share s. Its log is
smooth, and close to a quadratic in m on either side. It is held by polynomials in m on cells that
widen outwards, whose coefficients are Chebyshev series in log(1 + kappa s^2), kappa the most votes
on an item: that takes the nearest singularity, at s^2 = -1 / V, away from the range. The table is
right to 1e-8 within |m| < 40 for up to ten votes an item, to 1e-6 within 9 for forty; beyond the
outermost cells it goes on as a quadratic.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from scipy.special import log_ndtr, ndtri

from crowdgold.models.joint_model import point_data, start_scores
from crowdgold.models.score_points import ScorePoints
from crowdgold.models.stan_fit import StanFit
from crowdgold.models.vote_sets import VoteSets, log_choose, start_votes
from crowdgold.system.kernels import kernel

DEVIATIONS = 8.5  # the integrand falls at least by e^-36 within so many s, as the normal density

# Edges of the cells on either side of 0.
HALF_EDGES = (1.0, 2.0, 3.2, 5.0, 8.0, 13.0, 20.0, 29.0, 42.0, 80.0, 180.0, 420.0)
DEGREE = 9  # Of the polynomials in m
EPSILON = 0.01  # |rho| is at most 1 less this; the paper does not print its epsilon


def _mills(x: np.ndarray) -> np.ndarray:
    """The derivative of log Phi."""
    return np.asarray(np.exp(-(x**2) / 2 - log_ndtr(x)) / np.sqrt(2 * np.pi))


def log_vote_probability(positive: int, total: int, mean: np.ndarray, s: np.ndarray) -> np.ndarray:
    """The log of G(m, s), s in (0, 1], by the trapezoidal rule around the integrand's peak; exact
    to rounding with steps of half its narrowest deviation, 1 / sqrt(1 / s^2 + c).
    """
    negative = total - positive
    mean, s = np.broadcast_arrays(np.asarray(mean, float), np.asarray(s, float))
    count = int(np.ceil(4 * DEVIATIONS * np.sqrt(1 + total))) + 1
    offset = np.linspace(-DEVIATIONS, DEVIATIONS, count)
    # The integrand is log-concave: Newton's method in a bracket finds its peak.
    low, high = mean - s**2 * negative * _mills(-mean), mean + s**2 * positive * _mills(mean)
    peak = (low + high) / 2
    for _ in range(40):
        up, down = _mills(peak), _mills(-peak)
        slope = positive * up - negative * down - (peak - mean) / s**2
        bend = positive * up * (peak + up) + negative * down * (down - peak) + s**-2
        low, high = np.where(slope > 0, peak, low), np.where(slope < 0, peak, high)
        step = peak + slope / bend
        peak = np.where((step > low) & (step < high), step, (low + high) / 2)
    place = peak[..., None] + offset * s[..., None]
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
    """log G(m, s) for p vote patterns."""

    edge: np.ndarray  # (L - 1,) ascending, between the L cells of m; the outer two have no end
    origin: np.ndarray  # origin, scale: (L,) a cell's polynomial is in u = (m - origin) / scale
    scale: np.ndarray
    coefficient: np.ndarray  # (p, L, D + 1, Q) Chebyshev series in t for each power of u
    # kappa, low, high: t = (2 log(1 + kappa s^2) - low - high) / (high - low), in [-1, 1]
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
    """Tabulate log G(m, s) for vote patterns (V, c), and s from `s_least` in (0, 1) to 1."""
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
    coefficient: np.ndarray, edge: np.ndarray, origin: np.ndarray, scale: np.ndarray,
    pattern: np.ndarray, mean: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """The log of G at one s of items (n,); `coefficient` is `ProbitVoteTable.at`."""
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


def vote_table(sets: VoteSets, epsilon: float) -> ProbitVoteTable:
    """Tabulate P(V | mean and deviation of lambda_H) for the vote patterns of a table."""
    patterns = zip(sets.pattern_positive.tolist(), sets.pattern_total.tolist(), strict=True)
    return tabulate_probit_votes(tuple(patterns), float(np.sqrt(epsilon * (2 - epsilon))))


@dataclass(frozen=True)
class HumanAiDraws:
    """D draws of the parameters of H-AI."""

    phi: np.ndarray  # (D,) base rate in (0, 1)
    mu_human: np.ndarray  # (D, 2) mean of lambda_H for labels 0 and 1, ascending
    mu_model: np.ndarray  # (D, 2) mean score for labels 0 and 1, ascending
    rho: np.ndarray  # (D,) correlation, |rho| <= 1 - epsilon
    sigma: np.ndarray  # (D,) standard deviation of scores given the label, positive
    epsilon: float = EPSILON  # the bound of rho that the draws were made under

    def __len__(self) -> int:
        return len(self.phi)

    def select(self, draws: np.ndarray) -> "HumanAiDraws":
        """The draws at these positions."""
        names = ("phi", "mu_human", "mu_model", "rho", "sigma")
        return replace(self, **{name: getattr(self, name)[draws] for name in names})

    def log_joint(
        self, draw: int, score: np.ndarray, member: np.ndarray, sets: VoteSets
    ) -> np.ndarray:
        """The log of [P(Y = y) p(V, X | y)]: (P, 2); see `JointDraws.log_joint`."""
        table, rho = vote_table(sets, self.epsilon), self.rho[draw]
        cells = table.at(float(np.sqrt((1 - rho) * (1 + rho))))
        pattern = sets.pattern[member]
        z = (score[:, None] - self.mu_model[draw]) / self.sigma[draw]
        mean = self.mu_human[draw] + rho * z
        joint = np.log([1 - self.phi[draw], self.phi[draw]]) - z**2 / 2
        joint -= np.log(self.sigma[draw]) + np.log(2 * np.pi) / 2
        for y in (0, 1):
            joint[:, y] += evaluate_cells(
                cells, table.edge, table.origin, table.scale, pattern, mean[:, y]
            )
        return np.asarray(joint)

    def named(self) -> dict[str, np.ndarray]:
        """The draws of each parameter by name, (D,) each."""
        return {
            "phi": self.phi, **{f"mu_H{y}": self.mu_human[:, y] for y in (0, 1)},
            **{f"mu_M{y}": self.mu_model[:, y] for y in (0, 1)}, "rho": self.rho,
            "sigma_M": self.sigma,
        }  # fmt: skip


@dataclass(frozen=True)
class HumanAiProgram:
    """stan/human_ai.stan: its data, starting points and draws."""

    epsilon: float = EPSILON  # |rho| is at most 1 less this; in (0, 1)
    nodes: ClassVar = 14
    name: ClassVar = "human_ai"
    parameters: ClassVar[tuple[str, ...]] = ("phi", "mu_H", "mu_M", "rho", "sigma_M")

    def data(self, points: ScorePoints, sets: VoteSets, pointwise: bool = False) -> dict[str, Any]:
        """Lay weighted scores and the table of vote probabilities out as data."""
        table = vote_table(sets, self.epsilon)
        patterns, cells, terms, order = table.coefficient.shape
        return {
            **point_data(points, sets, pointwise),
            "epsilon": self.epsilon,
            "p": patterns,
            "pattern": (sets.pattern + 1).tolist(),
            "L": cells,
            "edge": table.edge.tolist(),
            "origin": table.origin.tolist(),
            "scale": table.scale.tolist(),
            "D": terms,
            "Q": order,
            "kappa": table.kappa,
            "range": [table.low, table.high],
            # The cells that are needed are a block of rows: cell, then pattern, then power of u.
            "coefficient": table.coefficient.swapaxes(0, 1).reshape(-1, order).tolist(),
        }

    def start(self, scores: np.ndarray, sets: VoteSets, rng: np.random.Generator) -> dict[str, Any]:
        """A chain's starting point: near what the votes say, spread so that R-hat can tell."""
        votes = start_votes(sets, rng)
        low, high, spread = start_scores(scores, sets)
        human = ndtri([votes["a0"], votes["a1"]]) * np.sqrt(2)
        return {
            "phi": votes["phi"], "mu_H0": float(human[0]), "gap_H": float(human[1] - human[0]),
            "mu_M0": low + rng.normal(0, 0.2 * spread),
            "gap_M": max(high - low, 0.1 * spread) * rng.uniform(0.5, 1.5),
            "rho": float(rng.uniform(-0.3, 0.3) * (1 - self.epsilon)),
            "sigma_M": spread * rng.uniform(0.5, 1.0),
        }  # fmt: skip

    def read(self, fit: StanFit) -> HumanAiDraws:
        """The draws of a fit, chain after chain."""
        phi, mu_human, mu_model, rho, sigma = (fit.flat(name) for name in self.parameters)
        return HumanAiDraws(phi, mu_human, mu_model, rho, sigma, self.epsilon)
