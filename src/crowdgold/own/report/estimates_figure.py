"""What methods say of a metric of a user's own study, and the curves of its models."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.own.report.inline_figures import literal
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


LOOKS = (("#0072B2", "-"), ("#D55E00", "--"), ("#009E73", "-."), ("#AA4499", ":"))
"""Colour and line of the first, second ... model."""
MOST = len(LOOKS)
"""Models that one figure can show."""
PR, ROC = "PR", "ROC"
AXES = {PR: ("recall", "precision"), ROC: ("false positive rate", "recall (TPR)")}


def _bar(point: Mapping[str, float], side: str) -> list[list[float]] | None:
    """The lengths of a bar to both sides of the point, where it has an interval."""
    if f"{side}_lower" not in point:
        return None
    lower, upper = point[f"{side}_lower"], point[f"{side}_upper"]
    return [[max(0.0, point[side] - lower)], [max(0.0, upper - point[side])]]


def _draw_voters(axes: Axes, point: Mapping[str, float]) -> None:
    """Draw the point at which a single voter works, with intervals where there are any."""
    axes.errorbar(
        point["x"], point["y"], xerr=_bar(point, "x"), yerr=_bar(point, "y"), color="black",
        marker="*", markersize=9, markeredgecolor="white", markeredgewidth=0.5, linestyle="none",
        elinewidth=1.0, capsize=2, label="a single voter", zorder=5,
    )  # fmt: skip


def draw_study_curves(
    table: pd.DataFrame, options: Mapping[str, Any]
) -> tuple[Figure, pd.DataFrame]:
    """Draw a curve and its band for each model.

    Args:
        table: rows of one kind of curve with model (as it is named in the figure), at, estimate,
            lower and upper; of `MOST` models at most.
        options: `curve`, PR or ROC; `voters`, the point x, y of a single voter, with the ends of
            intervals x_lower, x_upper, y_lower, y_upper where there are any; `chance`, the
            precision of a random ranking.

    Raises:
        ValueError: where there are no rows, or more models than can be told apart.
    """
    models = list(dict.fromkeys(table["model"]))
    if not 1 <= len(models) <= MOST:
        raise ValueError(f"found {len(models)} models, expected 1 to {MOST}")
    figure, ((axes,),) = new_figure(1, 1, 3.3, COLUMN_WIDTH)
    if options["curve"] == ROC:
        axes.plot([0, 1], [0, 1], color="#777777", linewidth=0.8, linestyle=":")
    elif options.get("chance") is not None:
        axes.axhline(options["chance"], color="#777777", linewidth=0.8, linestyle=":")
    for model, (colour, line) in zip(models, LOOKS, strict=False):
        rows = table[table["model"] == model].sort_values("at")
        axes.fill_between(
            rows["at"], rows["lower"], rows["upper"], color=colour, alpha=0.2, linewidth=0
        )
        axes.plot(
            rows["at"], rows["estimate"], color=colour, linestyle=line, label=literal(model),
            linewidth=1.4,
        )  # fmt: skip
    if options.get("voters"):
        _draw_voters(axes, options["voters"])
    x, y = AXES[options["curve"]]
    axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02), xlabel=x, ylabel=y)
    axes.set_aspect("equal")
    axes.legend(
        loc="lower right" if options["curve"] == ROC else "best",
        frameon=True,
        framealpha=0.85,
        edgecolor="none",
        fontsize=7,
    )
    return figure, table
