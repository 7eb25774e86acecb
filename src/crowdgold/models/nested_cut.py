"""The cut as nested fits (MAVEN, section 3.3, after Plummer, 2015), sampled by Stan.

For each draw of the vote model the score model (stan/score.stan) is run for b iterations from a
draw of a pilot fit, with the pilot's step size and metric; only the last iteration is kept.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from crowdgold.models.diagnostics import Diagnostics
from crowdgold.models.exact_cut import ScoreDraws
from crowdgold.models.score_likelihood import TRUSTED_DELTA
from crowdgold.models.score_model import ConditionedScoreModel, ScoreData, nodes_for
from crowdgold.models.stan import SamplerSettings, StanFit, StanModels, stan_seed
from crowdgold.models.vote_model import VoteParameters
from crowdgold.models.vote_sets import VoteSets

PARAMETERS = ("mu", "delta")


def score_data(model: ConditionedScoreModel, nodes: int) -> dict[str, Any]:
    """Lay a conditioned score model out as the data of stan/score.stan.

    Args:
        model: the score model at one draw of the vote model.
        nodes: Gauss-Jacobi nodes a vote probability.
    """
    points, weights = model.nodes(nodes)
    return {
        "m": len(model.sets),
        "N": model.data.count.tolist(),
        "W": model.data.wins.tolist(),
        "q": model.label_probability.tolist(),
        "p": points.shape[0],
        "pattern": (model.data.pattern + 1).tolist(),
        "J": nodes,
        "node": points.transpose(1, 0, 2).tolist(),
        "weight": weights.transpose(1, 0, 2).tolist(),
    }


def _pilot(
    model: ConditionedScoreModel, seed: int, stan: StanModels, settings: SamplerSettings
) -> tuple[StanFit, int]:
    """Fit the score model at the mean of the vote draws, with nodes enough for its delta."""
    nodes = nodes_for(10.0)
    start = [{"mu": 1.0, "delta": 0.0}] * settings.chains
    fit = stan.sample("score", score_data(model, nodes), seed, PARAMETERS, settings, inits=start)
    delta = fit.flat("delta")
    widest = float(np.abs(delta).max() + 4 * delta.std())
    return fit, nodes_for(widest)


def sample_nested_cut(
    data: ScoreData,
    sets: VoteSets,
    vote: VoteParameters,
    rng: np.random.Generator,
    stan: StanModels,
    settings: SamplerSettings,
    iterations: int,
    threads: int,
) -> tuple[ScoreDraws, Diagnostics]:
    """Draw (mu, delta) once for each draw of the vote model by short fits.

    Args:
        data: win counts of one predictor.
        sets: the vote sets they belong to.
        vote: D draws of the vote model.
        rng: source of seeds and starting points.
        stan: the compiled models.
        settings: of the pilot fit.
        iterations: b, the iterations of each nested fit.
        threads: fits run side by side.

    Returns:
        D draws, and the diagnostics of the pilot fit.
    """
    pilot_model = ConditionedScoreModel.at(data, sets, vote.mean(), 0)
    pilot, nodes = _pilot(pilot_model, stan_seed(rng), stan, settings)
    seeds = [stan_seed(rng) for _ in range(len(vote))]
    starts = rng.integers(0, len(pilot.flat("mu")), len(vote))
    adapted = {
        "adapt_engaged": False,
        "step_size": float(np.median(pilot.step_size)),
        "inv_metric": {"inv_metric": np.median(pilot.metric, axis=0).tolist()},
    }
    short = SamplerSettings(chains=1, warmup=0, draws=iterations)

    def nested(draw: int) -> Sequence[float]:
        model = ConditionedScoreModel.at(data, sets, vote, draw)
        start = {name: float(pilot.flat(name)[starts[draw]]) for name in PARAMETERS}
        fit = stan.sample(
            "score", score_data(model, nodes), seeds[draw], PARAMETERS, short,
            inits=start, **adapted,
        )  # fmt: skip
        return [float(fit.flat(name)[-1]) for name in PARAMETERS]

    with ThreadPoolExecutor(threads) as pool:
        draws = np.array(list(pool.map(nested, range(len(vote)))))
    failures = int((np.abs(draws[:, 1]) > TRUSTED_DELTA).sum())
    return ScoreDraws(draws[:, 0], draws[:, 1], failures), pilot.diagnostics
