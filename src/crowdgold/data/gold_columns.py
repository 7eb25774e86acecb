"""Columns of a table that say how gold items were drawn.

- `gold_probability`: the chance of each item's being drawn for an expert, each by itself (Poisson).
  Of items without a gold label it may be left out.
- `gold_stratum`: the stratum of each item, from each of which so many were drawn as have a gold
  label. Where items without gold have none, `gold_stratum_size` says how many items each has.
- `gold_batch`: the number of the batch in which an item was sent to experts, with the stratum that
  it was drawn from and how many items without a gold label that stratum had then.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.data.checks import counted, is_empty, list_names, to_numbers
from crowdgold.data.errors import InputError
from crowdgold.data.gold_batches import in_batches
from crowdgold.data.gold_begun import empty_in_words
from crowdgold.data.gold_draw import (
    BATCH,
    COLUMNS,
    ESTIMATED,
    NO_STRATUM,
    PROBABILITY,
    SIZE,
    STRATUM,
    GoldDraw,
    strata_counted,
)

SMALLEST = 1 / np.finfo(float).max
"""Probability below which a weight is no number any more."""
LARGEST_SHARE = 0.5
"""Of all weight, the most that one gold item may carry: an interval cannot rest on one item."""
TOO_FAR = 6.0
"""Standard deviations between the chances' sum and the number of gold items from which the chances
are not those that the items were drawn with."""
NAMED = 3


def _some(items: np.ndarray) -> str:
    more = ", ..." if len(items) > NAMED else ""
    return ", ".join(repr(str(one)) for one in items[:NAMED]) + more


def refuse(column: str, bad: np.ndarray, item: np.ndarray, why: str) -> None:
    """Raise an `InputError` where `bad` (n,) holds of an item, naming some."""
    rows = np.flatnonzero(bad)
    if len(rows):
        raise InputError(
            f"column {column!r}: {counted(len(rows), 'item')} ({_some(item[rows])}) {why}"
        )


def _by_chance(
    values: pd.Series, has_gold: np.ndarray, item: np.ndarray, column: str = PROBABILITY
) -> GoldDraw:
    """Chances of items that were drawn each by itself."""
    chance, empty = to_numbers(values), is_empty(values)
    bad = ~((chance >= 0) & (chance <= 1)) & ~(empty & ~has_gold)
    refuse(column, bad, item, "without a number above 0 and at most 1; expected one for "
            "each item with a gold label")  # fmt: skip
    never = chance == 0
    refuse(column, never & has_gold, item, "with a gold label and a probability of 0; an "
            "item that has a gold label could be drawn")  # fmt: skip
    refuse(column, never, item, "with a probability of 0, for which no gold label speaks; "
            "leave items that could not be drawn out of the table")  # fmt: skip
    refuse(column, has_gold & (chance < SMALLEST), item, "with a probability so small that its "
            "label would count for all others together; expected the chance with which the item "
            "was drawn")  # fmt: skip
    expected, number = float(chance.sum()), int(has_gold.sum())
    spread = float(np.sqrt((chance * (1 - chance)).sum()))
    if abs(number - expected) > TOO_FAR * spread + 1:  # never where one is unknown, NaN
        raise InputError(
            f"column {column!r}: the probabilities sum to {expected:.4g}, and {number:,} "
            "items have a gold label; expected the probabilities that these were drawn with"
        )
    return GoldDraw(chance, estimated=column == ESTIMATED)


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
            f"column {STRATUM!r}: no gold label in {strata_counted(len(without))} "
            f"({list_names(without)}); expected some in each. Label items of it, join it with a "
            "like one, or leave its items out"
        )
    chance = np.where(stratum == NO_STRATUM, np.nan, (drawn / sizes)[stratum])
    return GoldDraw(chance, stratum, drawn, names=tuple(names))


def _whole(values: pd.Series, least: int) -> np.ndarray:
    """Whether each is a whole number from some one on: (n,)."""
    numbers = to_numbers(values)
    good: np.ndarray = (numbers >= least) & (numbers == np.floor(numbers))
    return good


def _by_batch(columns: Mapping[str, pd.Series], has_gold: np.ndarray, item: np.ndarray) -> GoldDraw:
    """Chances of items that were drawn in batches, each by strata of those without a label.

    Gold items without a batch were drawn before all batches, at random.
    """
    without = pd.Series("", index=columns[BATCH].index, dtype="string")
    stratum = columns.get(STRATUM, without).astype("string").str.strip().fillna("")
    size, sent = columns.get(SIZE, without), ~is_empty(columns[BATCH])
    named = (stratum != "").to_numpy(dtype=bool)
    refuse(BATCH, sent & ~_whole(columns[BATCH], 1), item, "without a whole number from 1")
    refuse(BATCH, ~sent & has_gold & named, item, f"with a gold label and a stratum, without a "
            f"batch; expected one, 1 for the first, and {SIZE!r}")  # fmt: skip
    refuse(STRATUM, sent & ~named, item, "of a batch without a stratum; expected the one that it "
            "was drawn from, as `crowdgold sample` wrote it")  # fmt: skip
    refuse(SIZE, sent & ~_whole(size, 1), item, "without a whole number from 1, the items without "
            "a gold label that its stratum had")  # fmt: skip
    number = np.where(sent, to_numbers(columns[BATCH]), 0).astype(int)
    labelled = np.unique(number[has_gold])
    asked = (has_gold | sent) & np.isin(number, labelled)  # of others nothing is labelled yet
    table = pd.DataFrame(
        {"batch": number, "stratum": stratum.to_numpy(dtype=object),
         "size": np.where(sent, to_numbers(size), len(item)), "gold": has_gold}
    )[asked]  # fmt: skip
    found = table.groupby(["batch", "stratum"])
    strata = found.agg(
        size=("size", "min"), largest=("size", "max"), drawn=("gold", "sum"), sent=("gold", "size")
    )
    _check_batches(strata.reset_index(), len(item))
    of = np.full(len(item), NO_STRATUM)
    of[asked] = found.ngroup().to_numpy(dtype=int)
    place = np.where(has_gold, of, NO_STRATUM)
    drawn = strata["drawn"].to_numpy(dtype=int)
    share = drawn / strata["size"].to_numpy(dtype=float)
    chance = np.where(has_gold, share[place], np.nan)
    batch = np.unique(strata.index.get_level_values("batch"), return_inverse=True)[1]
    empty = (asked & ~has_gold).any()
    names = tuple(
        f"{name} of batch {own}" if name else "of the first labels" for own, name in strata.index
    )
    draw = GoldDraw(chance, place, drawn, sent=of if empty else None, names=names)
    return in_batches(draw, batch)


def _check_batches(strata: pd.DataFrame, n_items: int) -> None:
    """Raise an `InputError` where strata cannot be those of batches drawn one after the other."""
    other = strata[strata["largest"] != strata["size"]]
    if len(other):
        one = other.iloc[0]
        raise InputError(
            f"column {SIZE!r}: stratum {one['stratum']!r} of batch {one['batch']} has "
            f"{one['size']:.0f} items and {one['largest']:.0f}; expected one number"
        )
    for batch, bare in strata[strata["drawn"] == 0].groupby("batch"):
        raise InputError(
            f"column {STRATUM!r}: {empty_in_words(bare['stratum'])} of batch {batch}; expected "
            "some in each. Have an expert label an item more of each"
        )
    before = empty = 0
    for batch, own in strata.groupby("batch"):
        # Items that experts were tied on have no gold label, and were not drawn again.
        if not n_items - before - empty <= own["size"].sum() <= n_items - before:
            raise InputError(
                f"column {SIZE!r}: the strata of batch {batch} have {own['size'].sum():,.0f} "
                f"items, and {n_items - before:,} of the table had no gold label before it. "
                "Expected as many: keep each row of a batch, add no label to a batch once the "
                "next is drawn, and no item to the study"
            )
        before += int(own["drawn"].sum())
        empty += int((own["sent"] - own["drawn"]).sum())


def skipped_in_words(
    columns: Mapping[str, pd.Series], gold: np.ndarray, tied: np.ndarray | None = None
) -> list[str]:
    """What is said of items that were sent to experts and came back without a label.

    Args:
        columns: those of `COLUMNS`, (n,) each.
        gold: (n,) gold labels, negative where there is none.
        tied: (n,) whether experts labelled an item and are tied on it; None where they are on none.
    """
    if BATCH not in columns:
        return []
    sent = ~is_empty(columns[BATCH])
    number = to_numbers(columns[BATCH])
    sent &= np.isin(number, number[sent & (gold >= 0)])
    of_tied = sent & (np.zeros(len(gold), dtype=bool) if tied is None else tied)
    skipped = int((sent & (gold < 0) & ~of_tied).sum())
    if not skipped:
        return []
    return [
        f"{skipped:,} of {int(sent.sum()):,} items that were sent to experts came back without a "
        "label. The labels of a stratum are taken for a random sample of it: right where experts "
        "stopped half-way or skipped items whatever these are, wrong where they skipped the hard "
        "ones"
    ]


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
    if not set(COLUMNS) & set(columns) or not has_gold.any():
        return None
    chances = next((one for one in (PROBABILITY, ESTIMATED) if one in columns), "")
    others = [one for one in COLUMNS if one in columns and one != chances]
    if chances and others:
        raise InputError(
            f"columns {chances!r} and {others[0]!r} are both there; expected one of them, which "
            "says how the gold items were drawn"
        )
    if BATCH in columns:
        found = _by_batch(columns, has_gold, item)
    elif chances:
        found = _by_chance(columns[chances], has_gold, item, chances)
    elif STRATUM in columns:
        found = _by_stratum(columns, has_gold, item)
    else:
        raise InputError(f"column {SIZE!r} without a column {STRATUM!r}, whose strata it is of")
    rows = np.flatnonzero(has_gold)
    share = found.weights(rows) / len(rows)
    heaviest = int(share.argmax())
    if len(rows) > 2 and share[heaviest] > LARGEST_SHARE:
        column = chances or STRATUM
        raise InputError(
            f"column {column!r}: the gold label of item {str(item[rows[heaviest]])!r} (drawn with "
            f"a chance of {found.chance[rows[heaviest]]:.2g}) carries {100 * share[heaviest]:.0f} "
            f"% of all weight; expected at most {100 * LARGEST_SHARE:.0f} %"
        )
    return found
