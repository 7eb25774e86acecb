"""How much clusters of items matter: how alike their items are, and what that costs in labels.

The intraclass correlation of a value is that of two items of one cluster, from the mean squares
between and within clusters (analysis of variance):

    (MSB - MSW) / (MSB + (m - 1) MSW)      m: items of a cluster, (n - sum m_c^2 / n) / (C - 1)

The design effect is the variance of the prevalence from gold alone about the population, over what
it would be were no items to belong together. So many times more labels are needed.
"""

from dataclasses import dataclass, replace

import numpy as np

from crowdgold.inference.clustered import drawn_from
from crowdgold.inference.correction import of_labels
from crowdgold.inference.questions import Questions, View
from crowdgold.inference.rectified import POPULATION
from crowdgold.metrics.binary import parse_metric
from crowdgold.types.clusters import numbers_in_words
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items
from crowdgold.types.notes import Note

FEW = 20  # clusters with gold labels below which intervals rest on few
FEWEST_PAIRS = 100
"""Pairs of gold labels of one cluster below which their correlation is not said: one of unrelated
labels has a standard error of 1 / sqrt(pairs), so at most .1."""


@dataclass(frozen=True)
class ClusterEffect:
    """How much clusters matter; what is not known, or rests on few pairs, is NaN."""

    numbers: str  # how many there are, and of how many items, in words
    with_gold: int  # clusters with a gold label
    of_gold: float  # intraclass correlation of the gold labels
    of_votes: float  # that of the items' shares of positive votes
    design_effect: float  # of the prevalence from gold alone
    gold: int  # gold labels
    sentence: str  # how much clusters matter, in plain words


def intraclass_correlation(values: np.ndarray, cluster: np.ndarray) -> float:
    """Of values (n,) in clusters (n,); NaN where no two are of one, or all values are the same."""
    _, code, size = np.unique(cluster, return_inverse=True, return_counts=True)
    number, count = len(values), len(size)
    if count < 2 or count == number or np.ptp(values) == 0:
        return float("nan")
    mean = np.bincount(code, values) / size
    between = float((size * (mean - values.mean()) ** 2).sum()) / (count - 1)
    within = float(((values - mean[code]) ** 2).sum()) / (number - count)
    items = (number - float((size**2).sum()) / number) / (count - 1)
    return (between - within) / (between + (items - 1) * within)


def _variance(items: Items) -> float:
    """Variance of the prevalence from gold alone, about the population."""
    rows = np.flatnonzero(items.gold != NO_GOLD)
    known, design = drawn_from(View(items, NO_PREDICTOR), rows)
    questions = Questions((parse_metric("prevalence"),))
    found = of_labels(known.items.gold, known, questions, POPULATION, design)
    return float(found.error(np.zeros(1))[0]) ** 2


def cluster_effect(items: Items) -> ClusterEffect | None:
    """How much clusters matter; None where no items belong together."""
    if items.cluster is None:
        return None
    gold = items.gold != NO_GOLD
    number, of_gold, effect = int(gold.sum()), float("nan"), float("nan")
    size = np.unique(items.cluster[gold], return_counts=True)[1]
    if int((size * (size - 1)).sum()) // 2 >= FEWEST_PAIRS:
        of_gold = intraclass_correlation(items.gold[gold].astype(float), items.cluster[gold])
    of_votes = float("nan")
    if items.has_votes:
        of_votes = intraclass_correlation(items.vote_share, items.cluster)
    if len(np.unique(items.gold[gold])) == 2:
        effect = _variance(items) / _variance(replace(items, cluster=None))
    both = ((of_gold, "gold labels"), (of_votes, "votes"))
    known = [f"{value:.2f} of {what}" for value, what in both if np.isfinite(value)]
    said = "how far items of one cluster are alike is not known"
    if known:
        said = f"items of one cluster are alike (correlation {', '.join(known)})"
    if known and np.isfinite(effect):
        said += (
            f": for prevalence the {number:,} gold labels say as much as {number / effect:,.0f} of "
            f"unrelated items (design effect {effect:.2f})"
        )
    clusters = numbers_in_words(items.cluster)
    return ClusterEffect(clusters, len(size), of_gold, of_votes, effect, number, said)


def warn_of_few(found: ClusterEffect | None) -> list[Note]:
    """A warning where gold labels are of few clusters; none where not."""
    if found is None or not 0 < found.with_gold < FEW:
        return []
    return [Note("few_clusters", {"clusters": found.with_gold, "enough": FEW})]
