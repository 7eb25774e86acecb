"""Run time of methods, and of MAVEN's parts, against the number of items (MAVEN, figure 5)."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from crowdgold.methods.maven import EXACT, PUBLISHED
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.style import AXIS_LABELS, new_figure, style_of

PANELS = (("", "As printed"), (", compressed", "Compressed scores"), (", NumPyro", "NumPyro"))
"""Ending of a row's name -> the panel it is drawn in; MAVEN, by either cut, is in all of them."""


def _panel_of(name: str) -> int:
    return next((index for index, (end, _) in enumerate(PANELS) if end and name.endswith(end)), 0)


def _line(panel: Axes, name: str, rows: pd.DataFrame) -> None:
    """Medians of the runs at each n, with the fastest and the slowest run."""
    method = name.split(",")[0]
    style = style_of(method)
    seconds = rows.groupby("n")["inference"].agg(["median", "min", "max"])
    reach = [seconds["median"] - seconds["min"], seconds["max"] - seconds["median"]]
    power = rows["exponent"].iloc[0]
    panel.errorbar(
        seconds.index, seconds["median"], yerr=reach, color=style.colour, marker=style.marker,
        linestyle=style.line, capsize=1.5, elinewidth=0.8,
        label=f"{method}  $n^{{{power:z.2f}}}$" if np.isfinite(power) else method,
    )  # fmt: skip


def draw_run_time(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw seconds of inference against n, both logarithmic: as printed, faster forms, peers.

    Args:
        table: what benchmarks/model_scaling.py writes: a row for each method, n and run.

    Returns:
        the figure and the rows that it shows. Legends give the power of n by least squares.
    """
    used = {_panel_of(str(name)) for name in table["method"]}
    panels = [(index, title) for index, (_, title) in enumerate(PANELS) if index in used]
    figure, axes = new_figure(1, len(panels), 2.9)
    sizes = sorted(table["n"].unique())
    for column, (index, title) in enumerate(panels):
        panel = axes[0][column]
        for name, rows in table.groupby("method", sort=False):
            if _panel_of(str(name)) == index or name in (PUBLISHED.name, EXACT.name):
                _line(panel, str(name), rows)
        panel.set_title(title)
        panel.set_xscale("log")
        panel.set_yscale("log")
        # Room above the lines for the legend.
        panel.set_ylim(table["inference"].min() * 0.5, table["inference"].max() * 60)
        panel.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=6)
        panel.xaxis.set_minor_locator(NullLocator())
        panel.set_xlabel(AXIS_LABELS["n"])
        panel.legend(frameon=False, fontsize=6, loc="upper left")
    axes[0][0].set_ylabel("Seconds of inference, one core")
    failed = int((~table["passed"]).sum())
    runs = int(table.groupby(["method", "n"]).size().max())
    figure.supxlabel(
        f"Points: medians of up to {runs} runs (docs/reproduction.md has their means); bars: the "
        f"fastest and the slowest; {failed} of {len(table)} runs missed their diagnostics gate",
        fontsize=7,
    )
    return figure, table


PLOT = Plot("run_time", draw_run_time)


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
