"""The columns of a table of items: what they must hold, and what is made of them."""

import numpy as np
import pandas as pd

from crowdgold.data.checks import Problems, is_empty, list_names, repeated, to_numbers

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
        bad = ~np.isfinite(values) & ~(may_be_empty & is_empty(frame[column]))
        problems.add_rows(column, bad, frame[column], "a finite number")
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
    item, empty = frame["item"].astype("string"), is_empty(frame["item"])
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
