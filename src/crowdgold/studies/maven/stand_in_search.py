"""Parameters of the stand-in for MAVEN's private Task 2, from cells of table 3a (section 5).

As many cells as there are unknown parameters are asked to be what is printed, in the limit of
`limit_cells`; the equations are solved by least squares on one large draw whose random numbers stay
the same, so that the result is the same each time. The unknown ones are the voters' rates, mu and
delta of the predictor, and the shape of its scores. The cells and their signs stand in
config/printed/maven.yaml; every other printed cell tests the stand-in. None of them is MAVEN's.
"""

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from scipy.optimize import least_squares
from scipy.special import expit, logit

from crowdgold.simulate.stand_in import draw_stand_in
from crowdgold.studies.maven.limit_cells import COLUMNS, METHODS, Sizes, limit_cells

Cells = dict[tuple[str, str], float]

TASK = "Task 2"
RATES = ("TPR_H", "TNR_H", "share")
"""Parameters in (0, 1), which are sought on the logit scale; the others above 0, by their log."""

SIZE = 1_000_000
"""Items of the large draw."""

DRAWN = {"n_reference": 10_000, "n_gold": 0, "n_voters": 5_000}
POOL = 10**8
SEED = 1
TRIES = 6
"""Most rounds of the search, each with a derivative in every direction; 2 or 3 are needed."""
STEP = 0.02
"""Step of the numerical derivatives: votes are whole, and a small step would move too few."""


def printed_cells(printed: Mapping[str, Any], signs: Mapping[str, Mapping[str, int]]) -> Cells:
    """Printed cells of table 3a with their signs, by method and metric.

    Args:
        printed: a task's part of `table_3` in config/printed/maven.yaml.
        signs: the wanted methods and metrics, each with 1 where the method overestimates, -1 where
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

    Args:
        task: parameters of the generator stand_in, with the sizes n and n_gold of its studies.
        seed: of the draw.
        size: its items.
        methods: some of those of `limit_cells`.
    """
    sizes = Sizes(task["n"], task["n_gold"], task["n_labelled"] - task["n_gold"])
    large = {**task, **DRAWN, "n": size, "n_pool": POOL, "n_labelled": POOL // 2}
    drawn = draw_stand_in(large, np.random.default_rng(seed))
    return dict(limit_cells(drawn.table, sizes, methods))


def set_stand_in(
    task: Mapping[str, Any], unknown: Sequence[str], wanted: Cells, seed: int,
    correlation: float | None = None, size: int = SIZE,
) -> tuple[dict[str, Any], Cells]:  # fmt: skip
    """A stand-in's parameters such that cells of table 3 are as wanted, and its cells.

    Args:
        task: parameters with a first guess of the unknown ones.
        unknown: as many parameters as there are cells wanted, as `predictors.A.mu`.
        wanted: cells by method and metric.
        seed: of the draw.
        size: items of the draw.
    """

    def at(values: np.ndarray) -> dict[str, Any]:
        changed: dict[str, Any] = deepcopy(dict(task))
        for name, value in zip(unknown, values, strict=True):
            parent, last = _place(changed, name)
            parent[last] = float(expit(value) if last in RATES else np.exp(value))
        return changed

    methods = {method for method, _ in wanted}

    def away(values: np.ndarray) -> np.ndarray:
        found = cells_of_task(at(values), seed, size, methods)
        return np.array([found[cell] - value for cell, value in wanted.items()])

    start = []
    for name in unknown:
        parent, last = _place(task, name)
        start.append(logit(parent[last]) if last in RATES else np.log(parent[last]))
    solved = least_squares(
        away, start, diff_step=[STEP], x_scale=0.3, xtol=1e-3, ftol=1e-3, max_nfev=TRIES
    )
    return at(solved.x), cells_of_task(at(solved.x), seed, size)


def _place(tree: Any, name: str) -> tuple[Any, str]:
    """The mapping that holds a parameter, and its key there."""
    *path, last = name.split(".")
    for key in path:
        tree = tree[key]
    return tree, last


def main() -> None:
    """Print the unknown parameters of the stand-in for Task 2, and the cells that they give."""
    root = Path("config")
    printed = yaml.safe_load((root / "printed/maven.yaml").read_text())
    blocks = yaml.safe_load((root / "experiments/maven.yaml").read_text())["experiments"]
    own = printed["stand_ins"][TASK]
    task = blocks[own["experiment"]]["parameters"] | {"n_gold": printed["protocol"]["n_gold"]}
    wanted = printed_cells(printed["table_3"]["tasks"][TASK], own["cells"])
    found, reached = set_stand_in(task, own["unknown"], wanted, SEED)
    for name in own["unknown"]:
        parent, last = _place(found, name)
        print(f"{name}: {parent[last]:.3f}")
    for (method, metric), value in reached.items():
        role = "sets" if (method, metric) in wanted else "tests"
        print(f"{method:5}{metric:10}{value:6.2f}  {role}")


if __name__ == "__main__":
    main()
