"""Intervals: of a metric between the ends of its range, and the central one of draws.

An estimate theta with standard error se that rests on k labelled items becomes a number u in
[0, 1], its place within the range. It is as uncertain as a share of n* items of equal weight, the
effective number, with p drawn to 1/2 by one label so that n* is finite at the ends:

    u = (theta - low) / (high - low)        s = se / (high - low)        p = (k u + 1/2) / (k + 1)
    n* = p (1 - p) / s^2

The interval is the score interval of such a share (Wilson, 1927), back on the metric's range. With
t the quantile of Student's distribution, (1 + level) / 2 and the degrees of freedom of se,

    [u + t^2 / 2n*  -+  t sqrt(u (1 - u) / n* + t^2 / 4n*^2)] / (1 + t^2 / n*)

It never leaves the range, and is longer towards the middle. theta +- t se is too short near the
ends of the range and where few items are of a class.

Near an end the score interval can stop short of the end: one discordant pair of many says little of
how rare they are. Towards the end that is nearer, a metric of pairs therefore reaches as far as the
exact interval of a share, where that is further (Clopper and Pearson, 1934, at the effective
number; Korn and Graubard, 1998). What rests on very few items has the exact interval at both ends.

Where two metrics lie near an end of their range, their difference has an error of one side, which
an interval of the difference alone does not see. The intervals of the two show it (`from_parts`).

If k independent items are all alike, then with confidence (1 + level) / 2 at most a share

    b = 1 - ((1 - level) / 2)^(1 / k)

of their population differ (Clopper and Pearson at 0 of k).

The central interval of draws, which holds the truth as often as it says however few they are.

Let the truth and n draws be exchangeable, as a parameter and draws of its exact posterior are. The
truth is as likely to be in any of the n + 1 gaps between the sorted draws, and so lies below the
k-th of them with probability k / (n + 1). The quantile p is therefore the draw at place (n + 1) p,
between neighbours by interpolation (Weibull's rule; for the bootstrap Davison and Hinkley, 1997,
section 5.2). The more usual place 1 + (n - 1) p makes intervals too short: those of 100 draws hold
the truth in 93.1% of cases where they say 95%.

Intervals that hold over all looks at labels as they come in, so that one may stop at any.

An ordinary interval contains the truth in 95 of 100 studies at a number of labels that was set
before. Whoever looks after each batch, and stops when they like what they see, looks again and
again, and is wrong far more often. An asymptotic confidence sequence is right at all looks together
(Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and asymptotic
confidence sequences, Annals of Statistics, 2024). With n labels and a standard error s_n it is

    theta_n +- s_n sqrt(2 (x + 1) / x log(sqrt(x + 1) / alpha)),        x = n rho^2

rho is set before the first look, here so that the interval is about narrowest at a number of labels
m at which one means to stop: m rho^2 = -2 log(alpha) + log(1 - 2 log(alpha)). Estimates from
batches are martingales too (`types.gold_draw`), to which it applies. With more labels than m it
holds too, and is little wider: 3 % with four times as many. So m stays what it was once it is
passed. Another m that was chosen after a look would make the intervals wrong.

The factor of s_n is turned into the level of one look that would have it, at which the interval is
then made, so that few labels and the ends of a range are allowed for as ever. It is a statement for
many labels: the first looks should be at some dozens.
"""

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, stdtrit

from crowdgold.metrics.metric import Scale

Ends = tuple[np.ndarray, np.ndarray]
TINY = 1e-9  # Of a beta distribution's parameter that would be 0
ROUNDING = 1e-9
"""Share of a range below which an error, or an interval's width, is that of rounding alone."""


def _factor(level: float, n: float, planned: float) -> float:
    """What the standard error is multiplied by at n labels."""
    alpha = 1 - level
    odds = -2 * np.log(alpha)
    x = n / planned * (odds + np.log(1 + odds))
    return float(np.sqrt(2 * (x + 1) / x * np.log(np.sqrt(x + 1) / alpha)))


def level_of_look(level: float, n: float, planned: float) -> float:
    """The level of the interval at n labels, so that those of all looks hold together."""
    return float(2 * ndtr(_factor(level, n, planned)) - 1)


def price(level: float, n: float, planned: float) -> float:
    """How many times as wide the interval is as that of one look, where no class has few labels."""
    return _factor(level, n, planned) / float(ndtri((1 + level) / 2))


def unseen_share(count: np.ndarray, level: float) -> np.ndarray:
    """Largest share of a population that may differ from so many items that are all alike, (P,)."""
    return -np.expm1(np.log((1 - level) / 2) / count)


def _exact(place: np.ndarray, number: np.ndarray, tail: float) -> Ends:
    """Ends of the exact interval of shares (P,) of effective numbers of items (P,)."""
    positive, negative = number * place, number * (1 - place)
    lower = np.where(positive > 0, betaincinv(np.maximum(positive, TINY), negative + 1, tail), 0.0)
    upper = betaincinv(positive + 1, np.maximum(negative, TINY), 1 - tail)
    return lower, np.where(negative > 0, upper, 1.0)


def interval(
    estimate: np.ndarray, error: np.ndarray, count: np.ndarray, freedom: np.ndarray,
    limits: np.ndarray, scale: Scale, level: float, pairs: np.ndarray | bool = False,
    few: np.ndarray | bool = False,
) -> Ends:  # fmt: skip
    """Ends of the intervals of P metrics of one scale, (P,) each.

    `estimate`: (P,) within their ranges, `limits`, (P, 2); `error`: (P,) standard errors, 0 where
    nothing is left to chance and the ends are the estimate, with `freedom`, (P,), degrees of
    freedom; `count`: (P,) items that each rests on, at least 1; `pairs`: (P,) whether they compare
    items of two classes, and reach exactly towards the nearer end; `few`: (P,) whether they rest
    on so few items that both ends are exact.
    """
    times = stdtrit(freedom, (1 + level) / 2)
    if scale is Scale.IDENTITY:
        return estimate - times * error, estimate + times * error
    low, width = limits[:, 0], limits[:, 1] - limits[:, 0]
    place = np.clip((estimate - low) / width, 0.0, 1.0)
    drawn, certain = (count * place + 0.5) / (count + 1), error <= ROUNDING * width
    number = drawn * (1 - drawn) / np.where(certain, 1.0, error / width) ** 2
    extra = times**2 / number
    middle, reach = place + extra / 2, np.sqrt(extra * place * (1 - place) + extra**2 / 4)
    lower, upper = (middle - reach) / (1 + extra), (middle + reach) / (1 + extra)
    normal = ndtri((1 + level) / 2)
    exact = _exact(place, number * (normal / times) ** 2, (1 - level) / 2)
    both, above = np.asarray(few), place > 0.5
    lower = np.where(both | (np.asarray(pairs) & ~above), np.minimum(lower, exact[0]), lower)
    upper = np.where(both | (np.asarray(pairs) & above), np.maximum(upper, exact[1]), upper)
    lower, upper = (np.where(certain, place, one) for one in (lower, upper))
    return low + width * lower, low + width * upper


def from_parts(values: np.ndarray, errors: np.ndarray, ends: np.ndarray, error: np.ndarray) -> Ends:
    """Ends of the interval of a difference a - b, from the `ends` of a and b: on each side as far
    as theirs are together, with the correlation r that follows from the `errors`, (2, P), of a and
    b and the `error`, (P,), of a - b (MOVER; Zou and Donner, 2008),

        lower = a - b - sqrt((a - l_a)^2 + (u_b - b)^2 - 2 r (a - l_a) (u_b - b)), and so above
    """
    both = np.prod(errors, axis=0)
    spread = (errors**2).sum(axis=0) - error**2
    alike = np.clip(np.divide(spread, 2 * both, out=np.zeros(len(both)), where=both > 0), -1, 1)
    (first, second), ((low, high), (low_of_second, high_of_second)) = values, ends

    def reach(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.sqrt(np.maximum(one**2 + other**2 - 2 * alike * one * other, 0.0))

    lower = first - second - reach(first - low, high_of_second - second)
    return lower, first - second + reach(high - first, second - low_of_second)


def central_interval(draws: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the central interval of draws, along the first axis, NaN left out; of fewer draws
    than 2 / (1 - level) - 1 the smallest and the largest, which hold less.
    """
    quantile = np.nanquantile if np.isnan(draws).any() else np.quantile
    lower, upper = quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0, method="weibull")
    return lower, upper


def holm(p: np.ndarray) -> np.ndarray:
    """Correct p-values (m,) so that the chance of any false finding is held (Holm, 1979)."""
    order = np.argsort(p)
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(steps, 1)
    return corrected
