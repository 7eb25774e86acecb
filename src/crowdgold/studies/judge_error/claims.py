"""Claims of the judge-error post that need code of their own (`claims.yaml`)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.documents.cells import Cells, cells_of, choose, places_of
from crowdgold.documents.verdicts import HOLDS, NOT_CLEAR, Judgement

Tables = Mapping[str, pd.DataFrame]


def shared_draw_moves_runs(tables: Tables) -> Judgement:
    """Whether runs that share a draw differ by more than their Monte Carlo error."""
    naive = {"estimator": "naive", "quantity": "mean"}
    table = choose(tables["judge_error_simulation"], naive)
    spread = table.groupby("variant")["value"].std()
    found = table.loc[table["variant"] == "shared_draw", "value"]
    return Judgement(
        f"naive means of runs spread by {spread['exact']:.5f} without it, "
        f"{spread['shared_draw']:.5f} with it ({found.min():.4f} to {found.max():.4f})",
        HOLDS if spread["shared_draw"] > 3 * spread["exact"] else NOT_CLEAR,
    )


def widened(tables: Tables) -> Cells:
    """The corrected standard errors over the naive ones, where judges err."""
    table = tables["judge_error_formula"]
    erring = (table["tpr"] < 1) | (table["tnr"] < 1)
    rows = table[erring & (table["naive_error"] > 0)]
    places = places_of(rows, ["tpr", "tnr", "judged_rate"])
    ratio = np.asarray(rows["error"] / rows["naive_error"])
    return cells_of("standard errors over the naive ones", places, ratio)
