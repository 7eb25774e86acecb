"""The exact cut: one draw of (mu, delta) for each draw of the vote model, with no Markov chain.

Given a draw of the vote model, (mu, delta) has a two-dimensional density (MAVEN, sections 3.2.2 and
3.3), whichever score likelihood it is made of. A grid that follows the density is drawn from
directly (`cut_density`, `cut_search`); where one box does not hold it many do (`cut_cover`).
"""

from dataclasses import dataclass

import numpy as np

from crowdgold.models.cut_cover import resolve
from crowdgold.models.cut_density import DEGREES, FAR, mu_at
from crowdgold.models.cut_search import locate, scan, settle
from crowdgold.models.score_likelihood import TRUSTED_DELTA, ScoreSummary
from crowdgold.models.vote_model import VoteParameters
from crowdgold.models.vote_sets import VoteSets


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
