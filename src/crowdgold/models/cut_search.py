"""Where the density of (mu, delta) lies: the search for its mode and for the box that holds it.

The box follows the density of each draw until no mass is left at its edge, and the degree of the
interpolation rises until its error is small. Where that would take too long, a wide and curved
density with hardly any gold, the search gives up.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from crowdgold.models.cut_density import (
    DEGREES,
    Box,
    Density,
    density_on,
    log_prior,
    mu_at,
)
from crowdgold.models.score_likelihood import ScoreLikelihood

EDGE_MASS = 1e-4
LOG_DENSITY_ERROR = 1e-2
"""Largest accepted error of the interpolated log density at the check points."""
USELESS_ERROR = 30.0
"""With an error above this the interpolation does not even say where the density is."""
MOVES = 60
WORK = 1_500_000
"""Degree squared times the cost of an evaluation that one draw may take: some 0.2 s."""
SCAN_DELTA = np.sinh(np.linspace(-4.4, 4.4, 45))
SCAN_Z = np.concatenate([np.geomspace(0.02, 1.0, 12), np.linspace(1.3, 7.8, 22)])


def settle(model: ScoreLikelihood, box: Box, degree: int) -> tuple[Density, int, bool]:
    """Move the box until it holds the density, and raise the degree until it is resolved.

    Returns:
        the density, the degree, and whether both were reached.
    """
    density = density_on(model, box, degree)
    work = 0.0
    for _ in range(MOVES):
        work += degree**2 * model.cost(max(map(abs, density.box.delta)))
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
        density = density_on(model, box, degree)
    return density, degree, False


def scan(model: ScoreLikelihood) -> np.ndarray:
    """The best (delta, z) of a coarse grid over their whole range."""
    log_density = log_prior(model.prior, SCAN_DELTA[:, None], SCAN_Z[None, :])
    for row, delta in enumerate(SCAN_DELTA):  # row by row: small deltas need few nodes
        log_density[row] += model.log_likelihood(mu_at(SCAN_Z)[None, :], delta[None])[0]
    best = np.unravel_index(log_density.argmax(), log_density.shape)
    return np.array([SCAN_DELTA[best[0]], SCAN_Z[best[1]]])


def surprise_at(model: ScoreLikelihood, at: np.ndarray) -> float:
    """Minus the log density at (delta, z); a huge number outside of their range."""
    delta, z = at[:1], at[1:]
    prior = log_prior(model.prior, delta, z)[0]
    if abs(delta[0]) > SCAN_DELTA[-1] or not np.isfinite(prior):
        return 1e300
    return -float(model.log_likelihood(mu_at(z)[None], delta)[0, 0] + prior)


def locate(model: ScoreLikelihood, start: np.ndarray) -> Box:
    """Climb from (delta, z) to the mode; give a box around it, sheared along the density."""

    def surprise(at: np.ndarray) -> float:
        return surprise_at(model, at)

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
