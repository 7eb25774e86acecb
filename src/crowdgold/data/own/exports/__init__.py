"""Exports of labelling tools and logs of evaluation harnesses as tables, a file a tool.

Every module of this package that makes an `Export` is a tool whose files are read; no list names
them. `export` says what an export is, `verdicts` makes rows of what graders said of answers.
"""

import importlib
import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from crowdgold.data.checks import check_json_text, counted
from crowdgold.data.errors import InputError
from crowdgold.data.own.exports.export import Export, Found, Records, first_of_each


def _declared() -> Iterator[Export]:
    for found in pkgutil.iter_modules(__path__, f"{__name__}."):
        module = importlib.import_module(found.name)
        yield from (one for one in vars(module).values() if isinstance(one, Export))


EXPORTS = tuple(_declared())
"""What is known, by name of its module."""


def export_of(records: Records) -> Export | None:
    """The tool that wrote records; None where they are of no known one."""
    return next((one for one in EXPORTS if one.is_it(records)), None)


def instead_of(ending: str) -> str:
    """What to give in the place of a file that is not read; empty where no tool says."""
    return next((one.instead[ending] for one in EXPORTS if ending in one.instead), "")


def read_json(path: Path) -> Records:
    """The objects that a JSON file holds: a list of them, or one that is a tool's export.

    Raises:
        InputError: where it holds something else.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        found = json.loads(text)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} cannot be read as UTF-8 ({error}); save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: no JSON ({error})") from error
    if isinstance(found, dict) and (export := export_of([found])) and export.is_object:
        found = [found]
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        known = ", ".join(one.name for one in EXPORTS)
        raise InputError(
            f"{path}: expected a list of objects, or what one of these tools writes: {known}; or a "
            "table as .jsonl, .csv, .tsv or .parquet"
        )
    check_json_text(text, found, str(path))
    return found


def _read(export: Export, records: Records, path: Path) -> Found:
    """What an export holds; a record that is there again counts once."""
    kept = first_of_each(records, export.number)
    table, rows, notes = export.read([records[place] for place in kept], path)
    if again := len(records) - len(kept):
        rows = np.array(kept)[np.asarray(rows) - 1] + 1
        notes.append(f"{counted(again, 'record')} there again in the same words, counted once")
    return table, rows, notes


def frame_of_records(records: Records, path: Path) -> Found:
    """Make a table of objects: as their tool's export says, else a row an object.

    Raises:
        InputError: where an export holds nothing that can be used.
    """
    export = export_of(records)
    if export is not None:
        return _read(export, records, path)
    return pd.DataFrame(list(records), dtype=object), 1, []


def _as_records(frame: pd.DataFrame) -> Records:
    names = list(map(str, frame.columns))
    return [dict(zip(names, row, strict=True)) for row in frame.itertuples(index=False, name=None)]


def frame_of_table(frame: pd.DataFrame, first_row: int, path: Path) -> Found:
    """A table that was read from a file, as its tool's export says; as it stands where it is none.

    Args:
        first_row: what messages call its first row.
    """
    export = export_of([dict.fromkeys(map(str, frame.columns))]) if len(frame) else None
    if export is None:
        return frame, first_row, []
    made, rows, notes = _read(export, _as_records(frame), path)
    return made, np.asarray(rows) + first_row - 1, notes
