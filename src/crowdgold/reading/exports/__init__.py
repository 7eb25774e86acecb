"""Exports of labelling tools and logs of evaluation harnesses, read as tables of a study."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from crowdgold.reading.door import Opened, check_cells, utf8
from crowdgold.reading.exports.annotation_tools import ARGILLA, DOCCANO, LABEL_STUDIO, PRODIGY
from crowdgold.reading.exports.export import Export, Records, TableRowsNotes, first_of_each
from crowdgold.reading.exports.harnesses import (
    DEEPEVAL,
    INSPECT,
    LM_EVAL,
    MLFLOW,
    OPENAI_EVALS,
    PROMPTFOO,
)
from crowdgold.reading.tables import Rows
from crowdgold.types.columns import check_json_text, counted
from crowdgold.types.errors import InputError

EXPORTS: tuple[Export, ...] = (  # what is known; records are of the first that says so
    ARGILLA, DEEPEVAL, DOCCANO, INSPECT, LABEL_STUDIO, LM_EVAL, MLFLOW, OPENAI_EVALS, PRODIGY,
    PROMPTFOO,
)  # fmt: skip


def export_of(records: Records) -> Export | None:
    """The tool that wrote records; None where they are of no known one."""
    return next((one for one in EXPORTS if one.recognises(records)), None)


def instead_of(ending: str) -> str:
    """What to give in the place of a file whose ending is not read; empty where none is known."""
    return next((one.instead[ending] for one in EXPORTS if ending in one.instead), "")


def records_of_json(opened: Opened, encoding: str | None = None) -> Records:
    """The objects that a JSON file holds: a list of them, or one that is a tool's export."""
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


def _read(export: Export, records: Records, path: Path) -> TableRowsNotes:
    """What an export holds; a record that is there again counts once."""
    kept = first_of_each(records, export.number)
    table, rows, notes = export.read([records[place] for place in kept], path)
    if again := len(records) - len(kept):
        rows = np.array(kept)[rows - 1] + 1
        notes.append(f"{counted(again, 'record')} there again in the same words, counted once")
    return table, rows, notes


def frame_of_records(records: Records, opened: Opened) -> Rows:
    """A table of objects: as their tool's export says, else a row an object."""
    export = export_of(records)
    if export is None:
        frame = pd.DataFrame(list(records), dtype=object)
        check_cells(frame.size, opened.source)
        return Rows(opened.source, frame, np.arange(len(frame)) + 1)
    frame, rows, notes = _read(export, records, Path(opened.source))
    return Rows(opened.source, frame, rows, tuple(notes))


def frame_of_table(raw: Rows, opened: Opened) -> Rows:
    """A table of a file, as its tool's export says; as it stands where it is none."""
    names = list(map(str, raw.frame.columns))
    export = export_of([dict.fromkeys(names)]) if len(raw.frame) else None
    if export is None:
        return raw
    cells = raw.frame.astype(object).itertuples(index=False, name=None)
    records = [dict(zip(names, row, strict=True)) for row in cells]
    frame, rows, notes = _read(export, records, Path(opened.source))
    return Rows(raw.source, frame, raw.rows[rows - 1], (*raw.notes, *notes))
