"""Whether a judge may stand in for an annotator, by the alternative annotator test.

Calderon, Reichart and Dror (2025), The alternative annotator test for LLM-as-a-judge. Each of
three or more annotators j is left out in turn. On each item i that j labelled, with a share of the
other annotators' labels that agree with the judge, s_i, and with annotator j, h_i:

    d_i = [h_i >= s_i] - [s_i >= h_i]                              a tie counts for both
    H0: E d_i >= epsilon,   t = (mean d - epsilon) / (sd(d) / sqrt(n_j)),   one-sided

epsilon: what the judge's lower price is worth. The p-values of all annotators are corrected by
Benjamini and Yekutieli, whose tests may depend on each other. The winning rate omega is the share
of the annotators whose test rejects; the judge may replace one where omega is at least .5. The
t-test needs some 30 items. Where gold items were drawn with known chances, or belong together,
mean d weighs them, and its standard error and degrees of freedom are those of the design
(`inference.design`).

The items are those that all annotators tested have labelled. Where a second opinion was asked for
because of what the first said, such items are the ones on which annotators differ, and d is not
that of items at random. So no test is made where labels that are on all items alike tell which
items have the others: where a label, or whether two of them agree, goes together with being
complete (Fisher's exact test, corrected for their number).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from crowdgold.data import NO_GOLD, NO_PREDICTOR, InputError, Items
from crowdgold.data.gold_draw import kish
from crowdgold.data.judge_table import MISSING
from crowdgold.inference.clustered import drawn_from
from crowdgold.inference.contributions import spread_of
from crowdgold.inference.design import Design, SimpleRandom
from crowdgold.inference.questions import View

FEWEST_ITEMS = 30
FEWEST_ANNOTATORS = 3
EPSILON = 0.2
"""For experts, as the paper advises; .15 for skilled annotators, .1 for crowd workers."""
RATE = 0.05
"""False discoveries allowed among the annotators' tests."""
WINS = 0.5
"""Winning rate from which on the judge may replace an annotator."""
FOLLOWS = "second opinions follow the first: which items all annotators labelled depends on labels"


@dataclass(frozen=True, eq=False)
class Replacement:
    """The alternative annotator test of one judge against h annotators.

    Attributes:
        advantage: mean share of items on which the judge is at least as close to the others as the
            annotator left out is.
        p: (h,) p-values, corrected; NaN of annotators who are not tested.
        winning_rate: share of the annotators tested over whom the judge wins.
        passes: whether the winning rate is at least `WINS`.
    """

    advantage: float
    p: np.ndarray
    winning_rate: float
    passes: bool


def _p_value(difference: np.ndarray, epsilon: float, design: Design) -> float:
    """One-sided p-value of a mean below epsilon, from items that were drawn by a design."""
    weights = np.ones(len(difference)) if design.weights is None else design.weights
    mean = np.average(difference, weights=weights)
    deviations, spread = spread_of(design, (weights * (difference - mean))[:, None])
    distance = float(mean) - epsilon
    if spread[0] == 0:
        return 0.0 if distance < 0 else 1.0
    freedom = design.freedom(deviations, np.array([max(kish(weights), 2.0)]))
    return float(stdtr(freedom, distance / spread)[0])


def _told(labels: np.ndarray, known: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """What one annotator's label says of an item, or two together: (n,) known, and yes or no."""
    for one in range(labels.shape[1]):
        yield known[:, one], labels[:, one] == 1
        for other in range(one):
            yield known[:, one] & known[:, other], labels[:, one] == labels[:, other]


def _follows(labels: np.ndarray) -> bool:
    """Whether labels (n, h) on items tell on which of them all annotators have one."""
    from scipy.stats import fisher_exact  # half a second that the answer need not wait

    known = labels != MISSING
    whole, p = known.all(axis=1), []
    for told, yes in _told(labels, known):
        if not whole[told].all():
            table = np.zeros((2, 2), dtype=int)
            np.add.at(table, (whole[told].astype(int), yes[told].astype(int)), 1)
            p.append(float(fisher_exact(table)[1]))
    return bool(p) and min(p) * len(p) < RATE


def _tested(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The most annotators who labelled enough of the same items, and these items: positions.

    Args:
        labels: (n, h) on the items that the judge has labelled.

    Raises:
        InputError: where there are fewer than `FEWEST_ANNOTATORS` of them.
    """
    number, why = (labels != MISSING).sum(axis=0), ""
    most_first = np.argsort(-number, kind="stable")
    for size in range(len(number), FEWEST_ANNOTATORS - 1, -1):
        chosen = np.sort(most_first[:size])
        rows = np.flatnonzero((labels[:, chosen] != MISSING).all(axis=1))
        if _follows(labels[:, chosen]):
            why = FOLLOWS
        elif len(rows) >= FEWEST_ITEMS:
            return chosen, rows
    few = int((number >= FEWEST_ITEMS).sum())
    raise InputError(
        why
        or f"found {few} annotators with {FEWEST_ITEMS} labels that can be held against the judge, "
        f"expected {FEWEST_ANNOTATORS} or more, with as many on the same items"
    )


def may_replace(
    judge: np.ndarray, annotators: np.ndarray, epsilon: float = EPSILON, rate: float = RATE,
    items: Items | None = None,
) -> Replacement:  # fmt: skip
    """The alternative annotator test of a judge's labels against those of annotators.

    Args:
        judge: (n,) labels, `MISSING` where there is none.
        annotators: (n, h) labels, h at least 3.
        epsilon: how much less often than the annotator the judge may win.
        rate: of false discoveries.
        items: those of the labels, which say how gold was drawn; None: a simple random sample.

    Raises:
        InputError: where there are too few annotators, or items that all of them and the judge
            labelled, or these items were chosen by what annotators said.
    """
    size = annotators.shape[1]
    if size < FEWEST_ANNOTATORS:
        raise InputError(
            f"the alternative annotator test: found {size} annotators, expected "
            f"{FEWEST_ANNOTATORS} or more whose labels the judge is held against"
        )
    known = judge != MISSING
    if items is not None:
        known &= items.gold != NO_GOLD
    open_to = np.flatnonzero(known)
    chosen, own = _tested(annotators[open_to])
    rows = open_to[own]
    design: Design = SimpleRandom(len(rows))
    if items is not None:
        design = drawn_from(View(items, NO_PREDICTOR), rows)[1]
    labels, of_all = annotators[np.ix_(rows, chosen)], np.full(size, np.nan)
    p, wins = np.empty(len(chosen)), np.empty(len(chosen))
    for left in range(len(chosen)):
        others = np.delete(labels, left, axis=1)
        of_judge = (others == judge[rows, None]).mean(axis=1)
        of_left = (others == labels[:, [left]]).mean(axis=1)
        wins[left] = float(np.average(of_judge >= of_left, weights=design.weights))
        p[left] = _p_value((of_left >= of_judge) * 1.0 - (of_judge >= of_left), epsilon, design)
    from scipy.stats import false_discovery_control  # half a second that the answer need not wait

    of_all[chosen] = false_discovery_control(p, method="by")
    won = float((of_all[chosen] <= rate).mean())
    return Replacement(float(wins.mean()), of_all, won, won >= WINS)
