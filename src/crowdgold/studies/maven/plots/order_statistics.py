"""Log odds of a positive label from ranks beside those from raw scores (MAVEN, figure 6)."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.plotting.plot import Plot
from crowdgold.plotting.style import COLOURS, new_figure

SOURCES = {
    "score": ("o", "true, from the raw score", -0.24),
    "rank": ("x", "MAVEN, from the rank", 0.08),
}
FEWEST = 40
"""Fewer data sets than this say nothing about the outer 2.5 %."""


def _panel(axes: Axes, table: pd.DataFrame) -> None:
    sizes = sorted(table["n"].unique())
    for source, (marker, _, offset) in SOURCES.items():
        for votes, rows in table[table["source"] == source].groupby("votes_positive"):
            shift = offset + 0.06 * int(str(votes))
            position = [sizes.index(size) + shift for size in rows["n"]]
            colour = COLOURS[int(str(votes)) % len(COLOURS)]
            axes.hlines(position, rows["lower"], rows["upper"], color=colour, linewidth=1.2)
            axes.plot(
                rows["mean"],
                position,
                color=colour,
                marker=marker,
                linestyle="none",
                markersize=3.5,
            )
    axes.set_yticks(range(len(sizes)), [f"{size:,}" for size in sizes])
    axes.set_ylim(-0.5, len(sizes) - 0.5)
    axes.invert_yaxis()


def draw_order_statistics(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each percentile, with a pair of intervals for each n and vote set.

    Args:
        table: what `order_statistics.check_order_statistics` gives, for several n.

    Returns:
        the figure and the rows that it shows; points are means, lines central 95 %. Rows that
        rest on fewer than `FEWEST` data sets are left out.
    """
    table = table[table["datasets"] >= FEWEST]
    if table.empty:
        raise ValueError(f"no row of the table rests on {FEWEST} data sets or more")
    percentiles = sorted(table["percentile"].unique())
    figure, axes = new_figure(1, len(percentiles), 3.0)
    for panel, percentile in zip(axes[0], percentiles, strict=True):
        _panel(panel, table[table["percentile"] == percentile])
        panel.set_title(f"score percentile {percentile:g}")
        panel.set_xlabel(r"logit $P(Y_i = 1 \mid \mathcal{V}_i, X_i; \theta^*)$")
    axes[0][0].set_ylabel("Items $n$")
    for panel in axes[0][1:]:
        panel.tick_params(labelleft=False)
    handles = [
        axes[0][0].plot([], [], color="#444444", marker=marker, label=label)[0]
        for marker, label, _ in SOURCES.values()
    ]
    handles += [
        axes[0][0].plot([], [], color=COLOURS[votes % len(COLOURS)], label=f"$V_i = {votes}$")[0]
        for votes in sorted(table["votes_positive"].unique())
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=6, frameon=False)
    return figure, table


PLOT = Plot("order_statistics", draw_order_statistics)
