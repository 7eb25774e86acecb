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

Studies side by side: gold labels alone, and each number of votes, at a width or at a size.

What an item tells is known from one guess, or left open by a pilot, with one `Information` for each
draw of its posterior. The study is then planned at the median, and its width has an interval.

What `crowdgold plan` says: a table of studies, and what it means in words.
"""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.special import stdtrit

from crowdgold.types.display import WIDTH
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import LEVEL

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


POSSIBLE = 0.9
"""Share of a pilot's posterior between the ends of a width."""
SURE = (1 + POSSIBLE) / 2
"""Share of it in which a study is narrow enough that is planned to be so surely."""


@dataclass(frozen=True)
class Wanted:
    """What is asked for.

    Attributes:
        width: of the interval; None where the study is given.
        items: of the given study, or as many as there are; None for as many as it takes.
        gold: labels of the given study.
        prices, level: of votes and gold labels; of the interval.
    """

    width: float | None
    items: int | None
    gold: int | None
    prices: Prices
    level: float


@dataclass(frozen=True)
class Option:
    """A number of votes with what it tells, and the study that it takes.

    Attributes:
        votes: on an item; None for gold labels alone.
        information: at the median of what is possible.
        possible: what an item may tell; one where nothing is left open.
        design: the study; None where no study reaches the width.
        width_interval: between which its width is, in `POSSIBLE` of what is possible; None where
            nothing is left open.
        sure: the study whose width is reached in `SURE` of what is possible; None likewise.
    """

    votes: int | None
    information: Information
    possible: tuple[Information, ...]
    design: Design | None = None
    width_interval: tuple[float, float] | None = None
    sure: Design | None = None


def middle(possible: Sequence[Information]) -> Information:
    """The median of sigma and of the gain."""
    sigma, gain = np.median([(one.sigma, one.gain) for one in possible], axis=0)
    return Information(possible[0].votes, float(sigma), float(gain))


def _widths(option: Option, design: Design, level: float) -> np.ndarray:
    return np.array([width(one, design.n, design.n_gold, level) for one in option.possible])


def _surely(option: Option, wanted: Wanted) -> Design | None:
    """Find the cheapest study that is narrow enough in `SURE` of what is possible."""
    assert wanted.width is not None
    aim = wanted.width
    for _ in range(20):
        found = cheapest(option.information, wanted.prices, aim, wanted.items, wanted.level)
        if found is None:
            return None
        reached = float(np.quantile(_widths(option, found, wanted.level), SURE))
        if reached <= wanted.width * 1.001:
            return replace(found, width=reached)
        aim *= wanted.width / reached
    return None


def _planned(option: Option, wanted: Wanted) -> Option:
    """An option its study."""
    known = option.information
    if wanted.width is not None:
        design = cheapest(known, wanted.prices, wanted.width, wanted.items, wanted.level)
    else:
        assert wanted.gold is not None
        assert wanted.items is not None
        size = wanted.gold if option.votes is None else wanted.items
        price = cost(wanted.prices, size, known.votes, wanted.gold)
        reached = width(known, size, wanted.gold, wanted.level)
        design = Design(size, known.votes, wanted.gold, reached, price)
    if len(option.possible) == 1:
        return replace(option, design=design)
    sure = None if wanted.width is None else _surely(option, wanted)
    if design is None:
        return replace(option, sure=sure)
    ends = np.quantile(_widths(option, design, wanted.level), [1 - SURE, SURE])
    return replace(option, design=design, width_interval=(ends[0], ends[1]), sure=sure)


def study_options(
    possible: Sequence[Sequence[Information]], wanted: Wanted, votes_on_gold: bool
) -> list[Option]:
    """Compare gold labels alone with each number of votes.

    Args:
        possible: for each number of votes what an item may tell.
        wanted: a width, or a size.
        votes_on_gold: whether gold labels alone take votes too, as metrics of the voters do.
    """
    bare = [gold_alone(one if votes_on_gold else replace(one, votes=0)) for one in possible[0]]
    options = [Option(None, middle(bare), tuple(bare))]
    options += [Option(own[0].votes, middle(own), tuple(own)) for own in possible]
    return [_planned(option, wanted) for option in options]


HARDLY = 0.02
"""Where no number of items narrows an interval by more than this share, they do not help."""


def votes_each(votes: int) -> str:
    """Say how many votes an item has."""
    return "one vote each" if votes == 1 else f"{votes} votes each"


def option_name(option: Option) -> str:
    """Name an option."""
    return "gold labels alone" if option.votes is None else f"with {votes_each(option.votes)}"


def study_name(design: Design) -> str:
    """Say what a study takes."""
    if design.n == design.n_gold:
        return f"{design.n} items, all with a gold label, for {design.cost:.2f}"
    return (
        f"{design.n} items with {votes_each(design.votes)}, {design.n_gold} of them with a gold "
        f"label, for {design.cost:.2f}"
    )


def _cheapest(options: Sequence[Option], best: Option) -> str:
    """Say which study is cheapest."""
    assert best.design is not None
    alone = options[0]
    if best is alone or best.design.n == best.design.n_gold:
        return "Cheapest: gold labels alone. At these prices votes are not worth theirs."
    saved = ""
    if alone.design is not None:
        share = 1 - best.design.cost / alone.design.cost
        saved = f"; {100 * share:.0f} % less than gold labels alone"
    return f"Cheapest: {study_name(best.design)}{saved}."


def _of_pilot(best: Option, wanted: Wanted) -> list[str]:
    """Say how far the pilot leaves the width open."""
    if best.width_interval is None:
        return []
    low, high = best.width_interval
    lines = [
        f"The pilot leaves its width between {low:.4f} and {high:.4f} ({100 * POSSIBLE:g} % of "
        "what it makes likely)."
    ]
    if wanted.width is not None:
        surely = f"To have {wanted.width:g} in {100 * SURE:g} % of what the pilot makes likely"
        lines.append(
            f"{surely}: {study_name(best.sure)}."
            if best.sure is not None
            else f"{surely}: no study does; a larger pilot may show one."
        )
    return lines


def _of_votes(most: Option, best: Option, level: float) -> list[str]:
    """Say what no number of votes changes."""
    assert best.design is not None
    gold, known = best.design.n_gold, most.information
    limit, alone = narrowest(known, gold, level), width(gold_alone(known), gold, gold, level)
    lines = [
        f"With {gold} gold labels no number of items with {votes_each(known.votes)} brings the "
        f"width below {limit:.4f}; gold labels alone have {alone:.4f}."
    ]
    # Draw by draw, as what is known of an option and of another goes together.
    helpless = [
        narrowest(one, gold, level) > (1 - HARDLY) * width(own, best.design.n, gold, level)
        for one, own in zip(most.possible, best.possible, strict=True)
    ]
    share = float(np.mean(helpless))
    if share >= 0.5:
        sure = f" (in {100 * share:.0f} % of what the pilot makes likely)" if share < 1 else ""
        lines.append(
            f"More crowd votes will not help{sure}: only more gold labels narrow this interval."
        )
    return lines


def advice(options: Sequence[Option], wanted: Wanted) -> list[str]:
    """Say in words what the options mean."""
    reached = [one for one in options if one.design is not None]
    if not reached:
        few = f" {wanted.items}" if wanted.items else ""
        return [f"No study of{few} items reaches a width of {wanted.width:g}."]

    def price(one: Option) -> float:
        assert one.design is not None
        return one.design.width if wanted.width is None else one.design.cost

    best = min(reached, key=price)
    first = [] if wanted.width is None else [_cheapest(options, best)]
    return [*first, *_of_pilot(best, wanted), *_of_votes(options[-1], best, wanted.level)]


def describe(options: Sequence[Option], wanted: Wanted, metric: str) -> str:
    """Write a table and what it means."""
    piloted = len(options[0].possible) > 1
    head = f"{'':<19}{'gain':>5}{'items':>9}{'gold':>8}{'width':>8}"
    rows = [head + (f"{'of pilot':>17}" if piloted else "") + f"{'price':>12}"]
    for one in options:
        row = f"{option_name(one):<19}{one.information.gain:>5.2f}"
        plan = one.design
        if plan is None:
            rows.append(f"{row}   not reached")
            continue
        row += f"{plan.n:>9}{plan.n_gold:>8}{plan.width:>8.4f}"
        if one.width_interval is not None:
            low, high = one.width_interval
            row += f"{f'{low:.4f}-{high:.4f}':>17}"
        rows.append(f"{row}{plan.cost:>12.2f}")
    words = [textwrap.fill(line, WIDTH) for line in advice(options, wanted)]
    return "\n".join([f"Interval of {metric}", *rows, "", *words])


def as_values(options: Sequence[Option], wanted: Wanted, metric: str) -> dict[str, Any]:
    """The options as plain values."""
    rows = [
        {
            "name": option_name(one),
            **asdict(one.information),
            "design": None if one.design is None else asdict(one.design),
            "width_interval": one.width_interval,
            "sure": None if one.sure is None else asdict(one.sure),
        }
        for one in options
    ]
    return {"metric": metric, "options": rows, "advice": advice(options, wanted)}
