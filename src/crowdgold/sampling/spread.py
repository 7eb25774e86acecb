"""How far the label of each item is expected to move each metric, were a prediction right.

A metric M of label mass is, near the truth, a sum over items: item i adds psi_i(1) to it where it
is positive and psi_i(0) where it is not (its influence). Once the prediction g_i = P(Y_i = 1) is
corrected by gold labels, what the label of i adds to the error has variance

    v_i = g_i (1 - g_i) (psi_i(1) - psi_i(0))^2

psi is computed from a table in which each item stands twice, as a positive item that counts for g_i
and as a negative one that counts for 1 - g_i. Of a difference between two models, psi is that of
the first less that of the second.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from crowdgold.data import NO_PREDICTOR, Items
from crowdgold.inference.questions import Questions, View
from crowdgold.metrics import Asked

LEAST = 1e-4
"""Nearest that a prediction is taken to come to 0 or 1."""


def _moves(items: Items, predictor: str, metric: Asked, guess: np.ndarray) -> np.ndarray:
    """psi_i(1) - psi_i(0) of each item, (n,); 0 of one without a score that it would need."""
    scored = np.arange(len(items))
    if predictor != NO_PREDICTOR:
        scored = np.flatnonzero(np.isfinite(items.scores[predictor]))
    share = np.clip(guess[scored], LEAST, 1 - LEAST)
    twice = View(items.take(np.concatenate([scored, scored])), predictor)
    label = np.repeat([1.0, 0.0], len(scored))
    counts = np.concatenate([share, 1 - share])
    questions = Questions((metric.of_one,))
    influence = questions.influence(twice.mass(label, counts), twice.ranking())[:, 0] / counts
    found = np.zeros(len(items))
    found[scored] = influence[: len(scored)] - influence[len(scored) :]
    return found


def variances(items: Items, asked: Sequence[Asked], guess: np.ndarray) -> np.ndarray:
    """What labels add to the variance of each metric, (n, M), of each metric a total of 1.

    0 throughout where a metric has no value among these items, or no label moves it.

    Args:
        items: their votes and scores.
        asked: metrics, each of one predictor or a difference of two.
        guess: (n,) P(Y_i = 1).
    """
    bare = replace(items, labels=None, draw=None, truth=None, oracle=None)
    share = np.clip(guess, LEAST, 1 - LEAST)
    found = np.zeros((len(items), len(asked)))
    for column, metric in enumerate(asked):
        first, *second = [_moves(bare, one, metric, guess) for one in metric.predictors(items)]
        moved = share * (1 - share) * (first - sum(second)) ** 2
        if np.isfinite(moved).all() and moved.sum() > 0:
            found[:, column] = moved / moved.sum()
    return found
