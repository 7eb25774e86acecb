"""Methods' values by each metric against their scores by people's choices (HLV, fig. 5)."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from scipy import stats

from crowdgold.declared import LEVEL
from crowdgold.plotting.plot import Plot, require
from crowdgold.plotting.style import FOOTER_SIZE, new_figure
from crowdgold.studies.label_variation.people import ONE, PANEL
from crowdgold.studies.label_variation.plots.shares import METRICS, SEVERAL

COLUMNS = ("dataset", "encoder", "judge", "metric", "method", "score", "value", "correlation")
LOOKS = {
    ONE: ("#0072B2", "o", "-", "one annotator chooses"),
    PANEL: ("#D55E00", "^", "--", "an item's annotators choose together"),
}
"""Judge -> colour, marker, line, words."""
ROW = 1.75
"""Inches; the height of a dataset's panels."""


def line_with_band(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The least-squares line over the range of x: places, heights, and half of its 95 % band."""
    places = np.linspace(x.min(), x.max(), 50)
    slope, intercept = np.polyfit(x, y, 1)
    left = len(x) - 2
    error = np.sqrt(((y - intercept - slope * x) ** 2).sum() / left)
    spread = ((x - x.mean()) ** 2).sum()
    of_line = error * np.sqrt(1 / len(x) + (places - x.mean()) ** 2 / spread)
    return places, intercept + slope * places, stats.t.ppf((1 + LEVEL) / 2, left) * of_line


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw a metric's points, lines and correlations, of both judges."""
    texts = []
    for judge, (colour, marker, line, _) in LOOKS.items():
        own = rows[(rows["judge"] == judge) & rows["value"].notna()]
        x, y = own["value"].to_numpy(float), own["score"].to_numpy(float)
        axes.plot(x, y, marker, color=colour, markersize=3, alpha=0.8, markeredgewidth=0)
        r = float(own["correlation"].iloc[0]) if len(own) else np.nan
        texts.append(f"{r:.2f}" if np.isfinite(r) else "undefined")
        if np.isfinite(r):
            places, height, half = line_with_band(x, y)
            axes.plot(places, height, line, color=colour, linewidth=0.9)
            axes.fill_between(
                places, height - half, height + half, color=colour, alpha=0.12, linewidth=0
            )
    axes.set_title(f"r = {'; '.join(texts)}", fontsize=6, pad=2)
    axes.tick_params(labelsize=5.5)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=2, steps=[1, 2, 5, 10], min_n_ticks=2))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=3))


def draw_human_ranking(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel a dataset and metric: a point a method and judge, with a line and its band.

    Args:
        table: what the check `human_ranking` gives, of all datasets.
    """
    require(table, COLUMNS)
    places = list(table.groupby(["dataset", "encoder"], sort=False))
    figure, axes = new_figure(len(places), len(METRICS), 0.8 + ROW * len(places))
    for panels, ((dataset, encoder), rows) in zip(axes, places, strict=True):
        for panel, (metric, titles) in zip(panels, METRICS.items(), strict=True):
            _panel(panel, rows[rows["metric"] == metric])
            panel.set_xlabel(titles[dataset in SEVERAL], fontsize=6, labelpad=1)
        panels[0].set_ylabel(f"{dataset}\n{encoder}", fontsize=6.5)
        # Bands of few points go far beyond them.
        low, high = rows["score"].min(), rows["score"].max()
        for panel in panels:
            panel.set_ylim(low - 0.1 * (high - low), high + 0.1 * (high - low))
    figure.supxlabel(
        "Across: a method's value by the metric. Up: its score by people's choices. r: of the one "
        "annotator; of all together",
        fontsize=FOOTER_SIZE,
    )
    handles = [
        axes[0][0].plot([], [], line + marker, color=colour, markersize=4, label=label)[0]
        for colour, marker, line, label in LOOKS.values()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False)
    return figure, table


RANKING_PLOT = Plot("human_ranking", draw_human_ranking)
