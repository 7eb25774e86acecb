"""Coverage of intervals: against their nominal level, and against their width."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.evaluation.fits import gate_note
from crowdgold.evaluation.summaries import coverage_band, relative_to
from crowdgold.methods.registry import baseline as gold_alone
from crowdgold.metrics import label_of
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import count_replicates
from crowdgold.plotting.style import (
    method_order,
    new_figure,
    style_of,
)


def draw_coverage(
    table: pd.DataFrame,
    *,
    titles: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw the coverage of each method's intervals, metric by metric.

    Args:
        table: a summary of replicates.
        titles: experiment -> title of its panel, where there are several.

    Returns:
        the figure and the rows that it shows. The band holds the coverage of a calibrated method
        with a two-sided probability of 3.5 normal deviations; bars are one standard error.
    """
    shown = table[table["replicates"] > 0]
    worlds = list(dict.fromkeys(shown["experiment"]))
    methods = method_order(shown["method"])
    figure, axes = new_figure(len(worlds), 1, 3.0 if len(worlds) == 1 else 2.1 * len(worlds))
    for row, world in enumerate(worlds):
        panel = axes[row][0]
        _draw_world(panel, shown[shown["experiment"] == world], methods)
        if len(worlds) > 1:
            panel.set_title((titles or {}).get(world, world))
    figure.supxlabel(
        f"{count_replicates(shown['replicates'])}; band: binomial, 3.5 deviations; "
        f"{gate_note(table)}",
        fontsize=7,
    )
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False)
    return figure, shown


def _draw_world(panel: Axes, shown: pd.DataFrame, methods: Sequence[str]) -> None:
    """Draw one experiment's coverage."""
    metrics = list(dict.fromkeys(shown["metric"]))
    level = float(shown["level"].iloc[0])
    panel.axhline(level, color="#666666", linewidth=0.8)
    for index, method in enumerate(methods):
        rows = shown[shown["method"] == method].set_index("metric")
        here = [metric for metric in metrics if metric in rows.index]
        offset = (index - (len(methods) - 1) / 2) * 0.8 / max(len(methods), 1)
        style = style_of(method)
        position = np.array([metrics.index(metric) for metric in here]) + offset
        low, high = rows.loc[here, "band_low"], rows.loc[here, "band_high"]
        panel.vlines(position, low, high, color="#cccccc", linewidth=7, zorder=0)
        panel.errorbar(
            position,
            rows.loc[here, "coverage"],
            yerr=rows.loc[here, "coverage_se"],
            color=style.colour,
            marker=style.marker,
            linestyle="none",
            elinewidth=0.8,
            label=method,
        )
    panel.set_xticks(range(len(metrics)), [label_of(name) for name in metrics])
    panel.set_ylabel(f"Coverage of {level:.0%} intervals")
    panel.set_ylim(-0.02, 1.02)


PLOT = Plot("coverage", draw_coverage)


COLUMNS = 4
LOWEST = 0.6
"""The coverage axis starts here unless a point lies lower."""
SETTING, MEAN = "setting", "mean over settings"
"""What a point is."""


LOOKS: dict[str, dict[str, Any]] = {
    SETTING: {"markersize": 2.5, "markeredgewidth": 0, "alpha": 0.45},
    MEAN: {"markersize": 5.5, "markeredgecolor": "white", "markeredgewidth": 0.7, "zorder": 3},
}


def _with_means(rows: pd.DataFrame) -> pd.DataFrame:
    """Add to the points of settings their mean for each method and metric, whatever its threshold.

    A setting counts as any other, however many replicates it has.
    """
    named = rows.assign(point=SETTING, panel=rows["metric"].str.partition("@")[0])
    groups = named.groupby(["method", "panel"], sort=False)
    means = groups[["width_ratio", "coverage"]].mean().assign(settings=groups.size())
    means = means.reset_index().assign(point=MEAN).rename(columns={"panel": "metric"})
    return pd.concat([named.drop(columns="panel"), means], ignore_index=True)


def _panel(axes: Axes, rows: pd.DataFrame, methods: list[str], level: float) -> None:
    axes.axhline(level, color="#666666", linewidth=0.8, zorder=0)
    for replicates in sorted(set(rows["replicates"].dropna())):  # the more, the narrower and darker
        low, high = coverage_band(int(replicates), level)
        axes.axhspan(low, high, color="#000000", alpha=0.06, linewidth=0, zorder=-1)
    axes.axvline(1, color="#666666", linewidth=0.8, linestyle=":", zorder=0)
    for method in methods:
        own, style = rows[rows["method"] == method], style_of(method)
        for point, look in LOOKS.items():
            here = own[own["point"] == point]
            axes.plot(
                here["width_ratio"],
                here["coverage"],
                color=style.colour,
                marker=style.marker,
                linestyle="none",
                label=method if point == MEAN else None,
                **look,
            )


def _is_metric(metrics: pd.Series, name: str) -> pd.Series:
    """Say which metrics have this name, with their threshold or without it."""
    return (metrics == name) | (metrics.str.partition("@")[0] == name)


def draw_coverage_and_width(
    table: pd.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    baseline: str | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel a metric: coverage against mean width relative to a baseline's.

    Args:
        table: summaries of replicates, of one or more experiments.
        metrics: in panel order (all that the baseline has by default), where `precision` stands for
            that at any threshold.
        baseline: the method whose widths are compared with; gold labels alone by default.

    Returns:
        the figure and the rows that it shows, with `width_ratio`. A small point is a method in a
        setting, a large one its mean over settings (`point`); bands are binomial, of 3.5
        deviations, one for each number of replicates of a setting.
    """
    baseline = baseline or gold_alone()
    shown = relative_to(table, baseline)
    metrics = list(metrics or dict.fromkeys(shown["metric"]))
    missing = [name for name in metrics if not _is_metric(shown["metric"], name).any()]
    if missing:
        raise ValueError(f"the table has none of the metrics {missing}")
    fits = shown[np.any([_is_metric(shown["metric"], name) for name in metrics], axis=0)]
    shown = _with_means(fits)
    rows = {name: shown[_is_metric(shown["metric"], name)] for name in metrics}
    methods, level = method_order(shown["method"]), float(shown["level"].iloc[0])
    columns = min(COLUMNS, len(metrics))
    lines = -(-len(metrics) // columns)
    figure, axes = new_figure(lines, columns, 0.6 + 2.3 * lines)
    bottom = min(LOWEST, float(shown["coverage"].min()) - 0.02)
    panels = [panel for line in axes for panel in line]
    for index, (panel, metric) in enumerate(zip(panels, metrics, strict=False)):
        _panel(panel, rows[metric], methods, level)
        panel.set_title(label_of(metric))
        panel.set_ylim(bottom, 1.02)
        if index % columns == 0:
            panel.set_ylabel(f"Coverage of {level:.0%} intervals")
    for panel in panels[len(metrics) :]:
        panel.set_visible(False)
    figure.supxlabel(
        f"Mean width / that of {baseline}\n"
        "Small: a setting, of "
        f"{count_replicates(fits['replicates'])}; large: "
        f"the mean over settings; bands: binomial, 3.5 deviations; {gate_note(fits)}",
        fontsize=7,
    )
    handles: dict[str, Artist] = {}
    for panel in panels:
        artists, labels = panel.get_legend_handles_labels()
        handles |= dict(zip(labels, artists, strict=True))
    figure.legend(list(handles.values()), list(handles), loc="outside right center", frameon=False)
    return figure, shown


WIDTH_PLOT = Plot("coverage_and_width", draw_coverage_and_width)
