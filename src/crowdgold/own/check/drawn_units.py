"""What gold was drawn of, items or whole clusters of them, and what is known of it before."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from crowdgold.data import GoldDraw, Items

OF_ITEMS = "a random sample of the items"
OF_CLUSTERS = "a random sample of the clusters"


def mid_ranks(values: np.ndarray) -> np.ndarray:
    """The place of each value among all, from 1; equal ones share their mean place: (n,)."""
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    ranks: np.ndarray = (np.cumsum(times) - (times - 1) / 2)[place]
    return ranks


def _of_ranks(items: Items, models: Iterable[str]) -> Iterator[tuple[str, np.ndarray]]:
    """What the ranking of each of some models says of items that all have its score."""
    for name in models:
        rank = (mid_ranks(items.scores[name]) - 0.5) / len(items)
        yield f"rank by score of {name}", rank
        yield f"distance of that rank from the middle, {name}", np.abs(rank - 0.5)


def item_features(items: Items) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """What is known of items before their gold label: rows (m,), and words -> (m,) that vary.

    First all items, with their votes and the scores of the models that scored each. Then, for the
    other models, the items that they scored: that an item has no score says nothing of how gold was
    drawn. Models that scored the same items stand together.
    """
    share = items.votes_positive / items.votes_total
    votes = {
        "share of positive votes": share,
        "split of the votes": share * (1 - share),
        "number of votes": items.votes_total.astype(float),
    }
    everyone = np.ones(len(items), dtype=bool)
    models: dict[bytes, list[str]] = {everyone.tobytes(): []}
    for name, scores in items.scores.items():
        models.setdefault(np.isfinite(scores).tobytes(), []).append(name)
    for scored, names in models.items():
        rows = np.flatnonzero(np.frombuffer(scored, dtype=bool))
        features = (votes if len(rows) == len(items) else {}) | dict(
            _of_ranks(items.take(rows), names)
        )
        yield rows, {name: one for name, one in features.items() if len(one) and np.ptp(one) > 0}


@dataclass(frozen=True)
class Units:
    """What was drawn: items, or clusters.

    Attributes:
        features: words -> (n,); those that vary.
        gold: (n,) whether it has a gold label.
        draw: the chances with which it was drawn; None where all have the same.
        stratum: (n,) number of each one's stratum, where gold is to be random within strata.
        of: what gold is to be, in words.
    """

    features: dict[str, np.ndarray]
    gold: np.ndarray
    draw: GoldDraw | None
    stratum: np.ndarray | None
    of: str = OF_ITEMS

    def by_cluster(self, cluster: np.ndarray) -> "Units":
        """The clusters (n,) that they are of."""
        _, first, code, size = np.unique(
            cluster, return_index=True, return_inverse=True, return_counts=True
        )
        means = {name: np.bincount(code, one) / size for name, one in self.features.items()}
        means["number of items"] = size.astype(float)
        return Units(
            {name: one for name, one in means.items() if np.ptp(one) > 0},
            np.bincount(code, self.gold) > 0,
            None if self.draw is None else self.draw.take(first),
            None if self.stratum is None else self.stratum[first],
            OF_CLUSTERS,
        )


def whitened(features: np.ndarray) -> np.ndarray:
    """Centre and whiten features (N, F); what others determine falls out: (N, rank)."""
    centred = features - features.mean(axis=0)
    scaled = centred / centred.std(axis=0)
    left, singular, _ = np.linalg.svd(scaled, full_matrices=False)
    return left[:, singular > 1e-9 * singular[0]] * np.sqrt(len(features))


def centred(table: np.ndarray, stratum: np.ndarray) -> np.ndarray:
    """Take the mean of its stratum from each feature; what does not vary then is 0 throughout."""
    centred = table - table.mean(axis=0)
    for one in np.unique(stratum):
        centred[stratum == one] -= centred[stratum == one].mean(axis=0)
    return np.where(np.ptp(centred, axis=0) > 1e-9 * np.ptp(table, axis=0), centred, 0.0)
