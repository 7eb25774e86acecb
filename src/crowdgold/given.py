"""Parameters of generators and checks, read one at a time as a class declares them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from crowdgold.data.parameters import Parameters, is_number
from crowdgold.declared import OF_EXPERIMENT, Declaration, Range, Settings


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
        own = self._declared(name).range
        bounds = replace(own, above=max(above, own.above), below=min(below, own.below))
        value: Any = self.values.get(name)
        if is_number(value) and value in bounds:
            return float(value)
        raise self.fault(name, f"a number {_words(bounds)}".strip())

    def numbers(self, name: str, bounds: Range, more: str = "") -> list[float]:
        """A list of numbers in a range, at least one.

        Args:
            name: of the parameter.
            bounds: the range.
            more: what else the parameter may be, as a message says it before the list.
        """
        value = _listed(self.values.get(name))
        if value and all(is_number(one) and one in bounds for one in value):
            return [float(one) for one in value]
        raise self.fault(name, f"{more}a list of numbers {_words(bounds)}".strip())

    def part(self, name: str, kind: type[Settings]) -> Self:
        """The parameters of a mapping, as a class declares them."""
        value = self.values.get(name)
        if not isinstance(value, Mapping):
            raise self.fault(name, _shape(kind))
        return self._part(name, value, kind)

    def parts(self, name: str, kind: type[Settings]) -> list[Self]:
        """The parameters of each mapping of a list, at least one, as a class declares them."""
        value = _listed(self.values.get(name))
        if not value or not all(isinstance(one, Mapping) for one in value):
            raise self.fault(name, f"[{_shape(kind)}, ...]")
        places = enumerate(value, start=1)
        return [self._part(f"{name}, entry {place}", one, kind) for place, one in places]

    def _part(self, name: str, values: Mapping[str, Any], kind: type[Settings]) -> Self:
        own = type(self)(f"{self.owner}, {name}", values, kind)
        own.check_names()
        return own

    def whole(self, name: str, at_least: float = -math.inf, at_most: float = math.inf) -> int:
        """A whole number in its range, between two bounds that are allowed."""
        bounds = self._declared(name).range
        return super().whole(name, max(at_least, bounds.least), min(at_most, bounds.most))

    def choice(self, name: str, allowed: Iterable[str] = ()) -> str:
        """One of its words, or of some."""
        return super().choice(name, list(allowed) or self._declared(name).choices)


def _listed(value: Any) -> Sequence[Any]:
    """The entries of a list; none of what is no list."""
    return value if isinstance(value, list | tuple) else ()


def _shape(kind: type[Settings]) -> str:
    """A mapping of numbers as messages show it."""
    return f"{{{', '.join(f'{one.name}: number' for one in kind.declared())}}}"


def _words(bounds: Range) -> str:
    """A range as messages say it after "a number"."""
    closed = [end for end in (bounds.least, bounds.most) if math.isfinite(end)]
    if len(closed) == 2:
        return f"from {bounds.least:g} to {bounds.most:g}"
    if closed:
        return f"that is {bounds}"
    ends = {"above": bounds.above, "below": bounds.below}
    return " and ".join(f"{word} {end:g}" for word, end in ends.items() if math.isfinite(end))
