"""Predictions of ChaosNLI's judgements by every metric, a panel each."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.plotting.plot import Plot, require
from crowdgold.plotting.style import legend_above, new_figure

COLUMNS = ("subset", "predictor", "seed", "metric", "label", "value")
SUBSETS = {"snli": ("SNLI", "#0072B2", "o", -0.13), "mnli_m": ("MNLI", "#D55E00", "s", 0.13)}
PRINTED = "printed: MV, RoBERTa"


def _panel(axes: Axes, rows: pd.DataFrame, order: list[str], printed: Mapping[str, Any]) -> None:
    metric = str(rows["metric"].iloc[0])
    for subset, (name, colour, marker, shift) in SUBSETS.items():
        own = rows[rows["subset"] == subset]
        place = [order.index(one) + shift for one in own["predictor"]]
        axes.plot(own["value"], place, marker, color=colour, label=name, markersize=3.5, alpha=0.8)
        if metric in printed.get(subset, {}):
            axes.plot(
                printed[subset][metric], len(order) + shift, marker, color=colour, fillstyle="none"
            )
    axes.set_yticks(range(len(order) + 1), [*order, PRINTED])
    axes.set_ylim(len(order) + 0.5, -0.5)
    axes.set_title(metric)


def draw_soft_metric_scores(
    table: pd.DataFrame,
    *,
    printed: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel a metric: a point for each predictor, training seed and subset.

    Args:
        table: what the check `soft_metric_scores` gives.
        printed: subset -> metric -> what the paper prints of its own MV.

    Returns:
        the figure and the rows that it shows, which include those whose metric is undefined;
        metrics of a class are in the page's table.
    """
    require(table, COLUMNS)
    table = table[table["label"] == ""]
    order = list(dict.fromkeys(table["predictor"]))
    metrics = list(dict.fromkeys(table["metric"]))
    figure, axes = new_figure(2, 3, 4.4)
    for index, metric in enumerate(metrics):
        panel = axes[index // 3][index % 3]
        _panel(panel, table[table["metric"] == metric], order, printed or {})
        if index % 3:
            panel.set_yticklabels([])
    figure.supxlabel("a point is a training seed, or one draw of labels", fontsize=7)
    legend_above(figure, axes[0][0], 2)
    return figure, table


PLOT = Plot("soft_metric_scores", draw_soft_metric_scores)
