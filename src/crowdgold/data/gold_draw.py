"""How gold items were drawn, where their chances are known, and what each counts.

Without chances, gold items are a simple random sample. An item counts for 1 / chance items, or, in
batches, as `gold_batches` says. `gold_columns` reads them.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from crowdgold.data.checks import list_names

PROBABILITY, STRATUM, SIZE, BATCH, ESTIMATED = COLUMNS = (
    "gold_probability", "gold_stratum", "gold_stratum_size", "gold_batch",
    "gold_probability_estimated",
)  # fmt: skip
FOR_PEOPLE = ("chance", "reason")
"""Columns beside `gold_batch` that say why an item was drawn."""
NO_STRATUM = -1
"""Of an item whose stratum is not known."""


@dataclass(frozen=True, eq=False)
class GoldDraw:
    """Known chances of items to have a gold label; arrays share the order of the items.

    Attributes:
        chance: (n,) of each item; NaN where it is not known, of items without gold.
        stratum: (n,) number of each item's stratum, or `NO_STRATUM`; None where each item was drawn
            by itself.
        drawn: (H,) gold items of each stratum in the whole table; None likewise.
        batch: (H,) number of each stratum's batch, from 0; None where all were drawn at once.
        counts: (n,) items that each gold item stands for; None where it is 1 / chance.
        by_chance: (n,) share of that which its chance decides (`gold_batches`); None where all.
        estimated: whether chances are not known, but estimated from votes and scores.
        sent: (n,) number of the stratum of each item that was sent to experts, whether it came back
            with a label or not, or `NO_STRATUM`; None where all that is known to be sent came back.
        names: of the strata in the table, as many as `drawn`; empty where there were none.
    """

    chance: np.ndarray
    stratum: np.ndarray | None = None
    drawn: np.ndarray | None = None
    batch: np.ndarray | None = None
    counts: np.ndarray | None = None
    by_chance: np.ndarray | None = None
    estimated: bool = False
    sent: np.ndarray | None = None
    names: tuple[str, ...] = ()

    def take(self, rows: np.ndarray) -> "GoldDraw":
        """The chances of the items at some positions, which were drawn among all."""
        named = ("chance", "stratum", "counts", "by_chance", "sent")
        held = {name: getattr(self, name) for name in named}
        return replace(self, **{name: one[rows] for name, one in held.items() if one is not None})

    def weights(self, rows: np.ndarray) -> np.ndarray:
        """What gold items at some positions count, of mean 1: (m,)."""
        weights = 1 / self.chance[rows] if self.counts is None else self.counts[rows]
        scaled: np.ndarray = weights / weights.mean()
        return scaled

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
    """So many strata, in words."""
    return f"{number:,} {'stratum' if number == 1 else 'strata'}"


def in_words(draw: GoldDraw, gold: np.ndarray) -> str:
    """How gold was drawn and what that costs, a sentence."""
    weights = draw.weights(np.flatnonzero(gold >= 0))
    how = "each item by itself"
    if draw.batch is not None and draw.drawn is not None:
        sizes = np.bincount(draw.batch, draw.drawn).astype(int)
        how = (
            f"by strata, in {'1 batch' if len(sizes) == 1 else f'{len(sizes)} batches'} of "
            f"{list_names(sizes)}"
        )
    elif draw.drawn is not None:
        how = f"fixed numbers from each of {strata_counted(len(draw.drawn))}"
    if draw.estimated:
        return (
            "gold items were chosen, and their chances are estimated from votes and scores; all "
            "that rests on gold labels is right only if the choice depended on these alone: "
            f"{cost_in_words(weights)}"
        )
    return (
        f"the table says with which chances gold items were drawn, {how}: {cost_in_words(weights)}"
    )


def cost_in_words(weights: np.ndarray) -> str:
    """What unequal weights (m,) of gold items, of mean 1, cost."""
    return (
        f"the weight of a label is {weights.min():.2g} to {weights.max():.2g} times the average; "
        f"all {len(weights):,} tell as much as {kish(weights):,.0f} labels of equal weight"
    )
