"""Whether a judge may stand in for an annotator, by the alternative annotator test.

Calderon, Reichart and Dror (2025), The alternative annotator test for LLM-as-a-judge. Each of
three or more annotators j is left out in turn. On each item i that j labelled, with a share of the
other annotators' labels that agree with the judge, s_i, and with annotator j, h_i:

    d_i = [h_i >= s_i] - [s_i >= h_i]                              a tie counts for both
    H0: E d_i >= epsilon,   t = (mean d - epsilon) / (sd(d) / sqrt(n_j)),   one-sided

epsilon: what the judge's lower price is worth. The p-values of all annotators are corrected by
Benjamini and Yekutieli, whose tests may depend on each other. The winning rate omega is the share
of the annotators whose test rejects; the judge may replace one where omega is at least .5. The
t-test needs some 30 items; with fewer for an annotator, no test is made of them. Where gold items
were drawn with known chances, or belong together, mean d weighs them, and its standard error and
degrees of freedom are those of the design (`inference.design`).
"""

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


@dataclass(frozen=True, eq=False)
class Replacement:
    """The alternative annotator test of one judge against h annotators.

    Attributes:
        advantage: mean share of items on which the judge is at least as close to the others as the
            annotator left out is.
        p: (h,) p-values, corrected; NaN where an annotator shares too few items with the judge.
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
        InputError: where there are too few annotators, or items that they share with the judge.
    """
    size = annotators.shape[1]
    if size < FEWEST_ANNOTATORS:
        raise InputError(
            f"the alternative annotator test: found {size} annotators, expected "
            f"{FEWEST_ANNOTATORS} or more whose labels the judge is held against"
        )
    p, wins = np.full(size, np.nan), np.full(size, np.nan)
    for left in range(size):
        others = np.delete(annotators, left, axis=1)
        known = (judge != MISSING) & (annotators[:, left] != MISSING)
        known &= (others != MISSING).any(axis=1)
        if items is not None:
            known &= items.gold != NO_GOLD
        if known.sum() < FEWEST_ITEMS:
            continue
        labels = np.ma.masked_equal(others[known], MISSING)
        of_judge = np.asarray((labels == judge[known, None]).mean(axis=1))
        of_left = np.asarray((labels == annotators[known, left, None]).mean(axis=1))
        design: Design = SimpleRandom(len(of_left))
        if items is not None:
            design = drawn_from(View(items, NO_PREDICTOR), np.flatnonzero(known))[1]
        wins[left] = float(np.average(of_judge >= of_left, weights=design.weights))
        p[left] = _p_value((of_left >= of_judge) * 1.0 - (of_judge >= of_left), epsilon, design)
    tested = np.isfinite(p)
    if not tested.any():
        raise InputError(
            "the alternative annotator test: no annotator shares enough items with the judge and "
            f"another annotator; expected {FEWEST_ITEMS} or more"
        )
    from scipy.stats import false_discovery_control  # half a second that the answer need not wait

    p[tested] = false_discovery_control(p[tested], method="by")
    won = float((p[tested] <= rate).mean())
    return Replacement(float(wins[tested].mean()), p, won, won >= WINS)
