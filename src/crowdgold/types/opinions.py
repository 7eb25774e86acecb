"""Several experts' labels of an item in the order in which they were asked, and how often they err.

A file of labels holds them in the order of its rows, several files in the order in which they are
named, and columns of experts as they stand. Whether an item got one more opinion may depend on the
earlier ones, and on nothing else.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from crowdgold.types.choices import ESTIMATE
from crowdgold.types.errors import InputError

if TYPE_CHECKING:
    from crowdgold.types.gold_draw import GoldDraw

NO_OPINION = -1
OPINION = "opinion_"  # what names of columns begin with; the number of the opinion follows
TAKEN_FOR_TRUE, MEAN = "none", "mean"
"""In the place of an error: experts never err; or none errs, though they differ (`differ`)."""
MOST = 0.5  # an expert who errs more often than that says nothing
EXPECTED = (
    "expected a share below 0.5 (0.05), an interval (0.03:0.08), two of them with a comma between, "
    f"for positive and for negative items (0.1,0.03), {ESTIMATE!r}, {MEAN!r} or {TAKEN_FOR_TRUE!r}"
)
STANDARD_ERRORS = 2 * 1.959964  # the width of a 95 % interval, of a normal number
UPPER = 0.975  # confidence in the upper end of a 95 % interval
CLASSES = ("positive", "negative")  # of items, in the order of errors on them


@dataclass(frozen=True)
class GivenErrors:
    """How often experts err, as a user says."""

    error: tuple[float, float]  # on positive and on negative items
    spread: tuple[float, float] = (0.0, 0.0)  # standard error of each; 0 where it is known
    same: bool = True  # whether the two are one number
    # whether experts do not err but differ, so that an item is as positive as the share of
    # all experts who call it so
    differ: bool = False

    def contradicted_by(self, labels: np.ndarray) -> str:
        """Why such experts cannot have given labels (m,), one an item; empty where they can.

        The share of labels that an error calls for is at least the error, whatever is true.
        """
        asked = zip(("negative", "positive"), CLASSES, self.error, self.spread, strict=True)
        for label, (called, items, error, spread) in enumerate(asked):
            found, most = int((labels == label).sum()), largest_errors(labels)[label]
            share = found / len(labels)
            if error - share > np.hypot(most - share, STANDARD_ERRORS / 2 * spread):
                return (
                    f"{found:,} of {len(labels):,} first labels are {called}, and experts who err "
                    f"on {100 * error:g} % of the {items} items call more of them so: these labels "
                    f"allow an error of {np.floor(1000 * most) / 1000:g} at most"
                )
        return ""


def largest_errors(labels: np.ndarray) -> tuple[float, float]:
    """The largest errors on positive and on negative items that labels (m,) of 0 and 1 allow.

    Were all items positive, the negative labels would be the errors. Of any items they are no
    fewer, so that the exact upper end of their share's 95 % interval bounds the error.
    """
    from scipy.special import betaincinv  # here: the command line needs names of this file alone

    found = [int((labels == label).sum()) for label in (0, 1)]
    first, second = (
        1.0 if count == len(labels) else float(betaincinv(count + 1, len(labels) - count, UPPER))
        for count in found
    )
    return first, second


def read_expert_error(text: str | float) -> GivenErrors | None:
    """The errors that a text gives; None where it says to estimate them, or that there are none."""
    whole = str(text).strip()
    if whole in (ESTIMATE, TAKEN_FOR_TRUE):
        return None
    if whole == MEAN:
        return GivenErrors((0.0, 0.0), differ=True)
    errors, spreads = list[float](), list[float]()
    for part in whole.split(","):
        try:
            ends = [float(one) for one in part.split(":")]  # a share, or a 95 % interval
        except ValueError:
            ends = []
        good = 1 <= len(ends) <= 2 and all(0 <= one < MOST for one in ends)
        if not good or ends != sorted(ends) or len(errors) == 2:
            raise InputError(f"expert-error: found {whole!r}, {EXPECTED}")
        errors.append(sum(ends) / len(ends))
        spreads.append((ends[-1] - ends[0]) / STANDARD_ERRORS)
    return GivenErrors((errors[0], errors[-1]), (spreads[0], spreads[-1]), len(errors) == 1)


@dataclass(frozen=True, eq=False)
class Opinions:
    """Experts' labels of items; arrays share the order of the items."""

    # (n, R) 0 or 1 in the order in which they were asked, `NO_OPINION` after the last
    labels: np.ndarray
    error: GivenErrors | None = None  # how often experts err, where that is given
    # the chances with which items with an opinion were drawn; None where these are a simple
    # random sample
    draw: "GoldDraw | None" = None

    @classmethod
    def of(cls, labels: np.ndarray) -> "Opinions":
        """Opinions from a table of labels (n, R), whose gaps are closed."""
        gaps = np.argsort(labels == NO_OPINION, axis=1, kind="stable")
        closed = np.take_along_axis(labels, gaps, axis=1).astype(np.int8)
        most = int((closed != NO_OPINION).sum(axis=1).max(initial=0))
        return cls(closed[:, : max(most, 1)])

    @property
    def number(self) -> np.ndarray:
        """Opinions of each item, (n,)."""
        return np.asarray((self.labels != NO_OPINION).sum(axis=1))

    @property
    def positive(self) -> np.ndarray:
        """Positive opinions of each item, (n,)."""
        return np.asarray((self.labels == 1).sum(axis=1))

    def take(self, rows: np.ndarray) -> "Opinions":
        """The opinions of the items at some positions."""
        draw = None if self.draw is None else self.draw.take(rows)
        return replace(self, labels=self.labels[rows], draw=draw)

    def to_columns(self) -> dict[str, object]:
        """A column for each opinion."""
        import pandas as pd  # here: the command line needs names of this file alone

        return {
            f"{OPINION}{place + 1}": pd.Series(own, dtype="Int8").mask(own == NO_OPINION)
            for place, own in enumerate(self.labels.T)
        }
