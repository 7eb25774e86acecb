"""What an export of a tool is, and what the files of several tools have in common.

A place in a record is written `a.b|c`: the entry `b` of `a`, or `c` where that has nothing; an
empty place is the record itself.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note

Records = Sequence[Mapping[str, Any]]
TableRowsNotes = tuple[pd.DataFrame, np.ndarray, list[Note]]
"""A table, (n,) what messages call each of its rows, and notes, which do not name the file yet."""
Numbered = tuple[int, dict[str, Any]]
"""The number of a task, line or sample, and a row that it gives."""


def as_object(value: Any) -> dict[str, Any]:
    """An object that an export has, empty where it has none."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any, where: str) -> list[Any]:
    """A list that an export has, empty where it has none; `InputError` of something else."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"{where}: found {str(value)[:40]!r}, expected a list")
    return value


def objects(value: Any, where: str, expected: str = "an object") -> list[dict[str, Any]]:
    """The objects in a list that an export has; `InputError` where something else stands there."""
    for one in (found := as_list(value, where)):
        if not isinstance(one, dict):
            raise InputError(f"{where}: found {str(one)[:40]!r}, expected {expected}")
    return found


def at(record: Any, places: str) -> Any:
    """What stands at the first of some places of a record; None where nothing does."""
    for place in places.split("|"):
        value = record
        for name in filter(None, place.split(".")):
            value = as_object(value).get(name)
        if value is not None:
            return value
    return None


def key_of_items(own: Records) -> str | None:
    """The entry by which a user's own data name items; None where some have none."""
    return next(
        (key for key in ("item", "item_id") if own and all(key in one for one in own)), None
    )


@dataclass(frozen=True, kw_only=True)
class Export:
    """A kind of file that a tool writes.

    Of its records an item is named by a user's own name for it where all have one, else by the
    tool's number, else by the place of the record.
    """

    name: str
    kind: str  # of its files, for notes
    recognises: Callable[[Records], bool]  # whether records are of this kind
    expected: str = ""  # what a file must have, for messages; empty where it may have nothing
    own: tuple[str, ...] = ()  # places of a user's own data in a record; later ones override
    key: Callable[[Records], str | None] = key_of_items  # the entry of these that names items
    id: str = ""  # place of the tool's number for an item
    named: str = ""  # what a note calls that, where not by its place
    unnamed: str = "{}"  # the name of an item without such a number
    is_object: bool = False  # whether a JSON file can be one object, and not a list
    number: str = ""  # without this entry, two records in the same words are two things
    instead: Mapping[str, str] = field(default_factory=dict)  # ending not read -> what to give

    def names(self, records: Records) -> tuple[list[Any], str]:
        """The name of each record's item, and what it is called by, for a note."""
        own = [
            {name: value for place in self.own for name, value in as_object(at(one, place)).items()}
            for one in records
        ]
        if key := self.key(own):
            of = f"{self.own[0]}." if len(self.own) == 1 and self.own[0] else ""
            return [one[key] for one in own], f"{of}{key}"
        names = [at(one, self.id) if self.id else None for one in records]
        return [
            self.unnamed.format(number) if name in (None, "") else name
            for number, name in enumerate(names, 1)
        ], self.named or self.id

    def read(self, records: Records, path: Path) -> TableRowsNotes:
        """A table of the records of a file: a row a label, with columns of a study."""
        raise NotImplementedError


def table(rows: Sequence[Numbered]) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of rows, and what they are called: the number of their task, line or sample."""
    numbers = np.array([number for number, _ in rows], dtype=np.int64)
    return pd.DataFrame([row for _, row in rows], dtype=object), numbers


def first_of_each(records: Records, number: str) -> list[int]:
    """The places of records that are no repeats; those without the entry `number` never are."""
    places: dict[str, int] = {}
    for place, one in enumerate(records):
        alone = bool(number) and not one.get(number)
        places.setdefault(str(place) if alone else json.dumps(one, default=str), place)
    return list(places.values())


def has_value(value: Any) -> bool:
    """Whether there is a value; NaN and an empty text are none."""
    if isinstance(value, float):
        return not math.isnan(value)
    return not (value is None or (isinstance(value, str) and not value))


def written_out(value: Any) -> str:
    """A text as it stands, or anything else as JSON; empty where there is nothing."""
    if isinstance(value, str):
        return value
    if not has_value(value) or (isinstance(value, dict | list) and not value):
        return ""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
