"""One file of a user's study as a table of texts, each row with the name that messages give it.

Exports of labelling tools and logs of evaluation harnesses are read as such tables, too.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.reading.door import MISSING, Opened, check_cells, check_ending, open_file, utf8
from crowdgold.reading.exports import Export, Records, TableRowsNotes, first_of_each
from crowdgold.reading.exports.annotation_tools import ARGILLA, DOCCANO, LABEL_STUDIO, PRODIGY
from crowdgold.reading.exports.harnesses import (
    DEEPEVAL,
    INSPECT,
    LM_EVAL,
    MLFLOW,
    OPENAI_EVALS,
    PROMPTFOO,
)
from crowdgold.reading.outputs import restored
from crowdgold.reading.tables import (
    ENDINGS,
    JSON_LINES,
    SEPARATORS,
    WORKBOOK,
    Rows,
    nameless,
    read_json_lines,
    read_table,
    read_workbook,
)
from crowdgold.types.columns import Problems, check_json_text, repeated
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import COLUMNS
from crowdgold.types.notes import Note

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
        notes.append(Note("records_again", {"number": again}))
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


STUDY_ENDINGS = (*ENDINGS, ".json", WORKBOOK)  # of files that a study can be read from
NESTED = (list, dict, tuple, set, bytes, bytearray, np.ndarray)
"""What a cell of an export can be that is no text and no number."""
IGNORE = "ignore"  # in the place of a column's name: it is left out
LONG, ANONYMOUS, COUNTS, WIDE = "long", "anonymous", "counts", "wide"
"""A row a label with its annotator; the same without; counts by item; a column an annotator."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table of texts; its columns get a study's names, then the votes their form."""

    source: str  # the file
    # columns of texts without white space around, missing where a cell is empty
    frame: pd.DataFrame
    rows: np.ndarray  # (n,) what messages call each row
    # columns in which a list, an object or bytes stand -> where, and what it is
    nested: Mapping[str, str] = field(default_factory=dict)
    # texts that stand for an empty cell where a number or a label is expected
    missing: tuple[str, ...] = MISSING
    kind: str | None = None  # the form of its votes, if it has any
    # a column of the file -> its name now, or `IGNORE`
    now: Mapping[str, str] = field(default_factory=dict)

    @property
    def several(self) -> bool:
        """Whether an item can have several rows, as in a file of votes."""
        return self.kind in (LONG, ANONYMOUS)

    @property
    def name(self) -> str:
        """Name of the file, without its folder."""
        return Path(self.source).name

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return [str(column) for column in self.frame.columns]

    @property
    def in_file(self) -> list[str]:
        """The columns as the file names them, for a message: each with the name that it got."""
        return [
            own if own == now else f"{own} ({'ignored' if now == IGNORE else f'as {now}'})"
            for own, now in self.now.items()
        ]

    def has(self, *names: str) -> bool:
        """Whether all of these columns are there."""
        return all(name in self.frame for name in names)

    def starting(self, prefix: str) -> dict[str, str]:
        """The columns `prefix` and `prefix_NAME` by NAME, but for those of how gold was drawn."""
        found: dict[str, str] = {}
        for column in self.columns:
            if (column != prefix and not column.startswith(f"{prefix}_")) or column in COLUMNS:
                continue
            name = column if column == prefix else column.removeprefix(f"{prefix}_")
            if not name or name in found:
                why = f"the name {name!r} is there already, by {found.get(name)!r}"
                why = why if name else "no name"
                raise InputError(
                    f"{self.source}, column {column!r}: {why}; expected {prefix}_NAME. Give it "
                    f"another by --column {column}={prefix}_NAME, or leave it out by "
                    f"--column {column}=ignore"
                )
            found[name] = column
        return found

    def known(self, column: str) -> pd.Series:
        """A column of numbers or labels, in which words for an empty cell (NA, null) are empty."""
        values = self.frame[column]
        return values.mask(values.isin(self.missing))

    def problems(self) -> Problems:
        """An empty list of problems, for messages about this file."""
        return Problems(self.source, self.rows)

    def refuse(self, column: str, bad: np.ndarray, expected: str) -> None:
        """Raise an `InputError` where a column has something else in some rows (n,)."""
        problems = self.problems()
        problems.add_rows(column, bad, self.frame[column], expected)
        problems.raise_if_any()

    def refuse_repeated(self) -> None:
        """Raise an `InputError` where an item has several rows."""
        twice = self.frame["item"].duplicated(keep=False).to_numpy(dtype=bool)
        self.refuse("item", twice, "each item once (it is there repeatedly)")

    def series(self, values: Any) -> pd.Series:
        """Values of its rows (n,), by item."""
        return pd.Series(values, index=self.frame["item"].to_numpy(dtype=object))

    def take(self, kept: np.ndarray) -> "Sheet":
        """The rows where `kept` (n,) is true."""
        if kept.all():
            return self
        return replace(self, frame=self.frame[kept], rows=self.rows[kept])

    def renamed(self, names: dict[str, str]) -> "Sheet":
        """The sheet with other names of columns."""
        nested = {names.get(name, name): text for name, text in self.nested.items()}
        now = {own: names.get(name, name) for own, name in self.now.items()}
        return replace(self, frame=self.frame.rename(columns=names), nested=nested, now=now)

    def without(self, columns: Sequence[str], now: str) -> "Sheet":
        """The sheet without some columns, which are a part of the column `now`, or ignored."""
        of_file = {own: now if name in columns else name for own, name in self.now.items()}
        return replace(self, frame=self.frame.drop(columns=[*columns]), now=of_file)


def text_of(cell: Any) -> str | None:
    """A cell of an export as a text, whole numbers without a point; None of an empty one."""
    nothing = cell is None or cell is pd.NA or cell is pd.NaT
    if nothing or (isinstance(cell, float) and cell != cell):
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell)


def texts(values: pd.Series) -> pd.Series:
    """A column as texts without white space around, missing where it says nothing."""
    if values.dtype == object:
        values = values.map(text_of)
    elif pd.api.types.is_float_dtype(values.dtype):
        known = values.dropna().to_numpy(dtype=float)
        finite = len(known) > 0 and bool(np.isfinite(known).all())
        if finite and ((known % 1 == 0) & (np.abs(known) < 2**53)).all():
            values = values.astype("Int64")
    found = values.astype("string").str.strip()
    return found.mask(found == "")


def read_sheet(
    path: str | Path, notes: list[Note], encoding: str | None = None,
    missing: tuple[str, ...] = MISSING,
) -> Sheet:  # fmt: skip
    """Read a file as a sheet.

    It is .csv, .tsv, .xlsx, .parquet, .jsonl, .ndjson or .json: a table (of JSON, an object a row),
    or what one of the tools of `exports` writes; also packed as .gz or .zip. An encoding is of a
    text file that is not UTF-8 and does not say so.
    """
    opened = open_file(path)
    ending = opened.ending
    check_ending(opened, STUDY_ENDINGS, instead_of(ending))
    if ending == ".json":
        raw = frame_of_records(records_of_json(opened, encoding), opened)
    elif ending in JSON_LINES:
        raw = frame_of_records(read_json_lines(opened, encoding), opened)
    elif ending == WORKBOOK:
        raw = read_workbook(opened)
    else:
        raw = frame_of_table(read_table(opened, encoding), opened)
    frame, rows, name = raw.frame, raw.rows, Path(raw.source).name
    notes += [replace(one, values={**one.values, "file": name}) for one in raw.notes]
    if ending in SEPARATORS:
        frame, changed = restored(frame)
        notes += [Note("apostrophes", {"file": name, "column": one}) for one in changed]
    names = [str(column).strip().removeprefix("\ufeff") for column in frame.columns]
    if without := nameless(names):
        kept = [place for place, one in enumerate(names) if one not in without]
        frame, names = frame.iloc[:, kept], [names[place] for place in kept]
        thing = "a column" if len(without) == 1 else f"{len(without)} columns"
        notes.append(Note("nameless", {"file": name, "columns": thing}))
    for twice in repeated(names):
        raise InputError(f"{path}: two columns are named {twice!r}; expected one")
    columns = {name: texts(frame.iloc[:, place]) for place, name in enumerate(names)}
    table = pd.DataFrame(columns).reset_index(drop=True)
    filled = table.notna().any(axis=1).to_numpy(dtype=bool)
    if not filled.any():
        raise InputError(f"{path}: no rows; expected a line with the columns' names, and rows")
    nested = {}
    for place, column in enumerate(names):
        cells = frame.iloc[:, place]
        if cells.dtype == object:
            bad = cells.map(lambda cell: isinstance(cell, NESTED)).to_numpy(dtype=bool)
            if bad.any():
                first = int(bad.argmax())
                nested[column] = f"row {rows[first]}: found {str(cells.iloc[first])[:40]!r}"
    own = {column: column for column in names}
    return Sheet(raw.source, table, rows, nested, missing, now=own).take(filled)
