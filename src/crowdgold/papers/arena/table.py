"""The arena: what every method does in every world, metric by metric, as one tidy table.

A cell is a method in a world on a metric. It has the bias, the coverage of the intervals beside the
binomial band of nominal coverage, and their width relative to a baseline's; or a reason why there
is nothing, which follows from what the method needs and the world has. A world is an experiment, or
a setting of one that varies something that makes it another world, such as the shape of the scores.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.methods.needs import NO_SCORES, SCORES
from crowdgold.methods.registry import METHODS
from crowdgold.metrics.binary import LABEL_METRICS

COLUMNS = (
    "experiment", "world", "method", "metric", "replicates", "intervals", "truth", "bias",
    "bias_se", "error", "error_se", "width", "width_se",
    "width_ratio", "width_ratio_se", "coverage", "coverage_se", "level", "band_low", "band_high",
    "gate_failures", "reason",
)  # fmt: skip
SHORT, INSIDE, LONG, NONE = "too short", "covers", "too long", "none"
"""What coverage is: below its band, inside, above it; or there are no intervals."""
METRIC_OF_SCORES = "the metric needs scores of a model; there are none"


def _with_ratio(rows: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Add the mean width over the baseline's, where both have intervals in every replicate.

    Where one lacks some, their means are not of the same data, and there is no ratio. Its standard
    error is that of independent widths, and so too large where widths on the same data move
    together.
    """
    columns = ["width", "width_se", "intervals"]
    base = rows[rows["method"] == baseline].set_index("metric")[columns]
    theirs = base.reindex(rows["metric"]).to_numpy(dtype=float)
    width, error = rows["width"].to_numpy(dtype=float), rows["width_se"].to_numpy(dtype=float)
    drawn = (rows["replicates"] + rows["undefined"]).max()
    whole = (rows["intervals"].to_numpy() == drawn) & (theirs[:, 2] == drawn)
    usable = whole & (theirs[:, 0] > 0) & np.isfinite(width)
    nothing = np.full(len(rows), np.nan)
    ratio = np.divide(width, theirs[:, 0], out=nothing.copy(), where=usable)
    own = np.divide(error, width, out=nothing.copy(), where=usable & (width > 0))
    other = np.divide(theirs[:, 1], theirs[:, 0], out=nothing.copy(), where=usable)
    spread = np.where(rows["method"] == baseline, 0.0, np.hypot(own, other))
    return rows.assign(width_ratio=ratio, width_ratio_se=ratio * spread)


def _reason(row: Mapping[Any, Any]) -> str:
    """Say why a cell has no interval; empty where it has."""
    if row["intervals"]:
        return ""
    method = METHODS.get(str(row["method"]))
    limits = method.cannot_estimate(str(row["metric"])) if method else ""
    return limits or str(row["note"]) or "it has no interval"


def _no_metric(method: str, metric: str) -> str:
    """Say why a method has no cell of a metric that a world has not."""
    known = METHODS.get(method)
    if known and (limits := known.cannot_estimate(metric)):
        return limits
    if metric in LABEL_METRICS:
        return "the metric was not asked for"
    return NO_SCORES if known and SCORES in known.needs else METRIC_OF_SCORES


def _missing(rows: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """Make the cells of metrics that a world has not: those of scores, where there are none."""
    lacking = [one for one in metrics if one not in set(rows["metric"])]
    methods = list(dict.fromkeys(rows["method"]))
    cells = [
        {
            "experiment": rows["experiment"].iloc[0], "method": method, "metric": metric,
            "replicates": 0, "intervals": 0, "gate_failures": 0,
            "reason": _no_metric(method, metric),
        }
        for metric in lacking
        for method in methods
    ]  # fmt: skip
    return pd.DataFrame(cells)


def arena_cells(
    summary: pd.DataFrame, baseline: str, by: Sequence[str], labels: Mapping[str, str]
) -> pd.DataFrame:
    """Make the table of all cells (`COLUMNS`), worlds and methods in order of appearance.

    Args:
        summary: of the replicates of one or several experiments (`experiment.summaries`).
        baseline: the method whose width is 1; a world without it has no relative widths.
        by: settings whose values are worlds of their own; an experiment may lack them.
        labels: experiment -> the words that stand for it; its name where it has none.
    """
    # Thresholds are a world's own.
    named = summary.assign(metric=summary["metric"].str.partition("@")[0])
    metrics = list(dict.fromkeys(named["metric"]))
    parts = []
    for _, rows in named.groupby(["experiment", *by], sort=False, dropna=False):
        experiment, *values = rows[["experiment", *by]].iloc[0].dropna().astype(str)
        words = [value.replace("_", " ") for value in values]
        world = ", ".join([labels.get(experiment, experiment), *words])
        found = _with_ratio(rows, baseline)
        reasons = [_reason(row) for row in found.to_dict("records")]
        parts.append(found.assign(reason=reasons, world=world))
        if len(missing := _missing(rows, metrics)):
            parts.append(missing.assign(world=world))
    table = pd.concat(parts, ignore_index=True).reindex(columns=list(COLUMNS))
    counts = ["replicates", "intervals", "gate_failures"]
    return table.astype(dict.fromkeys(counts, int)).astype({"reason": str})


def verdict_of_cell(cell: Mapping[Any, Any]) -> str:
    """Say whether the intervals of a cell are too short, cover, or are too long for the level."""
    if not cell["intervals"]:
        return NONE
    if cell["coverage"] < cell["band_low"]:
        return SHORT
    return LONG if cell["coverage"] > cell["band_high"] else INSIDE


def judged(cells: pd.DataFrame) -> pd.DataFrame:
    """Add the column `verdict` of `verdict_of_cell`."""
    return cells.assign(verdict=[verdict_of_cell(cell) for cell in cells.to_dict("records")])


def by_fewest_short(cells: pd.DataFrame) -> list[str]:
    """Sort methods by the share of their cells that are too short, and those without cells last."""
    there = cells[cells["intervals"] > 0]
    share = (there["verdict"] == SHORT).groupby(there["method"], sort=False).mean()
    return list(share.reindex(cells["method"].unique()).sort_values(kind="stable").index)


def geometric_mean(ratios: np.ndarray) -> float:
    """The geometric mean of ratios of widths; one of 0 counts as a ten-thousandth."""
    return float(np.exp(np.log(np.maximum(ratios, 1e-4)).mean()))
