"""What a stratum, or a class of weight, leaves open whose few labels are nearly all alike.

A cell of gold items that stands for many others may hold no positive label, or one or two. Its
share of positives then has the exact interval (Clopper and Pearson, 1934): 0 of 20 may be up to
17 %, 1 of 70 from .04 % to 8 %. A metric that divides by a number of positives, such as F1, is then
far from normal: its interval must reach what it would be were the cell's share at either end.
Labels are moved within the cell, each of a class alike, and the metric is worked out anew. For what
divides by a known number the variance of the imagined label (`design.one_more`) is enough.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import betaincinv

from crowdgold.inference.questions import Questions, View
from crowdgold.inference.samples import FEWEST


@dataclass(frozen=True, eq=False)
class FewLabels:
    """Gold items by cell.

    Attributes:
        known: the gold items, each with what it counts.
        questions: the quantities.
        label: (m,) 0 or 1.
        cell: (m,) number of each one's stratum or class of weight.
        left: (m,) share of the items it stands for that have no label.
        columns: those of the quantities that are wanted; None: all.
        other: the same of another predictor, whose quantities are subtracted.
    """

    known: View
    questions: Questions
    label: np.ndarray
    cell: np.ndarray
    left: np.ndarray
    columns: tuple[int, ...] | None = None
    other: "FewLabels | None" = None
    kept: dict[float, np.ndarray] = field(default_factory=dict)

    def select(self, columns: Sequence[int]) -> "FewLabels":
        """Of some of the quantities, in this order."""
        before = self.columns
        chosen = tuple(columns) if before is None else tuple(before[k] for k in columns)
        return replace(self, columns=chosen)

    def minus(self, other: "FewLabels") -> "FewLabels":
        """Of the differences to another predictor's."""
        return replace(self, other=other, kept={})

    def moves(self, level: float) -> np.ndarray:
        """How far each quantity moves, (S, P), at each end of each cell that has few labels."""
        if level not in self.kept:
            self.kept[level] = self._all_moves(level)
        found = self.kept[level]
        if self.other is not None:
            found = found - self.other.moves(level)
        return found if self.columns is None else found[:, list(self.columns)]

    def _all_moves(self, level: float) -> np.ndarray:
        ranking, label = self.known.ranking(), self.label.astype(float)
        point = self.questions.values(self.known.mass(label), ranking)
        divides = self.questions.divides_by_positives()
        found = [
            np.where(divides, self.questions.values(self.known.mass(moved), ranking) - point, 0.0)
            for moved in self._scenarios(level)
        ]
        return np.stack(found) if found else np.zeros((0, len(point)))

    def _scenarios(self, level: float) -> list[np.ndarray]:
        """Labels, (m,) shares, with which a cell's share of positives is at an end."""
        found, tail = [], (1 - level) / 2
        for one in np.unique(self.cell):
            rows = self.cell == one
            number, positive = int(rows.sum()), int(self.label[rows].sum())
            negative, left = number - positive, float(self.left[rows].mean())
            if min(positive, negative) >= FEWEST or left <= 0:
                continue
            if positive:
                lowest = float(betaincinv(positive, negative + 1, tail)) * number / positive
                kept = 1 - left * (1 - lowest)
                found.append(np.where(rows & (self.label == 1), kept, self.label))
            if negative:
                highest = float(betaincinv(negative, positive + 1, tail)) * number / negative
                moved = left * (1 - highest)
                found.append(np.where(rows & (self.label == 0), moved, self.label))
        return found
