"""JSON files whose shape is declared; an error names the file and key of what differs from it.

A shape is a function of a value and its place that raises `Unfit` where the value is of another.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from crowdgold.reading.door import open_file
from crowdgold.types.columns import LARGEST, check_json_text, repeated
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import LEAST_LEVEL, MOST_LEVEL, is_number, is_whole

LONGEST = 60  # characters of a value that a message shows
DIGITS = 15  # of a whole number; one with more is read as a float, and may be infinite


class Unfit(ValueError):  # noqa: N818 - a state of a value, which `check_shape` makes an error of
    """A value of another shape than was declared: where it stands, and what is wrong."""


Shape = Callable[[Any, str], None]


def read_json(path: Path, mend: str) -> Any:
    """What a file of JSON holds; `mend` says what to do where it is none."""
    try:
        text = open_file(path).content.decode("utf-8-sig")
    except InputError as error:
        raise InputError(f"{error}; {mend}") from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: found bytes that are not UTF-8, expected JSON; {mend}"
        ) from error

    def whole(digits: str) -> float:  # too large for a float it is infinite, which is refused
        return int(digits) if len(digits) <= DIGITS else float(digits)

    try:
        content = json.loads(text, object_pairs_hook=_without_repeats, parse_int=whole)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: found what is not JSON ({error}); {mend}") from error
    check_json_text(text, content, str(path))
    return content


def _without_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(iter(repeated(name for name, _ in pairs)))
        raise ValueError(f"key {twice!r} stands there twice")
    return found


def check_shape(value: Any, shape: Shape, source: object, mend: str) -> None:
    """Raise an `InputError` where a value is of another shape."""
    try:
        shape(value, "")
    except Unfit as unfit:
        raise InputError(f"{source}: {unfit}; {mend}") from None


def shown(value: Any) -> str:
    """A value as a message shows it, in JSON's own words."""
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _expect(fits: Callable[[Any], bool], expected: str) -> Shape:
    def check(value: Any, where: str) -> None:
        if not fits(value):
            raise Unfit(f"{f'{where}: ' * bool(where)}found {shown(value)}, expected {expected}")

    return check


ANYTHING: Shape = _expect(lambda value: True, "anything")
TEXT = _expect(lambda value: isinstance(value, str), "a text")
FLAG = _expect(lambda value: isinstance(value, bool), "true or false")
NUMBER = _expect(lambda value: is_number(value) and abs(value) < LARGEST, "a number")
PLAIN = _expect(lambda value: isinstance(value, str | int | float), "a text or a number")
COUNT = _expect(lambda value: is_whole(value) and value >= 0, "a whole number of 0 or more")
SHARE = _expect(lambda value: is_number(value) and 0 <= value <= 1, "a number from 0 to 1")
LEVEL = _expect(
    lambda value: is_number(value) and LEAST_LEVEL <= value <= MOST_LEVEL,
    f"a number from {LEAST_LEVEL:g} to {MOST_LEVEL:g}",
)


def optional(shape: Shape) -> Shape:
    """Nothing (null), or what has a shape."""

    def check(value: Any, where: str) -> None:
        if value is not None:
            shape(value, where)

    return check


def list_of(shape: Shape, length: int | None = None) -> Shape:
    """A list whose entries have a shape, of a given length or any."""
    expected = "a list" if length is None else f"a list of {length} entries"
    is_list = _expect(
        lambda value: isinstance(value, list) and length in (None, len(value)), expected
    )

    def check(value: Any, where: str) -> None:
        is_list(value, where)
        for place, entry in enumerate(value):
            shape(entry, f"{where}[{place}]")

    return check


def named(shape: Shape) -> Shape:
    """An object with any keys, whose values have a shape."""

    def check(value: Any, where: str) -> None:
        _is_object(value, where)
        for _, entry, place in _entries(value, where):
            shape(entry, place)

    return check


def keys(needed: Mapping[str, Shape], more: Mapping[str, Shape] | None = None) -> Shape:
    """An object with keys that it needs, and such as it may have; others are passed over."""
    shapes = {**needed, **(more or {})}

    def check(value: Any, where: str) -> None:
        _is_object(value, where)
        missing = [key for key in needed if key not in value]
        if missing:
            raise Unfit(f"{f'{where}: ' * bool(where)}no key {missing[0]!r}")
        for key, entry, place in _entries(value, where):
            if key in shapes:
                shapes[key](entry, place)

    return check


_is_object = _expect(lambda value: isinstance(value, dict), "an object")


def _entries(value: Mapping[str, Any], where: str) -> Iterator[tuple[str, Any, str]]:
    """The keys of an object, their values, and how messages name their places."""
    for key, entry in value.items():
        name = key if key.isidentifier() else shown(key)
        yield key, entry, f"{where}.{name}" if where else name
