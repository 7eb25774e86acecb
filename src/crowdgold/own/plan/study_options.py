"""Studies side by side: gold labels alone, and each number of votes, at a width or at a size.

What an item tells is known from one guess, or left open by a pilot, with one `Information` for each
draw of its posterior. The study is then planned at the median, and its width has an interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from crowdgold.own.plan.study_design import (
    Design,
    Information,
    Prices,
    cheapest,
    cost,
    gold_alone,
    width,
)

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
