"""H-AI: human-AI complementarity (Steyvers et al., 2022), as adapted in MAVEN, appendix C.3."""

import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.inference.labels import Fit
from crowdgold.methods.votes_and_scores import fit_each_predictor
from crowdgold.models.human_ai import EPSILON, HumanAiProgram
from crowdgold.models.stan import SamplerSettings, StanModels


def fit_human_ai(
    items: Items,
    rng: np.random.Generator,
    stan: StanModels,
    sampler: SamplerSettings,
    draws: int,
    scores: str = "compressed",
    epsilon: float = EPSILON,
) -> Fit:
    """Sample H-AI for each predictor and impute from P(Y | V, X) under each draw.

    Args:
        items: the table; scores within [0, 1] are logit-transformed.
        rng: source of all draws.
        stan: the compiled models.
        sampler: settings of the chains.
        draws: parameter draws, one imputed data set each.
        scores: "compressed" (few weighted points stand for them) or "each".
        epsilon: the correlation of voters and scores is at most 1 less this, in absolute value.

    Raises:
        InputError: where the table has no scores, or epsilon is not in (0, 1).
    """
    if not 0 < epsilon < 1:
        raise InputError(f"H-AI: epsilon {epsilon:g}; expected a number between 0 and 1")
    program = HumanAiProgram(epsilon)
    return fit_each_predictor("H-AI", program, items, rng, stan, sampler, draws, scores)
