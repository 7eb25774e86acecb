"""What gold was drawn of, items or whole clusters of them, and what is known of it before."""

from dataclasses import dataclass

import numpy as np

from crowdgold.data import GoldDraw, Items

OF_ITEMS = "a random sample of the items"
OF_CLUSTERS = "a random sample of the clusters"


def _ranks(values: np.ndarray) -> np.ndarray:
    """The place of each value among all, from 1; equal ones share their mean place: (n,)."""
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    ranks: np.ndarray = (np.cumsum(times) - (times - 1) / 2)[place]
    return ranks


def item_features(items: Items) -> dict[str, np.ndarray]:
    """What is known of each item before its gold label: words -> (n,); those that vary."""
    share = items.votes_positive / items.votes_total
    features = {
        "share of positive votes": share,
        "split of the votes": share * (1 - share),
        "number of votes": items.votes_total.astype(float),
    }
    for name, scores in items.scores.items():
        known = np.isfinite(scores)
        # Items without a score stand where they change no mean of the others.
        rank, distance = np.full(len(items), 0.5), np.full(len(items), 0.25)
        rank[known] = (_ranks(scores[known]) - 0.5) / known.sum()
        distance[known] = np.abs(rank[known] - 0.5)
        features[f"rank by score of {name}"] = rank
        features[f"distance of that rank from the middle, {name}"] = distance
        features[f"share of items with a score of {name}"] = known.astype(float)
    return {name: values for name, values in features.items() if np.ptp(values) > 0}


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
