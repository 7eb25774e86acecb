"""Bias, interval width and coverage of a rate by method, in several settings."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.evaluation.fits import gate_note
from crowdgold.plotting.plot import Plot, require
from crowdgold.plotting.series import (
    Series,
    draw_line,
    replicates_text,
    rows_drawn,
    split_series,
    value_text,
)
from crowdgold.plotting.style import legend_above, new_figure

PANELS = (
    ("bias", "Bias"),
    ("width", "Width of {level:.0%} intervals"),
    ("coverage", "Coverage"),
)
WORDS = {
    "tpr": "TPR {}",
    "quality": "TPR-TNR {}",
    "n_gold": "{} gold",
    "n_labels": "{} judge(s)",
    "gold_positives": "{} gold positives",
    "gold_negatives": "{} gold negatives",
}
"""What stands above a column for the value of a setting."""
SHIFT = 0.012
"""Of the horizontal range, between the lines of a panel."""
LOWEST = 0.5
"""The coverage axis starts here; what is below it, as the naive rate often is, has a mark."""


def _columns(table: pd.DataFrame, names: list[str]) -> list[tuple[str, pd.DataFrame]]:
    """Split a table by the values of columns: words for them, and their rows."""
    parts = []
    for values, rows in table.groupby(names, sort=True):
        pairs = zip(names, values if isinstance(values, tuple) else (values,), strict=True)
        words = [WORDS.get(name, f"{name} {{}}").format(value_text(value)) for name, value in pairs]
        parts.append(("\n".join(words), rows))
    return parts


def _mark_below(panel: Axes, line: Series, x: str, shift: float) -> None:
    """Mark coverage below the axis by a triangle at its lower edge."""
    below = line.rows[line.rows["coverage"] < LOWEST]
    if below.empty:
        return
    panel.plot(
        below[x] + shift,
        [LOWEST] * len(below),
        color=line.look.colour,
        marker="v",
        markersize=5,
        linestyle="none",
        clip_on=False,
        zorder=5,
    )


def draw_judge_error_methods(
    table: pd.DataFrame,
    *,
    columns: Sequence[str],
    x: str = "prevalence",
    only: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a column of panels for each setting: bias, width and coverage against the prevalence.

    Args:
        table: a summary of replicates.
        columns: the settings whose values make columns of panels.
        x: the setting on the horizontal axis.
        only: the values of settings that are drawn.

    Returns:
        the figure and the rows that it shows. Bars are one standard error; the band is the
        binomial one, of 3.5 deviations. Coverage below `LOWEST` is a triangle at the edge.
    """
    names, only = list(columns), only or {}
    wanted = (x, *names, *only, "bias", "width", "coverage")
    require(table, wanted)
    rows = table[(table["metric"] == "prevalence") & (table["replicates"] > 0)]
    for name, value in only.items():
        rows = rows[rows[name] == value]
    rows = rows.reset_index(drop=True)
    parts = _columns(rows, names)
    figure, axes = new_figure(len(PANELS), len(parts), 5.6)
    level = float(rows["level"].iloc[0])
    drawn = []
    for column, (title, part) in enumerate(parts):
        lines = split_series(part, [], {})
        drawn.append(rows_drawn(part, lines))
        apart = SHIFT * max(float(part[x].max() - part[x].min()), 0.1)
        for line_of_panels, (value, label) in zip(axes, PANELS, strict=True):
            panel = line_of_panels[column]
            for index, line in enumerate(lines):
                shift = apart * (index - (len(lines) - 1) / 2)
                draw_line(panel, line, x, value, f"{value}_se", shift)
                if value == "coverage":
                    _mark_below(panel, line, x, shift)
            if column == 0:
                panel.set_ylabel(label.format(level=level))
        axes[0][column].set_title(title, fontsize=8)
        axes[0][column].axhline(0, color="#666666", linewidth=0.8, zorder=0.5)
        axes[1][column].set_ylim(bottom=0)
        low, high = float(part["band_low"].min()), float(part["band_high"].max())
        axes[2][column].axhspan(low, high, color="#e8e8e8", zorder=0)
        axes[2][column].axhline(level, color="#666666", linewidth=0.8, zorder=0.5)
        axes[2][column].set_ylim(LOWEST, 1.02)
        axes[2][column].set_xlabel(f"True {x}")
    for line_of_panels in axes:
        for panel in line_of_panels[1:]:
            panel.tick_params(labelleft=False)
    for line_of_panels in axes[:2]:
        low = min(panel.get_ylim()[0] for panel in line_of_panels)
        high = max(panel.get_ylim()[1] for panel in line_of_panels)
        for panel in line_of_panels:
            panel.set_ylim(low, high)
    shown = pd.concat(drawn, ignore_index=True)
    figure.supxlabel(f"{replicates_text(shown)}; {gate_note(shown)}", fontsize=7)
    legend_above(figure, axes[0][0], 4)
    return figure, shown


PLOT = Plot("judge_error_methods", draw_judge_error_methods)
