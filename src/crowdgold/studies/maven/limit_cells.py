"""What the cells of MAVEN's table 3 tend to on a simulated task, from one large draw of it.

A cell is a method's mean absolute error over that of gold labels alone (`relative_bias`). Where the
method's bias b is far larger than its spread, its mean absolute error is |b|:

    cell = b / (e sqrt(1 + n_e / n_r))

e is the mean absolute error of gold labels alone over parts of n_e items of the draw, and n_r items
define the true metric. b is the method's bias with endless data of which the same share has gold
labels: of DS and DS+S at the maximum of their likelihood, found by EM. Its sign, which the table
does not print, is kept: above 0 the method overestimates. No method is sampled here, and neither
MAVEN nor H-AI is looked at.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from crowdgold.data import Items
from crowdgold.metrics import parse_metric, true_value
from crowdgold.metrics.binary import METRICS
from crowdgold.metrics.ranked import LabelMass, RankedItems
from crowdgold.models.score_points import model_scores

COLUMNS = ("AUC", "TNR_H", "delta_TPR")
"""The columns of table 3."""

METHODS = ("MV", "DS", "DS+S")
STEPS, CONVERGED = 2000, 1e-7
"""Most steps of the EM, and the change of every parameter at which it ends."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of a study: items, those with gold labels, those that define the true metrics."""

    n: int
    n_gold: int
    n_reference: int


def limit_cells(
    items: Items, sizes: Sizes, methods: Collection[str] = METHODS
) -> Mapping[tuple[str, str], float]:
    """The cells of table 3 in the limit, with their signs, by method and metric.

    Args:
        items: a large draw of the task, with true labels and one predictor.
        sizes: those of the studies that the cells are about.
        methods: some of `METHODS`.
    """
    (predictor,) = items.predictors
    ranked = RankedItems.of(items, predictor)
    scores, _ = model_scores(items.scores[predictor])
    share = sizes.n_gold / sizes.n
    makers: dict[str, Callable[[], LabelMass]] = {
        "MV": lambda: majority_mass(items),
        "DS": lambda: mixture_mass(items, share),
        "DS+S": lambda: mixture_mass(items, share, scores),
    }
    masses = {method: makers[method]() for method in METHODS if method in methods}
    unit = gold_errors(items, sizes)
    cells = {}
    for name in COLUMNS:
        true = true_value(name, items)
        for method, mass in masses.items():
            bias = parse_metric(name).value([mass], [ranked]) - true
            cells[method, name] = float(bias / unit[name])
    return cells


def gold_errors(items: Items, sizes: Sizes) -> dict[str, float]:
    """The mean absolute error of gold labels alone, by metric, over parts of n_gold items."""
    (predictor,) = items.predictors
    scores, truth = items.scores[predictor], np.asarray(items.truth)
    votes, total = items.votes_positive.astype(float), items.votes_total.astype(float)
    found: dict[str, list[float]] = {name: [] for name in COLUMNS}
    for start in range(0, len(items) - sizes.n_gold + 1, sizes.n_gold):
        part = slice(start, start + sizes.n_gold)
        order = np.argsort(-scores[part])
        ranked = RankedItems(order, votes[part], total[part], scores[part][order])
        mass = LabelMass.of_labels(truth[part])
        for name, values in found.items():
            values.append(METRICS[name].value(mass, ranked, 0.0))
    sampled_truth = np.sqrt(1 + sizes.n_gold / sizes.n_reference)
    return {
        name: float(np.nanmean(np.abs(np.array(values) - true_value(name, items)))) * sampled_truth
        for name, values in found.items()
    }


def majority_mass(items: Items) -> LabelMass:
    """The majority of each item's votes; a tie counts half for each label."""
    more = np.sign(2 * items.votes_positive - items.votes_total)
    return LabelMass.of_probability((1 + more) / 2)


def mixture_mass(items: Items, share: float, scores: np.ndarray | None = None) -> LabelMass:
    """What Dawid-Skene makes of endless items like these, a share of them with gold labels.

    Each item stands for items with gold labels and items without.

    Args:
        items: the items, with true labels.
        share: of items that have a gold label.
        scores: (n,) on the reals, normal in each class with one standard deviation (DS+S); none for
            Dawid-Skene of votes alone.
    """
    truth = np.asarray(items.truth, dtype=float)
    votes, total = items.votes_positive.astype(float), items.votes_total.astype(float)
    positive = (1 + votes) / (2 + total)
    before = np.full(6, np.inf)
    for _ in range(STEPS):
        positive = share * truth + (1 - share) * positive
        negative = 1 - positive
        phi = positive.mean()
        a1, a0 = positive @ votes / (positive @ total), negative @ votes / (negative @ total)
        odds = logit(phi) + votes * np.log(a1 / a0) + (total - votes) * np.log((1 - a1) / (1 - a0))
        found = np.array([phi, a1, a0])
        if scores is not None:
            means = positive @ scores / positive.sum(), negative @ scores / negative.sum()
            squares = [(scores - mean) ** 2 for mean in means]
            variance = (positive @ squares[0] + negative @ squares[1]) / len(scores)
            odds += (squares[1] - squares[0]) / (2 * variance)
            found = np.array([*found, *means, variance])
        if np.abs(found - before[: len(found)]).max() < CONVERGED:
            break
        before, positive = found, expit(odds)
    return LabelMass.of_probability(positive)
