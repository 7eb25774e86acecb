"""What DS+S and H-AI share as methods: the model is fitted to each predictor's scores in turn."""

import time
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.inference.labels import Fit, LabelPosterior
from crowdgold.methods.dawid_skene import spread_draws
from crowdgold.models.diagnostics import Diagnostics, worst
from crowdgold.models.joint_fit import JointProgram, fit_votes_and_scores
from crowdgold.models.joint_model import JointDraws, label_probability
from crowdgold.models.score_scale import model_scores
from crowdgold.models.stan import SamplerSettings, StanModels
from crowdgold.models.vote_sets import VoteSets, find_vote_sets

SCORES = ("compressed", "each")
"""Few weighted points in the place of the scores, or the score of every item."""


def _posterior(
    draws: Mapping[str, JointDraws], scores: Mapping[str, np.ndarray], sets: VoteSets, size: int
) -> LabelPosterior:
    def probability(draw: int, predictor: str, rng: np.random.Generator) -> np.ndarray:
        return label_probability(draws[predictor], draw, scores[predictor], sets)

    parameters = {
        f"{name}:{predictor}": values
        for predictor, own in draws.items()
        for name, values in own.named().items()
    }
    return LabelPosterior(size, probability, parameters)


def fit_each_predictor(
    method: str,
    program: JointProgram,
    items: Items,
    rng: np.random.Generator,
    stan: StanModels,
    sampler: SamplerSettings,
    draws: int,
    scores: str = "compressed",
) -> Fit:
    """Fit a model of votes and scores to every predictor of the table, each fit on its own.

    Args:
        method: the method's short name.
        program: the model.
        items: the table.
        rng: source of all draws.
        stan: the compiled models.
        sampler: settings of the chains.
        draws: parameter draws, one imputed data set each.
        scores: "compressed" or "each".

    Raises:
        InputError: where the table has no scores, or `scores` is another word.
    """
    if scores not in SCORES:
        raise InputError(f"{method}: scores {scores!r}; expected one of {', '.join(SCORES)}")
    if not items.predictors:
        raise InputError(f"{method} needs scores: a column 'score', or 'score_NAME'")
    start = time.perf_counter()
    sets = find_vote_sets(items)
    found: dict[str, JointDraws] = {}
    on_scale: dict[str, np.ndarray] = {}
    diagnostics: dict[str, Diagnostics] = {}
    for predictor, own in zip(items.predictors, rng.spawn(len(items.predictors)), strict=True):
        on_scale[predictor], notes = model_scores(items.scores[predictor])
        fit = fit_votes_and_scores(
            program, on_scale[predictor], sets, own, stan, sampler, scores == "compressed"
        )
        found[predictor] = fit.draws.select(spread_draws(len(fit.draws), draws))
        diagnostics[predictor] = replace(fit.diagnostics, notes=(*notes, *fit.diagnostics.notes))
    seconds = {"inference": time.perf_counter() - start}
    return Fit(method, _posterior(found, on_scale, sets, draws), worst(diagnostics), seconds)
