"""A table as one row of a parquet file, and back again without loss.

A column is a field of the table and its cell holds the whole array, in the table's own order. So
one format is of Items and of Annotations, no row says what it is, and arrays of labels, items,
annotators and categories stand beside one another without empty cells. `pandas.DataFrame.explode`
makes rows of it.

Scores are a map from the model to its numbers, row by row where it has one for each category.
Experts' opinions stand item by item, as many of each.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from crowdgold.data import ANNOTATIONS, ITEMS, Annotations, GoldDraw, Items, Table, kind_of
from crowdgold.data.item_columns import labels_of_items
from crowdgold.data.opinions import Opinions

NAMES, POSITIONS, LABELS, NUMBERS = map(
    pa.list_, (pa.string(), pa.int64(), pa.int8(), pa.float64())
)
SCORES = pa.map_(pa.string(), NUMBERS)
VOTE = "vote_"
"""Begins the columns of who gave each vote of Items."""
DRAW = "draw_"
"""Begins the columns of how gold items were drawn."""
OPINIONS = "opinions"
"""The column of what experts said of Items: gold was drawn at random, and no error is given."""
COLUMNS: dict[str, dict[str, pa.DataType]] = {
    ITEMS: {
        "item": NAMES,
        "votes_positive": POSITIONS,
        "votes_total": POSITIONS,
        "gold": LABELS,
        "tie_break": NUMBERS,
        "truth": LABELS,
        "oracle": NUMBERS,
        "scores": SCORES,
        f"{VOTE}item_of": POSITIONS,
        f"{VOTE}annotator": NAMES,
        f"{VOTE}label": LABELS,
        f"{DRAW}chance": NUMBERS,
        f"{DRAW}stratum": POSITIONS,
        f"{DRAW}drawn": POSITIONS,
        f"{DRAW}batch": POSITIONS,
        f"{DRAW}counts": NUMBERS,
        f"{DRAW}by_chance": NUMBERS,
        "cluster": POSITIONS,
        OPINIONS: LABELS,
    },
    ANNOTATIONS: {
        "item": NAMES,
        "annotator": NAMES,
        "group": NAMES,
        "category": NAMES,
        "item_of": POSITIONS,
        "annotator_of": POSITIONS,
        "group_of": POSITIONS,
        "label": POSITIONS,
        "truth": POSITIONS,
        "agent": NAMES,
        "agent_of": POSITIONS,
        "credit": NUMBERS,
        "scores": SCORES,
    },
}
"""Kind of table -> its columns; those of what a table does not have hold nothing."""


def _votes(labels: Annotations | None) -> dict[str, np.ndarray]:
    """Who gave each vote of Items, by column."""
    if labels is None:
        return {}
    given = {
        "item_of": labels.item_of,
        "annotator": labels.annotator[labels.annotator_of],
        "label": labels.label,
    }
    return {f"{VOTE}{name}": values for name, values in given.items()}


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
    held: dict[str, Any] = {}
    if isinstance(table, Items):
        parts = {} if table.draw is None else vars(table.draw)
        held = _votes(table.labels) | {f"{DRAW}{name}": one for name, one in parts.items()}
        held[OPINIONS] = table.opinions and table.opinions.labels.ravel()
    return pa.table(
        {
            name: _cell(
                held.get(name) if name.startswith((VOTE, DRAW, OPINIONS)) else getattr(table, name),
                kind,
            )
            for name, kind in COLUMNS[kind_of(table)].items()
        }
    )


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
    """Make a table of the row that `row_of` gave of one: no checks, nothing drawn.

    Args:
        row: column -> its cell; of other columns too.
    """
    kind = ITEMS if "votes_total" in row else ANNOTATIONS
    found = {name: _value(row[name]) for name in COLUMNS[kind]}
    if kind == ANNOTATIONS:
        shape = len(found["item"]), len(found["category"])
        found["scores"] = {name: one.reshape(shape) for name, one in found["scores"].items()}
        return Annotations(**found)
    item_of, annotator, label = (found.pop(name) for name in [*found] if name.startswith(VOTE))
    draw = [found.pop(name) for name in [*found] if name.startswith(DRAW)]
    found["draw"] = None if draw[0] is None else GoldDraw(*draw)
    opinions = found[OPINIONS]
    if opinions is not None:
        found[OPINIONS] = Opinions(opinions.reshape(len(found["item"]), -1))
    if label is not None:
        found["labels"] = labels_of_items(found["item"], item_of, annotator, label)
    return Items(**found)
