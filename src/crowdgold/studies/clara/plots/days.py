"""Estimates and errors day by day (CLARA, figures 7 and 8, on simulated stand-ins)."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from crowdgold.evaluation.fits import gate_note
from crowdgold.evaluation.summaries import standard_error
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import Series, draw_line, replicates_text
from crowdgold.plotting.style import legend_above, method_order, new_figure, style_of

X = "day"
ESTIMATES, ERRORS = "estimates", "errors"
SHIFT = 0.3
"""Days between the lines of two methods, so that their intervals can be told apart."""
RATES = {"prevalence": "Prevalence", "TPR": "TPR", "TNR": "TNR"}
"""What a month of estimates shows, from above, and how it is called."""
AUDITED = ("precision", "recall")
TRUTH = "#000000"


def _check(table: pd.DataFrame, metrics: tuple[str, ...]) -> pd.DataFrame:
    """The rows of metrics, of any group of annotators, with the column `name`."""
    if X not in table:
        raise ValueError(f"the table has no column {X!r} for the horizontal axis")
    named = table.assign(name=table["metric"].str.partition(":")[0])
    missing = [name for name in metrics if name not in set(named["name"])]
    if missing:
        raise ValueError(f"the table has no rows of the metrics {missing}")
    chosen: pd.DataFrame = named[named["name"].isin(metrics)].reset_index(drop=True)
    return chosen


def _intervals(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw each method's estimates with their intervals by day, and the truth."""
    methods = method_order(rows["method"])
    for index, method in enumerate(methods):
        own, look = rows[rows["method"] == method].sort_values(X), style_of(method)
        at = own[X] + SHIFT * (index - (len(methods) - 1) / 2)
        axes.vlines(at, own["lower"], own["upper"], color=look.colour, linewidth=0.8)
        axes.plot(
            at,
            own["estimate"],
            color=look.colour,
            marker=look.marker,
            linestyle="none",
            markersize=2.5,
            label=method,
        )
    truth = rows.drop_duplicates(X).sort_values(X)
    axes.step(truth[X], truth["truth"], color=TRUTH, linewidth=0.9, where="mid", zorder=3)


def _estimates(rows: pd.DataFrame, labels: Mapping[str, str]) -> Figure:
    """Draw a column for each experiment: prevalence, TPR and TNR, from above."""
    experiments = list(dict.fromkeys(rows["experiment"]))
    figure, axes = new_figure(len(RATES), len(experiments), 5.2)
    for column, experiment in enumerate(experiments):
        own = rows[rows["experiment"] == experiment]
        for line, (name, label) in zip(axes, RATES.items(), strict=True):
            _intervals(line[column], own[own["name"] == name])
            line[column].tick_params(labelbottom=line is axes[-1])
            if column == 0:
                line[column].set_ylabel(label)
        axes[0][column].set_title(labels.get(experiment, experiment))
        axes[0][column].set_ylim(bottom=0)
        axes[-1][column].set_xlabel("Day")
    handles, names = axes[0][0].get_legend_handles_labels()
    handles.append(Line2D([], [], color=TRUTH, linewidth=0.9))
    figure.legend(handles, [*names, "truth"], loc="outside upper center", ncols=4, frameon=False)
    return figure


def _mean_errors(rows: pd.DataFrame) -> pd.DataFrame:
    """The mean absolute error over replicates by method, metric and day, with its error."""
    known = rows.assign(error=(rows["estimate"] - rows["truth"]).abs()).dropna(subset=["error"])
    groups = known.groupby(["method", "metric", "name", X], sort=False)["error"]
    found = groups.agg(
        error="mean", error_se=lambda values: standard_error(values.to_numpy()), replicates="size"
    )
    return found.reset_index()


def _errors(rows: pd.DataFrame) -> Figure:
    """Draw a panel for precision and recall: mean absolute error by day."""
    figure, axes = new_figure(1, len(AUDITED), 2.7)
    for panel, name in zip(axes[0], AUDITED, strict=True):
        own = rows[rows["name"] == name]
        for method in method_order(own["method"]):
            line = Series(method, style_of(method), own[own["method"] == method])
            draw_line(panel, line, X, "error", "error_se")
        panel.set_title(name.capitalize())
        panel.set_xlabel("Day")
        panel.set_ylim(bottom=0)
    axes[0][0].set_ylabel("Absolute error")
    legend_above(figure, axes[0][0], 4)
    return figure


def draw_clara_days(
    table: pd.DataFrame,
    *,
    show: str,
    replicate: int = 0,
    labels: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw estimates with intervals by day, or absolute errors by day.

    Args:
        table: results of every replicate, of experiments that vary `day`; for errors, or a summary.
        show: `estimates` (of prevalence, TPR and TNR; a column of panels for each experiment) or
            `errors` (of precision and recall).
        replicate: whose estimates are drawn.
        labels: experiment -> title.

    Returns:
        the figure and the rows that it shows: for errors, means over replicates, with bars of one
        standard error where there are two or more.

    Raises:
        ValueError: where the table lacks the day or a metric, or `show` is neither.
    """
    if show == ESTIMATES:
        rows = _check(table, tuple(RATES))
        shown = rows[rows["replicate"] == replicate]
        figure = _estimates(shown, labels or {})
        note = f"{shown[X].nunique()} days; bars are intervals, black lines the truth"
    elif show == ERRORS:
        rows = _check(table, AUDITED)
        shown = rows if "error" in rows else _mean_errors(rows)
        figure = _errors(shown)
        note = replicates_text(shown, " a day")
    else:
        raise ValueError(f"show: found {show!r}, expected {ESTIMATES!r} or {ERRORS!r}")
    fits = gate_note(rows.drop(columns="name"))
    figure.supxlabel(f"Simulated stand-in; {note}; {fits}", fontsize=7)
    return figure, shown


PLOT = Plot("clara_days", draw_clara_days)
