"""The exact cut: one draw of (mu, delta) for each draw of the vote model, with no Markov chain.

Given a draw of the vote model, (mu, delta) has a two-dimensional density (MAVEN, sections 3.2.2 and
3.3), whichever score likelihood it is made of. A grid that follows the density is drawn from
directly (`cut_density`, `cut_search`); where one box does not hold it many do (`resolve`).

The density of (mu, delta) on many boxes: where it is curved or has two modes, and no box fits.

The boxes cover the whole range of (delta, z). Each interpolates the density by itself, as the one
of `cut_density` does; those whose error matters are split in four until none is left. A draw is a
box by its mass, then a cell of the box. This needs no start and asks nothing of the density's
shape, but takes ten times the evaluations of one box that fits.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from crowdgold.models.cut_density import DEGREES, FAR, Box, Density, density_on, mu_at
from crowdgold.models.cut_search import LOG_DENSITY_ERROR, locate, scan, settle
from crowdgold.models.score_likelihood import TRUSTED_DELTA, ScoreLikelihood, ScoreSummary
from crowdgold.models.vote_sets import VoteParameters, VoteSets

DELTA_EDGES = (-41.0, -25.0, -12.0, -6.0, -3.0, -1.0, 1.0, 3.0, 6.0, 12.0, 25.0, 41.0)
Z_EDGES = (0.0, 1.5, 4.0, FAR)
ROUGHNESS = 0.11
"""Largest accepted blur of cells: they add at most a twelfth, or 0.9 %, to the variance."""
NEGLECTED = 1e-4
"""A box does not matter if its mass, even with three times its error, is below this share."""
MOST_BOXES = 2000
"""Boxes that a cover may try: two seconds at most. A curved ridge takes 40 to 150; a wide density,
where annotators differ, 320 to 440."""


@dataclass(frozen=True)
class Cover:
    """The density on boxes that do not overlap.

    Attributes:
        parts: the density on each box.
        log_mass: log of the integral of prior (without its constant) times likelihood.
        settled: whether the density is resolved in every box that matters.
    """

    parts: list[Density]
    log_mass: float
    settled: bool

    def draw(self, uniform: np.ndarray) -> np.ndarray:
        """Turn three uniform numbers into (delta, z): a box by its mass, a point as it draws."""
        share = np.exp([part.log_mass - self.log_mass for part in self.parts])
        total = np.cumsum(share)
        at = uniform[0] * total[-1]
        chosen = min(int(np.searchsorted(total, at, side="right")), len(share) - 1)
        within = (at - total[chosen]) / share[chosen] + 1
        return self.parts[chosen].draw(np.array([np.clip(within, 0, 1), *uniform[1:]]))


def _matters(part: Density, log_mass: float) -> bool:
    """Whether a box that is not resolved may hold mass of importance."""
    error = part.error + abs(part.offset)
    if part.log_mass + 3 * error < log_mass + math.log(NEGLECTED):
        return False
    return error > LOG_DENSITY_ERROR or part.roughness() > ROUGHNESS


def _quarters(box: Box) -> list[Box]:
    """The four quarters of a box that is not sheared."""
    (a, c), (d, f) = box.delta, box.offset
    b, e = (a + c) / 2, (d + f) / 2
    return [Box(delta, z, 0.0) for delta in ((a, b), (b, c)) for z in ((d, e), (e, f))]


def cover(model: ScoreLikelihood) -> Cover:
    """Split the range of (delta, z) until the density is resolved wherever it has mass."""
    degree = DEGREES[0]
    waiting = [
        Box(delta, z, 0.0)
        for delta in itertools.pairwise(DELTA_EDGES)
        for z in itertools.pairwise(Z_EDGES)
    ]
    parts: list[Density] = []
    tried = 0
    while True:
        tried += len(waiting)
        parts += [density_on(model, box, degree) for box in waiting]
        log_mass = float(np.logaddexp.reduce([part.log_mass for part in parts]))
        rough = [_matters(part, log_mass) for part in parts]
        if not any(rough) or tried + 4 * sum(rough) > MOST_BOXES:
            return Cover(parts, log_mass, not any(rough))
        waiting = [
            quarter for part in itertools.compress(parts, rough) for quarter in _quarters(part.box)
        ]
        parts = [part for part, split in zip(parts, rough, strict=True) if not split]


def resolve(
    model: ScoreLikelihood, box: Box, degree: int, start: np.ndarray
) -> tuple[Density | Cover, int, bool]:
    """Resolve the density on one box where that can be done, else on a cover.

    Args:
        model: the likelihood given one draw of the vote model.
        box, degree: where the search for the one box begins.
        start: (delta, z) from where the mode is looked for if that box does not lead there.

    Returns:
        the density, the degree of the one box, and whether the density is resolved.
    """
    density, degree, settled = settle(model, box, degree)
    if not settled:
        density, degree, settled = settle(model, locate(model, start), DEGREES[0])
    if settled:
        return density, degree, True
    covered = cover(model)
    return covered, degree, covered.settled


@dataclass(frozen=True)
class ScoreDraws:
    """Draws of the score model.

    Attributes:
        mu, delta: (D,) one draw for each draw of the vote model.
        failures: draws that cannot be trusted; they are kept and counted.
        sd: (D,) standard deviation of the utilities of positives, where it is drawn too.
    """

    mu: np.ndarray
    delta: np.ndarray
    failures: int
    sd: np.ndarray | None = None


def sample_exact_cut(
    data: ScoreSummary, sets: VoteSets, vote: VoteParameters, rng: np.random.Generator
) -> ScoreDraws:
    """Draw (mu, delta) once for each draw of the vote model.

    Args:
        data: what is kept of one predictor's ranking.
        vote: D draws of the vote model.

    Returns:
        D draws; `failures` counts those whose density was not resolved, and those where the
        quadrature is not trusted.
    """
    pilot_model = data.conditioned(sets, vote.mean(), 0)
    mode = scan(pilot_model)
    pilot, degree, _ = settle(pilot_model, locate(pilot_model, mode), DEGREES[0])
    start = pilot.support().grown((0.1, 0.1), (0.1, 0.1))
    mu, delta = np.empty(len(vote)), np.empty(len(vote))
    failures = 0
    for draw in range(len(vote)):
        density, _, settled = resolve(data.conditioned(sets, vote, draw), start, degree, mode)
        delta[draw], z = density.draw(rng.random(3))
        mu[draw] = mu_at(np.array(min(z, 2 * FAR - z)))  # a cell may reach over the end
        failures += not settled or abs(delta[draw]) > TRUSTED_DELTA
    return ScoreDraws(mu, delta, failures)
