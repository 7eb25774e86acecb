"""STABLEVAL's tables on real data, drawn as figures (tables 1 to 3 and 8 to 29)."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.evaluation.fits import gate_note
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.style import new_figure
from crowdgold.studies.stableval import agent_tables

LINE = 0.17
"""Inches of a line of a table."""
HEAD = 2.2
"""Lines that a table's title and heading take."""
TOP = 10
"""Rows that are drawn of annotators and responses; the .csv has them all."""
FIRST = {"scores": 0.3, "ambiguous": 0.41}
"""Share of a panel's width that the names of its rows take; 0.4 of the others."""
WHOLE = (
    "labels", "responses", "agents", "annotators", "level", "agents with another rank",
    "highly ambiguous",
)  # fmt: skip
"""Rows and columns of whole numbers."""


def _scores(rows: pd.DataFrame) -> pd.DataFrame:
    frame = agent_tables.scores(rows)
    return frame[[*agent_tables.METHODS, agent_tables.GAIN, "responses"]]


def _stability(rows: pd.DataFrame) -> pd.DataFrame:
    names = {"rank_sd": "rank sd", "rank_range": "range", "stability": "tau-b"}
    return agent_tables.stability(rows).rename(columns={**names, "stability_se": "± (tau-b)"})


def _ambiguous(rows: pd.DataFrame) -> pd.DataFrame:
    return agent_tables.ambiguous(rows)[["ambiguity", "confidence", "level", "entropy"]]


PANELS: Mapping[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "statistics": agent_tables.statistics,
    "scores": _scores,
    "stability": _stability,
    "quality": agent_tables.quality,
    "ambiguous": _ambiguous,
    "findings": agent_tables.findings,
}
"""Kinds of table, by name."""
TITLES = {
    "statistics": "Labels and their agreement",
    "scores": "Agent scores",
    "stability": "Ranking stability",
    "quality": "Annotators, the most accurate first",
    "ambiguous": "Most ambiguous responses",
    "findings": "Key findings",
}


def _text(value: float, row: str, column: str) -> str:
    """Write a number: those that count without decimals, others with three."""
    if pd.isna(value):
        return "–"
    return f"{value:,.0f}" if row in WHOLE or column in WHOLE else f"{value:.3f}"


def _draw(axes: Axes, title: str, frame: pd.DataFrame, first: float, lines: int) -> None:
    """Write a table into a panel of so many lines; a line is a unit of its height."""
    axes.set_axis_off()
    shown = frame.head(TOP)
    axes.set_xlim(0, 1)
    axes.set_ylim(lines + HEAD, -0.2)
    axes.text(0, 0.3, title, fontsize=8, weight="bold", va="center")
    step = (1 - first) / len(frame.columns)
    for column, name in enumerate(frame.columns):
        at = first + (column + 1) * step
        axes.text(at, 1.3, str(name), fontsize=6, ha="right", va="center")
    for y in (0.8, 1.8, len(shown) + 1.8):
        axes.hlines(y, 0, 1, color="#444444", linewidth=0.5)
    for line, (label, row) in enumerate(shown.iterrows(), start=2):
        axes.text(0, line + 0.3, str(label), fontsize=6, va="center")
        for column, (head, value) in enumerate(row.items()):
            at, text = first + (column + 1) * step, _text(float(value), str(label), str(head))
            axes.text(at, line + 0.3, text, fontsize=6.5, ha="right", va="center")


def _long(title: str, frame: pd.DataFrame) -> pd.DataFrame:
    rows = [
        {"table": title, "row": name, "column": column, "value": value}
        for name, row in frame.iterrows()
        for column, value in row.items()
    ]
    return pd.DataFrame(rows)


def draw_agent_tables(
    table: pd.DataFrame,
    *,
    numbers: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw the tables of a dataset in a grid, two side by side.

    Args:
        table: the results table of one experiment.
        numbers: kind of table (`PANELS`) -> its number in the paper.

    Returns:
        the figure and its numbers, a row a cell: table, row, column and value.

    Raises:
        ValueError: where the table lacks a metric or a method.
    """
    numbers = numbers or {}
    frames = {
        f"{TITLES[kind]}" + (f" (table {numbers[kind]})" if kind in numbers else ""): make(table)
        for kind, make in PANELS.items()
    }
    rows = -(-len(frames) // 2)
    longest = [min(TOP, max(map(len, list(frames.values())[2 * row : 2 * row + 2])))
               for row in range(rows)]  # fmt: skip
    heights = [lines + HEAD + 0.2 for lines in longest]
    figure, grid = new_figure(rows, 2, sum(heights) * LINE * 1.1 + 0.3)
    spec = grid[0][0].get_gridspec()
    if spec is not None:
        spec.set_height_ratios(heights)
    panels = [(panel, lines) for row, lines in zip(grid, longest, strict=True) for panel in row]
    for (axes, lines), kind, (title, frame) in zip(panels, PANELS, frames.items(), strict=True):
        _draw(axes, title, frame, FIRST.get(kind, 0.4), lines)
    figure.supxlabel(gate_note(table, longest=1), fontsize=7)
    return figure, pd.concat([_long(*one) for one in frames.items()], ignore_index=True)


def draw_agent_mappings(
    table: pd.DataFrame,
    *,
    labels: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw PEC scores under each mapping, with their ranks (table 3).

    Args:
        table: the results table of an experiment that varies `mapping`.
        labels: mapping -> the name that the column has.

    Returns:
        the figure and its numbers: agent, mapping, score and rank.

    Raises:
        ValueError: where the table lacks scores or ranks.
    """
    found, ranked = agent_tables.mappings(table)
    labels = labels or {}
    figure, grid = new_figure(1, 1, (len(found) + 2.6) * LINE + 0.3)
    axes = grid[0][0]
    axes.set_axis_off()
    order = found["baseline"].sort_values(ascending=False).index
    axes.set_xlim(0, len(found.columns) + 1.4)
    axes.set_ylim(len(order) + 1.4, -0.2)
    for column, mapping in enumerate(found.columns):
        heading = labels.get(str(mapping), str(mapping))
        axes.text(column + 2.2, 0.4, heading, fontsize=8, ha="right", va="center")
        for line, agent in enumerate(order, start=1):
            cell = f"{found.loc[agent, mapping]:.3f} ({ranked.loc[agent, mapping]:g})"
            axes.text(column + 2.2, line + 0.4, cell, fontsize=7.5, ha="right", va="center")
    for line, agent in enumerate(order, start=1):
        axes.text(0, line + 0.4, str(agent), fontsize=7.5, va="center")
    for y in (0, 0.9, len(order) + 1):
        axes.hlines(y, 0, len(found.columns) + 1.3, color="#444444", linewidth=0.6)
    figure.supxlabel(f"PEC score (rank); {gate_note(table, longest=1)}", fontsize=7)
    long = found.loc[order].rename_axis("agent").reset_index().melt("agent", var_name="mapping",
                                                                   value_name="score")  # fmt: skip
    rank = [float(ranked.loc[a, m]) for a, m in zip(long["agent"], long["mapping"], strict=True)]
    return figure, long.assign(rank=rank)


AGENT_TABLES = Plot("agent_tables", draw_agent_tables)
AGENT_MAPPINGS = Plot("agent_mappings", draw_agent_mappings)
