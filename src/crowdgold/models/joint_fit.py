"""Sampling a model of votes and scores with Stan, with few points in the place of all items."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from crowdgold.models.joint_model import JointDraws, log_likelihood
from crowdgold.models.score_points import ScorePoints, compress_scores, each_score
from crowdgold.models.stan import SamplerSettings, StanModels, stan_seed
from crowdgold.models.stan_fit import Diagnostics, StanFit
from crowdgold.models.vote_sets import VoteSets

CHECKED = 20
"""Posterior draws at which the compressed likelihood is held against that of all items."""

NODES = (6, 8, 11, 16, 22, 32, 45, 64, 90, 128)
"""Nodes of a group of scores that are tried, the fewest first; beyond them every score is used."""

PILOT = {"chains": 1, "warmup": 150, "draws": CHECKED}
"""A short run whose draws say how many nodes are enough."""

TOLERANCE = 0.02
"""Log-likelihoods of draws may differ by this much, up to a constant, before more nodes are taken:
their weights then change by 2 % at most, and means by a few thousandths of a deviation."""

ADAPT_DELTA = 0.8
"""CmdStan's own; these posteriors are smooth, and twice as many small steps are no better."""

MARGIN = 4.0
"""In the pilot they may differ by this much less, since other draws may differ by more."""


class JointProgram(Protocol):
    """A Stan program for a model of votes and scores."""

    @property
    def name(self) -> str:
        """Its file's name."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Variables that are kept and diagnosed."""

    @property
    def nodes(self) -> int:
        """Nodes of each group of scores in the pilot."""

    def data(self, points: ScorePoints, sets: VoteSets, pointwise: bool = False) -> dict[str, Any]:
        """Lay weighted scores out as its data."""

    def start(
        self, scores: np.ndarray, sets: VoteSets, rng: np.random.Generator
    ) -> Mapping[str, Any]:
        """A chain's starting point."""

    def read(self, fit: StanFit) -> JointDraws:
        """The draws of a fit."""


@dataclass(frozen=True)
class JointFit:
    """Draws of a model of votes and scores.

    Attributes:
        draws: chain after chain.
        diagnostics: of the chains; the notes say where nodes were too few.
        points: points that stood for the scores.
        error: largest difference between draws of what compression changed in the log-likelihood.
        seconds: time in Stan's warmup and sampling, all chains.
    """

    draws: JointDraws
    diagnostics: Diagnostics
    points: int
    error: float
    seconds: float


def compression_error(
    draws: JointDraws, scores: np.ndarray, points: ScorePoints, sets: VoteSets
) -> float:
    """How much compression changes differences of the log-likelihood between draws, at most.

    Args:
        draws: posterior draws, of which `CHECKED` are used, spread over all.
        points: what stands for them.
    """
    chosen = _spread(draws)
    exact = log_likelihood(chosen, each_score(scores, sets), sets)
    return _difference(chosen, exact, points, sets)


def _spread(draws: JointDraws) -> JointDraws:
    size = min(CHECKED, len(draws))
    return draws.select(np.linspace(0, len(draws) - 1, size).round().astype(int))


def _difference(draws: JointDraws, exact: np.ndarray, points: ScorePoints, sets: VoteSets) -> float:
    return float(np.ptp(exact - log_likelihood(draws, points, sets)))


def fewest_points(
    draws: JointDraws, scores: np.ndarray, sets: VoteSets, above: int = 0
) -> tuple[int, ScorePoints]:
    """The fewest points that stand for the scores within the tolerance less its margin.

    Args:
        draws: draws from near the posterior.
        above: take more nodes than these.

    Returns:
        the nodes of a group, and the points; every score where no number of nodes is enough.
    """
    chosen, whole = _spread(draws), each_score(scores, sets)
    exact = log_likelihood(chosen, whole, sets)
    for nodes in NODES:
        if nodes > above:
            points = compress_scores(scores, sets, nodes)
            if len(points) >= len(whole):
                break
            if _difference(chosen, exact, points, sets) <= TOLERANCE / MARGIN:
                return nodes, points
    return len(scores), whole


def _sampler(
    program: JointProgram,
    scores: np.ndarray,
    sets: VoteSets,
    rng: np.random.Generator,
    stan: StanModels,
    chains: int,
) -> Callable[[ScorePoints, SamplerSettings], StanFit]:
    """What samples the model from the same seed and starting points, whatever the points."""
    seed = stan_seed(rng)
    starts = [dict(program.start(scores, sets, rng)) for _ in range(chains)]

    def sample(points: ScorePoints, settings: SamplerSettings) -> StanFit:
        # A dense metric: votes and scores inform the same labels, so that parameters correlate.
        return stan.sample(
            program.name,
            program.data(points, sets),
            seed,
            program.parameters,
            settings,
            adapt_delta=ADAPT_DELTA,
            inits=starts[: settings.chains],
            metric="dense_e",
        )

    return sample


def fit_votes_and_scores(
    program: JointProgram,
    scores: np.ndarray,
    sets: VoteSets,
    rng: np.random.Generator,
    stan: StanModels,
    settings: SamplerSettings,
    compressed: bool = True,
) -> JointFit:
    """Sample the posterior of a model of votes and scores.

    Args:
        program: the model.
        scores: (n,) scores of one predictor on the model's scale.
        settings: chains, warmup and draws.
        compressed: whether few points stand for the scores. How many is found at the draws of a
            pilot; the likelihood is checked again at posterior draws and, where it is off by more
            than `TOLERANCE`, sampled anew with more, in the end with every score.
    """
    sample = _sampler(program, scores, sets, rng, stan, settings.chains)
    nodes, points, notes = len(scores), each_score(scores, sets), []
    if compressed:
        pilot = sample(compress_scores(scores, sets, program.nodes), replace(settings, **PILOT))
        nodes, points = fewest_points(program.read(pilot), scores, sets)
    while True:
        fit = sample(points, settings)
        draws = program.read(fit)
        error = compression_error(draws, scores, points, sets) if nodes < len(scores) else 0.0
        if error <= TOLERANCE:
            break
        notes.append(
            f"{nodes} nodes for the scores of a group moved the log-likelihood by {error:.2g}: "
            "sampled anew with more"
        )
        nodes, points = fewest_points(draws, scores, sets, above=nodes)
    known = fit.diagnostics
    diagnostics = replace(known, notes=(*known.notes, *notes))
    return JointFit(draws, diagnostics, len(points), error, fit.seconds)
