"""A prediction of every label by logistic regression of the gold labels on votes and ranks.

The features are the log odds of the votes, the mean of the normal scores of all models' ranks, and
how far each model's is from that mean; the first two have mean 0 and deviation 1 over all items. A
normal score is Phi^-1 of the share of items ranked below, half of those with the same score
included. An item without a model's score counts as
in the middle of that model's ranking. Where judges are known and few, how far each judge's vote, 0
or 1, is from the item's share of positive votes is a feature too; 0 where the judge did not vote.

The coefficients have a normal prior of deviation 1. That of the votes and of the mean rank has its
mean at 1, not at 0: more positive votes and a higher score make a label more likely to be positive.
So the prediction is of use from few gold labels on, and one label hardly moves it.

Each gold item is predicted by a regression on the others: gold items are sorted by their features
and dealt into folds in turn, without a look at their labels and without random numbers; where
features are equal a hash of the identifiers decides, so that the order of rows does not. Items
without gold are predicted by the mean over the folds. Where gold items were drawn with known
chances they count by these, and each fold has its part of every stratum. Items that belong together
are in one fold, since a regression on one of them would have seen what the others share with it.

P(Y = 1 | votes, scores) of items, learnt from many items whose true labels are known.

For each number of positive votes a logistic regression on all products up to degree 4 of the normal
scores of the models' ranks. No prediction of the labels from votes and scores can do better.
"""

from itertools import combinations_with_replacement

import numpy as np
from scipy.special import expit, ndtri

from crowdgold.types.annotations import MISSING
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import GoldDraw
from crowdgold.types.items import NO_GOLD, Items

FOLDS = 20
"""As many as gold items, or clusters, where those are fewer."""
HALF_VOTE = 0.5
"""Added to the votes of either kind, so that unanimous items have finite log odds."""
INTERCEPT_PRECISION = 0.05
"""Of the normal prior of the intercept, around 0: nearly flat, down to prevalences of 1 %."""
STEPS, STEP_LIMIT, SETTLED = 50, 3.0, 1e-8
"""Of Newton's method: how many, the longest, and the one after which it stops."""
MOST_ODDS = 50.0
"""Log odds, beyond those of any share of positive items."""
BLOCK = 200_000
"""Items that are predicted at a time."""


def rank_share(scores: np.ndarray) -> np.ndarray:
    """Share of items with a lower score, and half of those with the same, itself among them: (n,).

    It lies in (0, 1), and is 1/2 of an item without a score (NaN).
    """
    known, share = np.isfinite(scores), np.full(len(scores), 0.5)
    _, level, size = np.unique(scores[known], return_inverse=True, return_counts=True)
    share[known] = (np.cumsum(size) - size / 2)[level] / len(level)
    return share


def standard(column: np.ndarray) -> np.ndarray:
    """A column with mean 0 and deviation 1; zeros where it does not vary."""
    spread = column.std()
    return (column - column.mean()) / spread if spread > 0 else np.zeros(len(column))


def _apart(judged: np.ndarray) -> np.ndarray:
    """How far each judge's vote, (n, m), is from the share of the item's; 0 where there is none."""
    known = judged != MISSING
    share = (judged * known).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.where(known, judged - share[:, None], 0.0)


def features(
    items: Items, odds: np.ndarray | None = None, judged: np.ndarray | None = None
) -> np.ndarray:
    """Features of every item, (n, p): ones, votes, mean rank, and each model's distance from it.

    Models come in the order of their names, whatever that of the table.

    All items scale them, not those with gold, so that a label changes no feature.

    Args:
        odds: (n,) log odds of a positive label that stand in the place of those of the votes.
        judged: (n, m) votes of few known judges, `MISSING` where there is none; each judge's
            distance from the item's share comes last.
    """
    if odds is None:
        negative = items.votes_total - items.votes_positive
        odds = np.log((items.votes_positive + HALF_VOTE) / (negative + HALF_VOTE))
    columns = [np.ones(len(items)), standard(odds)]
    if items.predictors:
        ranks = np.stack([ndtri(rank_share(items.scores[name])) for name in sorted(items.scores)],
                         axis=1)  # fmt: skip
        mean = ranks.mean(axis=1)
        columns.append(standard(mean))
        if ranks.shape[1] > 1:
            columns += list((ranks - mean[:, None]).T)
    elif judged is not None:
        columns.append(np.zeros(len(items)))  # in the place of the mean rank
    if judged is not None:
        columns += list(_apart(judged).T)
    return np.stack(columns, axis=1)


def without_labels(columns: np.ndarray, share: float) -> np.ndarray:
    """P(Y_i = 1) of each item, (n,), before any gold label: the coefficients' prior mean.

    Args:
        columns: (n, p) features.
        share: of positive items, in (0, 1), that the intercept is set to.
    """
    odds = columns[:, 1:3].sum(axis=1)
    low, high = -MOST_ODDS, MOST_ODDS
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if expit(middle + odds).mean() < share else (low, middle)
    found: np.ndarray = expit(low + odds)
    return found


def fit_folds(known: np.ndarray, labels: np.ndarray, used: np.ndarray, centre: np.ndarray,
              precision: np.ndarray, weights: np.ndarray | float = 1.0) -> np.ndarray:  # fmt: skip
    """Coefficients (F, p) of the regressions on F subsets of items, by Newton's method.

    Args:
        known: (m, p) features.
        labels: (m,) 0 or 1.
        used: (F, m) whether a subset holds an item.
        centre, precision: (p,) of the coefficients' normal prior.
        weights: (m,) what each item counts, of mean 1.
    """
    weight = used * weights
    found = np.tile(centre, (len(used), 1))
    for _ in range(STEPS):
        chance = expit(found @ known.T)
        gradient = ((labels - chance) * weight) @ known - (found - centre) * precision
        curvature = chance * (1 - chance) * weight
        hessian = np.stack([(known * row[:, None]).T @ known for row in curvature])
        step = np.linalg.solve(hessian + np.diag(precision), gradient[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        found += step * np.minimum(1.0, STEP_LIMIT / np.maximum(longest, STEP_LIMIT))
        if longest.max() < SETTLED:
            break
    return found


def _deal(
    known: np.ndarray, folds: int, stratum: np.ndarray | None, cluster: np.ndarray, key: np.ndarray
) -> np.ndarray:
    """Fold (m,) of each item: sorted by mean rank within votes, and dealt in turn.

    Strata (m,) come one after the other, so that each is dealt evenly. Clusters (m,), numbers from
    0, are dealt whole, each by the means of its items. The keys (m,) of items order those that are
    alike in all that; of a cluster, its lowest.
    """
    features = [*known[:, 1:3].T[::-1], *([] if stratum is None else [stratum])]
    size, lowest = np.bincount(cluster), np.full(cluster.max() + 1, key.max())
    np.minimum.at(lowest, cluster, key)
    means = [np.bincount(cluster, one) / size for one in features]
    place = np.empty(len(size), dtype=int)
    place[np.lexsort([lowest, *means])] = np.arange(len(size))
    dealt: np.ndarray = (place % folds)[cluster]
    return dealt


def cross_fit(columns: np.ndarray, items: Items) -> np.ndarray:
    """P(Y_i = 1) of each item, (n,), by its features (n, p) and the gold labels of others.

    Raises:
        InputError: as `by_others`.
    """
    return by_others(columns, items.gold, items.key, items.draw, items.cluster)


def by_others(
    columns: np.ndarray, gold: np.ndarray, key: np.ndarray, draw: GoldDraw | None = None,
    cluster: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """P(Y_i = 1) of each item, (n,), from the gold labels of others.

    Args:
        columns: (n, p) features, the first all ones.
        gold: (n,) gold labels, `NO_GOLD` where there is none.
        key: (n,) numbers that order items whose features are equal (`Items.key`).
        draw: the chances with which gold items were drawn, by which they count.
        cluster: (n,) number of each item's cluster, where items belong together.

    Raises:
        InputError: where there are fewer than two gold labels, or clusters with some.
    """
    rows = np.flatnonzero(gold != NO_GOLD)
    of_gold = rows if cluster is None else cluster[rows]
    names, number = np.unique(of_gold, return_inverse=True)
    folds = min(FOLDS, len(names))
    if folds < 2:
        of = "" if cluster is None else " of different clusters"
        raise InputError(
            f"a regression on gold labels needs at least 2{of}; the table has {len(names)}"
        )
    size = columns.shape[1]
    centre = np.r_[0.0, np.ones(min(2, size - 1)), np.zeros(max(0, size - 3))]
    precision = np.r_[INTERCEPT_PRECISION, np.ones(size - 1)]
    weights = 1.0 if draw is None else draw.weights(rows)
    stratum = None if draw is None else draw.take(rows).stratum
    fold = _deal(columns[rows], folds, stratum, number, key[rows])
    used = fold[None] != np.arange(folds)[:, None]
    found = fit_folds(columns[rows], gold[rows].astype(float), used, centre, precision, weights)
    probability = np.empty(len(gold))
    for start in range(0, len(gold), BLOCK):
        part = slice(start, start + BLOCK)
        probability[part] = expit(columns[part] @ found.T).mean(axis=1)
    probability[rows] = expit((columns[rows] * found[fold]).sum(axis=1))
    return probability


DEGREE = 4
RIDGE = 1e-3
"""Precision of the coefficients' prior, which hardly moves them: 0.001 of one item's worth."""


def best_prediction(items: Items, truth: np.ndarray) -> np.ndarray:
    """P(Y_i = 1 | votes, ranks of all models), (n,), learnt from the true labels (n,)."""
    # The mean of the models' ranks and how far all but the last are from it say all their ranks.
    models = len(items.predictors)
    ranks = list(features(items)[:, 2 : 2 + models].T)
    columns = [np.ones(len(items))]
    for degree in range(1, DEGREE + 1):
        for chosen in combinations_with_replacement(range(len(ranks)), degree):
            columns.append(np.prod([ranks[one] for one in chosen], axis=0))
    products = np.stack(columns, axis=1)
    scale = np.maximum(products.std(axis=0), 1e-9)
    scale[0] = 1.0
    products /= scale
    size, found = products.shape[1], np.empty(len(items))
    pairs = np.stack([items.votes_positive, items.votes_total], axis=1)
    for pair in np.unique(pairs, axis=0):
        rows = np.flatnonzero((pairs == pair).all(axis=1))
        known, labels = products[rows], truth[rows].astype(float)
        used = np.ones((1, len(rows)), dtype=bool)
        weights = fit_folds(known, labels, used, np.zeros(size), np.full(size, RIDGE))[0]
        found[rows] = expit(known @ weights)
    return found
