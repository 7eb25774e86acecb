"""The next batch of items for experts: drawn at random within strata, more where labels tell more.

A metric M of label mass is, near the truth, a sum over items: item i adds psi_i(1) to it where it
is positive and psi_i(0) where it is not (its influence). Once the prediction g_i = P(Y_i = 1) is
corrected by gold labels, what the label of i adds to the error has variance

    v_i = g_i (1 - g_i) (psi_i(1) - psi_i(0))^2

Strata hold items that are to be drawn about equally often (`item_shares`). They are cut so that
each gets about as many labels. Strata of the prediction alone would need up to a third more labels:
items that are as likely to be positive can count differently, as a positive one without a positive
vote does for TPR_H. With c_hm the size of stratum h times the sum of its v_i of metric m, a share
r_h of n labels leaves the variance sum_h c_hm / r_h, divided by n. Relative to a sample at random,
of which r_h = N_h / N, that is

    R_m = sum_h s_hm / r_h        s_hm = c_hm / (N sum_h c_hm / N_h)

and R_m is the share of the labels of a random sample that makes an interval of the same width. One
metric alone is best with r_h in proportion to sqrt(s_hm) (Neyman, 1934). Of several the product of
the R_m is made smallest, a convex problem in log r_h (each R_m is a sum of powers). There

    r_h ~ sqrt(sum_m s_hm / R_m)

so the weight of a metric is 1 / R_m, found by repeating it: a metric that is left with twice the
share of the labels of another counts half as much. To make the largest R_m smallest instead would
spend nearly all labels on the metric that gains least by design, whose R_m rests most on how good
the prediction is. With 3 % positives and seven metrics that rule needed more labels for all of
them, for the worst off as well. A part of the labels goes by the items alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from crowdgold.checking.next_labels import ENOUGH, unlabelled
from crowdgold.inference.estimate import Questions, View
from crowdgold.metrics.metric import Asked
from crowdgold.models.logistic import by_others, features, without_labels
from crowdgold.simulate.design import LEAST as DESIGN_LEAST
from crowdgold.simulate.design import share_out
from crowdgold.simulate.expert_opinions import OTHERS
from crowdgold.types.annotations import Opinions
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import (
    BATCH,
    FOR_PEOPLE,
    NO_STRATUM,
    SIZE,
    STRATUM,
    GoldDraw,
    in_batches,
)
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items

LEAST = 1e-4  # predictions are kept so far from 0 and 1
STRATA = 8
LABELS_EACH = 6  # labels of a batch to a stratum: where they are fewer there are fewer strata
ENOUGH_FOR_ALL = STRATA * LABELS_EACH
"""Labels of a batch from which on it has all strata, so that a larger one begins with its items."""
PROPORTIONAL = 0.15
"""Share of the labels that strata get by their items alone: no weight is huge where the
expectation is wrong."""
COLUMNS = ("item", "gold", BATCH, STRATUM, SIZE, *FOR_PEOPLE)  # of the file that goes to experts
SECOND_COLUMNS = ("item", "label", "expert", "reason")
"""Of the file that asks experts for another opinion."""


def variances(items: Items, asked: Sequence[Asked], guess: np.ndarray) -> np.ndarray:
    """v_i of each metric as a share of its sum over items, (n, M); `guess` (n,) is P(Y_i = 1).

    A metric is of one predictor or a difference of two. All are 0 where it has no value among these
    items, or no label moves it.
    """
    bare = replace(items, labels=None, draw=None, truth=None, oracle=None)
    share = np.clip(guess, LEAST, 1 - LEAST)
    found = np.zeros((len(items), len(asked)))
    for column, metric in enumerate(asked):
        # A difference of two models moves by the first one's influence less the second's.
        first, *second = [
            _label_effect(bare, one, metric, share) for one in metric.predictors(items)
        ]
        moved = share * (1 - share) * (first - sum(second)) ** 2
        if np.isfinite(moved).all() and moved.sum() > 0:
            found[:, column] = moved / moved.sum()
    return found


def _label_effect(items: Items, predictor: str, metric: Asked, guess: np.ndarray) -> np.ndarray:
    """psi_i(1) - psi_i(0) of each item, (n,); 0 of one without a score that it would need.

    Each item stands twice, as a positive one that counts for g_i and a negative one for 1 - g_i.
    """
    scored = np.arange(len(items))
    if predictor != NO_PREDICTOR:
        scored = np.flatnonzero(np.isfinite(items.scores[predictor]))
    twice = View(items.take(np.concatenate([scored, scored])), predictor)
    label = np.repeat([1.0, 0.0], len(scored))
    counts = np.concatenate([guess[scored], 1 - guess[scored]])
    mass = twice.mass(label, counts)
    influence = Questions((metric.of_one,)).influence(mass, twice.ranking())[:, 0] / counts
    found = np.zeros(len(items))
    found[scored] = influence[: len(scored)] - influence[len(scored) :]
    return found


def predictions(items: Items, pilot: Items | None = None) -> list[np.ndarray]:
    """Predictions of P(Y_i = 1), (n,) each, of labels that are not there yet.

    With gold labels, or a pilot's of the same models, there are two: the cross-fitted regression on
    votes and ranks (`models.logistic`) with labels weighted by their chances, and with labels of
    equal weight. The first is right on average where the regression is not; the second needs fewer
    labels where it is. Callers take the mean of what labels tell over all predictions.
    With fewer than `ENOUGH` labels they are the regression's prior, which ranks items rightly where
    votes and scores are of any use. How many items are positive is not known then: where few are,
    most positive votes are wrong. So one prediction has as large a share of positive items as of
    positive votes, and the other .3 of it; without votes these are half of the items, and .15.
    """
    columns, old, draw = features(items), 0, items.draw
    gold, key = items.gold, items.key
    few = (gold != NO_GOLD).sum() < ENOUGH
    if few and pilot is None:
        share = items.positive_votes if items.has_votes else 0.5
        least = 1 / (2 * len(items))
        ends = [min(max(share * part, least), 1 - least) for part in (1.0, 0.3)]
        return [without_labels(columns, one) for one in ends]
    if few and pilot is not None:
        if pilot.predictors != items.predictors:
            raise InputError(
                f"--pilot: it has scores of {', '.join(pilot.predictors) or 'no model'}, the study "
                f"of {', '.join(items.predictors) or 'none'}; expected the same models"
            )
        labelled = pilot.take(np.flatnonzero(pilot.gold != NO_GOLD))
        old, draw = len(labelled), None
        if labelled.draw is not None:
            weights = labelled.draw.weights(np.arange(old))
            draw = GoldDraw(1 / np.concatenate([weights, np.ones(len(items))]))
        columns = np.concatenate([features(pilot)[pilot.gold != NO_GOLD], columns])
        gold = np.concatenate([labelled.gold, np.full(len(items), NO_GOLD)])
        key = np.concatenate([labelled.key, key])
    draws = [None] if draw is None else [draw, None]
    return [by_others(columns, gold, key, one)[old:] for one in draws]


def strata_by_rate(rate: np.ndarray, n: int) -> np.ndarray:
    """The number of each item's stratum, (m,), from 0 without gaps, for a batch of `n` labels.

    Strata are in the order of `rate` (m,), of `item_shares`; items of one rate stay together.
    """
    order = np.argsort(rate, kind="stable")
    up_to = np.cumsum(rate[order])
    number = max(1, min(STRATA, n // LABELS_EACH))
    cell = np.minimum((up_to - rate[order] / 2) / up_to[-1] * number, number - 1).astype(int)
    _, first, times = np.unique(rate[order], return_index=True, return_counts=True)
    stratum = np.empty(len(rate), dtype=int)
    stratum[order] = np.repeat(cell[first], times)
    return np.asarray(np.unique(stratum, return_inverse=True)[1])


def _shares(
    cost: np.ndarray, size: np.ndarray, proportional: float
) -> tuple[np.ndarray, np.ndarray]:
    """The share of all labels that each stratum is to have, (H,), and the weights of metrics."""
    even: np.ndarray = size / size.sum()
    at_random = size.sum() * (cost / size[:, None]).sum(axis=0)
    scaled = np.divide(cost, at_random, out=np.zeros(cost.shape), where=at_random > 0)
    weight = (at_random > 0).astype(float)
    if not weight.any():
        return even, weight
    for _ in range(100):
        wanted = np.sqrt(scaled @ weight)
        share = proportional * even + (1 - proportional) * wanted / wanted.sum()
        left = np.divide(scaled, share[:, None], out=np.zeros_like(scaled), where=scaled > 0)
        # Half-way, in logs: a whole step can go back and forth.
        weight = np.sqrt(
            np.divide(weight, left.sum(axis=0), out=np.zeros_like(weight), where=at_random > 0)
        )
    return share, weight


def stratum_shares(
    cost: np.ndarray, size: np.ndarray, proportional: float = PROPORTIONAL
) -> np.ndarray:
    """The share of all labels that each stratum is to have, (H,).

    `size` (H,) are its items, `cost` (H, M) c_hm; where all of that is 0, `size` alone decides.
    """
    return _shares(cost, size, proportional)[0]


def item_shares(variance: np.ndarray, proportional: float = PROPORTIONAL) -> np.ndarray:
    """The share of all labels that each item, of v_im (n, M), would have as a stratum, (n,)."""
    # Weights of metrics are found from 5,000 items, which stand for the others.
    some = variance[:: -(-len(variance) // 5_000)]
    weight = _shares(some, np.ones(len(some)), proportional)[1]
    all_of_it = some.sum(axis=0)
    wanted = np.sqrt(variance @ np.divide(weight, all_of_it, out=weight, where=all_of_it > 0))
    total = wanted.sum()
    even = np.full(len(variance), 1 / len(variance))
    return even if total <= 0 else proportional * even + (1 - proportional) * wanted / total


@dataclass(frozen=True)
class Batch:
    """Items to be labelled next."""

    number: int  # of the batch, from 1
    rows: np.ndarray  # (n,) positions of the items, in the order in which they are to be labelled
    stratum: np.ndarray  # (n,) number of each one's stratum
    size: np.ndarray  # (H,) items without a gold label in each stratum
    reason: tuple[str, ...]  # (H,) why items of it are drawn, in words

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


OPINIONS = 0x0F1A10
"""With the seed, the stream by which items get a second opinion: data that were themselves drawn by
that seed, as those of a simulation, are not tied to it. Batches have their number there.
"""


def random_places(item: np.ndarray, seed: Sequence[int]) -> np.ndarray:
    """A random place of each item, (m,) in [0, 1), which the names and the seed decide."""
    found = np.empty(len(item))
    places = np.argsort(item.astype(str), kind="stable")
    found[places] = np.random.default_rng(seed).random(len(item))
    return found


def next_batch(
    items: Items, asked: Sequence[Asked], n: int, seed: int, pilot: Items | None = None,
    proportional: float = PROPORTIONAL,
) -> Batch:  # fmt: skip
    """The next `n` items to be labelled for some metrics.

    Any beginning of their order is such a sample too: an expert who stops half-way has labelled a
    smaller batch, and a larger batch of the same seed begins with the same items if both have
    `ENOUGH_FOR_ALL` labels. A `pilot` is other items with gold labels, which the prediction rests
    on before there are enough.
    """
    rest = unlabelled(items)
    if not DESIGN_LEAST <= n <= len(rest):
        raise InputError(
            f"--n: found {n:,}, expected {DESIGN_LEAST} to {len(rest):,}, "
            "the items without a gold label"
        )
    guesses = predictions(items, pilot)
    guess = np.mean(guesses, axis=0)[rest]
    variance = np.mean([variances(items, asked, one) for one in guesses], axis=0)[rest]
    stratum = strata_by_rate(item_shares(variance, proportional), n)
    size = np.bincount(stratum)
    cost = np.stack([np.bincount(stratum, one, len(size)) for one in variance.T], axis=1)
    cost = cost * size[:, None]
    part = stratum_shares(cost, size, proportional)
    number = 1 + _batches(items)
    turn = random_places(items.item[rest], [seed, number])
    waiting = [rest[own][np.argsort(turn[own])] for own in (stratum == h for h in range(len(size)))]
    order = share_out(part, size)[:n]
    place = pd.Series(order).groupby(order).cumcount().to_numpy()
    rows = np.array([waiting[h][k] for h, k in zip(order, place, strict=True)])

    # Why items of each stratum are drawn: what is expected of them, and what they tell about.
    wanted, reasons = np.sqrt(cost), []
    total = wanted.sum(axis=0)
    told = np.divide(wanted, total, out=np.zeros_like(wanted), where=total > 0)
    for h, own in enumerate(told):
        chance = f"{100 * guess[stratum == h].mean():.2g} %"
        times = part[h] / (size[h] / size.sum())
        often = f"{times:.2g} times as often as at random"
        why = f", most for {asked[int(own.argmax())].text}" if times > 1 and own.any() else ""
        reasons.append(f"{chance} of them expected to be positive; drawn {often}{why}")
    return Batch(number, rows, order, size, tuple(reasons))


def _batches(items: Items) -> int:
    """How many batches there were: gold without a batch is one."""
    if items.draw is None:
        return int((items.gold != NO_GOLD).any())
    if items.draw.batch is None or items.draw.no_batch:
        raise InputError(items.draw.no_batch)
    return int(items.draw.batch.max()) + 1


def random_batch(items: Items, n: int, seed: int) -> Batch:
    """As many items drawn at random from all without a label, for comparison."""
    rest, number = unlabelled(items), 1 + _batches(items)
    rows = rest[np.argsort(random_places(items.item[rest], [seed, number]))][:n]
    stratum = np.zeros(len(rows), dtype=int)
    return Batch(number, rows, stratum, np.array([len(rest)]), ("at random",))


def with_labels(items: Items, batch: Batch) -> Items:
    """Items with the gold labels of the next batch too, from their known truth, and its design."""
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


def more_opinions(items: Items, seed: int) -> pd.DataFrame:
    """The gold items that need another expert's opinion, so that experts' errors can be corrected.

    All items that the first opinion puts into the rarer class need a second, and a tenth of the
    others, at random, the same ones each time by a seed; a third is needed where two differ. A few
    wrong labels among many negative items make up much of what is called positive, so that doubles
    of the rarer class are worth most.
    """
    opinions = items.opinions or Opinions(items.gold[:, None])
    number, first = opinions.number, opinions.labels[:, 0]
    if not number.any():
        raise InputError(
            "--second: found no gold labels, expected some that an expert has given; `crowdgold "
            "sample --n 100` says which items to label first"
        )
    rarer = int(2 * (first == 1).sum() <= (first != NO_GOLD).sum())
    drawn = (first != rarer) & (random_places(items.item, [seed, OPINIONS]) < OTHERS)
    wanted = [
        ((number == 2) & (opinions.positive == 1), "third", "two experts differ"),
        (
            (number == 1) & (first == rarer), "second",
            "the first expert put it into the rarer class",
        ),
        ((number == 1) & drawn, "second", "one of the other items, at random"),
    ]  # fmt: skip
    tables = [
        pd.DataFrame({"item": items.item[which], "expert": expert, "reason": reason})
        for which, expert, reason in wanted
    ]
    return pd.concat(tables).assign(label="")[list(SECOND_COLUMNS)]
