"""Columns of an input table: what they must hold, and the words in which messages list things.

Each problem names file, column, rows, and the way out.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.types.errors import InputError

FEW, FIRST = 8, 3
"""A message shows up to `FEW` rows or guessed names; of more guessed names the `FIRST` ones."""


def list_rows(rows: Iterable[object]) -> str:
    """Rows for a message: the first few, then how many more."""
    rows = list(rows)
    return f"row{'s' if len(rows) > 1 else ''} {list_names(rows, FEW)}"


def list_names(names: Iterable[object], shown: int = 20) -> str:
    """Names for a message: the first few, then how many more."""
    texts = [str(name) for name in names]
    more = f" and {len(texts) - shown:,} more" if len(texts) > shown else ""
    return ", ".join(texts[:shown]) + more


def list_guessed(names: Iterable[object]) -> str:
    """Names that were guessed alike: all of a few, so that none is overlooked, else the first."""
    names = list(names)
    return list_names(names, FEW if len(names) <= FEW else FIRST)


def repeated(names: Iterable[str]) -> dict[str, int]:
    """Names that are there more than once, in their order, with how often."""
    return {name: times for name, times in Counter(names).items() if times > 1}


def counted(number: int, thing: str) -> str:
    """A number of things, in words: 1 item, 2 items, 10,000 items."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def has_or_have(number: int) -> str:
    """The verb of a number of things: 1 item has, 2 items have."""
    return "has" if number == 1 else "have"


def is_or_are(number: int) -> str:
    """The verb of a number of things: there is 1 item, there are 2 items."""
    return "is" if number == 1 else "are"


@dataclass
class Problems:
    """Problems found in one table, gathered so that the user sees all of them at once.

    `first_row` is the number that the user's own tool shows for the first row of data: 2 in a
    text file with a header line, 0 in a data frame. Where rows were dropped or joined, it is (n,)
    what each row is called.
    """

    source: str
    first_row: int | np.ndarray = 0
    messages: list[str] = field(default_factory=list)

    def add(self, message: str) -> None:
        """Note a problem that concerns the whole table."""
        self.messages.append(message)

    def add_rows(self, column: str, bad: np.ndarray, found: object, expected: str) -> None:
        """Note a problem in the rows where `bad` (n,) is true; nothing if there are none."""
        rows = np.flatnonzero(bad)
        if rows.size:
            first = self.first_row
            where = list_rows(first[rows] if isinstance(first, np.ndarray) else rows + first)
            example = np.asarray(found, dtype=object)[rows[0]]
            self.add(f"column {column!r}, {where}: found {example!r}, expected {expected}")

    def raise_if_any(self) -> None:
        """Raise `InputError`: one problem in one line, several each on a line of its own."""
        if len(self.messages) == 1:
            raise InputError(f"{self.source}: {self.messages[0]}")
        if self.messages:
            lines = "\n".join(f"  - {message}" for message in self.messages)
            raise InputError(f"{self.source} cannot be used:\n{lines}")


def to_numbers(values: pd.Series) -> np.ndarray:
    """Turn a column into floats (n,); what is not a number becomes NaN, to be reported by row."""
    return np.asarray(pd.to_numeric(values, errors="coerce"), dtype=float)


LARGEST = 1e100
"""No number that is measured or counted comes near; squares and sums of such are finite."""
BELOW_LARGEST = f"a finite number, below {LARGEST:g} in size"


def is_empty(values: pd.Series) -> np.ndarray:
    """Which cells (n,) hold nothing: missing, or only white space."""
    text = values.astype("string").str.strip()
    return np.asarray((text == "").to_numpy(dtype=bool, na_value=True))


NUL_WRITTEN = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""A NUL byte as JSON writes it; after an escaped backslash it is plain text."""
NUL = "a NUL byte"
ESCAPED = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
"""How JSON writes a NUL byte or half a character; two halves in sequence make a whole one."""
MEND = "expected text; write the file anew, as UTF-8"


def check_json_text(text: str, content: Any, where: str) -> None:
    """Raise an `InputError` where JSON, `text` and its `content`, holds what no text may hold."""
    if not ESCAPED.search(text):
        return
    plain = json.dumps(content, ensure_ascii=False)
    if NUL_WRITTEN.search(plain):
        raise InputError(f"{where}: found {NUL}, {MEND}")
    try:
        plain.encode()
    except UnicodeEncodeError:
        half = "half a character (an unpaired surrogate)"
        raise InputError(f"{where}: found {half}, {MEND}") from None


def check_columns(frame: pd.DataFrame, needed: Sequence[str], problems: Problems) -> None:
    """Raise an `InputError` where a table has no rows, or not the columns that it needs."""
    have = [str(column) for column in frame.columns]
    for column in needed:
        if column not in have:
            problems.add(f"column {column!r} is missing; the table has: {list_names(have)}")
    if len(frame) == 0:
        problems.add("the table has no rows")
    problems.raise_if_any()


def texts_of(frame: pd.DataFrame, column: str, problems: Problems) -> pd.Series:
    """A column as texts without white space around, or as categories; no cell may be empty."""
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
    """The rows with one label of each annotator on each item, as a rule of `REPEATED` says."""
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
    """Each row's response: its item, or ITEM_AGENT where several agents answered one."""
    pairs = table.drop_duplicates(["item", "agent"]) if "agent" in table else table[:0]
    if not pairs["item"].duplicated().any():
        return table["item"]
    named = table["item"].astype("string") + "_" + table["agent"].astype("string")
    mixed = table.groupby(["item", "agent"], observed=True).ngroup().groupby(named).nunique()
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
