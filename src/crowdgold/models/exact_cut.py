"""The exact cut: one draw of (mu, delta) for each draw of the vote model, with no Markov chain.

Given a draw of the vote model, (mu, delta) has a two-dimensional density (MAVEN, sections 3.2.2 and
3.3), whichever score likelihood it is made of. Chebyshev interpolation of the smooth log-likelihood
from a few hundred evaluations, checked against direct ones, gives it on the fine cells of a sheared
box, which follows the density until no mass is left at its edge. A cell is drawn by its mass, a
point uniformly within it. Where one box would take too long (a curved or wide density, two modes,
hardly any gold) many cover the whole range, and those whose error matters are split in four until
none is left: that asks nothing of the density's shape, but takes ten times the evaluations.

The coordinates are delta and z, 1 / z = 1 / mu + 1 / FAR: linear in mu near 0, where the likelihood
goes on smoothly to negative mu and only the prior ends; far out, where positives always rank above
negatives and the likelihood is flat, all mu up to infinity lie below z = FAR. As 1 / mu is
exponential a priori in the paper, z then has the same prior as mu, cut off at FAR.

Where positives have a standard deviation of their own, log sd ~ Normal(0, 0.5), cut off at -1.5 and
1.5. log Z(log sd), the integral over (mu, delta), is smooth: a cubic spline through knots, from the
middle outwards until nothing is left, gives the density of log sd. Then (mu, delta) are drawn at
the sd that was drawn, where the grid's own integral checks the spline.
"""

import itertools
import math
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize

from crowdgold.models.binned_ranks import BinnedRanks, ConditionedBinnedRanks
from crowdgold.models.priors import ScorePrior
from crowdgold.models.score_model import TRUSTED_DELTA, ScoreLikelihood, ScoreSummary
from crowdgold.models.utility import Bend
from crowdgold.models.vote_sets import VoteParameters, VoteSets

CELLS = 64
"""Fine cells an axis. A box is 9 to 21 deviations wide: drawing uniformly within a cell adds at
most (21 / 64)^2 / 12, or 0.9 %, to the variance."""
TAIL_MASS = 1e-5
DEGREES = (8, 12, 16, 24, 36)
CHECKS = np.array([-0.37, -0.06, 0.29])
FAR = 8.0
EDGE_MASS = 1e-4
LOG_DENSITY_ERROR = 1e-2  # largest accepted error of the log density at the check points
USELESS_ERROR = 30.0  # above it the interpolation does not even say where the density is
MOVES = 60
WORK = 1_500_000  # degree squared times the cost of an evaluation, at most; a draw takes some 0.2 s
SCAN_DELTA = np.sinh(np.linspace(-4.4, 4.4, 45))
SCAN_Z = np.concatenate([np.geomspace(0.02, 1.0, 12), np.linspace(1.3, 7.8, 22)])
DELTA_EDGES = (-41.0, -25.0, -12.0, -6.0, -3.0, -1.0, 1.0, 3.0, 6.0, 12.0, 25.0, 41.0)
Z_EDGES = (0.0, 1.5, 4.0, FAR)
ROUGHNESS = 0.11  # largest accepted blur of cells: at most a twelfth, 0.9 %, of the variance
NEGLECTED = 1e-4  # a box with less, even with three times its error, does not matter
MOST_BOXES = 2000
"""Boxes that a cover may try: two seconds at most. A curved ridge takes 40 to 150; a wide density,
where annotators differ, 320 to 440."""
LOG_SD_PRIOR_SCALE = 0.5
MOST_LOG_SD = 1.5  # three deviations of the prior, sd from 0.22 to 4.5; cut off there
SPACING = 1.5  # Deviations of log sd from knot to knot
FALL = 9.0  # Knots end where the log density has fallen by this much: 1e-4 of its height
LOG_MASS_ERROR = 0.03  # largest accepted, of the spline where log sd was drawn; else a knot too
REDRAWS = 5
TRUSTED_STEEPNESS = 60.0  # Beyond this |delta| / sd the quadrature is not held to its stated error


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
        return (self.delta[1] - self.delta[0]) * (self.offset[1] - self.offset[0])

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
    """The density on a box."""

    box: Box  # the box
    mass: np.ndarray  # (CELLS, CELLS) share of each cell
    error: float  # largest error of the log density at the check points
    log_mass: float  # log of the integral of prior (without its constant) times likelihood
    offset: float = 0.0  # mean error there, which `error` leaves out: it does not change the shares

    def edges(self) -> tuple[float, ...]:
        """The mass in the outermost cells: delta low, delta high, offset low, offset high."""
        mass = self.mass
        sides = mass[0], mass[-1], mass[:, 0], mass[:, -1]
        return tuple(float(side.sum()) for side in sides)

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

    def start(self) -> Box:
        """The box where the search for a similar density starts."""
        return self.support().grown((0.1, 0.1), (0.1, 0.1))

    def share(self) -> float:
        """The share of the box, on its tighter axis, that holds all but the tails."""
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
    """The log prior density of (delta, z), up to a constant, -inf where mu is not in (0, infinity):
    with shape a and scale b of mu -b / z - (a + 1) log z + (a - 1) log(1 - z / FAR), as dmu = (mu /
    z)^2 dz.
    """
    inside = (z > 1e-3) & (z < FAR)
    held = np.where(inside, z, 1.0)
    of_z = -prior.mu_scale / held - (prior.mu_shape + 1) * np.log(held)
    of_z += (prior.mu_shape - 1) * np.log1p(-held / FAR)
    return np.where(inside, of_z - np.abs(delta) / prior.delta_scale, -np.inf)


def density_on(model: ScoreLikelihood, box: Box, degree: int) -> Density:
    """The density by degree^2 evaluations, checked at 9 more; its error is infinite for no area."""
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


def settle(model: ScoreLikelihood, box: Box, degree: int) -> tuple[Density, int, bool]:
    """The density on a box moved until it holds it, the degree that resolves it, and success."""
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


def locate(model: ScoreLikelihood, start: np.ndarray) -> Box:
    """Climb from (delta, z) to the mode; give a box around it, sheared along the density."""

    def surprise(at: np.ndarray) -> float:
        """Minus the log density at (delta, z); a huge number outside of their range."""
        delta, z = at[:1], at[1:]
        prior = log_prior(model.prior, delta, z)[0]
        if abs(delta[0]) > SCAN_DELTA[-1] or not np.isfinite(prior):
            return 1e300
        return -float(model.log_likelihood(mu_at(z)[None], delta)[0, 0] + prior)

    mode = minimize(
        surprise, start, method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-3, "maxfev": 600}
    ).x
    # The curvature, from steps that lower the log density by some 0.1 to 2.
    step, here = np.array([1e-3, 1e-3]), surprise(mode)
    for axis, unit in enumerate(np.eye(2)):
        while step[axis] < 1:
            move = unit * step
            if not max(surprise(mode + move), surprise(mode - move)) - here < 0.1:
                break
            step[axis] *= 2
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


@dataclass(frozen=True)
class Cover:
    """The density on boxes that do not overlap."""

    parts: list[Density]  # the density on each box
    log_mass: float  # log of the integral of prior (without its constant) times likelihood
    settled: bool  # whether the density is resolved in every box that matters

    def draw(self, uniform: np.ndarray) -> np.ndarray:
        """Turn three uniform numbers into (delta, z): a box by its mass, a point as it draws."""
        share = np.exp([part.log_mass - self.log_mass for part in self.parts])
        total = np.cumsum(share)
        at = uniform[0] * total[-1]
        chosen = min(int(np.searchsorted(total, at, side="right")), len(share) - 1)
        within = (at - total[chosen]) / share[chosen] + 1
        return self.parts[chosen].draw(np.array([np.clip(within, 0, 1), *uniform[1:]]))


def cover(model: ScoreLikelihood) -> Cover:
    """Split the range of (delta, z) until the density is resolved wherever it has mass."""

    def matters(part: Density, log_mass: float) -> bool:
        """Whether a box is not resolved, and may hold mass of importance."""
        error = part.error + abs(part.offset)
        if part.log_mass + 3 * error < log_mass + math.log(NEGLECTED):
            return False
        # How much a cell blurs: its width squared times the Fisher information of location, which
        # is one over the variance or more. A point uniform in it adds at most a twelfth of this.
        root = np.sqrt(part.mass)  # its derivative's square is a quarter of the information
        rough = float(max(4 * (np.diff(root, axis=axis) ** 2).sum() for axis in (0, 1)))
        return error > LOG_DENSITY_ERROR or rough > ROUGHNESS

    sides = itertools.product(itertools.pairwise(DELTA_EDGES), itertools.pairwise(Z_EDGES))
    waiting = [Box(delta, z, 0.0) for delta, z in sides]
    parts: list[Density] = []
    tried = 0
    while True:
        tried += len(waiting)
        parts += [density_on(model, box, DEGREES[0]) for box in waiting]
        log_mass = float(np.logaddexp.reduce([part.log_mass for part in parts]))
        rough = [matters(part, log_mass) for part in parts]
        if not any(rough) or tried + 4 * sum(rough) > MOST_BOXES:
            return Cover(parts, log_mass, not any(rough))
        waiting = []
        for part in itertools.compress(parts, rough):
            (a, c), (d, f) = part.box.delta, part.box.offset  # these boxes are not sheared
            b, e = (a + c) / 2, (d + f) / 2
            waiting += [Box(x, z, 0.0) for x in ((a, b), (b, c)) for z in ((d, e), (e, f))]
        parts = [part for part, split in zip(parts, rough, strict=True) if not split]


def resolve(
    model: ScoreLikelihood, box: Box, degree: int, start: np.ndarray
) -> tuple[Density | Cover, int, bool]:
    """The density on one box, from this or around `start`, else on a cover; its degree."""
    density, degree, settled = settle(model, box, degree)
    if not settled:
        density, degree, settled = settle(model, locate(model, start), DEGREES[0])
    if settled:
        return density, degree, True
    covered = cover(model)
    return covered, degree, covered.settled


@dataclass(frozen=True)
class ScoreDraws:
    """Draws of the score model."""

    mu: np.ndarray  # mu, delta: (D,) one draw for each draw of the vote model
    delta: np.ndarray
    failures: int  # draws that cannot be trusted; they are kept and counted
    sd: np.ndarray | None = None  # (D,) deviation of the utilities of positives, where drawn
    bend: Bend | None = None  # slopes of log odds beside mu, where drawn


def sample_exact_cut(
    data: ScoreSummary, sets: VoteSets, vote: VoteParameters, rng: np.random.Generator
) -> ScoreDraws:
    """(mu, delta) for each draw of the vote model; `failures` counts those not to be trusted."""
    pilot_model = data.conditioned(sets, vote.mean(), 0)
    mode = scan(pilot_model)
    pilot, degree, _ = settle(pilot_model, locate(pilot_model, mode), DEGREES[0])
    start = pilot.start()
    mu, delta = np.empty(len(vote)), np.empty(len(vote))
    failures = 0
    for draw in range(len(vote)):
        density, _, settled = resolve(data.conditioned(sets, vote, draw), start, degree, mode)
        delta[draw], z = density.draw(rng.random(3))
        mu[draw] = mu_at(np.array(min(z, 2 * FAR - z)))  # a cell may reach over the end
        failures += not settled or abs(delta[draw]) > TRUSTED_DELTA
    return ScoreDraws(mu, delta, failures)


@dataclass
class _Knots:
    """Values of log sd, `spacing` apart, and the boxes that held the density there."""

    middle: float  # log sd of knot 0, the mode at the pilot
    spacing: float  # some deviations of log sd given the vote draw
    starts: dict[int, tuple[Box, int]] = field(default_factory=dict)  # knot -> where it starts

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
            self.starts[knot] = density.start(), degree
        return density.log_mass - 0.5 * (self.at(knot) / LOG_SD_PRIOR_SCALE) ** 2, settled


def _draw(
    knots: _Knots, model: ConditionedBinnedRanks, uniform: np.ndarray
) -> tuple[np.ndarray, bool]:
    """(delta, z, log sd) of five uniform numbers; the likeliest log sd if not all is resolved."""
    height, settled = knots.log_density(model, 0)
    profile = {knots.at(0): height}  # log sd -> log density, from the middle outwards
    for direction in (-1, 1):
        knot, here = direction, height
        while settled and knots.at(knot) not in profile:  # it is, beyond the end
            if here < max(profile.values()) - FALL and abs(knot) > 2:
                break
            here, settled = knots.log_density(model, knot)
            profile[knots.at(knot)] = here
            knot += direction
    for _ in range(REDRAWS):
        if not settled or len(profile) < 4:
            break
        at = np.array(sorted(profile))
        spline = CubicSpline(at, [profile[knot] for knot in at])
        log_density = spline(at[0] + (at[-1] - at[0]) * (np.arange(CELLS) + 0.5) / CELLS)
        total = np.cumsum(np.exp(log_density - log_density.max()))
        cell = min(int(np.searchsorted(total, uniform[0] * total[-1], side="right")), CELLS - 1)
        log_sd = float(at[0] + (at[-1] - at[0]) * (cell + uniform[1]) / CELLS)
        density, _, settled = knots.resolve(model, log_sd)
        height = density.log_mass - 0.5 * (log_sd / LOG_SD_PRIOR_SCALE) ** 2
        if settled and abs(height - float(spline(log_sd))) < LOG_MASS_ERROR:
            return np.append(density.draw(uniform[2:]), log_sd), True
        profile[log_sd] = height
    best = max(profile, key=lambda log_sd: profile[log_sd])
    return np.append(knots.resolve(model, best)[0].draw(uniform[2:]), best), False


def sample_exact_cut_sd(
    data: BinnedRanks, sets: VoteSets, vote: VoteParameters, rng: np.random.Generator
) -> ScoreDraws:
    """(mu, delta, sd) for each draw of the vote model; `failures` as for `sample_exact_cut`."""
    # The mode of log sd and its deviation there, by steps uphill that become shorter.
    pilot = data.conditioned(sets, vote.mean(), 0)
    first, degree, _ = settle(pilot, locate(pilot, scan(pilot)), DEGREES[0])
    search = _Knots(0.0, 0.02, {0: (first.start(), degree)})
    mode, height, step = 0, first.log_mass, 16  # in knots of 0.02
    most = round(MOST_LOG_SD / search.spacing)
    while True:
        sides = [max(-most, mode - step), min(most, mode + step)]
        heights = [search.log_density(pilot, side)[0] for side in sides]
        if max(heights) > height:
            mode, height = sides[int(np.argmax(heights))], max(heights)
            continue
        fall = max(height - sum(heights) / 2, 1e-6)
        deviation = step * search.spacing / math.sqrt(2 * fall)
        if step == 1 or fall < 2.0:
            break
        step //= 2
    spacing = float(np.clip(SPACING * deviation, 0.003, 0.5))
    nearest = min(search.starts, key=lambda knot: abs(knot - mode))
    knots = _Knots(search.at(mode), spacing, {0: search.starts[nearest]})
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
