"""Coverage of intervals against their width relative to a baseline's: what a user has to choose."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.evaluation.fits import gate_note
from crowdgold.evaluation.ratios import relative_to
from crowdgold.evaluation.summaries import coverage_band
from crowdgold.methods.registry import baseline as gold_alone
from crowdgold.metrics import label_of
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import count_replicates
from crowdgold.plotting.style import (
    method_order,
    new_figure,
    style_of,
)

COLUMNS = 4
LOWEST = 0.4
"""The coverage axis starts here unless a point lies lower."""


def _panel(axes: Axes, rows: pd.DataFrame, methods: list[str], level: float) -> None:
    axes.axhline(level, color="#666666", linewidth=0.8, zorder=0)
    for replicates in sorted(set(rows["replicates"])):  # the more, the narrower and darker
        low, high = coverage_band(int(replicates), level)
        axes.axhspan(low, high, color="#000000", alpha=0.06, linewidth=0, zorder=-1)
    axes.axvline(1, color="#666666", linewidth=0.8, linestyle=":", zorder=0)
    for method in methods:
        own, style = rows[rows["method"] == method], style_of(method)
        axes.errorbar(
            own["width_ratio"],
            own["coverage"],
            yerr=own["coverage_se"],
            color=style.colour,
            marker=style.marker,
            markeredgecolor="white",
            markeredgewidth=0.4,
            linestyle="none",
            elinewidth=0.6,
            alpha=0.9,
            label=method,
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
        baseline: the method whose widths are compared with.

    Returns:
        the figure and the rows that it shows, with `width_ratio`. A point is a method in a setting;
        bars are one standard error; the band is the binomial band, of 3.5 deviations, of the
        setting with the fewest replicates.
    """
    shown = relative_to(table, baseline or gold_alone())
    metrics = list(metrics or dict.fromkeys(shown["metric"]))
    rows = {name: shown[_is_metric(shown["metric"], name)] for name in metrics}
    missing = [name for name in metrics if rows[name].empty]
    if missing:
        raise ValueError(f"the table has none of the metrics {missing}")
    shown = shown[np.any([_is_metric(shown["metric"], name) for name in metrics], axis=0)]
    methods, level = method_order(shown["method"]), float(shown["level"].iloc[0])
    columns = min(COLUMNS, len(metrics))
    lines = -(-len(metrics) // columns)
    figure, axes = new_figure(lines, columns, 0.6 + 1.9 * lines)
    bottom = min(LOWEST, float((shown["coverage"] - shown["coverage_se"]).min()) - 0.02)
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
        f"{count_replicates(shown['replicates'].max(), shown['replicates'].min())} a point; bars "
        f"are one standard error; {gate_note(shown)}",
        fontsize=7,
    )
    handles: dict[str, Artist] = {}
    for panel in panels:
        artists, labels = panel.get_legend_handles_labels()
        handles |= dict(zip(labels, artists, strict=True))
    figure.legend(list(handles.values()), list(handles), loc="outside right center", frameon=False)
    return figure, shown


PLOT = Plot("coverage_and_width", draw_coverage_and_width)
