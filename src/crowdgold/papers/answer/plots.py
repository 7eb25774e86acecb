"""The recommended answer against the number of gold labels: coverage, and width beside gold's."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.methods.registry import baseline as method_of_gold_alone
from crowdgold.metrics.binary import label_of
from crowdgold.metrics.metric import DELTA
from crowdgold.papers.answer.cells import MEAN_WIDTHS, OF_METRIC, POOLED, answers_of
from crowdgold.plots.style import (
    AXIS_LABELS,
    COLOURS,
    Plot,
    count_replicates,
    legend_above,
    log_ticks,
    new_figure,
)

MARKERS = "os^vDPX*hd"
ALL = "all metrics"


def _lines(axes: Axes, shown: pd.DataFrame, value: str) -> None:
    """Draw a line for each metric, and a thick one for all of them.

    The difference of a metric between two models has the metric's colour, dashed and hollow.
    """
    names = list(map(str, dict.fromkeys(shown["metric"])))
    pairs = {one for one in names if one.removeprefix(DELTA) in {*names} - {one}}
    plain = [one for one in names if one not in pairs]
    for metric, rows in shown.groupby("metric", sort=False):
        whole, of_two = metric == ALL, metric in pairs
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
    log_ticks(axes, sizes, [*map(str, sizes)])
    axes.set_xlabel(AXIS_LABELS["n_gold"])


def draw_answer(
    table: pd.DataFrame,
    *,
    answer: str,
    baseline: str | None = None,
    again: dict[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw coverage (left) and width (right) against the number of gold labels, by metric.

    `table` are results of every replicate, of all worlds, with the column `n_gold`; `again` names
    experiments that repeat cells of a world, which are left out here; `labels`, experiment -> its
    words, are for the caption and the page.
    """
    baseline = baseline or method_of_gold_alone()
    answers = answers_of(table, answer, baseline, again)
    shown = pd.concat([answers.by_metric, answers.by_gold.assign(metric=ALL)], ignore_index=True)
    shown = shown.sort_values("n_gold", kind="stable")
    shown = shown[shown["intervals"] > 0].reset_index(drop=True)
    if shown.empty:
        raise ValueError(f"the table has no intervals of {answer!r}")
    order = [*dict.fromkeys(answers.by_metric["metric"]), ALL]
    drawn = shown.assign(metric=pd.Categorical(shown["metric"], order, ordered=True))
    drawn = drawn.sort_values("metric", kind="stable")
    figure, ((left, right),) = new_figure(1, 2, 3.5)
    left.axhspan(*POOLED, color="#e4e4e4", zorder=0)
    left.axhline(OF_METRIC, color="#AA3300", linewidth=0.8, linestyle="--")
    _lines(left, drawn, "coverage")
    left.set_ylim(min(0.9, float(drawn["coverage"].min()) - 0.01), 1.003)
    left.set_ylabel("Coverage of 95 % intervals")
    right.axhline(1, color="#666666", linewidth=0.8)
    # Marks above all lines, and wider than theirs; words below all lines, so that they hide none.
    for at, most in MEAN_WIDTHS.items():
        right.hlines(most, at / 1.5, at * 1.5, color="#AA3300", linewidth=2.2, zorder=5)
        right.annotate(
            f"target: {most:.2f}", (at, most), (at, 0.45), ha="center", va="top", fontsize=7,
            color="#AA3300", zorder=5,
            arrowprops={"arrowstyle": "-", "color": "#AA3300", "linewidth": 0.6},
        )  # fmt: skip
    _lines(right, drawn, "width_ratio")
    right.set_ylim(0, 1.05 * max(1.0, float(drawn["width_ratio"].max())))
    right.set_ylabel(f"Mean width / that of {baseline}")
    legend_above(figure, left, 6)
    cells = answers.cells
    figure.supxlabel(
        f"{answers.answer} in {cells['experiment'].nunique()} settings, "
        f"{count_replicates(cells['replicates'])} a cell. Grey: where all metrics together are to "
        f"be, {POOLED[0]} to {POOLED[1]}; dashed: "
        f"the least of a metric, {OF_METRIC}; red: targets for the "
        "mean width of all metrics. Bars: one standard error",
        fontsize=7,
    )
    return figure, shown


PLOT = Plot("answer", draw_answer)
