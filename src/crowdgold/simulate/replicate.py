"""One replicate: a table for the methods, and what is true of it for the metrics."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from crowdgold.data import Annotations, Items

T = TypeVar("T", Items, Annotations)


@dataclass(frozen=True, eq=False)
class Replicate(Generic[T]):
    """What one draw of a generator gives.

    Attributes:
        table: what the methods see: votes, scores and gold labels, or each annotator's labels. Its
            `truth` and `oracle` are for the method ORACLE and for metrics only.
        reference: the items whose `truth` defines the true value of a metric: the same table in a
            simulation, the held-out gold items in a resampled dataset (MAVEN, section 5.1).
        parameters: true values of model parameters, where the generator has them. Of Items: "phi",
            "a0", "a1", "d0", "d1", and "mu:NAME", "delta:NAME" for each predictor. Of Annotations:
            "prevalence", "TPR:NAME" and "TNR:NAME" of each annotator, and "TPR:GROUP", "TNR:GROUP"
            where all of a group are alike ("TPR" and "TNR" where groups have no names).
    """

    table: T
    reference: T
    parameters: Mapping[str, float] = field(default_factory=dict)
