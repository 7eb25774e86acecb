"""DS+S and H-AI: joint models of votes and scores, fitted to each predictor's scores in turn.

DS+S is Dawid-Skene with scores as a mixture of two normal distributions (MAVEN, appendix C.2); H-AI
is human-AI complementarity (Steyvers et al., 2022), as adapted in MAVEN, appendix C.3.
"""

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from crowdgold.inference.labels import Fit, ImputesGold, LabelPosterior, LabelProbability
from crowdgold.methods.method import Method, Run, Style
from crowdgold.methods.needs import SCORES, VOTES
from crowdgold.models.stan_fit import Diagnostics, worst
from crowdgold.types.items import Items
from crowdgold.types.parameters import Above

if TYPE_CHECKING:
    from crowdgold.models.joint_model import JointDraws


@dataclass(frozen=True)
class Mixture(ImputesGold):
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
        float, Above(0, below=1),
        "The correlation of voters and scores given the label is at most 1 less this, in absolute "
        "value; the paper does not print it.",
    ] = 0.01  # fmt: skip


def fit_each_predictor(items: Items, rng: np.random.Generator, settings: Mixture, run: Run) -> Fit:
    """Fits of a model of votes and scores to each predictor of the table, scores within [0, 1]
    logit-transformed; labels are imputed from P(Y | V, X) under each draw.
    """
    from crowdgold.models.human_ai import HumanAiProgram
    from crowdgold.models.joint_model import (
        JointProgram,
        ScoreMixtureProgram,
        fit_votes_and_scores,
        label_probability,
    )
    from crowdgold.models.score_points import model_scores
    from crowdgold.models.stan import spread_draws
    from crowdgold.models.vote_sets import find_vote_sets

    program: JointProgram = ScoreMixtureProgram()
    if isinstance(settings, Complementarity):
        program = HumanAiProgram(settings.epsilon)
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

    def probability_given(gold_known: bool) -> LabelProbability:
        def probability(draw: int, predictor: str, rng: np.random.Generator) -> np.ndarray:
            own_scores = on_scale[predictor]
            return label_probability(found[predictor], draw, own_scores, sets, gold_known)

        return probability

    parameters = {
        f"{name}:{predictor}": values
        for predictor, draws in found.items()
        for name, values in draws.named().items()
    }
    posterior = LabelPosterior(
        run.imputations, probability_given(True), parameters, probability_given(False)
    )
    return Fit("", settings.imputed(posterior), worst(diagnostics), seconds)


MIXTURE = Method(
    name="DS+S", title="Dawid-Skene with scores",
    about=(
        "Dawid-Skene with scores as a mixture of two normal distributions, fitted to each "
        "predictor. Scores within [0, 1] are logit-transformed."
    ),
    of_items=fit_each_predictor, settings=Mixture, needs=(VOTES, SCORES),
    stan_models=lambda settings: ("dawid_skene_scores",), style=Style("#008855", "<", "--"),
)  # fmt: skip
HUMAN_AI = Method(
    name="H-AI", title="human-AI complementarity",
    about=(
        "Human-AI complementarity with probit votes, fitted to each predictor. Scores within "
        "[0, 1] are logit-transformed."
    ),
    of_items=fit_each_predictor, settings=Complementarity, needs=(VOTES, SCORES),
    stan_models=lambda settings: ("human_ai",), style=Style("#3333BB", ">", "--"),
)  # fmt: skip
