"""The figures of the judge-error post and of what follows from it: rates, formula, methods."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.experiment.summaries import gate_note
from crowdgold.methods.judge_error import ROGAN_GLADEN
from crowdgold.methods.votes_and_gold import MAJORITY
from crowdgold.plots.style import (
    COLOURS,
    Plot,
    Series,
    draw_line,
    legend_above,
    new_figure,
    replicates_text,
    require,
    rows_drawn,
    split_series,
    style_of,
    value_text,
)

COLUMNS = ("variant", "replicate", "estimator", "quantity", "low", "value")
LOOKS = {"naive": MAJORITY.name, ROGAN_GLADEN.name: ROGAN_GLADEN.name}
"""Estimator -> the method whose look it has."""
TITLES = {
    "exact": "As described",
    "published": "As published: {wrong} false positives in each",
}


def _bars(axes: Axes, rows: pd.DataFrame, estimator: str) -> None:
    bins = rows[(rows["estimator"] == estimator) & (rows["quantity"] == "bin")].sort_values("low")
    width = float(np.diff(bins["low"]).min())
    colour = style_of(LOOKS[estimator]).colour
    axes.bar(
        bins["low"], bins["value"], width, align="edge", color=colour, alpha=0.55, label=estimator
    )


def _error_bar(axes: Axes, rows: pd.DataFrame, estimator: str, height: float) -> None:
    own = rows[rows["estimator"] == estimator].set_index("quantity")["value"]
    axes.errorbar(
        own["mean"],
        height,
        xerr=own["reach"],
        color=style_of(LOOKS[estimator]).colour,
        marker=style_of(LOOKS[estimator]).marker,
        capsize=3,
        linewidth=1.4,
    )
    text = f"mean {own['mean']:.3f}, MSE {own['mse']:.4f}, covers {own['coverage']:.1%}"
    axes.annotate(
        text,
        (own["mean"], height),
        xytext=(0, 5),
        textcoords="offset points",
        ha="center",
        fontsize=6.5,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
    )


def _panel(axes: Axes, rows: pd.DataFrame, prevalence: float) -> None:
    for estimator in LOOKS:
        _bars(axes, rows, estimator)
    top = float(rows.loc[rows["quantity"] == "bin", "value"].max())
    for place, estimator in enumerate(LOOKS):
        _error_bar(axes, rows, estimator, top * (1.12 + 0.16 * place))
    axes.axvline(prevalence, color="#222222", linewidth=1, linestyle="--")
    axes.set_ylim(0, top * 1.42)
    axes.set_xlim(0.55, 0.83)
    axes.set_xlabel("Estimated share of positives")


def draw_judge_error_simulation(
    table: pd.DataFrame,
    *,
    prevalence: float,
    printed_false_positives: int,
) -> tuple[Figure, pd.DataFrame]:
    """Draw the histogram of both estimators, as described and as published.

    Args:
        table: what the check `judge_error_simulation` gives, with runs of given false positives.
        prevalence: the truth.
        printed_false_positives: those of the published run.

    Returns:
        the figure and the rows that it shows: the first run as described, and the published one.
        Lines above are the estimators' means with their mean error bars.

    Raises:
        ValueError: where the table lacks a column or one of the two runs.
    """
    require(table, (*COLUMNS, "false_positives"))
    wrong = printed_false_positives
    exact = table[(table["variant"] == "exact") & (table["replicate"] == 0)]
    published = table[table["false_positives"] == wrong]
    published = published[published["replicate"] == 0].assign(variant="published")
    if exact.empty or published.empty:
        raise ValueError(f"no run as described, or none with {wrong} false positives in all")
    figure, axes = new_figure(1, 2, 3.0)
    for panel, rows in zip(axes[0], (exact, published), strict=True):
        _panel(panel, rows, prevalence)
        panel.set_title(TITLES[rows["variant"].iloc[0]].format(wrong=wrong))
    axes[0][0].set_ylabel("Share of simulations")
    figure.supxlabel("dashed: the truth; lines above: means and mean 95 % error bars", fontsize=7)
    legend_above(figure, axes[0][0], 2)
    return figure, pd.concat([exact, published], ignore_index=True)


PLOT = Plot("judge_error_simulation", draw_judge_error_simulation)


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


def _draw_column(
    panels: list[Axes], part: pd.DataFrame, lines: Sequence[Series], x: str, level: float
) -> None:
    """Draw one setting: bias, width and coverage, one above the other."""
    apart = SHIFT * max(float(part[x].max() - part[x].min()), 0.1)
    for panel, (value, _) in zip(panels, PANELS, strict=True):
        for index, line in enumerate(lines):
            shift = apart * (index - (len(lines) - 1) / 2)
            draw_line(panel, line, x, value, f"{value}_se", shift)
            if value == "coverage":
                _mark_below(panel, line, x, shift)
    bias, width, coverage = panels
    bias.axhline(0, color="#666666", linewidth=0.8, zorder=0.5)
    width.set_ylim(bottom=0)
    low, high = float(part["band_low"].min()), float(part["band_high"].max())
    coverage.axhspan(low, high, color="#e8e8e8", zorder=0)
    coverage.axhline(level, color="#666666", linewidth=0.8, zorder=0.5)
    coverage.set_ylim(LOWEST, 1.02)
    coverage.set_xlabel(f"True {x}")


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
        panels = [line_of_panels[column] for line_of_panels in axes]
        _draw_column(panels, part, lines, x, level)
        panels[0].set_title(title, fontsize=8)
        if column == 0:
            for panel, (_, label) in zip(panels, PANELS, strict=True):
                panel.set_ylabel(label.format(level=level))
    for line_of_panels in axes:
        for panel in line_of_panels[1:]:
            panel.tick_params(labelleft=False)
    for line_of_panels in axes[:2]:
        low = min(panel.get_ylim()[0] for panel in line_of_panels)
        high = max(panel.get_ylim()[1] for panel in line_of_panels)
        for panel in line_of_panels:
            panel.set_ylim(low, high)
    shown = pd.concat(drawn, ignore_index=True)
    below = f"; triangles: coverage below {LOWEST}" if (shown["coverage"] < LOWEST).any() else ""
    figure.supxlabel(f"{replicates_text(shown)}; {gate_note(shown)}{below}", fontsize=7)
    legend_above(figure, axes[0][0], 4)
    return figure, shown


METHODS_PLOT = Plot("judge_error_methods", draw_judge_error_methods)


FORMULA_COLUMNS = ("tpr", "tnr", "judged_rate", "corrected", "error", "naive_error")
LINES = ("-", "--", "-.", "-", ":")


def draw_judge_error_formula(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw two panels: the corrected rate, and its standard error, against the judged rate.

    Args:
        table: what the check `judge_error_formula` gives, for judges of several qualities.
    """
    require(table, FORMULA_COLUMNS)
    figure, axes = new_figure(1, 2, 2.9)
    groups = table.groupby(["tpr", "tnr"], sort=False)
    for index, ((tpr, tnr), rows) in enumerate(groups):
        look: dict[str, Any] = {
            "color": COLOURS[index % len(COLOURS)],
            "linestyle": LINES[index % len(LINES)],
        }
        name = f"TPR {tpr:g}, TNR {tnr:g}"
        axes[0][0].plot(rows["judged_rate"], rows["corrected"], label=name, **look)
        axes[0][1].plot(rows["judged_rate"], rows["error"], **look)
    axes[0][0].set_ylabel("Corrected rate $p$")
    axes[0][1].set_ylabel("Standard error of $p$")
    axes[0][1].set_ylim(bottom=0)
    for panel in axes[0]:
        panel.set_xlim(0, 1)
        panel.set_xlabel("Share judged positive $p_J$")
    figure.supxlabel("exact: nothing is simulated", fontsize=7)
    legend_above(figure, axes[0][0], 3)
    return figure, table


FORMULA_PLOT = Plot("judge_error_formula", draw_judge_error_formula)
