"""What gold labels say alone, and what they make of a prediction of every label (`rectified`).

What a stratum, or a class of weight, leaves open whose few labels are nearly all alike.

A cell of gold items that stands for many others may hold no positive label, or one or two. Its
share of positives then has the exact interval (Clopper and Pearson, 1934): 0 of 20 may be up to
17 %, 1 of 70 from .04 % to 8 %. A metric that divides by a number of positives, such as F1, is then
far from normal: its interval must reach what it would be were the cell's share at either end.
Labels are moved within the cell, each of a class alike, and the metric is worked out anew. For what
divides by a known number the variance of the imagined label (`design.one_more`) is enough.
"""

from dataclasses import replace

import numpy as np
from scipy.special import betaincinv

from crowdgold.inference.clustered import drawn_from, sample_of_population
from crowdgold.inference.contributions import (
    MOST_ROWS,
    centred_influence,
    expected_of,
    if_flipped,
    some_rows,
    where_known,
)
from crowdgold.inference.design import Design
from crowdgold.inference.expert_errors import ExpertErrors
from crowdgold.inference.questions import Questions, View
from crowdgold.inference.rectified import POPULATION, Rectified
from crowdgold.inference.samples import FEWEST
from crowdgold.types.items import NO_GOLD
from crowdgold.types.parameters import LEVEL


def moves_of_few(
    known: View, questions: Questions, label: np.ndarray, design: Design, level: float
) -> np.ndarray | None:
    """How far each quantity moves at each end of each cell that has few labels, (S, P), rows the
    same for all predictors; None where there is one cell alone.
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
    """Labels, (m,) shares, at the ends of a cell's share of positives; `left`: not labelled."""
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


def of_labels(
    share: np.ndarray, known: View, questions: Questions, target: str,
    design: Design | None = None, errors: ExpertErrors | None = None, among: View | None = None,
    level: float = LEVEL,
) -> Rectified:  # fmt: skip
    """What labels say that are taken for the truth, or those of experts whose errors are known.
    `share`: (m,) what of an item counts as positive; the likelier labels of erring experts.
    """
    hard = (share > 0.5).astype(int)
    share = share.astype(float) if errors is None else errors.values
    ranking, moved = known.ranking(), None
    design = design or sample_of_population(known)
    weights = design.counting
    some = some_rows(known.items, MOST_ROWS if weights is None else len(known))
    influence = centred_influence(questions, known.take(some), share[some])
    if errors is not None:
        slope = errors.derivatives(lambda one: questions.values(known.mass(one), ranking))
        influence = influence + len(known) * errors.contributions[some] @ slope
        moved, target = errors.spread[:, None] * slope, POPULATION
    # A single item of a class says nothing of the spread among such items; one more may.
    influence = where_known(influence)
    flipped = share[some], 1 - share[some], design.trace[some]
    other = if_flipped(questions, known.take(some), *flipped)
    labelled = design.deviations(influence)
    point, nothing = questions.values(known.mass(share), ranking), np.zeros_like(labelled)
    unknown = np.full_like(point, np.nan)
    positive, expected = int(hard.sum()), np.stack([nothing, nothing])
    # A constant says little of how labels follow scores, which pairs are made of.
    foreseen = np.isnan(questions.named.parts).all(axis=1)
    if among is not None:
        counts = np.ones(len(known)) if weights is None else weights
        rate = (counts @ hard / counts.mean() + 0.5) / (len(known) + 1)
        constant = np.full(len(among), float(rate))
        found = expected_of(among, questions, constant, design)
        expected = np.stack([found[0], np.zeros_like(found[0])])
    few = moves_of_few(known, questions, hard, design, level) if errors is None else None
    return Rectified(
        np.stack([point, unknown, unknown]), influence, np.zeros_like(influence), other, labelled,
        nothing, expected, foreseen, questions.counted(hard, ranking),
        min(positive, len(known) - positive), design,
        None if weights is None else questions.counted(hard, ranking, weights),
        design.of_population(influence), moved, target, few=few, few_level=level,
    )  # fmt: skip


def rectify(
    prediction: np.ndarray, view: View, questions: Questions, target: str,
    errors: ExpertErrors | None = None, level: float = LEVEL,
) -> Rectified:  # fmt: skip
    """What a prediction, made without an item's own gold label, says, and gold makes of it."""
    rows = np.flatnonzero(view.items.gold != NO_GOLD)
    (gold, design), share = drawn_from(view, rows), prediction[rows]
    alone = of_labels(gold.items.gold, gold, questions, target, design, errors, level=level)
    some = some_rows(gold.items, MOST_ROWS if design.counting is None else len(rows))
    here = questions.values(gold.mass(share), gold.ranking())
    everywhere = questions.values(view.mass(prediction), view.ranking())
    predicted = where_known(centred_influence(questions, gold.take(some), share[some]))
    return replace(
        alone,
        points=np.stack([alone.points[0], here, everywhere]),
        of_prediction=predicted,
        predicted=design.deviations(predicted),
        expected=expected_of(view, questions, prediction, design),
    )
