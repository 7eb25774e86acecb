"""Sampling a model of votes and scores with Stan, with few points in the place of all items."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from crowdgold.models.diagnostics import Diagnostics
from crowdgold.models.joint_model import JointDraws, log_likelihood
from crowdgold.models.score_points import ScorePoints, compress_scores, each_score
from crowdgold.models.stan import SamplerSettings, StanFit, StanModels, stan_seed
from crowdgold.models.vote_sets import VoteSets

CHECKED = 20
"""Posterior draws at which the compressed likelihood is held against that of all items."""

TOLERANCE = 0.02
"""Log-likelihoods of draws may differ by this much, up to a constant, before nodes are doubled:
their weights then change by 2 % at most, and means by a few thousandths of a deviation."""


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
        """Nodes of each group of scores that mostly do."""

    def data(self, points: ScorePoints, sets: VoteSets, pointwise: bool = False) -> dict[str, Any]:
        """Lay weighted scores out as its data."""

    def start(
        self, scores: np.ndarray, sets: VoteSets, rng: np.random.Generator
    ) -> Mapping[str, Any]:
        """Give a chain's starting point."""

    def read(self, fit: StanFit) -> JointDraws:
        """Give the draws of a fit."""


@dataclass(frozen=True)
class JointFit:
    """Draws of a model of votes and scores.

    Attributes:
        draws: chain after chain.
        diagnostics: of the chains; the notes say where nodes were doubled.
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
    """Give how much compression changes differences of the log-likelihood between draws, at most.

    Args:
        draws: those of them that are compared are spread evenly over all.
        scores: (n,) scores of all items.
        points: what stands for them.
        sets: the vote sets of the items.
    """
    spread = np.linspace(0, len(draws) - 1, min(CHECKED, len(draws))).round().astype(int)
    chosen = draws.select(spread)
    exact = log_likelihood(chosen, each_score(scores, sets), sets)
    return float(np.ptp(exact - log_likelihood(chosen, points, sets)))


def fit_votes_and_scores(
    program: JointProgram,
    scores: np.ndarray,
    sets: VoteSets,
    rng: np.random.Generator,
    stan: StanModels,
    settings: SamplerSettings,
    compressed: bool = True,
    nodes: int | None = None,
) -> JointFit:
    """Sample the posterior of a model of votes and scores.

    Args:
        program: the model.
        scores: (n,) scores of one predictor on the model's scale.
        sets: the vote sets of the items.
        rng: source of the seed and of the starting points.
        stan: the compiled models.
        settings: chains, warmup and draws.
        compressed: whether few points stand for the scores. The likelihood is then checked at
            posterior draws and, where it is off by more than `TOLERANCE`, sampled anew with twice
            the nodes, in the end with every score.
        nodes: nodes of each group of scores at first; the program's where not given.
    """
    nodes = nodes or program.nodes
    seed = stan_seed(rng)
    starts = [dict(program.start(scores, sets, rng)) for _ in range(settings.chains)]
    notes: list[str] = []
    while True:
        points = compress_scores(scores, sets, nodes) if compressed else each_score(scores, sets)
        data = program.data(points, sets)
        # A dense metric: votes and scores inform the same labels, so that parameters correlate.
        fit = stan.sample(
            program.name, data, seed, program.parameters, settings, inits=starts, metric="dense_e"
        )
        draws = program.read(fit)
        whole = not compressed or len(points) == len(each_score(scores, sets))
        error = 0.0 if whole else compression_error(draws, scores, points, sets)
        if error <= TOLERANCE or whole:
            break
        notes.append(
            f"{nodes} nodes for the scores of a group moved the log-likelihood by {error:.2g}: "
            f"sampled anew with {2 * nodes}"
        )
        nodes *= 2
    known = fit.diagnostics
    diagnostics = replace(known, notes=(*known.notes, *notes))
    return JointFit(draws, diagnostics, len(points), error, fit.seconds)
