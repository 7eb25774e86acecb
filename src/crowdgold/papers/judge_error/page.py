"""The methods of the judge-error experiments side by side.

Claims of the judge-error post that need code of their own (`claims.yaml`).
"""

import numpy as np
import pandas as pd

from crowdgold.claims.cells import (
    Cells,
    Tables,
    cells_of,
    choose,
    markdown_table,
    places_of,
    with_error,
)
from crowdgold.experiment.summaries import count_gate_failures, share_error, standard_error


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


HEADER = [
    "method", "mean bias", "mean error", "mean width", "coverage", "worst coverage", "none",
    "failed fits",
]  # fmt: skip
SPLIT = {"quality": "TPR-TNR of the judges: {}"}
"""Settings that have a table for each of their values -> what stands above it."""


def _settings(table: pd.DataFrame) -> list[str]:
    known = ["prevalence", "gold_positives", "gold_negatives", "n_gold"]
    return [name for name in known if name in table]


def _method_row(method: str, rows: pd.DataFrame, settings: list[str]) -> list[str]:
    """Summarise a method over settings: bias with its sign, error, width, coverage, failures."""
    known = rows[np.isfinite(rows["estimate"]) & np.isfinite(rows["lower"])]
    difference = (known["estimate"] - known["truth"]).to_numpy(float)
    width = (known["upper"] - known["lower"]).to_numpy(float)
    inside = known["truth"].between(known["lower"], known["upper"])
    by_setting = inside.groupby([known[name] for name in settings]).mean()
    worst = by_setting.idxmin()
    values = worst if isinstance(worst, tuple) else (worst,)
    pairs = zip(settings, values, strict=True)
    at = ", ".join(f"{name} {value:g}" for name, value in pairs)
    failed, fits = count_gate_failures(rows)
    return [
        method,
        with_error(float(difference.mean()), standard_error(difference)),
        with_error(float(np.abs(difference).mean()), standard_error(np.abs(difference))),
        with_error(float(width.mean()), standard_error(width)),
        with_error(float(inside.mean()), share_error(float(inside.mean()), len(inside))),
        f"{by_setting.min():.2f} ({at})",
        f"{len(rows) - len(known)} of {len(rows)}",
        f"{failed} of {fits}" if fits else "no chains",
    ]


def method_table(table: pd.DataFrame) -> str:
    """Lay out the methods of an experiment, a line each, over all its settings."""
    rows = table[table["metric"] == "prevalence"]
    settings = _settings(rows)
    lines = [
        _method_row(str(method), own, settings)
        for method, own in rows.groupby("method", sort=False)
    ]
    return markdown_table(HEADER, lines)


def method_tables(table: pd.DataFrame) -> str:
    """Lay out the methods of an experiment; a table for each value of what `SPLIT` names."""
    names = [name for name in SPLIT if name in table]
    if not names:
        return method_table(table)
    parts = []
    for values, rows in table.groupby(names):
        where = [SPLIT[name].format(value) for name, value in zip(names, values, strict=True)]
        parts.append(f"{'. '.join(where)}.\n\n{method_table(rows)}")
    return "\n\n".join(parts)
