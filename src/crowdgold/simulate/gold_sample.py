"""Samples of items for experts to label: at random, by strata, one by one, or by whole clusters.

Strata are the shares of positive votes, in four parts, and within them the items that a model ranks
among the highest. A quarter of the labels go to strata in proportion to their items. The others go
where labels are expected to vary: in proportion to the items times the deviation of a label, were
the share of positive votes the chance of a positive one, with a tenth of a vote more, half of it
positive. No stratum is left out.
"""

from typing import Literal, get_args

import numpy as np

from crowdgold.data import NO_PREDICTOR, GoldDraw, InputError, Items

GoldDesign = Literal["simple", "strata", "poisson", "clusters", "audit"]
SIMPLE, STRATA, POISSON, CLUSTERS, AUDIT = GOLD_DESIGNS = get_args(GoldDesign)
"""A simple random sample; fixed numbers from each stratum; each item by itself, as likely as its
stratum's are; clusters at random, each of them whole; most labels from what a model flags."""
FLAGGED, OF_FLAGGED = 0.1, 0.8
"""Of an audit: share of the items that the first model ranks highest, and their share of labels."""
PARTS = 3
"""Parts of the range of vote shares, counted from the middle of the first to that of the last."""
UPPER = 0.3
"""Largest share of items that are ranked among the highest."""
PROPORTIONAL = 0.25
MORE_VOTES = 0.1
LEAST = 2
"""Labels of a stratum, so that its spread is known."""


def draw_labelled(n: int, n_gold: int, rng: np.random.Generator) -> np.ndarray:
    """Say which items (n,) an expert labels: n_gold of them, without replacement."""
    labelled = np.zeros(n, dtype=bool)
    labelled[rng.choice(n, size=n_gold, replace=False)] = True
    return labelled


def strata_of(items: Items) -> np.ndarray:
    """The number of each item's stratum, (n,), without gaps: by votes and a model's ranking."""
    share = items.votes_positive / items.votes_total
    cell = 2 * np.floor(share * PARTS + 0.5).astype(int)
    if items.predictors:
        upper = round(min(UPPER, float(share.mean())) * len(items))
        order = items.order(next(iter(items.predictors), NO_PREDICTOR))
        cell[order[len(items) - upper :]] += 1
    number: np.ndarray = np.unique(cell, return_inverse=True)[1]
    return number


def share_out(part: np.ndarray, size: np.ndarray) -> np.ndarray:
    """The stratum of the first label, of the second, and so on, (N,), until all items have one.

    Each stratum gets its `LEAST` first; then the next label goes where the labels given are
    fewest for its part (Sainte-Lague's divisors). So the first n are near n times the parts, and
    more labels never take one from a stratum.

    Args:
        part: (H,) of all labels that each stratum is to have, above 0.
        size: (H,) its items.
    """
    stratum = np.repeat(np.arange(len(size)), size)
    before = np.arange(len(stratum)) - np.repeat(np.cumsum(size) - size, size)
    turn = np.where(before < LEAST, 0.0, (before + 0.5) / part[stratum])
    found: np.ndarray = stratum[np.lexsort((stratum, before, turn))]
    return found


def allocate(items: Items, stratum: np.ndarray, n_gold: int) -> np.ndarray:
    """How many labels each stratum gets, (H,), at most its items; they sum to `n_gold`.

    Raises:
        InputError: where there are too few for each stratum to have `LEAST`.
    """
    size = np.bincount(stratum)
    guess = (items.votes_positive + MORE_VOTES / 2) / (items.votes_total + MORE_VOTES)
    chance = np.bincount(stratum, guess) / size
    wanted = size * np.sqrt(chance * (1 - chance))
    part = PROPORTIONAL * size / size.sum() + (1 - PROPORTIONAL) * wanted / wanted.sum()
    fewest = np.minimum(LEAST, size).sum()
    if not fewest <= n_gold <= len(items):
        raise InputError(f"n_gold {n_gold}: expected {fewest} to {len(items)}, for all strata")
    return np.bincount(share_out(part, size)[:n_gold], minlength=len(size))


def draw_clusters(cluster: np.ndarray, n_gold: int, rng: np.random.Generator) -> np.ndarray:
    """Say which items (n,) an expert labels: all of clusters at random; of the last perhaps some.

    Args:
        cluster: (n,) number of each item's cluster, from 0.
        n_gold: items that are labelled.
        rng: source of the clusters, and of what is labelled of the last.
    """
    place = rng.permutation(int(cluster.max()) + 1)[cluster]
    labelled = np.zeros(len(cluster), dtype=bool)
    labelled[np.lexsort((rng.random(len(cluster)), place))[:n_gold]] = True
    return labelled


def draw_gold(items: Items, design: str, n_gold: int, rng: np.random.Generator) -> Items:
    """The items with gold labels from their truth, drawn by one of `GOLD_DESIGNS`.

    Raises:
        InputError: where there are too few labels for the design, or no clusters.
    """
    if design == SIMPLE:
        return items.with_gold(draw_labelled(len(items), n_gold, rng))
    if design == CLUSTERS:
        if items.cluster is None:
            raise InputError(f"gold_design {CLUSTERS!r}: the items have no clusters")
        return items.with_gold(draw_clusters(items.cluster, n_gold, rng))
    if design == AUDIT:
        flagged = round(FLAGGED * len(items))
        stratum = np.zeros(len(items), dtype=int)
        stratum[items.order(next(iter(items.predictors)))[len(items) - flagged :]] = 1
        upper = min(round(OF_FLAGGED * n_gold), flagged)
        drawn = np.array([n_gold - upper, upper])
    else:
        stratum = strata_of(items)
        drawn = allocate(items, stratum, n_gold)
    chance = (drawn / np.bincount(stratum))[stratum]
    if design == POISSON:
        return items.with_gold(rng.random(len(items)) < chance, GoldDraw(chance))
    labelled = np.zeros(len(items), dtype=bool)
    for one, number in enumerate(drawn):
        rows = np.flatnonzero(stratum == one)
        labelled[rng.choice(rows, number, replace=False)] = True
    return items.with_gold(labelled, GoldDraw(chance, stratum, drawn))
