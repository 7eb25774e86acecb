"""What people chose for each item: their annotations, the shares P, the majority (HLV, section 3).

Ties. The paper trains on "majority-voted label(s)" and says nothing of ties. Its hard metrics take
arg max_k P_ik, so the majority here is the same: of several most frequent classes the first in the
order of the classes. It is deterministic, and what a model is trained on is what accuracy holds it
against. With an even number of annotators (HS-Brexit has six) it favours the first class. Where an
item may have several classes, the majority are those that more than half chose, J_ik = 1(P_ik >
0.5), which may be none; exactly half is not more than half.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from crowdgold.data.checks import list_rows
from crowdgold.data.errors import InputError


class Padded(NamedTuple):
    """Annotations laid out by item, up to the J that the item with the most has.

    Attributes:
        chosen: (N, J, K) what an annotation chose, 0 or 1; 0 where there is none.
        annotator: (N, J) positions of the annotators; 0 where there is none.
        number: (N, J) how many annotations a place stands for; 0 where there is none.
    """

    chosen: np.ndarray
    annotator: np.ndarray
    number: np.ndarray


@dataclass(frozen=True, eq=False)
class Judged:
    """R annotations of N items in K classes.

    Attributes:
        item_of: (R,) position of each annotation's item, ascending.
        chosen: (R, K) 1 for each class that it chose, else 0; exactly one 1 in a row unless
            `multilabel`.
        annotator_of: (R,) position of who gave it, of A; None where that is not known.
        count: (R,) how many equal annotations a row stands for; 1 each where it is known who gave
            them.
        multilabel: whether an item may have several classes.
        annotators: A, 0 where they are not known.

    Raises:
        InputError: where an item has no annotation, or a row is not as it should be.
    """

    item_of: np.ndarray
    chosen: np.ndarray
    annotator_of: np.ndarray | None = None
    count: np.ndarray | None = None
    multilabel: bool = False
    annotators: int = 0

    def __post_init__(self) -> None:
        rows = len(self.item_of)
        if self.count is None:
            object.__setattr__(self, "count", np.ones(rows, dtype=np.int64))
        if self.annotator_of is not None and not self.annotators:
            object.__setattr__(self, "annotators", int(self.annotator_of.max(initial=-1)) + 1)
        self._check()

    def _check(self) -> None:
        if self.chosen.ndim != 2 or len(self.chosen) != len(self.item_of):
            raise InputError(
                f"annotations: found shape {self.chosen.shape} for {len(self.item_of)} rows, "
                "expected (rows, classes)"
            )
        if len(self.item_of) == 0:
            raise InputError("annotations: found none, expected at least one an item")
        if (np.diff(self.item_of) < 0).any():
            raise InputError("annotations: found items out of order, expected them ascending")
        without = np.flatnonzero(np.bincount(self.item_of) == 0)
        if len(without):
            raise InputError(f"annotations: items in {list_rows(without)} have none")
        bad = ~np.isin(self.chosen, (0, 1)).all(axis=1)
        if not self.multilabel:
            bad |= self.chosen.sum(axis=1) != 1
        if bad.any():
            wanted = "0 or 1 for each class" if self.multilabel else "one class a row"
            raise InputError(
                f"annotations, {list_rows(np.flatnonzero(bad))}: found "
                f"{self.chosen[np.flatnonzero(bad)[0]].tolist()}, expected {wanted}"
            )

    @property
    def items(self) -> int:
        """N, the number of items."""
        return int(self.item_of[-1]) + 1

    @property
    def classes(self) -> int:
        """K, the number of classes."""
        return self.chosen.shape[1]

    @property
    def counts(self) -> np.ndarray:
        """(R,) how many annotations each row stands for."""
        return np.asarray(self.count)

    def shares(self) -> np.ndarray:
        """P: (N, K) the share of an item's annotations that chose a class."""
        total = np.bincount(self.item_of, weights=self.counts)
        given = np.zeros((self.items, self.classes))
        np.add.at(given, self.item_of, self.chosen * self.counts[:, None])
        return given / total[:, None]

    def majority(self) -> np.ndarray:
        """The majority-voted labels: (N, K) 0 or 1; ties as the module says."""
        return majority_of(self.shares(), self.multilabel)

    def tied(self) -> np.ndarray:
        """Say which items' majority is decided by the rule for ties: (N,) bool."""
        shares = self.shares()
        if self.multilabel:
            return np.asarray(np.isclose(shares, 0.5).any(axis=1))
        return np.asarray(np.isclose(shares, shares.max(axis=1, keepdims=True)).sum(axis=1) > 1)

    def of_items(self, chosen: np.ndarray) -> "Judged":
        """The annotations of some items, renumbered in the order of `chosen`.

        Args:
            chosen: (n,) positions of items, each at most once.
        """
        place = np.full(self.items, -1)
        place[chosen] = np.arange(len(chosen))
        new = place[self.item_of]
        rows = np.flatnonzero(new >= 0)
        rows = rows[np.argsort(new[rows], kind="stable")]
        who = None if self.annotator_of is None else self.annotator_of[rows]
        return replace(
            self,
            item_of=new[rows],
            chosen=self.chosen[rows],
            annotator_of=who,
            count=self.counts[rows],
        )

    def of_present_annotators(self) -> "Judged":
        """The same annotations with those annotators alone who gave any, renumbered."""
        if self.annotator_of is None:
            return self
        names, who = np.unique(self.annotator_of, return_inverse=True)
        return replace(self, annotator_of=who, annotators=len(names))

    def padded(self) -> Padded:
        """Lay the annotations out by item."""
        of_item = np.bincount(self.item_of)
        place = np.arange(len(self.item_of)) - (np.cumsum(of_item) - of_item)[self.item_of]
        shape = self.items, int(of_item.max())
        found = Padded(
            np.zeros((*shape, self.classes)), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        )
        at = self.item_of, place
        found.chosen[at] = self.chosen
        found.number[at] = self.counts
        if self.annotator_of is not None:
            found.annotator[at] = self.annotator_of
        return found


def majority_of(shares: np.ndarray, multilabel: bool) -> np.ndarray:
    """The majority-voted labels of shares P (N, K): 0 or 1; ties as the module says."""
    if multilabel:
        return np.asarray(shares > 0.5).astype(float)
    found = np.zeros_like(shares)
    found[np.arange(len(shares)), shares.argmax(axis=1)] = 1
    return found
