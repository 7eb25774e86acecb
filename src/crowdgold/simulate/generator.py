"""What a generator is, and the replicate that it draws."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from crowdgold.types.annotations import Annotations
from crowdgold.types.items import ITEMS, Items
from crowdgold.types.parameters import Settings

T = TypeVar("T", Items, Annotations)


@dataclass(frozen=True, eq=False)
class Replicate(Generic[T]):
    """What one draw of a generator gives."""

    # what the methods see: votes, scores and gold labels, or each annotator's labels. Its `truth`
    # and `oracle` are for the method ORACLE and for metrics only.
    table: T
    # the items whose `truth` defines the true value of a metric: the same table in a simulation,
    # the held-out gold items in a resampled dataset (MAVEN, section 5.1)
    reference: T
    # true values of model parameters, where the generator has them. Of Items: "phi", "a0", "a1",
    # "d0", "d1", and "mu:NAME", "delta:NAME" for each predictor. Of Annotations: "prevalence",
    # "TPR:NAME" and "TNR:NAME" of each annotator, and "TPR:GROUP", "TNR:GROUP" where all of a group
    # are alike ("TPR" and "TNR" where groups have no names).
    parameters: Mapping[str, float] = field(default_factory=dict)
    # the state of the random numbers after the draw, where a study goes on with them
    state: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Generator:
    """A generative process. A file that holds `X = Generator("NAME", draw_...)` offers it."""

    name: str  # as configurations write it
    # (parameters, rng) -> a replicate; it raises `InputError` for a parameter that is unknown,
    # missing or impossible
    draw: Callable[[Mapping[str, Any], np.random.Generator], Replicate[Any]]
    gives: str = ITEMS  # the kind of table, `ITEMS` or `ANNOTATIONS`
    parameters: type[Settings] = Settings  # declares its parameters; the schema is made from it
    # of a paper that published its seeds how many there are: replicate k is drawn with
    # `numpy.random.default_rng(k)`, and the configuration's seed plays no part
    published_seeds: int = 0
