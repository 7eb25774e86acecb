"""Reading a table from a file: CSV, TSV, parquet or JSON lines, by the ending of its name."""

import codecs
import csv
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.data.checks import check_json_text, check_text_file, list_names, list_rows
from crowdgold.data.errors import InputError
from crowdgold.data.spreadsheet import restored
from crowdgold.extras import PARQUET, need

SEPARATORS = {".csv": ",", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
OPENED = re.compile(r"EOF inside string starting at row (\d+)")
"""What pandas says of a quote without end."""
ENDINGS = (*SEPARATORS, ".parquet", *JSON_LINES)


def read_columns(
    path: str | Path, columns: Mapping[str, str] | None = None
) -> tuple[pd.DataFrame, int]:
    """Read a table and rename its columns; an apostrophe before a formula's sign is taken away.

    Args:
        path: the file; its ending (.csv, .tsv, .parquet, .jsonl) says what it is.
        columns: the file's own column name -> the name used here, e.g. {"yes": "votes_positive"}.

    Returns:
        the table, texts as they stand in a text file, and the number that the user's own tool shows
        for its first row of data.

    Raises:
        InputError: where the file is missing, of another kind, or has not these columns.
    """
    frame, first_row = read_table(path)
    if Path(path).suffix in SEPARATORS:
        frame, _ = restored(frame)
    missing = [name for name in columns or {} if name not in frame]
    if missing:
        raise InputError(
            f"{path}: no column {missing[0]!r}; the file has {list_names(frame.columns)}"
        )
    frame = frame.rename(columns=dict(columns or {}))
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InputError(f"{path}: two columns are named {twice!r}; expected one")
    return frame, first_row


def read_table(
    path: str | Path, separator: str | None = None, empty_lines: bool = False
) -> tuple[pd.DataFrame, int]:
    """Read a table as it stands.

    Args:
        path: the file; its ending (.csv, .tsv, .parquet, .jsonl or .ndjson) says what it is.
        separator: of the cells of a text file, where it is not the one of its ending.
        empty_lines: whether a line without anything, after the header of a text file, is a row.

    Returns:
        the table, texts as they stand in a text file, and the number that the user's own tool shows
        for its first row of data.

    Raises:
        InputError: where the file is missing, of another kind, or cannot be read.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    if path.suffix not in ENDINGS:
        raise InputError(f"{path}: expected a {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]} file")
    if path.suffix == ".parquet":
        need(PARQUET, str(path))
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path), 0
        if path.suffix in JSON_LINES:
            return pd.DataFrame(read_json_lines(path), dtype=object), 1
        return _read_text(path, separator or SEPARATORS[path.suffix], empty_lines)
    except InputError:
        raise
    except UnicodeDecodeError as error:
        kind = path.suffix[1:]
        raise InputError(f"{path} cannot be read as {kind}: {error}; save it as UTF-8") from error
    except Exception as error:
        raise InputError(f"{path} cannot be read as {path.suffix[1:]}: {error}") from error


def _read_text(path: Path, separator: str, empty_lines: bool) -> tuple[pd.DataFrame, int]:
    """As `read_table`, of a text file."""
    check_text_file(path)
    if not _holds_text(path):
        raise InputError(
            f"{path} is empty; expected a line with the columns' names, then a row for each item "
            "or label; export it again"
        )
    _check_header(path, separator)
    before = _lines_before_header(path) if empty_lines else 0
    try:
        frame = pd.read_csv(
            path, sep=separator, dtype=str, keep_default_na=False,
            skip_blank_lines=not empty_lines, skiprows=before,
        )  # fmt: skip
    except pd.errors.ParserError as error:
        check_cells(path, separator)
        if opened := OPENED.search(str(error)):
            row = before + int(opened[1]) + 1
            raise InputError(
                f'{path}, row {row}: a quote (") is opened and not closed; close it, or write it '
                "twice where it is part of a text"
            ) from error
        raise
    # Where the first row has more cells than the header, pandas takes its first cells for an index.
    if not isinstance(frame.index, pd.RangeIndex):
        check_cells(path, separator)
    _check_repeated(path, frame, before + 2)
    return frame, before + 2


def check_cells(path: Path, separator: str, fewer: bool = False) -> None:
    """Raise an `InputError` where a row of a text file has more cells than the header.

    Args:
        separator: of the cells.
        fewer: whether to refuse a row with fewer cells as well.
    """
    most = csv.field_size_limit(sys.maxsize)
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = (row for row in csv.reader(lines, delimiter=separator) if row)
            size = len(next(rows, []))
            for number, row in enumerate(rows, 2):
                if len(row) > size or (fewer and len(row) < size):
                    than = "more" if len(row) > size else "fewer"
                    raise InputError(
                        f"{path}, row {number}: {len(row)} cells, {than} than the {size} columns "
                        "of the header; expected as many, and quotes around a text that holds the "
                        "separator"
                    )
    finally:
        csv.field_size_limit(most)


def _check_repeated(path: Path, frame: pd.DataFrame, first_row: int) -> None:
    """Raise an `InputError` where a row is the header once more, as where files were joined."""
    names = [str(name).strip() for name in frame.columns]
    first = frame.iloc[:, 0].str.strip() if len(names) > 1 else frame.index.to_series()
    places = np.flatnonzero(first.to_numpy() == names[0])
    again = [int(one) for one in places if [str(cell).strip() for cell in frame.iloc[one]] == names]
    if again:
        rows = list_rows(place + first_row for place in again)
        raise InputError(
            f"{path}, {rows}: found the names of the columns, expected data; remove what is there "
            "of a second header, as where files were joined"
        )


def _holds_text(path: Path) -> bool:
    """Whether a text file has anything but white space, and the mark that some begin with."""
    with path.open("rb") as lines:
        return any(line.removeprefix(codecs.BOM_UTF8).strip() for line in lines)


def _lines_before_header(path: Path) -> int:
    """How many lines of a text file hold nothing before the first that does."""
    with path.open("rb") as lines:
        return next((place for place, line in enumerate(lines) if line.strip()), 0)


def _check_header(path: Path, separator: str) -> None:
    """Raise an `InputError` where a name is there twice: pandas would number the second."""
    header = pd.read_csv(
        path, sep=separator, dtype=str, keep_default_na=False, header=None, nrows=1
    )
    names = header.iloc[0].str.strip()
    twice = names[names.duplicated() & (names != "")]
    if len(twice):
        places = [str(place + 1) for place in (names == twice.iloc[0]).to_numpy().nonzero()[0]]
        raise InputError(
            f"{path}, header: the name {twice.iloc[0]!r} is there {len(places)} times (columns "
            f"{', '.join(places)}); expected each name once"
        )


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """Read JSON objects, one a line.

    Raises:
        InputError: naming the line that is no JSON object.
    """
    records = []
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"{path}, line {number}: no JSON ({error})") from error
            if not isinstance(record, dict):
                raise InputError(
                    f"{path}, line {number}: found {line.strip()[:40]!r}, expected a JSON object "
                    'with the columns\' names, as {"item": "a17", "label": 1}'
                )
            check_json_text(line, record, f"{path}, line {number}")
            records.append(record)
    return records
