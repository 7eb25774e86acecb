"""Tables as rows of a data table, and back again without loss.

Items are a row each. Annotations are long, and `record` says what a row holds:

- category, group, annotator, classifier: one of these, in `label`, `group`, `annotator` or (a
  classifier) `annotator`, in their order;
- item: an item, and its true category in `truth` where it is known;
- label: the `label` that `annotator` of `group` gave to `item`;
- score: the part `value` that the classifier in `annotator` gives category `label` of `item`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.data import ANNOTATIONS, ITEMS, NO_GOLD, Annotations, Items, Table, kind_of
from crowdgold.data.items import SCORE

WHOLE = {"votes_positive": "Int32", "votes_total": "Int32", "gold": "Int8", "truth": "Int8"}
OPTIONAL = ("truth", "oracle")

RECORD = "record"
TEXTS = (RECORD, "item", "annotator", "group", "label", "truth")
LONG = {**dict.fromkeys(TEXTS, "string"), "value": "float64"}
"""Columns of Annotations, and their types."""


def _frame_of_items(items: Items) -> pd.DataFrame:
    frame = items.to_frame()
    for column in OPTIONAL:
        if column not in frame:
            frame[column] = np.nan
    return frame.astype({"item": "string", "oracle": "float64", **WHOLE})


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


def _rows(record: str, **columns: Any) -> pd.DataFrame:
    frame = pd.DataFrame(columns, dtype=object).reindex(columns=[*LONG])
    return frame.assign(**{RECORD: record}).astype(LONG)


def _score_rows(table: Annotations, classifier: str) -> pd.DataFrame:
    """Give the scores of a classifier, of the items that have any."""
    item, category = np.nonzero(np.isfinite(table.scores[classifier]))
    return _rows(
        "score",
        item=table.item[item],
        annotator=np.full(len(item), classifier, dtype=object),
        label=table.category[category],
        value=table.scores[classifier][item, category],
    )


def _frame_of_annotations(table: Annotations) -> pd.DataFrame:
    known = {} if table.truth is None else {"truth": table.category[table.truth]}
    parts = [
        _rows("category", label=table.category),
        _rows("group", group=table.group),
        _rows("annotator", annotator=table.annotator),
        _rows("classifier", annotator=list(table.scores)),
        _rows("item", item=table.item, **known),
        _rows(
            "label",
            item=table.item[table.item_of],
            annotator=table.annotator[table.annotator_of],
            group=table.group[table.group_of],
            label=table.category[table.label],
        ),
        *(_score_rows(table, classifier) for classifier in table.scores),
    ]
    return pd.concat(parts, ignore_index=True)


def _annotations(frame: pd.DataFrame) -> Annotations:
    """Make Annotations of rows that were Annotations before: no checks."""
    records = dict(list(frame.groupby(RECORD, sort=False)))
    nothing = frame.iloc[:0]

    def of(record: str, column: str) -> np.ndarray:
        return records.get(record, nothing)[column].to_numpy(dtype=object)

    names = {
        "item": of("item", "item"),
        "annotator": of("annotator", "annotator"),
        "group": of("group", "group"),
        "category": of("category", "label"),
    }
    index = {name: pd.Index(values) for name, values in names.items()}
    truth = of("item", "truth")
    scores = {str(name): np.full((len(names["item"]), len(names["category"])), np.nan)
              for name in of("classifier", "annotator")}  # fmt: skip
    rows = index["item"].get_indexer(of("score", "item"))
    columns = index["category"].get_indexer(of("score", "label"))
    given = of("score", "annotator")
    for name, vectors in scores.items():
        own = given == name
        vectors[rows[own], columns[own]] = of("score", "value")[own]
    return Annotations(
        item=names["item"],
        annotator=names["annotator"],
        group=names["group"],
        category=names["category"],
        item_of=index["item"].get_indexer(of("label", "item")),
        annotator_of=index["annotator"].get_indexer(of("label", "annotator")),
        group_of=index["group"].get_indexer(of("label", "group")),
        label=index["category"].get_indexer(of("label", "label")),
        scores=scores,
        truth=None if pd.isna(truth).any() else index["category"].get_indexer(truth),
    )


WRITERS: dict[str, Callable[[Any], pd.DataFrame]] = {
    ITEMS: _frame_of_items,
    ANNOTATIONS: _frame_of_annotations,
}


def frame_of(table: Table) -> pd.DataFrame:
    """Give the rows of a table, with columns and types that all tables of its kind have."""
    return WRITERS[kind_of(table)](table)


def table_of(frame: pd.DataFrame) -> Table:
    """Make a table of the rows that `frame_of` gave of one."""
    return _annotations(frame) if RECORD in frame else _items(frame)
