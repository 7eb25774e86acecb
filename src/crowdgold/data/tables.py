"""Reading a table from a file: CSV, TSV or parquet, by the ending of its name."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from crowdgold.data.checks import InputError

SEPARATORS = {".csv": ",", ".tsv": "\t"}


def read_columns(
    path: str | Path, columns: Mapping[str, str] | None = None
) -> tuple[pd.DataFrame, int]:
    """Read a table and rename its columns.

    Args:
        path: the file; its ending (.csv, .tsv, .parquet) says what it is.
        columns: the file's own column name -> the name used here, e.g. {"yes": "votes_positive"}.

    Returns:
        the table, texts as they stand in a text file, and the number that the user's own tool shows
        for its first row of data.

    Raises:
        InputError: where the file is missing, of another kind, or has not these columns.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    try:
        if path.suffix == ".parquet":
            frame, first_row = pd.read_parquet(path), 0
        elif path.suffix in SEPARATORS:
            separator = SEPARATORS[path.suffix]
            frame = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
            first_row = 2
        else:
            raise InputError(f"{path}: expected a .csv, .tsv or .parquet file")
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{path} cannot be read as {path.suffix[1:]}: {error}") from error
    missing = [name for name in columns or {} if name not in frame]
    if missing:
        raise InputError(f"{path}: no column {missing[0]!r}; the file has {list(frame.columns)}")
    frame = frame.rename(columns=dict(columns or {}))
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InputError(f"{path}: two columns are named {twice!r}; expected one")
    return frame, first_row
