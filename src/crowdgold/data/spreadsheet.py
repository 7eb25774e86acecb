"""Tables that a spreadsheet may open: no text of a user is taken for a formula there.

A cell that begins with =, +, -, @ (or their full-width forms), a tab or a line break can be worked
out by the spreadsheet that opens the file, to the point of running a program. Such a text is
written with an apostrophe before it, the spreadsheets' own sign for a text; a text that begins so
already gets one more. Numbers stay as they are. What was written so is read again without it.
"""

import csv
from pathlib import Path

import pandas as pd

SIGNS = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
BARE = rf"[{SIGNS}]"
MARKED = rf"'+[{SIGNS}]"
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"


def _texts(values: pd.Series) -> pd.Series | None:
    """A column as texts; None where it holds no texts."""
    kind = values.dtype
    if pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_datetime64_any_dtype(kind):
        return None
    return values.astype("string")


def _bare(texts: pd.Series) -> pd.Series:
    """Say which texts (n,) a spreadsheet could take for a formula."""
    formulas = texts.str.match(BARE) & ~texts.str.fullmatch(NUMBER)
    return formulas.fillna(False).astype(bool)


def _marked(texts: pd.Series) -> pd.Series:
    """Say which texts (n,) begin with an apostrophe before such a sign."""
    return texts.str.match(MARKED).fillna(False).astype(bool)


def neutralised(table: pd.DataFrame) -> pd.DataFrame:
    """A table in which no text, and no name of a column, can be taken for a formula."""
    table = table.copy(deep=False)
    for name in table.columns:
        texts = _texts(table[name])
        if texts is not None and (chosen := _bare(texts) | _marked(texts)).any():
            table[name] = table[name].astype(object).mask(chosen, "'" + texts.astype(object))
    names = pd.Series(table.columns.map(str), dtype="string")
    chosen = _bare(names) | _marked(names)
    table.columns = pd.Index(names.mask(chosen, "'" + names).to_numpy(object))
    return table


def restored(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """A table as it was before `neutralised`.

    A column in which a formula stands bare was not neutralised, and is left as it is.

    Args:
        table: texts, as read from a file.

    Returns:
        the table, and the names of the columns in which anything has changed.
    """
    table = table.copy(deep=False)
    changed = []
    for name in table.columns:
        texts = _texts(table[name])
        if texts is None or not (chosen := _marked(texts)).any() or _bare(texts).any():
            continue
        table[name] = table[name].mask(chosen, texts.str[1:].astype(table[name].dtype))
        changed.append(str(name))
    names = pd.Series(table.columns.map(str), dtype="string")
    if (chosen := _marked(names)).any() and not _bare(names).any():
        table.columns = pd.Index(names.mask(chosen, names.str[1:]).to_numpy(object))
    return table, changed


def write_spreadsheet(
    table: pd.DataFrame, path: Path, floats: str | None = None, separator: str = ","
) -> None:
    """Write a table as text that a spreadsheet may open.

    Args:
        floats: format of its numbers; all their digits where not given.
        separator: between cells.

    Raises:
        OSError: where it cannot be written.
    """
    table = neutralised(table)
    # A carriage return within a text would end the row: `csv` quotes it only where it quotes all.
    columns = (_texts(table[name]) for name in table.columns)
    texts = [one for one in columns if one is not None]
    broken = any(one.str.contains("\r", regex=False).any() for one in texts)
    table.to_csv(
        path, index=False, float_format=floats, sep=separator,
        quoting=csv.QUOTE_NONNUMERIC if broken else csv.QUOTE_MINIMAL,
    )  # fmt: skip
