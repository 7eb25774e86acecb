"""A quantity in every configuration of a study, drawn as a table (STABLEVAL, tables 4 to 7)."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.plotting.plot import Plot
from crowdgold.plotting.style import method_order, new_figure
from crowdgold.studies.stableval.plots.agent_ablation import CONFIGURATION, recovery_of

LINE = 0.17
"""Inches of a line of the table."""
LOWER_IS_BETTER = ("mse",)


def _lines(groups: Sequence[Mapping[str, Any]], known: set[str]) -> list[tuple[str, str, str]]:
    """(group, words, configuration) of each line that the table has numbers for."""
    return [
        (str(group["title"]), str(words), name)
        for group in groups
        for name, words in group["configurations"].items()
        if name in known
    ]


def _best(rows: pd.DataFrame, quantity: str, digits: int) -> pd.Series:
    """Say which rows are the best of their experiment and configuration, as the cells read."""
    rounded = rows["shown"].round(digits)
    by = rounded.groupby([rows["experiment"], rows[CONFIGURATION]])
    best = by.transform("min" if quantity in LOWER_IS_BETTER else "max")
    return rounded == best


def _cell(row: Mapping[Any, Any], digits: int, published: bool) -> str:
    if published or pd.isna(row["shown_se"]):
        return f"{row['shown']:.{digits}f}"
    return f"{row['shown']:.{digits}f} ± {row['shown_se']:.{digits}f}"


def _write(
    axes: Axes, lines: list[tuple[str, str, str]], rows: pd.DataFrame, columns: list[Any],
    digits: int, published: str,
) -> None:  # fmt: skip
    """Write the lines; the axes' unit is a line, and a column of cells has width 1."""
    last = ""
    for number, (group, words, name) in enumerate(lines):
        if group != last:
            axes.text(-2.6, number, group, va="center", fontsize=7)
            axes.hlines(number - 0.5, -2.6, len(columns) - 0.4, color="#bbbbbb", linewidth=0.4)
            last = group
        axes.text(-0.9, number, words, va="center", fontsize=7)
        for row in rows[rows[CONFIGURATION] == name].to_dict("records"):
            place = columns.index((row["experiment"], row["method"]))
            text = _cell(row, digits, row["experiment"] == published)
            weight = "bold" if row["best"] else "normal"
            axes.text(
                place + 0.1, number, text, ha="center", va="center", fontsize=7, weight=weight
            )


def draw_agent_ablation_table(
    table: pd.DataFrame,
    *,
    quantity: str,
    digits: int,
    groups: Sequence[Mapping[str, Any]],
    scale: float = 1,
    titles: Mapping[str, Any] | None = None,
    published: str = "",
) -> tuple[Figure, pd.DataFrame]:
    """Draw the table: configurations down, methods across, once for each experiment.

    Args:
        table: results tables with `score:each` of every agent and replicate, or with a metric
            `stability...`.
        quantity: one of `ranking_recovery.QUANTITIES` or that metric.
        digits: of the cells.
        groups: {title, configurations: {name: words}}.
        scale: what it is multiplied by.
        titles: experiment -> its heading.
        published: the experiment on published labels, whose numbers have no error.

    Returns:
        the figure and its numbers. Bold: the best of a line, as the cells read.

    Raises:
        ValueError: where the table has none of the configurations.
    """
    rows = recovery_of(table, quantity)
    rows = rows.assign(shown=scale * rows["mean"], shown_se=scale * rows["se"])
    rows["best"] = _best(rows, quantity, digits)
    lines = _lines(groups, set(rows[CONFIGURATION]))
    if not lines:
        raise ValueError("the table has none of the configurations that the options name")
    experiments, methods = list(dict.fromkeys(rows["experiment"])), method_order(rows["method"])
    columns = [(experiment, method) for experiment in experiments for method in methods]
    figure, ((axes,),) = new_figure(1, 1, (len(lines) + 4) * LINE + 0.4)
    axes.set_axis_off()
    axes.set_xlim(-2.6, len(columns) - 0.4)
    axes.set_ylim(len(lines), -3)
    titles = titles or {}
    for place, (experiment, method) in enumerate(columns):
        axes.text(place + 0.1, -1, method, ha="center", va="center", fontsize=7.5)
        if method == methods[len(methods) // 2]:
            heading = str(titles.get(experiment, experiment))
            axes.text(place + 0.1, -2.1, heading, ha="center", va="center", fontsize=7.5)
    _write(axes, lines, rows, columns, digits, published)
    numbers = ", ".join(map(str, sorted(set(rows["replicates"].astype(int)))))
    figure.supxlabel(
        f"{numbers} replicates; ± standard error; bold: the best of a line",
        fontsize=7,
    )
    kept = rows[rows[CONFIGURATION].isin([name for _, _, name in lines])]
    return figure, kept.drop(columns=["shown", "shown_se"]).reset_index(drop=True)


PLOT = Plot("agent_ablation_table", draw_agent_ablation_table)
