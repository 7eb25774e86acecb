"""Error and interval width against the number of gold labels (MAVEN, figures 1 and 4)."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from crowdgold.evaluation.fits import gate_note
from crowdgold.metrics import label_of
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import count_replicates
from crowdgold.plotting.style import (
    AXIS_LABELS,
    method_order,
    new_figure,
    style_of,
)

ROWS = (("error", r"Bias  |estimate $-$ truth|"), ("width", "Interval width"))


def _panel(axes: Axes, table: pd.DataFrame, x: str, value: str) -> None:
    for method in method_order(table["method"]):
        rows = table[table["method"] == method].sort_values(x)
        style = style_of(method)
        axes.errorbar(
            rows[x],
            rows[value],
            yerr=rows[f"{value}_se"],
            color=style.colour,
            marker=style.marker,
            linestyle=style.line,
            markeredgecolor="white",
            markeredgewidth=0.4,
            elinewidth=0.8,
            capsize=1.5,
            label=method,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    values = sorted(table[x].unique())
    axes.set_xticks(values, [f"{value:g}".replace("0.", ".", 1) for value in values], fontsize=6)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, position: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def draw_error_and_width(
    table: pd.DataFrame,
    *,
    x: str,
    metrics: Sequence[str] | None = None,
    title: str = "",
) -> tuple[Figure, pd.DataFrame]:
    """Draw a column of panels for each metric: mean absolute error above, mean width below.

    Args:
        table: a summary of replicates.
        x: the setting on the horizontal axis.
        metrics: in panel order (all of the table by default).

    Returns:
        the figure and the rows that it shows. Bars are one standard error to each side.
    """
    metrics = list(dict.fromkeys(table["metric"]) if metrics is None else metrics)
    shown = table[table["metric"].isin(metrics)]
    missing = [name for name in metrics if name not in set(shown["metric"])]
    if missing or not metrics:
        raise ValueError(f"the table has none of the metrics {missing}")
    if x not in shown:
        raise ValueError(f"the table has no column {x!r} for the horizontal axis")
    figure, axes = new_figure(2, len(metrics), 4.0)
    for column, metric in enumerate(metrics):
        for row, (value, label) in enumerate(ROWS):
            panel = axes[row][column]
            _panel(panel, shown[shown["metric"] == metric], x, value)
            if column == 0:
                panel.set_ylabel(label)
        axes[0][column].set_title(label_of(metric))
        axes[0][column].tick_params(labelbottom=False)
    figure.supxlabel(
        f"{AXIS_LABELS.get(x, x)}\n{count_replicates(shown['replicates'])}; bars are one "
        f"standard error; {gate_note(shown)}",
        fontsize=7,
    )
    if title:
        figure.suptitle(title, fontsize=9)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False)
    return figure, shown


PLOT = Plot("error_and_width", draw_error_and_width)
