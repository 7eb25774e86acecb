"""How gold items were drawn, where their chances are known: columns of a table, and what they say.

- `gold_probability`: the chance of each item's being drawn for an expert, each by itself (Poisson).
  Of items without a gold label it may be left out.
- `gold_stratum`: the stratum of each item, from each of which so many were drawn as have a gold
  label. Where items without gold have none, `gold_stratum_size` says how many items each has.

Without either, gold items are a simple random sample. An item counts for 1 / chance items.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from crowdgold.data.checks import counted, is_empty, list_names, to_numbers
from crowdgold.data.errors import InputError

PROBABILITY, STRATUM, SIZE = COLUMNS = ("gold_probability", "gold_stratum", "gold_stratum_size")
NO_STRATUM = -1
"""Of an item whose stratum is not known."""
LARGEST_SHARE = 0.5
"""Of all weight, the most that one gold item may carry: an interval cannot rest on one item."""
TOO_FAR = 6.0
"""Standard deviations between the chances' sum and the number of gold items from which the chances
are not those that the items were drawn with."""
NAMED = 3


@dataclass(frozen=True, eq=False)
class GoldDraw:
    """Known chances of items to have a gold label; arrays share the order of the items.

    Attributes:
        chance: (n,) of each item; NaN where it is not known, of items without gold.
        stratum: (n,) number of each item's stratum, or `NO_STRATUM`; None where each item was drawn
            by itself.
        drawn: (H,) gold items of each stratum in the whole table; None likewise.
    """

    chance: np.ndarray
    stratum: np.ndarray | None = None
    drawn: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> "GoldDraw":
        """The chances of the items at some positions, which were drawn among all."""
        stratum = None if self.stratum is None else self.stratum[rows]
        return replace(self, chance=self.chance[rows], stratum=stratum)

    def weights(self, rows: np.ndarray) -> np.ndarray:
        """What gold items at some positions count, of mean 1: (m,)."""
        weights = 1 / self.chance[rows]
        scaled: np.ndarray = weights / weights.mean()
        return scaled

    def to_columns(self) -> dict[str, object]:
        """The columns that say the same."""
        if self.stratum is None or self.drawn is None:
            return {PROBABILITY: self.chance}
        known = self.stratum != NO_STRATUM
        found: dict[str, object] = {STRATUM: pd.Series(self.stratum, dtype="Int64").where(known)}
        if not known.all():
            sizes = np.round(self.drawn[self.stratum] / self.chance)
            found[SIZE] = pd.Series(sizes).where(known).astype("Int64")
        return found


def kish(weights: np.ndarray) -> float:
    """How many items of equal weight say as much as these (Kish, 1965)."""
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def _some(items: np.ndarray) -> str:
    more = ", ..." if len(items) > NAMED else ""
    return ", ".join(repr(str(one)) for one in items[:NAMED]) + more


def _strata(number: int) -> str:
    return f"{number:,} {'stratum' if number == 1 else 'strata'}"


def refuse(column: str, bad: np.ndarray, item: np.ndarray, why: str) -> None:
    """Raise an `InputError` where `bad` (n,) holds of an item, naming some."""
    rows = np.flatnonzero(bad)
    if len(rows):
        raise InputError(
            f"column {column!r}: {counted(len(rows), 'item')} ({_some(item[rows])}) {why}"
        )


def _by_chance(values: pd.Series, has_gold: np.ndarray, item: np.ndarray) -> GoldDraw:
    """Chances of items that were drawn each by itself."""
    chance, empty = to_numbers(values), is_empty(values)
    bad = ~((chance >= 0) & (chance <= 1)) & ~(empty & ~has_gold)
    refuse(PROBABILITY, bad, item, "without a number above 0 and at most 1; expected one for "
            "each item with a gold label")  # fmt: skip
    never = chance == 0
    refuse(PROBABILITY, never & has_gold, item, "with a gold label and a probability of 0; an "
            "item that has a gold label could be drawn")  # fmt: skip
    refuse(PROBABILITY, never, item, "with a probability of 0, for which no gold label speaks; "
            "leave items that could not be drawn out of the table")  # fmt: skip
    expected, number = float(chance.sum()), int(has_gold.sum())
    spread = float(np.sqrt((chance * (1 - chance)).sum()))
    if abs(number - expected) > TOO_FAR * spread + 1:  # never where one is unknown, NaN
        raise InputError(
            f"column {PROBABILITY!r}: the probabilities sum to {expected:.4g}, and {number:,} "
            "items have a gold label; expected the probabilities that these were drawn with"
        )
    return GoldDraw(chance)


def number_names(values: pd.Series) -> tuple[np.ndarray, list[str]]:
    """The number of each item's stratum, and the strata's names, numbers in their order."""
    empty = is_empty(values)
    texts = values.astype("string").str.strip().fillna("").to_numpy(dtype=object).astype(str)
    names = np.unique(texts[~empty])
    numbers = to_numbers(pd.Series(names, dtype="string"))
    if np.isfinite(numbers).all():
        names = names[np.argsort(numbers, kind="stable")]
    known = pd.Index(names).get_indexer(pd.Index(texts))
    return np.where(empty, NO_STRATUM, known), names.tolist()


def _sizes(
    columns: Mapping[str, pd.Series], stratum: np.ndarray, names: list[str], item: np.ndarray
) -> np.ndarray:
    """Items of each stratum, (H,): counted where all say theirs, else as the table says."""
    known = stratum != NO_STRATUM
    found = np.bincount(stratum[known], minlength=len(names))
    if SIZE not in columns:
        refuse(STRATUM, ~known, item, f"without a stratum; expected one for each item, or the "
                f"number of items of each stratum in a column {SIZE!r}")  # fmt: skip
        return found
    given = to_numbers(columns[SIZE])
    wrong = known & ~((given >= 1) & (given == np.floor(given)))
    refuse(SIZE, wrong, item, "without a whole number from 1, the items of its stratum")
    sizes = np.zeros(len(names))
    sizes[stratum[known][::-1]] = given[known][::-1]  # the last assignment stays: the first row's
    refuse(SIZE, known & (given != sizes[stratum]), item, "with another size than others of its "
            "stratum; expected one for each stratum")  # fmt: skip
    if (sizes < found).any() or sizes.sum() != len(stratum):
        raise InputError(
            f"column {SIZE!r}: the strata have {sizes.sum():,.0f} items and the table "
            f"{len(stratum):,}; expected the items of the table, each in one stratum"
        )
    return sizes


def _by_stratum(
    columns: Mapping[str, pd.Series], has_gold: np.ndarray, item: np.ndarray
) -> GoldDraw:
    """Chances of items of which fixed numbers were drawn from each stratum."""
    stratum, names = number_names(columns[STRATUM])
    refuse(STRATUM, has_gold & (stratum == NO_STRATUM), item, "with a gold label, without a "
            "stratum; expected the one that it was drawn from")  # fmt: skip
    sizes = _sizes(columns, stratum, names, item)
    drawn = np.bincount(stratum[has_gold], minlength=len(names))
    without = np.array(names)[drawn == 0]
    if len(without):
        raise InputError(
            f"column {STRATUM!r}: no gold label in {_strata(len(without))} "
            f"({list_names(without)}); expected some in each. Label items of it, join it with a "
            "like one, or leave its items out"
        )
    chance = np.where(stratum == NO_STRATUM, np.nan, (drawn / sizes)[stratum])
    return GoldDraw(chance, stratum, drawn)


def read_gold_draw(
    columns: Mapping[str, pd.Series], gold: np.ndarray, item: np.ndarray
) -> GoldDraw | None:
    """How gold items were drawn; None where they are a simple random sample, or there are none.

    Args:
        columns: some of `COLUMNS`, (n,) each; others are passed over.
        gold: (n,) gold labels, negative where there is none.
        item: (n,) identifiers, for messages.

    Raises:
        InputError: where the columns cannot be those of a sample.
    """
    has_gold = gold >= 0
    if not {PROBABILITY, STRATUM, SIZE} & set(columns) or not has_gold.any():
        return None
    if PROBABILITY in columns and (STRATUM in columns or SIZE in columns):
        raise InputError(
            f"columns {PROBABILITY!r} and {STRATUM!r} are both there; expected one of them, which "
            "says how the gold items were drawn"
        )
    if PROBABILITY in columns:
        found = _by_chance(columns[PROBABILITY], has_gold, item)
    elif STRATUM in columns:
        found = _by_stratum(columns, has_gold, item)
    else:
        raise InputError(f"column {SIZE!r} without a column {STRATUM!r}, whose strata it is of")
    rows = np.flatnonzero(has_gold)
    share = found.weights(rows) / len(rows)
    heaviest = int(share.argmax())
    if len(rows) > 2 and share[heaviest] > LARGEST_SHARE:
        column = PROBABILITY if PROBABILITY in columns else STRATUM
        raise InputError(
            f"column {column!r}: the gold label of item {str(item[rows[heaviest]])!r} (drawn with "
            f"a chance of {found.chance[rows[heaviest]]:.2g}) carries {100 * share[heaviest]:.0f} "
            f"% of all weight; expected at most {100 * LARGEST_SHARE:.0f} %"
        )
    return found


def in_words(draw: GoldDraw, gold: np.ndarray) -> str:
    """How gold was drawn and what that costs, a sentence."""
    weights = draw.weights(np.flatnonzero(gold >= 0))
    how = "each item by itself"
    if draw.drawn is not None:
        how = f"fixed numbers from each of {_strata(len(draw.drawn))}"
    return (
        f"gold items were drawn with known chances, {how}: one counts for {weights.min():.2g} to "
        f"{weights.max():.2g} times the average, and {len(weights):,} together for as much as "
        f"{kish(weights):,.0f} of equal weight"
    )
