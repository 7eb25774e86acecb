"""A rate corrected for judges' errors (judge error, "The first formula" on), and its posterior.

Judges find the share p_J of n items positive. They are right on positives with the chance q+ (TPR)
and on negatives with the chance q- (TNR), which gold labels of m1 positives and m0 negatives show:

    p = (p_J + q- - 1) / (q+ + q- - 1)                                   (Rogan and Gladen, 1978)
    var(p) D^2 = p_J (1 - p_J) / n + p^2 v+ + (1 - p)^2 v-  [ - 2 s / n ]      D = q+ + q- - 1
    v+ = q+ (1 - q+) / m1     v- = q- (1 - q-) / m0     s = p q+ (1 - q+) + (1 - p) q- (1 - q-)

by the delta method; the printed (p_J + q- - 1)^2 / D^4 is p^2 / D^2, and (p_J - q+)^2 / D^4 is
(1 - p)^2 / D^2. The printed variance is for gold labels of other items than the n. Where they are
of some of the n, drawn at random, p_J and the q's share judgements: cov(p_J, q+) = q+ (1 - q+) / n
and cov(p_J, q-) = -q- (1 - q-) / n, the bracket; with gold for all n the variance is p (1 - p) / n.

The posterior is drawn without a Markov chain. Prior: p uniform, q+ and q- Beta(1/2, 1/2), cut to
q+ + q- > 1. Given gold of other items q+ and q- are drawn from their beta posteriors, weighted by
the marginal likelihood of the k of n judgements. With pi = p q+ + (1 - p) (1 - q-), which is
uniform on [1 - q-, q+] where p is uniform, that likelihood is

    [F(q+) - F(1 - q-)] / (q+ + q- - 1)        F: the distribution of Beta(k + 1, n - k + 1)

and pi given q's has that beta distribution, cut to [1 - q-, q+]. For gold of some of the n, the
four cells of judgement and truth have the prior Dirichlet(1/2, ..., 1/2), which is the prior above
without its cut. By judgement it falls apart into betas, conjugate to all counts: pi, and the share
of positives among the items judged positive and judged negative.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, ndtri

from crowdgold.types.errors import InputError
from crowdgold.types.parameters import LEVEL, check_level

PAPER, ADJUSTED = INTERVALS = ("paper", "adjusted")  # the latter: Lang and Reiczigel (2014)
CLIP, KEEP = OUTSIDE = ("clip", "keep")  # an estimate outside [0, 1]: move to its end, or not
GOLD_ADDED = 2  # Gold labels that the adjusted interval adds to each class, half of them right
Numbers = float | np.ndarray
JEFFREYS = 0.5
CANDIDATES = 8  # Pairs (q+, q-) that are weighted for each one that is kept
FEWEST_EFFECTIVE = 0.1  # Effective sample size, of the draws wanted, below which draws are refused
Function = Callable[[float, float, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class JudgementCounts:
    """What a corrected rate is made of; numbers, or arrays of one shape."""

    positive: Numbers  # positive, judged: items judged positive, of all n judged
    judged: Numbers
    true_positives: Numbers  # gold positives that were judged positive
    false_negatives: Numbers
    true_negatives: Numbers  # gold negatives that were judged negative
    false_positives: Numbers
    # whether the gold items are some of the n, drawn at random; else they are others, of which
    # either class may be as large as it likes
    within: bool = False

    @property
    def gold_positives(self) -> Numbers:
        """Number m1 of gold positives."""
        return self.true_positives + self.false_negatives

    @property
    def gold_negatives(self) -> Numbers:
        """Number m0 of gold negatives."""
        return self.true_negatives + self.false_positives

    @property
    def shares(self) -> tuple[Numbers, Numbers, Numbers]:
        """p_J, q+ and q-."""
        right = self.true_positives / self.gold_positives
        return self.positive / self.judged, right, self.true_negatives / self.gold_negatives

    def check(self) -> None:
        """Raise an `InputError` where the counts are none, or contradict each other."""
        counts = vars(self).copy()
        within = counts.pop("within")
        for name, value in counts.items():
            found = np.asarray(value, dtype=float)
            bad = ~(np.isfinite(found) & (found >= 0) & (found == np.floor(found)))
            if bad.any():
                raise InputError(f"{name}: found {found[bad][0]:g}, expected a count, 0 or more")
        _at_most(self.positive, self.judged, "positive", "the items judged")
        if np.any(np.asarray(self.judged) == 0):
            raise InputError("judged: found 0, expected 1 or more judged items")
        if within:
            called = self.true_positives + self.false_positives
            passed = self.true_negatives + self.false_negatives
            hint = "; gold items that were not among the judged ones are a set of their own"
            _at_most(called, self.positive, "gold items judged positive", "positive", hint)
            negative = self.judged - self.positive
            _at_most(passed, negative, "gold items judged negative", "the others", hint)


def _at_most(value: Numbers, limit: Numbers, name: str, what: str, hint: str = "") -> None:
    over = np.asarray(value) > np.asarray(limit)
    if np.any(over):
        found = np.broadcast_to(value, over.shape)[over].flat[0]
        most = np.broadcast_to(limit, over.shape)[over].flat[0]
        raise InputError(f"{name}: found {found:g}, expected at most {most:g} ({what}){hint}")


def corrected_rate(judged_rate: Numbers, tpr: Numbers, tnr: Numbers) -> Numbers:
    """The rate p = (p_J + q- - 1) / (q+ + q- - 1), which may lie outside [0, 1]."""
    bad = np.asarray(tpr) + np.asarray(tnr) <= 1
    if np.any(bad):
        first, second = (np.broadcast_to(q, bad.shape)[bad].flat[0] for q in (tpr, tnr))
        raise InputError(
            f"TPR + TNR: found {first:.4g} + {second:.4g} = {first + second:.4g}, expected more "
            "than 1. Judges who are no better than chance say nothing of the rate: check that "
            "the labels are not swapped, or have more gold labels made"
        )
    return (judged_rate + tnr - 1) / (tpr + tnr - 1)


def corrected_variance(
    judged_rate: Numbers, tpr: Numbers, tnr: Numbers, judged: Numbers, gold_positives: Numbers,
    gold_negatives: Numbers, within: bool = False,
) -> Numbers:  # fmt: skip
    """The delta-method variance of the corrected rate; gold items are some of the n if `within`."""
    rate = corrected_rate(judged_rate, tpr, tnr)
    on_positives, on_negatives = tpr * (1 - tpr), tnr * (1 - tnr)
    total = judged_rate * (1 - judged_rate) / judged
    total = total + rate**2 * on_positives / gold_positives
    total = total + (1 - rate) ** 2 * on_negatives / gold_negatives
    if within:
        total = total - 2 * (rate * on_positives + (1 - rate) * on_negatives) / judged
    return total / (tpr + tnr - 1) ** 2


@dataclass(frozen=True)
class CorrectedRate:
    """A corrected rate; numbers, or arrays where the counts were."""

    estimate: Numbers  # moved to 0 or 1 where `raw` is outside and is clipped
    standard_error: Numbers  # of `raw`; the paper's
    lower: Numbers  # lower, upper: ends of the interval, moved likewise
    upper: Numbers
    raw: Numbers  # the estimate as the formula gives it, which may be outside [0, 1]
    judged_rate: Numbers  # the share judged positive, as it stands
    tpr: Numbers  # tpr, tnr: the judges' rates, from the gold labels
    tnr: Numbers
    note: str = ""  # what to beware of; empty where there is nothing


def _spread(counts: JudgementCounts) -> Numbers:
    sizes = (counts.judged, counts.gold_positives, counts.gold_negatives)
    # Rounding can leave a variance of 0 below it.
    return np.sqrt(np.maximum(corrected_variance(*counts.shares, *sizes, counts.within), 0.0))


def _adjusted(counts: JudgementCounts, z: float) -> tuple[Numbers, Numbers]:
    """Lang and Reiczigel's interval: pseudo-counts, and a shift against the skewness."""
    added, half = GOLD_ADDED, GOLD_ADDED / 2
    more = JudgementCounts(
        counts.positive + z**2 / 2, counts.judged + z**2, counts.true_positives + half,
        counts.false_negatives + half, counts.true_negatives + half, counts.false_positives + half,
        counts.within,
    )  # fmt: skip
    judged_rate, tpr, tnr = more.shares
    rate = corrected_rate(judged_rate, tpr, tnr)
    shift = rate * tpr * (1 - tpr) / more.gold_positives
    shift = 2 * z**2 * (shift - (1 - rate) * tnr * (1 - tnr) / more.gold_negatives)
    if counts.within:  # gold for all items leaves nothing skewed
        gold = more.gold_positives + more.gold_negatives - 2 * added
        shift = shift * (1 - gold / counts.judged)
    reach = z * _spread(more)
    return rate + shift - reach, rate + shift + reach


def correct_rate(
    counts: JudgementCounts, level: float = LEVEL, interval: str = ADJUSTED, outside: str = CLIP
) -> CorrectedRate:
    """A rate corrected for the judges' errors, and its interval of this level: "paper" is estimate
    +- z standard errors; "adjusted" that of Lang and Reiczigel (2014), Preventive Veterinary
    Medicine 113, which does not take rates of few gold labels for certain; where gold is within the
    judged items its shift is ours, less by their share. What is outside [0, 1] is moved there
    ("clip"), or left ("keep"). `InputError` where counts are impossible or contradict each other, a
    class has no gold labels, q+ + q- <= 1, or an interval to be clipped is outside [0, 1] as a
    whole.
    """
    check_level(level)
    for name, value, known in (("interval", interval, INTERVALS), ("outside", outside, OUTSIDE)):
        if value not in known:
            raise InputError(f"{name}: found {value!r}, expected one of {', '.join(known)}")
    counts.check()
    for name, size, rate in (
        ("positives", counts.gold_positives, "TPR (q+)"),
        ("negatives", counts.gold_negatives, "TNR (q-)"),
    ):
        if np.any(np.asarray(size) == 0):
            raise InputError(
                f"gold {name}: found 0, expected 1 or more; without them nothing says what "
                f"the judges' {rate} is. Have known {name} judged, or more gold labels made"
            )
    estimate = middle = corrected_rate(*counts.shares)
    error = _spread(counts)
    z = float(ndtri((1 + level) / 2))
    lower, upper = estimate - z * error, estimate + z * error
    notes = []
    errors = {"TPR": counts.false_negatives, "TNR": counts.false_positives}
    spotless = [name for name, wrong in errors.items() if np.ndim(wrong) == 0 and wrong == 0]
    if interval == ADJUSTED:
        lower, upper = _adjusted(counts, z)
    elif spotless:
        notes.append(
            f"no judgement of gold items was wrong, so that the paper's interval takes "
            f"{' and '.join(spotless)} = 1 for certain; the adjusted interval does not"
        )

    def found_of_judges(judged_rate: Numbers, tpr: Numbers, tnr: Numbers) -> str:
        return (
            f"judges with these gold labels find from {1 - tnr:.4g} (nothing positive) to "
            f"{tpr:.4g} (everything) positive, and they found {judged_rate:.4g}"
        )

    if outside == CLIP:
        beyond = (np.asarray(upper) < 0) | (np.asarray(lower) > 1)
        if np.any(beyond):
            values = np.where(np.asarray(upper) < 0, upper, lower), *counts.shares
            at, *shares = (np.broadcast_to(v, beyond.shape)[beyond].flat[0] for v in values)
            raise InputError(
                f"the corrected rate: the whole interval is beyond {at:.4g}, outside 0 to 1: "
                f"{found_of_judges(*shares)}. Look whether gold and judged items are alike, or "
                "have more gold labels made"
            )
        lower, middle, upper = (np.clip(value, 0, 1) for value in (lower, estimate, upper))
        if np.ndim(estimate) == 0 and not 0 <= estimate <= 1:
            notes.append(
                f"the formula gives {estimate:.4g}, which is outside 0 to 1, and the estimate was "
                f"moved to {float(estimate > 1):g}, the interval cut there: "
                f"{found_of_judges(*counts.shares)}"
            )
    return CorrectedRate(middle, error, lower, upper, estimate, *counts.shares, "; ".join(notes))


class RateDraws(NamedTuple):
    """Draws (D,) of the rate, of the judges' TPR q+, and of their TNR q-."""

    rate: np.ndarray
    tpr: np.ndarray
    tnr: np.ndarray


def draw_rates(counts: JudgementCounts, draws: int, rng: np.random.Generator) -> RateDraws:
    """Draw independently from the posterior given counts, which are numbers. Gold labels of a class
    may be none, whose rate then follows its prior. `InputError` where counts are impossible, or so
    unlikely together that draws cannot be had.
    """
    counts.check()
    if draws < 1:
        raise InputError(f"draws: found {draws}, expected 1 or more")
    right, missed = counts.true_positives + JEFFREYS, counts.false_negatives + JEFFREYS
    spared, false = counts.true_negatives + JEFFREYS, counts.false_positives + JEFFREYS
    a, b = float(counts.positive) + 1, float(counts.judged - counts.positive) + 1
    if counts.within:
        found: list[np.ndarray] = []
        for _ in range(CANDIDATES):
            judged = rng.beta(a, b, draws)
            called, passed = rng.beta(right, false, draws), rng.beta(missed, spared, draws)
            rate = judged * called + (1 - judged) * passed
            tpr = judged * called / rate
            tnr = (1 - judged) * (1 - passed) / (1 - rate)
            found.append(np.stack([rate, tpr, tnr])[:, tpr + tnr > 1])
            if sum(part.shape[1] for part in found) >= draws:
                return RateDraws(*np.concatenate(found, axis=1)[:, :draws])
        raise InputError(
            "TPR + TNR: the gold labels all but rule out that it is more than 1, so that no "
            "posterior can be drawn; check that the labels are not swapped"
        )
    tpr = rng.beta(right, missed, CANDIDATES * draws)
    tnr = rng.beta(spared, false, CANDIDATES * draws)
    better = tpr + tnr > 1
    tpr, tnr = tpr[better], tnr[better]
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
    tpr, tnr = rng.permutation(np.stack([tpr, tnr], 1)[np.minimum(chosen, len(tpr) - 1)]).T
    judged_rate = _Cut(a, b, 1 - tnr, tpr).draw(rng)
    return RateDraws((judged_rate + tnr - 1) / (tpr + tnr - 1), tpr, tnr)


class _Cut:
    """Beta(a, b) cut to [low, high] (D,); mass is measured from the nearer tail."""

    def __init__(self, a: float, b: float, low: np.ndarray, high: np.ndarray) -> None:
        self._a, self._b, self._low, self._high = a, b, low, high
        self._upper = low > a / (a + b)
        self._ends = [self._by_tail(end, betaincc, betainc) for end in (low, high)]

    def _by_tail(self, values: np.ndarray, upper: Function, lower: Function) -> np.ndarray:
        """Apply a function of the tail that each value belongs to."""
        found = np.empty_like(values)
        for part, function in ((self._upper, upper), (~self._upper, lower)):
            found[part] = function(self._a, self._b, values[part])
        return found

    def mass(self) -> np.ndarray:
        """The mass between the ends."""
        return np.abs(self._ends[1] - self._ends[0])

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Draw one value for each pair of ends."""
        low, high = self._ends
        share = low + rng.random(len(low)) * (high - low)
        found = self._by_tail(share, betainccinv, betaincinv)
        return np.asarray(np.clip(found, self._low, self._high))
