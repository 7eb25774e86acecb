"""The exact cut where positives have a standard deviation of their own: draws of (mu, delta, sd).

log sd ~ Normal(0, 0.5). For a draw of the vote model the integral of the density over (mu, delta),
Z(log sd), comes from the two-dimensional grid at a few values of log sd; log Z is smooth, so a
polynomial through them gives the density of log sd on fine cells. Then (mu, delta) are drawn at the
sd that was drawn, where the grid's own integral checks the polynomial.
"""

import math
from dataclasses import dataclass

import numpy as np

from crowdgold.models.binned_ranks import BinnedRanks, ConditionedBinnedRanks
from crowdgold.models.cut_density import CELLS, DEGREES, FAR, Box, Density, mu_at
from crowdgold.models.cut_search import EDGE_MASS, locate, scan, settle, surprise_at, walk
from crowdgold.models.exact_cut import STUBBORN, ScoreDraws
from crowdgold.models.score_likelihood import TRUSTED_DELTA
from crowdgold.models.vote_model import VoteParameters
from crowdgold.models.vote_sets import VoteSets

LOG_SD_PRIOR_SCALE = 0.5
MOST_LOG_SD = 2.0
"""Four deviations of the prior; the density is cut off there."""
NODES = (6, 9, 13)
"""Values of log sd on which the polynomial rests; more where the check fails."""
LOG_MASS_ERROR = 0.05
"""Largest accepted error of the polynomial where sd was drawn."""
TRUSTED_STEEPNESS = 60.0
"""Beyond this |delta| / sd the quadrature is not held to its stated error."""


@dataclass
class _Starts:
    """Boxes that held the density before, by log sd: where the search starts."""

    log_sd: list[float]
    boxes: list[Box]
    degrees: list[int]

    def settle(
        self, model: ConditionedBinnedRanks, log_sd: float, keep: bool
    ) -> tuple[Density, bool]:
        """Settle the grid at a log sd, from the nearest box; remember the box it ends with."""
        nearest = int(np.abs(np.array(self.log_sd) - log_sd).argmin())
        at = model.with_sd(math.exp(log_sd))
        density, degree, settled = settle(at, self.boxes[nearest], self.degrees[nearest])
        if not settled:
            box = self.boxes[nearest]
            middle = box.grid(np.zeros(1))
            start = np.array([middle[0][0], np.clip(middle[1][0, 0], 0.02, FAR - 0.1)])
            density, degree, settled = settle(at, locate(at, start), DEGREES[0])
        if settled and keep:
            self.log_sd.append(log_sd)
            self.boxes.append(density.support().grown((0.1, 0.1), (0.1, 0.1)))
            self.degrees.append(degree)
        return density, settled


def _log_prior(log_sd: np.ndarray | float) -> np.ndarray:
    return np.asarray(-0.5 * (np.asarray(log_sd) / LOG_SD_PRIOR_SCALE) ** 2)


def _chebyshev(low: float, high: float, nodes: int) -> np.ndarray:
    t = np.cos((2 * np.arange(nodes) + 1) * np.pi / (2 * nodes))
    return low + (high - low) * (1 + t) / 2


def _interpolate(at: np.ndarray, nodes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Give the polynomial through (nodes, values) at some points that are no nodes."""
    count = len(nodes)
    weights = (-1.0) ** np.arange(count) * np.sin((2 * np.arange(count) + 1) * np.pi / (2 * count))
    terms = weights / (at[:, None] - nodes)
    return np.asarray(terms @ values / terms.sum(axis=1))


def _pilot(model: ConditionedBinnedRanks) -> tuple[_Starts, float, float, np.ndarray]:
    """Find where log sd lies: by steps uphill that are halved, then steps out on both sides.

    Returns:
        boxes along the way, the range of log sd, and the best (delta, z) at sd = 1.
    """
    best = scan(model)
    first, degree, _ = settle(model, locate(model, best), DEGREES[0])
    starts = _Starts([0.0], [first.support().grown((0.1, 0.1), (0.1, 0.1))], [degree])

    def log_density(log_sd: float) -> float:
        return starts.settle(model, log_sd, True)[0].log_mass + float(_log_prior(log_sd))

    mode, height, step = 0.0, first.log_mass, 0.4
    while step > 0.02:
        sides = [float(np.clip(mode + side * step, -MOST_LOG_SD, MOST_LOG_SD)) for side in (-1, 1)]
        heights = [log_density(side) for side in sides]
        if max(heights) > height:
            mode, height = sides[int(np.argmax(heights))], max(heights)
        else:
            curvature = max(2 * height - sum(heights), 1e-6) / step**2
            step /= 4
            if step < 0.3 / math.sqrt(curvature):
                break
    reach = 6.5 / math.sqrt(max(curvature, 1e-6))
    return starts, max(mode - reach, -MOST_LOG_SD), min(mode + reach, MOST_LOG_SD), best


@dataclass(frozen=True)
class _LogSd:
    """The density of log sd: masses of `CELLS` cells over a range, and log density at any point."""

    low: float
    high: float
    nodes: np.ndarray
    log_density: np.ndarray
    settled: bool

    def cells(self) -> np.ndarray:
        """Give the masses of the cells; they sum to 1."""
        at = self.low + (self.high - self.low) * (np.arange(CELLS) + 0.5) / CELLS
        log_mass = _interpolate(at, self.nodes, self.log_density)
        mass = np.exp(log_mass - log_mass.max())
        return np.asarray(mass / mass.sum())

    def draw(self, uniform: np.ndarray) -> float:
        """Turn two uniform numbers into a log sd."""
        cell = int(np.searchsorted(np.cumsum(self.cells()), uniform[0], side="right"))
        return self.low + (self.high - self.low) * (min(cell, CELLS - 1) + uniform[1]) / CELLS

    def at(self, log_sd: float) -> float:
        """Give the log density at a point."""
        return float(_interpolate(np.array([log_sd]), self.nodes, self.log_density)[0])


def _log_sd(
    model: ConditionedBinnedRanks, starts: _Starts, low: float, high: float, count: int
) -> _LogSd:
    """Integrate (mu, delta) out at the nodes; move the range until it holds the density."""
    for _ in range(12):
        nodes = _chebyshev(low, high, count)
        settled, log_density = True, np.empty(count)
        for i, log_sd in enumerate(nodes):
            density, good = starts.settle(model, float(log_sd), False)
            settled &= good
            log_density[i] = density.log_mass
        found = _LogSd(low, high, nodes, log_density + _log_prior(nodes), settled)
        mass = found.cells()
        width = high - low
        outside = (
            mass[0] > EDGE_MASS and low > -MOST_LOG_SD,
            (mass[-1] > EDGE_MASS and high < MOST_LOG_SD),
        )
        held = np.flatnonzero((np.cumsum(mass) > 1e-5) & (np.cumsum(mass) < 1 - 1e-5))
        if not settled:
            return found
        if any(outside):
            low = max(low - 0.5 * width * outside[0], -MOST_LOG_SD)
            high = min(high + 0.5 * width * outside[1], MOST_LOG_SD)
        elif len(held) < 0.35 * CELLS:
            first, last = (held[0], held[-1]) if len(held) else (int(mass.argmax()),) * 2
            low, high = low + width * (first - 2) / CELLS, low + width * (last + 3) / CELLS
        else:
            return found
    return _LogSd(low, high, nodes, found.log_density, False)


def _draw(
    model: ConditionedBinnedRanks, starts: _Starts, low: float, high: float, uniform: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Give (delta, z, log sd), and whether every grid settled and the check held."""
    for count in NODES:
        log_sds = _log_sd(model, starts, low, high, count)
        if not log_sds.settled:
            break
        log_sd = log_sds.draw(uniform[:2])
        density, settled = starts.settle(model, log_sd, False)
        error = density.log_mass + float(_log_prior(log_sd)) - log_sds.at(log_sd)
        if settled and abs(error) < LOG_MASS_ERROR:
            return np.append(density.draw(uniform[2:]), log_sd), True
    return np.zeros(3), False


def sample_exact_cut_sd(
    data: BinnedRanks, sets: VoteSets, vote: VoteParameters, rng: np.random.Generator
) -> ScoreDraws:
    """Draw (mu, delta, sd) once for each draw of the vote model.

    Args:
        data: the binned ranking of one predictor.
        sets: the vote sets of its items.
        vote: D draws of the vote model.
        rng: source of the draws.

    Returns:
        D draws; `failures` counts those that did not settle, which are the ends of random walks,
        and those where the quadrature is not trusted.
    """
    starts, low, high, best = _pilot(data.conditioned(sets, vote.mean(), 0))
    width = np.append(starts.boxes[0].widths(), high - low) / 8
    at = np.append(best, 0.0)
    draws = np.empty((len(vote), 3))
    failures, stubborn = 0, 0
    for draw in range(len(vote)):
        model = data.conditioned(sets, vote, draw)
        settled = False
        if stubborn < STUBBORN:
            found, settled = _draw(model, starts, low, high, rng.random(5))
            stubborn = 0 if settled else stubborn + 1
        at = found if settled else _walk(model, at, width, starts.boxes[0].slope, rng)
        draws[draw] = at
        steepness = abs(at[0]) / min(math.exp(at[2]), 1.0)
        failures += not settled or abs(at[0]) > TRUSTED_DELTA or steepness > TRUSTED_STEEPNESS
    z = np.minimum(draws[:, 1], 2 * FAR - draws[:, 1])  # a cell may reach over the end
    return ScoreDraws(mu_at(z), draws[:, 0], failures, np.exp(draws[:, 2]))


def _walk(
    model: ConditionedBinnedRanks,
    start: np.ndarray,
    width: np.ndarray,
    slope: float,
    rng: np.random.Generator,
) -> np.ndarray:
    def surprise(at: np.ndarray) -> float:
        if abs(at[2]) > MOST_LOG_SD:
            return 1e300
        return surprise_at(model.with_sd(math.exp(at[2])), at[:2]) - float(_log_prior(at[2]))

    return walk(surprise, start, width, slope, rng)
