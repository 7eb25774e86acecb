"""The exact cut where positives have a standard deviation of their own: draws of (mu, delta, sd).

log sd ~ Normal(0, 0.5), cut off at -1.5 and 1.5. For a draw of the vote model the integral of the
density over (mu, delta), Z(log sd), comes from the two-dimensional grid at knots of log sd, from
the middle outwards until nothing is left. log Z is smooth: a cubic spline through the knots gives
the density of log sd on fine cells. Then (mu, delta) are drawn at the sd that was drawn, where the
grid's own integral checks the spline.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.interpolate import CubicSpline

from crowdgold.models.binned_ranks import BinnedRanks, ConditionedBinnedRanks
from crowdgold.models.cut_density import CELLS, DEGREES, FAR, Box, Density, mu_at
from crowdgold.models.cut_search import locate, scan, settle
from crowdgold.models.exact_cut import Cover, ScoreDraws, resolve
from crowdgold.models.score_likelihood import TRUSTED_DELTA
from crowdgold.models.vote_sets import VoteParameters, VoteSets

LOG_SD_PRIOR_SCALE = 0.5
MOST_LOG_SD = 1.5
"""Three deviations of the prior, sd from 0.22 to 4.5; the density is cut off there."""
SPACING = 1.5
"""Deviations of log sd from knot to knot."""
FALL = 9.0
"""Knots end where the log density has fallen by this much: 1e-4 of its height."""
LOG_MASS_ERROR = 0.03
"""Largest accepted error of the spline where log sd was drawn; above it that is a knot too."""
REDRAWS = 5
TRUSTED_STEEPNESS = 60.0
"""Beyond this |delta| / sd the quadrature is not held to its stated error."""


def log_prior_sd(log_sd: float) -> float:
    """The log prior density of log sd, up to a constant: Normal(0, 0.5)."""
    return -0.5 * (log_sd / LOG_SD_PRIOR_SCALE) ** 2


def _start(density: Density) -> Box:
    """The box where the search for a similar density starts."""
    return density.support().grown((0.1, 0.1), (0.1, 0.1))


@dataclass
class _Knots:
    """Values of log sd, `spacing` apart, and the boxes that held the density there.

    Attributes:
        middle: log sd of knot 0, the mode at the pilot.
        spacing: some deviations of log sd given the vote draw.
        starts: knot -> box and degree where the search starts.
    """

    middle: float
    spacing: float
    starts: dict[int, tuple[Box, int]] = field(default_factory=dict)

    def at(self, knot: int) -> float:
        """The log sd at a knot; that of the ends at knots beyond them."""
        return float(np.clip(self.middle + self.spacing * knot, -MOST_LOG_SD, MOST_LOG_SD))

    def resolve(
        self, model: ConditionedBinnedRanks, log_sd: float
    ) -> tuple[Density | Cover, int, bool]:
        """Resolve the density at a log sd, from the box of the nearest knot that has one."""
        place = (log_sd - self.middle) / self.spacing
        nearest = min(self.starts, key=lambda knot: abs(knot - place))
        box, degree = self.starts[nearest]
        delta, z = box.grid(np.zeros(1))
        start = np.array([delta[0], np.clip(z[0, 0], 0.02, FAR - 0.1)])
        return resolve(model.with_sd(math.exp(log_sd)), box, degree, start)

    def log_density(self, model: ConditionedBinnedRanks, knot: int) -> tuple[float, bool]:
        """The log density of log sd at a knot, and whether that of (mu, delta) is resolved."""
        density, degree, settled = self.resolve(model, self.at(knot))
        if isinstance(density, Density) and knot not in self.starts:
            self.starts[knot] = _start(density), degree
        return density.log_mass + log_prior_sd(self.at(knot)), settled


def _pilot(model: ConditionedBinnedRanks) -> _Knots:
    """Find the mode of log sd and its deviation there, by steps uphill that become shorter."""
    first, degree, _ = settle(model, locate(model, scan(model)), DEGREES[0])
    search = _Knots(0.0, 0.02, {0: (_start(first), degree)})
    mode, height, step = 0, first.log_mass, 16  # in knots of 0.02
    most = round(MOST_LOG_SD / search.spacing)
    while True:
        sides = [max(-most, mode - step), min(most, mode + step)]
        heights = [search.log_density(model, side)[0] for side in sides]
        if max(heights) > height:
            mode, height = sides[int(np.argmax(heights))], max(heights)
            continue
        fall = max(height - sum(heights) / 2, 1e-6)
        deviation = step * search.spacing / math.sqrt(2 * fall)
        if step == 1 or fall < 2.0:
            break
        step //= 2
    spacing = float(np.clip(SPACING * deviation, 0.003, 0.5))
    box = search.starts[min(search.starts, key=lambda knot: abs(knot - mode))]
    return _Knots(search.at(mode), spacing, {0: box})


def _profile(knots: _Knots, model: ConditionedBinnedRanks) -> tuple[dict[float, float], bool]:
    """The log sd -> log density at knots from the middle outwards, and whether all settled."""
    height, settled = knots.log_density(model, 0)
    found = {knots.at(0): height}
    for direction in (-1, 1):
        knot, here = direction, height
        while settled and knots.at(knot) not in found:  # it is, beyond the end
            if here < max(found.values()) - FALL and abs(knot) > 2:
                break
            here, settled = knots.log_density(model, knot)
            found[knots.at(knot)] = here
            knot += direction
    return found, settled


def _draw_log_sd(profile: dict[float, float], uniform: np.ndarray) -> tuple[float, float]:
    """Turn two uniform numbers into a log sd; give the spline's log density there too."""
    at = np.array(sorted(profile))
    spline = CubicSpline(at, [profile[one] for one in at])
    centres = at[0] + (at[-1] - at[0]) * (np.arange(CELLS) + 0.5) / CELLS
    log_density = spline(centres)
    total = np.cumsum(np.exp(log_density - log_density.max()))
    cell = min(int(np.searchsorted(total, uniform[0] * total[-1], side="right")), CELLS - 1)
    log_sd = float(at[0] + (at[-1] - at[0]) * (cell + uniform[1]) / CELLS)
    return log_sd, float(spline(log_sd))


def _draw(
    knots: _Knots, model: ConditionedBinnedRanks, uniform: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Turn five uniform numbers into (delta, z, log sd); say whether all of it is resolved.

    Where it is not, log sd is the likeliest that was found.
    """
    profile, settled = _profile(knots, model)
    for _ in range(REDRAWS):
        if not settled or len(profile) < 4:
            break
        log_sd, expected = _draw_log_sd(profile, uniform[:2])
        density, _, settled = knots.resolve(model, log_sd)
        found = density.log_mass + log_prior_sd(log_sd)
        if settled and abs(found - expected) < LOG_MASS_ERROR:
            return np.append(density.draw(uniform[2:]), log_sd), True
        profile[log_sd] = found
    best = max(profile, key=lambda log_sd: profile[log_sd])
    return np.append(knots.resolve(model, best)[0].draw(uniform[2:]), best), False


def sample_exact_cut_sd(
    data: BinnedRanks, sets: VoteSets, vote: VoteParameters, rng: np.random.Generator
) -> ScoreDraws:
    """Draw (mu, delta, sd) once for each draw of the vote model.

    Args:
        data: the binned ranking of one predictor.
        vote: D draws of the vote model.

    Returns:
        D draws; `failures` counts those whose density was not resolved, and those where the
        quadrature is not trusted.
    """
    knots = _pilot(data.conditioned(sets, vote.mean(), 0))
    draws = np.empty((len(vote), 3))
    failures = 0
    for draw in range(len(vote)):
        model = data.conditioned(sets, vote, draw)
        draws[draw], settled = _draw(knots, model, rng.random(5))
        delta, _, log_sd = draws[draw]
        steepness = abs(delta) / min(math.exp(log_sd), 1.0)
        failures += not settled or abs(delta) > TRUSTED_DELTA or steepness > TRUSTED_STEEPNESS
    z = np.minimum(draws[:, 1], 2 * FAR - draws[:, 1])  # a cell may reach over the end
    return ScoreDraws(mu_at(z), draws[:, 0], failures, np.exp(draws[:, 2]))
