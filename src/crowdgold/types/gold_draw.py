"""How gold items were drawn, where their chances are known, and what each counts.

Without chances, gold items are a simple random sample. Else an item counts for 1 / chance items,
or, in batches, each drawn with an eye on the labels before, as follows.

Batch t is drawn from the items that had no gold label yet: fixed numbers from each of its strata,
which may depend on all earlier labels. Let z_i be anything of an item, T its sum over all N items.
Given the labels before, the earlier ones are known and the batch estimates the rest,

    T_t = sum of z_i over the items labelled before + sum of z_i / pi_ti over batch t,

with pi_ti = n_th / N_th, so that T_t - T has mean 0 whatever was learnt before: these differences
are the increments of a martingale, and do not correlate. With weights a_t that sum to 1 and are
known before batch t is labelled, sum_t a_t T_t is about T too, with the variance sum_t a_t^2 V_t
(V_t: of batch t by itself). This is one sum over the gold items: one of batch s counts for

    w_i = a_s / pi_si + sum of a_t over t > s                        sum of all w_i = N

and only its first part, by chance, adds to the variance (`inference.design`). So every metric that
is made of sums, pairs or ranks of items is estimated as from one designed sample.

The weights are those with which batches drawn at random throughout count as one random sample:

    a_t ~ n_t / (M_t (M_t - n_t))        M_t: items without a gold label before batch t

They depend on the batches' sizes alone. Where a size is set by what earlier labels showed, so that
it stops when the interval is narrow enough, these weights are no longer known before; the interval
that holds over all looks allows for that (`inference.interval`), the ordinary one does not.

A batch counts once each of its strata has a label. Before, its labels say nothing of some strata,
and no estimate for all items can be made of them. The file of a batch begins with an item of each
stratum, so that few labels are passed over.

The columns of a table that say how gold items were drawn:

- `gold_probability`: the chance of each item's being drawn for an expert, each by itself (Poisson).
  Of items without a gold label it may be left out.
- `gold_stratum`: the stratum of each item, from each of which so many were drawn as have a gold
  label. Where items without gold have none, `gold_stratum_size` says how many items each has.
- `gold_batch`: the number of the batch in which an item was sent to experts, with the stratum that
  it was drawn from and how many items without a gold label that stratum had then.

A column `cluster` names what each item belongs to: one prompt of several answers, the author of
several posts. Items of a cluster may be alike, so that ten of
one cluster say less of others than ten of ten clusters. Every item has a cluster; one that belongs
with no other has a name of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from crowdgold.types.columns import counted, is_empty, list_names, to_numbers
from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note

PROBABILITY, STRATUM, SIZE, BATCH, ESTIMATED = COLUMNS = (
    "gold_probability", "gold_stratum", "gold_stratum_size", "gold_batch",
    "gold_probability_estimated",
)  # fmt: skip
FOR_PEOPLE = ("chance", "reason")
"""Columns beside `gold_batch` that say why an item was drawn."""
NO_STRATUM = -1
"""The number of an item whose stratum is not known."""


@dataclass(frozen=True, eq=False)
class GoldDraw:
    """Known chances of items to have a gold label; arrays share the order of the items."""

    chance: np.ndarray  # (n,) of each item; NaN where it is not known, of items without gold
    # (n,) number of its stratum, or `NO_STRATUM`; None where each item was drawn by itself
    stratum: np.ndarray | None = None
    drawn: np.ndarray | None = None  # (H,) gold items of each stratum in the whole table
    batch: np.ndarray | None = None  # (H,) of each stratum, from 0; None of one draw at once
    counts: np.ndarray | None = None  # (n,) items that each stands for; None where 1 / chance
    by_chance: np.ndarray | None = None  # (n,) share of that which its chance decides; None: all
    estimated: bool = False  # whether chances are not known, but estimated from votes and scores
    # (n,) stratum of each item that was sent to experts, whether it came back with a label or not,
    # or `NO_STRATUM`; None where all that is known to be sent came back
    sent: np.ndarray | None = None
    names: tuple[str, ...] = ()  # of the strata in the table, as many as `drawn`, or none

    def take(self, rows: np.ndarray) -> "GoldDraw":
        """The chances of the items at some positions, which were drawn among all."""
        named = ("chance", "stratum", "counts", "by_chance", "sent")
        held = {name: getattr(self, name) for name in named}
        return replace(self, **{name: one[rows] for name, one in held.items() if one is not None})

    @property
    def no_batch(self) -> str:
        """Why no batch can follow gold that was drawn so; empty where one can."""
        if self.estimated:
            return (
                f"column {ESTIMATED!r}: no batch can follow gold whose chances are estimated. Set "
                "that gold aside, with its chances, and draw items from all"
            )
        if self.batch is not None:
            return ""
        column = STRATUM if self.stratum is not None else PROBABILITY
        return (
            f"column {column!r}: no batch can follow gold that was drawn so. Where fixed numbers "
            f"were drawn from strata, expected {BATCH} 1 and {SIZE} of each gold item"
        )

    def weights(self, rows: np.ndarray) -> np.ndarray:
        """What gold items at some positions count, of mean 1: (m,)."""
        weights = 1 / self.chance[rows] if self.counts is None else self.counts[rows]
        return np.asarray(weights / weights.mean())

    def to_columns(self) -> dict[str, object]:
        """The columns that say the same."""
        if self.stratum is None or self.drawn is None:
            return {ESTIMATED if self.estimated else PROBABILITY: self.chance}
        stratum = self.stratum if self.sent is None else np.maximum(self.stratum, self.sent)
        known = stratum != NO_STRATUM
        found: dict[str, object] = {STRATUM: pd.Series(stratum, dtype="Int64").where(known)}
        if self.batch is not None or not known.all():
            own, sizes = self.stratum != NO_STRATUM, np.zeros(len(self.drawn))
            sizes[self.stratum[own]] = np.round(self.drawn[self.stratum[own]] / self.chance[own])
            found[SIZE] = pd.Series(sizes[stratum]).where(known).astype("Int64")
        if self.batch is not None:
            found[BATCH] = pd.Series(self.batch[stratum] + 1, dtype="Int64").where(known)
        return found


def kish(weights: np.ndarray) -> float:
    """How many items of equal weight say as much as these (Kish, 1965)."""
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def strata_counted(number: int) -> str:
    """A number of strata: 1 stratum, 2 strata."""
    return f"{number:,} {'stratum' if number == 1 else 'strata'}"


def note_on_draw(draw: GoldDraw, gold: np.ndarray) -> Note:
    """How gold was drawn and what that costs."""
    cost = cost_of(draw.weights(np.flatnonzero(gold >= 0)))
    if draw.estimated or draw.drawn is None:
        return Note("chances_estimated" if draw.estimated else "drawn_each", cost)
    if draw.batch is None:
        return Note("drawn_by_strata", {"strata": strata_counted(len(draw.drawn)), **cost})
    sizes = np.bincount(draw.batch, draw.drawn).astype(int).tolist()
    batches = "1 batch" if len(sizes) == 1 else f"{len(sizes)} batches"
    return Note("drawn_in_batches", {"batches": batches, "sizes": sizes, **cost})


def cost_of(weights: np.ndarray) -> dict[str, float]:
    """What unequal weights (m,) of gold items, of mean 1, cost: the values of a note."""
    ends = {"least": float(weights.min()), "most": float(weights.max())}
    return ends | {"labels": len(weights), "equal": kish(weights)}


def batch_weights(drawn: np.ndarray, n_items: int) -> np.ndarray:
    """The weights a_t, (T,), which sum to 1, of batches with so many gold items, (T,)."""
    before = n_items - (np.cumsum(drawn) - drawn)
    after = before - drawn
    if after[-1] == 0:
        return np.eye(len(drawn))[-1]
    found = drawn / before / after
    return np.asarray(found / found.sum())


def in_batches(draw: GoldDraw, batch: np.ndarray) -> GoldDraw:
    """The draw with what each gold item counts; `batch` (H,) is that of each stratum, from 0."""
    assert draw.stratum is not None
    assert draw.drawn is not None
    weight = batch_weights(np.bincount(batch, draw.drawn), len(draw.chance))
    later = 1 - np.cumsum(weight)
    batch_of = np.where(draw.stratum == NO_STRATUM, -1, batch[draw.stratum])
    by_chance = np.where(batch_of < 0, np.nan, weight[batch_of] / draw.chance)
    counts = by_chance + np.where(batch_of < 0, 0.0, later[batch_of])
    return replace(draw, batch=batch, counts=counts, by_chance=by_chance / counts)


def not_begun(
    columns: Mapping[str, pd.Series], has_gold: np.ndarray
) -> tuple[np.ndarray, list[Note]]:
    """Which gold items (n,) are of a last batch that some stratum has no label of, and a note."""
    none = np.zeros(len(has_gold), dtype=bool)
    if not {BATCH, STRATUM} <= set(columns):
        return none, []
    number = to_numbers(columns[BATCH])
    if not np.isfinite(number[has_gold]).any():
        return none, []
    last = np.nanmax(number[has_gold])
    stratum = columns[STRATUM].astype("string").str.strip()
    of_last = stratum[number == last]
    empty = of_last[~of_last.isin(of_last[has_gold[number == last]])].dropna().drop_duplicates()
    if not len(empty):
        return none, []
    passed = has_gold & (number == last)
    told = {"number": int(passed.sum()), "batch": int(last), "empty": empty_in_words(empty)}
    return passed, [Note("batch_not_begun", told)]


def empty_in_words(names: pd.Series) -> str:
    """That strata have no gold label, with their names."""
    strata = "strata" if len(names) > 1 else "stratum"
    shown = sorted(map(str, names), key=lambda name: (len(name), name))
    return f"no gold label in {strata} {list_names(map(repr, shown))}"


SMALLEST = 1 / np.finfo(float).max  # probability below which a weight is no number any more
LARGEST_SHARE = 0.5  # of all weight, the most of one gold item: no interval can rest on one
TOO_FAR = 6.0
"""Standard deviations between what the chances make expected and what was drawn, gold items or
pairs of them in a cluster, from which the chances are not those that they were drawn with."""


def refuse(column: str, bad: np.ndarray, item: np.ndarray, why: str) -> None:
    """Raise an `InputError` where `bad` (n,) holds of an item, naming some."""
    rows = np.flatnonzero(bad)
    if len(rows):
        some = ", ".join(repr(str(one)) for one in item[rows[:3]])
        more = ", ..." if len(rows) > 3 else ""
        raise InputError(f"column {column!r}: {counted(len(rows), 'item')} ({some}{more}) {why}")


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
    """The number (n,) of each name, `NO_STRATUM` of an empty one, and the names, 9 before 10."""
    empty = is_empty(values)
    texts = values.astype("string").str.strip().fillna("").to_numpy(dtype=object).astype(str)
    names = np.unique(texts[~empty])
    numbers = to_numbers(pd.Series(names, dtype="string"))
    if np.isfinite(numbers).all():
        names = names[np.argsort(numbers, kind="stable")]
    known = pd.Index(names).get_indexer(pd.Index(texts))
    return np.where(empty, NO_STRATUM, known), names.tolist()


def _by_stratum(
    columns: Mapping[str, pd.Series], has_gold: np.ndarray, item: np.ndarray
) -> GoldDraw:
    """Chances of items of which fixed numbers were drawn from each stratum."""
    stratum, names = number_names(columns[STRATUM])
    known = stratum != NO_STRATUM
    refuse(STRATUM, has_gold & ~known, item, "with a gold label, without a stratum; expected the "
            "one that it was drawn from")  # fmt: skip
    there = np.bincount(stratum[known], minlength=len(names))
    sizes = there.astype(float)
    if SIZE not in columns:
        refuse(STRATUM, ~known, item, f"without a stratum; expected one for each item, or the "
                f"number of items of each stratum in a column {SIZE!r}")  # fmt: skip
    else:
        given = to_numbers(columns[SIZE])
        wrong = known & ~((given >= 1) & (given == np.floor(given)))
        refuse(SIZE, wrong, item, "without a whole number from 1, the items of its stratum")
        sizes = np.zeros(len(names))
        sizes[stratum[known][::-1]] = given[known][::-1]  # the last one stays: the first row's
        refuse(SIZE, known & (given != sizes[stratum]), item, "with another size than others of "
                "its stratum; expected one for each stratum")  # fmt: skip
        if (sizes < there).any() or sizes.sum() != len(stratum):
            raise InputError(
                f"column {SIZE!r}: the strata have {sizes.sum():,.0f} items and the table "
                f"{len(stratum):,}; expected the items of the table, each in one stratum"
            )
    drawn = np.bincount(stratum[has_gold], minlength=len(names))
    without = np.array(names)[drawn == 0]
    if len(without):
        raise InputError(
            f"column {STRATUM!r}: no gold label in {strata_counted(len(without))} "
            f"({list_names(without)}); expected some in each. Label items of it, join it with a "
            "like one, or leave its items out"
        )
    chance = np.where(known, (drawn / sizes)[stratum], np.nan)
    return GoldDraw(chance, stratum, drawn, names=tuple(names))


def _by_batch(columns: Mapping[str, pd.Series], has_gold: np.ndarray, item: np.ndarray) -> GoldDraw:
    """Chances of items that were drawn in batches, each by strata of those without a label.

    Gold items without a batch were drawn before all batches, at random.
    """
    without = pd.Series("", index=columns[BATCH].index, dtype="string")
    stratum = columns.get(STRATUM, without).astype("string").str.strip().fillna("")
    numbers, sizes = to_numbers(columns[BATCH]), to_numbers(columns.get(SIZE, without))
    sent, named = ~is_empty(columns[BATCH]), (stratum != "").to_numpy(dtype=bool)
    whole, size_whole = ((one >= 1) & (one == np.floor(one)) for one in (numbers, sizes))
    refuse(BATCH, sent & ~whole, item, "without a whole number from 1")
    refuse(BATCH, ~sent & has_gold & named, item, f"with a gold label and a stratum, without a "
            f"batch; expected one, 1 for the first, and {SIZE!r}")  # fmt: skip
    refuse(STRATUM, sent & ~named, item, "of a batch without a stratum; expected the one that it "
            "was drawn from, as `crowdgold sample` wrote it")  # fmt: skip
    refuse(SIZE, sent & ~size_whole, item, "without a whole number from 1, the items without "
            "a gold label that its stratum had")  # fmt: skip
    number = np.where(sent, numbers, 0).astype(int)
    asked = (has_gold | sent) & np.isin(number, np.unique(number[has_gold]))  # else not labelled
    table = pd.DataFrame(
        {"batch": number, "stratum": stratum.to_numpy(dtype=object),
         "size": np.where(sent, sizes, len(item)), "gold": has_gold}
    )[asked]  # fmt: skip
    grouped = table.groupby(["batch", "stratum"])
    strata = grouped.agg(
        size=("size", "min"), largest=("size", "max"), drawn=("gold", "sum"), sent=("gold", "size")
    )
    rows = strata.reset_index()
    for _, row in rows[rows["largest"] != rows["size"]].iterrows():
        raise InputError(
            f"column {SIZE!r}: stratum {row['stratum']!r} of batch {row['batch']} has "
            f"{row['size']:.0f} items and {row['largest']:.0f}; expected one number"
        )
    for batch_number, bare in rows[rows["drawn"] == 0].groupby("batch"):
        raise InputError(
            f"column {STRATUM!r}: {empty_in_words(bare['stratum'])} of batch {batch_number}; "
            "expected some in each. Have an expert label an item more of each"
        )
    before = empty = 0
    for batch_number, own in rows.groupby("batch"):
        # Items that experts were tied on have no gold label, and were not drawn again.
        if not len(item) - before - empty <= own["size"].sum() <= len(item) - before:
            raise InputError(
                f"column {SIZE!r}: the strata of batch {batch_number} have "
                f"{own['size'].sum():,.0f} items, and {len(item) - before:,} of the table had no "
                "gold label before it. Expected as many: keep each row of a batch, add no label to "
                "a batch once the next is drawn, and no item to the study"
            )
        before += int(own["drawn"].sum())
        empty += int((own["sent"] - own["drawn"]).sum())
    stratum_of = np.full(len(item), NO_STRATUM)
    stratum_of[asked] = grouped.ngroup().to_numpy(dtype=int)
    place = np.where(has_gold, stratum_of, NO_STRATUM)
    drawn = strata["drawn"].to_numpy(dtype=int)
    share = drawn / strata["size"].to_numpy(dtype=float)
    batch = np.unique(strata.index.get_level_values("batch"), return_inverse=True)[1]
    names = tuple(
        f"{name} of batch {own}" if name else "of the first labels" for own, name in strata.index
    )
    sent_to = stratum_of if (asked & ~has_gold).any() else None
    chance = np.where(has_gold, share[place], np.nan)
    return in_batches(GoldDraw(chance, place, drawn, sent=sent_to, names=names), batch)


def notes_on_skipped(
    columns: Mapping[str, pd.Series], gold: np.ndarray, tied: np.ndarray | None = None
) -> list[Note]:
    """A note on items that came back from experts without a label, though not `tied` (n,)."""
    if BATCH not in columns:
        return []
    sent = ~is_empty(columns[BATCH])
    number = to_numbers(columns[BATCH])
    sent &= np.isin(number, number[sent & (gold >= 0)])
    bare = sent & (gold < 0)
    skipped = int((bare if tied is None else bare & ~tied).sum())
    return [Note("came_back", {"number": skipped, "sent": int(sent.sum())})] if skipped else []


def read_gold_draw(
    columns: Mapping[str, pd.Series], gold: np.ndarray, item: np.ndarray
) -> GoldDraw | None:
    """How gold items were drawn, by `COLUMNS`; None of a simple random sample, or of none."""
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
        draw = _by_batch(columns, has_gold, item)
    elif chances:
        draw = _by_chance(columns[chances], has_gold, item, chances)
    elif STRATUM in columns:
        draw = _by_stratum(columns, has_gold, item)
    else:
        raise InputError(f"column {SIZE!r} without a column {STRATUM!r}, whose strata it is of")
    rows = np.flatnonzero(has_gold)
    share = draw.weights(rows) / len(rows)
    heaviest = int(share.argmax())
    if len(rows) > 2 and share[heaviest] > LARGEST_SHARE:
        column = chances or STRATUM
        raise InputError(
            f"column {column!r}: the gold label of item {str(item[rows[heaviest]])!r} (drawn with "
            f"a chance of {draw.chance[rows[heaviest]]:.2g}) carries {100 * share[heaviest]:.0f} "
            f"% of all weight; expected at most {100 * LARGEST_SHARE:.0f} %. Have an expert label "
            "more items that were as seldom drawn, or give their stratum together with another one"
        )
    return draw


CLUSTER = "cluster"


def read_clusters(values: pd.Series, item: np.ndarray) -> np.ndarray:
    """The number of each item's cluster, (n,), from names, texts or numbers (n,)."""
    cluster, names = number_names(values)
    refuse(CLUSTER, cluster == NO_STRATUM, item, "without a cluster; expected one for each, a name "
           "of its own where an item belongs with no other")  # fmt: skip
    if len(names) == 1 and len(item) > 1:
        raise InputError(
            f"column {CLUSTER!r}: all {counted(len(item), 'item')} are of one cluster "
            f"({names[0]!r}); expected two or more, whose differences make the intervals. Leave "
            f"the column out by --column {CLUSTER}=ignore"
        )
    return cluster


def numbers_in_words(cluster: np.ndarray) -> str:
    """How many clusters there are, and of how many items, from the items' clusters (n,)."""
    sizes = np.unique(cluster, return_counts=True)[1]
    least, most = int(sizes.min()), int(sizes.max())
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    mean = "" if least == most else f", {sizes.mean():.3g} on average"
    return f"{len(sizes):,} clusters of {each} items{mean}"


def note_on_clusters(cluster: np.ndarray) -> Note:
    """What follows for intervals from the items' clusters (n,)."""
    if len(np.unique(cluster)) == len(cluster):
        return Note("own_clusters")
    return Note("clusters_compared", {"clusters": numbers_in_words(cluster)})


@dataclass(frozen=True)
class WholeClusters:
    """How far gold items came by whole clusters, as their pairs within clusters show.

    The chance that two items of a cluster both have gold is pi_i pi_j where items were drawn one by
    one, and pi_i where clusters were drawn whole. The pairs that there are show which.
    """

    siblings: float  # other items in the cluster of an item, the mean over all items
    # pairs of gold items of one cluster, in either order, were items drawn one by one
    expected: float
    found: int  # such pairs
    ratio: float  # q, expected over found pairs; NaN where none was found
    share: float  # 0 where items were drawn one by one, 1 where clusters were drawn whole


def whole_clusters(cluster: np.ndarray, gold: np.ndarray, draw: GoldDraw | None) -> WholeClusters:
    """How far gold items, where `gold` (n,) is true, came by whole clusters.

    With f the mean chance over the pairs that were found, q is expected / found, at least f, and
    the share (1 - q) / (1 - f), at least 0. In batches items are drawn one by one, whatever
    clusters they are of: the weights of two items do not correlate but for terms of order 1 / n, so
    that q is 1.
    """
    size, number = len(gold), int(gold.sum())
    chance = np.full(size, number / size) if draw is None else draw.chance
    missing = np.isnan(chance)
    if missing.any():  # those of items without gold: all sum to the number of gold items
        rest = number - float(chance[~missing].sum())
        chance = np.where(missing, np.clip(rest / missing.sum(), 0, 1), chance)
    code = np.unique(cluster, return_inverse=True)[1]
    of_all, of_gold = np.bincount(code), np.bincount(code, gold)
    summed = np.bincount(code, chance)
    both = float((summed**2 - np.bincount(code, chance**2)).sum())
    # Of a fixed number of items, drawn without replacement.
    expected = both * (number - 1) / number * size / max(size - 1, 1)
    pairs = of_gold * (of_gold - 1)
    found, siblings = int(pairs.sum()), float((of_all * (of_all - 1)).sum() / size)
    if not found or (draw is not None and draw.batch is not None):
        return WholeClusters(siblings, expected, found, 1.0 if found else np.nan, 0.0)
    mean = float((pairs * summed / of_all).sum() / found)
    ratio = max(expected / found, mean)
    share = max(1 - ratio, 0.0) / (1 - mean) if mean < 1 else 0.0
    return WholeClusters(siblings, expected, found, ratio, share)


def may_be_whole(draw: GoldDraw, cluster: np.ndarray) -> bool:
    """Whether clusters (n,) can have been drawn whole: each in one stratum, or of one chance."""
    known = np.isfinite(draw.chance)
    values = (draw.chance if draw.stratum is None else draw.stratum)[known]
    code = np.unique(cluster[known], return_inverse=True)[1]
    first = np.empty(int(code.max()) + 1, dtype=values.dtype)
    first[code[::-1]] = values[::-1]
    return bool((first[code] == values).all())


def check_draw(cluster: np.ndarray, gold: np.ndarray, draw: GoldDraw) -> None:
    """Raise an `InputError` where clusters (n,) and how gold (n,) was drawn do not go together.

    Gold that comes by whole clusters must have been drawn so; batches are of single items, none of
    which is likelier to be drawn than one that is in the most likely stratum of every batch.
    """
    if draw.batch is None:
        known = whole_clusters(cluster, gold, draw)
        many = known.expected / 2 + TOO_FAR * (1 + np.sqrt(known.expected / 2))
        if known.found / 2 > many and not may_be_whole(draw, cluster):
            how = "lie in several strata" if draw.stratum is not None else "have several chances"
            raise InputError(
                f"column {CLUSTER!r}: {known.found // 2:,} pairs of gold items are of one cluster, "
                f"and {known.expected / 2:,.0f} are expected where items are drawn one by one, and "
                f"some clusters {how}; expected clusters that were drawn whole, each within one "
                "stratum and with one chance, or items that were drawn one by one"
            )
        return
    assert draw.stratum is not None
    rows = np.flatnonzero(gold)
    batch, most = draw.batch[draw.stratum[rows]], np.zeros(int(draw.batch.max()) + 1)
    np.maximum.at(most, batch, draw.chance[rows])
    code = np.unique(cluster, return_inverse=True)[1]
    of_all, of_gold = np.bincount(code), np.bincount(code[rows], minlength=int(code.max()) + 1)
    expected = min(float(most.sum()), 1.0) * float((of_gold * (of_all - 1)).sum()) / 2
    found = int((of_gold * (of_gold - 1)).sum()) // 2
    if found > expected + TOO_FAR * (1 + np.sqrt(expected)):
        raise InputError(
            f"columns {CLUSTER!r} and {BATCH!r}: {found:,} pairs of gold items are of one cluster, "
            f"and at most {expected:,.0f} are expected where the items of a batch are drawn one by "
            "one; expected batches as `crowdgold sample` draws them. Whole clusters are drawn all "
            f"at once, without the column {BATCH!r}"
        )
