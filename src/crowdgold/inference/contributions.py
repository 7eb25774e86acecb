"""What each item contributes to metrics: of the items at hand, and of labels that were drawn."""

from dataclasses import replace

import numpy as np

from crowdgold.inference.design import Design
from crowdgold.inference.questions import Questions, View

MOST_ROWS = 20_000
"""Items from which a variance is taken at most; with more, evenly spread ones."""
EXPECTED_ROWS = 5_000
"""Items on which labels are drawn from the prediction at most."""
REDRAWN = 20
"""Times that labels of gold items are drawn from the prediction, where these stand for all."""
EXPECTED_SEED, CHOICE_SEED = 20260301, 20260302
"""Of these labels, and of which items: constants, so that no seed of a user's moves an answer."""


def some_rows(size: int, most: int) -> np.ndarray:
    """Positions of all of `size` items, or of so many at random where there are more than most.

    The choice is always the same; every so many of the items would not do where they come in turns.
    """
    if size <= most:
        return np.arange(size)
    return np.sort(np.random.default_rng(CHOICE_SEED).permutation(size)[:most])


def centred_influence(questions: Questions, view: View, probability: np.ndarray) -> np.ndarray:
    """What each item of a view contributes, less the mean: (n, P); NaN where it is not known.

    Args:
        questions: the quantities.
        view: the items.
        probability: (n,) labels or predictions.
    """
    found = questions.influence(view.mass(probability), view.ranking())
    known = np.isfinite(found).all(axis=0)
    centred: np.ndarray = np.where(known, found - found.mean(axis=0), np.nan)
    return centred


def where_known(influence: np.ndarray) -> np.ndarray:
    """Influences (..., n, P), with 0 where a prediction, of one class alone say, has none."""
    axes = tuple(range(influence.ndim - 1))
    return np.where(np.isfinite(influence).all(axis=axes), influence, 0.0)


def expected_of(
    view: View, questions: Questions, prediction: np.ndarray, design: Design
) -> np.ndarray:
    """What items contribute whose labels are drawn from the prediction: (2, s, P)."""
    if view.items.draw is not None and view.items.draw.counts is not None:
        return _expected_of_gold(view, questions, prediction, design)
    rows = some_rows(len(view), EXPECTED_ROWS)
    some, share = view.take(rows), prediction[rows]
    rng = np.random.default_rng(EXPECTED_SEED)
    drawn = (rng.random(len(rows)) < share).astype(float)
    both = [centred_influence(questions, some, one) for one in (drawn, share)]
    return where_known(np.stack([design.expected(one, some.items.draw) for one in both]))


def _expected_of_gold(
    view: View, questions: Questions, prediction: np.ndarray, design: Design
) -> np.ndarray:
    """The same from the gold items, with labels drawn `REDRAWN` times.

    In batches the chances of other items are not known.
    """
    assert view.items.draw is not None
    assert view.items.draw.counts is not None
    rows = np.flatnonzero(np.isfinite(view.items.draw.counts))
    gold, share = view.take(rows), prediction[rows]
    weights = design.weights if gold.weights is None else gold.weights * design.weights
    gold, rng = replace(gold, weights=weights), np.random.default_rng(EXPECTED_SEED)
    alone = centred_influence(questions, gold, share)
    drawn = [(rng.random(len(rows)) < share).astype(float) for _ in range(REDRAWN)]
    both = [(centred_influence(questions, gold, one), alone) for one in drawn]
    pairs = [[design.deviations(where_known(one)) for one in pair] for pair in both]
    return np.concatenate(np.array(pairs), axis=1)
