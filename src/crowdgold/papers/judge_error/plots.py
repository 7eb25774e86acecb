"""The figures of the judge-error post and of what follows from it: rates, formula, methods."""

from collections.abc import Sequence

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
    log_ticks,
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


def _panel(axes: Axes, rows: pd.DataFrame, prevalence: float) -> None:
    """Draw each estimator's histogram and, above it, its mean with an error bar of mean length."""
    top = float(rows.loc[rows["quantity"] == "bin", "value"].max())
    for place, (estimator, method) in enumerate(LOOKS.items()):
        own, look = rows[rows["estimator"] == estimator], style_of(method)
        bins = own[own["quantity"] == "bin"].sort_values("low")
        width = float(np.diff(bins["low"]).min())
        axes.bar(bins["low"], bins["value"], width, align="edge", color=look.colour, alpha=0.55,
                 label=estimator)  # fmt: skip
        found, height = own.set_index("quantity")["value"], top * (1.12 + 0.16 * place)
        axes.errorbar(found["mean"], height, xerr=found["reach"], color=look.colour,
                      marker=look.marker, capsize=3, linewidth=1.4)  # fmt: skip
        text = f"mean {found['mean']:.3f}, MSE {found['mse']:.4f}, covers {found['coverage']:.1%}"
        axes.annotate(
            text, (found["mean"], height), xytext=(0, 5), textcoords="offset points", ha="center",
            fontsize=6.5, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )  # fmt: skip
    axes.axvline(prevalence, color="#222222", linewidth=1, linestyle="--")
    axes.set_ylim(0, top * 1.42)
    axes.set_xlim(0.55, 0.83)
    axes.set_xlabel("Estimated share of positives")


def draw_judge_error_simulation(
    table: pd.DataFrame, *, prevalence: float, printed_false_positives: int
) -> tuple[Figure, pd.DataFrame]:
    """Draw the histogram of both estimators, as described and as published.

    The table is what `judge_error_simulation` gives, with runs of given false positives;
    the first run as described is shown, and the published one.
    """
    require(table, (*COLUMNS, "false_positives"))
    wrong = printed_false_positives
    exact = table[(table["variant"] == "exact") & (table["replicate"] == 0)]
    published = table[table["false_positives"] == wrong]
    published = published[published["replicate"] == 0].assign(variant="published")
    if exact.empty or published.empty:
        raise ValueError(f"no run as described, or none with {wrong} false positives in all")
    figure, axes = new_figure(1, 2, 3.0)
    titles = "As described", f"As published: {wrong} false positives in each"
    for panel, rows, title in zip(axes[0], (exact, published), titles, strict=True):
        _panel(panel, rows, prevalence)
        panel.set_title(title)
    axes[0][0].set_ylabel("Share of simulations")
    figure.supxlabel("dashed: the truth; lines above: means and mean 95 % error bars", fontsize=7)
    legend_above(figure, axes[0][0], 2)
    return figure, pd.concat([exact, published], ignore_index=True)


PLOT = Plot("judge_error_simulation", draw_judge_error_simulation)


WORDS = {
    "tpr": "TPR {}",
    "quality": "TPR-TNR {}",
    "n_gold": "{} gold",
    "n_labels": "{} judge(s)",
    "gold_positives": "{} gold positives",
    "gold_negatives": "{} gold negatives",
}
"""What stands above a column for the value of a setting."""
LOWEST = 0.5
"""The coverage axis starts here; lower coverage, as the naive rate often has, is a triangle."""


X = "prevalence"


def _draw_column(
    panels: list[Axes], part: pd.DataFrame, lines: Sequence[Series], level: float
) -> None:
    """Draw one setting: bias, width and coverage, one above the other."""
    apart = 0.012 * max(float(part[X].max() - part[X].min()), 0.1)
    bias, width, coverage = panels
    for panel, value in zip(panels, ("bias", "width", "coverage"), strict=True):
        for index, line in enumerate(lines):
            shift = apart * (index - (len(lines) - 1) / 2)
            draw_line(panel, line, X, value, f"{value}_se", shift)
            below = line.rows[line.rows["coverage"] < LOWEST]
            if value == "coverage" and len(below):
                panel.plot(below[X] + shift, [LOWEST] * len(below), color=line.look.colour,
                           marker="v", markersize=5, linestyle="none", clip_on=False,
                           zorder=5)  # fmt: skip
    bias.axhline(0, color="#666666", linewidth=0.8, zorder=0.5)
    width.set_ylim(bottom=0)
    low, high = float(part["band_low"].min()), float(part["band_high"].max())
    coverage.axhspan(low, high, color="#e8e8e8", zorder=0)
    coverage.axhline(level, color="#666666", linewidth=0.8, zorder=0.5)
    coverage.set_ylim(LOWEST, 1.02)
    coverage.set_xlabel(f"True {X}")


def draw_judge_error_methods(
    table: pd.DataFrame, *, columns: Sequence[str]
) -> tuple[Figure, pd.DataFrame]:
    """Draw bias, width and coverage of a summary against the prevalence.

    The values of the settings `columns` have a column of panels each. Bars are one standard error;
    the band is the binomial one, of 3.5 deviations. Coverage below `LOWEST` is a triangle at the
    edge.
    """
    names = list(columns)
    require(table, (X, *names, "bias", "width", "coverage"))
    rows = table[(table["metric"] == "prevalence") & (table["replicates"] > 0)]
    rows = rows.reset_index(drop=True)
    parts = list(rows.groupby(names, sort=True))
    figure, axes = new_figure(3, len(parts), 5.6)
    level = float(rows["level"].iloc[0])
    drawn = []
    for panels, (values, part) in zip(zip(*axes, strict=True), parts, strict=True):
        lines = split_series(part, [], {})
        drawn.append(rows_drawn(part, lines))
        _draw_column(list(panels), part, lines, level)
        pairs = zip(names, values, strict=True)
        words = [WORDS.get(name, f"{name} {{}}").format(value_text(value)) for name, value in pairs]
        panels[0].set_title("\n".join(words), fontsize=8)
    titles = "Bias", f"Width of {level:.0%} intervals", "Coverage"
    for line_of_panels, title in zip(axes, titles, strict=True):
        line_of_panels[0].set_ylabel(title)
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


def draw_judge_error_formula(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw two panels: the corrected rate, and its standard error, against the judged rate.

    The table is what the computation `judge_error_formula` gives, for judges of several qualities.
    """
    require(table, ("tpr", "tnr", "judged_rate", "corrected", "error", "naive_error"))
    figure, ((left, right),) = new_figure(1, 2, 2.9)
    lines = ("-", "--", "-.", "-", ":")
    for index, ((tpr, tnr), rows) in enumerate(table.groupby(["tpr", "tnr"], sort=False)):
        colour, line = COLOURS[index % len(COLOURS)], lines[index % len(lines)]
        name = f"TPR {tpr:g}, TNR {tnr:g}"
        left.plot(rows["judged_rate"], rows["corrected"], color=colour, linestyle=line, label=name)
        right.plot(rows["judged_rate"], rows["error"], color=colour, linestyle=line)
    left.set_ylabel("Corrected rate $p$")
    right.set_ylabel("Standard error of $p$")
    right.set_ylim(bottom=0)
    for panel in (left, right):
        panel.set_xlim(0, 1)
        panel.set_xlabel("Share judged positive $p_J$")
    figure.supxlabel("exact: nothing is simulated", fontsize=7)
    legend_above(figure, left, 3)
    return figure, table


FORMULA_PLOT = Plot("judge_error_formula", draw_judge_error_formula)


GRADED = {"naive": MAJORITY.name, "corrected": ROGAN_GLADEN.name}
"""Estimator of graded judgements -> the method whose look it has."""


def draw_graded_judgements(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw bias over the truth, and coverage, against the gold labels of each grade.

    The table is what the computation `graded_judgements` gives; its quantities have a column of
    panels each, numbers of queries a line each. Judges of each quality have two rows of panels.
    """
    require(
        table,
        ("right", "queries", "gold", "quantity", "estimator", "bias", "coverage", "simulations"),
    )
    quantities = list(dict.fromkeys(table["quantity"]))
    judges = sorted(table["right"].unique())
    figure, axes = new_figure(2 * len(judges), len(quantities), 3.6 * len(judges))
    for pair, right in enumerate(judges):
        biases, coverages = axes[2 * pair], axes[2 * pair + 1]
        for place, quantity in enumerate(quantities):
            own = table[(table["quantity"] == quantity) & (table["right"] == right)]
            for (estimator, queries), rows in own.groupby(["estimator", "queries"], sort=False):
                look = style_of(GRADED[estimator])
                filled = queries == own["queries"].max()
                for panel, value, scale in (
                    (biases[place], "bias", float(rows["truth"].iloc[0])),
                    (coverages[place], "coverage", 1.0),
                ):
                    panel.errorbar(
                        rows["gold"], rows[value] / scale, yerr=rows[f"{value}_se"] / scale,
                        color=look.colour, marker=look.marker, linestyle="-" if filled else ":",
                        markerfacecolor=look.colour if filled else "white", markersize=4,
                        label=f"{estimator}, {queries:,} queries",
                    )  # fmt: skip
                    sizes = sorted(own["gold"].unique())
                    log_ticks(panel, sizes, [f"{size:,}" for size in sizes], fontsize=7)
            if pair == 0:
                biases[place].set_title(quantity[0].upper() + quantity[1:])
            biases[place].axhline(0, color="#666666", linewidth=0.8, zorder=0.5)
            coverages[place].axhline(0.95, color="#666666", linewidth=0.8, zorder=0.5)
            coverages[place].set_ylim(-0.03, 1.03)
        ends = np.array([panel.get_ylim() for panel in biases])
        for panel in biases:
            panel.set_ylim(ends.min(), ends.max())
        biases[0].set_ylabel(f"Judges {right:.0%} right\n\nBias / truth")
        coverages[0].set_ylabel("Coverage")
    for panel in axes[-1]:
        panel.set_xlabel("Gold labels of each grade")
    figure.supxlabel(f"{int(table['simulations'].min()):,} simulated studies each", fontsize=7)
    legend_above(figure, axes[0][0], 4)
    return figure, table


GRADED_PLOT = Plot("graded_judgements", draw_graded_judgements)
