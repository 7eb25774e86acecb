"""How wide an interval will be with more gold labels, drawn by `crowdgold sample` or at random.

Labels that are not there yet are drawn from a prediction that rests on those that are
(`sampling.strata`), the next batch is drawn from the items, and the interval is made as
`crowdgold evaluate` makes it. The mean width over some such studies is what to expect, as far as
the prediction is right. So what the labels so far say, their design, and how they combine with new
ones are all in it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crowdgold.data import NO_GOLD, InputError, Items
from crowdgold.declared import LEVEL
from crowdgold.inference import evaluate
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.rectified import POPULATION
from crowdgold.methods import fit
from crowdgold.methods.registry import answering
from crowdgold.metrics import Asked
from crowdgold.sampling.batch import labelled, next_batch, random_batch
from crowdgold.sampling.strata import ENOUGH, predicted

ANSWER = answering()
"""The method that gives the answer."""
STUDIES = 8
"""Simulated studies of each size and design."""
FIRST = 25
MOST = 6_400
"""Labels more that are tried first, and at most; each size is twice the one before."""
LABELS_APART = (
    "widths are of intervals that compare clusters. The labels to come are simulated as if items "
    "of a cluster were no more alike than their votes and scores make them, so that"
)
"""Of clusters, where the labels to come alone are simulated."""


@dataclass(frozen=True)
class MoreLabels:
    """What more labels are expected to do to one interval.

    Attributes:
        labels: gold labels that there are.
        width: of the interval now.
        more: (S,) numbers of labels more, with which all simulated studies have an interval.
        designed, at_random: (S,) expected widths with these, drawn by `crowdgold sample`, or at
            random.
    """

    labels: int
    width: float
    more: np.ndarray
    designed: np.ndarray
    at_random: np.ndarray

    def needed(self, widths: np.ndarray, wanted: float) -> int | None:
        """Labels more until one of the two widths is as wanted; None where it is not reached.

        Between the sizes tried, the logarithm of the width falls evenly with that of the labels.
        """
        if self.width <= wanted:
            return 0
        reached = np.flatnonzero(widths <= wanted)
        if not len(reached):
            return None
        place = int(reached[0])
        if place == 0:
            return int(self.more[0])
        more, near = np.log(self.more[place - 1 : place + 1]), np.log(widths[place - 1 : place + 1])
        return int(np.ceil(np.exp(np.interp(-np.log(wanted), -near, more))))


def _interval(items: Items, metric: Asked, level: float, about: str) -> Estimate:
    """The interval of the method that gives the answer."""
    rng = np.random.default_rng(0)
    fitted = fit(ANSWER, items, rng)
    (found,) = evaluate(fitted, items, [metric.text], rng, level, target=about)
    return found


def more_labels(
    items: Items,
    metric: Asked,
    wanted: float,
    seed: int,
    level: float = LEVEL,
    about: str = POPULATION,
    told: Callable[[int], None] = lambda more: None,
) -> MoreLabels:
    """Simulate what more labels do, with more and more of them until both reach a width.

    Args:
        items: with their votes, scores and gold labels.
        metric: of one model, or a difference of two.
        wanted: the width.
        seed: of the labels that are drawn, and of the batches.
        level: of the interval.
        about: what it is about, one of `TARGETS`.
        told: the number of labels more that is tried.

    Raises:
        InputError: where there are too few gold labels, or the interval cannot be had.
    """
    known = items.gold != NO_GOLD
    rest = int((~known).sum())
    if known.sum() < ENOUGH or len(set(items.gold[known])) < 2 or rest < FIRST:
        raise InputError(
            f"--more: found {known.sum():,} gold labels of {len(set(items.gold[known]))} classes "
            f"and {rest:,} items without; expected {ENOUGH} or more labels of both classes, and "
            f"{FIRST} items"
        )
    now = _interval(items, metric, level, about)
    if not np.isfinite([now.lower, now.upper]).all():
        raise InputError(f"--metric {metric.text}: no interval so far ({now.note})")
    guess = np.mean(predicted(items), axis=0)
    sizes: list[int] = []
    widths: list[Sequence[float]] = []
    while not sizes or (sizes[-1] < min(rest, MOST) and not np.max(widths[-1]) <= wanted):
        sizes.append(min(2 * sizes[-1] if sizes else FIRST, rest))
        told(sizes[-1])
        widths.append(_widths(items, metric, guess, sizes[-1], (seed, level, about)))
    more, each = np.array(sizes), np.array(widths)
    shown = np.isfinite(each).all(axis=1)
    if not shown.any():
        raise InputError(
            f"--metric {metric.text}: no interval in some simulated studies with {FIRST} to "
            f"{sizes[-1]:,} labels more; expected one in all {STUDIES}. Label some items more, or "
            "take another threshold"
        )
    width = float(now.upper - now.lower)
    return MoreLabels(int(known.sum()), width, more[shown], *each[shown].T)


def _widths(
    items: Items, metric: Asked, guess: np.ndarray, more: int, how: tuple[int, float, str]
) -> Sequence[float]:
    """The mean width with so many labels more, drawn by `crowdgold sample` and at random.

    NaN where a simulated study has no interval: the mean of the others would be too narrow.
    """
    seed, level, about = how
    found = np.empty((STUDIES, 2))
    for study in range(STUDIES):
        rng = np.random.default_rng([seed, study])
        truth = np.where(items.gold == NO_GOLD, rng.random(len(items)) < guess, items.gold)
        known = replace(items, truth=truth.astype(np.int8))
        batches = next_batch(known, [metric], more, study), random_batch(known, more, study)
        for place, batch in enumerate(batches):
            one = _interval(labelled(known, batch), metric, level, about)
            found[study, place] = one.upper - one.lower
    means: Sequence[float] = found.mean(axis=0).tolist()
    return means
