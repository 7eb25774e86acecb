"""P(Y = 1 | votes, scores) of items, learnt from many items whose true labels are known.

For each number of positive votes a logistic regression on all products up to degree 4 of the normal
scores of the models' ranks. No prediction of the labels from votes and scores can do better.
"""

from itertools import combinations_with_replacement

import numpy as np
from scipy.special import expit

from crowdgold.data import Items
from crowdgold.models.logistic import features, fit_folds

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
