"""Generators of tables whose truth is known: one module each, parameters and a seed go in.

`simulate` draws from a generative process by its name; `resample` draws from a dataset; `as_items`
reduces labels that say who gave them to votes.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from crowdgold.data import InputError
from crowdgold.data.parameters import unknown
from crowdgold.simulate.as_items import as_items
from crowdgold.simulate.clara import draw_clara
from crowdgold.simulate.copula import draw_copula
from crowdgold.simulate.irt import draw_irt
from crowdgold.simulate.joint_models import draw_dawid_skene_scores, draw_human_ai
from crowdgold.simulate.judge_error import draw_judge_error
from crowdgold.simulate.maven import draw_maven
from crowdgold.simulate.replicate import Replicate
from crowdgold.simulate.resample import resample
from crowdgold.simulate.shared_difficulty import draw_shared_difficulty
from crowdgold.simulate.stableval import draw_stableval
from crowdgold.simulate.stand_in import draw_stand_in

__all__ = [
    "GENERATORS",
    "GIVE_ANNOTATIONS",
    "Generator",
    "Replicate",
    "as_items",
    "resample",
    "simulate",
]

Generator = Callable[[Mapping[str, Any], np.random.Generator], Replicate[Any]]

GENERATORS: dict[str, Generator] = {
    "maven": draw_maven,
    "irt": draw_irt,
    "copula": draw_copula,
    "dawid_skene_scores": draw_dawid_skene_scores,
    "human_ai": draw_human_ai,
    "stand_in": draw_stand_in,
    "shared_difficulty": draw_shared_difficulty,
    "clara": draw_clara,
    "judge_error": draw_judge_error,
    "stableval": draw_stableval,
}

GIVE_ANNOTATIONS = ("clara", "judge_error", "stableval")
"""The generators that give Annotations; the others give Items."""


def simulate(name: str, parameters: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Any]:
    """Draw one replicate from a generator.

    Args:
        name: one of `GENERATORS`.
        parameters: the generator's parameters; its module describes them.
        rng: the only source of randomness.

    Raises:
        InputError: for an unknown generator, or a parameter that is unknown, missing or impossible.
    """
    if name not in GENERATORS:
        raise InputError(unknown("generator", name, GENERATORS))
    return GENERATORS[name](parameters, rng)
