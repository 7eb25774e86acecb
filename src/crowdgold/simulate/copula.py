"""Votes and scores of any shape, tied by a Gaussian copula (MAVEN, appendix D, Algorithm 3).

    Y_i ~ Bernoulli(phi)
    (U_i^P, U_i^X) ~ Gaussian copula with correlation rho
    P_i = quantile of Beta(a_y d_y, (1 - a_y) d_y) at U_i^P,  y = Y_i
    X_i = F_y^-1(U_i^X)                                       F_y: `crowdgold.simulate.score_shapes`
    V_i ~ Binomial(c_i, P_i)

The votes are MAVEN's; the scores are not: they are raw scores in (0, 1) whose calibration curve is
a beta calibration.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from scipy.special import betaincinv, expit, logit, ndtr

from crowdgold.simulate import design
from crowdgold.simulate.generator import Generator, Replicate
from crowdgold.simulate.maven import VotesGiven, probability_given_votes, read_vote_parameters
from crowdgold.simulate.score_shapes import ScoreShape, ShapeGiven, read_shape
from crowdgold.types.items import Items
from crowdgold.types.parameters import Above, Given

PREDICTOR, WEAKER = "A", "B"
BLOCK = 20_000  # Scores whose quantiles are found together, which bounds the memory


@dataclass(frozen=True, kw_only=True)
class CopulaParameters(design.Design, VotesGiven, ShapeGiven):
    """Algorithm 3 of the MAVEN paper, MAVEN's votes and scores of any shape, tied by a Gaussian
    copula. There is one predictor, A; its scores are in (0, 1).
    """

    rho: Annotated[float, Above(-1, 1),
        "Correlation of the copula between an item's score and probability of a vote."]  # fmt: skip
    noise: Annotated[float, Above(0),
        "Standard deviation, in logits, of the noise that a second predictor, B, adds to the "
        "scores of A; no such predictor where not given."]  # fmt: skip


def draw_copula(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Items]:
    """Draw a replicate by Algorithm 3; a0 is at most a1."""
    parameters = Given("generator copula", values, CopulaParameters)
    parameters.check_names()
    vote = read_vote_parameters(parameters)
    rho = parameters.real("rho")
    shape = read_shape(parameters, vote["phi"])
    n = design.read_n(parameters)
    n_gold, how = design.read_n_gold(parameters, n), design.read_gold_design(parameters)
    truth = (rng.random(n) < vote["phi"]).astype(np.int8)
    normal = rng.standard_normal((2, n))
    mean = np.where(truth == 1, vote["a1"], vote["a0"])
    concentration = np.where(truth == 1, vote["d1"], vote["d0"])
    alpha, beta = mean * concentration, (1 - mean) * concentration
    chance = np.asarray(betaincinv(alpha, beta, ndtr(normal[0])))
    tied = rho * normal[0] + np.sqrt(1 - rho**2) * normal[1]
    scores = {PREDICTOR: draw_scores(shape, truth, tied)}
    if "noise" in parameters:
        moved = logit(scores[PREDICTOR]) + rng.normal(0, parameters.real("noise"), n)
        scores[WEAKER] = np.asarray(expit(moved))
    votes_total = design.draw_votes_total(parameters, n, rng)
    votes_positive = rng.binomial(votes_total, chance)
    oracle = probability_given_votes(vote, votes_positive, votes_total)
    items = design.assemble(votes_positive, votes_total, scores, truth, oracle, n_gold, rng, how)
    return Replicate(items, items, vote)


def draw_scores(shape: ScoreShape, truth: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """X_i (n,): the quantile of the class's scores that a standard normal (n,) stands for."""
    scores = np.empty(len(truth))
    for label in (0, 1):
        for above in (False, True):
            # Each half from its own end, where probabilities have all their digits.
            chosen = np.flatnonzero((truth == label) & ((normal > 0) == above))
            for some in np.array_split(chosen, len(chosen) // BLOCK + 1):
                tail = ndtr(-np.abs(normal[some]))
                scores[some] = shape.quantile(label, tail, above=above)
    return scores


GENERATOR = Generator("copula", draw_copula, parameters=CopulaParameters)
