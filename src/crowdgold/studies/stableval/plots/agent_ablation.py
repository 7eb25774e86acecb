"""How well the scores of agents are recovered, by configuration (STABLEVAL, figures 3 to 13)."""

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
