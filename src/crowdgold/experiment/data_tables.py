"""The data table of a block: the table and the reference of each replicate.

The reference is what the truth of a metric is computed on: the same table in a simulation, the
held-out gold items of a dataset. Each table is a row, and each replicate a row group, so that a fit
reads only its own. Beside it, as JSON, are the parameters that the data were drawn with, and the
metrics of the population where they are the truth.

A column is a field of the table and its cell holds the whole array, in the table's own order. So
one format is of Items and of Annotations, no row says what it is, and arrays of labels, items,
annotators and categories stand beside one another without empty cells; `pandas.DataFrame.explode`
makes rows of it. Scores are a map from the model to its numbers, row by row where it has one for
each category. Experts' opinions stand item by item, as many of each.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from crowdgold.record.record import read_record, written
from crowdgold.record.seals import seal
from crowdgold.system.temporary import unfinished
from crowdgold.types.annotations import Annotations, Opinions
from crowdgold.types.gold_draw import GoldDraw
from crowdgold.types.items import ANNOTATIONS, ITEMS, Items, Table, kind_of, labels_of_items

NAMES, POSITIONS, LABELS, NUMBERS = map(
    pa.list_, (pa.string(), pa.int64(), pa.int8(), pa.float64())
)
SCORES = pa.map_(pa.string(), NUMBERS)
VOTE, DRAW = "vote_", "draw_"
"""How the columns begin of who gave each vote of Items, and of how gold items were drawn."""
OPINIONS = "opinions"
"""The column of what experts said of Items: gold was drawn at random, and no error is given."""
COLUMNS: dict[str, dict[str, pa.DataType]] = {
    ITEMS: {
        "item": NAMES, "votes_positive": POSITIONS, "votes_total": POSITIONS, "gold": LABELS,
        "tie_break": NUMBERS, "truth": LABELS, "oracle": NUMBERS, "scores": SCORES,
        "vote_item_of": POSITIONS, "vote_annotator": NAMES, "vote_label": LABELS,
        "draw_chance": NUMBERS, "draw_stratum": POSITIONS, "draw_drawn": POSITIONS,
        "draw_batch": POSITIONS, "draw_counts": NUMBERS, "draw_by_chance": NUMBERS,
        "cluster": POSITIONS, OPINIONS: LABELS,
    },
    ANNOTATIONS: {
        "item": NAMES, "annotator": NAMES, "group": NAMES, "category": NAMES,
        "item_of": POSITIONS, "annotator_of": POSITIONS, "group_of": POSITIONS,
        "label": POSITIONS, "truth": POSITIONS, "agent": NAMES, "agent_of": POSITIONS,
        "credit": NUMBERS, "scores": SCORES,
    },
}  # fmt: skip
"""Kind of table -> its columns; those of what a table does not have hold nothing."""


def _cell(value: Any, kind: pa.DataType) -> pa.Array:
    if value is None:
        return pa.nulls(1, kind)
    if kind == SCORES:
        flat = [(name, np.asarray(one, dtype=float).ravel()) for name, one in value.items()]
        return pa.array([flat], kind)
    # Texts of numpy's own kind would not be taken for texts.
    values = pa.array(value.tolist() if kind == NAMES else value, kind.value_type)
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)


def row_of(table: Table) -> pa.Table:
    """The row of a table, with columns and types that all tables of its kind have."""
    columns = COLUMNS[kind_of(table)]
    own = [name for name in columns if not name.startswith((VOTE, DRAW))]
    held = dict.fromkeys(columns) | {name: getattr(table, name) for name in own}
    if isinstance(table, Items):
        if table.labels is not None:
            held[f"{VOTE}item_of"] = table.labels.item_of
            held[f"{VOTE}annotator"] = table.labels.annotator[table.labels.annotator_of]
            held[f"{VOTE}label"] = table.labels.label
        if table.draw is not None:
            held |= {f"{DRAW}{name}": one for name, one in vars(table.draw).items()}
        held[OPINIONS] = table.opinions and table.opinions.labels.ravel()
    return pa.table({name: _cell(held[name], kind) for name, kind in columns.items()})


def _array(values: pa.Array) -> np.ndarray:
    # A copy, since what arrow holds cannot be written to.
    return np.array(values.to_numpy(zero_copy_only=False))


def _value(cell: pa.Scalar) -> Any:
    if not cell.is_valid:
        return None
    if cell.type != SCORES:
        return _array(cell.values)
    names, numbers = (cell.values.field(part) for part in ("key", "value"))
    return {str(name): _array(one.values) for name, one in zip(names, numbers, strict=True)}


def table_of(row: Mapping[str, pa.Scalar]) -> Table:
    """The table of a row of `row_of`, which may have other columns too; nothing is checked."""
    kind = ITEMS if "votes_total" in row else ANNOTATIONS
    held = {name: _value(row[name]) for name in COLUMNS[kind]}
    if kind == ANNOTATIONS:
        shape = len(held["item"]), len(held["category"])
        held["scores"] = {name: one.reshape(shape) for name, one in held["scores"].items()}
        return Annotations(**held)
    item_of, annotator, label = (held.pop(name) for name in [*held] if name.startswith(VOTE))
    draw = [held.pop(name) for name in [*held] if name.startswith(DRAW)]
    held["draw"] = None if draw[0] is None else GoldDraw(*draw)
    opinions = held[OPINIONS]
    if opinions is not None:
        held[OPINIONS] = Opinions(opinions.reshape(len(held["item"]), -1))
    if label is not None:
        held["labels"] = labels_of_items(held["item"], item_of, annotator, label)
    return Items(**held)


BOTH, TABLE, REFERENCE = "both", "table", "reference"
"""Values of the column `part`: in which of a replicate's two tables a row stands."""


@dataclass(frozen=True)
class Replicate:
    """One replicate: its table, its reference, and the parameters it was drawn with."""

    table: Table
    reference: Table
    parameters: Mapping[str, Any]
    population: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Metric -> its value in the population, and the Monte Carlo error of that; empty where the
    truth is the reference's."""
    state: Mapping[str, Any] = field(default_factory=dict)
    """That of the random numbers after the draw, where the generator gives it."""


def _rows(setting: str, replicate: int, drawn: Replicate) -> pa.Table:
    """A replicate's rows: one where its reference is the table itself, or else two."""
    same = drawn.reference is drawn.table
    parts = {BOTH: drawn.table} if same else {TABLE: drawn.table, REFERENCE: drawn.reference}
    known = {
        "setting": setting,
        "replicate": replicate,
        "parameters": json.dumps(drawn.parameters, sort_keys=True),
        "population": json.dumps(drawn.population, sort_keys=True),
        "state": json.dumps(drawn.state, sort_keys=True),
    }
    columns = {name: pa.repeat(value, len(parts)) for name, value in known.items()}
    rows = pa.concat_tables(map(row_of, parts.values()))
    cells = dict(zip(rows.column_names, rows.columns, strict=True))
    return pa.table({**columns, "part": pa.array(parts), **cells})


def write_replicates(
    path: Path, replicates: Iterable[tuple[str, int, Replicate]], record: Mapping[str, Any]
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
        writer.add_key_value_metadata(written(record, path))
        writer.close()
        seal(own)


class DataTable:
    """A block's data table, read one replicate at a time."""

    def __init__(self, path: Path) -> None:
        read_record(path)
        self._file = pq.ParquetFile(path)
        named = self._file.read(columns=["setting", "replicate"]).to_pydict()
        # A replicate is a row group; its one or two rows follow one another.
        self._names = list(dict.fromkeys(zip(named["setting"], named["replicate"], strict=True)))

    @property
    def replicates(self) -> list[tuple[str, int]]:
        """The (setting, number) of every replicate that the table holds."""
        return list(self._names)

    def replicate(self, setting: str, number: int) -> Replicate:
        """Read one replicate; ValueError where the table does not hold it."""
        if (setting, number) not in self._names:
            raise ValueError(f"the data table has no setting {setting}, replicate {number}")
        rows = self._file.read_row_group(self._names.index((setting, number)))
        cells = [{name: rows[name][one] for name in rows.column_names} for one in range(len(rows))]
        tables = {row["part"].as_py(): table_of(row) for row in cells}
        table, reference = (tables[part if part in tables else BOTH] for part in (TABLE, REFERENCE))
        beside = ("parameters", "population", "state")
        known = (json.loads(cells[0][name].as_py()) for name in beside)
        return Replicate(table, reference, *known)
