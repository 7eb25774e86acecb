"""How gold items were drawn from all items: what each counts, and how uncertain that leaves sums.

A simple random sample is the simplest design. Where items were drawn with known chances pi_i (the
columns of `types.gold_draw`), each counts for 1 / pi_i. With d_i what gold item i contributes to an
estimate, n_h gold items in stratum h and d_h their mean, the variance over samples is

    v_h = n_h / (n_h - 1) sum (1 - pi_i) (d_i - d_h)^2        V = sum v_h

Items that were each drawn by itself are one stratum with d_h = 0. Strata with one gold item are
joined with the next. Of gold that was drawn in batches (`types.gold_draw`), d_i is the part that
chance decides. An estimate of some of the items alone takes its d_i as 0 for the others. For
a population, of which the N items are a sample, the variance over the items' contributions, over N,
is added.

Degrees of freedom, of a metric that rests on k of n gold items, are sqrt((k - 1) (n - 1)): k - 1
alone is too cautious, since the spread of a rate follows from the rate. In strata Satterthwaite's
number stands in the place of n - 1, and where weights differ Kish's number of items of equal weight
in that of k. That of an AUC does not follow from it. Its variance is v_1 / k + v_0 / (n - k) of the
two classes, whose v are taken to be alike, so that with w = (n - k) / n it has no more than
1 / (w^2 / (k - 1) + (1 - w)^2 / (n - k - 1)) degrees of freedom (Satterthwaite, 1946).

A cell of gold items, a stratum or a class of weight or all of them, whose few labels are alike
shows no variance. One more label is imagined in it (`one_more`). Of items that each count for more
than twice as much as any gold item, by a small chance or a weight of the table's own, gold says
nothing: their mean may be anything, and adds the variance of a uniform number.

Items that belong together are drawn one by one, or in part by whole clusters (`Clustered`).
"""

from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from crowdgold.inference.estimate import View
from crowdgold.inference.interval import unseen_share
from crowdgold.types.gold_draw import GoldDraw, WholeClusters, kish, may_be_whole, whole_clusters
from crowdgold.types.items import NO_GOLD

LEAST = 2.0
EQUAL = 1e-9  # Largest difference of weights, of mean 1, that are the same but for rounding


def of_items(deviations: np.ndarray, size: int) -> np.ndarray:
    """Degrees of freedom, (P,), by how uneven the squares of deviations d_i, (r, P), are: 2 n /
    (kurtosis - 1) of n = `size` gold items that were each drawn by itself, at least 2.
    """
    whole, fourth = (deviations**2).sum(axis=0) ** 2, (deviations**4).sum(axis=0)
    uneven = size * fourth - whole
    found = np.full(deviations.shape[1], size - 1.0)
    np.divide(2 * size * whole, uneven, out=found, where=uneven > 0)
    return np.clip(found, min(LEAST, size - 1.0), max(size - 1.0, 1.0))


def of_strata(
    deviations: np.ndarray, group: np.ndarray, drawn: np.ndarray, size: int
) -> np.ndarray:
    """Degrees of freedom, (P,), of strata h: V^2 / sum(v_h^2 / (n_h - 1)) (Satterthwaite, 1946),
    v_h from deviations (r, P) in strata `group` (r,), n_h `drawn`.
    """
    found = np.full(deviations.shape[1], max(size - 1.0, 1.0))
    parts = np.zeros((len(drawn), len(found)))
    np.add.at(parts, group, deviations**2)
    below = (parts**2 / np.maximum(drawn - 1, 1)[:, None]).sum(axis=0)
    np.divide(parts.sum(axis=0) ** 2, below, out=found, where=below > 0)
    return found


@dataclass(frozen=True)
class SimpleRandom:
    """A simple random sample: all items are alike."""

    size: int  # gold items
    fraction: float = 0.0  # share of all items that they are; 0 of a population without end
    # (m,) what each counts, where the table has weights of its own, too
    own_weights: np.ndarray | None = field(default=None, compare=False)
    unseen: float = 0.0  # share of items that count for more than twice as much as any gold item
    units: ClassVar[str] = "gold items"  # what is counted, in words

    @property
    def weights(self) -> np.ndarray | None:
        """What each gold item counts, of mean 1: (m,); None where all count the same."""
        return None

    @property
    def counting(self) -> np.ndarray | None:
        """Weights by which items are counted of equal weight, (m,); None where each is one."""
        return self.weights if self.own_weights is None else self.own_weights

    @property
    def uneven(self) -> bool:
        """Whether some gold items count for more than others."""
        return self.counting is not None and bool(np.ptp(self.counting) > EQUAL)

    @property
    def groups(self) -> np.ndarray:
        """Within which of so many samples each gold item was drawn, (m,); 0 of one sample."""
        return np.zeros(self.size, dtype=int)

    @property
    def left(self) -> float:
        """What the variance over samples is multiplied by."""
        return 1 - self.fraction

    @property
    def of_all(self) -> int:
        """How many items these were drawn from; their own number without end."""
        return round(self.size / self.fraction) if self.fraction > 0 else self.size

    @property
    def everyone(self) -> bool:
        """Whether all items have a gold label."""
        return self.fraction >= 1

    def deviations(self, influence: np.ndarray) -> np.ndarray:
        """Numbers (r, P) whose squares, over r - 1, are `size` times the variance over samples."""
        return influence

    def of_population(self, influence: np.ndarray) -> np.ndarray | None:
        """Numbers (m, P) for `added`; None where the population adds `fraction` of the variance."""
        return None

    def added(self, of_population: np.ndarray, rows: int) -> np.ndarray:
        """What the population adds to `size` times the variance, (P,); `rows`: of `deviations`."""
        return (of_population**2).sum(axis=0) / max(rows - 1, 1)

    def expected(self, influence: np.ndarray, among: GoldDraw | None) -> np.ndarray:
        """The same, but for a mean of squares, from any items, (s, P), of these chances."""
        return influence

    def one_more(self, own: np.ndarray, other: np.ndarray, known: bool = False) -> np.ndarray:
        """What one more label, of either class, adds to `size` times the variance, (P,). `own`, (m,
        P): what gold items contribute, centred; `other`: were their labels the other ones, NaN
        where neither matters. `known`: whether it is what the population adds (`added`).
        """
        found: np.ndarray = _imagined(own, other) / self.size
        return self.fraction * found if known else found + self._of_unseen(own, other)

    def left_open(self, own: np.ndarray, other: np.ndarray, level: float) -> np.ndarray:
        """How far labels that a stratum, or class of weight, has not shown may move, (P,)."""
        return self._moved_by_unseen(own, other)

    def _moved_by_unseen(self, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        """How far the labels of `unseen` may move, (P,), where items matter as gold items do."""
        return self.unseen * np.abs(np.nan_to_num(other - own)).mean(axis=0)

    def _of_unseen(self, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        """What these labels add to `size` times the variance, (P,): any mean is as likely."""
        return self.size * self._moved_by_unseen(own, other) ** 2 / 12

    def few_labels(self) -> np.ndarray | None:
        """The cell of each gold item, (m,), where there are several (`few_labels`); else None."""
        return None

    def not_labelled(self) -> np.ndarray:
        """Share of the items that each gold item stands for that have no gold label, (m,)."""
        return np.full(self.size, 1 - self.fraction)

    @property
    def trace(self) -> np.ndarray:
        """Share of each, (m,), that is of the other class if a cell has one more label."""
        return np.full(self.size, 0.5 / (self.size + 1))

    def freedom(self, deviations: np.ndarray, count: np.ndarray) -> np.ndarray:
        """Degrees of freedom by the design alone, (P,), of what rests on `count` items, 2 up."""
        number = self.size if self.counting is None else kish(self.counting)
        return np.sqrt((count - 1.0) * max(number - 1.0, 1.0))

    def as_found(self, deviations: np.ndarray) -> np.ndarray:
        """Degrees of freedom of each variance, (P,), by how uneven its deviations (r, P) are."""
        return of_items(deviations, self.size)

    def of_classes(self, count: np.ndarray) -> np.ndarray:
        """Degrees of freedom, (P,), of metrics that compare `count` items with the others."""
        others = np.maximum(self.size - count, 2.0)
        share = others / (others + count)
        return 1 / (share**2 / (count - 1) + (1 - share) ** 2 / (others - 1))

    def times(self, rng: np.random.Generator) -> np.ndarray:
        """How often each gold item is in a resample: (m,)."""
        drawn = rng.integers(0, self.size, self.size)
        return np.bincount(drawn, minlength=self.size).astype(float)


@dataclass(frozen=True, eq=False, kw_only=True)
class KnownChances(SimpleRandom):
    """Gold items with known chances; `fraction` is that of the least likely one."""

    number: int  # N, of items that they were drawn from
    chance: np.ndarray  # (m,) of each gold item
    group: np.ndarray  # (m,) its stratum, singles joined; 0 where each was drawn by itself
    drawn: np.ndarray  # (G,) gold items of each, also those that are not among the m
    by_itself: bool = False  # whether each was drawn by itself
    counts: np.ndarray | None = None  # (m,) items that each stands for; None where it is 1 / chance
    by_chance: np.ndarray | None = None  # (m,) share that varies over samples; None: all

    @classmethod
    def of(
        cls, draw: GoldDraw, of_all: int, own_weights: np.ndarray | None = None,
        unseen: float = 0.0,
    ) -> "KnownChances":  # fmt: skip
        """The design of gold items with these chances, among so many items."""
        size, chance = len(draw.chance), draw.chance
        group, drawn = np.zeros(size, dtype=int), np.array([size])
        by_itself = draw.stratum is None or draw.drawn is None
        if draw.stratum is not None and draw.drawn is not None:
            whole = np.isin(np.arange(len(draw.drawn)), draw.stratum[chance >= 1])
            joined = _joined(draw.drawn, whole)
            group, drawn = joined[draw.stratum], np.bincount(joined, draw.drawn).astype(int)
        least = chance.min() if draw.counts is None else 1 / draw.counts.max()
        return cls(
            size=size, fraction=float(least), number=of_all, chance=chance, group=group,
            drawn=drawn, by_itself=by_itself, counts=draw.counts, by_chance=draw.by_chance,
            own_weights=own_weights, unseen=unseen,
        )  # fmt: skip

    @property
    def of_all(self) -> int:
        """N."""
        return self.number

    @property
    def groups(self) -> np.ndarray:
        """Its stratum."""
        return self.group

    @property
    def weights(self) -> np.ndarray:
        """What each gold item counts, of mean 1: (m,)."""
        weights = 1 / self.chance if self.counts is None else self.counts
        return weights / weights.mean()

    @property
    def everyone(self) -> bool:
        """Whether all items have a gold label."""
        return self.size >= self.number

    @property
    def left(self) -> float:
        """1: the chances are in the deviations."""
        return 1.0

    def _absent(self) -> np.ndarray:
        """The groups of which gold items are not among the m, while others are."""
        present = np.bincount(self.group, minlength=len(self.drawn))
        return np.flatnonzero((present > 0) & (present < self.drawn) & (not self.by_itself))

    def deviations(self, influence: np.ndarray) -> np.ndarray:
        """As of a simple random sample; one row more for each group that is there in part."""
        number, absent = self.drawn[self.group], self._absent()
        scale = (1 - self.chance) * number / np.maximum(number - 1, 1)
        if self.by_chance is not None:
            influence = influence * self.by_chance[:, None]
        total = np.zeros((len(self.drawn), influence.shape[1]))
        np.add.at(total, self.group, influence)
        mean = np.zeros_like(total) if self.by_itself else total / self.drawn[:, None]
        found = np.sqrt(scale)[:, None] * (influence - mean[self.group])
        if len(absent):
            present = np.bincount(self.group, minlength=len(self.drawn))
            of_group = np.bincount(self.group, weights=scale, minlength=len(present))[absent]
            missing = (self.drawn - present)[absent] * of_group / present[absent]
            found = np.concatenate([found, np.sqrt(missing)[:, None] * mean[absent]])
        return found * np.sqrt((len(found) - 1) / self.size)

    def one_more(self, own: np.ndarray, other: np.ndarray, known: bool = False) -> np.ndarray:
        """As of a simple random sample, in the cell of gold items where it adds most: if n_h
        labels of each cell h with share W_h of the items are all negative, the rate of all is at
        most about 3.7 max(W_h / n_h), and not the sum.
        """
        if self.by_chance is not None:
            own, other = own * self.by_chance[:, None], other * self.by_chance[:, None]
        cell, found = self.cells(), np.zeros(own.shape[1])
        for place in np.unique(cell):
            rows = cell == place
            chance = float(self.chance[rows].mean())
            left = chance if known else 1 - chance
            adds = left * _imagined(own[rows], other[rows], centred=not self.by_itself)
            found = np.maximum(found, adds)
        return found / self.size + (0.0 if known else self._of_unseen(own, other))

    def left_open(self, own: np.ndarray, other: np.ndarray, level: float) -> np.ndarray:
        """What as many other labels do as labels that are all alike cannot exclude (`interval`)."""
        cell, found = self.cells(), np.zeros(own.shape[1])
        number, unseen = np.bincount(cell), self._moved_by_unseen(own, other)
        if (number > 0).sum() < 2:
            return unseen
        for place in np.flatnonzero(number):
            rows = cell == place
            moved = np.abs(np.nan_to_num(other[rows] - own[rows]).sum(axis=0))
            left = float((1 - self.chance[rows]).mean())
            found = np.maximum(found, left * unseen_share(number[place], level) * moved)
        return np.maximum(found / self.size, unseen)

    def few_labels(self) -> np.ndarray | None:
        """Its stratum, or its class of weight; None where there is one alone."""
        cell = self.cells()
        return cell if np.ptp(cell) > 0 else None

    def not_labelled(self) -> np.ndarray:
        """As of a simple random sample, by its chance."""
        return 1 - self.chance

    @property
    def trace(self) -> np.ndarray:
        """As of a simple random sample, within cells."""
        cell = self.cells()
        return 0.5 / (np.bincount(cell)[cell] + 1)

    def cells(self) -> np.ndarray:
        """The stratum of each gold item, or its class of weight, from 0: (m,)."""
        if not self.by_itself:
            return self.group
        weights = self.weights if self.own_weights is None else self.own_weights
        octave = np.floor(np.log2(weights / weights.min()) + EQUAL)
        return np.unique(octave, return_inverse=True)[1]

    def of_population(self, influence: np.ndarray) -> np.ndarray:
        """Each item's own contribution, weighed back to all items."""
        rows = self.size + len(self._absent())
        scale = self.size / self.number * (rows - 1) / max(self.size - 1, 1)
        return influence * np.sqrt(scale / self.weights)[:, None]

    def expected(self, influence: np.ndarray, among: GoldDraw | None) -> np.ndarray:
        """As of a simple random sample, with the chances of the items."""
        assert among is not None
        odds = 1 / among.chance - 1
        odds = np.where(np.isnan(odds), self.number / self.size - 1, odds)
        centred = influence
        if among.stratum is not None:
            _, cell = np.unique(among.stratum, return_inverse=True)
            total = np.zeros((int(cell.max()) + 1, influence.shape[1]))
            np.add.at(total, cell, influence)
            centred = influence - (total / np.bincount(cell)[:, None])[cell]
        return centred * np.sqrt(odds * self.size / self.number)[:, None]

    def freedom(self, deviations: np.ndarray, count: np.ndarray) -> np.ndarray:
        """As of a simple random sample, with Satterthwaite's number in the place of n - 1."""
        if self.by_itself:
            return super().freedom(deviations, count)
        groups = np.concatenate([self.group, self._absent()])
        return np.sqrt((count - 1.0) * of_strata(deviations, groups, self.drawn, self.size))

    def times(self, rng: np.random.Generator) -> np.ndarray:
        """n_h - 1 of the n_h of each stratum, with replacement, rescaled (Rao and Wu, 1988)."""
        found = np.ones(self.size)
        for one in np.unique(self.group):
            rows = np.flatnonzero(self.group == one)
            if len(rows) > 1:
                drawn = rng.integers(0, len(rows), len(rows) - 1)
                often = np.bincount(drawn, minlength=len(rows))
                found[rows] = often * len(rows) / (len(rows) - 1)
        return found if self.by_chance is None else 1 + self.by_chance * (found - 1)


def _imagined(own: np.ndarray, other: np.ndarray, centred: bool = True) -> np.ndarray:
    """What one more label in a cell of gold items adds to the variance of a sum, (P,).

    The label is spread over the items to which it would matter, and is as likely to be of their
    own class as of the other. A cell of n items is then one of n + 1. So labels that are all alike
    still leave the variance of a rate that they cannot exclude. `centred`: whether contributions
    are held against the mean of the cell.
    """
    middle, touched = own.mean(axis=0) if centred else 0.0, np.isfinite(other)
    squares = np.where(touched, (own - middle) ** 2 + (other - middle) ** 2, 0.0).sum(axis=0)
    found: np.ndarray = squares / 2 / np.maximum(touched.sum(axis=0), 1)
    return (len(own) / (len(own) + 1)) ** 2 * found


Design = SimpleRandom  # What knows how gold was drawn


def _joined(drawn: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """The group of each stratum, (H,): one with a single gold item is joined with another."""
    group, number, held, last = np.zeros(len(drawn), dtype=int), 0, 0, -1
    for one in np.flatnonzero(~whole):
        group[one] = number
        held += int(drawn[one])
        if held > 1:
            last, number, held = number, number + 1, 0
    if held == 1 and last >= 0:
        group[~whole & (group == number)] = last
    elif held:
        number += 1
    group[whole] = number + np.arange(int(whole.sum()))
    return group


HALF = 0.5  # Share of gold that comes by whole clusters, from which on clusters are looked at
TWICE = 2.0  # How many times as much as a gold item an item counts of which gold says nothing
WHOLE = WholeClusters(siblings=0.0, expected=0.0, found=0, ratio=np.nan, share=1.0)
"""Of items that were drawn from a population without end: by whole clusters."""


def _of_items(name: str) -> Any:
    """What is the same as of items that were drawn one by one."""
    return property(attrgetter(f"items.{name}"))


@dataclass(frozen=True, eq=False, kw_only=True)
class Clustered(SimpleRandom):
    """Labelled items that belong together: drawn one by one, or in part by whole clusters.

    With d_i what gold item i contributes to an estimate, weighted and centred, and d_c their sum in
    cluster c of G with gold, the variance over samples of this table is

        V = t V_clusters + (1 - t) V_items        V_clusters = (1 - f) G / (G - 1) sum_c (p_c d_c)^2

    p_c = (1 - 1 / G) / (1 - s_c) with s_c the cluster's share of the gold items: V_clusters is then
    the jackknife's that leaves out a cluster. A cluster with a tenth of all pulls the estimate to
    itself. V_items is that of `items`; with known chances V_clusters is the same of clusters in the
    place of items. t is how far gold comes by whole clusters (`types.gold_draw`). It follows from
    pairs: two items of a cluster both have gold with chance pi_i pi_j / q_ij, and that they are
    drawn together leaves (1 - q_ij) d_i d_j of their product in V. q is 1 where items are drawn one
    by one, and pi_i where clusters are drawn whole, so that q_ij = 1 - t (1 - pi_i) gives the V
    above.

    The table is itself a sample of clusters of a population. That adds the variance over the
    table's clusters, sum_c (sum_i e_i)^2 / N^2 with e_i what any item contributes, of which gold
    shows

        sum_i pi_i d_i^2 + q X        X = sum_c ((p_c d_c)^2 - sum_i d_i^2)

    For a simple random sample and gold alone both add up to sum_c (p_c d_c)^2 (where q is at most
    1), whichever way gold was drawn. q X is kept between 0 and what it is where all items of a
    cluster contribute the same, which stands for it where no two gold items share a cluster.

    The label that is imagined (`one_more`) counts as many times as items of a cluster go together,
    sum_c d_c^2 / sum_i d_i^2, with one more cluster of which all items do. A whole cluster of other
    labels in its place left intervals much too long.

    Degrees of freedom are those of the design with the number of clusters in the place of that of
    items, of equal weight (Kish's number of their gold items' weights).
    """

    items: SimpleRandom  # the design that holds where items were drawn one by one
    clusters: SimpleRandom  # that of the clusters, where these were drawn whole
    cluster: np.ndarray  # (m,) number of each labelled item's, from 0
    share: float  # t
    pairs: float  # q; NaN where no two labelled items are of one cluster
    siblings: float  # other items in the cluster of an item, the mean over the whole table
    units: ClassVar[str] = "clusters of gold items"

    weights = _of_items("weights")
    uneven = _of_items("uneven")
    everyone = _of_items("everyone")
    left = _of_items("left")
    left_open = _of_items("left_open")
    few_labels = _of_items("few_labels")
    not_labelled = _of_items("not_labelled")
    trace = _of_items("trace")
    expected = _of_items("expected")

    @property
    def counting(self) -> np.ndarray:
        """What each labelled item counts, of mean 1: (m,)."""
        weights = self.items.counting
        return np.ones(self.size) if weights is None else weights

    @property
    def _sizes(self) -> np.ndarray:
        """What all labelled items of a cluster count: (G,)."""
        return np.bincount(self.cluster, self.counting)

    def _summed(self, influence: np.ndarray) -> np.ndarray:
        """What clusters contribute, (G, P)."""
        total = np.zeros((self.clusters.size, influence.shape[1]))
        np.add.at(total, self.cluster, influence)
        return total

    @property
    def _pull(self) -> np.ndarray:
        """How much larger a cluster's contribution is where the estimate is made without it, (G,).

        The estimate follows a cluster that holds a large share of the labelled items. What such a
        cluster contributes is less than what the estimate changes by without it (the jackknife that
        leaves out a cluster of its stratum; Bell and McCaffrey, 2002). 1 where all are of one size.
        """
        group = self.clusters.groups
        number = np.bincount(group)[group]
        share = self._sizes / np.bincount(group, self._sizes)[group]
        several = number > 1
        pull: np.ndarray = np.ones(len(share))
        np.divide(1 - 1 / number, 1 - share, out=pull, where=several)
        return pull

    def deviations(self, influence: np.ndarray) -> np.ndarray:
        """As of a simple random sample, rows of items and then rows of clusters."""
        if self.share == 0:
            return self.items.deviations(influence)
        parts = []
        for design, share, own in (
            (self.items, 1 - self.share, influence),
            (self.clusters, self.share, self._summed(influence) * self._pull[:, None]),
        ):
            if share > 0:
                rows = design.deviations(own)
                parts.append(
                    rows * np.sqrt(share * design.size / self.size / max(len(rows) - 1, 1))
                )
        found = np.concatenate(parts)
        return found * np.sqrt(max(len(found) - 1, 1))

    def one_more(self, own: np.ndarray, other: np.ndarray, known: bool = False) -> np.ndarray:
        """As of items; where clusters were drawn, so many times as items of one go together."""
        found = self.items.one_more(own, other, known)
        if self.share < HALF:
            return found
        number, squares = self.clusters.size, (own**2).sum(axis=0)
        most = self.size / number
        shown = (self._summed(own) ** 2).sum(axis=0)
        together = np.divide(shown, squares, out=np.full(len(found), most), where=squares > 0)
        times: np.ndarray = (number * np.clip(together, 1.0, most) + most) / (number + 1)
        return found * times

    def of_population(self, influence: np.ndarray) -> np.ndarray | None:
        """What the items contribute; None of a sample of a population without end."""
        return influence if self.fraction > 0 else None

    def added(self, of_population: np.ndarray, rows: int) -> np.ndarray:
        """The sum of the items' part and of q X."""
        own = self.items.of_population(of_population)
        squares = (of_population**2).sum(axis=0) / max(self.size - 1, 1)
        if own is None:
            alone = self.fraction * squares
        else:
            alone = self.items.added(own, len(self.items.deviations(of_population)))
        number = self.clusters.size
        pulled = self._summed(of_population) * self._pull[:, None]
        summed = (pulled**2).sum(axis=0) / self.size
        cross = summed * number / max(number - 1, 1) - squares
        most = alone * self.siblings
        between = most if np.isnan(self.pairs) else np.clip(self.pairs * cross, 0, most)
        return alone + between

    def freedom(self, deviations: np.ndarray, count: np.ndarray) -> np.ndarray:
        """As of the designs, with clusters in the place of items."""
        between: np.ndarray = np.sqrt((count - 1.0) * max(kish(self._sizes) - 1, 1))
        designs = self._by_design(deviations)
        return np.minimum.reduce(
            [between, *(design.freedom(own, count) for design, own in designs)]
        )

    def as_found(self, deviations: np.ndarray) -> np.ndarray:
        """The fewer of the designs'."""
        return np.minimum.reduce(
            [design.as_found(own) for design, own in self._by_design(deviations)]
        )

    def _by_design(self, deviations: np.ndarray) -> list[tuple[SimpleRandom, np.ndarray]]:
        """The designs of items and of clusters, each with its own rows of `deviations`."""
        if self.share == 0:
            return [(self.items, deviations)]
        rows = len(deviations) - self.clusters.size
        both = [(self.items, deviations[:rows]), (self.clusters, deviations[rows:])]
        return [(design, one) for design, one in both if len(one)]

    def times(self, rng: np.random.Generator) -> np.ndarray:
        """Resamples of clusters."""
        return self.clusters.times(rng)[self.cluster]


def _in_clusters(
    items: Design, cluster: np.ndarray, known: WholeClusters, draw: GoldDraw | None = None,
    possible: bool = True,
) -> Clustered:  # fmt: skip
    """The design of labelled items of these clusters (m,), which came together as is `known`;
    `possible`: whether clusters can have been drawn whole with the chances of `draw`.
    """
    names, first, code = np.unique(cluster, return_index=True, return_inverse=True)
    clusters: Design = SimpleRandom(len(names), items.fraction)
    if draw is not None and possible and isinstance(items, KnownChances):
        whole = draw.take(first)
        if whole.stratum is not None:
            _, stratum, drawn = np.unique(whole.stratum, return_inverse=True, return_counts=True)
            whole = GoldDraw(whole.chance, stratum, drawn)
        clusters = KnownChances.of(whole, items.of_all)
    return Clustered(
        size=items.size, fraction=items.fraction, items=items, clusters=clusters, cluster=code,
        share=known.share if possible else 0.0, siblings=known.siblings,
        pairs=known.ratio, unseen=items.unseen,
    )  # fmt: skip


def sample_of_population(view: View) -> Design:
    """The design of items that all have a label: a sample of a population without end."""
    design, cluster = SimpleRandom(len(view)), view.items.cluster
    return design if cluster is None else _in_clusters(design, cluster, WHOLE)


def drawn_from(view: View, rows: np.ndarray) -> tuple[View, Design]:
    """The gold items at some positions, each with what it counts, and how they were drawn."""
    known, draw, cluster = view.take(rows), view.items.draw, view.items.cluster
    each = counts = np.ones(len(view)) if view.weights is None else view.weights
    if draw is not None:
        each = counts / np.where(draw.chance > 0, draw.chance, np.nan)
    more = each > TWICE * np.nanmax(each[rows])
    unseen, own = float(counts[more].sum() / counts.sum()), known.weights
    if draw is not None:
        weights = draw.weights(rows)
        known = replace(known, weights=weights if own is None else own * weights)
    scaled = None if own is None or known.weights is None else known.weights / known.weights.mean()
    of_gold = None if draw is None else draw.take(rows)
    design: Design = SimpleRandom(len(rows), len(rows) / len(view), scaled, unseen)
    if of_gold is not None:
        design = KnownChances.of(of_gold, len(view), scaled, unseen)
    if cluster is not None:
        found = whole_clusters(cluster, view.items.gold != NO_GOLD, draw)
        possible = draw is None or (draw.batch is None and may_be_whole(draw, cluster))
        design = _in_clusters(design, cluster[rows], found, of_gold, possible)
    return known, design
