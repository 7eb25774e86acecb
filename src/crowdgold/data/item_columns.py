"""The columns of a table of items: what they must hold, and what is made of them."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pandas as pd

from crowdgold.data.annotations import NO_GROUP, Annotations
from crowdgold.data.checks import (
    BELOW_LARGEST,
    LARGEST,
    Problems,
    is_empty,
    list_names,
    repeated,
    to_numbers,
)
from crowdgold.data.errors import InputError

NO_GOLD = -1
"""The value of `Items.gold` where no expert labelled the item (the paper's empty set)."""

SCORE = "score"
MOST_VOTES = 2**31


def _predictor_names(frame: pd.DataFrame) -> dict[str, str]:
    return {
        (column if column == SCORE else column.removeprefix(f"{SCORE}_")): column
        for column in map(str, frame.columns)
        if column == SCORE or column.startswith(f"{SCORE}_")
    }


def check_shape(frame: pd.DataFrame, problems: Problems) -> None:
    """Note columns that are missing or there twice, and a table without rows."""
    have = [str(column) for column in frame.columns]
    for column in ("item", "votes_positive", "votes_total"):
        if column not in have:
            problems.add(f"column {column!r} is missing; the table has: {list_names(have)}")
    for column, times in sorted(repeated(have).items()):
        problems.add(f"column {column!r} is there {times} times; expected once")
    if len(frame) == 0:
        problems.add("the table has no rows")


def whole_numbers_in(
    frame: pd.DataFrame, column: str, lowest: int, problems: Problems
) -> np.ndarray:
    """The column of whole numbers (n,) as floats; NaN where the cell is not one."""
    values = to_numbers(frame[column])
    good = (values >= lowest) & (values <= MOST_VOTES) & (values == np.floor(values))
    problems.add_rows(column, ~good, frame[column], f"a whole number from {lowest} to {MOST_VOTES}")
    return np.where(good, values, np.nan)


def labels_in(
    frame: pd.DataFrame, column: str, may_be_empty: bool, problems: Problems
) -> np.ndarray:
    """The labels 0 and 1 (n,) of a column; `NO_GOLD` where a cell may be empty and is."""
    values, empty = to_numbers(frame[column]), is_empty(frame[column])
    bad = ~np.isin(values, (0, 1)) & ~(empty & may_be_empty)
    expected = "0, 1 or an empty cell" if may_be_empty else "0 or 1"
    problems.add_rows(column, bad, frame[column], expected)
    return np.where(np.isin(values, (0, 1)), values, NO_GOLD).astype(np.int8)


def scores_in(frame: pd.DataFrame, may_be_empty: bool, problems: Problems) -> dict[str, np.ndarray]:
    """The scores (n,) by predictor; NaN where a cell may be empty and is."""
    scores = {}
    for predictor, column in _predictor_names(frame).items():
        values = to_numbers(frame[column])
        bad = ~(np.abs(values) < LARGEST) & ~(may_be_empty & is_empty(frame[column]))
        problems.add_rows(column, bad, frame[column], BELOW_LARGEST)
        known = values[np.isfinite(values)]
        if not bad.any() and len(known) > 1 and np.all(known == known[0]):
            problems.add(
                f"column {column!r}: every score is {known[0]:g}, so the items cannot be ranked; "
                "expected scores that differ"
            )
        scores[predictor] = values
    return scores


def identifiers_in(frame: pd.DataFrame, problems: Problems) -> np.ndarray:
    """The identifiers (n,), each of which may stand there once."""
    item, empty = frame["item"], is_empty(frame["item"])
    if pd.api.types.infer_dtype(item, skipna=False) != "string":
        item = item.astype("string")
    problems.add_rows("item", empty, frame["item"], "an identifier")
    repeated = np.asarray(item.duplicated(keep=False), dtype=bool) & ~empty
    problems.add_rows("item", repeated, item, "each item once (it is there repeatedly)")
    return item.to_numpy(dtype=object)


def oracle_in(frame: pd.DataFrame, problems: Problems) -> np.ndarray | None:
    """The probabilities P(Y = 1 | V) (n,); None where the table has none."""
    if "oracle" not in frame:
        return None
    values = to_numbers(frame["oracle"])
    bad = ~((values >= 0) & (values <= 1))
    problems.add_rows("oracle", bad, frame["oracle"], "a probability")
    return values


def tie_break_in(frame: pd.DataFrame, rng: np.random.Generator, problems: Problems) -> np.ndarray:
    """The numbers (n,) that order items whose scores are equal, drawn where there are none."""
    if "tie_break" not in frame:
        return rng.random(len(frame))
    values = to_numbers(frame["tie_break"])
    problems.add_rows("tie_break", ~np.isfinite(values), frame["tie_break"], "a finite number")
    return values


def check_gold(gold: np.ndarray, problems: Problems) -> None:
    """Note gold labels that are all of one class."""
    found = np.unique(gold[gold != NO_GOLD])
    if found.size == 1:
        rows = int((gold != NO_GOLD).sum())
        problems.add(
            f"column 'gold': all {rows} gold labels are {found[0]}; expected some of each class. "
            "Label more items chosen at random, or leave gold empty to run without it"
        )


TRUTH = "truth"


def with_truth(
    annotations: Annotations,
    frame: pd.DataFrame,
    source: str = "the table",
    first_row: int | np.ndarray = 0,
) -> Annotations:
    """Annotations with the true category of each item.

    Args:
        annotations: made of this frame.
        frame: columns item and truth; the truth of an item stands in each of its rows.
        source: how messages name the table.
        first_row: the number messages give the first row.

    Raises:
        InputError: where the column is missing, or naming every row whose truth is no category or
            is not that of the item's other rows.
    """
    if TRUTH not in frame:
        have = ", ".join(map(str, frame.columns))
        raise InputError(f"{source}: column {TRUTH!r} is missing; the table has: {have}")
    problems = Problems(source, first_row)
    text = frame[TRUTH].astype("string").str.strip().fillna("")
    position = pd.Index(annotations.category).get_indexer(pd.Index(text))
    expected = f"one of {', '.join(map(str, annotations.category))}"
    problems.add_rows(TRUTH, position < 0, frame[TRUTH], expected)
    item = pd.Index(annotations.item).get_indexer(frame["item"].astype("string").str.strip())
    truth = np.full(len(annotations.item), -1)
    # Backwards, so that the first row of an item decides.
    truth[item[::-1]] = position[::-1]
    other = (position >= 0) & (position != truth[item])
    problems.add_rows(TRUTH, other, frame[TRUTH], "the truth that the item's first row has")
    problems.raise_if_any()
    return replace(annotations, truth=truth)


VOTES = ("0", "1")
"""The categories of votes; the second is positive."""


def labels_of_items(
    item: np.ndarray, item_of: np.ndarray, annotator: np.ndarray, positive: np.ndarray
) -> Annotations:
    """Make the labels behind the votes of items.

    Args:
        item_of: (L,) position of each label's item, ascending.
        annotator: (L,) who gave each label; equal names are one annotator. Annotators are sorted.
        positive: (L,) whether the label is positive.
    """
    names, annotator_of = np.unique(annotator.astype(str), return_inverse=True)
    return Annotations(
        item=item,
        annotator=names.astype(object),
        group=np.array([NO_GROUP], dtype=object),
        category=np.array(VOTES, dtype=object),
        item_of=item_of.astype(np.int64),
        annotator_of=annotator_of.astype(np.int64),
        group_of=np.zeros(len(item_of), dtype=np.int64),
        label=positive.astype(np.int64),
    )


def positive_categories(annotations: Annotations, positive: Collection[str]) -> np.ndarray:
    """Say which categories count as positive: (K,), some and not all.

    Args:
        positive: names of categories; the last one where there are none.

    Raises:
        InputError: where there is no such category, or all are positive.
    """
    names = [str(name) for name in annotations.category]
    chosen = set(map(str, positive)) or {names[-1]}
    for name in sorted(chosen):
        if name not in names:
            raise InputError(
                f"positive: found {name!r}, expected categories out of {', '.join(names)}"
            )
    if len(chosen) == len(names):
        raise InputError(f"positive: all of {', '.join(names)}; expected some and not all")
    return np.array([name in chosen for name in names])
