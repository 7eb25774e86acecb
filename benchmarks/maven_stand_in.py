"""Parameters of the stand-in for MAVEN's private Task 2, from cells of table 3a (section 5).

As many cells as there are unknown parameters are asked to be what is printed, in the limit of much
data; the equations are solved by least squares on one large draw whose random numbers stay the
same, so that the result is the same each time. The unknown ones are the voters' rates, mu and delta
of the predictor, and the shape of its scores. The cells and their signs stand in
config/printed/maven.yaml; every other printed cell tests the stand-in. None of them is MAVEN's.

A cell is a method's mean absolute error over that of gold labels alone (`relative_bias`). Where the
method's bias b is far larger than its spread, its mean absolute error is |b|:

    cell = b / (e sqrt(1 + n_e / n_r))

e is the mean absolute error of gold labels alone over parts of n_e items of the draw, and n_r items
define the true metric. b is the method's bias with endless data of which the same share has gold
labels: of DS and DS+S at the maximum of their likelihood, found by EM. Its sign, which the table
does not print, is kept: above 0 the method overestimates. No method is sampled here, and neither
MAVEN nor H-AI is looked at.

    python benchmarks/maven_stand_in.py                     (in the repository's folder)
    python benchmarks/maven_stand_in.py --output FILE       the cells of the parameters in use

The second way draws anew, so that the cells that set the parameters do not meet them by chance.
"""

import argparse
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from scipy.optimize import least_squares
from scipy.special import expit, logit

from crowdgold.metrics.binary import METRICS, parse_metric, true_value
from crowdgold.metrics.metric import LabelMass, RankedItems
from crowdgold.models.score_points import model_scores
from crowdgold.record.results import write_csv
from crowdgold.simulate.stand_in import draw_stand_in
from crowdgold.types.items import Items

Cells = dict[tuple[str, str], float]
"""(method, metric) -> a cell of table 3, with its sign."""
COLUMNS = ("AUC", "TNR_H", "delta_TPR")
METHODS = ("MV", "DS", "DS+S")
STEPS, CONVERGED = 2000, 1e-7
"""Most steps of the EM, and the change of every parameter at which it ends."""
RATES = ("TPR_H", "TNR_H", "share")
"""Parameters in (0, 1), which are sought on the logit scale; the others above 0, by their log."""
SIZE = 1_000_000
"""Items of the large draw."""
POOL = 10**8
SEED = 1


@dataclass(frozen=True)
class Sizes:
    """The sizes of a study: items, those with gold labels, those that define the true metrics."""

    n: int
    n_gold: int
    n_reference: int


def limit_cells(
    items: Items, sizes: Sizes, methods: Collection[str] = METHODS
) -> Mapping[tuple[str, str], float]:
    """The cells of table 3 in the limit, with their signs, for studies of these sizes.

    The items are a large draw of the task, with true labels and one predictor.
    """
    (predictor,) = items.predictors
    ranked = RankedItems.of(items, predictor)
    scores, _ = model_scores(items.scores[predictor])
    # A tie of the majority counts half for each label.
    more = np.sign(2 * items.votes_positive - items.votes_total)
    share = sizes.n_gold / sizes.n
    makers: dict[str, Callable[[], LabelMass]] = {
        "MV": lambda: LabelMass.of_probability((1 + more) / 2),
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
    values: dict[str, list[float]] = {name: [] for name in COLUMNS}
    for start in range(0, len(items) - sizes.n_gold + 1, sizes.n_gold):
        part = slice(start, start + sizes.n_gold)
        order = np.argsort(-scores[part])
        ranked = RankedItems(order, votes[part], total[part], scores[part][order])
        mass = LabelMass.of_labels(truth[part])
        for name in COLUMNS:
            values[name].append(METRICS[name].value(mass, ranked, 0.0))
    sampled_truth = np.sqrt(1 + sizes.n_gold / sizes.n_reference)
    return {
        name: float(np.nanmean(np.abs(np.array(own) - true_value(name, items)))) * sampled_truth
        for name, own in values.items()
    }


def mixture_mass(items: Items, share: float, scores: np.ndarray | None = None) -> LabelMass:
    """What Dawid-Skene makes of endless items like these, a share of them with gold labels.

    Each item stands for items with gold labels and items without. Scores (n,) are on the reals,
    normal in each class with one standard deviation (DS+S); none for Dawid-Skene of votes alone.
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
        now = np.array([phi, a1, a0])
        if scores is not None:
            means = positive @ scores / positive.sum(), negative @ scores / negative.sum()
            squares = [(scores - mean) ** 2 for mean in means]
            variance = (positive @ squares[0] + negative @ squares[1]) / len(scores)
            odds += (squares[1] - squares[0]) / (2 * variance)
            now = np.array([*now, *means, variance])
        if np.abs(now - before[: len(now)]).max() < CONVERGED:
            break
        before, positive = now, expit(odds)
    return LabelMass.of_probability(positive)


def printed_cells(printed: Mapping[str, Any], signs: Mapping[str, Mapping[str, int]]) -> Cells:
    """Printed cells of a task's part of `table_3` in config/printed/maven.yaml, with their signs.

    `signs` has the wanted methods and metrics, each with 1 where the method overestimates, -1 where
    it underestimates.
    """
    return {
        (method, metric): sign * printed[method][COLUMNS.index(metric)][0]
        for method, own in signs.items()
        for metric, sign in own.items()
    }


def cells_of_task(
    task: Mapping[str, Any], seed: int, size: int = SIZE, methods: Collection[str] = METHODS
) -> Cells:
    """The cells of table 3 on a stand-in in the limit, from one large draw.

    The task has parameters of the generator stand_in, with the sizes n and n_gold of its studies.
    """
    sizes = Sizes(task["n"], task["n_gold"], task["n_labelled"] - task["n_gold"])
    large = {
        **task, "n_reference": 10_000, "n_gold": 0, "n_voters": 5_000,
        "n": size, "n_pool": POOL, "n_labelled": POOL // 2,
    }  # fmt: skip
    drawn = draw_stand_in(large, np.random.default_rng(seed))
    return dict(limit_cells(drawn.table, sizes, methods))


def set_stand_in(
    task: Mapping[str, Any], unknown: Sequence[str], wanted: Cells, seed: int, size: int = SIZE
) -> tuple[dict[str, Any], Cells]:
    """A stand-in's parameters such that cells of table 3 are as wanted, and its cells.

    The task has a first guess of the unknown parameters, such as `predictors.A.mu`, of which there
    are as many as cells wanted.
    """

    def at(values: np.ndarray) -> dict[str, Any]:
        changed: dict[str, Any] = deepcopy(dict(task))
        for name, value in zip(unknown, values, strict=True):
            parent, last = _place(changed, name)
            parent[last] = float(expit(value) if last in RATES else np.exp(value))
        return changed

    methods = {method for method, _ in wanted}

    def away(values: np.ndarray) -> np.ndarray:
        cells = cells_of_task(at(values), seed, size, methods)
        return np.array([cells[cell] - value for cell, value in wanted.items()])

    start = []
    for name in unknown:
        parent, last = _place(task, name)
        start.append(logit(parent[last]) if last in RATES else np.log(parent[last]))
    # Votes are whole, and a smaller step of the derivatives would move too few. Of at most 6
    # rounds, each with a derivative in every direction, 2 or 3 are needed.
    solved = least_squares(
        away, start, diff_step=[0.02], x_scale=0.3, xtol=1e-3, ftol=1e-3, max_nfev=6
    )
    return at(solved.x), cells_of_task(at(solved.x), seed, size)


def _place(tree: Any, name: str) -> tuple[Any, str]:
    """The mapping that holds a parameter, and its key there."""
    *path, last = name.split(".")
    for key in path:
        tree = tree[key]
    return tree, last


def measured_cells(task: Mapping[str, Any], size: int = SIZE) -> pd.DataFrame:
    """The cells of a stand-in in the limit, with their signs, from a draw of their own."""
    cells = cells_of_task(task, SEED + 1, size)
    rows = [(method, metric, value) for (method, metric), value in cells.items()]
    return pd.DataFrame(rows, columns=["method", "metric", "cell"])


def main() -> None:
    """Print the unknown parameters of the stand-in for Task 2, and the cells that they give."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=Path, help="file of the cells of the parameters in use")
    output = parser.parse_args().output
    root = Path("config")
    printed = yaml.safe_load((root / "printed/maven.yaml").read_text())
    blocks = yaml.safe_load((root / "experiments/maven.yaml").read_text())["experiments"]
    own = printed["stand_ins"]["Task 2"]
    task = blocks[own["experiment"]]["parameters"] | {"n_gold": printed["protocol"]["n_gold"]}
    if output:
        write_csv(measured_cells(task), output)
        return
    wanted = printed_cells(printed["table_3"]["tasks"]["Task 2"], own["cells"])
    solved, reached = set_stand_in(task, own["unknown"], wanted, SEED)
    for name in own["unknown"]:
        parent, last = _place(solved, name)
        print(f"{name}: {parent[last]:.3f}")
    for (method, metric), value in reached.items():
        role = "sets" if (method, metric) in wanted else "tests"
        print(f"{method:5}{metric:10}{value:6.2f}  {role}")


if __name__ == "__main__":
    main()
