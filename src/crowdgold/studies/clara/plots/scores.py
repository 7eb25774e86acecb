"""Distribution of a classifier's scores in two classes (CLARA, figure 10)."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.plotting.plot import Plot, require
from crowdgold.plotting.series import value_text
from crowdgold.plotting.style import legend_above, new_figure

COLUMNS = ("separation", "class", "low", "high", "density", "auc")
CLASSES = (("negative", "#0072B2"), ("positive", "#993377"))


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    for name, colour in CLASSES:
        own = rows[rows["class"] == name].sort_values("low")
        edges = [*own["low"], own["high"].iloc[-1]]
        axes.stairs(own["density"], edges, color=colour, fill=True, alpha=0.35)
        axes.stairs(own["density"], edges, color=colour, linewidth=1.1, label=name)
    axes.set_yscale("log")
    axes.set_xlim(0, 1)
    axes.set_xlabel("Classifier's score")


def draw_clara_scores(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each separation: exact densities of negatives and positives.

    Args:
        table: what the check `sigmoid_scores` gives, for several separations.

    Returns:
        the figure and the rows that it shows, the widest separation first, as in the paper.

    Raises:
        ValueError: where the table lacks a column or a class.
    """
    require(table, COLUMNS)
    separations = sorted(table["separation"].unique(), reverse=True)
    figure, axes = new_figure(1, len(separations), 2.7)
    for panel, separation in zip(axes[0], separations, strict=True):
        rows = table[table["separation"] == separation]
        absent = [name for name, _ in CLASSES if name not in set(rows["class"])]
        if absent:
            raise ValueError(f"separation {separation}: the table has no scores of {absent}")
        _panel(panel, rows)
        text = value_text(separation)
        panel.set_title(f"means -{text} and {text}: AUC {rows['auc'].iloc[0]:.3f}")
    axes[0][0].set_ylabel("Density (mean over a bin)")
    highest = max(panel.get_ylim()[1] for panel in axes[0])
    for panel in axes[0]:
        panel.set_ylim(bottom=0.01, top=highest)
    figure.supxlabel("exact: the sigmoid of normal scores; nothing is simulated", fontsize=7)
    legend_above(figure, axes[0][0], 2)
    return figure, table


PLOT = Plot("clara_scores", draw_clara_scores)
