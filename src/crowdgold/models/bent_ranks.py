"""The binned rank likelihood of a predictor that need not be monotone, and draws from its cut.

The utility is delta P and a part of its own, E. Of negatives E is standard normal. MAVEN has E ~
Normal(mu, 1) of positives, so that the log odds of a positive rise in E by mu everywhere. Here
their slope is mu + beta(x) at E = x, which may be below 0: a higher score is a lesser chance there.

    U = delta P + E,   E | Y = 0 ~ Normal(0, 1),   E | Y = 1 ~ phi(x - mu) exp(b(x)) / Z
    b(x)  =  integral from 0 to x of beta;   Z such that the density integrates to 1
    beta  =  beta_j at knot k_j, linear between knots, constant beyond the outermost
    beta_j = tau e_j,   e_j ~ Normal(0, 1),   tau ~ Exponential(1),   mu, delta as in MAVEN

With tau = 0 it is MAVEN's score model, and the ranking is compared with it as in `binned_ranks`:
that holds for any F_yv. The knots are the quantiles 1/16, 3/16 .. 15/16 of E of the two labels in
equal parts, at a monotone fit.

F(t | y, P) is smooth in P: its mean over a beta density is that of the polynomial through Chebyshev
nodes, the same for all vote sets. An evaluation then needs E's two distributions on a grid that the
knots are points of, interpolated at t - delta P.

Each draw of the vote model has a Markov chain of its own, from a pilot's states on, as in
`nested_cut`. A chain's proposal is its state plus a multiple of the difference of two other chains'
states (ter Braak, 2006), which leaves the product of all their densities as it is, equal or not;
its last state is kept. The pilot's chains are few, each with a draw of the vote model; they start
from the monotone model and go on until their mean log density rises no more.
"""

import math
from typing import NamedTuple, Self

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from crowdgold.models.binned_ranks import BinnedRanks, nodes_for_distribution
from crowdgold.models.exact_cut import ScoreDraws, sample_exact_cut
from crowdgold.models.priors import ScorePrior
from crowdgold.models.quadrature import gauss_jacobi
from crowdgold.models.score_model import TRUSTED_DELTA
from crowdgold.models.utility import Bend
from crowdgold.models.utility_distribution import table_kernel
from crowdgold.models.vote_sets import VoteParameters, VoteSets

KNOTS = 8  # Of beta; fewer where mu is so small that two are at one point of the grid
STEP = 0.2  # Of the grid, in deviations of E; knots are multiples of it
REACH = 6.5  # The grid ends this many deviations beyond 0 and the outermost mu + beta_j
MOST_POINTS = 800  # Of the grid; parameters that need more are not possible
FLOOR = 1e-9  # Least probability of a bin: below it the polynomial has no digits
PILOT = 44  # Chains of the pilot, four for each coordinate
SWEEPS = 160  # Of every chain after the pilot, and from one look at the pilot to the next
LOOKS = 20  # At the pilot, at most
RISE = 0.5  # Of the pilot's mean log density from look to look, at which it ends


class BentRanks(NamedTuple):
    """The likelihood given D draws of the vote model, as the kernels take it."""

    knots: np.ndarray  # (J,) in steps of the grid
    nodes: np.ndarray  # (M,) Chebyshev nodes of P, the same for all vote sets
    weights: np.ndarray  # (D, 2, p, M) what they weigh, by label and pattern
    pattern_share: np.ndarray  # (D, 2, p) items of each pattern with label 0, and 1
    q: np.ndarray  # (D, m) P(Y = 1 | vote set)
    pattern: np.ndarray  # (m,) vote pattern of each vote set
    items: np.ndarray  # (B, m) their number n_kb in each bin
    share: np.ndarray  # (B - 1,) share of the items below each cut

    @classmethod
    def of(
        cls, data: BinnedRanks, sets: VoteSets, vote: VoteParameters, knots: np.ndarray, size: int
    ) -> Self:
        """Condition a binned ranking on draws of the vote model; `size` nodes of P."""
        angle, degree = (2 * np.arange(size) + 1) * np.pi / (2 * size), np.arange(size)
        points, mass = gauss_jacobi(*vote.shapes(sets), size)
        # E T_k(2 P - 1) of each density, then what they make of the values at the nodes.
        chebyshev = np.cos(degree * np.arccos(2 * points - 1)[..., None])
        moments = np.einsum("dpyj,dpyjk->dypk", mass, chebyshev)
        moments[..., 1:] *= 2
        q = vote.label_probability(sets)
        of_pattern = np.eye(len(sets.pattern_total))[sets.pattern] * sets.count[:, None]
        shares = np.stack([(1 - q) @ of_pattern, q @ of_pattern], axis=1) / sets.count.sum()
        below = np.cumsum(data.count.sum(axis=1)) / sets.count.sum()
        return cls(
            knots, (1 + np.cos(angle)) / 2, moments @ np.cos(np.outer(degree, angle)) / size,
            shares, q, sets.pattern, data.count, below[:-1],
        )  # fmt: skip


@table_kernel
def _hermite(x: float) -> tuple[float, float, float, float]:
    """The cubic Hermite weights of value and slope at 0, then at 1, for x."""
    far, y = x * x * (3 - 2 * x), 1 - x
    return 1 - far, x * y * y, far, -x * x * y


@table_kernel
def _distributions(
    mu: float, slopes: np.ndarray, knots: np.ndarray, low: int, below: np.ndarray,
    density: np.ndarray,
) -> None:  # fmt: skip
    """Write E's distribution function, and its density times `STEP`, of each label, (2, G)."""
    size = below.shape[1]
    slope, tilt = np.empty(size), 0.0
    for g in range(size):
        k = int(np.searchsorted(knots, low + g, side="right"))
        if 0 < k < len(knots):
            part = (low + g - knots[k - 1]) / (knots[k] - knots[k - 1])
            slope[g] = mu + slopes[k - 1] + part * (slopes[k] - slopes[k - 1])
        else:
            slope[g] = mu + slopes[max(k - 1, 0)]
    for y in range(2):
        own, held = density[y], below[y]
        for g in range(size):
            if g > 0:
                tilt += STEP * (slope[g - 1] + slope[g]) / 2
            x = STEP * (low + g)
            own[g] = y * tilt - 0.5 * x * x
        highest = own.max()
        for g in range(size):
            own[g] = math.exp(own[g] - highest)
        held[0] = last = 0.0
        for g in range(size):
            # The trapezium rule with its end correction.
            fall = STEP * own[g] * (STEP * (low + g) - y * slope[g]) / 12
            if g > 0:
                held[g] = held[g - 1] + 0.5 * (own[g - 1] + own[g]) + fall - last
            last = fall
        total, tilt = held[size - 1], 0.0
        for g in range(size):
            held[g] /= total
            own[g] /= total


@table_kernel
def log_likelihood(
    mu: float, delta: float, slopes: np.ndarray, draw: int, model: BentRanks
) -> float:
    """The log-likelihood, up to a constant, at one draw; -inf where the grid would be too large."""
    weights, pattern_share, q = model.weights[draw], model.pattern_share[draw], model.q[draw]
    count, pattern = model.items, model.pattern
    size, patterns, bins = len(model.nodes), weights.shape[1], len(count)
    low = math.floor((min(0.0, mu + slopes.min()) - REACH) / STEP)
    points = math.ceil((max(0.0, mu + slopes.max()) + REACH) / STEP) - low + 1
    reach = math.ceil(abs(delta) / STEP)
    if not points + reach <= MOST_POINTS:
        return -np.inf
    below, density = np.empty((2, points)), np.empty((2, points))
    _distributions(mu, slopes, model.knots, low, below, density)
    # Fbar and its slope on a grid of utilities, whose first point is `low` or delta lower.
    start = -reach if delta < 0 else 0
    whole, rise = np.zeros(points + reach), np.zeros(points + reach)
    for m in range(size):
        behind = start - delta * model.nodes[m] / STEP
        cell = math.floor(behind)
        a, c, d, e = _hermite(behind - cell)
        for y in range(2):
            part = 0.0
            for v in range(patterns):
                part += pattern_share[y, v] * weights[y, v, m]
            for g in range(points + reach):
                at = g + cell
                if at >= points - 1:
                    whole[g] += part
                elif at >= 0:
                    value = a * below[y, at] + c * density[y, at]
                    value += d * below[y, at + 1] + e * density[y, at + 1]
                    whole[g] += part * value
                    slope = (1 - behind + cell) * density[y, at]
                    rise[g] += part * (slope + (behind - cell) * density[y, at + 1])
    result, cell = 0.0, 0
    reached, mass = np.zeros((2, size)), np.empty((2, size))
    for b in range(bins):
        if b == bins - 1:
            mass[:] = 1 - reached
        else:
            while cell < points + reach - 2 and whole[cell + 1] < model.share[b]:
                cell += 1
            left, right = cell, cell + 1
            place = _where(model.share[b], whole[left], rise[left], whole[right], rise[right])
            place += start + cell
            for m in range(size):
                behind = place - delta * model.nodes[m] / STEP
                at = math.floor(behind)
                a, c, d, e = _hermite(behind - at)
                for y in range(2):
                    value = 0.0 if at < 0 else 1.0
                    if 0 <= at < points - 1:
                        value = a * below[y, at] + c * density[y, at]
                        value += d * below[y, at + 1] + e * density[y, at + 1]
                    mass[y, m] = value - reached[y, m]
                    reached[y, m] = value
        for k in range(len(q)):
            if count[b, k] > 0:
                held = 0.0
                for m in range(size):
                    held += q[k] * weights[1, pattern[k], m] * mass[1, m]
                    held += (1 - q[k]) * weights[0, pattern[k], m] * mass[0, m]
                result += count[b, k] * math.log(max(held, FLOOR))
    return result


@table_kernel
def _where(
    wanted: float, left: float, left_slope: float, right: float, right_slope: float
) -> float:
    """The place in [0, 1] where a cubic Hermite polynomial is `wanted`: by Newton, or halving where
    he leaves the bracket.
    """
    low, high = 0.0, 1.0
    x = min(max((wanted - left) / (right - left), 0.0), 1.0) if right > left else 0.5
    for _ in range(40):
        a, c, d, e = _hermite(x)
        excess = a * left + c * left_slope + d * right + e * right_slope - wanted
        low, high = (low, x) if excess > 0 else (x, high)
        y = 1 - x
        slope = 6 * x * y * (right - left)
        slope += y * (y - 2 * x) * left_slope + x * (x - 2 * y) * right_slope
        new = x - excess / slope if slope > 0 else -1.0
        if not low <= new <= high:
            new = 0.5 * (low + high)
        moved, x = abs(new - x), new
        if moved < 1e-9:
            break
    return x


@table_kernel
def _log_density(
    state: np.ndarray, prior: tuple[float, float, float], draw: int, model: BentRanks
) -> float:
    """The log posterior density of (log mu, delta, log tau, e), up to a constant."""
    log_mu, delta, log_tau, e = state[0], state[1], state[2], state[3:]
    mu, tau = math.exp(min(log_mu, 50.0)), math.exp(min(log_tau, 50.0))
    shape, scale, delta_scale = prior
    result = -shape * log_mu - scale / mu - abs(delta) / delta_scale + log_tau - tau
    result -= 0.5 * (e * e).sum()
    return result + log_likelihood(mu, delta, tau * e, draw, model)


@table_kernel
def _walk(
    state: np.ndarray, others: np.ndarray, noise: np.ndarray, uniform: np.ndarray,
    prior: tuple[float, float, float], model: BentRanks,
) -> float:  # fmt: skip
    """Move the states (D, ...) in place, a sweep for each row of random numbers; the mean of their
    log densities over all sweeps.
    """
    draws, sweeps, total = len(state), len(uniform), 0.0
    height = np.array([_log_density(state[d], prior, d, model) for d in range(draws)])
    for sweep in range(sweeps):
        for d in range(draws):
            i, j = others[sweep, d]
            # All coordinates or some, by the multiple that suits so many, or a leap.
            chance = uniform[sweep, d, 1]
            moved = uniform[sweep, d, 2:] < (1.0 if chance < 0.4 else 0.4)
            step = 1.0 if chance > 0.95 else 2.38 / math.sqrt(2.0 * max(moved.sum(), 1))
            change = step * (state[i] - state[j]) + noise[sweep, d]
            proposal = state[d] + np.where(moved, change, 0.0)
            there = _log_density(proposal, prior, d, model)
            if math.log(uniform[sweep, d, 0]) < there - height[d]:
                state[d], height[d] = proposal, there
        total += height.mean()
    return total / sweeps


def walk(
    state: np.ndarray, sweeps: int, prior: ScorePrior, model: BentRanks, rng: np.random.Generator
) -> float:
    """Move the states (D, ...), D at least 3, in place; the mean of their log densities."""
    draws, size = state.shape
    first = rng.integers(1, draws, (sweeps, draws))
    second = rng.integers(1, draws - 1, (sweeps, draws))
    second += second >= first
    others = (np.stack([first, second], axis=-1) + np.arange(draws)[:, None]) % draws
    noise = 1e-3 * rng.standard_normal((sweeps, draws, size))
    uniform = rng.random((sweeps, draws, 2 + size))
    of_prior = (prior.mu_shape, prior.mu_scale, prior.delta_scale)
    return float(_walk(state, others, noise, uniform, of_prior, model))


def find_knots(mu: float) -> np.ndarray:
    """The knots, in steps of the grid, where E ~ Normal(0, 1) and Normal(mu, 1) in equal parts."""

    def excess(x: float, share: float) -> float:
        return float(ndtr(x) + ndtr(x - mu)) / 2 - share

    shares = (np.arange(KNOTS) + 0.5) / KNOTS
    places = [brentq(excess, -9, mu + 9, args=(share,)) for share in shares]
    return np.unique(np.round(np.array(places) / STEP).astype(int))


def sample_bent_cut(
    data: BinnedRanks, sets: VoteSets, vote: VoteParameters, rng: np.random.Generator
) -> ScoreDraws:
    """(mu, delta, bend) for each draw of the vote model; `failures` counts those not to be trusted,
    which are all where the pilot has not settled.
    """
    some = vote.select(np.arange(PILOT) * len(vote) // PILOT)
    first = sample_exact_cut(data, sets, some, rng)
    knots = find_knots(float(np.median(np.minimum(first.mu, 9.0))))
    size = nodes_for_distribution(float(np.abs(first.delta).max()) + 2)
    pilot = BentRanks.of(data, sets, some, knots, size)
    bend = rng.standard_normal((PILOT, 1 + len(knots)))  # log tau, e
    state = np.column_stack([np.log(np.minimum(first.mu, 40.0)), first.delta, bend])
    rise, height = math.inf, -math.inf
    for _ in range(LOOKS):
        kept = []
        before, height = height, 0.0
        for _ in range(SWEEPS // 10):
            height += walk(state, 10, data.prior, pilot, rng) / (SWEEPS // 10)
            kept.append(state.copy())
        rise = height - before
        if rise < RISE:
            break
    # A chain needs two others.
    all_draws = vote.select(np.arange(max(len(vote), 3)) % len(vote))
    starts = np.concatenate(kept)
    state = starts[rng.choice(len(starts), len(all_draws), replace=len(all_draws) > len(starts))]
    walk(state, SWEEPS, data.prior, BentRanks.of(data, sets, all_draws, knots, size), rng)
    state = state[: len(vote)]
    mu, delta, tau = np.exp(state[:, 0]), state[:, 1], np.exp(state[:, 2:3])
    failures = len(vote) if rise > RISE else int((np.abs(delta) > TRUSTED_DELTA).sum())
    return ScoreDraws(mu, delta, failures, bend=Bend(STEP * knots, tau * state[:, 3:]))
