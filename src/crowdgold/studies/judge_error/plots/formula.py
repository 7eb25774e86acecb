"""The corrected rate against the rate that judges find, and its standard error."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from crowdgold.plotting.plot import Plot, require
from crowdgold.plotting.style import COLOURS, legend_above, new_figure

COLUMNS = ("tpr", "tnr", "judged_rate", "corrected", "error", "naive_error")
LINES = ("-", "--", "-.", "-", ":")


def draw_judge_error_formula(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw two panels: the corrected rate, and its standard error, against the judged rate.

    Args:
        table: what the check `judge_error_formula` gives, for judges of several qualities.
    """
    require(table, COLUMNS)
    figure, axes = new_figure(1, 2, 2.9)
    groups = table.groupby(["tpr", "tnr"], sort=False)
    for index, ((tpr, tnr), rows) in enumerate(groups):
        look: dict[str, Any] = {
            "color": COLOURS[index % len(COLOURS)],
            "linestyle": LINES[index % len(LINES)],
        }
        name = f"TPR {tpr:g}, TNR {tnr:g}"
        axes[0][0].plot(rows["judged_rate"], rows["corrected"], label=name, **look)
        axes[0][1].plot(rows["judged_rate"], rows["error"], **look)
    axes[0][0].set_ylabel("Corrected rate $p$")
    axes[0][1].set_ylabel("Standard error of $p$")
    axes[0][1].set_ylim(bottom=0)
    for panel in axes[0]:
        panel.set_xlim(0, 1)
        panel.set_xlabel("Share judged positive $p_J$")
    figure.supxlabel("exact: nothing is simulated", fontsize=7)
    legend_above(figure, axes[0][0], 3)
    return figure, table


PLOT = Plot("judge_error_formula", draw_judge_error_formula)
