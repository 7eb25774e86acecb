"""Coverage and width of intervals of agents' scores, by setting (beyond STABLEVAL, section 3.5)."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.evaluation.fits import gate_note
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import named_value
from crowdgold.plotting.style import legend_above, method_order, new_figure, style_of

TARGETS = {
    "score:each": "Score of the responses here",
    "expected_score:each": "Score of all that it could give",
}
APART = 0.16
"""How far the methods stand apart, in steps from one setting to the next."""


def _places(rows: pd.DataFrame, by: list[str], names: Mapping[str, Any]) -> list[str]:
    """The words for the setting of each row."""
    words = [
        [named_value(column, value, names) for column, value in zip(by, values, strict=True)]
        for values in rows[by].itertuples(index=False)
    ]
    return ["\n".join(filter(None, own)) for own in words]


def _panel(axes: Axes, rows: pd.DataFrame, value: str, settings: list[str]) -> None:
    methods = method_order(rows["method"])
    for index, method in enumerate(methods):
        look, own = style_of(method), rows[rows["method"] == method]
        place = own["setting"].map(settings.index) + APART * (index - (len(methods) - 1) / 2)
        axes.errorbar(
            place,
            own[value],
            yerr=own[f"{value}_se"],
            color=look.colour,
            marker=look.marker,
            linestyle="none",
            capsize=1.5,
            elinewidth=0.8,
            label=method,
        )
    axes.set_xticks(range(len(settings)), [""] * len(settings))
    axes.set_xlim(-0.5, len(settings) - 0.5)


def draw_agent_intervals(
    table: pd.DataFrame,
    *,
    by: Sequence[str],
    names: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw coverage, length and mean absolute error, a column a target, by setting and method.

    Args:
        table: a summary with the metrics `TARGETS`.
        by: the setting columns.
        names: column -> value -> words.

    Returns:
        the figure and the rows that it shows. Bars are one standard error over replicates; a
        replicate's agents are averaged first, as they share its annotators.

    Raises:
        ValueError: where the table lacks a column or the metrics.
    """
    missing = [name for name in by if name not in table]
    targets = [name for name in TARGETS if name in set(table["metric"])]
    if missing or not targets:
        raise ValueError(f"the table has no columns {missing}" if missing else "no scores in it")
    shown = table[table["metric"].isin(targets)].reset_index(drop=True)
    shown["setting"] = _places(shown, list(by), names or {})
    settings = list(dict.fromkeys(shown["setting"]))
    level = float(shown["level"].iloc[0])
    parts = {
        "coverage": f"Coverage of the {level:.0%} interval",
        "width": "Length of the interval",
        "error": "Mean absolute error",
    }
    figure, axes = new_figure(len(parts), len(targets), 6.4)
    for row, (value, title) in zip(axes, parts.items(), strict=True):
        for panel, target in zip(row, targets, strict=True):
            _panel(panel, shown[shown["metric"] == target], value, settings)
            panel.set_ylim(bottom=-0.02 if value == "coverage" else 0)
        row[0].set_ylabel(title)
    for panel in axes[-1]:
        panel.set_xticks(range(len(settings)), settings, fontsize=6)
    for panel, target in zip(axes[0], targets, strict=True):
        panel.set_title(TARGETS[target])
        panel.axhline(level, color="#666666", linewidth=0.8, zorder=0.5)
        panel.set_ylim(-0.02, 1.03)
    number = int(shown["replicates"].max())
    figure.supxlabel(
        f"{number} replicates; bars are one standard error; {gate_note(shown, longest=1)}",
        fontsize=7,
    )
    legend_above(figure, axes[0][0])
    return figure, shown.drop(columns="setting")


PLOT = Plot("agent_intervals", draw_agent_intervals)
