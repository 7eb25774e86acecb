"""Generators of tables whose truth is known: one module each, parameters and a seed go in."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from crowdgold.simulate.generator import Generator, Replicate
from crowdgold.simulate.resample import as_items, resample
from crowdgold.system.declarations import declared, load
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import unknown

__all__ = ["Generator", "Replicate", "as_items", "resample", "simulate"]


def simulate(name: str, parameters: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Any]:
    """Draw one replicate from the generator of this name; its module describes the parameters."""
    known = declared("simulator")
    if name not in known:
        raise InputError(unknown("generator", name, known))
    generator: Generator = load("simulator", name)
    return generator.draw(parameters, rng)
