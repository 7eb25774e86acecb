"""What every method says of one metric of a user's own study: estimates and intervals, by row."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.own.report.user_names import literal
from crowdgold.plotting.style import COLUMN_WIDTH, new_figure, style_of

GROUP = "group"
CHOSEN = "chosen"
ROW_HEIGHT = 0.17
"""Inches."""
BAND = "#DDE7F0"
FAILED, CONTRADICTED = "not converged", "contradicted"


def _remark(row: pd.Series) -> str:
    """Say in a word or two what speaks against a row."""
    if not row["diagnostics_passed"]:
        return f" ({FAILED})"
    return f" ({CONTRADICTED})" if row["misfit"] == 1 else ""


def _draw_row(axes: Axes, row: pd.Series, place: float) -> None:
    style, passed = style_of(row["method"]), bool(row["diagnostics_passed"])
    if row[CHOSEN]:
        axes.axhspan(place - 0.5, place + 0.5, color=BAND, linewidth=0, zorder=0)
    if np.isfinite([row["lower"], row["upper"]]).all():
        axes.plot([row["lower"], row["upper"]], [place, place], color=style.colour, linewidth=1.6)
    axes.plot(
        row["estimate"],
        place,
        marker=style.marker,
        color=style.colour,
        markersize=5,
        markerfacecolor=style.colour if passed else "white",
    )


def draw_study_estimates(
    table: pd.DataFrame, options: Mapping[str, Any]
) -> tuple[Figure, pd.DataFrame]:
    """Draw a row for each estimate, under a heading for each group.

    Args:
        table: rows with group (a model, say; "" for none), method, estimate, lower, upper,
            diagnostics_passed, misfit (1 where gold labels contradict the row) and
            chosen (the answer), in the order from top to bottom.
        options: `label` of the axis; `zero`, whether a line marks 0.

    Returns:
        the figure and the rows that it shows: those that have an estimate.

    Raises:
        ValueError: where no row has an estimate.
    """
    shown = table[np.isfinite(table["estimate"])].reset_index(drop=True)
    if shown.empty:
        raise ValueError("no method has an estimate")
    groups = list(dict.fromkeys(shown[GROUP]))
    places, labels, headings, place = [], [], [], 0.0
    for group in groups:
        if group:
            headings.append((place, group))
            place += 1
        for _, row in shown[shown[GROUP] == group].iterrows():
            places.append(place)
            labels.append(row["method"] + _remark(row))
            place += 1
        place += 0.3
    figure, ((axes,),) = new_figure(1, 1, 0.55 + ROW_HEIGHT * place, COLUMN_WIDTH)
    ordered = pd.concat([shown[shown[GROUP] == group] for group in groups])
    for at, (_, row) in zip(places, ordered.iterrows(), strict=True):
        _draw_row(axes, row, at)
    for at, group in headings:
        axes.text(
            0.01, at, literal(group), transform=axes.get_yaxis_transform(), va="center",
            fontsize=7.5, fontweight="bold",
        )  # fmt: skip
    axes.set_yticks(places, labels)
    axes.set_ylim(place - 0.6, -0.7)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.margins(x=0.06)
    if options.get("zero"):
        axes.axvline(0, color="#444444", linewidth=0.8, linestyle=":")
    axes.set_xlabel(options["label"])
    return figure, ordered
