"""The arena: what every method does in every world, metric by metric, as one tidy table.

A cell is a method in a world on a metric. It has the bias, the coverage of the intervals beside the
binomial band of nominal coverage, and their width relative to a baseline's; or the reason why there
is no interval, which follows from what the method needs and the world has. A world is the process
that data are drawn from: an experiment, or each value of a setting of it that changes the process,
such as the shape of the scores.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from crowdgold.methods.needs import SCORES
from crowdgold.methods.registry import METHODS
from crowdgold.metrics.binary import LABEL_METRICS
from crowdgold.types.notes import Note

COLUMNS = (
    "experiment", "world", "method", "metric", "replicates", "intervals", "truth", "bias",
    "bias_se", "error", "error_se", "width", "width_se",
    "width_ratio", "width_ratio_se", "coverage", "coverage_se", "level", "band_low", "band_high",
    "gate_failures", "reason",
)  # fmt: skip
SHORT, INSIDE, LONG, NONE = "too short", "covers", "too long", "none"
"""What coverage is: below its band, inside, above it; or there are no intervals."""


def _with_ratio(rows: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Add the mean width over the baseline's, where both have intervals in every replicate.

    Where one lacks some, the two means are not of the same data, and there is no ratio. The ratio's
    standard error is that of independent widths, too large where widths of the same data go
    together.
    """
    columns = ["width", "width_se", "intervals"]
    base = rows[rows["method"] == baseline].set_index("metric")[columns].reindex(rows["metric"])
    (width, error, size), (base_width, base_error, base_size) = (
        table[columns].to_numpy(dtype=float).T for table in (rows, base)
    )
    drawn = (rows["replicates"] + rows["undefined"]).max()
    whole = (size == drawn) & (base_size == drawn) & (base_width > 0) & np.isfinite(width)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(whole, width / base_width, np.nan)
        spread = np.where(width > 0, np.hypot(error / width, base_error / base_width), np.nan)
    spread[rows["method"] == baseline] = 0.0
    return rows.assign(width_ratio=ratio, width_ratio_se=ratio * spread)


def _reason(method: str, metric: str, otherwise: str) -> str:
    """Why a method has no interval: it cannot estimate the metric, or `otherwise`."""
    known = METHODS.get(method)
    others = known and known.cannot_estimate(metric)
    return others.text if others else otherwise


def _missing(rows: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The cells of metrics that a world lacks, such as those of scores where it has no scores."""

    def lacking(method: str, metric: str) -> str:
        if metric in LABEL_METRICS:
            return Note("metric_not_asked").text
        known = METHODS.get(method)
        of_scores = known and SCORES in known.needs
        return Note("no_scores" if of_scores else "metric_of_scores").text

    cells = [
        {
            "method": method,
            "metric": metric,
            "reason": _reason(method, metric, lacking(method, metric)),
        }
        for metric in metrics
        if metric not in set(rows["metric"])
        for method in dict.fromkeys(rows["method"])
    ]
    return pd.DataFrame(cells).assign(
        experiment=rows["experiment"].iloc[0], replicates=0, intervals=0, gate_failures=0
    )


def arena_cells(
    summary: pd.DataFrame, baseline: str, by: Sequence[str], labels: Mapping[str, str]
) -> pd.DataFrame:
    """Make the table of all cells (`COLUMNS`) from summaries, worlds and methods in order of
    appearance.

    A world without the baseline has no relative widths. The values of the settings `by` are worlds
    of their own; an experiment may lack them. `labels`: experiment -> its words.
    """
    # Thresholds differ between worlds.
    named = summary.assign(metric=summary["metric"].str.partition("@")[0])
    metrics = list(dict.fromkeys(named["metric"]))
    parts, unknown = [], Note("no_interval_known").text
    for _, rows in named.groupby(["experiment", *by], sort=False, dropna=False):
        experiment, *values = rows[["experiment", *by]].iloc[0].dropna().astype(str)
        words = [value.replace("_", " ") for value in values]
        world = ", ".join([labels.get(experiment, experiment), *words])
        reasons = [
            ""
            if row["intervals"]
            else _reason(row["method"], row["metric"], str(row["note"]) or unknown)
            for row in rows.to_dict("records")
        ]
        parts.append(_with_ratio(rows, baseline).assign(reason=reasons, world=world))
        if len(missing := _missing(rows, metrics)):
            parts.append(missing.assign(world=world))
    table = pd.concat(parts, ignore_index=True).reindex(columns=list(COLUMNS))
    counts = ["replicates", "intervals", "gate_failures"]
    return table.astype(dict.fromkeys(counts, int)).astype({"reason": str})


def judged(cells: pd.DataFrame) -> pd.DataFrame:
    """Add the `verdict`: whether a cell's intervals are too short, cover, or are too long."""
    coverage = cells["coverage"]
    known = [~(cells["intervals"] > 0), coverage < cells["band_low"], coverage > cells["band_high"]]
    return cells.assign(verdict=np.select(known, [NONE, SHORT, LONG], INSIDE))


def by_fewest_short(cells: pd.DataFrame) -> list[str]:
    """Methods by the share of their cells that are too short; those without intervals last."""
    there = cells[cells["intervals"] > 0]
    share = (there["verdict"] == SHORT).groupby(there["method"], sort=False).mean()
    return list(share.reindex(cells["method"].unique()).sort_values(kind="stable").index)


def geometric_mean(ratios: np.ndarray) -> float:
    """The geometric mean of ratios of widths; a ratio of 0 counts as 0.0001."""
    return float(np.exp(np.log(np.maximum(ratios, 1e-4)).mean()))
