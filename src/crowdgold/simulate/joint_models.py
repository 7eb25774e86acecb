"""The processes that Dawid-Skene with scores and H-AI assume (MAVEN, appendices C.2 and C.3).

DS+S:  Y_i ~ Bernoulli(phi),  V_i ~ Binomial(c_i, a_y),  X_i ~ Normal(mu_y, sigma),  y = Y_i
H-AI:  Y_i ~ Bernoulli(phi),  X_i = mu_y + sigma Z_i,
       H_i ~ Normal(human_y + rho Z_i, sqrt(1 - rho^2)),  V_i ~ Binomial(c_i, Phi(H_i))

Z_i are standard normal. DS+S without its scores is the process of Dawid-Skene. There is one
predictor, `A`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from scipy.special import expit, ndtr

from crowdgold.simulate import design
from crowdgold.simulate.generator import Generator, Replicate
from crowdgold.simulate.irt import normal_quadrature
from crowdgold.types.items import Items
from crowdgold.types.parameters import Above, Given

PREDICTOR = "A"
NODES = 128  # Nodes over the human tendency: P(Y | V) is within 1e-9 of its limit up to 20 votes


@dataclass(frozen=True, kw_only=True)
class JointParameters(design.Sized):
    """Labels, and normal scores of each class."""

    phi: Annotated[float, Above(0, 1), "Probability of a positive label."]
    mu0: Annotated[float, "Mean score of negative items."]
    mu1: Annotated[float, "Mean score of positive items."]
    sigma: Annotated[float, Above(0), "Standard deviation of the scores in each class."]


@dataclass(frozen=True, kw_only=True)
class DawidSkeneScoresParameters(JointParameters):
    """The process that Dawid-Skene with scores assumes (MAVEN, appendix C.2). There is one
    predictor, A, with normal scores in each class.
    """

    a0: Annotated[float, Above(0, 1), "Probability of a positive vote on a negative item."]
    a1: Annotated[float, Above(0, 1), "Probability of a positive vote on a positive item."]


@dataclass(frozen=True, kw_only=True)
class HumanAiParameters(JointParameters):
    """The process that H-AI assumes (MAVEN, appendix C.3): a normal human tendency and a normal
    score of each item, correlated in each class. There is one predictor, A.
    """

    human0: Annotated[float, "Mean tendency to vote positive on a negative item in probits."]
    human1: Annotated[float, "Mean tendency to vote positive on a positive item in probits."]
    rho: Annotated[float, Above(-1, 1), "Correlation of tendency and score in each class."]


def draw_dawid_skene_scores(
    values: Mapping[str, Any], rng: np.random.Generator
) -> Replicate[Items]:
    """Draw a replicate of DS+S's process."""
    parameters = Given("generator dawid_skene_scores", values, DawidSkeneScoresParameters)
    parameters.check_names()
    chance = np.array([parameters.real(name) for name in ("a0", "a1")])
    truth, _, scores, true = _labels_and_scores(parameters, rng)
    log_chance = np.stack([np.log(chance), np.log1p(-chance)])[:, :, None]
    named = {"a0": float(chance[0]), "a1": float(chance[1])}
    return _voted(parameters, truth, scores, chance[truth], log_chance, true | named, rng)


def draw_human_ai(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Items]:
    """Draw a replicate of H-AI's process."""
    parameters = Given("generator human_ai", values, HumanAiParameters)
    parameters.check_names()
    human = np.array([parameters.real(name) for name in ("human0", "human1")])
    rho = parameters.real("rho")
    truth, normal, scores, true = _labels_and_scores(parameters, rng)
    latent = human[truth] + rho * normal + np.sqrt(1 - rho**2) * rng.normal(size=len(truth))
    # Given votes alone, the tendency is Normal(human_y, 1): its nodes stand for all chances.
    at = human[:, None] + normal_quadrature(NODES)[0]
    log_chance = np.log(np.stack([ndtr(at), ndtr(-at)]))
    return _voted(parameters, truth, scores, ndtr(latent), log_chance, true, rng)


def _labels_and_scores(
    parameters: Given, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, float]]:
    """Draw true labels, standard normals and the scores they make (n,); give the true phi."""
    phi = parameters.real("phi")
    mean = np.array([parameters.real(name) for name in ("mu0", "mu1")])
    sigma = parameters.real("sigma")
    truth = (rng.random(design.read_n(parameters)) < phi).astype(np.int8)
    normal = rng.normal(size=len(truth))
    return truth, normal, mean[truth] + sigma * normal, {"phi": phi}


def _voted(
    parameters: Given, truth: np.ndarray, scores: np.ndarray, chance: np.ndarray,
    log_chance: np.ndarray, true: Mapping[str, float], rng: np.random.Generator,
) -> Replicate[Items]:  # fmt: skip
    """Draw votes and gold; P(Y | V) from log chances (2, 2, nodes) of either vote by class."""
    n = len(truth)
    n_gold = design.read_n_gold(parameters, n)
    votes_total = design.draw_votes_total(parameters, n, rng)
    votes_positive = rng.binomial(votes_total, chance)
    _, weight = normal_quadrature(log_chance.shape[2])
    pairs, place = np.unique(np.stack([votes_positive, votes_total]), axis=1, return_inverse=True)
    positive, total = pairs[:, :, None, None]
    votes = positive * log_chance[0] + (total - positive) * log_chance[1]
    evidence = np.log(np.exp(votes) @ weight)
    prior = np.log(true["phi"]) - np.log1p(-true["phi"])
    oracle = expit(prior + evidence[:, 1] - evidence[:, 0])[place.reshape(-1)]
    named = {PREDICTOR: scores}
    items = design.assemble(votes_positive, votes_total, named, truth, oracle, n_gold, rng)
    return Replicate(items, items, dict(true))


DAWID_SKENE_SCORES = Generator(
    "dawid_skene_scores", draw_dawid_skene_scores, parameters=DawidSkeneScoresParameters
)
HUMAN_AI = Generator("human_ai", draw_human_ai, parameters=HumanAiParameters)
