"""What a stratum, or a class of weight, leaves open whose few labels are nearly all alike.

A cell of gold items that stands for many others may hold no positive label, or one or two. Its
share of positives then has the exact interval (Clopper and Pearson, 1934): 0 of 20 may be up to
17 %, 1 of 70 from .04 % to 8 %. A metric that divides by a number of positives, such as F1, is then
far from normal: its interval must reach what it would be were the cell's share at either end.
Labels are moved within the cell, each of a class alike, and the metric is worked out anew. For what
divides by a known number the variance of the imagined label (`design.one_more`) is enough.
"""

import numpy as np
from scipy.special import betaincinv

from crowdgold.inference.design import Design
from crowdgold.inference.questions import Questions, View
from crowdgold.inference.samples import FEWEST


def moves_of_few(
    known: View, questions: Questions, label: np.ndarray, design: Design, level: float
) -> np.ndarray | None:
    """How far each quantity moves at each end of each cell that has few labels, (S, P).

    None where there is one cell alone. Rows are the same for all predictors.

    Args:
        known: the gold items, each with what it counts.
        questions: the quantities.
        label: (m,) 0 or 1.
        design: how they were drawn.
        level: of the interval.
    """
    cell = design.few_labels()
    if cell is None:
        return None
    ranking, divides = known.ranking(), questions.divides_by_positives()
    point = questions.values(known.mass(label.astype(float)), ranking)
    found = [
        np.where(divides, questions.values(known.mass(moved), ranking) - point, 0.0)
        for moved in scenarios(label, cell, design.not_labelled(), level)
    ]
    return np.stack(found) if found else np.zeros((0, len(point)))


def scenarios(
    label: np.ndarray, cell: np.ndarray, left: np.ndarray, level: float
) -> list[np.ndarray]:
    """Labels, (m,) shares, with which a cell's share of positives is at an end.

    Args:
        cell: (m,) number of each gold item's stratum or class of weight.
        left: (m,) share of the items it stands for that have no label.
    """
    found, tail = [], (1 - level) / 2
    for one in np.unique(cell):
        rows = cell == one
        number, positive = int(rows.sum()), int(label[rows].sum())
        negative, of_cell = number - positive, float(left[rows].mean())
        if min(positive, negative) >= FEWEST or of_cell <= 0:
            continue
        if positive:
            lowest = float(betaincinv(positive, negative + 1, tail)) * number / positive
            found.append(np.where(rows & (label == 1), 1 - of_cell * (1 - lowest), label))
        if negative:
            highest = float(betaincinv(negative, positive + 1, tail)) * number / negative
            found.append(np.where(rows & (label == 0), of_cell * (1 - highest), label))
    return found
