"""The exact cut: one draw of (mu, delta) for each draw of the vote model, with no Markov chain.

Given a draw of the vote model, (mu, delta) has a two-dimensional density (MAVEN, sections 3.2.2 and
3.3). Its log-likelihood is smooth: Chebyshev interpolation from a few hundred evaluations gives it
on a fine grid, where a cell is drawn by its mass and a point uniformly within the cell. The box
that the grid covers follows the density of each draw until no mass is left at its edge, and the
interpolation is checked against direct evaluations. Where that would take too long, a wide and
curved density with hardly any gold, the draw is the end of a random walk and counts as a failure.

The coordinates are delta and z, 1 / z = 1 / mu + 1 / FAR: linear in mu near 0, where the likelihood
goes on smoothly to negative mu and only the prior ends; far out, where win rates reach 1 and the
likelihood is flat, all mu up to infinity lie below z = FAR. As 1 / mu is exponential a priori, z
has the same prior as mu, cut off at FAR.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import minimize

from crowdgold.models.score_model import (
    DELTA_PRIOR_SCALE,
    TRUSTED_DELTA,
    ConditionedScoreModel,
    ScoreData,
    nodes_for,
)
from crowdgold.models.vote_model import VoteParameters
from crowdgold.models.vote_sets import VoteSets

CELLS = 64
"""Fine cells an axis. A box is 9 to 21 deviations wide: drawing uniformly within a cell adds at
most (21 / 64)^2 / 12, or 0.9 %, to the variance."""
EDGE_MASS = 1e-4
TAIL_MASS = 1e-5
LOG_DENSITY_ERROR = 1e-2
"""Largest accepted error of the interpolated log density at the check points."""
USELESS_ERROR = 30.0
"""With an error above this the interpolation does not even say where the density is."""
DEGREES = (8, 12, 16, 24, 36)
MOVES = 60
WORK = 1_500_000
"""Evaluations times squared quadrature nodes that one draw may take: some 0.2 s."""
STUBBORN = 5
"""After so many draws in a row that did not settle, the rest are drawn by random walk."""
WALK_STEPS = 60
CHECKS = np.array([-0.37, -0.06, 0.29])
SCAN_DELTA = np.sinh(np.linspace(-4.4, 4.4, 45))
FAR = 8.0
SCAN_Z = np.concatenate([np.geomspace(0.02, 1.0, 12), np.linspace(1.3, 7.8, 22)])


@dataclass(frozen=True)
class Box:
    """A sheared box: delta in `delta`, and z - slope (delta - delta[0]) in `offset`."""

    delta: tuple[float, float]
    offset: tuple[float, float]
    slope: float

    def grid(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Give delta (T,) and z (T, T) at relative positions t in [-1, 1]."""
        delta = self.delta[0] + (self.delta[1] - self.delta[0]) * (1 + t) / 2
        offset = self.offset[0] + (self.offset[1] - self.offset[0]) * (1 + t) / 2
        return delta, self.slope * (delta - self.delta[0])[:, None] + offset

    def grown(self, delta: tuple[float, float], offset: tuple[float, float]) -> "Box":
        """Give the box with its sides moved outwards by these shares of its widths."""
        (d, e), (r, s) = self.delta, self.offset
        low = d - delta[0] * (e - d)
        shear = self.slope * (low - d)
        return Box(
            (low, e + delta[1] * (e - d)),
            (r - offset[0] * (s - r) + shear, s + offset[1] * (s - r) + shear),
            self.slope,
        )


@dataclass(frozen=True)
class ScoreDraws:
    """Draws of the score model.

    Attributes:
        mu, delta: (D,) one draw for each draw of the vote model.
        failures: draws that cannot be trusted; they are kept and counted.
    """

    mu: np.ndarray
    delta: np.ndarray
    failures: int


@dataclass(frozen=True)
class _Density:
    """The density on a box: cell masses (CELLS, CELLS) and the error of the log density."""

    box: Box
    mass: np.ndarray
    error: float

    def edges(self) -> tuple[float, float, float, float]:
        """Give the mass in the outermost cells: delta low, delta high, offset low, offset high."""
        mass = self.mass
        return (
            float(mass[0].sum()), float(mass[-1].sum()),
            float(mass[:, 0].sum()), float(mass[:, -1].sum()),
        )  # fmt: skip

    def support(self) -> Box:
        """Give the box that holds all but the tails, sheared along the density."""
        delta, z = self.box.grid(_interpolation(DEGREES[0])[1])
        margin = self.mass.sum(axis=1)
        centre = float(margin @ delta)
        spread = delta - centre
        variance = float(margin @ spread**2)
        slope = float((self.mass * z * spread[:, None]).sum()) / variance if variance > 0 else 0.0
        low, high = _tails(delta, margin, (self.box.delta[1] - self.box.delta[0]) / CELLS)
        offset = (z - slope * (delta - low)[:, None]).ravel()
        cell = (self.box.offset[1] - self.box.offset[0]) / CELLS
        return Box((low, high), _tails(offset, self.mass.ravel(), cell), slope)

    def share(self) -> float:
        """Give the share of the box, on its tighter axis, that holds all but the tails."""
        held = [np.cumsum(self.mass.sum(axis=axis)) for axis in (0, 1)]
        inside = [np.sum((total > TAIL_MASS) & (total < 1 - TAIL_MASS)) for total in held]
        return float((min(inside) + 1) / CELLS)

    def draw(self, uniform: np.ndarray) -> np.ndarray:
        """Turn three uniform numbers into (delta, z): a cell by its mass, a point in the cell."""
        total = np.cumsum(self.mass.ravel())
        cell = int(np.searchsorted(total, uniform[0] * total[-1], side="right"))
        row, column = divmod(min(cell, CELLS * CELLS - 1), CELLS)
        share = (np.array([row, column]) + uniform[1:]) / CELLS
        delta = self.box.delta[0] + (self.box.delta[1] - self.box.delta[0]) * share[0]
        offset = self.box.offset[0] + (self.box.offset[1] - self.box.offset[0]) * share[1]
        return np.array([delta, offset + self.box.slope * (delta - self.box.delta[0])])


def _tails(values: np.ndarray, mass: np.ndarray, cell: float) -> tuple[float, float]:
    """Give the range of values without `TAIL_MASS` at either end, to a cell's width outwards."""
    order = np.argsort(values)
    total = np.cumsum(mass[order])
    ends = np.searchsorted(total, [TAIL_MASS * total[-1], (1 - TAIL_MASS) * total[-1]])
    low, high = values[order[np.minimum(ends, len(values) - 1)]]
    return float(low) - cell, float(high) + cell


@cache
def _interpolation(degree: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Give Chebyshev nodes, cell centres, and the matrices from nodes to cells and to checks."""
    angle = (2 * np.arange(degree) + 1) * np.pi / (2 * degree)
    nodes = np.cos(angle)
    cells = (np.arange(CELLS) + 0.5) / CELLS * 2 - 1

    def matrix(t: np.ndarray) -> np.ndarray:
        sign = (-1.0) ** np.arange(degree) * np.sin(angle)
        terms = sign / (t[:, None] - nodes)  # no cell centre and no check is a Chebyshev node
        return np.asarray(terms / terms.sum(axis=1, keepdims=True))

    return nodes, cells, matrix(cells), matrix(CHECKS)


def _mu(z: np.ndarray) -> np.ndarray:
    """Turn z into mu; z of FAR and more, where the density is cut off, into a very large mu."""
    return np.asarray(z / (1 - np.minimum(z, FAR * (1 - 1e-7)) / FAR))


def _log_prior(delta: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Give the log prior density of (delta, z); minus infinity where mu is not in (0, infinity)."""
    inside = (z > 1e-3) & (z < FAR)
    held = np.where(inside, z, 1.0)
    log_density = -1 / held - 2 * np.log(held) - np.abs(delta) / DELTA_PRIOR_SCALE
    return np.where(inside, log_density, -np.inf)


def _density(model: ConditionedScoreModel, box: Box, degree: int) -> _Density:
    nodes, cells, to_cells, to_checks = _interpolation(degree)
    delta, z = box.grid(nodes)
    log_likelihood = model.log_likelihood(_mu(z), delta)
    cell_delta, cell_z = box.grid(cells)
    log_density = to_cells @ log_likelihood @ to_cells.T + _log_prior(cell_delta[:, None], cell_z)
    mass = np.exp(log_density - log_density.max())
    check_delta, check_z = box.grid(CHECKS)
    error = to_checks @ log_likelihood @ to_checks.T
    error -= model.log_likelihood(_mu(check_z), check_delta)
    return _Density(box, mass / mass.sum(), float(np.abs(error - error.mean()).max()))


def _settle(model: ConditionedScoreModel, box: Box, degree: int) -> tuple[_Density, int, bool]:
    """Move the box until it holds the density, and raise the degree until it is resolved.

    Returns:
        the density, the degree, and whether both were reached.
    """
    density = _density(model, box, degree)
    work = 0
    for _ in range(MOVES):
        work += (degree * nodes_for(max(map(abs, density.box.delta)))) ** 2
        outside = [0.6 if edge > EDGE_MASS / 4 else 0.0 for edge in density.edges()]
        share = density.share()
        rough = density.error > LOG_DENSITY_ERROR
        if density.error > USELESS_ERROR or work > WORK:
            return density, degree, False
        if any(outside):
            box = box.grown((outside[0], outside[1]), (outside[2], outside[3]))
        elif share < 0.4 or (rough and share < 0.7):
            box = density.support().grown((0.05, 0.05), (0.05, 0.05))
        elif rough and degree != DEGREES[-1]:
            degree = DEGREES[DEGREES.index(degree) + 1]
        else:
            return density, degree, not rough
        density = _density(model, box, degree)
    return density, degree, False


def _scan(model: ConditionedScoreModel) -> np.ndarray:
    """Give the best (delta, z) of a coarse grid over their whole range."""
    log_density = _log_prior(SCAN_DELTA[:, None], SCAN_Z[None, :])
    for row, delta in enumerate(SCAN_DELTA):  # row by row: small deltas need few nodes
        log_density[row] += model.log_likelihood(_mu(SCAN_Z)[None, :], delta[None])[0]
    best = np.unravel_index(log_density.argmax(), log_density.shape)
    return np.array([SCAN_DELTA[best[0]], SCAN_Z[best[1]]])


def _surprise(model: ConditionedScoreModel, at: np.ndarray) -> float:
    """Give minus the log density at (delta, z); a huge number outside of their range."""
    delta, z = at[:1], at[1:]
    if abs(delta[0]) > SCAN_DELTA[-1] or not np.isfinite(prior := _log_prior(delta, z)[0]):
        return 1e300
    return -float(model.log_likelihood(_mu(z)[None], delta)[0, 0] + prior)


def _walk(
    model: ConditionedScoreModel, start: np.ndarray, box: Box, rng: np.random.Generator
) -> np.ndarray:
    """Give the end of a random walk of Metropolis from (delta, z), with steps along a box."""
    at, here = start, _surprise(model, start)
    width = np.array([box.delta[1] - box.delta[0], box.offset[1] - box.offset[0]]) / 8
    for _ in range(WALK_STEPS):
        step = width * rng.standard_normal(2) * rng.choice([0.2, 0.7, 2.0])
        proposal = at + np.array([step[0], box.slope * step[0] + step[1]])
        there = _surprise(model, proposal)
        if rng.standard_exponential() > there - here:
            at, here = proposal, there
    return at


def _locate(model: ConditionedScoreModel, start: np.ndarray) -> Box:
    """Climb from (delta, z) to the mode; give a box around it, sheared along the density."""

    def surprise(at: np.ndarray) -> float:
        return _surprise(model, at)

    mode = minimize(
        surprise, start, method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-3, "maxfev": 600}
    ).x
    # The curvature, from steps that lower the log density by some 0.1 to 2.
    step = np.array([1e-3, 1e-3])
    for axis in (0, 1):
        while step[axis] < 1 and _fall(surprise, mode, step, axis) < 0.1:
            step[axis] *= 2
    here = surprise(mode)
    curve = [
        max(surprise(mode + move) + surprise(mode - move) - 2 * here, 1e-3)
        for move in (step * [1, 0], step * [0, 1])
    ]
    both = surprise(mode + step) + surprise(mode - step) - 2 * here
    cross = float(np.clip((both - sum(curve)) / 2 / np.sqrt(curve[0] * curve[1]), -0.999, 0.999))
    across = step / np.sqrt(curve)
    width = 5 * np.array([across[0] / np.sqrt(1 - cross**2), across[1]])
    slope = -cross * across[1] / across[0]
    low, high = mode[0] - width[0], mode[0] + width[0]
    middle = mode[1] - slope * (mode[0] - low)
    return Box((low, high), (middle - width[1], middle + width[1]), float(slope))


def _fall(
    surprise: Callable[[np.ndarray], float], mode: np.ndarray, step: np.ndarray, axis: int
) -> float:
    """Say how far the log density falls, at most, by a step along an axis."""
    move = np.zeros(2)
    move[axis] = step[axis]
    return max(surprise(mode + move), surprise(mode - move)) - surprise(mode)


def sample_exact_cut(
    data: ScoreData, sets: VoteSets, vote: VoteParameters, rng: np.random.Generator
) -> ScoreDraws:
    """Draw (mu, delta) once for each draw of the vote model.

    Args:
        data: win counts of one predictor.
        sets: the vote sets they belong to.
        vote: D draws of the vote model.
        rng: source of the draws.

    Returns:
        D draws; `failures` counts those whose grid did not settle, which are the ends of random
        walks, each from the draw before it, and those where the quadrature is not trusted.
    """
    pilot_model = ConditionedScoreModel.at(data, sets, vote.mean(), 0)
    mode = _scan(pilot_model)
    pilot, degree, _ = _settle(pilot_model, _locate(pilot_model, mode), DEGREES[0])
    start = pilot.support().grown((0.1, 0.1), (0.1, 0.1))
    mu, delta = np.empty(len(vote)), np.empty(len(vote))
    at, failures, stubborn = mode, 0, 0
    for draw in range(len(vote)):
        model = ConditionedScoreModel.at(data, sets, vote, draw)
        settled = False
        if stubborn < STUBBORN:
            density, _, settled = _settle(model, start, degree)
            if not settled:
                density, _, settled = _settle(model, _locate(model, mode), DEGREES[0])
            stubborn = 0 if settled else stubborn + 1
        at = density.draw(rng.random(3)) if settled else _walk(model, at, start, rng)
        delta[draw], z = at
        mu[draw] = _mu(np.array(min(z, 2 * FAR - z)))  # a cell may reach over the end
        failures += not settled or abs(delta[draw]) > TRUSTED_DELTA
    return ScoreDraws(mu, delta, failures)
