"""A ranking of items by their scores, in which items of equal scores are one group."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Ranking:
    """n items from the lowest to the highest score, in G groups of equal scores.

    Nothing may depend on the order of the items within a group, which is that of the table.

    Attributes:
        order: (n,) positions of the items.
        ends: (G,) how many items are in the first 1 .. G groups.
    """

    order: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray) -> "Ranking":
        """The ranking by finite scores (n,)."""
        order = np.argsort(scores, kind="stable")
        rises = np.flatnonzero(np.diff(scores[order]) > 0) + 1
        return cls(order, np.append(rises, len(order)))

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many items are in each group: (G,)."""
        return np.diff(self.ends, prepend=0)
