"""Coverage of intervals against their nominal level, with the binomial band."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.evaluation.fits import gate_note
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
        f"{count_replicates(shown['replicates'].max())}; band: binomial, 3.5 deviations; "
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
