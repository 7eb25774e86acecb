"""Error and width against gold labels alone, over what a study leaves open."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from crowdgold.evaluation.fits import gate_note
from crowdgold.evaluation.ratios import compare
from crowdgold.methods.registry import baseline as gold_alone
from crowdgold.metrics import label_of
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import count_replicates
from crowdgold.plotting.style import new_figure

ROWS = (("error_ratio", "Mean absolute error"), ("width_ratio", "Interval width"))
LOOKS = (("#0072B2", "o"), ("#117733", "s"), ("#CC6677", "^"), ("#DDCC77", "D"))
"""Colour and marker of each metric, in the order of the legend."""

LABELS = {
    "n_voters": "Voters",
    "votes_total": "Votes on\nan item $c$",
    "predictors.A.mu": "$\\mu$ of\nthe scores",
    "predictors.A.delta": "$\\delta$ of\nthe scores",
    "method_settings.MAVEN.mu_prior.scale": "Scale of\n$\\mu$'s prior",
    "method_settings.MAVEN.delta_scale": "Scale of\n$\\delta$'s prior",
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
        rows of `evaluation.ratios.compare`, with the columns `quantity` and `value`; one row for
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


def _panel(panel: Axes, rows: pd.DataFrame, name: str, metrics: list[str]) -> None:
    values = sorted(rows["value"].unique())
    for index, metric in enumerate(metrics):
        own = rows[rows["metric"] == metric].sort_values("value")
        colour, marker = LOOKS[index % len(LOOKS)]
        shift = 0.08 * (index - (len(metrics) - 1) / 2)
        panel.errorbar(
            [values.index(value) + shift for value in own["value"]],
            own[name],
            yerr=own[f"{name}_se"],
            color=colour,
            marker=marker,
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


def draw_sensitivity(
    table: pd.DataFrame,
    *,
    quantities: Sequence[str],
    method: str,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a column of panels for each quantity: ratio of errors above, of widths below.

    Args:
        table: the results of several experiments, each with one quantity that varies.
        quantities: the columns that vary, in the order of the panels.
        method: which is compared with gold labels alone.

    Returns:
        the figure and the rows that it shows (`compare_quantities`). Bars are one standard error
        of the ratio, which uses the pairing by replicate; below the line the method is better.
    """
    baseline = gold_alone()
    shown = compare_quantities(table, list(quantities), method, baseline)
    metrics = list(dict.fromkeys(shown["metric"]))
    figure, axes = new_figure(len(ROWS), len(quantities), 3.8)
    for column, quantity in enumerate(quantities):
        rows = shown[shown["quantity"] == quantity]
        for row, (name, label) in enumerate(ROWS):
            panel = axes[row][column]
            _panel(panel, rows, name, metrics)
            # One scale for a row, which holds every point; bars that reach 0 are cut.
            panel.set_ylim(
                0.8 * shown[name].min(), 1.25 * (shown[name] + shown[f"{name}_se"]).max()
            )
            if column == 0:
                panel.set_ylabel(f"{label},\n{method} / {baseline}")
            panel.tick_params(labelleft=column == 0)
        axes[0][column].tick_params(labelbottom=False)
        axes[1][column].set_xlabel(LABELS.get(quantity, quantity))
    fits = table[table["method"].isin([method, baseline])]
    figure.supxlabel(
        f"{count_replicates(shown['replicates'].max())}; bars are one standard error of the ratio; "
        f"{gate_note(fits)}",
        fontsize=7,
    )
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(metrics), frameon=False)
    return figure, shown


PLOT = Plot("sensitivity", draw_sensitivity)
