"""The data table of a block: the items and the reference of each replicate.

The reference is what the truth of a metric is computed on: the same items in a simulation, the
held-out gold items of a dataset. Each replicate is a row group, so that a fit reads only its own.
The parameters that the data were drawn with are in the file's metadata.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from crowdgold.data import NO_GOLD, Items
from crowdgold.data.items import SCORE
from crowdgold.experiments.results import METADATA_KEY, read_metadata

BOTH, ITEMS, REFERENCE = "both", "items", "reference"
"""Values of the column `part`: in which of a replicate's two tables a row stands."""

WHOLE = {"votes_positive": "Int32", "votes_total": "Int32", "gold": "Int8", "truth": "Int8"}
OPTIONAL = ("truth", "oracle")


@dataclass(frozen=True)
class Drawn:
    """One replicate: its items, its reference, and the parameters it was drawn with."""

    items: Items
    reference: Items
    parameters: Mapping[str, Any]


def _frame(drawn: Drawn) -> pd.DataFrame:
    if drawn.reference is drawn.items:
        return drawn.items.to_frame().assign(part=BOTH)
    parts = {ITEMS: drawn.items, REFERENCE: drawn.reference}
    return pd.concat(
        [items.to_frame().assign(part=part) for part, items in parts.items()], ignore_index=True
    )


def _table(setting: str, replicate: int, drawn: Drawn) -> pa.Table:
    frame = _frame(drawn)
    for column in OPTIONAL:
        if column not in frame:
            frame[column] = np.nan
    frame = frame.astype({"item": "string", "oracle": "float64", **WHOLE})
    frame.insert(0, "setting", setting)
    frame.insert(1, "replicate", replicate)
    return pa.Table.from_pandas(frame, preserve_index=False)


def write_replicates(
    path: Path,
    replicates: Iterable[tuple[str, int, Drawn]],
    metadata: Mapping[str, Any],
) -> None:
    """Write replicates (setting, number, tables) as one parquet file, one at a time."""
    parameters: dict[str, Any] = {}
    row_groups: list[str] = []
    temporary = path.with_name(f".{path.name}.partial")
    path.parent.mkdir(parents=True, exist_ok=True)
    writer: pq.ParquetWriter | None = None
    for setting, number, drawn in replicates:
        table = _table(setting, number, drawn)
        writer = writer or pq.ParquetWriter(temporary, table.schema, compression="zstd")
        writer.write_table(table.cast(writer.schema), row_group_size=table.num_rows)
        row_groups.append(_key(setting, number))
        parameters[row_groups[-1]] = drawn.parameters
    if writer is None:
        raise ValueError(f"{path}: there are no replicates to write")
    content = {**metadata, "row_groups": row_groups, "parameters": parameters}
    writer.add_key_value_metadata({METADATA_KEY: json.dumps(content, sort_keys=True).encode()})
    writer.close()
    temporary.replace(path)


def _key(setting: str, replicate: int) -> str:
    return f"{setting}|{replicate}"


def _items(frame: pd.DataFrame) -> Items:
    """Make Items of rows that were Items before: no checks, nothing drawn."""
    columns: dict[str, Any] = {
        "item": frame["item"].to_numpy(dtype=object),
        "votes_positive": frame["votes_positive"].to_numpy(dtype=np.int64),
        "votes_total": frame["votes_total"].to_numpy(dtype=np.int64),
        "gold": frame["gold"].fillna(NO_GOLD).to_numpy(dtype=np.int8),
        "tie_break": frame["tie_break"].to_numpy(dtype=float),
        "scores": {
            (name if name == SCORE else name.removeprefix(f"{SCORE}_")): frame[name].to_numpy(float)
            for name in map(str, frame.columns)
            if name == SCORE or name.startswith(f"{SCORE}_")
        },
    }
    if frame["truth"].notna().all():
        columns["truth"] = frame["truth"].to_numpy(dtype=np.int8)
    if frame["oracle"].notna().all():
        columns["oracle"] = frame["oracle"].to_numpy(dtype=float)
    return Items(**columns)


class DataTable:
    """A block's data table, read one replicate at a time."""

    def __init__(self, path: Path) -> None:
        self._file = pq.ParquetFile(path)
        self._metadata = read_metadata(path)

    def replicate(self, setting: str, number: int) -> Drawn:
        """Read one replicate.

        Raises:
            ValueError: where the table does not hold it.
        """
        key = _key(setting, number)
        if key not in self._metadata["row_groups"]:
            raise ValueError(f"the data table has no setting {setting}, replicate {number}")
        frame = self._file.read_row_group(self._metadata["row_groups"].index(key)).to_pandas()
        parts = {
            part: _items(frame[frame["part"].isin((BOTH, part))]) for part in (ITEMS, REFERENCE)
        }
        return Drawn(parts[ITEMS], parts[REFERENCE], self._metadata["parameters"][key])
