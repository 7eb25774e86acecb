"""The cut as nested fits (MAVEN, section 3.3, after Plummer, 2015), sampled by Stan.

For each draw of the vote model the score model (stan/score.stan, or stan/score_ordinal.stan for the
binned ranking) is run for b iterations from a draw of a pilot fit, with the pilot's step size and
metric; only the last iteration is kept. There is no program of rankings with many ties: they are
drawn by the exact cut, which draws from the same density.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from crowdgold.models.binned_ranks import (
    BinnedRanks,
    ConditionedBinnedRanks,
    nodes_for_distribution,
)
from crowdgold.models.exact_cut import ScoreDraws, sample_exact_cut
from crowdgold.models.score_model import TRUSTED_DELTA, ConditionedScoreModel, ScoreData, nodes_for
from crowdgold.models.stan import SamplerSettings, StanModels, stan_seed
from crowdgold.models.stan_fit import Diagnostics, StanFit
from crowdgold.models.tied_wins import TiedWins
from crowdgold.models.vote_sets import VoteParameters, VoteSets

PARAMETERS = ("mu", "delta")
EXACT_FOR_TIES = "many equal scores, so that it is drawn by the exact cut, not by nested fits"
PILOT_DRAWS = 250
"""Draws of each chain of the pilot fit, at most: starting points for the nested ones."""


def score_data(model: ConditionedScoreModel, nodes: int, pointwise: bool = False) -> dict[str, Any]:
    """Lay a conditioned score model out as the data of stan/score.stan.

    Args:
        model: the score model at one draw of the vote model.
        nodes: Gauss-Jacobi nodes a vote probability; a difference of two has as many as it needs.
        pointwise: whether win rates, log_lik and replicated wins are wanted.
    """
    gap, weights = model.differences(nodes)
    return {
        "m": len(model.sets),
        "N": model.data.count.tolist(),
        "W": model.data.wins.tolist(),
        "q": model.label_probability.tolist(),
        "p": gap.shape[1],
        "pattern": (model.data.pattern + 1).tolist(),
        "J": gap.shape[-1],
        "gap": gap.tolist(),
        "weight": weights.tolist(),
        "pointwise": int(pointwise),
        **asdict(model.prior),
    }


def ordinal_data(model: ConditionedBinnedRanks, nodes: int) -> dict[str, Any]:
    """Lay a conditioned binned ranking out as the data of stan/score_ordinal.stan.

    Args:
        model: the binned rank likelihood at one draw of the vote model.
        nodes: Gauss-Jacobi nodes a vote probability.
    """
    points, weights = model.nodes(nodes)
    count = model.data.count.astype(int)
    bins = np.arange(len(count) - 1)
    count[bins, model.data.highest] -= 1
    return {
        "m": len(model.sets),
        "B": len(count),
        "count": count.tolist(),
        "highest": (model.data.highest + 1).tolist(),
        "q": model.label_probability.tolist(),
        "p": points.shape[0],
        "pattern": (model.sets.pattern + 1).tolist(),
        "J": nodes,
        "node": points.transpose(1, 0, 2).tolist(),
        "weight": weights.transpose(1, 0, 2).tolist(),
        "free_sd": int(model.data.free_sd),
        **asdict(model.prior),
    }


@dataclass(frozen=True)
class _Program:
    """A Stan program of the score model.

    Attributes:
        name: of the program.
        parameters: its parameters.
        start: their values where the pilot fit starts.
        data: (conditioned model, nodes) -> its data.
        nodes: |delta| -> Gauss-Jacobi nodes enough for it.
        pilot_nodes: nodes of the pilot fit.
    """

    name: str
    parameters: tuple[str, ...]
    start: dict[str, Any]
    data: Callable[[Any, int], dict[str, Any]]
    nodes: Callable[[float], int]
    pilot_nodes: int


def _program(data: ScoreData | BinnedRanks) -> _Program:
    start: dict[str, Any] = {"mu": 1.0, "delta": 0.0}
    if isinstance(data, ScoreData):
        return _Program("score", PARAMETERS, start, score_data, nodes_for, nodes_for(10.0))
    total = np.cumsum(data.count.sum(axis=1))
    start["cut"] = ndtri(total[:-1] / total[-1]).tolist()
    names: tuple[str, ...] = (*PARAMETERS, "cut")
    if data.free_sd:
        start["log_sd"] = [0.0]
        names = (*names, "log_sd")
    nodes = nodes_for_distribution
    return _Program("score_ordinal", names, start, ordinal_data, nodes, nodes(4.0))


def _pilot(
    model: Any, program: _Program, seed: int, stan: StanModels, settings: SamplerSettings
) -> tuple[StanFit, int]:
    """Fit the score model at the mean of the vote draws; say how many nodes its delta needs.

    It gives starting points, step size and metric only, so that its own nodes hardly matter.
    """
    start = [program.start] * settings.chains
    data = program.data(model, program.pilot_nodes)
    few = replace(settings, draws=min(settings.draws, PILOT_DRAWS))
    fit = stan.sample(program.name, data, seed, program.parameters, few, inits=start)
    delta = fit.flat("delta")
    widest = float(np.abs(delta).max() + 4 * delta.std())
    if "log_sd" in program.parameters:
        widest /= min(1.0, float(np.exp(fit.flat("log_sd").min())))
    return fit, program.nodes(widest)


def sample_nested_cut(
    data: ScoreData | TiedWins | BinnedRanks,
    sets: VoteSets,
    vote: VoteParameters,
    rng: np.random.Generator,
    stan: StanModels,
    settings: SamplerSettings,
    iterations: int,
    threads: int,
) -> tuple[ScoreDraws, Diagnostics]:
    """Draw the score model's parameters once for each draw of the vote model by short fits.

    Args:
        data: win counts, or the binned ranking, of one predictor.
        vote: D draws of the vote model.
        settings: of the pilot fit.
        iterations: b, the iterations of each nested fit.
        threads: fits run side by side.

    Returns:
        D draws, and the diagnostics of the pilot fit; these say where the exact cut was taken.
    """
    if isinstance(data, TiedWins) or (isinstance(data, BinnedRanks) and len(data.count) == 1):
        return sample_exact_cut(data, sets, vote, rng), Diagnostics(notes=(EXACT_FOR_TIES,))
    program = _program(data)
    pilot_model = data.conditioned(sets, vote.mean(), 0)
    pilot, nodes = _pilot(pilot_model, program, stan_seed(rng), stan, settings)
    seeds = [stan_seed(rng) for _ in range(len(vote))]
    starts = rng.integers(0, len(pilot.flat("mu")), len(vote))
    adapted = {
        "adapt_engaged": False,
        "step_size": float(np.median(pilot.step_size)),
        "inv_metric": {"inv_metric": np.median(pilot.metric, axis=0).tolist()},
    }
    short = SamplerSettings(chains=1, warmup=0, draws=iterations)

    def nested(draw: int) -> dict[str, np.ndarray]:
        conditioned = program.data(data.conditioned(sets, vote, draw), nodes)
        start = {name: pilot.flat(name)[starts[draw]].tolist() for name in program.parameters}
        fit = stan.sample(
            program.name, conditioned, seeds[draw], program.parameters, short,
            inits=start, **adapted,
        )  # fmt: skip
        return {name: fit.flat(name)[-1] for name in program.parameters}

    with ThreadPoolExecutor(threads) as pool:
        draws = list(pool.map(nested, range(len(vote))))
    mu, delta = (np.array([draw[name] for draw in draws]) for name in PARAMETERS)
    sd = None
    if "log_sd" in program.parameters:
        sd = np.exp(np.array([draw["log_sd"][0] for draw in draws]))
    failures = int((np.abs(delta) > TRUSTED_DELTA).sum())
    return ScoreDraws(mu, delta, failures, sd), pilot.diagnostics
