"""What gold items of a class show where some count for many times what others do.

An item at random is stood for by one of weight m on average (`gold_draw.usual_weight`). A class
may have many light gold items and hardly one of weight m. Its metrics then rest on these few, and
Kish's number of the class does not see it: of light items alone it is their number. So

- degrees of freedom are at most one less than the items that show a spread, by the squares of their
  weights (`gold_draw.spread_shown`), and at least 2;
- where all gold items contribute the same, so many of weight m as count for as much as the class
  say what share of it may differ (`interval.unseen_share`);
- so far reaches a difference from gold alone too, where fewer than `FEWEST` items show a spread:
  light items differ a little, and heavy ones may differ much.
"""

from dataclasses import dataclass

import numpy as np

from crowdgold.data.gold_draw import spread_shown
from crowdgold.inference.degrees_of_freedom import LEAST
from crowdgold.inference.interval import unseen_share
from crowdgold.inference.questions import Questions
from crowdgold.inference.samples import FEWEST
from crowdgold.metrics import RankedItems


@dataclass(frozen=True)
class UnevenClasses:
    """P quantities of gold items with uneven weights, by the items of their smallest denominators.

    Attributes:
        usual: (P,) how many of weight m count for as much as these.
        shown: (P,) how many of equal weight show as much of a spread (`gold_draw.spread_shown`).
    """

    usual: np.ndarray
    shown: np.ndarray

    @classmethod
    def of(
        cls, labels: np.ndarray, ranked: RankedItems, weights: np.ndarray, usual: float,
        questions: Questions,
    ) -> "UnevenClasses":  # fmt: skip
        """Those of labels (m,) of ranked items that count by their weights (m,)."""

        def shown(own: np.ndarray) -> float:
            return spread_shown(own, usual)

        def number(own: np.ndarray) -> float:
            return float(own.sum()) / usual

        return cls(*(questions.counted(labels, ranked, weights, how) for how in (number, shown)))

    def select(self, columns: np.ndarray) -> "UnevenClasses":
        """Some of the quantities, in this order."""
        return UnevenClasses(self.usual[columns], self.shown[columns])

    def minus(self, other: "UnevenClasses") -> "UnevenClasses":
        """Of differences to another predictor's: the fewer of both."""
        usual, shown = np.minimum(self.usual, other.usual), np.minimum(self.shown, other.shown)
        return UnevenClasses(usual, shown)

    @property
    def freedom(self) -> np.ndarray:
        """Degrees of freedom of the variances at most, (P,)."""
        return np.maximum(self.shown - 1, LEAST)

    def unseen(self, level: float) -> np.ndarray:
        """Share of the items, (P,), that may differ where all gold items contribute the same."""
        return unseen_share(np.maximum(self.usual, 1), level)

    def widened(
        self, ends: np.ndarray, centre: np.ndarray, limits: np.ndarray, level: float,
        wanted: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """Ends (2, P) that reach as far as unseen items allow where too few show a spread.

        Args:
            ends, centre, limits: of the intervals, (2, P), (P,) and (P, 2).
            wanted: (P,) the quantities that this is asked of.
        """
        few = wanted & (self.shown < FEWEST)
        low, high = centre + np.where(few, self.unseen(level), 0.0) * (limits.T - centre)
        lower, upper = np.minimum(ends[0], low), np.maximum(ends[1], high)
        return np.where(few, np.stack([lower, upper]), ends)
