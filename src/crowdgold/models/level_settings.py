"""How the posterior of agents' levels is sampled, as a declaration."""

from dataclasses import dataclass
from typing import Annotated, Literal

from crowdgold.declared import Above, AtLeast, Settings


@dataclass(frozen=True)
class LevelSettings(Settings):
    """How levels are sampled."""

    prior: Annotated[
        Literal["agent", "shared"],
        "A class prior for each `agent`, where not given, or one that is `shared`, as printed, "
        "which pulls the scores of different agents together.",
    ] = "agent"
    alpha_mu: Annotated[
        float, Above(0), "Weight of the prior of each level, in responses; 1 where not given."
    ] = 1.0
    alpha_pi: Annotated[
        float,
        Above(0),
        "Weight of the prior of each entry of a confusion matrix, in labels; 1 where not given.",
    ] = 1.0
    chains: Annotated[int, AtLeast(1), "Chains of each fit; 2 where not given."] = 2
    warmup: Annotated[
        int, AtLeast(0), "Sweeps of each chain that are thrown away; 200 where not given."
    ] = 200
    draws: Annotated[int, AtLeast(1), "Draws of each chain that are kept; 500 where not given."] = (
        500
    )
    lag: Annotated[int, AtLeast(1), "Sweeps from one kept draw to the next; 5 where not given."] = 5
