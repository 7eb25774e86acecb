"""Voters with skills and items with difficulties (MAVEN, appendix B.1, Algorithm 2).

    S_j ~ Normal(mu_s, sigma_s)                          skill of voter j, of n_voters
    Y_i ~ Bernoulli(phi),  D_i ~ Normal(mu_d, sigma_d)   label and difficulty of item i
    A_i: c_i distinct voters, every set of them equally likely
    P_ij = sigmoid(offset + (S_j - D_i)(2 Y_i - 1)),  V_ij ~ Bernoulli(P_ij)   for j in A_i
    X_i ~ Normal(mu Y_i + delta / c_i sum_j P_ij, 1)

The sigmas are standard deviations, and T_i in the paper's last line is Y_i. MAVEN's own model does
not hold here: votes on an item differ by voter, and `delta` multiplies the mean chance of the
voters who voted, not a chance that belongs to the item.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, ClassVar

import numpy as np
from scipy.special import expit, roots_hermitenorm

from crowdgold.simulate import design
from crowdgold.simulate.generator import Generator, Replicate
from crowdgold.types.items import Items, labels_of_items
from crowdgold.types.parameters import Above, AtLeast, Between, Given

NODES = 256  # over the difficulty: P(Y | V) is right to 1e-6 up to sigma_d = 5 and c = 10


@dataclass(frozen=True, kw_only=True)
class IrtParameters(design.Predicted, design.InClusters):
    """Algorithm 2 of the MAVEN paper, voters with skills and items with difficulties."""

    phi: Annotated[float, Above(0, 1), "Probability of a positive label."]
    mu_s: Annotated[float, "Mean of the voters' skills."]
    sigma_s: Annotated[float, Above(0), "Standard deviation of the voters' skills."]
    mu_d: Annotated[float, "Mean of the items' difficulties."]
    sigma_d: Annotated[float, Above(0), "Standard deviation of the items' difficulties."]
    offset: Annotated[float, "Shift of the votes' log odds towards positive."]
    n_voters: Annotated[int, AtLeast(1), "Voters from whom each item's are drawn."] = 100
    voters_seed: Annotated[int, Between(0, 18446744073709551615),
        "Seed of the voters' skills: the voters are the same in every replicate, so that the rates "
        "of a population of items are theirs. Others in each replicate where not "
        "given."]  # fmt: skip
    annotators: Annotated[bool,
        "Whether items say who gave each vote, for methods of annotators; false where not "
        "given."]  # fmt: skip
    rules: ClassVar = {
        "if": {"properties": {"truth_of": {"const": "population"}}, "required": ["truth_of"]},
        "then": {"required": ["voters_seed"]},
    }


@dataclass(frozen=True)
class Model:
    """Parameters of Algorithm 2 apart from the predictors: standard deviations, not variances."""

    phi: float
    mu_s: float
    sigma_s: float
    mu_d: float
    sigma_d: float
    offset: float
    n_voters: int


def draw_irt(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Items]:
    """Draw a replicate by Algorithm 2; n_voters is at least the most votes on an item."""
    parameters = Given("generator irt", values, IrtParameters)
    parameters.check_names()
    most_votes = int(design.read_votes_total(parameters)[0].max())
    named = ("phi", "mu_s", "sigma_s", "mu_d", "sigma_d", "offset")
    real = {name: parameters.real(name) for name in named}
    model = Model(**real, n_voters=parameters.whole("n_voters", at_least=most_votes))
    predictors = design.read_predictors(parameters)
    n = design.read_n(parameters)
    n_gold, how = design.read_n_gold(parameters, n), design.read_gold_design(parameters)
    of_voters = rng  # the replicate's own, or one that is always the same
    if "voters_seed" in parameters:
        of_voters = np.random.default_rng(parameters.whole("voters_seed"))
    skills = of_voters.normal(model.mu_s, model.sigma_s, model.n_voters)
    clusters = design.read_clusters(parameters, n)
    truth = (clusters.uniform(rng) < model.phi).astype(np.int8)
    difficulty = model.mu_d + model.sigma_d * clusters.normal(rng)
    votes_total = design.draw_votes_total(parameters, n, rng)
    voters = draw_voters(votes_total, model.n_voters, rng)
    chance = vote_chance(model, skills[voters], truth[:, None], difficulty[:, None])
    voted = voters >= 0
    positive = (rng.random(voters.shape) < chance) & voted
    votes_positive = positive.sum(axis=1)
    mean_chance = np.where(voted, chance, 0).sum(axis=1) / votes_total
    scores = design.draw_scores(predictors, truth, mean_chance, rng)
    oracle = probability_given_votes(model, skills, votes_positive, votes_total)
    items = design.assemble(
        votes_positive, votes_total, scores, truth, oracle, n_gold, rng, how, clusters.cluster
    )
    if parameters.flag("annotators"):
        item_of, place = np.nonzero(voted)
        names = np.char.add("V", (voters[item_of, place] + 1).astype(str))
        labels = labels_of_items(items.item, item_of, names, positive[item_of, place])
        items = replace(items, labels=labels)
    items = clusters.in_table(items)
    return Replicate(items, items, {"phi": model.phi} | design.true_parameters(predictors))


def draw_voters(votes_total: np.ndarray, n_voters: int, rng: np.random.Generator) -> np.ndarray:
    """Each item's c_i distinct voters of n_voters, every set equally likely: (n, max c), -1 beyond
    an item's votes. Floyd's algorithm for all items at once: step k draws one of the first n_voters
    - c + k + 1, or takes the last of these where the one drawn is in already.
    """
    voters = np.full((len(votes_total), int(votes_total.max())), -1)
    for k in range(voters.shape[1]):
        voting = k < votes_total
        last = n_voters - votes_total + k
        drawn = rng.integers(0, np.where(voting, last, 0), endpoint=True)
        taken = (voters[:, :k] == drawn[:, None]).any(axis=1)
        voters[:, k] = np.where(voting, np.where(taken, last, drawn), -1)
    return voters


def vote_chance(
    model: Model, skill: np.ndarray, truth: np.ndarray | int, difficulty: np.ndarray
) -> np.ndarray:
    """P_ij, the chance of a positive vote; the arguments broadcast."""
    return np.asarray(expit(model.offset + (skill - difficulty) * (2 * truth - 1)))


def vote_distribution(chance: np.ndarray, most_votes: int) -> np.ndarray:
    """P(V = v) for c votes of a random set of c distinct voters, (c, v, m) from 0 to `most_votes`,
    given each voter's chance (n_voters, m) of a positive vote, at m difficulties: an elementary
    symmetric polynomial of the chances, by adding one voter after the other, the newest of j among
    c with chance c / j. Dividing as it goes, the recursion holds probabilities and cannot overflow.
    """
    distribution = np.zeros((most_votes + 1, most_votes + 1, chance.shape[1]))
    distribution[0, 0] = 1
    votes = np.arange(1, most_votes + 1)
    for j, positive in enumerate(chance, start=1):
        share = (votes / j)[:, None, None]
        with_newest = (1 - positive) * distribution[:-1]
        with_newest[:, 1:] += positive * distribution[:-1, :-1]
        distribution[1:] = (1 - share).clip(0) * distribution[1:] + share * with_newest
    return distribution


def probability_given_votes(
    model: Model, skills: np.ndarray, votes_positive: np.ndarray, votes_total: np.ndarray
) -> np.ndarray:
    """P(Y_i = 1 | V_i) (n,) over sets of voters, exactly, and difficulties, by Gauss-Hermite."""
    points, weights = normal_quadrature(NODES)
    difficulty = model.mu_d + model.sigma_d * points
    joint = []
    for truth, prior in ((0, 1 - model.phi), (1, model.phi)):
        chance = vote_chance(model, skills[:, None], truth, difficulty)
        distribution = vote_distribution(chance, int(votes_total.max()))
        joint.append(prior * (distribution @ weights))
    negative, positive = (table[votes_total, votes_positive] for table in joint)
    return np.asarray(positive / (negative + positive))


@cache
def normal_quadrature(nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """The nodes and weights that integrate against the standard normal density."""
    points, weights = roots_hermitenorm(nodes)
    return points, weights / weights.sum()


GENERATOR = Generator("irt", draw_irt, parameters=IrtParameters)
