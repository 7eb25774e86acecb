"""Coverage against width, world by world: which intervals are narrow, and which are honest."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.evaluation.fits import gate_note
from crowdgold.evaluation.ratios import relative_to
from crowdgold.evaluation.worlds import split_worlds
from crowdgold.plotting.series import count_replicates
from crowdgold.plotting.style import method_order, new_figure, style_of

COLUMNS = 4
"""Panels side by side at most."""


def _method(axes: Axes, rows: pd.DataFrame, method: str) -> None:
    """Draw a method: a small mark for each metric, a large one for their mean."""
    style = style_of(method)
    axes.plot(
        rows["width_ratio"],
        rows["coverage"],
        color=style.colour,
        marker=style.marker,
        linestyle="none",
        markersize=2.5,
        alpha=0.5,
    )
    # Metrics share their data, so that the error of their mean is no smaller than this.
    axes.errorbar(
        rows["width_ratio"].mean(),
        rows["coverage"].mean(),
        yerr=rows["coverage_se"].mean(),
        color=style.colour,
        marker=style.marker,
        markersize=6,
        markeredgecolor="white",
        markeredgewidth=0.5,
        linestyle="none",
        elinewidth=0.8,
        label=method,
    )


def _panel(axes: Axes, rows: pd.DataFrame, lowest: float) -> None:
    level = float(rows["level"].iloc[0])
    axes.axhspan(rows["band_low"].max(), rows["band_high"].min(), color="#e4e4e4", zorder=0)
    axes.axhline(level, color="#666666", linewidth=0.8)
    axes.axvline(1, color="#666666", linewidth=0.8)
    for method in method_order(rows["method"]):
        _method(axes, rows[rows["method"] == method], method)
    axes.set_ylim(lowest, 1.02)
    axes.set_xlim(0, 1.08 * max(1.0, float(rows["width_ratio"].max())))


def draw_coverage_by_world(
    table: pd.DataFrame, options: Mapping[str, Any]
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each world: coverage of a method's intervals against their width.

    Args:
        table: a summary of replicates, of one or several experiments.
        options: `baseline`, whose widths are 1 (GT where not given); `methods` (all of the table
            where not given); `by`, a list of settings that make worlds of their own; `labels`,
            experiment -> the words that stand for it; `lowest` coverage shown (0).

    Returns:
        the figure and its rows, with the column `width_ratio`. A small mark is a metric, a large
        one the mean over metrics; the band is the binomial one of a single metric. Metrics without
        intervals in either method are left out.

    Raises:
        ValueError: where the table has no widths of the baseline.
    """
    baseline, by = str(options.get("baseline", "GT")), list(options.get("by", []))
    shown = relative_to(table, baseline)
    methods = options.get("methods", list(dict.fromkeys(shown["method"])))
    shown = shown[shown["method"].isin(methods)].reset_index(drop=True)
    worlds = split_worlds(shown, by, options.get("labels", {}))
    columns = min(COLUMNS, len(worlds))
    lines = -(-len(worlds) // columns)
    figure, axes = new_figure(lines, columns, 1.0 + 1.9 * lines)
    panels = [panel for line in axes for panel in line]
    for panel, (world, rows) in zip(panels, worlds, strict=False):
        _panel(panel, rows, float(options.get("lowest", 0)))
        panel.set_title(world, size=8)
    for panel in panels[len(worlds) :]:
        panel.set_axis_off()
    for line in axes:
        line[0].set_ylabel("Coverage")
    figure.supxlabel(
        f"Mean width relative to {baseline}\nsmall: metrics; large: their mean, bar one standard "
        f"error; {count_replicates(shown['replicates'].max(), shown['replicates'].min())}; band: "
        f"binomial, 3.5 deviations; {gate_note(shown)}",
        fontsize=7,
    )
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=4, frameon=False)
    return figure, shown
