"""What a generator is: its name, and a function that draws a replicate."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdgold.data import ITEMS
from crowdgold.declared import Settings
from crowdgold.simulate.replicate import Replicate


@dataclass(frozen=True)
class Generator:
    """A generative process. A file that holds `X = Generator("NAME", draw_...)` offers it.

    Attributes:
        name: as configurations write it.
        draw: (parameters, rng) -> a replicate; it raises `InputError` for a parameter that is
            unknown, missing or impossible.
        gives: the kind of table, `ITEMS` or `ANNOTATIONS`.
        parameters: the class that declares its parameters, from which the configuration's schema
            is made.
    """

    name: str
    draw: Callable[[Mapping[str, Any], np.random.Generator], Replicate[Any]]
    gives: str = ITEMS
    parameters: type[Settings] = Settings
