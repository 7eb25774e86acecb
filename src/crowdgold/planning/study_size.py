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

What an item tells is known from one guess, or left open by a pilot, with one `Information` for each
draw of its posterior. The study is then planned at the median, and its width has an interval.
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

FEWEST_GOLD = 30  # gold labels below which a width is not promised: (1) is for large samples
MOST = 10**12  # gold labels beyond which no study is planned
POSSIBLE = 0.9  # share of a pilot's posterior between the ends of a width
SURE = (1 + POSSIBLE) / 2
"""Share of it in which a study is narrow enough that is planned to be so surely."""
HARDLY = 0.02
"""More items do not help where no number of them narrows an interval by more than this share."""


@dataclass(frozen=True)
class Information:
    """What one item tells about a metric."""

    votes: int  # c on an item; 0 where there are none
    sigma: float  # standard error with gold labels alone, times the root of their number; above 0
    gain: float  # share of the variance that predictions explain, 0 to 1


@dataclass(frozen=True)
class Prices:
    """What a vote and a gold label cost, in any one currency; both above 0."""

    vote: float
    gold: float


@dataclass(frozen=True)
class Design:
    """A study: n items, `votes` on each, gold labels for n_gold of them."""

    n: int
    votes: int
    n_gold: int
    width: float  # that is expected, of the interval
    cost: float


def width(known: Information, n: float, n_gold: int, level: float = LEVEL) -> float:
    """The expected width of an interval, by (1) and Student's t, with 2 <= `n_gold` <= `n`."""
    variance = known.sigma**2 * ((1 - known.gain) / n_gold + known.gain / n)
    return 2 * float(stdtrit(n_gold - 1, (1 + level) / 2)) * math.sqrt(variance)


def narrowest(known: Information, n_gold: int, level: float = LEVEL) -> float:
    """The width that no number of items goes below with `n_gold` gold labels."""
    return width(known, math.inf, n_gold, level)


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
    """The cheapest study whose interval is expected to have a width, above 0.

    It has at least `FEWEST_GOLD` gold labels, and one for each item where that is cheapest; None
    where the width is not reached with the `most` items that there are.
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
    return _design(known, prices, max(n_gold, math.ceil(n)), n_gold, level)


def _design(known: Information, prices: Prices, n: int, n_gold: int, level: float) -> Design:
    reached, price = width(known, n, n_gold, level), cost(prices, n, known.votes, n_gold)
    return Design(n, known.votes, n_gold, reached, price)


def gold_alone(known: Information) -> Information:
    """What an item tells without predictions; its votes stay, as some metrics are of them."""
    return replace(known, gain=0.0)


@dataclass(frozen=True)
class StudyGoal:
    """What a plan is asked for: the cheapest study of some width, or the width of a given study."""

    width: float | None  # of the interval; None where the study is given
    items: int | None  # of the given study, or as many as there are; None for as many as it takes
    gold: int | None  # labels of the given study
    prices: Prices
    level: float


@dataclass(frozen=True)
class StudyOption:
    """A number of votes on an item, what such items tell, and the study that is planned with it."""

    votes: int | None  # on an item; None for gold labels alone
    possible: tuple[Information, ...]  # one for each draw of a pilot's posterior; one without pilot
    information: Information  # at the median of sigma and of the gain
    design: Design | None = None  # None where no study reaches the width
    width_interval: tuple[float, float] | None = None
    """Between which its width is, in `POSSIBLE` of what is possible; None where nothing is open."""
    sure: Design | None = None
    """The study whose width is reached in `SURE` of what is possible; None likewise."""

    @classmethod
    def of(
        cls, votes: int | None, possible: Sequence[Information], wanted: StudyGoal
    ) -> "StudyOption":
        """An option and its study."""
        sigma, gain = np.median([(one.sigma, one.gain) for one in possible], axis=0)
        known = Information(possible[0].votes, float(sigma), float(gain))
        option, sure = cls(votes, tuple(possible), known), None
        if wanted.width is not None:
            design = cheapest(known, wanted.prices, wanted.width, wanted.items, wanted.level)
        else:
            assert wanted.gold is not None
            assert wanted.items is not None
            size = wanted.gold if votes is None else wanted.items
            design = _design(known, wanted.prices, size, wanted.gold, wanted.level)
        if len(possible) == 1:
            return replace(option, design=design)
        if wanted.width is not None:
            sure = option._sure_design(wanted, wanted.width)
        if design is None:
            return replace(option, sure=sure)
        low, high = np.quantile(option._widths(design, wanted.level), [1 - SURE, SURE])
        return replace(option, design=design, width_interval=(low, high), sure=sure)

    def _widths(self, design: Design, level: float) -> np.ndarray:
        return np.array([width(one, design.n, design.n_gold, level) for one in self.possible])

    def _sure_design(self, wanted: StudyGoal, wanted_width: float) -> Design | None:
        """The cheapest study that is narrow enough in `SURE` of what is possible."""
        aim = wanted_width
        for _ in range(20):
            found = cheapest(self.information, wanted.prices, aim, wanted.items, wanted.level)
            if found is None:
                return None
            reached = float(np.quantile(self._widths(found, wanted.level), SURE))
            if reached <= wanted_width * 1.001:
                return replace(found, width=reached)
            aim *= wanted_width / reached
        return None

    @property
    def name(self) -> str:
        """How tables call it."""
        return "gold labels alone" if self.votes is None else f"with {votes_each(self.votes)}"


def study_options(
    possible: Sequence[Sequence[Information]], wanted: StudyGoal, votes_on_gold: bool
) -> list[StudyOption]:
    """Gold labels alone, and each number of votes, with what an item of it may tell.

    `votes_on_gold` says whether gold labels alone take votes too, as metrics of the voters do.
    """
    bare = [gold_alone(one if votes_on_gold else replace(one, votes=0)) for one in possible[0]]
    options = [StudyOption.of(None, bare, wanted)]
    return options + [StudyOption.of(own[0].votes, own, wanted) for own in possible]


def votes_each(votes: int) -> str:
    """How many votes an item has, in words."""
    return "one vote each" if votes == 1 else f"{votes} votes each"


def study_name(design: Design) -> str:
    """What a study takes, in words."""
    if design.n == design.n_gold:
        return f"{design.n} items, all with a gold label, for {design.cost:.2f}"
    return (
        f"{design.n} items with {votes_each(design.votes)}, {design.n_gold} of them with a gold "
        f"label, for {design.cost:.2f}"
    )


def advice(options: Sequence[StudyOption], wanted: StudyGoal) -> list[str]:
    """What the options mean, in words."""
    reached = [(one, one.design) for one in options if one.design is not None]
    if not reached:
        few = f" {wanted.items}" if wanted.items else ""
        return [f"No study of{few} items reaches a width of {wanted.width:g}."]
    given, level, lines = wanted.width is None, wanted.level, []
    best, design = min(reached, key=lambda pair: pair[1].width if given else pair[1].cost)
    alone, most = options[0], options[-1]
    if not given and (best is alone or design.n == design.n_gold):
        lines.append("Cheapest: gold labels alone. At these prices votes are not worth theirs.")
    elif not given:
        saved = ""
        if alone.design is not None:
            share = 1 - design.cost / alone.design.cost
            saved = f"; {100 * share:.0f} % less than gold labels alone"
        lines.append(f"Cheapest: {study_name(design)}{saved}.")
    if best.width_interval is not None:
        low, high = best.width_interval
        lines.append(
            f"The pilot leaves its width between {low:.4f} and {high:.4f} ({100 * POSSIBLE:g} % of "
            "what it makes likely)."
        )
        if not given:
            found = "no study does; a larger pilot may show one"
            lines.append(
                f"To have {wanted.width:g} in {100 * SURE:g} % of what the pilot makes likely: "
                f"{found if best.sure is None else study_name(best.sure)}."
            )
    gold, known = design.n_gold, most.information
    limit, bare = narrowest(known, gold, level), width(gold_alone(known), gold, gold, level)
    lines.append(
        f"With {gold} gold labels no number of items with {votes_each(known.votes)} brings the "
        f"width below {limit:.4f}; gold labels alone have {bare:.4f}."
    )
    # Draw by draw, as what is known of an option and of another goes together.
    helpless = [
        narrowest(one, gold, level) > (1 - HARDLY) * width(own, design.n, gold, level)
        for one, own in zip(most.possible, best.possible, strict=True)
    ]
    share = float(np.mean(helpless))
    if share >= 0.5:
        sure = f" (in {100 * share:.0f} % of what the pilot makes likely)" if share < 1 else ""
        lines.append(
            f"More crowd votes will not help{sure}: only more gold labels narrow this interval."
        )
    return lines


def describe(options: Sequence[StudyOption], wanted: StudyGoal, metric: str) -> str:
    """A table of the studies, and what it means."""
    piloted = len(options[0].possible) > 1
    head = f"{'':<19}{'gain':>5}{'items':>9}{'gold':>8}{'width':>8}"
    rows = [head + (f"{'of pilot':>17}" if piloted else "") + f"{'price':>12}"]
    for one in options:
        row = f"{one.name:<19}{one.information.gain:>5.2f}"
        if (plan := one.design) is None:
            rows.append(f"{row}   not reached")
            continue
        row += f"{plan.n:>9}{plan.n_gold:>8}{plan.width:>8.4f}"
        if one.width_interval is not None:
            low, high = one.width_interval
            row += f"{f'{low:.4f}-{high:.4f}':>17}"
        rows.append(f"{row}{plan.cost:>12.2f}")
    words = [textwrap.fill(line, WIDTH) for line in advice(options, wanted)]
    return "\n".join([f"Interval of {metric}", *rows, "", *words])


def as_values(options: Sequence[StudyOption], wanted: StudyGoal, metric: str) -> dict[str, Any]:
    """The options as plain values."""
    rows = [
        {
            "name": one.name,
            **asdict(one.information),
            "design": one.design and asdict(one.design),
            "width_interval": one.width_interval,
            "sure": one.sure and asdict(one.sure),
        }
        for one in options
    ]
    return {"metric": metric, "options": rows, "advice": advice(options, wanted)}
