"""DS+S and H-AI: joint models of votes and scores, fitted to each predictor's scores in turn.

DS+S is Dawid-Skene with scores as a mixture of two normal distributions (MAVEN, appendix C.2); H-AI
is human-AI complementarity (Steyvers et al., 2022), as adapted in MAVEN, appendix C.3.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from crowdgold.methods.method import Method, Run, Style
from crowdgold.methods.needs import SCORES
from crowdgold.types.parameters import Above, Settings

if TYPE_CHECKING:
    from crowdgold.inference.labels import Fit, LabelPosterior
    from crowdgold.models.joint_model import JointDraws, JointProgram
    from crowdgold.models.stan_fit import Diagnostics
    from crowdgold.models.vote_sets import VoteSets
    from crowdgold.types.items import Items


@dataclass(frozen=True)
class Mixture(Settings):
    """Settings of DS+S."""

    scores: Annotated[
        Literal["compressed", "each"],
        "How scores enter the likelihood. `each`: the score of every item. `compressed`: few "
        "weighted scores in each vote set, which keep the sums over items to 0.02 in the "
        "log-likelihood; the cost of a fit does not grow with the number of items.",
    ] = "compressed"


@dataclass(frozen=True)
class Complementarity(Mixture):
    """Settings of H-AI."""

    epsilon: Annotated[
        float,
        Above(0, below=1),
        "The correlation of voters and scores given the label is at most 1 less this, in absolute "
        "value; the paper does not print it.",
    ] = 0.01


def _posterior(
    draws: "Mapping[str, JointDraws]",
    scores: Mapping[str, np.ndarray],
    sets: "VoteSets",
    size: int,
) -> "LabelPosterior":
    from crowdgold.inference.labels import LabelPosterior
    from crowdgold.models.joint_model import label_probability

    def probability(draw: int, predictor: str, rng: np.random.Generator) -> np.ndarray:
        return label_probability(draws[predictor], draw, scores[predictor], sets)

    parameters = {
        f"{name}:{predictor}": values
        for predictor, own in draws.items()
        for name, values in own.named().items()
    }
    return LabelPosterior(size, probability, parameters)


def _fit_each_predictor(
    program: "JointProgram", items: "Items", rng: np.random.Generator, settings: Mixture, run: Run
) -> "Fit":
    """Fits of a model of votes and scores to every predictor of the table, each on its own.

    Scores within [0, 1] are logit-transformed; labels are imputed from P(Y | V, X) under each draw.
    """
    from crowdgold.inference.labels import Fit
    from crowdgold.models.joint_model import fit_votes_and_scores
    from crowdgold.models.score_points import model_scores
    from crowdgold.models.stan import spread_draws
    from crowdgold.models.stan_fit import worst
    from crowdgold.models.vote_sets import find_vote_sets

    start = time.perf_counter()
    sets, compressed = find_vote_sets(items), settings.scores == "compressed"
    found: dict[str, JointDraws] = {}
    on_scale: dict[str, np.ndarray] = {}
    diagnostics: dict[str, Diagnostics] = {}
    for predictor, own in zip(items.predictors, rng.spawn(len(items.predictors)), strict=True):
        on_scale[predictor], notes = model_scores(items.scores[predictor])
        fit = fit_votes_and_scores(
            program, on_scale[predictor], sets, own, run.stan, run.sampler, compressed
        )
        found[predictor] = fit.draws.select(spread_draws(len(fit.draws), run.imputations))
        diagnostics[predictor] = replace(fit.diagnostics, notes=(*notes, *fit.diagnostics.notes))
    seconds = {"inference": time.perf_counter() - start}
    posterior = _posterior(found, on_scale, sets, run.imputations)
    return Fit("", posterior, worst(diagnostics), seconds)


def fit_mixture(items: "Items", rng: np.random.Generator, settings: Mixture, run: Run) -> "Fit":
    """DS+S fitted to each predictor."""
    from crowdgold.models.joint_model import ScoreMixtureProgram

    return _fit_each_predictor(ScoreMixtureProgram(), items, rng, settings, run)


def fit_human_ai(
    items: "Items", rng: np.random.Generator, settings: Complementarity, run: Run
) -> "Fit":
    """H-AI fitted to each predictor."""
    from crowdgold.models.human_ai import HumanAiProgram

    return _fit_each_predictor(HumanAiProgram(settings.epsilon), items, rng, settings, run)


MIXTURE = Method(
    name="DS+S",
    title="Dawid-Skene with scores",
    about=(
        "Dawid-Skene with scores as a mixture of two normal distributions, fitted to each "
        "predictor. Scores within [0, 1] are logit-transformed."
    ),
    of_items=fit_mixture,
    settings=Mixture,
    needs=(SCORES,),
    stan_models=lambda settings: ("dawid_skene_scores",),
    style=Style("#008855", "<", "--"),
)
HUMAN_AI = Method(
    name="H-AI",
    title="human-AI complementarity",
    about=(
        "Human-AI complementarity with probit votes, fitted to each predictor. Scores within "
        "[0, 1] are logit-transformed."
    ),
    of_items=fit_human_ai,
    settings=Complementarity,
    needs=(SCORES,),
    stan_models=lambda settings: ("human_ai",),
    style=Style("#3333BB", ">", "--"),
)
