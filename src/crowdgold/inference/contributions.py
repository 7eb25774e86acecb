"""What each item contributes to metrics: of the items at hand, and of labels that were drawn."""

from dataclasses import replace

import numpy as np

from crowdgold.inference.design import Design
from crowdgold.inference.questions import Questions, View
from crowdgold.types.items import Items

MOST_ROWS = 20_000  # Items from which a variance is taken at most; with more, evenly spread ones
EXPECTED_ROWS = 5_000  # Items on which labels are drawn from the prediction at most
DRAWN, REDRAWN = 4, 20
"""Times that labels are drawn from the prediction: of all items, and of gold items where these
stand for all."""
GOLDEN = (np.sqrt(5) - 1) / 2
"""Multiples of it, modulo 1, are spread evenly: any so many that follow each other (Weyl, 1916)."""


def some_rows(items: Items, most: int) -> np.ndarray:
    """Positions of all items, or of at most `most` by their keys: the same choice in any order."""
    if len(items) <= most:
        return np.arange(len(items))
    return np.sort(np.argsort(items.key, kind="stable")[:most])


def centred_influence(questions: Questions, view: View, probability: np.ndarray) -> np.ndarray:
    """What each item of a view contributes, less the mean: (n, P); NaN where it is not known."""
    found = questions.influence(view.mass(probability), view.ranking())
    known = np.isfinite(found).all(axis=0)
    return np.where(known, found - found.mean(axis=0), np.nan)


def if_flipped(
    questions: Questions, view: View, labels: np.ndarray, others: np.ndarray, trace: np.ndarray
) -> np.ndarray:
    """What each gold item would contribute were its label the other one, (m, P), centred: each
    stands in the table twice, with a trace of its mass under the other label, so that any metric's
    own formula says what that moves. NaN where neither label moves a quantity.
    """
    size, rows = len(view), np.tile(np.arange(len(view)), 2)
    weights = np.concatenate([1 - trace, trace])
    if view.weights is not None:
        weights = weights * view.weights[rows]
    twice = View(view.items.take(rows), view.predictor, weights)
    mass = twice.mass(np.concatenate([labels, others]).astype(float))
    found = questions.influence(mass, twice.ranking()) * (size - 1) / (2 * size - 1)
    own, other = found[:size] / (1 - trace)[:, None], found[size:] / trace[:, None]
    touched = np.isfinite(own) & np.isfinite(other) & ((own != 0) | (other != 0))
    return np.where(touched, other - own.mean(axis=0), np.nan)


def spread_of(design: Design, influence: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Deviations (r, P) of P quantities, and their standard errors (P,) about the population."""
    deviations = design.deviations(influence)
    variance = (deviations**2).sum(axis=0) / max(len(deviations) - 1, 1)
    apart = design.of_population(influence)
    added = design.fraction * variance
    if apart is not None:
        added = design.added(apart, len(deviations))
    return deviations, np.sqrt((design.left * variance + added) / design.size)


def where_known(influence: np.ndarray) -> np.ndarray:
    """Influences (..., n, P), with 0 where a prediction, of one class alone say, has none."""
    axes = tuple(range(influence.ndim - 1))
    return np.where(np.isfinite(influence).all(axis=axes), influence, 0.0)


def _by_votes_and_scores(items: Items) -> np.ndarray:
    """Positions of the items, (n,), sorted; by their keys where they are alike in all of that."""
    scores = [items.scores[name] for name in sorted(items.scores)]
    return np.lexsort([items.key, *scores, items.votes_total, items.votes_positive])


def drawn_labels(items: Items, share: np.ndarray, times: int) -> np.ndarray:
    """Labels that are 1 as often as a prediction (n,) says: (times, n).

    There are no random numbers in them, and the order of items and of models does not matter. Items
    are sorted by votes and scores; each gets a number in (0, 1) that differs much from its
    neighbours', and is positive where that lies below its share. The numbers are the same for all
    predictors.
    """
    place = np.empty(len(items))
    place[_by_votes_and_scores(items)] = GOLDEN * (np.arange(len(items)) + 1)
    moved = (place + np.arange(times)[:, None] / times) % 1
    return (moved < share).astype(float)


def expected_of(
    view: View, questions: Questions, prediction: np.ndarray, design: Design
) -> np.ndarray:
    """What items contribute whose labels are drawn from the prediction: (2, s, P)."""
    draw = view.items.draw
    if draw is not None and draw.counts is not None:
        # From the gold items: in batches the chances of other items are not known.
        rows = np.flatnonzero(np.isfinite(draw.counts))
        gold, share = view.take(rows), prediction[rows]
        weights = design.weights if gold.weights is None else gold.weights * design.weights
        gold = replace(gold, weights=weights)
        alone = centred_influence(questions, gold, share)
        drawn = drawn_labels(gold.items, share, REDRAWN)
        both = [(centred_influence(questions, gold, one), alone) for one in drawn]
        pairs = [[design.deviations(where_known(one)) for one in pair] for pair in both]
        return np.concatenate(np.array(pairs), axis=1)
    # Every so many of the sorted items, so that their order in the table does not matter.
    places = np.linspace(0, len(view) - 1, min(len(view), EXPECTED_ROWS)).astype(int)
    rows = np.sort(_by_votes_and_scores(view.items)[places])
    some, share = view.take(rows), prediction[rows]

    def adds(one: np.ndarray) -> np.ndarray:
        return design.expected(centred_influence(questions, some, one), some.items.draw)

    alone = adds(share)
    drawn = drawn_labels(some.items, share, DRAWN)
    return np.concatenate([where_known(np.stack([adds(one), alone])) for one in drawn], axis=1)
