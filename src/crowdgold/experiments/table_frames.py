"""Tables as rows of a data table, and back again without loss.

Items are a row each; where it is known who gave each vote, the columns `annotators` and `labels`
hold a list for each item. Annotations are long, and `record` says what a row holds:

- category, group, annotator, classifier, agent: the name of one, in their order; a category's in
  `label`, with its credit in `value` where it has one, a classifier's in `annotator`;
- item: an item, its `agent` where it has one, and its true category in `truth` where it is known;
- label: the `label` that `annotator` of `group` gave to `item`;
- score: the part `value` that the classifier in `annotator` gives category `label` of `item`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from crowdgold.data import ANNOTATIONS, ITEMS, NO_GOLD, Annotations, Items, Table, kind_of
from crowdgold.data.item_columns import SCORE
from crowdgold.data.item_labels import labels_of_items

WHOLE = {"votes_positive": "Int32", "votes_total": "Int32", "gold": "Int8", "truth": "Int8"}
OPTIONAL = ("truth", "oracle")

ANNOTATORS, LABELS = "annotators", "labels"
"""Columns of Items that say who gave each vote."""

RECORD = "record"
RECORDS = ("category", "group", "annotator", "classifier", "agent", "item", "label", "score")
"""What the rows of Annotations hold, in their order."""


def _rows_of_items(items: Items) -> pa.Table:
    frame = items.to_frame()
    for column in OPTIONAL:
        if column not in frame:
            frame[column] = np.nan
    typed = frame.astype({"item": "string", "oracle": "float64", **WHOLE})
    rows = pa.Table.from_pandas(typed, preserve_index=False)
    return rows if items.labels is None else _with_labels(rows, items.labels)


def _with_labels(rows: pa.Table, labels: Annotations) -> pa.Table:
    """Add who gave each vote: a list of annotators and one of labels for each item."""
    ends = np.append(0, np.cumsum(labels.labels_of_item)).astype(np.int32)
    names = pa.array(labels.annotator[labels.annotator_of].tolist(), pa.string())
    positive = pa.array(labels.label.astype(np.int8))
    for column, values in ((ANNOTATORS, names), (LABELS, positive)):
        rows = rows.append_column(column, pa.ListArray.from_arrays(pa.array(ends), values))
    return rows


def _labels(frame: pd.DataFrame, item: np.ndarray) -> Annotations:
    """Who gave each vote of Items."""
    each = frame[LABELS].map(len).to_numpy()
    item_of = np.repeat(np.arange(len(item)), each)
    names, positive = (np.concatenate(frame[one].to_numpy()) for one in (ANNOTATORS, LABELS))
    return labels_of_items(item, item_of, names, positive)


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
    if LABELS in frame:
        columns["labels"] = _labels(frame, columns["item"])
    if frame["truth"].notna().all():
        columns["truth"] = frame["truth"].to_numpy(dtype=np.int8)
    if frame["oracle"].notna().all():
        columns["oracle"] = frame["oracle"].to_numpy(dtype=float)
    return Items(**columns)


def _named(names: Sequence[str] | np.ndarray, parts: Sequence[np.ndarray | int]) -> pa.Array:
    """Make a column of names, each stored once.

    Args:
        names: the names; a position names its row.
        parts: for each record the positions of its rows, or how many rows hold nothing.
    """
    position = np.concatenate(
        [np.full(part, -1) if isinstance(part, int) else part for part in parts]
    )
    codes = pa.array(position.astype(np.int32), mask=position < 0)
    return pa.DictionaryArray.from_arrays(codes, pa.array(list(names), pa.string()))


def _rows_of_annotations(table: Annotations) -> pa.Table:
    vectors = np.array(list(table.scores.values())).reshape(
        len(table.scores), len(table.item), len(table.category)
    )
    of, item, category = np.nonzero(np.isfinite(vectors))
    # A classifier stands in the column of annotators, and may have the name of one.
    names = list(dict.fromkeys([*table.annotator, *table.scores]))
    classifier = pd.Index(names).get_indexer(pd.Index([*table.scores], dtype=object))
    K, G, A, C = len(table.category), len(table.group), len(table.annotator), len(classifier)
    N, I, L, S = len(table.agent), len(table.item), len(table), len(of)
    sizes = (K, G, A, C, N, I, L, S)
    record = np.repeat(np.arange(len(RECORDS)), sizes)
    truth: np.ndarray | int = I if table.truth is None else table.truth
    agent: np.ndarray | int = table.agent_of if N else I
    credit = np.full(K, np.nan) if table.credit is None else table.credit
    empty = np.full(sum(sizes) - K - S, np.nan)
    value = np.concatenate([credit, empty, vectors[of, item, category]])
    return pa.table(
        {
            RECORD: _named(RECORDS, [record]),
            "item": _named(table.item, [K, G, A, C, N, np.arange(I), table.item_of, item]),
            "annotator": _named(
                names, [K, G, np.arange(A), classifier, N, I, table.annotator_of, classifier[of]]
            ),
            "agent": _named(table.agent, [K, G, A, C, np.arange(N), agent, L, S]),
            "group": _named(table.group, [K, np.arange(G), A, C, N, I, table.group_of, S]),
            "label": _named(table.category, [np.arange(K), G, A, C, N, I, table.label, category]),
            "truth": _named(table.category, [K, G, A, C, N, truth, L, S]),
            "value": pa.array(value),
        }
    )


class _Records:
    """The rows of Annotations, by record and column."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self._codes: dict[str, tuple[np.ndarray, pd.Index]] = {}
        codes, names = self._column(RECORD)
        self._rows = {name: np.flatnonzero(codes == names.get_loc(name)) for name in names}

    def _column(self, column: str) -> tuple[np.ndarray, pd.Index]:
        """A column's codes, -1 for none, and what they stand for; found once."""
        if column not in self._codes:
            values = self._frame[column].astype("category").cat
            names = pd.Index(values.categories.to_numpy(dtype=object), dtype=object)
            self._codes[column] = values.codes.to_numpy(), names
        return self._codes[column]

    def _rows_of(self, record: str) -> np.ndarray:
        return self._rows.get(record, np.empty(0, np.int64))

    def names(self, record: str, column: str) -> np.ndarray:
        """The names in a column of a record's rows, each of which has one."""
        codes, names = self._column(column)
        return names.to_numpy()[codes[self._rows_of(record)]]

    def positions(self, record: str, column: str, names: np.ndarray) -> np.ndarray:
        """The positions among `names` of those in a column of a record's rows; -1 for none."""
        codes, known = self._column(column)
        found = np.append(pd.Index(names, dtype=object).get_indexer(known), -1)
        return np.asarray(found[codes[self._rows_of(record)]])

    def values(self, record: str) -> np.ndarray:
        """The values of a record's rows."""
        return self._frame["value"].to_numpy(dtype=float)[self._rows_of(record)]


def _annotations(frame: pd.DataFrame) -> Annotations:
    """Make Annotations of rows that were Annotations before: no checks."""
    rows = _Records(frame)
    item, annotator = rows.names("item", "item"), rows.names("annotator", "annotator")
    group, category = rows.names("group", "group"), rows.names("category", "label")
    classifiers = rows.names("classifier", "annotator")
    vectors = np.full((len(classifiers), len(item), len(category)), np.nan)
    of = rows.positions("score", "annotator", classifiers)
    vectors[
        of, rows.positions("score", "item", item), rows.positions("score", "label", category)
    ] = rows.values("score")
    agent, credit = rows.names("agent", "agent"), rows.values("category")
    truth = rows.positions("item", "truth", category)
    return Annotations(
        item=item,
        annotator=annotator,
        group=group,
        category=category,
        item_of=rows.positions("label", "item", item),
        annotator_of=rows.positions("label", "annotator", annotator),
        group_of=rows.positions("label", "group", group),
        label=rows.positions("label", "label", category),
        scores=dict(zip(map(str, classifiers), vectors, strict=True)),
        truth=None if (truth < 0).any() else truth,
        agent=agent,
        agent_of=rows.positions("item", "agent", agent) if len(agent) else np.empty(0, np.int64),
        credit=None if np.isnan(credit).any() else credit,
    )


WRITERS: dict[str, Callable[[Any], pa.Table]] = {
    ITEMS: _rows_of_items,
    ANNOTATIONS: _rows_of_annotations,
}


def rows_of(table: Table) -> pa.Table:
    """The rows of a table, with columns and types that all tables of its kind have."""
    return WRITERS[kind_of(table)](table)


def table_of(frame: pd.DataFrame) -> Table:
    """Make a table of the rows that `rows_of` gave of one."""
    return _annotations(frame) if RECORD in frame else _items(frame)
