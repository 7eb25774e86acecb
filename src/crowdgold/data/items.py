"""The Items table: one row an item, with its crowd votes, gold label and model scores.

It is the data set D of MAVEN, section 3.1: V_i positive votes out of c_i, the gold label T_i where
an expert gave one, and the score X_i of each predictor. Simulated tables carry the truth Y_i too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from crowdgold.data.checks import InputError, Problems, is_empty, to_numbers

NO_GOLD = -1
"""The value of `Items.gold` where no expert labelled the item (the paper's empty set)."""

SCORE = "score"


@dataclass(frozen=True)
class Items:
    """n items with votes, gold labels and scores; arrays share the item order.

    Attributes:
        item: (n,) identifiers, unique.
        votes_positive: (n,) positive votes V_i, whole numbers from 0 to `votes_total`.
        votes_total: (n,) votes c_i, at least 1; may differ from item to item.
        gold: (n,) expert label T_i: 0, 1, or `NO_GOLD`.
        scores: predictor name -> (n,) finite scores X_i; higher means more likely positive.
        tie_break: (n,) numbers that order items whose scores are equal. They are part of the
            table so that win counts, imputation and metrics all see one order.
        truth: (n,) true label Y_i, 0 or 1, where it is known (simulations, held-out gold).
        oracle: (n,) P(Y_i = 1 | V_i) under the process that made the data, where known.
    """

    item: np.ndarray
    votes_positive: np.ndarray
    votes_total: np.ndarray
    gold: np.ndarray
    scores: Mapping[str, np.ndarray]
    tie_break: np.ndarray
    truth: np.ndarray | None = None
    oracle: np.ndarray | None = None
    _orders: dict[str, np.ndarray] = field(default_factory=dict, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.item)

    @property
    def predictors(self) -> list[str]:
        """Names of the predictors, in the order of the score columns."""
        return list(self.scores)

    def order(self, predictor: str) -> np.ndarray:
        """Give the (n,) positions of the items from the lowest to the highest score."""
        if predictor not in self._orders:
            if predictor not in self.scores:
                raise InputError(
                    f"no scores of predictor {predictor!r}; the table has {self.predictors}"
                )
            self._orders[predictor] = np.lexsort((self.tie_break, self.scores[predictor]))
        return self._orders[predictor]

    def with_gold(self, labelled: np.ndarray) -> "Items":
        """Give the same items with gold labels where `labelled` (n,) is true, from the truth."""
        if self.truth is None:
            raise InputError("gold labels can be taken from the truth only where it is known")
        return replace(self, gold=np.where(labelled, self.truth, NO_GOLD).astype(np.int8))

    def to_frame(self) -> pd.DataFrame:
        """Give the table as a data frame with the columns that `read_items` reads."""
        columns: dict[str, object] = {
            "item": self.item,
            "votes_positive": self.votes_positive,
            "votes_total": self.votes_total,
            "gold": pd.array(
                np.where(self.gold == NO_GOLD, None, self.gold.astype(object)), dtype="Int8"
            ),
        }
        for name, values in self.scores.items():
            columns[score_column(name)] = values
        for name in ("truth", "oracle", "tie_break"):
            if getattr(self, name) is not None:
                columns[name] = getattr(self, name)
        return pd.DataFrame(columns)


def score_column(predictor: str) -> str:
    """Name the column of a predictor's scores: `score`, or `score_NAME`."""
    return SCORE if predictor == SCORE else f"{SCORE}_{predictor}"


def _predictor_names(frame: pd.DataFrame) -> dict[str, str]:
    return {
        (column if column == SCORE else column.removeprefix(f"{SCORE}_")): column
        for column in map(str, frame.columns)
        if column == SCORE or column.startswith(f"{SCORE}_")
    }


def _whole_numbers(frame: pd.DataFrame, column: str, lowest: int, problems: Problems) -> np.ndarray:
    values = to_numbers(frame[column])
    bad = ~np.isfinite(values) | (values < lowest) | (values != np.floor(values))
    problems.add_rows(column, bad, frame[column], f"a whole number, at least {lowest}")
    return np.where(bad, lowest, values).astype(np.int64)


def _labels(frame: pd.DataFrame, column: str, may_be_empty: bool, problems: Problems) -> np.ndarray:
    values, empty = to_numbers(frame[column]), is_empty(frame[column])
    bad = ~np.isin(values, (0, 1)) & ~(empty & may_be_empty)
    expected = "0, 1 or an empty cell" if may_be_empty else "0 or 1"
    problems.add_rows(column, bad, frame[column], expected)
    return np.where(np.isin(values, (0, 1)), values, NO_GOLD).astype(np.int8)


def _scores(frame: pd.DataFrame, problems: Problems) -> dict[str, np.ndarray]:
    scores = {}
    for predictor, column in _predictor_names(frame).items():
        values = to_numbers(frame[column])
        bad = ~np.isfinite(values)
        problems.add_rows(column, bad, frame[column], "a finite number")
        if not bad.any() and len(values) > 1 and np.all(values == values[0]):
            problems.add(
                f"column {column!r}: every score is {values[0]:g}, so the items cannot be ranked; "
                "expected scores that differ"
            )
        scores[predictor] = values
    return scores


def _check_gold(gold: np.ndarray, problems: Problems) -> None:
    found = np.unique(gold[gold != NO_GOLD])
    if found.size == 1:
        rows = int((gold != NO_GOLD).sum())
        problems.add(
            f"column 'gold': all {rows} gold labels are {found[0]}; expected some of each class. "
            "Label more items chosen at random, or leave gold empty to run without it"
        )


def items_from_frame(
    frame: pd.DataFrame,
    rng: np.random.Generator,
    source: str = "the table",
    first_row: int = 0,
) -> Items:
    """Check a data frame and make Items of it.

    Args:
        frame: columns item, votes_positive, votes_total, optionally gold, score or score_NAME,
            truth, oracle (a probability) and tie_break (drawn here where it is missing).
        rng: source of the tie-breaking numbers.
        source: how messages name the table.
        first_row: the number messages give the first row.

    Raises:
        InputError: naming every column and row that cannot be used.
    """
    problems = Problems(source, first_row)
    for column in ("item", "votes_positive", "votes_total"):
        if column not in frame:
            have = ", ".join(map(str, frame.columns))
            problems.add(f"column {column!r} is missing; the table has: {have}")
    if len(frame) == 0:
        problems.add("the table has no rows")
    problems.raise_if_any()

    item = frame["item"].astype("string").to_numpy(dtype=object)
    problems.add_rows("item", is_empty(frame["item"]), frame["item"], "an identifier")
    repeated = np.asarray(frame["item"].duplicated(keep=False) & ~is_empty(frame["item"]))
    problems.add_rows("item", repeated, frame["item"], "each item once (it is there repeatedly)")
    total = _whole_numbers(frame, "votes_total", 1, problems)
    positive = _whole_numbers(frame, "votes_positive", 0, problems)
    problems.add_rows("votes_positive", positive > total, positive, "at most votes_total")
    gold = np.full(len(frame), NO_GOLD, dtype=np.int8)
    if "gold" in frame:
        gold = _labels(frame, "gold", True, problems)
        _check_gold(gold, problems)
    truth = _labels(frame, "truth", False, problems) if "truth" in frame else None
    scores = _scores(frame, problems)
    oracle = to_numbers(frame["oracle"]) if "oracle" in frame else None
    if oracle is not None:
        bad = ~((oracle >= 0) & (oracle <= 1))
        problems.add_rows("oracle", bad, frame["oracle"], "a probability")
    problems.raise_if_any()
    tie_break = to_numbers(frame["tie_break"]) if "tie_break" in frame else rng.random(len(frame))
    return Items(item, positive, total, gold, scores, tie_break, truth, oracle)


def read_items(
    path: str | Path,
    rng: np.random.Generator | None = None,
    columns: Mapping[str, str] | None = None,
) -> Items:
    """Read Items from CSV, TSV or parquet.

    Args:
        path: the file; its ending (.csv, .tsv, .parquet) says what it is.
        rng: orders items with equal scores; a fixed seed where not given.
        columns: the file's own column name -> the name used here, e.g. {"yes": "votes_positive"}.

    Raises:
        InputError: where the file is missing, of another kind, or holds rows that cannot be used.
    """
    path = Path(path)
    rng = np.random.default_rng(20_000_003) if rng is None else rng
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    try:
        if path.suffix == ".parquet":
            frame, first_row = pd.read_parquet(path), 0
        elif path.suffix in (".csv", ".tsv"):
            separator = "\t" if path.suffix == ".tsv" else ","
            frame = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
            first_row = 2
        else:
            raise InputError(f"{path}: expected a .csv, .tsv or .parquet file")
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{path} cannot be read as {path.suffix[1:]}: {error}") from error
    missing = [name for name in columns or {} if name not in frame]
    if missing:
        raise InputError(f"{path}: no column {missing[0]!r}; the file has {list(frame.columns)}")
    return items_from_frame(frame.rename(columns=dict(columns or {})), rng, str(path), first_row)


def write_items(items: Items, path: str | Path) -> None:
    """Write Items as CSV or parquet, by the ending; to a temporary name first, then renamed."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.partial")
    if path.suffix == ".parquet":
        items.to_frame().to_parquet(temporary, index=False)
    else:
        items.to_frame().to_csv(temporary, index=False)
    temporary.replace(path)
