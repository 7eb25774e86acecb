"""How the labelled items of a table were drawn: one by one, or in part by whole clusters.

With d_i what gold item i contributes to an estimate, weighted and centred, and d_c their sum in
cluster c of G with gold, the variance over samples of this table is

    V = t V_clusters + (1 - t) V_items        V_clusters = (1 - f) G / (G - 1) sum_c (p_c d_c)^2

p_c = (1 - 1 / G) / (1 - s_c) with s_c the cluster's share of the gold items: V_clusters is then the
jackknife's that leaves out a cluster. A cluster with a tenth of all pulls the estimate to itself.
V_items is that of `design`; with known chances V_clusters is the same of clusters in the place of
items. t is how far gold comes by whole clusters (`types.clusters`). It follows from pairs:
two items of a cluster both have gold with chance pi_i pi_j / q_ij, and that they are drawn together
leaves (1 - q_ij) d_i d_j of their product in V. q is 1 where items are drawn one by one, and pi_i
where clusters are drawn whole, so that q_ij = 1 - t (1 - pi_i) gives the V above.

The table is itself a sample of clusters of a population. That adds the variance over the table's
clusters, sum_c (sum_i e_i)^2 / N^2 with e_i what any item contributes, of which gold shows

    sum_i pi_i d_i^2 + q X        X = sum_c ((p_c d_c)^2 - sum_i d_i^2)

For a simple random sample and gold alone both add up to sum_c (p_c d_c)^2 (where q is at most 1),
whichever way gold was drawn. q X is kept between 0 and what it is where all items of a cluster
contribute the same, which stands for it where no two gold items share a cluster.

The label that is imagined (`design.one_more`) counts as many times as items of a cluster go
together, sum_c d_c^2 / sum_i d_i^2, with one more cluster of which all items do. A whole cluster of
other labels in its place left intervals much too long.

Degrees of freedom are those of the design with the number of clusters in the place of that of
items, of equal weight (Kish's number of their gold items' weights).
"""

from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from crowdgold.inference.design import Design, KnownChances, SimpleRandom
from crowdgold.inference.questions import View
from crowdgold.types.clusters import WholeClusters, may_be_whole, whole_clusters
from crowdgold.types.gold_draw import GoldDraw, kish
from crowdgold.types.items import NO_GOLD

HALF = 0.5  # Share of gold that comes by whole clusters, from which on clusters are looked at
TWICE = 2.0  # How many times as much as a gold item an item counts of which gold says nothing
WHOLE = WholeClusters(siblings=0.0, expected=0.0, found=0, ratio=np.nan, share=1.0)
"""Of items that were drawn from a population without end: by whole clusters."""


def _of_items(name: str) -> Any:
    """What is the same as of items that were drawn one by one."""
    return property(attrgetter(f"items.{name}"))


@dataclass(frozen=True, eq=False, kw_only=True)
class Clustered(SimpleRandom):
    """Labelled items that belong together in clusters."""

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
