"""Cross-fitted logistic regression of gold labels on votes and ranks: a prediction of every label.

The features are the share of positive votes and the normal score of the rank, Phi^-1 of the share
of items ranked below. Gold items are cut into folds at random, without a look at their labels; each
is predicted by the regression on the other folds, and the items without gold by the mean of all.
"""

import numpy as np
from scipy.special import ndtri

from crowdgold.data import NO_GOLD, InputError, Items
from crowdgold.estimators.label_prediction import rank_share

FOLDS = 5


def features(items: Items, predictor: str) -> np.ndarray:
    """Give the vote share and the normal score of the rank, (n, 2), each with deviation one.

    All items scale them, not those with gold, so that a label changes no feature.
    """
    columns = np.stack(
        [items.votes_positive / items.votes_total, ndtri(rank_share(items, predictor))], axis=1
    )
    spread = columns.std(axis=0)
    return np.asarray((columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _predict(known: np.ndarray, labels: np.ndarray, unknown: np.ndarray) -> np.ndarray:
    """Fit to `known` (m, 2) and their labels, and predict `unknown` (k, 2): (k,)."""
    from sklearn.linear_model import LogisticRegression

    if labels.min() == labels.max():  # one class: only its share can be learnt
        return np.full(len(unknown), (labels.sum() + 0.5) / (len(labels) + 1))
    model = LogisticRegression().fit(known, labels)
    return np.asarray(model.predict_proba(unknown)[:, 1])


def cross_fit(
    columns: np.ndarray, gold: np.ndarray, rng: np.random.Generator, folds: int = FOLDS
) -> np.ndarray:
    """Predict P(Y_i = 1) of each item from the gold labels of others.

    Args:
        columns: (n, p) features.
        gold: (n,) gold labels, `NO_GOLD` where there is none.
        rng: cuts the gold items into folds; it sees how many there are and not their labels.
        folds: at least 2; as many as gold items where those are fewer.

    Returns:
        (n,) probabilities: of a gold item by the regression without its fold, of the others the
        mean over the folds' regressions.

    Raises:
        InputError: where there are fewer than two gold labels.
    """
    rows = np.flatnonzero(gold != NO_GOLD)
    folds = min(folds, len(rows))
    if folds < 2:
        raise InputError(f"logistic-R needs at least 2 gold labels; the table has {len(rows)}")
    fold = rng.permutation(np.arange(len(rows)) % folds)
    others = np.flatnonzero(gold == NO_GOLD)
    probability = np.zeros(len(gold))
    for one in range(folds):
        held, used = rows[fold == one], rows[fold != one]
        predicted = _predict(
            columns[used], gold[used].astype(int), columns[np.concatenate([held, others])]
        )
        probability[held] = predicted[: len(held)]
        probability[others] += predicted[len(held) :] / folds
    return probability


def predict_by_regression(items: Items, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Predict every label by cross-fitted logistic regression: predictor -> (n,).

    Raises:
        InputError: where there are fewer than two gold labels.
    """
    return {name: cross_fit(features(items, name), items.gold, rng) for name in items.predictors}
