"""Histogram of the naive and the corrected rate (the figure of the judge-error post)."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.methods.judge_error import ROGAN_GLADEN
from crowdgold.methods.votes_and_gold import MAJORITY
from crowdgold.plotting.plot import Plot, require
from crowdgold.plotting.style import legend_above, new_figure, style_of

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
