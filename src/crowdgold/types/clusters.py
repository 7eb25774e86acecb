"""Items that belong together: the answers to one prompt, the posts of one author.

A column `cluster` names what each item belongs to. Items of a cluster may be alike, so that ten of
one cluster say less of others than ten of ten clusters. Every item has a cluster; one that belongs
with no other has a name of its own.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from crowdgold.types.columns import counted
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import BATCH, NO_STRATUM, GoldDraw, number_names, refuse

CLUSTER = "cluster"
TOO_FAR = 6.0
"""Standard deviations of a Poisson number by which pairs of gold items in a cluster exceed what the
items' chances make expected, before these are doubted."""


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


def clusters_in_words(cluster: np.ndarray) -> str:
    """What follows for intervals from the items' clusters (n,), a sentence."""
    if len(np.unique(cluster)) == len(cluster):
        return "each item is a cluster of its own, so that the column cluster changes nothing"
    numbers = numbers_in_words(cluster)
    return f"items belong together in {numbers}: intervals compare clusters, not items"


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
