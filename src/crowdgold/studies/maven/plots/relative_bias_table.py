"""The table of absolute bias relative to gold labels alone (MAVEN, table 3), drawn as a figure."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.evaluation.fits import gate_note
from crowdgold.metrics import label_of
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import count_replicates
from crowdgold.plotting.style import new_figure
from crowdgold.studies.maven.relative_bias import relative_bias

LINE = 0.19
"""Inches of a line of the table."""
LEFT = -0.95
"""Where the methods' names begin, in widths of a column of cells, which begin at -0.3."""


def select_task(table: pd.DataFrame, task: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of a task: of its experiment, where settings have the values asked for.

    None where the table has no rows of the experiment, as of a dataset that cannot be had; its
    settings are no columns then.

    Raises:
        ValueError: where the experiment has no such setting column.
    """
    rows = table[table["experiment"] == task["experiment"]]
    if rows.empty:
        return rows
    for column, value in task.get("where", {}).items():
        if column not in rows:
            raise ValueError(f"{task['experiment']}: the table has no column {column!r}")
        rows = rows[rows[column] == value]
    return rows


def _cell(row: Mapping[str, Any]) -> str:
    if pd.isna(row["relative"]):
        return "–"
    error = "" if pd.isna(row["relative_se"]) else f" ± {row['relative_se']:.2f}"
    return f"{row['relative']:.2f}{error}"


def _panel(axes: Axes, title: str, shown: pd.DataFrame, metrics: Sequence[str]) -> None:
    """Write one task's table; the axes' unit is a line, and a column of cells has width 1."""
    axes.set_axis_off()
    methods = list(dict.fromkeys(shown["method"]))
    axes.set_xlim(LEFT, len(metrics) - 0.3)
    axes.set_ylim(len(methods) + 1.6, -0.8)
    replicates = count_replicates(shown["replicates"])
    axes.text(LEFT, -0.15, f"{title}  ({replicates})", fontsize=8, va="center")
    for column, metric in enumerate(metrics):
        label = label_of(metric)
        axes.text(column + 0.2, 0.95, label, ha="center", va="center", fontsize=7.5)
    for y in (0.45, 1.45, len(methods) + 1.55):
        axes.hlines(y, LEFT, len(metrics) - 0.3, color="#444444", linewidth=0.6)
    for line, method in enumerate(methods, start=2):
        axes.text(LEFT, line, method, va="center", fontsize=7.5)
        for row in shown[shown["method"] == method].to_dict("records"):
            weight = "bold" if row["within"] else "normal"
            x = metrics.index(row["metric"]) + 0.2
            axes.text(x, line, _cell(row), ha="center", va="center", fontsize=7.5, weight=weight)


def draw_relative_bias_table(
    table: pd.DataFrame,
    *,
    tasks: Sequence[Mapping[str, Any]],
    methods: Sequence[str],
    metrics: Sequence[str],
    baseline: str,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a table for each task: methods down, metrics across, two tables side by side.

    Args:
        table: the long results tables of the tasks' experiments.
        tasks: {experiment, title, where: {setting: value}}.
        baseline: the method whose error is 1.

    Returns:
        the figure and its numbers. A cell is the mean absolute error over the baseline's, with the
        standard error as the paper prints it; `paired_se` beside it in the rows is the ratio's.
        Bold: at most one standard error of the baseline above it. Tasks that the table does not
        have are named below.

    Raises:
        ValueError: where the table has none of the tasks, or a task's rows lack the baseline.
    """
    found, missing, fits = {}, [], []
    for task in tasks:
        rows = select_task(table, task)
        if len(rows):
            fits.append(rows[rows["method"].isin(methods) & rows["metric"].isin(metrics)])
            found[task["title"]] = relative_bias(rows, list(methods), list(metrics), baseline)
        else:
            missing.append(task["title"])
    if not found:
        raise ValueError(f"the table has none of the tasks {missing}")
    lines = max(numbers["method"].nunique() for numbers in found.values())
    grid = -(-len(found) // 2)
    figure, axes = new_figure(grid, 2, grid * (lines + 3.2) * LINE + 0.3)
    panels = [panel for row in axes for panel in row]
    for panel, (title, numbers) in zip(panels, found.items(), strict=False):
        _panel(panel, title, numbers, metrics)
    for panel in panels[len(found) :]:
        panel.set_axis_off()
    absent = f"\nNo data: {', '.join(missing)}." if missing else ""
    figure.supxlabel(
        f"Mean |estimate $-$ truth|, relative to {baseline}, ± standard error; bold: at "
        f"most one standard error of {baseline} above it.\n"
        f"{gate_note(pd.concat(fits))}.{absent}",
        fontsize=7,
    )
    frames = [numbers.assign(task=title) for title, numbers in found.items()]
    shown = pd.concat(frames, ignore_index=True)
    return figure, shown[["task", *[name for name in shown.columns if name != "task"]]]


PLOT = Plot("relative_bias_table", draw_relative_bias_table)
