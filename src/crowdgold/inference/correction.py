"""What gold labels say alone, and what they make of a prediction of every label (`rectified`)."""

from dataclasses import replace

import numpy as np

from crowdgold.data import NO_GOLD
from crowdgold.declared import LEVEL
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
from crowdgold.inference.few_labels import moves_of_few
from crowdgold.inference.questions import Questions, View
from crowdgold.inference.rectified import POPULATION, Rectified


def of_labels(
    share: np.ndarray, known: View, questions: Questions, target: str,
    design: Design | None = None, errors: ExpertErrors | None = None, among: View | None = None,
    level: float = LEVEL,
) -> Rectified:  # fmt: skip
    """What labels say that are taken for the truth, or those of experts whose errors are known.

    Args:
        share: (m,) 0 or 1, or the share of an item that counts as positive.
        known: the m items.
        questions: the quantities.
        target: one of `TARGETS`.
        design: how these were drawn from all items; None where they are a sample of a population.
        errors: of the experts, whose likelier labels `share` holds; None where it is the truth.
        among: the items that these were drawn from. They show on how many of them two predictors
            say different things, which few labelled items may not.
        level: of the intervals.
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
    """What a prediction of every label says, and what the gold labels make of it.

    Args:
        prediction: (n,) P(Y_i = 1), made without the item's own gold label.
        view: the items; those with gold, at least two, were drawn as the table says.
        questions: the quantities.
        target: one of `TARGETS`.
        errors: of the experts; None where the gold labels are taken for the truth.
        level: of the intervals.
    """
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
