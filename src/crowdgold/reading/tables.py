"""Tables from files: texts with a separator, parquet, JSON lines, a workbook's first sheet.

Texts stand as they are: nothing in a cell is taken for a number, a date or a hole, and no formula
is worked out. A row is called what a spreadsheet calls it, blank lines counted.
"""

import csv
import io
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from crowdgold.reading import door
from crowdgold.reading.door import MOST_BYTES, Opened, open_file
from crowdgold.reading.outputs import restored, write_spreadsheet
from crowdgold.system.archives import ArchiveError, zip_blocks
from crowdgold.system.packages import PARQUET, need
from crowdgold.system.temporary import unfinished
from crowdgold.types.annotations import Annotations, annotations_from_frame
from crowdgold.types.columns import check_json_text, list_names, list_rows
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items, items_from_frame
from crowdgold.types.notes import Note

TAB = "\t"
SEPARATORS = {".csv": ",", ".tsv": TAB}
OTHER_SEPARATORS = (";", TAB, ",", "|")
JSON_LINES = (".jsonl", ".ndjson")
ENDINGS = (*SEPARATORS, ".parquet", *JSON_LINES)
OPEN_QUOTE = re.compile(r"EOF inside string starting at row (\d+)")
"""What pandas says of a quote without end."""
SEPARATOR_LINE = re.compile(rb"sep=(.)\s*", re.IGNORECASE)
"""The first line by which a spreadsheet says its separator."""
TIE_BREAK_SEED = 20_000_003  # orders items with equal scores
LOOKED_AT = 200  # rows of which a separator is judged
NAMELESS = "Unnamed: "  # how pandas begins the name of a column without one
DECIMAL_COMMA = r"[+-]?\d+(,\d+)?(e[+-]?\d+)?"
ALIKE = 0.5
"""Share of the lines within a quotation that look like rows, from which on they are taken to be."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A table as it stands in a file, or made of the rows of one or more."""

    source: str  # what messages call the files
    frame: pd.DataFrame  # its columns; those of a text file are texts
    # (n,) what messages call each row; with the file's name where there are several
    rows: np.ndarray
    notes: tuple[Note, ...] = ()  # what was decided about it; the file is named later

    def take(self, kept: np.ndarray) -> "Rows":
        """The rows where `kept` (n,) is true."""
        return Rows(self.source, self.frame[kept].reset_index(drop=True), self.rows[kept])


def read_columns(
    path: str | Path, columns: Mapping[str, str] | None = None
) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of a file, in which texts stand as they are, and what messages call its rows.

    The file's ending (.csv, .tsv, .parquet, .jsonl) says what it is; `columns` are its own names ->
    the names used here, e.g. {"yes": "votes_positive"}.
    """
    opened = open_file(path)
    door.check_ending(opened, ENDINGS)
    found = read_table(opened)
    frame, rows = found.frame, found.rows
    if opened.ending in SEPARATORS:
        filled = ~np.all([one.isin(["", None]) for _, one in frame.items()], axis=0)
        frame, rows = frame[filled].reset_index(drop=True), rows[filled]
        frame, _ = restored(frame.fillna(""))
    names = dict(columns or {})
    for name in names:
        if name not in frame:
            raise InputError(
                f"{path}: no column {name!r}; the file has {list_names(frame.columns)}"
            )
    frame = frame.rename(columns=names)
    for name in frame.columns[frame.columns.duplicated()]:
        raise InputError(f"{path}: two columns are named {name!r}; expected one")
    return frame, rows


def give_back() -> None:
    """Give the system back the memory of tables that are gone, which Arrow keeps for later ones."""
    if arrow := sys.modules.get("pyarrow"):
        arrow.default_memory_pool().release_unused()


def read_table(opened: Opened, encoding: str | None = None) -> Rows:
    """A table as it stands in a file; an encoding is of a text that does not say its own."""
    kind = opened.ending[1:]
    try:
        if opened.ending in JSON_LINES:
            frame = pd.DataFrame(read_json_lines(opened, encoding), dtype=object)
            door.check_cells(frame.size, opened.source)
            return Rows(opened.source, frame, np.arange(len(frame)) + 1)
        if kind != "parquet":
            return _Text(opened.source, door.utf8(opened, encoding)).table(opened.ending)
        need(PARQUET, opened.source)
        import pyarrow.parquet  # here: it is an extra

        file = pyarrow.parquet.ParquetFile(io.BytesIO(opened.content))
        meta = file.metadata
        # Repeated rows take next to nothing in the file, so that its size does not bound theirs.
        door.check_cells(meta.num_rows * max(meta.num_columns, 1), opened.source)
        unpacked = sum(meta.row_group(k).total_byte_size for k in range(meta.num_row_groups))
        if unpacked > door.MOST_BYTES:
            raise InputError(f"{opened.source}: {door.too_large()}")
        frame = file.read().to_pandas()
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{opened.source} cannot be read as {kind}: {error}") from error
    # A named index is columns; one without a name says nothing.
    named = [name for name in frame.index.names if name is not None]
    notes = (Note("index_read", {"columns": [*map(str, named)]}),) if named else ()
    if named:
        frame = frame.reset_index(level=named)
    return Rows(opened.source, frame, np.arange(len(frame)), notes)


@dataclass(frozen=True)
class _Text:
    """A text file whose cells stand between separators."""

    source: str  # what messages call it
    text: bytes  # UTF-8 without a mark
    skipped: int = 0  # lines before its header
    separator: str = ""  # of its cells, where a first line says it

    def table(self, ending: str) -> Rows:
        """The table below the first line that holds something."""
        if not self.text or self.text.isspace():
            raise InputError(
                f"{self.source} is empty; expected a line with the columns' names, then a row for "
                "each item or label; export it again"
            )
        own = SEPARATORS[ending]
        text = self._from_header()
        separator = text.separator or text._separator(own)
        names = [name.strip() for name in next(text._rows(separator, 1), [])]
        twice = [name for name in names if name and names.count(name) > 1]
        if twice:  # pandas would number the second
            places = [str(place) for place, name in enumerate(names, 1) if name == twice[0]]
            raise InputError(
                f"{self.source}, header: the name {twice[0]!r} is there {len(places)} times "
                f"(columns {', '.join(places)}); expected each name once"
            )
        frame, notes = text._parsed(separator)
        if separator != own:
            shown = "a tab" if separator == TAB else repr(separator)
            why = "its first line says" if text.separator else "in its header"
            notes = [Note("separator", {"separator": shown, "why": why}), *notes]
        if separator != ",":
            commas = []
            for name, column in frame.items():
                known = column.dropna().str.strip()
                known = known[known != ""]
                numbers = len(known) > 0 and known.str.fullmatch(DECIMAL_COMMA).all()
                if numbers and known.str.contains(",", regex=False).any():
                    commas.append(str(name))
            if commas:
                frame = frame.assign(**{one: frame[one].str.replace(",", ".") for one in commas})
                notes += [Note("decimal_commas", {"columns": commas})]
        door.check_cells(frame.size, self.source)
        rows = np.arange(len(frame)) + text.skipped + 2
        return Rows(self.source, frame, rows, tuple(notes))

    def _from_header(self) -> "_Text":
        """The text from its header on."""
        skipped, separator, start = 0, "", 0
        while True:
            end = self.text.find(b"\n", start)
            line = self.text[start : end if end >= 0 else None]
            said = None if separator else SEPARATOR_LINE.fullmatch(line)
            if said:
                separator = said[1].decode()
            elif line.strip() or end < 0:
                break
            skipped, start = skipped + 1, end + 1
        return replace(self, text=self.text[start:], skipped=skipped, separator=separator)

    def _rows(self, separator: str, most: int | None = None) -> Iterator[list[str]]:
        """The first rows, the header first, blank ones among them."""
        lines = io.TextIOWrapper(io.BytesIO(self.text), "utf-8", newline="")
        before = csv.field_size_limit(sys.maxsize)
        try:
            yield from islice(csv.reader(lines, delimiter=separator), most)
        except csv.Error:
            return
        finally:
            csv.field_size_limit(before)

    def _separator(self, own: str) -> str:
        """The ending's separator, or another by which the header has as many cells as the rows."""
        sizes = {}
        for one in dict.fromkeys((own, *OTHER_SEPARATORS)):
            header, *rows = [len(row) for row in self._rows(one, LOOKED_AT) if row] or [0]
            if header > 1:
                sizes[one] = header, all(size == header for size in rows)
        regular = [one for one, (_, alike) in sizes.items() if alike]
        if regular:
            return own if own in regular else max(regular, key=lambda one: sizes[one][0])
        return own if own in sizes or not sizes else next(iter(sizes))

    def _parsed(self, separator: str) -> tuple[pd.DataFrame, list[Note]]:
        """The table, and what was decided about its quotation marks."""

        def read(quoting: Literal[0, 3] = csv.QUOTE_MINIMAL) -> pd.DataFrame:
            return pd.read_csv(
                io.BytesIO(self.text), sep=separator, dtype=str, keep_default_na=False,
                na_filter=False, skip_blank_lines=False, quoting=quoting,
            )  # fmt: skip

        lines = [line.rstrip("\r") for line in self.text.decode().split("\n")]
        # Whether all lines have the header's number of cells where a quote is a character.
        literal = separator == TAB and len({one.count(TAB) for one in lines if one.strip()}) == 1
        try:
            frame = read()
        except pd.errors.ParserError as error:
            opened = OPEN_QUOTE.search(str(error))
            if not (opened and literal):
                self.check_sizes(separator)
            if not opened:
                raise
            first = last = self.skipped + int(opened[1]) + 1
            if not literal:
                raise InputError(
                    f'{self.source}, row {first}: a quote (") is opened and not closed; close it, '
                    "or write it twice where it is part of a text"
                ) from error
        else:
            # Where the first row has more cells than the header, pandas takes some for an index.
            if not isinstance(frame.index, pd.RangeIndex):
                self.check_sizes(separator)
            self._check_repeated(frame)
            swallowed = self._swallowed(frame, separator, lines)
            if not swallowed:
                return frame, []
            first, last = swallowed
        if literal:
            return read(csv.QUOTE_NONE), [Note("quotes", {"row": first})]
        raise InputError(
            f'{self.source}, rows {first} to {last}: a quote (") that is opened in row {first} '
            f"is closed in row {last}, and what is between looks like rows. Where it is part "
            "of a text, write it twice and put quotes around the text"
        )

    def _swallowed(
        self, frame: pd.DataFrame, separator: str, lines: Sequence[str]
    ) -> tuple[int, int] | None:
        """The first and last row of a quotation that takes in what looks like rows, if any."""
        if b'"' not in self.text or self.text.count(b"\n") <= len(frame):
            return None
        size, before = len(frame.columns), 0
        known = [set(one.dropna().unique()) for _, one in frame.items()]
        reader = csv.reader(lines, delimiter=separator)
        limit = csv.field_size_limit(sys.maxsize)
        try:
            for _ in reader:
                own, start, before = lines[before : reader.line_num], before, reader.line_num
                cells = [line.split(separator) for line in own]
                if len(own) < 2 or any(len(one) != size for one in cells):
                    continue
                seen = [
                    any(cell.strip() in texts for cell, texts in zip(one, known, strict=True))
                    for one in cells[1:]
                ]
                if np.mean(seen) >= ALIKE:
                    return start + self.skipped + 1, before + self.skipped
        finally:
            csv.field_size_limit(limit)
        return None

    def check_sizes(self, separator: str, fewer: bool = False) -> None:
        """Raise an `InputError` where a row has more cells than the header, or `fewer` than it."""
        size = 0
        for number, row in enumerate(self._rows(separator), self.skipped + 1):
            size = size or len(row)
            if row and (len(row) > size or (fewer and len(row) < size)):
                than = "more" if len(row) > size else "fewer"
                raise InputError(
                    f"{self.source}, row {number}: {len(row)} cells, {than} than the {size} "
                    "columns of the header; expected as many, and quotes around a text that holds "
                    "the separator"
                )

    def _check_repeated(self, frame: pd.DataFrame) -> None:
        """Raise an `InputError` where a row is the header once more, as where files were joined."""
        names = [str(name).strip() for name in frame.columns]
        found = np.full(len(frame), len(names) > 1)
        for name, (_, column) in zip(names, frame.items(), strict=True):
            found &= column.str.contains(name, regex=False, na=not name).to_numpy(dtype=bool)
            texts = column[found].fillna("").str.strip().str.lstrip("\ufeff").str.strip()
            found[found] = (texts == name).to_numpy(dtype=bool)
            if not found.any():
                return
        rows = list_rows(np.flatnonzero(found) + self.skipped + 2)
        raise InputError(
            f"{self.source}, {rows}: found the names of the columns, expected data; remove what is "
            "there of a second header, as where files were joined"
        )


def check_cells(path: Path, separator: str, fewer: bool = False) -> None:
    """Raise an `InputError` where a row of a text has more cells than the header, or `fewer`."""
    _Text(str(path), door.utf8(open_file(path)))._from_header().check_sizes(separator, fewer)


def read_json_lines(opened: Opened, encoding: str | None = None) -> list[dict[str, Any]]:
    """JSON objects, one a line."""
    records, source = [], opened.source
    for number, line in enumerate(door.utf8(opened, encoding).decode().split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{source}, line {number}: no JSON ({error})") from error
        if not isinstance(record, dict):
            raise InputError(
                f"{source}, line {number}: found {line.strip()[:40]!r}, expected a JSON object "
                'with the columns\' names, as {"item": "a17", "label": 1}'
            )
        check_json_text(line, record, f"{source}, line {number}")
        records.append(record)
    return records


def nameless(columns: Sequence[object]) -> list[str]:
    """Columns without a name, as a data frame's index is written: they say nothing of items."""
    texts = [str(name) for name in columns]
    return [name for name in texts if name.strip() == "" or name.startswith(NAMELESS)]


WORKBOOK = ".xlsx"
MOST_ROWS = 1_048_576  # that a sheet can have
HARMFUL = re.compile(rb"""<!DOCTYPE|<!ENTITY|\br=["'](?:[A-Z]{4,}|[A-Z]*\d{8,})""")
"""Entities, which may unfold to anything, and cells beyond the last that a sheet can have."""
UTF_16 = re.compile(rb"\A(?:\xff\xfe|\xfe\xff|<\0|\0<)")
"""XML in which the search for such things would find none."""
FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
Row = tuple[int, tuple[Any, ...]]
"""The number of a row, as the spreadsheet shows it, and its cells up to the last that is filled."""


def _cell(column: int, row: int) -> str:
    """What messages call a cell; a spreadsheet calls its column, counted from 1, A, ..., Z, AA."""
    letters = ""
    while column:
        column, place = divmod(column - 1, 26)
        letters = chr(ord("A") + place) + letters
    return f"column {letters}, row {row}"


def _workbook_rows(opened: Opened, cached: bool) -> tuple[list[str], Iterator[Row]]:
    """The names of the shown sheets, and the first's filled rows; formulas, or `cached` values."""
    from openpyxl import load_workbook  # here: it takes long to load, and few files are workbooks

    book = load_workbook(
        BytesIO(opened.content), read_only=True, data_only=cached, keep_links=False
    )
    shown = [one for one in book.worksheets if one.sheet_state == "visible"]
    if not shown:
        book.close()
        raise InputError(f"{opened.source}: no sheet that is shown; expected one with a table")

    def filled() -> Iterator[Row]:
        with closing(book):
            shown[0].reset_dimensions()  # the size that a file says it has may be wrong
            for number, row in enumerate(shown[0].iter_rows(), 1):
                cells = tuple("" if one.data_type == "str" else one.value for one in row)
                last = max((k for k, cell in enumerate(cells, 1) if cell is not None), default=0)
                if last:
                    yield number, cells[:last]
                if number > MOST_ROWS:
                    what = f"more than {MOST_ROWS:,} rows; expected fewer"
                    raise InputError(f"{opened.source}: {what}")

    return [one.title for one in shown], filled()


def _rows_with_values(opened: Opened) -> tuple[list[str], list[Row]]:
    """As `_workbook_rows`; an error where there is too much, or a formula without a value."""
    formulas = False
    for name, block in zip_blocks(BytesIO(opened.content), MOST_BYTES, opened.source):
        if name.endswith((".xml", ".rels")) and UTF_16.match(block):
            raise ArchiveError(f"{name} is not UTF-8, as the XML of a workbook is")
        if found := HARMFUL.search(block):
            what = found[0].decode("ascii", "replace")
            raise ArchiveError(f"{name} holds {what!r}, as no table does")
        formulas = formulas or FORMULA.search(block) is not None
    sheets, filled = _workbook_rows(opened, cached=True)
    rows, size = list[Row](), 0
    for row in filled:
        size += len(row[1])
        door.check_cells(size, opened.source)
        rows.append(row)
    known = dict(rows)
    for number, cells in _workbook_rows(opened, cached=False)[1] if formulas else ():
        values = known.get(number, ())
        for place, cell in enumerate(cells):
            if cell is not None and (place >= len(values) or values[place] is None):
                raise InputError(
                    f"{opened.source}, {_cell(place + 1, number)}: a formula without a value; "
                    "expected one. Open the file in a spreadsheet and save it, or write values in "
                    "the place of formulas"
                )
    return sheets, rows


def read_workbook(opened: Opened) -> Rows:
    """The table of a workbook's first sheet."""
    path = opened.source
    try:
        sheets, rows = _rows_with_values(opened)
    except InputError:
        raise
    except ArchiveError as error:
        raise InputError(f"{path} cannot be read as a workbook: {error}") from error
    except Exception as error:
        # openpyxl has no error of its own for a part that is missing or damaged.
        why = f"{type(error).__name__}: {error}"
        raise InputError(f"{path} cannot be read as a workbook: {why[:200]}") from error
    if not rows:
        raise InputError(f"{path}: no rows; expected a row with the columns' names, and rows")
    (first, header), *body = rows
    size = len(header)
    for number, cells in body:
        for place, cell in enumerate(cells[size:], size + 1):
            if cell not in (None, ""):
                raise InputError(
                    f"{path}, {_cell(place, number)}: found {str(cell)[:40]!r}, expected nothing "
                    f"beyond the columns that row {first} names"
                )
    names = pd.Index(["" if name is None else name for name in header], dtype=object)
    values = [(*cells[:size], *[None] * (size - len(cells))) for _, cells in body]
    frame = pd.DataFrame(values, columns=names, dtype=object)
    numbers = np.array([number for number, _ in body], dtype=np.int64)
    first_sheet = Note("first_sheet", {"sheet": sheets[0], "others": sheets[1:]})
    return Rows(path, frame, numbers, (first_sheet,) if sheets[1:] else ())


def read_items(
    path: str | Path,
    rng: np.random.Generator | None = None,
    columns: Mapping[str, str] | None = None,
) -> Items:
    """Items from CSV, TSV, parquet or JSON lines, as the file's ending says.

    The generator orders items with equal scores; its seed is fixed where none is given. `columns`
    are as of `read_columns`.
    """
    rng = np.random.default_rng(TIE_BREAK_SEED) if rng is None else rng
    frame, first_row = read_columns(path, columns)
    return items_from_frame(frame, rng, str(path), first_row)


def write_items(items: Items, path: str | Path) -> None:
    """Write Items as CSV, TSV or parquet, by the ending: to a temporary name, then renamed."""
    path = Path(path)
    if path.suffix not in (*SEPARATORS, ".parquet"):
        raise InputError(f"{path}: expected a name that ends in .csv, .tsv or .parquet")
    if path.suffix == ".parquet":
        need(PARQUET, str(path))
    with unfinished(path) as partial:
        if path.suffix == ".parquet":
            items.to_frame().to_parquet(partial, index=False)
        else:
            write_spreadsheet(items.to_frame(), partial, separator=SEPARATORS[path.suffix])


def read_annotations(
    path: str | Path, columns: Mapping[str, str] | None = None,
    categories: Sequence[str] | None = None, repeated: str = "refuse",
    scores: str | Path | None = None, credit: Mapping[str, float] | None = None,
) -> Annotations:  # fmt: skip
    """Annotations from CSV, TSV, parquet or JSON lines, as the file's ending says.

    `columns` are as of `read_columns`; `scores` is a file of score vectors; the others are as for
    `annotations_from_frame`.
    """
    frame, first_row = read_columns(path, columns)
    vectors = None if scores is None else read_columns(scores)[0]
    return annotations_from_frame(
        frame, categories, repeated, vectors, str(path), first_row, credit
    )
