"""The exact cut: one draw of (mu, delta) for each draw of the vote model, with no Markov chain.

Given a draw of the vote model, (mu, delta) has a two-dimensional density (MAVEN, sections 3.2.2 and
3.3), whichever score likelihood it is made of. A grid that follows the density is drawn from
directly (`cut_density`, `cut_search`); where it does not settle the draw is the end of a random
walk and counts as a failure.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from crowdgold.models.cut_density import DEGREES, FAR, mu_at
from crowdgold.models.cut_search import locate, scan, settle, surprise_at, walk
from crowdgold.models.score_likelihood import TRUSTED_DELTA, ScoreSummary
from crowdgold.models.vote_model import VoteParameters
from crowdgold.models.vote_sets import VoteSets

STUBBORN = 5
"""After so many draws in a row that did not settle, the rest are drawn by random walk."""


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
        sets: the vote sets they belong to.
        vote: D draws of the vote model.
        rng: source of the draws.

    Returns:
        D draws; `failures` counts those whose grid did not settle, which are the ends of random
        walks, each from the draw before it, and those where the quadrature is not trusted.
    """
    pilot_model = data.conditioned(sets, vote.mean(), 0)
    mode = scan(pilot_model)
    pilot, degree, _ = settle(pilot_model, locate(pilot_model, mode), DEGREES[0])
    start = pilot.support().grown((0.1, 0.1), (0.1, 0.1))
    mu, delta = np.empty(len(vote)), np.empty(len(vote))
    at, failures, stubborn = mode, 0, 0
    for draw in range(len(vote)):
        model = data.conditioned(sets, vote, draw)
        settled = False
        if stubborn < STUBBORN:
            density, _, settled = settle(model, start, degree)
            if not settled:
                density, _, settled = settle(model, locate(model, mode), DEGREES[0])
            stubborn = 0 if settled else stubborn + 1
        if settled:
            at = density.draw(rng.random(3))
        else:
            at = walk(partial(surprise_at, model), at, start.widths() / 8, start.slope, rng)
        delta[draw], z = at
        mu[draw] = mu_at(np.array(min(z, 2 * FAR - z)))  # a cell may reach over the end
        failures += not settled or abs(delta[draw]) > TRUSTED_DELTA
    return ScoreDraws(mu, delta, failures)
