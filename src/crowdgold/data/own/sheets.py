"""One file of a user's study as a table of texts, each row with the name that messages give it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.data.checks import Problems, repeated
from crowdgold.data.errors import InputError
from crowdgold.data.gold_draw import COLUMNS as OF_DRAW
from crowdgold.data.own.exports import frame_of_records, frame_of_table, instead_of, read_json
from crowdgold.data.own.exports.export import Found
from crowdgold.data.spreadsheet import restored
from crowdgold.data.tables import ENDINGS, JSON_LINES, SEPARATORS, read_json_lines, read_table
from crowdgold.data.workbooks import WORKBOOK, read_workbook

MISSING = ("", "nan", "NaN", "NA", "<NA>", "null", "NULL")
"""Texts that stand for an empty cell; identifiers are taken as they are, but for the first."""
OWN_ENDINGS = (*ENDINGS, ".json", WORKBOOK)
NESTED = (list, dict, tuple, set, bytes, bytearray, np.ndarray)
"""What a cell of an export can be that is no text and no number."""
TAB = "\t"
OTHER_SEPARATORS = (";", TAB, ",", "|")
LONGEST_HEADER = 1_000_000
"""Characters of a header in which a separator is looked for."""
DECIMAL_COMMA = r"[+-]?\d+(,\d+)?(e[+-]?\d+)?"
APOSTROPHE = "an apostrophe before =, +, - or @ marks a text for a spreadsheet, and is taken away"


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table of texts.

    Attributes:
        source: the file.
        frame: columns of texts without white space around, missing where a cell is empty.
        rows: (n,) what messages call each row.
        nested: columns in which a list, an object or bytes stand -> where, and what it is.
    """

    source: str
    frame: pd.DataFrame
    rows: np.ndarray
    nested: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the file, without its folder."""
        return Path(self.source).name

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return [str(column) for column in self.frame.columns]

    def has(self, *names: str) -> bool:
        """Say whether all of these columns are there."""
        return all(name in self.frame for name in names)

    def starting(self, prefix: str) -> dict[str, str]:
        """The columns `prefix` and `prefix_NAME`, by NAME (the prefix itself where none).

        Those that say how gold items were drawn are no expert's.

        Raises:
            InputError: where two have one NAME, as `score` and `score_score`, or one has none.
        """
        found: dict[str, str] = {}
        for column in self.columns:
            if (column != prefix and not column.startswith(f"{prefix}_")) or column in OF_DRAW:
                continue
            name = column if column == prefix else column.removeprefix(f"{prefix}_")
            if not name or name in found:
                why = (
                    f"the name {name!r} is there already, by {found[name]!r}" if name else "no name"
                )
                raise InputError(
                    f"{self.source}, column {column!r}: {why}; expected {prefix}_NAME. Give it "
                    f"another by --column {column}={prefix}_NAME, or leave it out by "
                    f"--column {column}=ignore"
                )
            found[name] = column
        return found

    def problems(self) -> Problems:
        """Start a list of problems of this file."""
        return Problems(self.source, self.rows)

    def take(self, kept: np.ndarray) -> "Sheet":
        """The rows where `kept` (n,) is true."""
        return replace(self, frame=self.frame[kept], rows=self.rows[kept])

    def renamed(self, names: dict[str, str]) -> "Sheet":
        """The sheet with other names of columns."""
        nested = {names.get(name, name): text for name, text in self.nested.items()}
        return replace(self, frame=self.frame.rename(columns=names), nested=nested)


def text_of(cell: Any) -> str | None:
    """Write a cell of an export as a text: whole numbers without a point, nothing for a hole."""
    if (
        cell is None
        or cell is pd.NA
        or cell is pd.NaT
        or (isinstance(cell, float) and cell != cell)
    ):
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell)


def texts(values: pd.Series) -> pd.Series:
    """A column as texts without white space around, missing where it says nothing."""
    if values.dtype == object:
        values = values.map(text_of)
    elif pd.api.types.is_float_dtype(values.dtype):
        known = values[np.isfinite(values.to_numpy(dtype=float, na_value=np.nan))]
        if (
            len(known)
            and ((known % 1 == 0) & (known.abs() < 2**53)).all()
            and np.isfinite(values.dropna().to_numpy(dtype=float)).all()
        ):
            values = values.astype("Int64")
    found = values.astype("string").str.strip()
    return found.mask(found == "")


def _frame(path: Path) -> Found:
    """Read a file by its ending."""
    if path.is_file() and path.suffix == ".json":
        return frame_of_records(read_json(path), path)
    if path.is_file() and path.suffix in JSON_LINES:
        return frame_of_records(_lines(path), path)
    if path.is_file() and path.suffix == WORKBOOK:
        return read_workbook(path)
    if path.suffix not in OWN_ENDINGS:
        known = f"a {', '.join(OWN_ENDINGS[:-1])} or {OWN_ENDINGS[-1]} file"
        raise InputError(f"{path}: expected {instead_of(path.suffix) or known}")
    if path.suffix in SEPARATORS:
        frame, first_row, notes = _separated(path)
    else:
        (frame, first_row), notes = read_table(path, empty_lines=True), []
    found, rows, said = frame_of_table(frame, first_row, path)
    return found, rows, [*notes, *said]


def _separated(path: Path) -> tuple[pd.DataFrame, int, list[str]]:
    """Read a text file, by another separator than its ending's where only that is in its header."""
    try:
        frame, first_row = read_table(path, empty_lines=True)
        if len(frame.columns) > 1:
            return frame, first_row, []
    except InputError:  # with decimal commas, rows have more cells than a header without commas
        if not _other_separator(path):
            raise
    other = _other_separator(path)
    if not other:
        return frame, first_row, []
    frame, first_row = read_table(path, other, empty_lines=True)
    notes = [f"cells are separated by {'a tab' if other == TAB else repr(other)}, as in its header"]
    if other != ",":
        commas = [name for name in frame.columns if _has_decimal_commas(frame[name])]
        frame[commas] = frame[commas].apply(lambda column: column.str.replace(",", "."))
        notes += [f"decimal commas in {', '.join(map(str, commas))}"] if commas else []
    return frame, first_row, notes


def _other_separator(path: Path) -> str:
    """The separator in a header that has none of the file's ending; empty where there is none."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as stream:
            header = stream.readline(LONGEST_HEADER)
    except OSError:
        return ""
    if SEPARATORS[path.suffix] in header:
        return ""
    return next((other for other in OTHER_SEPARATORS if other in header), "")


def _has_decimal_commas(column: pd.Series) -> bool:
    """Whether all cells that are not empty are numbers, some with a decimal comma."""
    known = column.dropna().astype(str).str.strip()
    known = known[known != ""]
    numbers = known.str.fullmatch(DECIMAL_COMMA)
    return bool(numbers.all() and known.str.contains(",", regex=False).any())


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        return read_json_lines(path)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} cannot be read as UTF-8 ({error}); save it as UTF-8") from error


def read_sheet(path: str | Path, notes: list[str]) -> Sheet:
    """Read a file as a sheet.

    Args:
        path: .csv, .tsv, .xlsx, .parquet, .jsonl, .ndjson or .json: a table (of JSON, an object a
            row), or what one of the tools of `exports` writes.
        notes: what was decided is added to them.

    Raises:
        InputError: where it cannot be read or has no rows.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; expected a file")
    try:
        frame, first_row, said = _frame(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    notes.extend(f"{path.name}: {line}" for line in said)
    if path.suffix in SEPARATORS:
        frame, changed = restored(frame)
        notes.extend(f"{path.name}, {name}: {APOSTROPHE}" for name in changed)
    names = [str(column).strip().removeprefix("\ufeff") for column in frame.columns]
    twice = list(repeated(names))
    if twice:
        raise InputError(f"{path}: two columns are named {twice[0]!r}; expected one")
    columns = {name: texts(frame.iloc[:, place]) for place, name in enumerate(names)}
    table = pd.DataFrame(columns).reset_index(drop=True)
    rows = first_row if isinstance(first_row, np.ndarray) else np.arange(len(table)) + first_row
    filled = table.notna().any(axis=1).to_numpy(dtype=bool)
    if not filled.any():
        raise InputError(f"{path}: no rows; expected a line with the columns' names, and rows")
    cells = {name: frame.iloc[:, place] for place, name in enumerate(names)}
    return Sheet(str(path), table, rows, dict(_nested(cells, rows))).take(filled)


def _nested(cells: Mapping[str, pd.Series], rows: np.ndarray) -> Iterator[tuple[str, str]]:
    """The columns in which something stands that is no text and no number, with the first such."""
    for name, values in cells.items():
        if values.dtype != object:
            continue
        bad = values.map(lambda cell: isinstance(cell, NESTED)).to_numpy(dtype=bool)
        if bad.any():
            first = int(bad.argmax())
            yield name, f"row {rows[first]}: found {str(values.iloc[first])[:40]!r}"


def without_missing_words(values: pd.Series) -> pd.Series:
    """Take texts that other programs write for an empty cell (NA, NaN, null) for one."""
    return values.mask(values.isin(MISSING))
