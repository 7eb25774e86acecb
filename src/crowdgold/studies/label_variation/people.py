"""People who choose between the predictions of methods, taken from public annotations (HLV, 6.1).

The paper's study is private: lawyers saw an instance and what two methods predict for it, and chose
the better. Here annotators stand in for them. Those of each test item are split at random: by the
shares of one half the metrics are computed, and the other half choose. So no one is held against
what they said themselves. A choice is made by what a method gives to annotations of the half:

    one      each annotator alone prefers the method that gives their own label more probability,
             by at least `VISIBLE`; nearer predictions look the same, which decides nothing
    panel    an item's annotators together prefer the method under which their labels are likelier

Neither is one of the metrics. One annotator has no idea of how others differ, so that of two right
predictions the surer one wins; a panel prefers predictions that have the shares right.
"""

from dataclasses import replace

import numpy as np

from crowdgold.data.errors import InputError
from crowdgold.simulate.pairwise_choices import Choices
from crowdgold.studies.label_variation.judgements import Judged

ONE, PANEL = JUDGES = ("one", "panel")
VISIBLE = 0.05
"""Of a probability: the least difference that someone who reads two predictions takes note of."""
LEAST = 1e-6
"""Of a probability: what a method that gives a label none is taken to have given it."""


def halves(judged: Judged, rng: np.random.Generator) -> tuple[Judged, Judged]:
    """Split each item's annotations at random in two; of an odd number the first has one more.

    Raises:
        InputError: where an item has one annotation only.
    """
    each = np.repeat(np.arange(len(judged.counts)), judged.counts)
    order = each[np.lexsort((rng.random(len(each)), judged.item_of[each]))]
    item = judged.item_of[order]
    total = np.bincount(item)
    if total.min() < 2:
        raise InputError(
            f"annotations: item {int(total.argmin())} has one, expected two or more to split"
        )
    place = np.arange(len(item)) - (np.cumsum(total) - total)[item]
    first = place < (total[item] + 1) // 2
    return _rows(judged, order[first]), _rows(judged, order[~first])


def _rows(judged: Judged, rows: np.ndarray) -> Judged:
    """Some of the annotations, each a row that stands for one."""
    who = None if judged.annotator_of is None else judged.annotator_of[rows]
    return replace(
        judged,
        item_of=judged.item_of[rows],
        chosen=judged.chosen[rows],
        annotator_of=who,
        count=np.ones(len(rows), dtype=np.int64),
    )


def _given(judged: Judged, predicted: np.ndarray) -> np.ndarray:
    """The logarithm of the probability that each method gives each annotation: (M, R)."""
    kept = np.clip(predicted[:, judged.item_of], LEAST, 1 - LEAST)
    found = judged.chosen * np.log(kept)
    if judged.multilabel:
        found = found + (1 - judged.chosen) * np.log1p(-kept)
    return np.asarray(found.sum(axis=2))


def choose(judged: Judged, predicted: np.ndarray, judge: str) -> Choices:
    """Have every pair of methods judged on every item.

    Args:
        judged: annotations of those who choose.
        predicted: (M, N, K) each method's Q of the items.
        judge: `one` or `panel`.

    Raises:
        InputError: for another judge.
    """
    if judge not in JUDGES:
        raise InputError(f"judge {judge!r}; expected {' or '.join(JUDGES)}")
    given = _given(judged, predicted)
    if judge == ONE:
        value, least = np.exp(given), VISIBLE
    else:
        value = np.stack([np.bincount(judged.item_of, weights=own) for own in given])
        least = 1e-9
    methods = len(value)
    wins, ties = np.zeros((methods, methods)), np.zeros((methods, methods))
    for row in range(methods):
        gain = value - value[row]
        wins[row] = (gain >= least).sum(axis=1)
        ties[row] = (np.abs(gain) < least).sum(axis=1)
    np.fill_diagonal(ties, 0)
    return Choices(wins, ties)
