"""What models of votes and scores leave out: copied votes, difficulty that all share, heavy tails.

    Y_i ~ Bernoulli(phi),  E_i ~ Normal(0, 1)                     label, and how easy the item is
    R_i = sigmoid(logit(r_y) + ease E_i)                          chance of a right vote, y = Y_i
    V_i1 ~ Bernoulli(R_i right);  V_ij = V_i1 with chance `copying`, else drawn as V_i1,  j > 1
    X_i = mu Y_i + (2 Y_i - 1) ease_X E_i + s_y T_i               for each predictor

r_1 and r_0 are the voters' chances of a right vote on an item of middling ease. The T_i are
Student's t, independent of all else, and s_0 and s_1 their spreads: a predictor can be surer of
one class than of the other, and far off now and then.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from scipy.special import expit, logit

from crowdgold.data import Items
from crowdgold.data.parameters import Parameters
from crowdgold.declared import Above, AtLeast, Between, Named, Settings
from crowdgold.given import Given
from crowdgold.simulate import design
from crowdgold.simulate.generator import Generator, Replicate


@dataclass(frozen=True, kw_only=True)
class PredictorGiven(Settings):
    """A simulated predictor."""

    mu: Annotated[float, "How far the score follows the true label."]
    ease: Annotated[float, "How far it follows the item's ease; 0 where not given."] = 0
    spread: Annotated[float, Above(0), "Spread of its noise; 1 where not given."] = 1
    spread_positive: Annotated[
        float,
        Above(0),
        "Spread of its noise on positive items; as `spread` where not given.",
    ]
    freedom: Annotated[
        float,
        Above(0),
        "Degrees of freedom of its noise, Student's t; normal where not given.",
    ]


@dataclass(frozen=True, kw_only=True)
class SharedDifficultyParameters(design.InClusters):
    """What models of votes and scores leave out: voters who copy, difficulty that voters and
    predictors share, heavy-tailed scores whose spread depends on the class.
    """

    phi: Annotated[float, Above(0, 1), "Probability of a positive label."]
    right_positive: Annotated[
        float,
        Above(0, 1),
        "Chance of a right vote on a positive item of middling difficulty.",
    ]
    right_negative: Annotated[
        float,
        Above(0, 1),
        "Chance of a right vote on a negative item of middling difficulty.",
    ]
    ease: Annotated[
        float,
        AtLeast(0),
        "Standard deviation of a right vote's log odds between items; 0 where not given.",
    ] = 0
    copying: Annotated[
        float,
        Between(0, 1),
        "Chance that a vote after the first repeats that; 0 where not given.",
    ] = 0
    predictors: Annotated[
        object,
        Named(PredictorGiven, ["mu"]),
        "The predictors by name; the first is the one that metrics are about.",
    ]


@dataclass(frozen=True)
class Predictor:
    """A predictor: how far it follows the label and the ease, and its noise in each class."""

    mu: float
    ease: float
    spread: np.ndarray
    freedom: float


def draw_shared_difficulty(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Items]:
    """Draw a replicate of the process above.

    Args:
        values: as `SharedDifficultyParameters` declares them.
    """
    parameters = Given("generator shared_difficulty", values, SharedDifficultyParameters)
    parameters.check_names()
    phi, *right = (parameters.real(name) for name in ("phi", "right_negative", "right_positive"))
    predictors = read_predictors(parameters)
    n = design.read_n(parameters)
    n_gold, how = design.read_n_gold(parameters, n), design.read_gold_design(parameters)

    clusters = design.read_clusters(parameters, n)
    truth = (clusters.uniform(rng) < phi).astype(np.int8)
    ease = clusters.normal(rng)
    correct = expit(logit(np.array(right))[truth] + parameters.real("ease") * ease)
    votes_total = design.draw_votes_total(parameters, n, rng)
    chance = np.where(truth == 1, correct, 1 - correct)
    votes_positive = draw_votes(chance, votes_total, parameters.real("copying"), rng)
    scores = {
        name: scores_of(predictor, truth, ease, rng) for name, predictor in predictors.items()
    }
    items = design.assemble(
        votes_positive, votes_total, scores, truth, None, n_gold, rng, how, clusters.cluster
    )
    items = clusters.in_table(items)
    return Replicate(items, items, {"phi": phi})


def draw_votes(
    chance: np.ndarray, votes_total: np.ndarray, copying: float, rng: np.random.Generator
) -> np.ndarray:
    """Positive votes (n,) of items of which later voters copy the first with a given chance.

    Args:
        chance: (n,) of a positive vote.
        votes_total: (n,) votes on each item.
        copying: chance that a vote after the first repeats it.
    """
    places = (len(chance), int(votes_total.max()))
    own = rng.random(places) < chance[:, None]
    copied = rng.random(places) < copying
    votes = np.where(copied, own[:, :1], own)
    return np.asarray((votes & (np.arange(places[1]) < votes_total[:, None])).sum(axis=1))


def scores_of(
    predictor: Predictor, truth: np.ndarray, ease: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """A predictor's scores (n,)."""
    size = len(truth)
    finite = np.isfinite(predictor.freedom)
    noise = rng.standard_t(predictor.freedom, size) if finite else rng.standard_normal(size)
    sides = 2 * truth.astype(float) - 1
    followed = predictor.mu * truth + predictor.ease * sides * ease
    return np.asarray(followed + predictor.spread[truth] * noise)


def read_predictors(parameters: Parameters) -> dict[str, Predictor]:
    """The predictors by name; at least one."""
    predictors = {}
    for name, own in design.read_named(parameters, PredictorGiven, "{mu: number}").items():
        spread = own.real("spread")
        positive = own.real("spread_positive") if "spread_positive" in own else spread
        freedom = own.real("freedom") if "freedom" in own else np.inf
        predictors[name] = Predictor(
            own.real("mu"), own.real("ease"), np.array([spread, positive]), freedom
        )
    return predictors


GENERATOR = Generator(
    "shared_difficulty", draw_shared_difficulty, parameters=SharedDifficultyParameters
)
