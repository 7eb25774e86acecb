"""Time of MAVEN's parts against the number of items, the nested cut beside the exact one."""

import pandas as pd
from matplotlib.figure import Figure

from crowdgold.plotting.style import AXIS_LABELS, new_figure

PARTS = {
    "summary": ("vote sets and win counts", "#8C8C8C", "s", ":"),
    "vote model": ("vote model (Stan)", "#5599BB", "v", "-"),
    "score model": ("score model, exact cut", "#D55E00", "^", "-"),
    "nested score model": ("score model, nested Stan fits", "#D55E00", "X", ":"),
    "imputation": ("imputation and metrics", "#008855", "o", "--"),
}
"""Column of the benchmark's table -> label, colour, marker, line."""


def draw_scaling(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw seconds by part against n, both on logarithmic axes.

    Args:
        table: what benchmarks/maven_scaling.py writes.
    """
    figure, axes = new_figure(1, 1, 3.2)
    panel = axes[0][0]
    for part, (label, colour, marker, line) in PARTS.items():
        panel.plot(
            table["n"], table[part], color=colour, marker=marker, linestyle=line, label=label
        )
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlabel(AXIS_LABELS["n"])
    panel.set_ylabel("Seconds on one core")
    figure.legend(loc="outside right center", frameon=False)
    return figure, table
