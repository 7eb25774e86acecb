"""Error, interval length and coverage against the true prevalence (CLARA, figures 2 and 11)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from crowdgold.evaluation.fits import gate_note
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import draw_line, replicates_text, rows_drawn, split_series
from crowdgold.plotting.style import legend_above, new_figure

SHIFT = 0.008
"""Of the horizontal range: lines stand this far apart, so that their bars can be told apart."""
PANELS = (
    ("error", "Mean absolute error"),
    ("width", "Length of the {level:.0%} interval"),
    ("coverage", "Coverage of the {level:.0%} interval"),
)
NAMES = {
    "tpr": "TPR",
    "separation": {"none": "no scores", "1": "scores from ∓1", "4": "scores from ∓4"},
}
"""What stands in the legend for the values of a column."""


def _chosen(table: pd.DataFrame, x: str, metric: str, methods: Collection[str]) -> pd.DataFrame:
    """The rows of the metric and the methods that are drawn."""
    if x not in table:
        raise ValueError(f"the table has no column {x!r} for the horizontal axis")
    missing = sorted(set(methods) - set(table["method"]))
    if missing:
        raise ValueError(f"the table has no rows of the methods {missing}")
    rows = table[(table["metric"] == metric) & table["method"].isin(methods)]
    rows = rows[rows["replicates"] > 0]
    if rows.empty:
        raise ValueError(f"the table has no estimates of the metric {metric!r}")
    return rows.reset_index(drop=True)


def draw_clara_prevalence(
    table: pd.DataFrame,
    *,
    x: str = "prevalence",
    metric: str = "prevalence",
    by: Sequence[str] = (),
    methods: Sequence[str] | None = None,
    names: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw three panels: mean absolute error, length of the intervals, and their coverage.

    Args:
        table: a summary of replicates.
        x: the column on the horizontal axis.
        metric: whose errors and intervals are drawn.
        by: columns whose values make lines of their own.
        methods: those drawn (all of the table by default).
        names: column -> the word before its values, or value -> words.

    Returns:
        the figure and the rows that it shows. Bars are one standard error; lines stand a little
        apart, so that a point is not quite above its prevalence. The band is the
        two-sided binomial one, of 3.5 deviations, of the setting with the fewest intervals.

    Raises:
        ValueError: where the table lacks a column, the metric or a method.
    """
    rows = _chosen(table, x, metric, methods or set(table["method"]))
    names = {**NAMES, **(names or {})}
    lines = split_series(rows, list(by), names)
    shown = rows_drawn(rows, lines)
    level = float(shown["level"].iloc[0])
    apart = SHIFT * float(shown[x].max() - shown[x].min())
    figure, axes = new_figure(1, len(PANELS), 2.9)
    for panel, (value, title) in zip(axes[0], PANELS, strict=True):
        for index, line in enumerate(lines):
            shift = apart * (index - (len(lines) - 1) / 2)
            draw_line(panel, line, x, value, f"{value}_se", shift)
        panel.set_xlabel(f"True {x}")
        panel.set_title(title.format(level=level))
        panel.set_ylim(bottom=0)
    coverage = axes[0][-1]
    low, high = float(shown["band_low"].min()), float(shown["band_high"].max())
    coverage.axhspan(low, high, color="#e8e8e8", zorder=0)
    coverage.axhline(level, color="#666666", linewidth=0.8, zorder=0.5)
    coverage.set_ylim(-0.03, 1.03)
    figure.supxlabel(
        f"{replicates_text(shown)}; band: binomial, 3.5 deviations; {gate_note(shown)}",
        fontsize=7,
    )
    legend_above(figure, axes[0][0], 4)
    return figure, shown


PLOT = Plot("clara_prevalence", draw_clara_prevalence)
