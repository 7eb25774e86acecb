"""The density of (mu, delta) given a draw of the vote model, on the cells of a sheared box.

The log-likelihood is smooth: Chebyshev interpolation from a few hundred evaluations gives it on a
fine grid, where a cell is drawn by its mass and a point uniformly within the cell. The
interpolation is checked against direct evaluations.

The coordinates are delta and z, 1 / z = 1 / mu + 1 / FAR: linear in mu near 0, where the likelihood
goes on smoothly to negative mu and only the prior ends; far out, where positives always rank above
negatives and the likelihood is flat, all mu up to infinity lie below z = FAR. As 1 / mu is
exponential a priori in the paper, z then has the same prior as mu, cut off at FAR.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from crowdgold.models.priors import ScorePrior
from crowdgold.models.score_likelihood import ScoreLikelihood

CELLS = 64
"""Fine cells an axis. A box is 9 to 21 deviations wide: drawing uniformly within a cell adds at
most (21 / 64)^2 / 12, or 0.9 %, to the variance."""
TAIL_MASS = 1e-5
DEGREES = (8, 12, 16, 24, 36)
CHECKS = np.array([-0.37, -0.06, 0.29])
FAR = 8.0


@dataclass(frozen=True)
class Box:
    """A sheared box: delta in `delta`, and z - slope (delta - delta[0]) in `offset`."""

    delta: tuple[float, float]
    offset: tuple[float, float]
    slope: float

    def grid(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values of delta (T,) and z (T, T) at relative positions t in [-1, 1]."""
        delta = self.delta[0] + (self.delta[1] - self.delta[0]) * (1 + t) / 2
        offset = self.offset[0] + (self.offset[1] - self.offset[0]) * (1 + t) / 2
        return delta, self.slope * (delta - self.delta[0])[:, None] + offset

    def area(self) -> float:
        """The area of the box."""
        return float(self.widths().prod())

    def widths(self) -> np.ndarray:
        """The widths in delta and in offset."""
        return np.array([self.delta[1] - self.delta[0], self.offset[1] - self.offset[0]])

    def grown(self, delta: tuple[float, float], offset: tuple[float, float]) -> "Box":
        """The box with its sides moved outwards by these shares of its widths."""
        (d, e), (r, s) = self.delta, self.offset
        low = d - delta[0] * (e - d)
        shear = self.slope * (low - d)
        return Box(
            (low, e + delta[1] * (e - d)),
            (r - offset[0] * (s - r) + shear, s + offset[1] * (s - r) + shear),
            self.slope,
        )


@dataclass(frozen=True)
class Density:
    """The density on a box.

    Attributes:
        box: the box.
        mass: (CELLS, CELLS) share of each cell.
        error: largest error of the log density at the check points.
        log_mass: log of the integral of prior (without its constant) times likelihood.
        offset: mean error there, which `error` leaves out: it does not change the shares.
    """

    box: Box
    mass: np.ndarray
    error: float
    log_mass: float
    offset: float = 0.0

    def edges(self) -> tuple[float, float, float, float]:
        """The mass in the outermost cells: delta low, delta high, offset low, offset high."""
        mass = self.mass
        return (
            float(mass[0].sum()), float(mass[-1].sum()),
            float(mass[:, 0].sum()), float(mass[:, -1].sum()),
        )  # fmt: skip

    def support(self) -> Box:
        """The box that holds all but the tails, sheared along the density."""
        delta, z = self.box.grid(interpolation(DEGREES[0])[1])
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
        """The share of the box, on its tighter axis, that holds all but the tails."""
        held = [np.cumsum(self.mass.sum(axis=axis)) for axis in (0, 1)]
        inside = [np.sum((total > TAIL_MASS) & (total < 1 - TAIL_MASS)) for total in held]
        return float((min(inside) + 1) / CELLS)

    def roughness(self) -> float:
        """How much a cell blurs: its width squared times the Fisher information of location.

        The larger of both axes. That information is at least one over the variance, so a point that
        is uniform within its cell adds at most a twelfth of this to the variance.
        """
        root = np.sqrt(self.mass)  # its derivative's square is a quarter of the information
        return float(max(4 * (np.diff(root, axis=axis) ** 2).sum() for axis in (0, 1)))

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
    """The range of values without `TAIL_MASS` at either end, to a cell's width outwards."""
    order = np.argsort(values)
    total = np.cumsum(mass[order])
    ends = np.searchsorted(total, [TAIL_MASS * total[-1], (1 - TAIL_MASS) * total[-1]])
    low, high = values[order[np.minimum(ends, len(values) - 1)]]
    return float(low) - cell, float(high) + cell


@cache
def interpolation(degree: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Chebyshev nodes, cell centres, and the matrices from nodes to cells and to checks."""
    angle = (2 * np.arange(degree) + 1) * np.pi / (2 * degree)
    nodes = np.cos(angle)
    cells = (np.arange(CELLS) + 0.5) / CELLS * 2 - 1

    def matrix(t: np.ndarray) -> np.ndarray:
        sign = (-1.0) ** np.arange(degree) * np.sin(angle)
        terms = sign / (t[:, None] - nodes)  # no cell centre and no check is a Chebyshev node
        return np.asarray(terms / terms.sum(axis=1, keepdims=True))

    return nodes, cells, matrix(cells), matrix(CHECKS)


def mu_at(z: np.ndarray) -> np.ndarray:
    """Turn z into mu; z of FAR and more, where the density is cut off, into a very large mu."""
    return np.asarray(z / (1 - np.minimum(z, FAR * (1 - 1e-7)) / FAR))


def log_prior(prior: ScorePrior, delta: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The log prior density of (delta, z), up to a constant.

    Minus infinity where mu is not in (0, infinity). With shape a and scale b of mu it is
    -b / z - (a + 1) log z + (a - 1) log(1 - z / FAR), as dmu = (mu / z)^2 dz.
    """
    inside = (z > 1e-3) & (z < FAR)
    held = np.where(inside, z, 1.0)
    of_z = -prior.mu_scale / held - (prior.mu_shape + 1) * np.log(held)
    of_z += (prior.mu_shape - 1) * np.log1p(-held / FAR)
    return np.where(inside, of_z - np.abs(delta) / prior.delta_scale, -np.inf)


def density_on(model: ScoreLikelihood, box: Box, degree: int) -> Density:
    """Interpolate the log-likelihood on a box from degree^2 evaluations, and check it at 9 more.

    The error is infinite where the box has no area, or lies where the prior has no mass.
    """
    nodes, cells, to_cells, to_checks = interpolation(degree)
    delta, z = box.grid(nodes)
    log_likelihood = model.log_likelihood(mu_at(z), delta)
    cell_delta, cell_z = box.grid(cells)
    log_density = to_cells @ log_likelihood @ to_cells.T
    log_density += log_prior(model.prior, cell_delta[:, None], cell_z)
    highest = log_density.max()
    if not (np.isfinite(highest) and 0 < box.area() < np.inf):
        return Density(box, np.full((CELLS, CELLS), CELLS**-2.0), np.inf, -np.inf)
    mass = np.exp(log_density - highest)
    log_mass = float(highest) + math.log(mass.sum()) + math.log(box.area() / CELLS**2)
    check_delta, check_z = box.grid(CHECKS)
    error = to_checks @ log_likelihood @ to_checks.T
    error -= model.log_likelihood(mu_at(check_z), check_delta)
    offset = error.mean()
    largest = float(np.abs(error - offset).max())
    return Density(box, mass / mass.sum(), largest, log_mass, float(offset))
