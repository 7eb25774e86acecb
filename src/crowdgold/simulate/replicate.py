"""One replicate: a table for the methods, and what is true of it for the metrics."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from crowdgold.data import Items


@dataclass(frozen=True, eq=False)
class Replicate:
    """What one draw of a generator gives.

    Attributes:
        items: what the methods see: votes, scores and gold labels. Its `truth` and `oracle` are
            for the method ORACLE and for metrics only.
        reference: the items whose `truth` defines the true value of a metric: the same items in a
            simulation, the held-out gold items in a resampled dataset (MAVEN, section 5.1).
        parameters: true values of model parameters, where the generator has them: "phi", "a0",
            "a1", "d0", "d1", and "mu:NAME", "delta:NAME" for each predictor.
    """

    items: Items
    reference: Items
    parameters: Mapping[str, float] = field(default_factory=dict)
