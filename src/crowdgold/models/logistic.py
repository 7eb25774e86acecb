"""Predictions of every label from votes and ranks: from gold labels, or from many true labels.

From gold labels: a logistic regression on the log odds of the votes, the mean of the normal scores
(Phi^-1 of the share ranked below, half of the tied included) of all models' ranks, and how far each
model's is from that mean; the first two have mean 0 and deviation 1 over all items. An item without
a model's score counts as in the middle of its ranking. Where judges are known and few, how far each
judge's vote is from the item's share of positive votes is a feature too; 0 where there is none.

The coefficients have a normal prior of deviation 1, with mean 1, not 0, for the votes and the mean
rank: more positive votes and a higher score make a label more likely to be positive. So the
prediction is of use from few gold labels on, and one label hardly moves it.

Each gold item is predicted by a regression on the others: they are sorted by their features and
dealt into folds in turn, without a look at their labels and without random numbers; where features
are equal a hash of the identifiers decides, so that the order of rows does not. Items without gold
have the mean over the folds. Gold drawn with known chances counts by these, and each fold has its
part of every stratum. Items that belong together are in one fold, since a regression on one of them
would have seen what the others share with it.

From many true labels: for each number of positive votes a logistic regression on all products up to
degree 4 of the normal scores of the models' ranks. No prediction from votes and scores is better.
"""

from itertools import combinations_with_replacement

import numpy as np
from scipy.special import expit, ndtri

from crowdgold.types.annotations import MISSING
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import GoldDraw
from crowdgold.types.items import NO_GOLD, Items

FOLDS = 20  # As many as gold items, or clusters, where those are fewer
HALF_VOTE = 0.5  # Added to the votes of either kind, so that unanimous items have finite log odds
INTERCEPT_PRECISION = 0.05  # of its normal prior around 0: nearly flat, down to 1 % positives
STEPS, STEP_LIMIT, SETTLED = 50, 3.0, 1e-8  # Newton's: how many, the longest, the last
MOST_ODDS = 50.0  # Log odds, beyond those of any share of positive items
BLOCK = 200_000  # Items that are predicted at a time
DEGREE = 4
RIDGE = 1e-3  # precision of the coefficients' prior: 0.001 of one item's worth


def rank_share(scores: np.ndarray) -> np.ndarray:
    """Share with a lower score, and half of those with the same: (n,); 1/2 without a score."""
    known, share = np.isfinite(scores), np.full(len(scores), 0.5)
    _, level, size = np.unique(scores[known], return_inverse=True, return_counts=True)
    share[known] = (np.cumsum(size) - size / 2)[level] / len(level)
    return share


def standard(column: np.ndarray) -> np.ndarray:
    """A column with mean 0 and deviation 1; zeros where it does not vary."""
    if np.ptp(column) == 0:  # the deviation of equal numbers can be above 0 by rounding
        return np.zeros(len(column))
    return np.asarray((column - column.mean()) / column.std())


def features(
    items: Items, odds: np.ndarray | None = None, judged: np.ndarray | None = None
) -> np.ndarray:
    """Features of every item, (n, p): ones, votes, mean rank, and each model's distance from it, in
    the order of the models' names. `odds` (n,) stand in the place of the votes' log odds; of
    `judged` (n, m), votes of few known judges or `MISSING`, each judge's distance from the item's
    share comes last. All items scale them, so that a label changes no feature.
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
        known = judged != MISSING
        share = (judged * known).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        columns += list(np.where(known, judged - share[:, None], 0.0).T)
    return np.stack(columns, axis=1)


def without_labels(columns: np.ndarray, share: float) -> np.ndarray:
    """P(Y_i = 1) (n,) before any gold: the prior's mean, the intercept set by the share."""
    odds = columns[:, 1:3].sum(axis=1)
    low, high = -MOST_ODDS, MOST_ODDS
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if expit(middle + odds).mean() < share else (low, middle)
    return np.asarray(expit(low + odds))


def fit_folds(known: np.ndarray, labels: np.ndarray, used: np.ndarray, centre: np.ndarray,
              precision: np.ndarray, weights: np.ndarray | float = 1.0) -> np.ndarray:  # fmt: skip
    """Coefficients (F, p) on F subsets, `used` (F, m), of items (m, p), by Newton's method;
    `weights` (m,) have mean 1; `centre` and `precision` (p,) are of the normal prior.
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


def cross_fit(columns: np.ndarray, items: Items) -> np.ndarray:
    """P(Y_i = 1) of each item, (n,), by its features (n, p) and the gold labels of others."""
    return by_others(columns, items.gold, items.key, items.draw, items.cluster)


def by_others(
    columns: np.ndarray, gold: np.ndarray, key: np.ndarray, draw: GoldDraw | None = None,
    cluster: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """P(Y_i = 1) (n,) from features (n, p), the first all ones, and the gold of others, which count
    by their draw's chances; `key` (n,) orders equal features, `cluster` (n,) keeps items together.
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
    # Strata come one after the other, so that each is dealt evenly. Clusters are dealt whole, each
    # by the means of its items; the lowest key orders those that are alike in all that.
    order = [*columns[rows][:, 1:3].T[::-1], *([] if stratum is None else [stratum])]
    sizes, lowest = np.bincount(number), np.full(number.max() + 1, key[rows].max())
    np.minimum.at(lowest, number, key[rows])
    means = [np.bincount(number, values) / sizes for values in order]
    place = np.empty(len(sizes), dtype=int)
    place[np.lexsort([lowest, *means])] = np.arange(len(sizes))
    fold = (place % folds)[number]
    used = fold[None] != np.arange(folds)[:, None]
    found = fit_folds(columns[rows], gold[rows].astype(float), used, centre, precision, weights)
    probability = np.empty(len(gold))
    for start in range(0, len(gold), BLOCK):
        part = slice(start, start + BLOCK)
        probability[part] = expit(columns[part] @ found.T).mean(axis=1)
    probability[rows] = expit((columns[rows] * found[fold]).sum(axis=1))
    return probability


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
