"""The size of a study: interval width for any number of items, votes and gold labels, and its cost.

A rectified estimate (`inference.rectified`) of a metric of the population that the items were drawn
from has, at its best weight,

    se^2 = sigma^2 [(1 - g) / n_E + g / n]                                     (1)

with n items, n_E of them with a gold label; sigma^2 / n_E is the variance with gold labels alone,
and the gain g, from 0 to 1, is the share of it that the prediction from votes and scores explains
(lambda g_i explains of y_i, in the notation of `inference.rectified`). g grows with the votes c on
an item, and has a limit: some positives look like negatives to every voter. With n_E gold labels no
number of items brings the width below sqrt(1 - g) of that of gold alone.

With few gold labels intervals are longer than (1) says, by up to a fifth with 80 of them: one more
label is imagined, and what a prediction expects of the residual counts like some gold labels.

With c_V the price of a vote and c_G that of a gold label, the cheapest way to a standard error s is
that of double sampling (Cochran, Sampling Techniques, 1977, section 12.8):

    n_E = K sqrt((1 - g) / c_G),   n = K sqrt(g / (c c_V)),
    K = [sqrt((1 - g) c_G) + sqrt(g c c_V)] sigma^2 / s^2                      (2)

where that gives n_E <= n and costs less than gold labels alone, n_E = sigma^2 / s^2.
"""

import math
from dataclasses import dataclass

from scipy.special import stdtrit

from crowdgold.data import InputError
from crowdgold.declared import LEVEL

FEWEST_GOLD = 30
"""Gold labels below which a width is not promised: (1) is for large samples."""

MOST = 10**12
"""Gold labels beyond which no study is planned."""


@dataclass(frozen=True)
class Information:
    """What one item tells about a metric.

    Attributes:
        votes: votes c on an item; 0 where there are none.
        sigma: standard error with gold labels alone, times the root of their number; above 0.
        gain: share of the variance that predictions explain, 0 to 1.
    """

    votes: int
    sigma: float
    gain: float


@dataclass(frozen=True)
class Prices:
    """What a vote and a gold label cost, in any one currency; both above 0."""

    vote: float
    gold: float


@dataclass(frozen=True)
class Design:
    """A study: n items, `votes` on each, gold labels for n_gold of them.

    Attributes:
        width: of the interval that is expected.
        cost: of its votes and gold labels.
    """

    n: int
    votes: int
    n_gold: int
    width: float
    cost: float


def width(known: Information, n: int, n_gold: int, level: float = LEVEL) -> float:
    """The expected width of an interval, by (1) and Student's t.

    Args:
        known: about the metric.
        n: items, at least `n_gold`.
        n_gold: items with a gold label, at least 2.
        level: of the interval.
    """
    variance = known.sigma**2 * ((1 - known.gain) / n_gold + known.gain / n)
    return 2 * float(stdtrit(n_gold - 1, (1 + level) / 2)) * math.sqrt(variance)


def narrowest(known: Information, n_gold: int, level: float = LEVEL) -> float:
    """The width that no number of items goes below with `n_gold` gold labels."""
    reach = float(stdtrit(n_gold - 1, (1 + level) / 2))
    return 2 * reach * known.sigma * math.sqrt((1 - known.gain) / n_gold)


def cost(prices: Prices, n: int, votes: int, n_gold: int) -> float:
    """The cost of a study."""
    return prices.vote * votes * n + prices.gold * n_gold


def _split(
    known: Information, prices: Prices, ratio: float, most: int | None
) -> tuple[float, float]:
    """The cheapest (n, n_E) for sigma^2 / s^2 = `ratio`; equal where all are to be gold."""
    gain, item = known.gain, prices.vote * known.votes
    if gain == 0 or item == 0:
        return ratio, ratio
    scale = (math.sqrt((1 - gain) * prices.gold) + math.sqrt(gain * item)) * ratio
    n, n_gold = scale * math.sqrt(gain / item), scale * math.sqrt((1 - gain) / prices.gold)
    if most is not None and n > most:  # all items there are; more gold labels in their place
        left = 1 / ratio - gain / most
        n, n_gold = most, (1 - gain) / left if left > 0 else math.inf
    return (n, n_gold) if n_gold <= n else (ratio, ratio)


def cheapest(
    known: Information, prices: Prices, wanted: float, most: int | None = None, level: float = LEVEL
) -> Design | None:
    """The cheapest study whose interval is expected to have a width.

    Args:
        known: about the metric, with its number of votes.
        prices: of a vote and a gold label.
        wanted: the width, above 0.
        most: items that there are; None for as many as wanted.
        level: of the interval.

    Returns:
        the design, with at least `FEWEST_GOLD` gold labels, and one for each item where that is
        cheapest; None where the width is not reached with `most` items.

    Raises:
        InputError: where the width would take more than `MOST` gold labels.
    """
    n_gold = FEWEST_GOLD
    for _ in range(50):  # Student's t depends on the gold labels that it decides about
        reach = 2 * float(stdtrit(n_gold - 1, (1 + level) / 2))
        times = known.sigma * reach / wanted
        if most is None and times * times > MOST:
            raise InputError(
                f"width: found {wanted:g}, which takes more than {MOST:,} gold labels; give a "
                "larger one"
            )
        n, labels = _split(known, prices, times * times, most)
        if most is not None and labels > most:
            return None
        before, n_gold = n_gold, max(FEWEST_GOLD, math.ceil(labels))
        if n_gold == before:
            break
    items = max(n_gold, math.ceil(n))
    return Design(
        items,
        known.votes,
        n_gold,
        width(known, items, n_gold, level),
        cost(prices, items, known.votes, n_gold),
    )


def gold_alone(known: Information) -> Information:
    """What an item tells without predictions; its votes stay, as some metrics are of them."""
    return Information(known.votes, known.sigma, 0.0)
