"""The next batch of items for experts: drawn at random within strata, more where labels tell more.

The items are in an order of which any beginning is such a sample too: an expert who stops half-way
has labelled a smaller batch, and more labels from the same seed begin with the same items where all
strata were there already (`strata.ENOUGH_FOR_ALL`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from crowdgold.data import NO_GOLD, GoldDraw, InputError, Items
from crowdgold.data.gold_batches import in_batches
from crowdgold.data.gold_draw import (
    BATCH,
    ESTIMATED,
    FOR_PEOPLE,
    NO_STRATUM,
    PROBABILITY,
    SIZE,
    STRATUM,
)
from crowdgold.metrics import Asked
from crowdgold.sampling.allocation import PROPORTIONAL, parts, rates
from crowdgold.sampling.spread import variances
from crowdgold.sampling.strata import by_rate, predicted
from crowdgold.simulate.gold_sample import LEAST, share_out

COLUMNS = ("item", "gold", BATCH, STRATUM, SIZE, *FOR_PEOPLE)
"""Of the file that goes to experts."""


@dataclass(frozen=True)
class Batch:
    """Items to be labelled next.

    Attributes:
        number: of the batch, from 1.
        rows: (n,) positions of the items, in the order in which they are to be labelled.
        stratum: (n,) number of each one's stratum.
        size: (H,) items without a gold label in each stratum.
        reason: (H,) why items of it are drawn, in words.
    """

    number: int
    rows: np.ndarray
    stratum: np.ndarray
    size: np.ndarray
    reason: tuple[str, ...]

    @property
    def drawn(self) -> np.ndarray:
        """Items drawn from each stratum, (H,)."""
        return np.bincount(self.stratum, minlength=len(self.size))

    def to_frame(self, items: Items) -> pd.DataFrame:
        """The table that goes to experts, with an empty column for their labels."""
        chance = (self.drawn / self.size)[self.stratum]
        columns = [
            items.item[self.rows],
            pd.Series(np.nan, index=range(len(self.rows)), dtype="Int8"),
            self.number,
            self.stratum + 1,
            self.size[self.stratum],
            [f"1 in {1 / one:.3g}" for one in chance],  # a text: no number to be taken for a score
            [self.reason[one] for one in self.stratum],
        ]
        return pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)))


def random_places(item: np.ndarray, seed: Sequence[int]) -> np.ndarray:
    """A random place of each item, (m,) in [0, 1), which the names and the seed decide."""
    places = np.argsort(item.astype(str), kind="stable")
    found = np.empty(len(item))
    found[places] = np.random.default_rng(seed).random(len(item))
    return found


def _reasons(
    guess: np.ndarray, stratum: np.ndarray, cost: np.ndarray, part: np.ndarray,
    asked: Sequence[Asked],
) -> tuple[str, ...]:  # fmt: skip
    """Why items of each stratum are drawn: what is expected of them, and what they tell about."""
    wanted = np.sqrt(cost)
    total = wanted.sum(axis=0)
    share = np.divide(wanted, total, out=np.zeros_like(wanted), where=total > 0)
    size, found = np.bincount(stratum), []
    for one, own in enumerate(share):
        of = guess[stratum == one]
        low, high = (f"{100 * value:.3g}" for value in (of.min(), of.max()))
        chance = f"{low} %" if low == high else f"{low} to {high} %"
        times = part[one] / (size[one] / size.sum())
        often = f"{times:.2g} times as often as at random"
        why = f", most for {asked[int(own.argmax())].text}" if times > 1 and own.any() else ""
        found.append(f"expected to be positive with {chance}; drawn {often}{why}")
    return tuple(found)


def next_batch(
    items: Items,
    asked: Sequence[Asked],
    n: int,
    seed: int,
    pilot: Items | None = None,
    proportional: float = PROPORTIONAL,
) -> Batch:
    """Items to be labelled next, for some metrics.

    Args:
        items: votes, scores, and the gold labels that there are.
        asked: the metrics.
        n: labels of the batch.
        seed: of the draw.
        pilot: other items with gold labels, which the prediction rests on before there are enough.
        proportional: share of the labels that strata get by their items alone.

    Raises:
        InputError: where there are not so many items, or too few labels for the strata.
    """
    rest = _unlabelled(items)
    if not LEAST <= n <= len(rest):
        raise InputError(
            f"--n: found {n:,}, expected {LEAST} to {len(rest):,}, the items without a gold label"
        )
    guesses = predicted(items, pilot)
    guess = np.mean(guesses, axis=0)
    variance = np.mean([variances(items, asked, one) for one in guesses], axis=0)[rest]
    stratum = by_rate(rates(variance, proportional), n)
    size = np.bincount(stratum)
    cost = np.stack([np.bincount(stratum, one, len(size)) for one in variance.T], axis=1)
    cost = cost * size[:, None]
    part = parts(cost, size, proportional)
    number = 1 + _batches(items)
    turn = random_places(items.item[rest], [seed, number])
    waiting = [rest[own][np.argsort(turn[own])] for own in (stratum == h for h in range(len(size)))]
    order = share_out(part, size)[:n]
    place = pd.Series(order).groupby(order).cumcount().to_numpy()
    rows = np.array([waiting[h][k] for h, k in zip(order, place, strict=True)])
    reasons = _reasons(guess[rest], stratum, cost, part, asked)
    return Batch(number, rows, order, size, reasons)


def _unlabelled(items: Items) -> np.ndarray:
    """Positions of the items that no expert has looked at; experts have looked at those tied."""
    left = items.gold == NO_GOLD
    if items.opinions is not None:
        left &= items.opinions.number == 0
    return np.flatnonzero(left)


def _batches(items: Items) -> int:
    """How many batches there were: gold without a batch is one.

    Raises:
        InputError: where gold was drawn in another way, after which no batch can follow.
    """
    draw = items.draw
    if draw is None:
        return int((items.gold != NO_GOLD).any())
    if draw.estimated:
        raise InputError(
            f"column {ESTIMATED!r}: no batch can follow gold whose chances are estimated. Set that "
            "gold aside, with its chances, and draw items from all"
        )
    if draw.batch is None:
        column = STRATUM if draw.stratum is not None else PROBABILITY
        raise InputError(
            f"column {column!r}: no batch can follow gold that was drawn so. Where fixed numbers "
            f"were drawn from strata, expected {BATCH} 1 and {SIZE} of each gold item"
        )
    return int(draw.batch.max()) + 1


def random_batch(items: Items, n: int, seed: int) -> Batch:
    """As many items drawn at random from all without a label, for comparison."""
    rest = _unlabelled(items)
    number = 1 + _batches(items)
    rows = rest[np.argsort(random_places(items.item[rest], [seed, number]))][:n]
    return Batch(
        number, rows, np.zeros(len(rows), dtype=int), np.array([len(rest)]), ("at random",)
    )


def labelled(items: Items, batch: Batch) -> Items:
    """The items with gold labels of a batch too, from their truth.

    Args:
        items: whose truth is known, with the gold labels that there were.
        batch: the next one of them.
    """
    assert items.truth is not None
    before, old = items.gold != NO_GOLD, items.draw
    gold = items.gold.copy()
    gold[batch.rows] = items.truth[batch.rows]
    if old is None or old.drawn is None or old.stratum is None or old.batch is None:
        first = int(before.any())
        stratum = np.where(before, 0, NO_STRATUM)
        chance = np.where(before, before.mean(), np.nan)
        drawn, number = np.full(first, before.sum()), np.zeros(first, dtype=int)
    else:
        stratum, chance, drawn, number = old.stratum.copy(), old.chance.copy(), old.drawn, old.batch
    stratum[batch.rows] = len(drawn) + batch.stratum
    chance[batch.rows] = (batch.drawn / batch.size)[batch.stratum]
    own = np.full(len(batch.size), 1 + max(number, default=-1))
    draw = GoldDraw(chance, stratum, np.concatenate([drawn, batch.drawn]))
    return replace(items, gold=gold, draw=in_batches(draw, np.concatenate([number, own])))
