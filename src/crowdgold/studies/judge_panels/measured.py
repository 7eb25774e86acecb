"""How often intervals of panels hold the truth, how wide they are, and how often ranges answer."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from crowdgold.methods.registry import baseline
from crowdgold.plotting.plot import require
from crowdgold.studies.judge_panels.check import COLUMNS

EXPERIMENT, REPLICATE = "experiment", "replicate"
KEYS = [EXPERIMENT, "correlation", "n_gold", "method", "metric"]


def with_correlation(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """The rows of a check, its setting under the name `correlation`; NaN where it has none."""
    require(table, [*COLUMNS, EXPERIMENT, REPLICATE])
    found = table[by].astype(float) if by in table else np.nan
    return table.assign(correlation=found)


def measured(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """Coverage and widths of each method, a row for each setting and metric.

    Args:
        table: what the check `judge_panels` gives, of one experiment or several.
        by: the column of the correlation of errors.

    Returns:
        `KEYS`, `replicates`, `answered` (the share with an interval), `coverage` (of these),
        `width` (median) and `width_ratio` (mean, over that of gold labels alone).
    """
    rows = with_correlation(table, by)
    width = rows["upper"] - rows["lower"]
    inside = (rows["lower"] <= rows["truth"]) & (rows["truth"] <= rows["upper"])
    there = width.notna()
    rows = rows.assign(width=width, there=there, inside=inside.astype(float).where(there))
    found = (
        rows.groupby(KEYS, sort=False, dropna=False)
        .agg(
            replicates=("there", "size"), answered=("there", "mean"), coverage=("inside", "mean"),
            width=("width", "median"), mean=("width", "mean"),
        )
        .reset_index()
    )  # fmt: skip
    keys = [one for one in KEYS if one != "method"]
    alone = found.loc[found["method"] == baseline(), [*keys, "mean"]]
    both = found.merge(alone.rename(columns={"mean": "alone"}), how="left", on=keys)
    return both.assign(width_ratio=both["mean"] / both["alone"]).drop(columns=["mean", "alone"])


def pooled(found: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Means over what is not named, such as metrics; `lowest` is the least coverage."""
    groups = found.groupby(list(by), sort=False, dropna=False)
    return groups.agg(
        replicates=("replicates", "max"), answered=("answered", "mean"),
        coverage=("coverage", "mean"), lowest=("coverage", "min"), width=("width", "mean"),
        width_ratio=("width_ratio", "mean"),
    ).reset_index()  # fmt: skip
