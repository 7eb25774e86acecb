"""What an export of a tool is, and what the files of several tools have in common."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.data.errors import InputError

Records = Sequence[Mapping[str, Any]]
Found = tuple[pd.DataFrame, int | np.ndarray, list[str]]
"""A table, what messages call its first row or each row, and what to say of it."""
Numbered = tuple[int, dict[str, Any]]
"""A row, and the number of the task, line or sample that it is of."""
NAMES = ("item", "item_id")
"""What a user's own data call an item; they come before a tool's number for it."""
OF_A_LABEL = ("annotator", "expert", "label")
"""Columns of a label, which the data of a task may have for something else."""


@dataclass(frozen=True)
class Export:
    """A kind of file that a tool writes.

    Attributes:
        name: of the tool.
        is_it: whether records are of it.
        read: makes a table of the records of a file: a row a label, with columns of a study.
        is_object: whether a JSON file of it can be one object, and not a list.
        number: the entry without which two records in the same words may be two things; empty
            where they are always one.
        instead: ending of files of the tool that are not read -> what to give in their place.
    """

    name: str
    is_it: Callable[[Records], bool]
    read: Callable[[Records, Path], Found]
    is_object: bool = False
    number: str = ""
    instead: Mapping[str, str] = field(default_factory=dict)


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """The entries that can stand in a cell."""
    return {k: v for k, v in values.items() if not isinstance(v, dict | list)}


def table(rows: Sequence[Numbered]) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of rows, and what they are called: the number of their task, line or sample."""
    numbers = np.array([number for number, _ in rows], dtype=np.int64)
    return pd.DataFrame([row for _, row in rows], dtype=object), numbers


def first_of_each(records: Records, number: str) -> list[int]:
    """The places of records, without those that are there again in the same words.

    Args:
        number: the entry without which they are two things; empty where they are always one.
    """
    places: dict[str, int] = {}
    for place, one in enumerate(records):
        one_of_its_own = bool(number) and not one.get(number)
        places.setdefault(str(place) if one_of_its_own else json.dumps(one, default=str), place)
    return list(places.values())


def as_object(value: Any) -> dict[str, Any]:
    """An object that an export has, empty where it has none."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any, where: str) -> list[Any]:
    """A list that an export has, empty where it has none.

    Raises:
        InputError: where something else stands there.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"{where}: found {str(value)[:40]!r}, expected a list")
    return value


def objects(value: Any, where: str) -> list[dict[str, Any]]:
    """The objects in a list that an export has.

    Raises:
        InputError: where something else stands there.
    """
    found = as_list(value, where)
    for one in found:
        if not isinstance(one, dict):
            raise InputError(f"{where}: found {str(one)[:40]!r}, expected an object")
    return found


def one_question(questions: Sequence[str], path: Path, what: str) -> None:
    """Raise an `InputError` where labels are answers to several questions.

    Args:
        what: what to keep of one question, in the tool's words.
    """
    if len(questions) > 1:
        raise InputError(
            f"{path}: labels of {len(questions)} questions ({', '.join(sorted(questions))}); "
            f"expected one. Export each by itself, or keep the {what} of one"
        )


def key_of_items(own: Sequence[Mapping[str, Any]]) -> str | None:
    """The entry by which a user's own data name items; None where some have none."""
    return next((name for name in NAMES if own and all(name in one for one in own)), None)
