"""Error and width against gold labels alone, over what a study leaves open."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from crowdgold.evaluation.fits import gate_note
from crowdgold.evaluation.summaries import compare
from crowdgold.methods.registry import baseline as gold_alone
from crowdgold.metrics import label_of
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import MARKERS, count_replicates
from crowdgold.plotting.style import COLOURS, new_figure

ROWS = (("error_ratio", "Mean absolute error"), ("width_ratio", "Interval width"))
SETTING = re.compile(r"^method_settings\.[^.]+\.")
"""What stands before the setting of a method."""
LABELS = {
    "n_voters": "Voters",
    "votes_total": "Votes on\nan item $c$",
    "predictors.A.mu": "$\\mu$ of\nthe scores",
    "predictors.A.delta": "$\\delta$ of\nthe scores",
    "mu_prior.scale": "Scale of\n$\\mu$'s prior",
    "delta_scale": "Scale of\n$\\delta$'s prior",
}


def compare_quantities(
    table: pd.DataFrame, quantities: list[str], method: str, baseline: str
) -> pd.DataFrame:
    """Compare a method with gold labels alone at each value of what varies.

    Args:
        table: results of experiments that each vary one of the quantities, a column each.
        quantities: these columns.
        method, baseline: what is compared, with what.

    Returns:
        rows of `evaluation.summaries.compare`, with the columns `quantity` and `value`; one row for
        each quantity, value and metric.

    Raises:
        ValueError: where the table has no rows that vary a quantity.
    """
    parts = []
    for quantity in quantities:
        rows = table[table[quantity].notna()] if quantity in table else table.iloc[:0]
        if rows.empty:
            raise ValueError(f"no rows of the table vary {quantity!r}")
        found = compare(rows, [quantity], method, baseline)
        parts.append(found.rename(columns={quantity: "value"}).assign(quantity=quantity))
    return pd.concat(parts, ignore_index=True)


def _ends(rows: pd.DataFrame, name: str) -> tuple[pd.Series, pd.Series]:
    """The ends of the bars of a ratio: one standard error of its logarithm to each side."""
    factor = np.exp(rows[f"{name}_se"].fillna(0) / rows[name])
    return rows[name] / factor, rows[name] * factor


def _panel(
    panel: Axes, rows: pd.DataFrame, name: str, metrics: list[str], usual: float | None
) -> None:
    values = sorted(rows["value"].unique())
    if usual in values:
        place = values.index(usual)
        panel.axvspan(place - 0.35, place + 0.35, color="#e8e8e8", linewidth=0, zorder=0)
    for index, metric in enumerate(metrics):
        own = rows[rows["metric"] == metric].sort_values("value")
        low, high = _ends(own, name)
        shift = 0.14 * (index - (len(metrics) - 1) / 2)
        panel.errorbar(
            [values.index(value) + shift for value in own["value"]],
            own[name],
            yerr=[own[name] - low, high - own[name]],
            color=COLOURS[index % len(COLOURS)],
            marker=MARKERS[index % len(MARKERS)],
            linewidth=0.8,
            elinewidth=0.8,
            capsize=1.5,
            label=label_of(metric),
        )
    panel.axhline(1, color="#666666", linewidth=0.8)
    panel.set_yscale("log")
    panel.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, position: f"{value:g}"))
    panel.yaxis.set_minor_formatter(NullFormatter())
    panel.set_xticks(range(len(values)), [f"{value:g}" for value in values])
    panel.set_xlim(-0.45, len(values) - 0.55)


def draw_sensitivity(
    table: pd.DataFrame,
    *,
    quantities: Sequence[str],
    method: str,
    usual: Mapping[str, float] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a column of panels for each quantity: ratio of errors above, of widths below.

    Args:
        table: the results of several experiments, each with one quantity that varies.
        quantities: the columns that vary, in the order of the panels.
        method: which is compared with gold labels alone.
        usual: quantity -> its value where another one varies, which is shaded.

    Returns:
        the figure and the rows that it shows (`compare_quantities`). Bars are one standard error
        of the ratio's logarithm, which uses the pairing by replicate; below the line the method is
        better.
    """
    baseline = gold_alone()
    shown = compare_quantities(table, list(quantities), method, baseline)
    metrics = list(dict.fromkeys(shown["metric"]))
    figure, axes = new_figure(len(ROWS), len(quantities), 3.8)
    for column, quantity in enumerate(quantities):
        rows = shown[shown["quantity"] == quantity]
        for row, (name, label) in enumerate(ROWS):
            panel = axes[row][column]
            _panel(panel, rows, name, metrics, (usual or {}).get(quantity))
            # One scale for a row, which holds every point and every bar.
            low, high = _ends(shown, name)
            panel.set_ylim(0.85 * low.min(), 1.18 * high.max())
            if column == 0:
                panel.set_ylabel(f"{label},\n{method} / {baseline}")
            panel.tick_params(labelleft=column == 0)
        axes[0][column].tick_params(labelbottom=False)
        axes[1][column].set_xlabel(LABELS.get(SETTING.sub("", quantity), quantity))
    fits = table[table["method"].isin([method, baseline])]
    figure.supxlabel(
        f"{count_replicates(shown['replicates'])}; bars are one standard error of the "
        f"ratio's logarithm; shaded: the value where another quantity varies; {gate_note(fits)}",
        fontsize=7,
    )
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(metrics), frameon=False)
    return figure, shown


PLOT = Plot("sensitivity", draw_sensitivity)
