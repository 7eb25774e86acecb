"""The first sheet of an .xlsx workbook as a table: values as they stand, no formula worked out."""

import re
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.archives import ArchiveError, zip_blocks
from crowdgold.data.door import MOST_BYTES, Opened, check_cells
from crowdgold.data.errors import InputError
from crowdgold.data.tables import Raw

WORKBOOK = ".xlsx"
MOST_ROWS = 1_048_576
HARMFUL = re.compile(rb"""<!DOCTYPE|<!ENTITY|\br=["'](?:[A-Z]{4,}|[A-Z]*\d{8,})""")
"""Entities, which may unfold to anything, and cells beyond the last that a sheet can have."""
UTF_16 = re.compile(rb"\A(?:\xff\xfe|\xfe\xff|<\0|\0<)")
"""XML in which the search for such things would find none."""
FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
Row = tuple[int, tuple[Any, ...]]
"""The number of a row, as the spreadsheet shows it, and its cells up to the last that is filled."""


def _letters(column: int) -> str:
    """What a spreadsheet calls a column, counted from 1: A, B, ..., Z, AA, ..."""
    letters = ""
    while column:
        column, place = divmod(column - 1, 26)
        letters = chr(ord("A") + place) + letters
    return letters


def _has_formulas(opened: Opened) -> bool:
    """Whether a workbook holds formulas.

    Raises:
        ArchiveError: where it is damaged or too large, or its XML would grow when it is read.
    """
    formulas = False
    for name, block in zip_blocks(BytesIO(opened.content), MOST_BYTES, opened.source):
        if name.endswith((".xml", ".rels")) and UTF_16.match(block):
            raise ArchiveError(f"{name} is not UTF-8, as the XML of a workbook is")
        if found := HARMFUL.search(block):
            what = found[0].decode("ascii", "replace")
            raise ArchiveError(f"{name} holds {what!r}, as no table does")
        formulas = formulas or FORMULA.search(block) is not None
    return formulas


def _rows(opened: Opened, cached: bool) -> tuple[list[str], Iterator[Row]]:
    """The names of the sheets that are shown, and the filled rows of the first.

    Args:
        cached: whether a formula is given by the value that it had when the file was saved, an
            empty text where that is nothing, and not by its own text.
    """
    from openpyxl import load_workbook  # here: it takes long to load, and few files are workbooks

    path = opened.source
    book = load_workbook(
        BytesIO(opened.content), read_only=True, data_only=cached, keep_links=False
    )
    shown = [one for one in book.worksheets if one.sheet_state == "visible"]
    if not shown:
        book.close()
        raise InputError(f"{path}: no sheet that is shown; expected one with a table")

    def filled() -> Iterator[Row]:
        with closing(book):
            # The size that a file says it has may be wrong.
            shown[0].reset_dimensions()
            for number, row in enumerate(shown[0].iter_rows(), 1):
                cells = tuple("" if one.data_type == "str" else one.value for one in row)
                last = max((k for k, cell in enumerate(cells, 1) if cell is not None), default=0)
                if last:
                    yield number, cells[:last]
                if number > MOST_ROWS:
                    raise InputError(f"{path}: more than {MOST_ROWS:,} rows; expected fewer")

    return [one.title for one in shown], filled()


def _check_formulas(opened: Opened, rows: list[Row]) -> None:
    """Raise an `InputError` that names the first formula without a value."""
    known, path = dict(rows), opened.source
    for number, cells in _rows(opened, cached=False)[1]:
        values = known.get(number, ())
        for place, cell in enumerate(cells):
            if cell is not None and (place >= len(values) or values[place] is None):
                where = f"column {_letters(place + 1)}, row {number}"
                raise InputError(
                    f"{path}, {where}: a formula without a value; expected one. Open the file in "
                    "a spreadsheet and save it, or write values in the place of formulas"
                )


def _table(path: str, rows: list[Row]) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of the rows below the first, and the numbers of these rows."""
    if not rows:
        raise InputError(f"{path}: no rows; expected a row with the columns' names, and rows")
    (_, header), *body = rows
    for number, cells in body:
        for place, cell in enumerate(cells[len(header) :], len(header) + 1):
            if cell not in (None, ""):
                raise InputError(
                    f"{path}, column {_letters(place)}, row {number}: found "
                    f"{str(cell)[:40]!r}, expected nothing beyond the columns that row "
                    f"{rows[0][0]} names"
                )
    names = ["" if name is None else name for name in header]
    size = len(header)
    values = [(*cells[:size], *[None] * (size - len(cells))) for _, cells in body]
    frame = pd.DataFrame(values, columns=pd.Index(names, dtype=object), dtype=object)
    return frame, np.array([number for number, _ in body], dtype=np.int64)


def _bounded(path: str, rows: Iterator[Row]) -> Iterator[Row]:
    """The same rows; an error where they hold more cells than can be read."""
    cells = 0
    for row in rows:
        cells += len(row[1])
        check_cells(cells, path)
        yield row


def read_workbook(opened: Opened) -> Raw:
    """The table of a workbook's first sheet.

    Args:
        opened: the file. Its first filled row holds the columns' names. Sheets that are hidden are
            passed over.

    Raises:
        InputError: where the file is damaged or too large, or a formula has no value.
    """
    path = opened.source
    try:
        formulas = _has_formulas(opened)
        sheets, found = _rows(opened, cached=True)
        rows = list(_bounded(path, found))
        if formulas:
            _check_formulas(opened, rows)
    except InputError:
        raise
    except ArchiveError as error:
        raise InputError(f"{path} cannot be read as a workbook: {error}") from error
    except Exception as error:
        # openpyxl has no error of its own for a part that is missing or damaged.
        why = f"{type(error).__name__}: {error}"
        raise InputError(f"{path} cannot be read as a workbook: {why[:200]}") from error
    others = ", ".join(sheets[1:])
    said = [f"the sheet {sheets[0]!r} is read; passed over: {others}"] if others else []
    return Raw(path, *_table(path, rows), tuple(said))
