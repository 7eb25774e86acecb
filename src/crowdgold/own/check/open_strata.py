"""Strata of the gold sample with so few labels that a prevalence has no answer, and what mends it.

The n_h gold labels of stratum h, whose items stand for a share W_h of all, cannot exclude that a
share b(n_h) of the others are of the other class (`unseen_share`). Where that leaves more than half
of the range open, no interval is printed (`design.left_open`, `rectified`). Labels that are enough,
though they all be alike, are as many as it takes for

    W_h b(n_h) <= 1/2

Of items that were drawn each by itself, those of a class of weight stand in the place of a stratum.
"""

from dataclasses import dataclass
from itertools import count

import numpy as np

from crowdgold.data import NO_GOLD, NO_PREDICTOR, GoldDraw, Items
from crowdgold.data.checks import counted, list_names
from crowdgold.inference.clustered import drawn_from
from crowdgold.inference.correction import of_labels
from crowdgold.inference.design import KnownChances
from crowdgold.inference.interval import unseen_share
from crowdgold.inference.questions import Questions, View
from crowdgold.inference.rectified import HALF, POPULATION
from crowdgold.metrics import parse_metric

UNSEEN = "that each count for more than twice as much as any gold item"
"""Of which gold says nothing (`design.unseen`)."""


@dataclass(frozen=True)
class OpenStratum:
    """A stratum, or class of weight, that leaves a prevalence without an answer.

    Attributes:
        which: its items, in words.
        share: W_h.
        labels: n_h.
        enough: labels with which it leaves one.
        mend: what gives as many, in words.
    """

    which: str
    share: float
    labels: int
    enough: int
    mend: str

    @property
    def sentences(self) -> str:
        """What is wrong, and how to mend it."""
        return (
            f"the items {self.which} stand for {100 * self.share:.0f} % of all items and have "
            f"{counted(self.labels, 'gold label')}. So few leave more than half of the values open "
            f"that a prevalence can take, and it has no answer. With {self.enough} labels it has "
            f"one, though a wide one: {self.mend}"
        )


def enough_labels(share: float, level: float) -> int:
    """The fewest labels that leave no more than half of the range open, though all be alike.

    Args:
        share: W_h.
        level: of the interval.
    """
    return next(
        number for number in count(1) if share * unseen_share(np.array(number), level) <= HALF
    )


def _in_words(draw: GoldDraw, at: np.ndarray, more: int) -> tuple[str, str]:
    """Which items those at some positions of gold items are of, and what gives so many more."""
    if draw.stratum is None or draw.drawn is None:
        ends = dict.fromkeys(f"{one:.2g}" for one in (draw.chance[at].min(), draw.chance[at].max()))
        which = f"drawn with a chance of {' to '.join(ends)}"
        return which, f"draw such items with a larger chance, so that {more} more have a label"
    strata = np.unique(draw.stratum[at]).tolist()
    names = [draw.names[one] if draw.names else str(one) for one in strata]
    which = f"of gold {'stratum' if len(names) == 1 else 'strata'} {list_names(names)}"
    return which, f"have an expert label {more} more of these items, drawn at random"


def find_open_strata(items: Items, level: float) -> tuple[OpenStratum, ...]:
    """The strata, or classes of weight, that leave a prevalence without an answer.

    Args:
        level: of the interval.
    """
    rows = np.flatnonzero(items.gold != NO_GOLD)
    if items.draw is None or not len(rows):
        return ()
    draw, questions = items.draw.take(rows), Questions((parse_metric("prevalence"),))
    known, drawn = drawn_from(View(items, NO_PREDICTOR), rows)
    if drawn.unseen > HALF:
        enough = enough_labels(drawn.unseen, level)
        mend = f"draw such items with a larger chance, so that {enough} have a label"
        return (OpenStratum(UNSEEN, drawn.unseen, 0, enough, mend),)
    alone = of_labels(known.items.gold, known, questions, POPULATION, drawn)
    design = KnownChances.of(draw, len(items))
    cell = design.cells()
    at_each = cell[:, None] == np.unique(cell)
    left = design.left_open(alone.own * at_each, alone.other * at_each, level)
    found = []
    for place in np.flatnonzero(left > HALF):
        at = at_each[:, place]
        share, labels = float((design.weights * at).mean()), int(at.sum())
        enough = enough_labels(share, level)
        which, mend = _in_words(draw, at, enough - labels)
        found.append(OpenStratum(which, share, labels, enough, mend))
    return tuple(found)
