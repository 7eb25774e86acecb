"""The long results table, a row for each replicate, method and metric; and times beside it.

Tables are parquet files, written to a temporary name and renamed, with the provenance of their
numbers in the file's metadata, and with a checksum that is looked at before anything is used. Times
are in tables of their own, in `results/times/`: all other results are equal byte for byte when made
again.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from crowdgold.reading.outputs import write_spreadsheet
from crowdgold.record.seals import (
    SEAL_KEY,
    UNSEALED,
    DamagedTable,
    check_seal,
    file_hash,
    seal,
)  # fmt: skip
from crowdgold.system.temporary import unfinished
from crowdgold.types.errors import InputError

MEASURES = [
    "replicate", "method", "metric", "annotator", "agent", "item", "truth", "estimate", "lower",
    "upper", "standard_error", "undefined", "note", "diagnostics_passed", "diagnostics_message",
    "seed", "code_version",
]  # fmt: skip
"""Columns after the identity and the setting columns, in their order."""

FILES = "files"
"""Key of what a sealed file knows of those beside it: name -> sha256."""
METADATA_KEY = b"crowdgold"
"""Key of this project's metadata in a parquet file: JSON."""
TABLES = ("data", "estimates", "checks", "tables", "summaries", "times", "benchmarks", "datasets")
"""Folders of tables in a folder of results."""
PLACE = "place"
"""Key of where a table lies in its folder of results, which a table that was moved, or swapped with
another, gives away."""


def place_of(path: Path) -> str:
    """Where a table lies in a folder of results, such as `tables/NAME.parquet`; empty elsewhere."""
    names = [number for number, part in enumerate(path.parts) if part in TABLES]
    return "/".join(path.parts[names[-1] :]) if names else ""


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


def write_table(frame: pd.DataFrame, path: str | Path, metadata: Mapping[str, Any]) -> None:
    """Write a table as parquet, with metadata; a reader never sees half a file."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if place := place_of(path):
        metadata = {**metadata, PLACE: place}
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with unfinished(path) as own:
        with pq.ParquetWriter(own, table.schema, compression="zstd") as writer:
            writer.write_table(table)
            writer.add_key_value_metadata(sealed_metadata(metadata))
        seal(own)


def sealed_metadata(metadata: Mapping[str, Any]) -> dict[bytes, bytes]:
    """What a table's file holds beside its rows, with a place for its checksum."""
    return {METADATA_KEY: json.dumps(metadata, sort_keys=True).encode(), SEAL_KEY: UNSEALED}


ROUNDED, DIGITS = "digits", 5
"""What the metadata of a table say whose numbers have fewer digits, and how many those are."""


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


def write_summary(frame: pd.DataFrame, path: str | Path, metadata: Mapping[str, Any]) -> None:
    """Write a summary as text and, last, as a table that has the text's checksum."""
    text = Path(path).with_suffix(".csv")
    text.parent.mkdir(parents=True, exist_ok=True)
    write_csv(frame, text)
    write_table(frame, path, {**metadata, FILES: {text.name: file_hash(text)}})


def read_table(path: str | Path) -> pd.DataFrame:
    """A table that `write_table` wrote; raises as `check_seal` does."""
    read_metadata(path)
    frame: pd.DataFrame = pq.read_table(Path(path)).to_pandas()
    return frame


def read_metadata(path: str | Path) -> dict[str, Any]:
    """The metadata of a table that `write_table` wrote; raises as `check_seal` does, and
    DamagedTable where it was written as another table.
    """
    path = Path(path)
    check_seal(path)
    metadata = pq.read_metadata(path).metadata or {}
    content: dict[str, Any] = json.loads(metadata.get(METADATA_KEY, b"{}"))
    written = content.pop(PLACE, "") if isinstance(content, dict) else ""
    here = place_of(path)
    if written and here and written != here:
        raise DamagedTable(path, f"it was written as {written}, and copied or moved here")
    return content


def concatenate(
    paths: Iterable[str | Path], seed: int | None = None
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Join tables in the order given; give the metadata of each by its path as well.

    InputError where one was drawn with another `seed` than that.
    """
    paths = list(paths)
    frames = [read_table(path) for path in paths]
    made_from = {
        str(path): {"sha256": file_hash(Path(path)), **read_metadata(path)} for path in paths
    }
    for path, metadata in made_from.items():
        check_seed(path, metadata, seed)
    return pd.concat(frames, ignore_index=True), made_from


def check_seed(path: str | Path, metadata: Mapping[str, Any], seed: int | None) -> None:
    """Hold a block's table against the seed of the configuration; InputError where it differs."""
    found = metadata.get("seed")
    if seed is not None and found not in (None, seed):
        raise InputError(
            f"{path} was made with the seed {found}, expected {seed} of the configuration: it is "
            "of another run. Remove it, and run the same command again"
        )


def path_of_times(block: str) -> str:
    """The table of the times of a block's table, both relative to the folder of the results."""
    return f"times/{block}"


def times_frame(rows: Iterable[Mapping[str, Any]], shared: Iterable[str]) -> pd.DataFrame:
    """The table of times: of which replicate of what (`shared`), the method or check, and its
    seconds; a row for each fit or check, and there may be none.
    """
    columns = list(dict.fromkeys([*shared, "method", "seconds"]))
    return pd.DataFrame(list(rows), columns=columns).astype({"seconds": float})
