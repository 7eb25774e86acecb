"""How well agents are scored in each configuration: figures 3 to 13, tables 4 to 7 of STABLEVAL."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.plotting.plot import Plot
from crowdgold.plotting.style import legend_above, method_order, new_figure, style_of
from crowdgold.studies.stableval.ranking_recovery import summarise_recovery

CONFIGURATION = "configuration"
LABELS = {"mse": "MSE of the scores", "ranking_accuracy": "Ranking accuracy"}
LARGEST = {"mse": np.inf, "ranking_accuracy": 1.0}
"""Of each quantity; bars end there."""
CONFIDENCE = 1.96
"""Standard errors to each side: the paper's bars are 95 % confidence intervals."""
APART = 0.024
"""How far the methods stand apart, as a share of the axis."""
HEIGHT = 2.4
"""Inches of a panel."""


def recovery_of(table: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """The summary of a quantity by experiment, configuration and method.

    Raises:
        ValueError: where the table has no configurations, or the quantity is none of it.
    """
    if CONFIGURATION not in table:
        raise ValueError(f"the table has no column {CONFIGURATION!r}")
    found = summarise_recovery(table, [CONFIGURATION])
    rows = found[found["quantity"] == quantity].reset_index(drop=True)
    if rows.empty:
        raise ValueError(f"no quantity {quantity!r}; there are {sorted(set(found['quantity']))}")
    return rows


def bars(rows: pd.DataFrame, quantity: str) -> np.ndarray:
    """The bars' lengths below and above the means, (2, rows), within the quantity's range."""
    half, mean = CONFIDENCE * rows["se"].to_numpy(), rows["mean"].to_numpy()
    above = np.maximum(LARGEST[quantity] - mean, 0)
    return np.stack([np.minimum(half, mean), np.minimum(half, above)])


def _ticks(axes: Axes, labels: Sequence[Any]) -> bool:
    """Give each configuration a tick and a strip of its own; say whether lines may join them."""
    axes.set_xticks(range(len(labels)), [str(label) for label in labels])
    axes.set_xlim(-0.5, len(labels) - 0.5)
    for place in range(0, len(labels), 2):
        axes.axvspan(place - 0.5, place + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
    return all(isinstance(label, int | float) for label in labels)


def _panel(
    axes: Axes,
    rows: pd.DataFrame,
    names: list[str],
    published: str,
    quantity: str,
    joined: bool,
) -> None:
    """Draw each method: our draws, joined where said, and open markers for the published labels."""
    methods = method_order(rows["method"])
    apart = APART * len(names)
    for index, method in enumerate(methods):
        look, shift = style_of(method), apart * (index - (len(methods) - 1) / 2)
        for experiment, own in rows[rows["method"] == method].groupby("experiment", sort=False):
            place = own[CONFIGURATION].map(names.index) + shift
            given = experiment == published
            axes.errorbar(
                place + (apart / 3 if given else 0),
                own["mean"],
                yerr=None if given else bars(own, quantity),
                color=look.colour,
                marker=look.marker,
                linestyle="none" if given or not joined else look.line,
                markerfacecolor="none" if given else look.colour,
                markersize=7 if given else 4,
                capsize=1.5,
                elinewidth=0.8,
                label=f"{method}, published labels" if given else method,
            )


def draw_agent_ablation(
    table: pd.DataFrame,
    *,
    quantity: str,
    panels: Sequence[Mapping[str, Any]],
    published: str = "",
) -> tuple[Figure, pd.DataFrame]:
    """Draw a quantity against the configurations, a panel an ablation, one above the other.

    Args:
        table: results tables with `score:each` of every agent and replicate.
        quantity: mse or ranking_accuracy.
        panels: {label, configurations: {name: what stands below it}}.
        published: the experiment on published labels.

    Returns:
        the figure and its numbers. Bars are 95 % confidence intervals over replicates.

    Raises:
        ValueError: where the table has no scores in one of the configurations.
    """
    every = recovery_of(table, quantity)
    shown = []
    figure, axes = new_figure(len(panels), 1, HEIGHT * len(panels) + 0.6)
    for (panel,), wanted in zip(axes, panels, strict=True):
        names = list(wanted["configurations"])
        rows = every[every[CONFIGURATION].isin(names)]
        if missing := sorted(set(names) - set(rows[CONFIGURATION])):
            if len(missing) == len(names):
                raise ValueError(f"the table has no configuration {missing[0]!r}")
            names = [name for name in names if name not in missing]
        joined = _ticks(panel, [wanted["configurations"][name] for name in names])
        _panel(panel, rows, names, published, quantity, joined)
        panel.set_xlabel(str(wanted["label"]))
        panel.set_ylabel(LABELS[quantity])
        if quantity == "mse":
            panel.set_ylim(bottom=0)
        shown.append(rows)
    kept = pd.concat(shown, ignore_index=True)
    own = kept.loc[kept["experiment"] != published, "replicates"]
    number = f"{int(own.max())} replicates of our own draws; " if len(own) else ""
    figure.supxlabel(f"{number}bars: 95 % confidence intervals", fontsize=7)
    legend_above(figure, axes[0][0], 3)
    return figure, kept


PLOT = Plot("agent_ablation", draw_agent_ablation)


LINE = 0.17
"""Inches of a line of the table."""
LOWER_IS_BETTER = ("mse",)


def _lines(groups: Sequence[Mapping[str, Any]], known: set[str]) -> list[tuple[str, str, str]]:
    """(group, words, configuration) of each line that the table has numbers for."""
    return [
        (str(group["title"]), str(words), name)
        for group in groups
        for name, words in group["configurations"].items()
        if name in known
    ]


def _best(rows: pd.DataFrame, quantity: str, digits: int) -> pd.Series:
    """Say which rows are the best of their experiment and configuration, as the cells read."""
    rounded = rows["shown"].round(digits)
    by = rounded.groupby([rows["experiment"], rows[CONFIGURATION]])
    best = by.transform("min" if quantity in LOWER_IS_BETTER else "max")
    return rounded == best


def _cell(row: Mapping[Any, Any], digits: int, published: bool) -> str:
    if published or pd.isna(row["shown_se"]):
        return f"{row['shown']:.{digits}f}"
    return f"{row['shown']:.{digits}f} ± {row['shown_se']:.{digits}f}"


def _write(
    axes: Axes, lines: list[tuple[str, str, str]], rows: pd.DataFrame, columns: list[Any],
    digits: int, published: str,
) -> None:  # fmt: skip
    """Write the lines; the axes' unit is a line, and a column of cells has width 1."""
    last = ""
    for number, (group, words, name) in enumerate(lines):
        if group != last:
            axes.text(-2.6, number, group, va="center", fontsize=7)
            axes.hlines(number - 0.5, -2.6, len(columns) - 0.4, color="#bbbbbb", linewidth=0.4)
            last = group
        axes.text(-0.9, number, words, va="center", fontsize=7)
        for row in rows[rows[CONFIGURATION] == name].to_dict("records"):
            place = columns.index((row["experiment"], row["method"]))
            text = _cell(row, digits, row["experiment"] == published)
            weight = "bold" if row["best"] else "normal"
            axes.text(
                place + 0.1, number, text, ha="center", va="center", fontsize=7, weight=weight
            )


def draw_agent_ablation_table(
    table: pd.DataFrame,
    *,
    quantity: str,
    digits: int,
    groups: Sequence[Mapping[str, Any]],
    scale: float = 1,
    titles: Mapping[str, Any] | None = None,
    published: str = "",
) -> tuple[Figure, pd.DataFrame]:
    """Draw the table: configurations down, methods across, once for each experiment.

    Args:
        table: results tables with `score:each` of every agent and replicate, or with a metric
            `stability...`.
        quantity: one of `ranking_recovery.QUANTITIES` or that metric.
        digits: of the cells.
        groups: {title, configurations: {name: words}}.
        scale: what it is multiplied by.
        titles: experiment -> its heading.
        published: the experiment on published labels, whose numbers have no error.

    Returns:
        the figure and its numbers. Bold: the best of a line, as the cells read.

    Raises:
        ValueError: where the table has none of the configurations.
    """
    rows = recovery_of(table, quantity)
    rows = rows.assign(shown=scale * rows["mean"], shown_se=scale * rows["se"])
    rows["best"] = _best(rows, quantity, digits)
    lines = _lines(groups, set(rows[CONFIGURATION]))
    if not lines:
        raise ValueError("the table has none of the configurations that the options name")
    experiments, methods = list(dict.fromkeys(rows["experiment"])), method_order(rows["method"])
    columns = [(experiment, method) for experiment in experiments for method in methods]
    figure, ((axes,),) = new_figure(1, 1, (len(lines) + 4) * LINE + 0.4)
    axes.set_axis_off()
    axes.set_xlim(-2.6, len(columns) - 0.4)
    axes.set_ylim(len(lines), -3)
    titles = titles or {}
    for place, (experiment, method) in enumerate(columns):
        axes.text(place + 0.1, -1, method, ha="center", va="center", fontsize=7.5)
        if method == methods[len(methods) // 2]:
            heading = str(titles.get(experiment, experiment))
            axes.text(place + 0.1, -2.1, heading, ha="center", va="center", fontsize=7.5)
    _write(axes, lines, rows, columns, digits, published)
    numbers = ", ".join(map(str, sorted(set(rows["replicates"].astype(int)))))
    figure.supxlabel(
        f"{numbers} replicates; ± standard error; bold: the best of a line",
        fontsize=7,
    )
    kept = rows[rows[CONFIGURATION].isin([name for _, _, name in lines])]
    return figure, kept.drop(columns=["shown", "shown_se"]).reset_index(drop=True)


TABLE_PLOT = Plot("agent_ablation_table", draw_agent_ablation_table)
