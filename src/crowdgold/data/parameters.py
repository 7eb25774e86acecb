"""Named parameters of a simulator or a dataset, checked one at a time; a slip names its mend."""

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from crowdgold.data.errors import InputError

LEAST_LEVEL, MOST_LEVEL = 0.01, 0.99999
"""Of intervals that are more than rounding, and end."""
LIKE = 0.5
"""How like a name another has to be to be meant, from 0 to 1."""


def did_you_mean(name: object, known: Iterable[str], always: bool = False) -> str:
    """The question whether the nearest of the known names is meant; empty where none is near.

    Capitals make no difference.

    Args:
        name: as given.
        known: names that there are.
        always: whether the nearest is asked for even where it is not near.
    """
    folded = {str(one).casefold(): one for one in known}
    close = difflib.get_close_matches(str(name).casefold(), folded, 1, 0 if always else LIKE)
    return f"did you mean {folded[close[0]]!r}?" if close else ""


def unknown(kind: str, name: object, known: Iterable[str]) -> str:
    """Say that a name is not a known one, which it may have meant, and which there are."""
    known = list(known)
    meant = did_you_mean(name, known)
    return f"no {kind} {name!r}; {f'{meant} There' if meant else 'there'} are {', '.join(known)}"


@dataclass(frozen=True)
class Parameters:
    """Values by name, and how messages name their owner ("generator maven", "dataset chaosnli")."""

    owner: str
    values: Mapping[str, Any]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def check_names(self, known: Iterable[str]) -> None:
        """Raise `InputError` for the first name that is not a known one."""
        known = list(known)
        for name in self.values:
            if name not in known:
                raise InputError(f"{self.owner}: {unknown('parameter', name, known)}")

    def fault(self, name: str, expected: str) -> InputError:
        """Make the error for a parameter that is missing, or is not what is expected."""
        if name not in self.values:
            return InputError(f"{self.owner}: parameter {name!r} is missing; expected {expected}")
        found = self.values[name]
        return InputError(f"{self.owner}: parameter {name!r}: found {found!r}, expected {expected}")

    def real(self, name: str, above: float = -math.inf, below: float = math.inf) -> float:
        """A finite number strictly between two bounds.

        Raises:
            InputError: naming the parameter, what was found, and what was expected.
        """
        value: Any = self.values.get(name)
        if is_number(value) and above < value < below:
            return float(value)
        raise self.fault(name, _range("a number", above, below, "above", "below"))

    def whole(self, name: str, at_least: float = -math.inf, at_most: float = math.inf) -> int:
        """A whole number between two bounds, both allowed; 4000.0 counts as whole.

        Raises:
            InputError: naming the parameter, what was found, and what was expected.
        """
        value: Any = self.values.get(name)
        if is_whole(value) and at_least <= value <= at_most:
            return int(value)
        raise self.fault(name, _range("a whole number", at_least, at_most, "at least", "at most"))

    def flag(self, name: str) -> bool:
        """True or false; false where the parameter is not given."""
        value = self.values.get(name, False)
        if not isinstance(value, bool):
            raise self.fault(name, "true or false")
        return value

    def choice(self, name: str, allowed: Iterable[str]) -> str:
        """One of the allowed names; the nearest is suggested for another."""
        allowed = list(allowed)
        value = self.values.get(name)
        if isinstance(value, str) and value in allowed:
            return value
        if name in self.values:
            raise InputError(f"{self.owner}: {unknown(name, value, allowed)}")
        raise self.fault(name, f"one of {', '.join(allowed)}")


def is_number(value: Any) -> bool:
    """Say whether a value is a finite number (a boolean is none)."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def is_whole(value: Any) -> bool:
    """Say whether a value is a whole number (a boolean is none)."""
    return is_number(value) and float(value).is_integer()


def _range(kind: str, low: float, high: float, low_word: str, high_word: str) -> str:
    ends = [(low, low_word), (high, high_word)]
    return " ".join([kind, " and ".join(f"{w} {x:g}" for x, w in ends if math.isfinite(x))]).strip()


def check_level(level: float, name: str = "level") -> None:
    """Raise an `InputError` where no interval of a level can be worked out.

    Args:
        name: what messages call it.
    """
    if not LEAST_LEVEL <= level <= MOST_LEVEL:
        raise InputError(
            f"{name}: found {level:g}, expected a number from {LEAST_LEVEL:g} to {MOST_LEVEL:g}"
        )
