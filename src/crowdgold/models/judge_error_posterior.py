"""The posterior of a rate and of the judges' TPR and TNR, drawn without a Markov chain.

Prior: p uniform, q+ and q- Beta(1/2, 1/2), cut to q+ + q- > 1. Gold labels of other items say
nothing of p: q+ and q- are drawn from their beta posteriors given gold, weighted by the marginal
likelihood of the k of n judgements, and p given them. With pi = p q+ + (1 - p) (1 - q-), which is
uniform on [1 - q-, q+] where p is uniform, that likelihood is

    [F(q+) - F(1 - q-)] / (q+ + q- - 1)        F: the distribution of Beta(k + 1, n - k + 1)

and pi given q's has that beta distribution, cut to [1 - q-, q+]. Where the gold items are drawn at
random from the n, the four cells of judgement and truth have the prior Dirichlet(1/2, ..., 1/2),
which is the prior above without its cut. By judgement it falls apart into betas, conjugate to all
counts: pi, and the share of positives among the items judged positive and judged negative.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv

from crowdgold.data import InputError
from crowdgold.models.judge_error import JudgementCounts

JEFFREYS = 0.5
CANDIDATES = 8
"""Pairs (q+, q-) that are weighted for each one that is kept."""
FEWEST_EFFECTIVE = 0.1
"""Effective sample size, of the draws wanted, below which draws are refused."""


Function = Callable[[float, float, np.ndarray], np.ndarray]


class RateDraws(NamedTuple):
    """Draws (D,) of the rate, of the judges' TPR q+, and of their TNR q-."""

    rate: np.ndarray
    tpr: np.ndarray
    tnr: np.ndarray


def draw_rates(counts: JudgementCounts, draws: int, rng: np.random.Generator) -> RateDraws:
    """Draw independently from the posterior.

    Args:
        counts: numbers; gold labels of a class may be none, whose rate then follows its prior.

    Raises:
        InputError: where counts are impossible, or so unlikely together that draws cannot be had.
    """
    counts.check()
    if draws < 1:
        raise InputError(f"draws: found {draws}, expected 1 or more")
    return (_draw_within if counts.within else _draw_separate)(counts, draws, rng)


def _quality(counts: JudgementCounts, size: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Draw q+ and q- given the gold labels alone."""
    cells = (
        (counts.true_positives, counts.false_negatives),
        (counts.true_negatives, counts.false_positives),
    )
    return [rng.beta(right + JEFFREYS, wrong + JEFFREYS, size) for right, wrong in cells]


class _Cut:
    """Beta(a, b) cut to [low, high] (D,); mass is measured from the nearer tail."""

    def __init__(self, a: float, b: float, low: np.ndarray, high: np.ndarray) -> None:
        self._a, self._b, self._low, self._high = a, b, low, high
        self._upper = low > a / (a + b)

    def _by_tail(self, values: np.ndarray, upper: Function, lower: Function) -> np.ndarray:
        """Apply a function of the tail that each value belongs to."""
        found = np.empty_like(values)
        for part, function in ((self._upper, upper), (~self._upper, lower)):
            found[part] = function(self._a, self._b, values[part])
        return found

    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        low, high = (self._by_tail(end, betaincc, betainc) for end in (self._low, self._high))
        return low, high

    def mass(self) -> np.ndarray:
        """The mass between the ends."""
        low, high = self._ends()
        return np.abs(high - low)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Draw one value for each pair of ends."""
        low, high = self._ends()
        share = low + rng.random(len(low)) * (high - low)
        found = self._by_tail(share, betainccinv, betaincinv)
        return np.asarray(np.clip(found, self._low, self._high))


def _draw_separate(counts: JudgementCounts, draws: int, rng: np.random.Generator) -> RateDraws:
    tpr, tnr = _quality(counts, CANDIDATES * draws, rng)
    better = tpr + tnr > 1
    tpr, tnr = tpr[better], tnr[better]
    a, b = float(counts.positive) + 1, float(counts.judged - counts.positive) + 1
    weight = _Cut(a, b, 1 - tnr, tpr).mass() / (tpr + tnr - 1)
    total = weight.sum()
    if not total > 0 or total**2 / (weight**2).sum() < FEWEST_EFFECTIVE * draws:
        raise InputError(
            f"{counts.positive:g} of {counts.judged:g} judged positive: the gold labels all but "
            "rule this out, so that no posterior can be drawn; are gold and judged items alike?"
        )
    # Systematic resampling: a pair comes up in proportion to its weight, to less than one.
    steps = (rng.random() + np.arange(draws)) / draws
    chosen = np.searchsorted(np.cumsum(weight) / total, steps)
    tpr, tnr = (rng.permutation(np.stack([tpr, tnr], 1)[np.minimum(chosen, len(tpr) - 1)])).T
    judged_rate = _Cut(a, b, 1 - tnr, tpr).draw(rng)
    return RateDraws((judged_rate + tnr - 1) / (tpr + tnr - 1), tpr, tnr)


def _draw_within(counts: JudgementCounts, draws: int, rng: np.random.Generator) -> RateDraws:
    found: list[np.ndarray] = []
    kept = 0
    for _ in range(CANDIDATES):
        judged = rng.beta(counts.positive + 1, counts.judged - counts.positive + 1, draws)
        called, passed = (
            rng.beta(positives + JEFFREYS, negatives + JEFFREYS, draws)
            for positives, negatives in (
                (counts.true_positives, counts.false_positives),
                (counts.false_negatives, counts.true_negatives),
            )
        )
        rate = judged * called + (1 - judged) * passed
        tpr = judged * called / rate
        tnr = (1 - judged) * (1 - passed) / (1 - rate)
        better = tpr + tnr > 1
        found.append(np.stack([rate, tpr, tnr])[:, better])
        kept += int(better.sum())
        if kept >= draws:
            return RateDraws(*np.concatenate(found, axis=1)[:, :draws])
    raise InputError(
        "TPR + TNR: the gold labels all but rule out that it is more than 1, so that no posterior "
        "can be drawn; check that the labels are not swapped"
    )
