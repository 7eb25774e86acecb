"""The data table of a block: the table and the reference of each replicate.

The reference is what the truth of a metric is computed on: the same table in a simulation, the
held-out gold items of a dataset. Each table is a row (`table_rows`), and each replicate a row
group, so that a fit reads only its own. The parameters that the data were drawn with are in the
file's metadata, and so are the metrics of the population, where they are the truth.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from crowdgold.data import Table
from crowdgold.data.files import unfinished
from crowdgold.experiments.provenance.seals import seal
from crowdgold.experiments.results import read_metadata, sealed_metadata
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
    rows = pa.concat_tables(map(row_of, parts.values()))
    known = {
        "part": [*parts],
        "replicate": [replicate] * len(parts),
        "setting": [setting] * len(parts),
    }
    for name, values in known.items():
        rows = rows.add_column(0, name, pa.array(values))
    return rows


def write_replicates(
    path: Path,
    replicates: Iterable[tuple[str, int, Drawn]],
    metadata: Mapping[str, Any],
) -> None:
    """Write replicates (setting, number, tables) as one parquet file, one at a time."""
    parameters: dict[str, Any] = {}
    population: dict[str, Any] = {}
    row_groups: list[str] = []
    path.parent.mkdir(parents=True, exist_ok=True)
    writer: pq.ParquetWriter | None = None
    with unfinished(path) as own:
        for setting, number, drawn in replicates:
            table = _rows(setting, number, drawn)
            writer = writer or pq.ParquetWriter(own, table.schema, compression="zstd")
            writer.write_table(table)
            row_groups.append(_key(setting, number))
            parameters[row_groups[-1]] = drawn.parameters
            population[row_groups[-1]] = drawn.population
        if writer is None:
            raise ValueError(f"{path}: there are no replicates to write")
        known = {"parameters": parameters, "population": population}
        content = {**metadata, "row_groups": row_groups, **known}
        writer.add_key_value_metadata(sealed_metadata(content))
        writer.close()
        seal(own)


def _key(setting: str, replicate: int) -> str:
    return f"{setting}|{replicate}"


class DataTable:
    """A block's data table, read one replicate at a time."""

    def __init__(self, path: Path) -> None:
        self._metadata = read_metadata(path)  # first: it looks at the checksum
        self._file = pq.ParquetFile(path)

    @property
    def replicates(self) -> list[tuple[str, int]]:
        """The (setting, number) of every replicate that the table holds."""
        keys = [key.rpartition("|") for key in self._metadata["row_groups"]]
        return [(setting, int(number)) for setting, _, number in keys]

    def replicate(self, setting: str, number: int) -> Drawn:
        """Read one replicate.

        Raises:
            ValueError: where the table does not hold it.
        """
        key = _key(setting, number)
        if key not in self._metadata["row_groups"]:
            raise ValueError(f"the data table has no setting {setting}, replicate {number}")
        rows = self._file.read_row_group(self._metadata["row_groups"].index(key))
        population = self._metadata.get("population", {}).get(key, {})
        tables = {
            rows["part"][place].as_py(): table_of(
                {name: rows[name][place] for name in rows.column_names}
            )
            for place in range(len(rows))
        }
        table, reference = (tables[part if part in tables else BOTH] for part in (TABLE, REFERENCE))
        return Drawn(table, reference, self._metadata["parameters"][key], population)
