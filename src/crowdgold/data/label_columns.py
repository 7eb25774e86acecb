"""The columns of a table of labels: what they must hold, and what is made of them."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from crowdgold.data.checks import Problems, is_empty, list_names, to_numbers

ONE_LABEL = ("refuse", "first", "last")
"""Rules that leave one label of an annotator on an item, where there are more."""
REPEATED = (*ONE_LABEL, "keep")
"""What to do where an annotator labels an item more than once."""


def check_columns(frame: pd.DataFrame, needed: Sequence[str], problems: Problems) -> None:
    """Check that a table has rows and the columns it needs; `InputError` where it has not."""
    have = [str(column) for column in frame.columns]
    for column in needed:
        if column not in have:
            problems.add(f"column {column!r} is missing; the table has: {list_names(have)}")
    if len(frame) == 0:
        problems.add("the table has no rows")
    problems.raise_if_any()


def texts_of(frame: pd.DataFrame, column: str, problems: Problems) -> pd.Series:
    """A column as texts without white space around; empty cells are a problem.

    Categories whose names are such texts stay categories.
    """
    if isinstance(frame[column].dtype, pd.CategoricalDtype):
        names = frame[column].cat.categories
        texts = pd.Index(names.astype("string").str.strip())
        known = frame[column].notna().all() and not is_empty(pd.Series(texts)).any()
        if known and texts.is_unique:
            same = texts.equals(names)
            return frame[column] if same else frame[column].cat.rename_categories(list(texts))
    problems.add_rows(column, is_empty(frame[column]), frame[column], "a value")
    return frame[column].astype("string").str.strip()


def categories_of(
    labels: pd.Series, known: Sequence[str] | None, problems: Problems
) -> tuple[np.ndarray, np.ndarray]:
    """The position of each label (L,) among the categories, and the categories (K,)."""
    code, found = pd.factorize(labels)
    if known is None:
        known = sorted(found)
    names = [str(name) for name in known]
    position = np.append(pd.Index(names).get_indexer(pd.Index(found)), -1)[code]
    unknown = (position < 0) & labels.notna().to_numpy()
    problems.add_rows("label", unknown, labels, f"one of {', '.join(names)}")
    if len(names) < 2:
        problems.add(
            f"column 'label': every label is {names[0] if names else 'empty'!r}; expected two or "
            "more categories. Name them all where some are never given (categories=...)"
        )
    return position, np.array(names, dtype=object)


def without_repeats(frame: pd.DataFrame, rule: str, problems: Problems) -> pd.DataFrame:
    """Keep one label of each annotator on each item, by the rule."""
    pair = ["item", "annotator"]
    repeated = frame.duplicated(pair, keep=False).to_numpy()
    if rule == "refuse" and repeated.any():
        who = frame["annotator"].astype("string") + " on " + frame["item"].astype("string")
        problems.add_rows(
            "annotator",
            repeated,
            who,
            "each annotator once on an item. Where several columns name an item together, say so "
            "by --item item,OTHER. Else remove rows, or keep one of them by --repeated first or "
            "--repeated last (in Python by repeated='first' or 'last', or all by 'keep')",
        )
    if rule in ("refuse", "keep"):
        return frame
    kept: pd.DataFrame = frame.drop_duplicates(pair, keep="first" if rule == "first" else "last")
    return kept


def responses_of(table: pd.DataFrame, problems: Problems) -> pd.Series:
    """Name each row's response: its item, or ITEM_AGENT where several agents answered an item."""
    if "agent" not in table:
        return table["item"]
    if not table[["item", "agent"]].drop_duplicates()["item"].duplicated().any():
        return table["item"]
    named = table["item"].astype("string") + "_" + table["agent"].astype("string")
    pairs = table.groupby(["item", "agent"], observed=True).ngroup()
    mixed = pairs.groupby(named).nunique()
    if (mixed > 1).any():
        problems.add(
            f"columns 'item' and 'agent': {mixed.idxmax()!r} is the name of two responses (item, "
            "an underscore, agent); expected names that can be told apart"
        )
    return named


def credits_of(
    credit: Mapping[str, float] | None, known: np.ndarray, problems: Problems
) -> np.ndarray | None:
    """The credit of each category (K,), None where nothing is said of any."""
    if credit is None:
        return None
    given = {str(name): value for name, value in credit.items()}
    missing = [name for name in known if name not in given]
    unknown = [name for name in given if name not in known]
    if missing or unknown:
        problems.add(
            f"credit: found {', '.join(given) or 'nothing'}; expected a number for each of "
            f"{', '.join(known)}"
        )
        return None
    values = to_numbers(pd.Series([given[name] for name in known]))
    if not np.isfinite(values).all():
        bad = known[~np.isfinite(values)][0]
        problems.add(f"credit: {bad}: found {given[bad]!r}, expected a number")
    return values
