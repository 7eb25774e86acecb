"""Correlations between metrics: printed, drawn, and where a fresh draw can fall (HLV, table 2)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.plotting.plot import Plot, require
from crowdgold.plotting.style import legend_above, new_figure

SETTING = ["classes", "alpha", "beta"]
COLUMNS = ("pair", "drawn", "expected", "low", "high", *SETTING)


def with_printed(table: pd.DataFrame, printed: list[Mapping[str, Any]]) -> pd.DataFrame:
    """The table with a column `printed`; NaN where the paper prints nothing."""
    pairs = list(dict.fromkeys(table["pair"]))
    rows = [
        {**{name: one[name] for name in SETTING}, "pair": pair, "printed": value}
        for one in printed
        for pair, value in zip(pairs, one["values"], strict=True)
    ]
    known = pd.DataFrame(rows, columns=[*SETTING, "pair", "printed"])
    types = dict.fromkeys(SETTING, float)
    return table.astype(types).merge(known.astype(types), on=[*SETTING, "pair"], how="left")


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    place = np.arange(len(rows))
    axes.vlines(place, rows["low"], rows["high"], color="#bbbbbb", linewidth=5, label="band")
    axes.plot(place, rows["expected"], "_", color="#000000", markersize=9, label="expected")
    axes.plot(place - 0.16, rows["drawn"], "o", color="#0072B2", label="drawn")
    axes.plot(place + 0.16, rows["printed"], "D", color="#D55E00", label="printed")
    axes.axhline(0, color="#666666", linewidth=0.8, zorder=0.5)
    axes.set_xticks(place, [f"{pair[0]}-{pair[1]}" for pair in rows["pair"]])
    axes.set_ylim(-0.3, 1.05)


def draw_soft_metric_correlations(
    table: pd.DataFrame,
    *,
    printed: Sequence[Mapping[str, Any]] = (),
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each setting of table 2.

    Args:
        table: what the check `soft_metric_correlations` gives.
        printed: {classes, alpha, beta, values} in the order of the pairs.

    Returns:
        the figure and the rows that it shows, with `printed`.
    """
    require(table, COLUMNS)
    shown = with_printed(table, list(printed))
    mixes = list(dict.fromkeys(zip(shown["alpha"], shown["beta"], strict=True)))
    sizes = list(dict.fromkeys(shown["classes"]))
    figure, axes = new_figure(len(sizes), len(mixes), 0.9 + 1.7 * len(sizes))
    for line, classes in zip(axes, sizes, strict=True):
        for panel, (alpha, beta) in zip(line, mixes, strict=True):
            own: pd.Series = (shown["classes"] == classes) & (shown["alpha"] == alpha)
            _panel(panel, shown[own & (shown["beta"] == beta)])
            panel.set_title(rf"$K$ {classes:g}, $\alpha$ {alpha:g}, $\beta$ {beta:g}", fontsize=8)
        line[0].set_ylabel("Pearson's $r$")
    figure.supxlabel(
        "A accuracy, J PO-JSD, E entropy correlation, S soft accuracy; "
        f"{int(shown['matrices'].iloc[0])} matrices of {int(shown['rows'].iloc[0])} rows",
        fontsize=7,
    )
    legend_above(figure, axes[0][0], 4)
    return figure, shown


PLOT = Plot("soft_metric_correlations", draw_soft_metric_correlations)
