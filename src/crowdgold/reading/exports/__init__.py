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

from crowdgold.reading.door import Opened, check_cells, utf8
from crowdgold.reading.exports.export import Export, Found, Records, first_of_each
from crowdgold.reading.tables import Raw
from crowdgold.types.columns import check_json_text, counted
from crowdgold.types.errors import InputError


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


def records_of_json(opened: Opened, encoding: str | None = None) -> Records:
    """The objects that a JSON file holds: a list of them, or one that is a tool's export.

    Raises:
        InputError: where it holds something else.
    """
    text = utf8(opened, encoding).decode()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{opened.source}: no JSON ({error})") from error
    if isinstance(found, dict) and (export := export_of([found])) and export.is_object:
        found = [found]
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        known = ", ".join(one.name for one in EXPORTS)
        raise InputError(
            f"{opened.source}: expected a list of objects, or what one of these tools writes: "
            f"{known}; or a table as .jsonl, .csv, .tsv or .parquet"
        )
    check_json_text(text, found, opened.source)
    return found


def _read(export: Export, records: Records, path: Path) -> Found:
    """What an export holds; a record that is there again counts once."""
    kept = first_of_each(records, export.number)
    table, rows, notes = export.read([records[place] for place in kept], path)
    if again := len(records) - len(kept):
        rows = np.array(kept)[np.asarray(rows) - 1] + 1
        notes.append(f"{counted(again, 'record')} there again in the same words, counted once")
    return table, rows, notes


def frame_of_records(records: Records, opened: Opened) -> Raw:
    """A table of objects: as their tool's export says, else a row an object.

    Raises:
        InputError: where an export holds nothing that can be used.
    """
    export = export_of(records)
    if export is None:
        frame = pd.DataFrame(list(records), dtype=object)
        check_cells(frame.size, opened.source)
        return Raw(opened.source, frame, np.arange(len(frame)) + 1)
    frame, rows, notes = _read(export, records, Path(opened.source))
    return Raw(opened.source, frame, np.asarray(rows), tuple(notes))


def _as_records(frame: pd.DataFrame) -> Records:
    names = list(map(str, frame.columns))
    whole = frame.astype(object)
    return [dict(zip(names, row, strict=True)) for row in whole.itertuples(index=False, name=None)]


def frame_of_table(raw: Raw, opened: Opened) -> Raw:
    """A table of a file, as its tool's export says; as it stands where it is none."""
    export = export_of([dict.fromkeys(map(str, raw.frame.columns))]) if len(raw.frame) else None
    if export is None:
        return raw
    frame, rows, notes = _read(export, _as_records(raw.frame), Path(opened.source))
    return Raw(raw.source, frame, raw.rows[np.asarray(rows) - 1], (*raw.notes, *notes))
