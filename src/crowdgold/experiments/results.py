"""The long results table: one row for each replicate, method and metric.

Tables are parquet files, written to a temporary name and renamed, with the provenance of their
numbers in the file's metadata.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from crowdgold.data.spreadsheet import write_spreadsheet

IDENTITY = ["paper", "experiment"]
MEASURES = [
    "replicate",
    "method",
    "metric",
    "annotator",
    "agent",
    "item",
    "truth",
    "estimate",
    "lower",
    "upper",
    "standard_error",
    "undefined",
    "note",
    "seconds",
    "diagnostics_passed",
    "diagnostics_message",
    "seed",
    "code_version",
]
"""Columns after the identity and the setting columns, in their order."""

METADATA_KEY = b"crowdgold"
"""Key of this project's metadata in a parquet file: JSON."""


def results_frame(rows: Iterable[Mapping[str, Any]], axes: Iterable[str]) -> pd.DataFrame:
    """Make the results table of rows, columns in their fixed order.

    Raises:
        ValueError: where a row lacks a column or has one that is not expected.
    """
    columns = [*IDENTITY, *axes, *MEASURES]
    rows = list(rows)
    for row in rows:
        if set(row) != set(columns):
            differ = sorted(set(row) ^ set(columns))
            raise ValueError(f"a row of the results table differs in the columns {differ}")
    return pd.DataFrame(rows, columns=columns)


def setting_columns(results: pd.DataFrame) -> list[str]:
    """Give the columns of a results table that hold the varied values."""
    known = {*IDENTITY, *MEASURES}
    return [column for column in map(str, results.columns) if column not in known]


def write_table(frame: pd.DataFrame, path: str | Path, metadata: Mapping[str, Any]) -> None:
    """Write a table as parquet, with metadata; a reader never sees half a file."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    content = json.dumps(metadata, sort_keys=True).encode()
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), METADATA_KEY: content})
    temporary = path.with_name(f".{path.name}.partial")
    pq.write_table(table, temporary, compression="zstd")
    temporary.replace(path)


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as text; a reader never sees half a file."""
    temporary = path.with_name(f".{path.name}.partial")
    write_spreadsheet(frame, temporary)
    temporary.replace(path)


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a table that `write_table` wrote."""
    frame: pd.DataFrame = pq.read_table(Path(path)).to_pandas()
    return frame


def read_metadata(path: str | Path) -> dict[str, Any]:
    """Read the metadata of a table; empty where the file has none of this project."""
    metadata = pq.read_metadata(Path(path)).metadata or {}
    content: dict[str, Any] = json.loads(metadata.get(METADATA_KEY, b"{}"))
    return content


def concatenate(paths: Iterable[str | Path]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Join tables in the order given; the metadata lists each distinct provenance once."""
    paths = list(paths)
    frames = [read_table(path) for path in paths]
    distinct = {json.dumps(read_metadata(path), sort_keys=True): None for path in paths}
    return pd.concat(frames, ignore_index=True), {"made_from": [json.loads(m) for m in distinct]}
