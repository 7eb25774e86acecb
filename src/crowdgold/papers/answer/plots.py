"""The recommended answer against the number of gold labels: coverage, and width beside gold's."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from crowdgold.methods.registry import baseline as baseline_registry
from crowdgold.metrics.binary import label_of
from crowdgold.metrics.metric import DELTA
from crowdgold.papers.answer.cells import MEAN_WIDTHS, OF_METRIC, POOLED, answers_of
from crowdgold.plots.style import (
    AXIS_LABELS,
    COLOURS,
    Plot,
    count_replicates,
    legend_above,
    new_figure,
)

MARKERS = "os^vDPX*hd"
NAMED_AT = 0.45
"""Width over that of gold alone at which targets are named."""
ALL = "all metrics"
ASKED = 1.5
"""The mark of the width asked for reaches from its number of labels over this to times this."""
LOWEST = 0.9
"""The axis of coverage starts here unless a point lies lower."""


def _lines(axes: Axes, shown: pd.DataFrame, value: str) -> None:
    """Draw a line for each metric, and a thick one for all of them.

    The difference of a metric between two models has the metric's colour, dashed and hollow.
    """
    names = [str(name) for name in dict.fromkeys(shown["metric"])]
    plain = [
        name
        for name in names
        if not name.startswith(DELTA) or name.removeprefix(DELTA) not in names
    ]
    for metric, rows in shown.groupby("metric", sort=False):
        whole, of_two = metric == ALL, metric not in plain
        place = plain.index(str(metric).removeprefix(DELTA) if of_two else str(metric))
        axes.errorbar(
            rows["n_gold"],
            rows[value],
            yerr=rows[f"{value}_se"] if whole else None,
            color="#000000" if whole else COLOURS[place % len(COLOURS)],
            marker="o" if whole else MARKERS[place % len(MARKERS)],
            markerfacecolor="white" if of_two else None,
            linestyle="--" if of_two else "-",
            linewidth=2.2 if whole else 0.9,
            markersize=4 if whole else 3.5,
            alpha=1 if whole else 0.85,
            zorder=3 if whole else 2,
            label=label_of(str(metric)),
        )
    sizes = sorted(set(shown["n_gold"]))
    axes.set_xscale("log")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(AXIS_LABELS["n_gold"])


def _coverage(axes: Axes, shown: pd.DataFrame) -> None:
    axes.axhspan(*POOLED, color="#e4e4e4", zorder=0)
    axes.axhline(OF_METRIC, color="#AA3300", linewidth=0.8, linestyle="--")
    _lines(axes, shown, "coverage")
    axes.set_ylim(min(LOWEST, float(shown["coverage"].min()) - 0.01), 1.003)
    axes.set_ylabel("Coverage of 95 % intervals")


def _width(axes: Axes, shown: pd.DataFrame, baseline: str) -> None:
    axes.axhline(1, color="#666666", linewidth=0.8)
    # Above all lines, and wider than their marks.
    for at, most in MEAN_WIDTHS.items():
        axes.hlines(most, at / ASKED, at * ASKED, color="#AA3300", linewidth=2.2, zorder=5)
        # Below all lines, so that it hides none.
        axes.annotate(
            f"target: {most:.2f}", (at, most), (at, NAMED_AT), ha="center", va="top", fontsize=7,
            color="#AA3300", zorder=5,
            arrowprops={"arrowstyle": "-", "color": "#AA3300", "linewidth": 0.6},
        )  # fmt: skip
    _lines(axes, shown, "width_ratio")
    axes.set_ylim(0, 1.05 * max(1.0, float(shown["width_ratio"].max())))
    axes.set_ylabel(f"Mean width / that of {baseline}")


def draw_answer(
    table: pd.DataFrame,
    *,
    answer: str,
    baseline: str | None = None,
    again: dict[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw coverage (left) and width (right) against the number of gold labels, by metric.

    Args:
        table: results of every replicate, of all worlds, with the column `n_gold`.
        answer: the method that is judged.
        baseline: the method whose widths are compared with.
        again: experiments that repeat cells of a world, which are left out here.
        labels: experiment -> its words, for the caption and the page; they are not drawn.

    Returns:
        the figure and its rows, one for each metric and number of gold labels, over all worlds.

    Raises:
        ValueError: where the table has no interval of the answer.
    """
    baseline = baseline or baseline_registry()
    found = answers_of(table, answer, baseline, again)
    shown = pd.concat(
        [found.by_metric, found.by_gold.assign(metric=ALL)], ignore_index=True
    ).sort_values("n_gold", kind="stable")
    shown = shown[shown["intervals"] > 0].reset_index(drop=True)
    if shown.empty:
        raise ValueError(f"the table has no intervals of {found.answer!r}")
    order = [*dict.fromkeys(found.by_metric["metric"]), ALL]
    drawn = shown.assign(metric=pd.Categorical(shown["metric"], order, ordered=True))
    drawn = drawn.sort_values("metric", kind="stable")
    figure, ((left, right),) = new_figure(1, 2, 3.5)
    _coverage(left, drawn)
    _width(right, drawn, baseline)
    legend_above(figure, left, 6)
    worlds = found.cells["experiment"].nunique()
    counts = found.cells["replicates"]
    figure.supxlabel(
        f"{found.answer} in {worlds} settings, {count_replicates(counts)} a "
        f"cell. Grey: where all metrics together are to be, {POOLED[0]} to {POOLED[1]}; dashed: "
        f"the least of a metric, {OF_METRIC}; red: targets for the "
        "mean width of all metrics. Bars: one standard error",
        fontsize=7,
    )
    return figure, shown


PLOT = Plot("answer", draw_answer)
