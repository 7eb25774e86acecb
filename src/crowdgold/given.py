"""Parameters of generators and checks, read one at a time as a class declares them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from crowdgold.data.parameters import Parameters
from crowdgold.declared import OF_EXPERIMENT, Declaration, Settings


@dataclass(frozen=True)
class Given(Parameters):
    """Parameters by name, with the names, ranges and words that a class declares.

    They are read one at a time, since an experiment may not give those that it varies, and what
    one may be can rest on another.
    """

    kind: type[Settings] = Settings

    def __post_init__(self) -> None:
        """Fill in the declared defaults of parameters that are not given."""
        known = {one.name: one.default for one in self.kind.declared() if one.default is not None}
        object.__setattr__(self, "values", {**known, **self.values})

    def _declared(self, name: str) -> Declaration:
        return next(one for one in self.kind.declared() if one.name == name)

    def check_names(self, known: Iterable[str] = ()) -> None:
        """Raise `InputError` for the first name that is not declared, or not among some."""
        super().check_names(
            list(known)
            or [one.name for one in self.kind.declared() if one.table != OF_EXPERIMENT.table]
        )

    def real(self, name: str, above: float = -math.inf, below: float = math.inf) -> float:
        """A finite number in its range, strictly between two bounds."""
        bounds = self._declared(name).range
        value = super().real(name, max(above, bounds.above), min(below, bounds.below))
        if value in bounds:
            return value
        ends = math.isfinite(bounds.least) and math.isfinite(bounds.most)
        words = f"from {bounds.least:g} to {bounds.most:g}" if ends else f"that is {bounds}"
        raise self.fault(name, f"a number {words}")

    def whole(self, name: str, at_least: float = -math.inf, at_most: float = math.inf) -> int:
        """A whole number in its range, between two bounds that are allowed."""
        bounds = self._declared(name).range
        return super().whole(name, max(at_least, bounds.least), min(at_most, bounds.most))

    def choice(self, name: str, allowed: Iterable[str] = ()) -> str:
        """One of its words, or of some."""
        return super().choice(name, list(allowed) or self._declared(name).choices)
