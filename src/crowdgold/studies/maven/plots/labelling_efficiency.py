"""Equal-width contours over items and gold labels, and what they save (MAVEN, section 6)."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from crowdgold.evaluation.fits import gate_note
from crowdgold.metrics import label_of
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.style import AXIS_LABELS, new_figure
from crowdgold.studies.maven.labelling_savings import Study, study_labelling

LINES = {"items": "-", "population": "--"}
AIMS = {"items": "about these items", "population": "about the population"}
COLOURS = {"paper": "#0072B2", "best": "#D55E00"}
ALL_LABELS = "#000000"
OTHER = "#808080"


def _contours(axes: Axes, shown: pd.DataFrame, study: Study) -> None:
    """Draw the contours, each named by the gold labels alone that give intervals as narrow."""
    contours = shown[shown["part"] == "contour"]
    for aim, gold_only in dict.fromkeys(zip(contours["aim"], contours["gold_only"], strict=True)):
        line = contours[(contours["aim"] == aim) & (contours["gold_only"] == gold_only)]
        last = gold_only == study.costs.gold_only
        colour, width = (ALL_LABELS, 1.4) if last else (OTHER, 0.9)
        axes.plot(line["n"], line["n_gold"], color=colour, linewidth=width, linestyle=LINES[aim])
        end = line.iloc[-1]
        text = f" {gold_only:,.0f}"
        axes.text(end["n"], end["n_gold"], text, fontsize=6, va="center", color=colour)
    for aim, style in LINES.items():
        axes.plot([], [], style, color=ALL_LABELS, linewidth=1.4, label=AIMS[aim])
    measured = shown[(shown["part"] == "measured") & (shown["method"] == study.method)]
    axes.plot(
        measured["n"], measured["n_gold"], ".", color=OTHER, markersize=3, label="measured here"
    )
    star: dict[str, Any] = {"color": COLOURS["paper"], "markersize": 9, "linestyle": "none"}
    axes.plot(study.n, study.n_gold, "*", label="in the paper", **star)
    axes.set_xscale("log")
    axes.set_yscale("log")
    sizes = sorted(measured["n"].unique())
    axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(sizes[0] / 1.2, sizes[-1] * 2)
    lowest = pd.concat([contours["n_gold"], measured["n_gold"]]).min()
    axes.set_ylim(bottom=lowest / 6)  # room for the legend
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, position: f"{value:,.0f}"))
    axes.set_xlabel(AXIS_LABELS["n"])
    axes.set_ylabel(AXIS_LABELS["n_gold"])
    axes.set_title(f"As narrow as {study.baseline} with so many gold labels")
    axes.legend(frameon=False, loc="lower right", ncols=2, fontsize=6.5, columnspacing=1.0)


def _savings(axes: Axes, shown: pd.DataFrame, study: Study) -> None:
    """Draw the saving against the cost ratio, with one standard error to each side."""
    savings = shown[shown["part"] == "saving"]
    names = {"paper": f"n = {study.n:,.0f}", "best": "best n"}
    for aim, line in LINES.items():
        for where, colour in COLOURS.items():
            rows = savings[(savings["aim"] == aim) & (savings["where"] == where)]
            low, high = rows["value"] - rows["value_se"], rows["value"] + rows["value_se"]
            label = f"{names[where]}, {AIMS[aim]}"
            axes.plot(rows["cost_ratio"], rows["value"], line, color=colour, label=label)
            axes.fill_between(rows["cost_ratio"], low, high, color=colour, alpha=0.15, linewidth=0)
    printed = shown[(shown["part"] == "ratio") & (shown["where"] == "printed numbers")]
    axes.axhline(study.saving, color=OTHER, linewidth=0.8)
    axes.plot(printed["value"], study.saving, "*", color=COLOURS["paper"], markersize=9)
    ratios = list(study.cost_ratios)
    axes.set_xlim(min(ratios) / 1.2, max(ratios) * 1.2)
    axes.set_xscale("log")
    axes.set_xticks(ratios, [f"{ratio:g}" for ratio in ratios])
    axes.minorticks_off()
    if savings.empty:
        axes.text(0.5, 0.6, "no interval here is as narrow", ha="center", transform=axes.transAxes)
    lowest = savings["value"].min() if len(savings) else 0.0
    axes.set_ylim(max(lowest - 0.05, -0.5), 1)
    axes.set_xlabel("Cost of an expert's label in crowd votes")
    axes.set_ylabel("Share of the labelling cost saved")
    axes.set_title(f"Against {study.costs.gold_only:,.0f} gold labels alone")
    axes.legend(frameon=False, loc="lower right", fontsize=6.5)


def draw_labelling_efficiency(table: pd.DataFrame, study: Study) -> tuple[Figure, pd.DataFrame]:
    """Draw equal-width contours over n and n_gold, and savings against the cost ratio.

    Args:
        table: long results of the method on a grid of n and gold fractions, and of gold alone.
        study: what is asked.

    Returns:
        the figure and the table of `study_labelling`. Solid lines: the method's interval is about
        the items themselves, as the paper has it; dashed: with the width of n labels added, so that
        it is about a population, as that of gold labels alone is. Bands: one standard error.
    """
    widths, shown = study_labelling(table, study)
    figure, axes = new_figure(1, 2, 3.4)
    _contours(axes[0][0], shown, study)
    _savings(axes[0][1], shown, study)
    measured = shown[shown["part"] == "measured"]
    figure.supxlabel(
        f"{label_of(study.metric)}; {int(measured['replicates'].min())} or more replicates in each "
        f"setting; widths fitted to {np.expm1(widths.method.left_out):.0%} ({study.method}) and "
        f"{np.expm1(widths.gold.left_out):.0%} ({study.baseline}), each setting from the others\n"
        f"{gate_note(table[table['metric'] == study.metric])}",
        fontsize=7,
    )
    return figure, shown


PLOT = Plot("labelling_efficiency", draw_labelling_efficiency, asks=Study)
