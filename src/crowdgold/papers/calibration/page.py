"""Tables and sentences of docs/coverage.md: coverage by metric, setting, shape of the scores."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.claims.cells import markdown_table, pivot, with_error
from crowdgold.experiment.summaries import (
    count_gate_failures,
    coverage_band,
    gate_sentence,
    relative_to,
    share_error,
)
from crowdgold.methods.votes_and_gold import GOLD_ALONE
from crowdgold.types.parameters import LEVEL

SETTING = ("experiment", "n", "gold_fraction", "n_gold")
"""Columns that say which setting a row of coverage is of."""


def gates(table: pd.DataFrame) -> str:
    """How many fits failed their gate, in a sentence without its full stop."""
    return gate_sentence(*count_gate_failures(table))


def by_metric(shown: pd.DataFrame) -> str:
    """The table of coverage: a line for each method, a column for each metric."""
    return pivot(shown, "coverage", "coverage_se", "method", "metric")


def greys(settings: pd.DataFrame) -> str:
    """What the grey bands of a figure of settings mean, in words: one a number of replicates."""
    level = float(settings["level"].iloc[0])
    sizes = sorted({int(one) for one in settings["replicates"].dropna() if one > 0})
    lows = [f"{coverage_band(size, level)[0]:.2f} up with {size:,}" for size in sizes]
    if len(sizes) == 1:
        return f"Grey is what chance allows: from {lows[0]} replicates."
    parts = f"from {', from '.join(lows[:-1])} and from {lows[-1]}"
    return (
        f"Each grey is what chance allows with a number of replicates: {parts}; with more it is "
        "darker and narrower."
    )


def by_shape(settings: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The settings in which scores are normal utilities, without a `shape`, and the others, with
    `width_ratio`.
    """
    table = relative_to(settings, GOLD_ALONE.name)
    normal = table.get("shape", pd.Series(np.nan, index=table.index)).isna()
    return table[normal], table[~normal]


def count_of_settings(settings: pd.DataFrame) -> int:
    """The number of settings."""
    return len(settings.drop_duplicates([name for name in SETTING if name in settings]))


def choice_table(settings: pd.DataFrame) -> str:
    """The table of coverage and relative width pooled over settings, by method and metric."""
    rows = []
    for names, group in settings.groupby(["method", "metric"], sort=False):
        size = float(group["replicates"].sum())
        covered = float((group["coverage"] * group["replicates"]).sum())
        share = with_error(covered / size, share_error(covered / size, int(size)))
        worst, width = group["coverage"].min(), group["width_ratio"].mean()
        rows.append([*map(str, names), share, f"{worst:.2f}", f"{width:.2f}"])
    head = ["method", "metric", "coverage", "worst setting", "width / GT"]
    return markdown_table(head, rows)


def nearest_to_level(settings: pd.DataFrame) -> str:
    """The methods that cover AUC and delta_TPR over all settings, in words without full stop."""
    judged = settings[settings["metric"].isin(["AUC", "delta_TPR"])]
    level, inside, best = float(judged["level"].iloc[0]), [], ("", 0.0)
    for method, group in judged[judged["method"] != GOLD_ALONE.name].groupby("method", sort=False):
        size = int(group["replicates"].sum())
        coverage = float((group["coverage"] * group["replicates"]).sum()) / size
        best = max(best, (str(method), coverage), key=lambda one: one[1])
        if coverage >= coverage_band(size, level)[0]:
            inside.append(f"`{method}` in {coverage:.3f}")
    if inside:
        return (
            "Of all settings together, intervals contain the true AUC and delta_TPR as often as "
            f"chance allows at {level:g} by {' and by '.join(inside)}"
        )
    return (
        "No version's intervals contain the true AUC and delta_TPR as often as they should, of "
        f"all settings together; those of `{best[0]}` come nearest ({best[1]:.3f})"
    )


def _coverage(row: Mapping[Hashable, Any], digits: int) -> str:
    """A coverage; bold where it is below its binomial band."""
    low, _ = coverage_band(int(row["replicates"]), float(row["level"]))
    covered = f"{row['coverage']:.{digits}f}"
    return f"**{covered}**" if row["coverage"] < low else covered


def settings_table(settings: pd.DataFrame) -> str:
    """Coverage, width and bias of MAVEN's versions in each setting, with fits that failed."""
    keys = [name for name in SETTING if name in settings]
    shown, rows = ["AUC", "delta_TPR", "precision", "recall"], []
    versions = settings[settings["method"] != GOLD_ALONE.name]
    for _, group in versions.groupby(keys, sort=False, dropna=False):
        known = group.iloc[0][keys].dropna().to_dict()
        experiment = str(known.pop("experiment"))
        name = ", ".join([experiment, *(f"{k} = {v:g}" for k, v in known.items())])
        for method, own in group.groupby("method", sort=False):
            cells = dict.fromkeys(shown, "")
            named = own.assign(metric=own["metric"].str.partition("@")[0])
            for row in named[named["metric"].isin(shown)].to_dict("records"):
                bias = with_error(row["bias"], row["bias_se"])
                text = f"{_coverage(row, 3)}, {row['width_ratio']:.2f}, {bias}"
                cells[row["metric"]] = text
            first = own.iloc[0]
            failed = f"{first['gate_failures']:.0f} of {first['replicates']:.0f}"
            rows.append([name, str(method), *cells.values(), failed])
    return markdown_table(["setting", "method", *shown, "not converged"], rows)


def of_scores(settings: pd.DataFrame) -> pd.DataFrame:
    """The rows of metrics that are computed from the scores."""
    return settings[~settings["metric"].isin(["prevalence", "TNR_H", "TPR_H"])]


def least_error(settings: pd.DataFrame) -> float:
    """The least standard error of a mean coverage at the level, over a shape's metrics."""
    judged = of_scores(settings)
    size = judged["replicates"].max() * judged["metric"].nunique()
    return float(((1 - LEVEL) * LEVEL / size) ** 0.5)


def against(settings: pd.DataFrame, one: str, other: str) -> str:
    """Two methods shape by shape: mean coverage, and mean width relative to the other's."""
    parts = []
    for shape, group in settings.groupby("shape", sort=False):
        means = group.groupby("method")[["coverage", "width_ratio"]].mean().T
        if {one, other} <= set(means):
            (covered, width), (other_covered, other_width) = means[one], means[other]
            relative = width / other_width
            parts.append(
                f"{shape} {covered:.3f} against {other_covered:.3f}, {relative:.2f} times as wide"
            )
    return "; ".join(parts)


def shapes_table(settings: pd.DataFrame) -> str:
    """The table of coverage and relative width by shape of the scores, metric and method."""
    judged = of_scores(settings)
    methods = list(dict.fromkeys(judged["method"]))
    rows = []
    for names, group in judged.groupby(["shape", "metric"], sort=False):
        known = group.set_index("method")[["coverage", "width_ratio"]].T
        cells = ["{:.2f}, {:.2f}".format(*known[one]) if one in known else "" for one in methods]
        rows.append([*map(str, names), *cells])
    return markdown_table(["shape", "metric", *methods], rows)


def under_each_model(shown: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """The table of how often each estimator's intervals cover under each estimator's model, of
    summaries of one experiment a model; `titles`: experiment -> whose model it is.
    """
    metrics = list(dict.fromkeys(shown["metric"]))
    rows = []
    for (experiment, method), own in shown.groupby(["experiment", "method"], sort=False):
        cells = dict.fromkeys(metrics, "")
        cells |= {row["metric"]: _coverage(row, 2) for row in own.to_dict("records")}
        failed = f"{own['gate_failures'].max():.0f}"
        rows.append([titles[str(experiment)], str(method), *cells.values(), failed])
    return markdown_table(["truth", "method", *metrics, "not converged"], rows)


def failed_by_sampler(ranks: pd.DataFrame) -> str:
    """The table of the fits of each sampler and of those that failed their gate, from ranks."""
    fits = ranks.drop_duplicates(["experiment", "model", "replicate"])
    rows = [
        [str(model), f"{len(own)}", f"{int((~own['diagnostics_passed'].astype(bool)).sum())}"]
        for model, own in fits.groupby("model", sort=False)
    ]
    return markdown_table(["sampler", "fits", "not converged"], rows)
