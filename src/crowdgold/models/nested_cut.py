"""The cut as nested fits (MAVEN, section 3.3, after Plummer, 2015), sampled by Stan.

For each draw of the vote model the score model (stan/score.stan, or stan/score_ordinal.stan for the
binned ranking) is run for b iterations from a draw of a pilot fit, with the pilot's step size and
metric; only the last iteration is kept. There is no program of rankings with many ties: they are
drawn by the exact cut, which draws from the same density.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
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
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.models.tied_wins import TiedWins
from crowdgold.models.vote_sets import VoteParameters, VoteSets

EXACT_FOR_TIES = "many equal scores, so that it is drawn by the exact cut, not by nested fits"
PILOT_DRAWS = 250  # of each chain of the pilot, at most: starting points for the nested fits


def score_data(model: ConditionedScoreModel, nodes: int, pointwise: bool = False) -> dict[str, Any]:
    """A score model as the data of stan/score.stan; `pointwise`: rates, log_lik, new wins."""
    gap, weights = model.differences(nodes)
    return {
        "m": len(model.sets), "N": model.data.count.tolist(), "W": model.data.wins.tolist(),
        "q": model.label_probability.tolist(), "p": gap.shape[1],
        "pattern": (model.data.pattern + 1).tolist(), "J": gap.shape[-1], "gap": gap.tolist(),
        "weight": weights.tolist(), "pointwise": int(pointwise), **asdict(model.prior),
    }  # fmt: skip


def ordinal_data(model: ConditionedBinnedRanks, nodes: int) -> dict[str, Any]:
    """A binned ranking as the data of stan/score_ordinal.stan; nodes of a vote probability."""
    points, weights = model.nodes(nodes)
    count = model.data.count.astype(int)
    bins = np.arange(len(count) - 1)
    count[bins, model.data.highest] -= 1
    return {
        "m": len(model.sets), "B": len(count), "count": count.tolist(),
        "highest": (model.data.highest + 1).tolist(), "q": model.label_probability.tolist(),
        "p": points.shape[0], "pattern": (model.sets.pattern + 1).tolist(), "J": nodes,
        "node": points.transpose(1, 0, 2).tolist(), "weight": weights.transpose(1, 0, 2).tolist(),
        "free_sd": int(model.data.free_sd), **asdict(model.prior),
    }  # fmt: skip


def sample_nested_cut(
    data: ScoreData | TiedWins | BinnedRanks, sets: VoteSets, vote: VoteParameters,
    rng: np.random.Generator, stan: StanModels, settings: SamplerSettings, iterations: int,
    threads: int,
) -> tuple[ScoreDraws, Diagnostics]:  # fmt: skip
    """Draw once for each draw of the vote model by fits of so many `iterations`, b, side by side in
    threads; with the diagnostics of the pilot, which say where the exact cut was taken.
    """
    if isinstance(data, TiedWins) or (isinstance(data, BinnedRanks) and len(data.count) == 1):
        return sample_exact_cut(data, sets, vote, rng), Diagnostics(notes=(EXACT_FOR_TIES,))
    start: dict[str, Any] = {"mu": 1.0, "delta": 0.0}  # where the pilot fit starts
    name, nodes_of, pilot_nodes = "score", nodes_for, nodes_for(10.0)
    lay_out: Callable[[Any, int], dict[str, Any]] = score_data
    if isinstance(data, BinnedRanks):
        total = np.cumsum(data.count.sum(axis=1))
        start["cut"] = ndtri(total[:-1] / total[-1]).tolist()
        if data.free_sd:
            start["log_sd"] = [0.0]
        name, lay_out = "score_ordinal", ordinal_data
        nodes_of, pilot_nodes = nodes_for_distribution, nodes_for_distribution(4.0)
    names = tuple(start)
    # It gives starting points, step size and metric only, so that its own nodes hardly matter.
    pilot_data = lay_out(data.conditioned(sets, vote.mean(), 0), pilot_nodes)
    few = replace(settings, draws=min(settings.draws, PILOT_DRAWS))
    inits = [start] * settings.chains
    pilot = stan.sample(name, pilot_data, stan_seed(rng), names, few, inits=inits)
    delta = pilot.flat("delta")
    widest = float(np.abs(delta).max() + 4 * delta.std())
    if "log_sd" in names:
        widest /= min(1.0, float(np.exp(pilot.flat("log_sd").min())))
    nodes = nodes_of(widest)
    seeds = [stan_seed(rng) for _ in range(len(vote))]
    starts = rng.integers(0, len(pilot.flat("mu")), len(vote))
    adapted = {
        "adapt_engaged": False,
        "step_size": float(np.median(pilot.step_size)),
        "inv_metric": {"inv_metric": np.median(pilot.metric, axis=0).tolist()},
    }
    short = SamplerSettings(chains=1, warmup=0, draws=iterations)

    def nested(draw: int) -> dict[str, np.ndarray]:
        conditioned = lay_out(data.conditioned(sets, vote, draw), nodes)
        own = {one: pilot.flat(one)[starts[draw]].tolist() for one in names}
        fit = stan.sample(name, conditioned, seeds[draw], names, short, inits=own, **adapted)
        return {one: fit.flat(one)[-1] for one in names}

    with ThreadPoolExecutor(threads) as pool:
        draws = list(pool.map(nested, range(len(vote))))
    mu, delta = (np.array([draw[one] for draw in draws]) for one in ("mu", "delta"))
    sd = None
    if "log_sd" in names:
        sd = np.exp(np.array([draw["log_sd"][0] for draw in draws]))
    failures = int((np.abs(delta) > TRUSTED_DELTA).sum())
    return ScoreDraws(mu, delta, failures, sd), pilot.diagnostics
