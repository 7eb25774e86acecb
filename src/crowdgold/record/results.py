"""The long results table, a row for each replicate, method and metric; and times beside it.

Tables are parquet files, written to a temporary name and renamed, with their record in the file's
metadata, and with a checksum that is looked at before anything is used. Times are in tables of
their own, in `results/times/`: all other results are equal byte for byte when made again.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from crowdgold.reading.outputs import write_spreadsheet
from crowdgold.record.record import (
    FILES,
    Record,
    check_seed,
    read_record,
    source_record,
    written,
)
from crowdgold.record.seals import file_hash, seal
from crowdgold.system.temporary import unfinished

MEASURES = [
    "replicate", "method", "metric", "annotator", "agent", "item", "truth", "estimate", "lower",
    "upper", "standard_error", "undefined", "note", "diagnostics_passed", "diagnostics_message",
    "seed", "code_version",
]  # fmt: skip
"""Columns after the identity and the setting columns, in their order."""


def results_frame(rows: Iterable[Mapping[str, Any]], axes: Iterable[str]) -> pd.DataFrame:
    """The results table of rows, columns in their fixed order; ValueError where a row lacks one or
    has another.
    """
    columns = ["paper", "experiment", *axes, *MEASURES]
    rows = list(rows)
    for row in rows:
        if set(row) != set(columns):
            differ = sorted(set(row) ^ set(columns))
            raise ValueError(f"a row of the results table differs in the columns {differ}")
    return pd.DataFrame(rows, columns=columns)


def write_table(frame: pd.DataFrame, path: str | Path, record: Mapping[str, Any]) -> None:
    """Write a table as parquet, with its record; a reader never sees half a file."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with unfinished(path) as own:
        with pq.ParquetWriter(own, table.schema, compression="zstd") as writer:
            writer.write_table(table)
            writer.add_key_value_metadata(written(record, path))
        seal(own)


DIGITS = 5
"""Of the numbers of a large table that is published."""


def rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """A table with numbers of so many digits."""
    few = {}
    for name in map(str, frame.select_dtypes("float")):
        numbers = frame[name].to_numpy(float)
        some = np.isfinite(numbers) & (numbers != 0)
        size = np.floor(np.log10(np.abs(numbers), out=np.zeros(len(numbers)), where=some))
        unit = 10.0 ** (size - DIGITS + 1)
        # What is left of binary fractions would cost as much as all digits did.
        few[name] = np.where(some, np.round(np.round(numbers / unit) * unit, 12), numbers)
    return frame.assign(**few)


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as text; a reader never sees half a file."""
    with unfinished(path) as own:
        write_spreadsheet(frame, own)


def write_summary(frame: pd.DataFrame, path: str | Path, record: Mapping[str, Any]) -> None:
    """Write a summary as text and, last, as a table that has the text's checksum."""
    text = Path(path).with_suffix(".csv")
    text.parent.mkdir(parents=True, exist_ok=True)
    write_csv(frame, text)
    write_table(frame, path, {**record, FILES: {text.name: file_hash(text)}})


def read_table(path: str | Path, seed: int | None = None) -> pd.DataFrame:
    """A table that `write_table` wrote; raises as `read_record` and `check_seed` do."""
    check_seed(path, read_record(path), seed)
    frame: pd.DataFrame = pq.read_table(Path(path)).to_pandas()
    return frame


def concatenate(
    paths: Iterable[str | Path], seed: int | None = None
) -> tuple[pd.DataFrame, list[Record]]:
    """Join tables in the order given; give the record of each as well, with its path.

    InputError where one was made with another `seed` than that.
    """
    paths = list(paths)
    frames = [read_table(path) for path in paths]
    return pd.concat(frames, ignore_index=True), [source_record(path, seed) for path in paths]


def times_frame(rows: Iterable[Mapping[str, Any]], shared: Iterable[str]) -> pd.DataFrame:
    """The table of times: of which replicate of what (`shared`), the method or computation, and its
    seconds; a row for each fit or computation, and there may be none.
    """
    columns = list(dict.fromkeys([*shared, "method", "seconds"]))
    return pd.DataFrame(list(rows), columns=columns).astype({"seconds": float})
