"""The data table of a block: the table and the reference of each replicate.

The reference is what the truth of a metric is computed on: the same table in a simulation, the
held-out gold items of a dataset. Each table is a row (`table_rows`), and each replicate a row
group, so that a fit reads only its own. Beside it, as JSON, are the parameters that the data were
drawn with, and the metrics of the population where they are the truth.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from crowdgold.data import Table
from crowdgold.data.outputs import unfinished
from crowdgold.experiments.provenance.seals import check_seal, seal
from crowdgold.experiments.results import sealed_metadata
from crowdgold.experiments.table_rows import row_of, table_of

BOTH, TABLE, REFERENCE = "both", "table", "reference"
"""Values of the column `part`: in which of a replicate's two tables a row stands."""


@dataclass(frozen=True)
class Drawn:
    """One replicate: its table, its reference, and the parameters it was drawn with.

    Attributes:
        population: metric -> its value in the population, and the Monte Carlo error of that; empty
            where the truth is the reference's.
    """

    table: Table
    reference: Table
    parameters: Mapping[str, Any]
    population: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def _rows(setting: str, replicate: int, drawn: Drawn) -> pa.Table:
    """A replicate's rows: one where its reference is the table itself, or else two."""
    same = drawn.reference is drawn.table
    parts = {BOTH: drawn.table} if same else {TABLE: drawn.table, REFERENCE: drawn.reference}
    known = {
        "setting": setting,
        "replicate": replicate,
        "parameters": json.dumps(drawn.parameters, sort_keys=True),
        "population": json.dumps(drawn.population, sort_keys=True),
    }
    columns = {name: pa.repeat(value, len(parts)) for name, value in known.items()}
    rows = pa.concat_tables(map(row_of, parts.values()))
    return pa.table(
        {
            **columns,
            "part": pa.array(parts),
            **dict(zip(rows.column_names, rows.columns, strict=True)),
        }
    )


def write_replicates(
    path: Path,
    replicates: Iterable[tuple[str, int, Drawn]],
    metadata: Mapping[str, Any],
) -> None:
    """Write replicates (setting, number, tables) as one parquet file, one at a time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    writer: pq.ParquetWriter | None = None
    with unfinished(path) as own:
        for setting, number, drawn in replicates:
            rows = _rows(setting, number, drawn)
            writer = writer or pq.ParquetWriter(own, rows.schema, compression="zstd")
            writer.write_table(rows)
        if writer is None:
            raise ValueError(f"{path}: there are no replicates to write")
        writer.add_key_value_metadata(sealed_metadata(metadata))
        writer.close()
        seal(own)


class DataTable:
    """A block's data table, read one replicate at a time."""

    def __init__(self, path: Path) -> None:
        check_seal(path)
        self._file = pq.ParquetFile(path)
        named = self._file.read(columns=["setting", "replicate"]).to_pydict()
        # A replicate is a row group; its one or two rows follow one another.
        self._names = list(dict.fromkeys(zip(named["setting"], named["replicate"], strict=True)))

    @property
    def replicates(self) -> list[tuple[str, int]]:
        """The (setting, number) of every replicate that the table holds."""
        return list(self._names)

    def replicate(self, setting: str, number: int) -> Drawn:
        """Read one replicate.

        Raises:
            ValueError: where the table does not hold it.
        """
        if (setting, number) not in self._names:
            raise ValueError(f"the data table has no setting {setting}, replicate {number}")
        rows = self._file.read_row_group(self._names.index((setting, number)))
        cells = [{name: rows[name][one] for name in rows.column_names} for one in range(len(rows))]
        tables = {row["part"].as_py(): table_of(row) for row in cells}
        table, reference = (tables[part if part in tables else BOTH] for part in (TABLE, REFERENCE))
        known = (json.loads(cells[0][name].as_py()) for name in ("parameters", "population"))
        return Drawn(table, reference, *known)
