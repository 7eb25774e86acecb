"""Claims of the judge-error post that need code of their own (`claims.yaml`)."""

import numpy as np

from crowdgold.documents.cells import Cells, Tables, cells_of, choose, places_of


def spread_by_sharing(tables: Tables) -> Cells:
    """How many times as far naive means of runs spread where the simulations share a draw."""
    naive = {"estimator": "naive", "quantity": "mean"}
    table = choose(tables["judge_error_simulation"], naive)
    runs = table.groupby("variant")["value"]
    spread, size = runs.std(), runs.size()
    found = table.loc[table["variant"] == "shared_draw", "value"]
    ratio = spread["shared_draw"] / spread["exact"]
    # Of normal means; the logarithm of a standard deviation has the variance 1 / (2 (n - 1)).
    error = ratio * np.sqrt((0.5 / (size[["shared_draw", "exact"]] - 1)).sum())
    title = (
        f"naive means of runs spread by {spread['exact']:.5f} without it, "
        f"{spread['shared_draw']:.5f} with it ({found.min():.4f} to {found.max():.4f}), ratio"
    )
    return cells_of(title, [""], [ratio], [error], None, size[["shared_draw", "exact"]].min())


def widened(tables: Tables) -> Cells:
    """The corrected standard errors over the naive ones, where judges err."""
    table = tables["judge_error_formula"]
    erring = (table["tpr"] < 1) | (table["tnr"] < 1)
    rows = table[erring & (table["naive_error"] > 0)]
    places = places_of(rows, ["tpr", "tnr", "judged_rate"])
    ratio = np.asarray(rows["error"] / rows["naive_error"])
    return cells_of("standard errors over the naive ones", places, ratio)
