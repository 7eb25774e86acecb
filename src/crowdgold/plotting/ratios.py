"""Error and width of one method over those of another, beside what a paper prints of them."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator

from crowdgold.evaluation.fits import gate_note
from crowdgold.evaluation.summaries import average_over_settings, compare
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import MARKERS, replicates_text
from crowdgold.plotting.style import AXIS_LABELS, COLOURS, legend_above, new_figure

PANELS = (("error_ratio", "Ratio of mean absolute errors"), ("width_ratio", "Ratio of mean widths"))
SPREAD = 0.05
"""Experiments stand this far apart, as a share of the position, so that their bars can be seen."""


def _panel(axes: Axes, shown: pd.DataFrame, value: str, x: str, labels: Mapping[str, str]) -> None:
    settings = shown.dropna(subset=[x])
    positions = sorted(settings[x].unique())
    end = positions[-1] * 2
    for index, (experiment, rows) in enumerate(shown.groupby("experiment", sort=False)):
        colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
        shift = 1 + SPREAD * (index - (shown["experiment"].nunique() - 1) / 2)
        rows = rows.sort_values(x)
        axes.errorbar(
            rows[x].fillna(end) * shift,
            rows[value],
            yerr=rows[f"{value}_se"],
            color=colour,
            marker=marker,
            linestyle="none",
            elinewidth=0.8,
            capsize=1.5,
            label=labels.get(str(experiment), str(experiment)),
        )
    axes.axhline(1, color="#666666", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xticks([*positions, end], [*(f"{at:g}" for at in positions), "mean"])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(bottom=0)


def draw_ratios(
    table: pd.DataFrame,
    *,
    method: str,
    baseline: str,
    x: str,
    metric: str,
    labels: Mapping[str, Any] | None = None,
    printed: Mapping[str, float] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw error and interval width of a method as ratios to those of a baseline.

    Args:
        table: rows of the results table, of every replicate.
        method: whose error and width are over the baseline's.
        baseline: the other method.
        x: the setting on the horizontal axis.
        metric: the name before any `@` (experiments may have thresholds of their own).
        labels: experiment -> the words that stand for it.
        printed: {error_ratio: , width_ratio: } as a paper prints them.

    Returns:
        the figure and the ratios that it shows. Bars are one standard error; the mean over the
        settings stands at the right.

    Raises:
        ValueError: where the table has not both methods, or lacks the setting or the metric.
    """
    if x not in table:
        raise ValueError(f"the table has no column {x!r} for the horizontal axis")
    chosen = table[table["metric"].str.partition("@")[0] == metric]
    for name in (method, baseline):
        if name not in set(chosen["method"]):
            raise ValueError(f"the table has no {metric} of {name!r}")
    ratios = compare(chosen, [x], method, baseline)
    shown = pd.concat([ratios, average_over_settings(ratios, x)], ignore_index=True)
    figure, axes = new_figure(1, 2, 2.9)
    for panel, (value, label) in zip(axes[0], PANELS, strict=True):
        _panel(panel, shown, value, x, labels or {})
        panel.set_ylabel(label)
        if printed and value in printed:
            panel.axhline(printed[value], color="#000000", linestyle="--", linewidth=0.9,
                          label="printed, mean over runs on Task 1")  # fmt: skip
    figure.supxlabel(
        f"{AXIS_LABELS.get(x, x)}\n{method} over {baseline}, {metric}; "
        f"{replicates_text(ratios)}; "
        f"{gate_note(chosen[chosen['method'].isin([method, baseline])])}",
        fontsize=7,
    )
    legend_above(figure, axes[0][0], 2)
    return figure, shown


PLOT = Plot("ratios", draw_ratios)
