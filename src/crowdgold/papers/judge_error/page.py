"""Claims of the judge-error post that need code of their own, and its methods side by side."""

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
    """The spread of naive means of runs whose simulations share a draw, over that of exact runs."""
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


def _method_row(method: str, rows: pd.DataFrame, settings: list[str]) -> list[str]:
    """A method's line of `method_tables`: bias with its sign, error, width, coverage, failures."""
    known = rows[np.isfinite(rows["estimate"]) & np.isfinite(rows["lower"])]
    difference = (known["estimate"] - known["truth"]).to_numpy(float)
    width = (known["upper"] - known["lower"]).to_numpy(float)
    inside = known["truth"].between(known["lower"], known["upper"])
    by_setting = inside.groupby([known[name] for name in settings]).mean()
    worst = by_setting.idxmin()
    values = worst if isinstance(worst, tuple) else (worst,)
    at = ", ".join(f"{name} {value:g}" for name, value in zip(settings, values, strict=True))
    failed, fits = count_gate_failures(rows)
    means = [with_error(float(one.mean()), standard_error(one))
             for one in (difference, np.abs(difference), width)]  # fmt: skip
    share = float(inside.mean())
    return [
        method,
        *means,
        with_error(share, share_error(share, len(inside))),
        f"{by_setting.min():.2f} ({at})",
        f"{len(rows) - len(known)} of {len(rows)}",
        f"{failed} of {fits}" if fits else "no chains",
    ]


def method_tables(table: pd.DataFrame) -> str:
    """Tables of an experiment's methods over its settings, one for each quality of the judges."""
    if "quality" in table:
        parts = [
            f"TPR-TNR of the judges: {quality}.\n\n{method_tables(rows.drop(columns='quality'))}"
            for quality, rows in table.groupby("quality")
        ]
        return "\n\n".join(parts)
    rows = table[table["metric"] == "prevalence"]
    known = ["prevalence", "gold_positives", "gold_negatives", "n_gold"]
    settings = [name for name in known if name in rows]
    groups = rows.groupby("method", sort=False)
    lines = [_method_row(str(method), own, settings) for method, own in groups]
    header = ["method", "mean bias", "mean error", "mean width", "coverage", "worst coverage",
              "none", "failed fits"]  # fmt: skip
    return markdown_table(header, lines)
