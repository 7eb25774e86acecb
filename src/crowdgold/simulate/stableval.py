"""Labels of agents' responses as STABLEVAL's synthetic study draws them (section 6.1).

    z_i ~ (0.65 (1 - q), 0.35 (1 - q), q)            level of a response of an agent of quality q
    d_i ~ Beta(2, 12), or Beta(6, 3) where hard      difficulty, hard with chance `hard_items`
    y_ij ~ (1 - d_i) C[z_i] + d_i / 3                label by annotator j, of a type with matrix C

for levels 0, 1 and 2, worth 0, 1/2 and 1. The paper prints none of the numbers; its published code
has them.

`stableval_seeds` draws the study's very labels: replicate k is the published seed k, and its
random numbers come in the order of the published code. `stableval` draws others like them, with the
configuration's seed as everywhere, and can draw as many as are wanted.

The model that the methods fit takes labels for independent given the level. Published labels are
not: they share a response's difficulty. Two parameters change nothing else but this:

- `difficulty: own` draws d for each label anew, so that labels are independent, and an annotator's
  confusion matrix is the same as before, (1 - E d) C + E d / 3;
- `copying` is the chance that a label after a response's first repeats that first one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from crowdgold.simulate.design import SHARE
from crowdgold.simulate.generator import Generator, Replicate
from crowdgold.simulate.irt import draw_voters
from crowdgold.types.annotations import NO_GROUP, Annotations
from crowdgold.types.items import ANNOTATIONS
from crowdgold.types.parameters import AtLeast, Each, Given, Json, Part, Settings

CATEGORIES = ("0", "1", "2")
CREDIT = (0.0, 0.5, 1.0)
PARTLY = 0.35  # Share of level 1 among the responses that are not of level 2
EASY, HARD = (2.0, 12.0), (6.0, 3.0)  # Beta distributions of the difficulty
CONFUSION = {
    "normal": ((0.85, 0.14, 0.01), (0.10, 0.80, 0.10), (0.01, 0.14, 0.85)),
    "strict": ((0.92, 0.08, 0.00), (0.35, 0.60, 0.05), (0.10, 0.55, 0.35)),
    "lenient": ((0.35, 0.55, 0.10), (0.05, 0.60, 0.35), (0.00, 0.08, 0.92)),
    "adversarial": ((1 / 3, 1 / 3, 1 / 3),) * 3,
}
"""Type of annotator -> C, the level in rows, the label in columns."""
QUALITIES = {
    "wide": (0.85, 0.80, 0.70, 0.55, 0.35, 0.20),
    "tight": (0.75, 0.70, 0.65, 0.60, 0.55, 0.50),
    "equal": (0.60, 0.60, 0.60, 0.60, 0.60, 0.60),
}
"""Qualities of agents: the study's, which figure 8's caption has the wrong way round; and of agents
who are alike, so that one class prior for all is right."""
SHARED, OWN = "shared", "own"
BASE: dict[str, Any] = {
    "items_per_agent": 500,
    "n_labels": 5,
    "quality": "wide",
    "annotators": {"normal": 18, "strict": 6, "lenient": 4, "adversarial": 2},
    "hard_items": 0.2,
    "difficulty": SHARED,
    "copying": 0,
}
"""The study's base configuration: the values of parameters that are not given."""
CONFIGURATION = "configuration"
POOLS = {
    "adv": ((20, 6, 4, 0), (17, 5, 5, 3), (15, 5, 4, 6), (13, 4, 4, 9), (11, 4, 3, 12)),
    "strict": ((26, 0, 4, 0), (23, 3, 4, 0), (20, 6, 4, 0), (17, 9, 4, 0), (14, 12, 4, 0)),
    "lenient": ((24, 6, 0, 0), (21, 6, 3, 0), (18, 6, 6, 0), (15, 6, 9, 0), (12, 6, 12, 0)),
}
"""Annotators of each type, in the order of `CONFUSION`, with 0, 10, ... 40 % of the one named."""
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    **{f"labels_{m}": {"n_labels": m} for m in (3, 5, 7, 9)},
    **{f"gaps_{name}": {"quality": name} for name in ("tight", "wide")},
    **{
        f"{kind}_{share}0": {"annotators": dict(zip(CONFUSION, numbers, strict=True))}
        for kind, pools in POOLS.items()
        for share, numbers in enumerate(pools)
    },
    **{f"hard_{share}0": {"hard_items": share / 10} for share in range(3)},
}
"""The configurations of tables 4 to 7 by the names of the published files: what each changes."""


@dataclass(frozen=True, kw_only=True)
class AnnotatorsGiven(Settings):
    """Annotators of each type."""

    normal: Annotated[int, AtLeast(0), "Those who mostly agree with the true level."] = 0
    strict: Annotated[int, AtLeast(0), "Those who give lower labels."] = 0
    lenient: Annotated[int, AtLeast(0), "Those who give higher labels."] = 0
    adversarial: Annotated[int, AtLeast(0), "Those who label at random."] = 0


@dataclass(frozen=True, kw_only=True)
class StablevalParameters(Settings):
    """Labels of agents' responses in three levels, as in the synthetic study of the STABLEVAL
    paper (section 6.1).
    """

    configuration: Annotated[object, Json({"enum": list(CONFIGURATIONS)}),
        "A configuration of tables 4 to 7, by the name of its published files; its values stand "
        "where none are given."]  # fmt: skip
    items_per_agent: Annotated[int, AtLeast(1), "Responses of each agent; 500 where not given."]
    n_labels: Annotated[int, AtLeast(1), "Labels of each response; 5 where not given."]
    quality: Annotated[
        object,
        Json({"oneOf": [{"enum": list(QUALITIES)}, Each(float, SHARE, least=1).schema]}),
        "Each agent's chance of a response of the highest level; or the study's, `wide` "
        "(where not given) or `tight`; or six agents who are `equal`.",
    ]
    annotators: Annotated[object, Part(AnnotatorsGiven),
        "Annotators of each type; 18, 6, 4 and 2 where not given."]  # fmt: skip
    hard_items: Annotated[float, SHARE,
        "Chance that a response is hard to label; 0.2 where not given."]  # fmt: skip
    difficulty: Annotated[Literal["shared", "own"],
        "Whether the labels of a response share its difficulty (where not given, as published), or "
        "each has its own, so that they are independent given the level."]  # fmt: skip
    copying: Annotated[float, SHARE,
        "Chance that a label repeats the response's first one; 0 where not given."]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PublishedParameters(Settings):
    """The labels behind tables 4 to 7 of the STABLEVAL paper: replicate k is the published seed k,
    0 to 99, whose random numbers are drawn in the published order.
    """

    configuration: Annotated[object, Json({"enum": list(CONFIGURATIONS)}),
        "A configuration of tables 4 to 7, by the name of its published files."]  # fmt: skip


def draw_stableval(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Annotations]:
    """Draw the labels of agents A1, A2, ..., with true levels; a configuration's values stand where
    none is given, else `BASE`. `parameters` hold "score:NAME", the mean credit of an agent's
    responses here, and "expected_score:NAME", of all it could give.
    """
    given = Given("generator stableval", values, StablevalParameters)
    given.check_names()
    named = {}
    if CONFIGURATION in given:
        named = CONFIGURATIONS[given.choice(CONFIGURATION, CONFIGURATIONS)]
    parameters = replace(given, values={**BASE, **named, **values})
    each = parameters.whole("items_per_agent")
    if isinstance(parameters.values["quality"], str):
        quality = np.array(QUALITIES[parameters.choice("quality", QUALITIES)])
    else:
        quality = np.array(parameters.numbers("quality", SHARE, f"{', '.join(QUALITIES)}, or "))
    agent_of = np.repeat(np.arange(len(quality)), each)
    level = _pick(level_chances(quality)[agent_of], rng.random(len(agent_of)))
    own = parameters.part("annotators", AnnotatorsGiven)
    numbers = [own.whole(name) for name in CONFUSION]
    if sum(numbers) == 0:
        raise parameters.fault("annotators", "at least one annotator")
    kind = rng.permutation(np.repeat(np.arange(len(numbers)), numbers))  # types of annotators
    items, size = len(level), parameters.whole("n_labels", at_most=len(kind))
    # Floyd's algorithm puts the last ones in the last places.
    who = rng.permuted(draw_voters(np.full(items, size), len(kind), rng), axis=1)
    shape = who.shape if parameters.choice("difficulty") == OWN else (items, 1)
    hard = rng.random(shape) < parameters.real("hard_items")
    difficulty = np.where(hard, rng.beta(*HARD, shape), rng.beta(*EASY, shape))[..., None]
    matrix = np.array(list(CONFUSION.values()))[kind[who], level[:, None]]
    label = _pick((1 - difficulty) * matrix + difficulty / len(CATEGORIES), rng.random(who.shape))
    copied = rng.random(label.shape) < parameters.real("copying")
    label = np.where(copied, label[:, :1], label)
    return _replicate(quality, agent_of, level, who, label)


def draw_published(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Annotations]:
    """Draw a published seed's labels, given `numpy.random.default_rng(seed)`; `state` is that of
    the generator then, with which the published study drew the labels that rankings are stable
    under (`Subsampling.in_turn`).
    """
    given = Given("generator stableval_seeds", values, PublishedParameters)
    given.check_names()
    own = {**BASE, **CONFIGURATIONS[given.choice(CONFIGURATION, CONFIGURATIONS)]}
    quality, size = np.array(QUALITIES[own["quality"]]), own["n_labels"]
    shape = len(quality), own["items_per_agent"]
    agent_of = np.repeat(np.arange(shape[0]), shape[1])
    # `choice` with chances takes one uniform number a value, so that many are drawn at once.
    level = _pick(level_chances(quality)[agent_of], rng.random(len(agent_of)))
    hard = rng.binomial(1, own["hard_items"], shape).ravel() == 1
    difficulty = np.empty(len(hard))
    for these, (a, b) in ((~hard, EASY), (hard, HARD)):
        difficulty[these] = rng.beta(a, b, these.sum())
    kind = np.repeat(np.arange(len(CONFUSION)), [own["annotators"][name] for name in CONFUSION])
    rng.shuffle(kind)
    who, uniform = np.empty((len(hard), size), dtype=np.int64), np.empty((len(hard), size))
    for item in range(len(hard)):
        who[item] = rng.choice(len(kind), size, replace=False)
        uniform[item] = rng.random(size)
    matrix = np.array(list(CONFUSION.values()))[kind[who], level[:, None]]
    shared = difficulty[:, None, None]
    label = _pick((1 - shared) * matrix + shared / len(CATEGORIES), uniform)
    drawn = _replicate(quality, agent_of, level, who, label)
    return replace(drawn, state=rng.bit_generator.state)


def _replicate(
    quality: np.ndarray, agent_of: np.ndarray, level: np.ndarray, who: np.ndarray, label: np.ndarray
) -> Replicate[Annotations]:
    """The table of levels (I,) of agents' responses and of labels (I, m), with the true scores."""
    items, size = who.shape
    present, annotator_of = np.unique(who.ravel(), return_inverse=True)
    credit = np.array(CREDIT)
    table = Annotations(
        item=np.arange(items).astype(str).astype(object),
        annotator=np.array([f"R{one + 1}" for one in present], dtype=object),
        group=np.array([NO_GROUP], dtype=object),
        category=np.array(CATEGORIES, dtype=object),
        item_of=np.repeat(np.arange(items), size),
        annotator_of=annotator_of,
        group_of=np.zeros(items * size, dtype=np.int64),
        label=label.ravel(),
        truth=level,
        agent=np.array([f"A{one + 1}" for one in range(len(quality))], dtype=object),
        agent_of=agent_of,
        credit=credit,
    )
    realised = np.bincount(agent_of, credit[level]) / np.bincount(agent_of)
    expected = level_chances(quality) @ credit
    return Replicate(table, table, {
        f"{name}:{agent}": float(score)
        for name, scores in (("score", realised), ("expected_score", expected))
        for agent, score in zip(table.agent, scores, strict=True)
    })  # fmt: skip


def level_chances(quality: np.ndarray) -> np.ndarray:
    """The chances of the levels (S, 3) of agents of qualities (S,)."""
    rest = 1 - quality
    return np.stack([(1 - PARTLY) * rest, PARTLY * rest, quality], axis=1)


def _pick(chance: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """The category of each distribution in the last axis, (..., K), by a uniform number (...)."""
    below = chance.cumsum(axis=-1)
    below = below[..., :-1] / below[..., -1:]
    return np.asarray((uniform[..., None] >= below).sum(axis=-1))


SEEDS = 100
"""The published seeds are 0 to 99."""
GENERATOR = Generator("stableval", draw_stableval, ANNOTATIONS, parameters=StablevalParameters)
PUBLISHED = Generator("stableval_seeds", draw_published, ANNOTATIONS, PublishedParameters, SEEDS)
