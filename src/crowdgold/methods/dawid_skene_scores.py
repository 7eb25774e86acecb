"""DS+S: Dawid-Skene with scores as a mixture of two normal distributions (MAVEN, appendix C.2)."""

import numpy as np

from crowdgold.data import Items
from crowdgold.inference.labels import Fit
from crowdgold.methods.votes_and_scores import fit_each_predictor
from crowdgold.models.score_mixture import ScoreMixtureProgram
from crowdgold.models.stan import SamplerSettings, StanModels


def fit_dawid_skene_scores(
    items: Items,
    rng: np.random.Generator,
    stan: StanModels,
    sampler: SamplerSettings,
    draws: int,
    scores: str = "compressed",
) -> Fit:
    """Sample DS+S for each predictor and impute from P(Y | V, X) under each draw.

    Args:
        items: the table; scores within [0, 1] are logit-transformed.
        rng: source of all draws.
        stan: the compiled models.
        sampler: settings of the chains.
        draws: parameter draws, one imputed data set each.
        scores: "compressed" (few weighted points stand for them) or "each".

    Raises:
        InputError: where the table has no scores.
    """
    program = ScoreMixtureProgram()
    return fit_each_predictor("DS+S", program, items, rng, stan, sampler, draws, scores)
