"""Scores of agents by method (STABLEVAL, figures 14 to 17)."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from crowdgold.evaluation.fits import gate_note
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.style import legend_above, new_figure, style_of
from crowdgold.studies.stableval.agent_tables import METHODS, scores

WIDTH = 0.26
"""Of a bar, where agents are 1 apart."""


def draw_agent_scores(
    table: pd.DataFrame,
    *,
    title: str = "",
) -> tuple[Figure, pd.DataFrame]:
    """Draw a group of bars for each agent, a bar a method, with the intervals of the scores.

    Args:
        table: the results table of one experiment, with `score:each` and `responses:each` of MV, DS
            and PEC.

    Returns:
        the figure and its rows, the agent with the highest PEC first. Bars of one method share a
        colour; lines are the intervals.

    Raises:
        ValueError: where the table lacks a method or a metric.
    """
    shown = scores(table)
    figure, grid = new_figure(1, 1, 2.9)
    axes, place = grid[0][0], np.arange(len(shown))
    for position, method in enumerate(METHODS):
        value = shown[method].to_numpy()
        reach = np.abs(shown[[f"{method} lower", f"{method} upper"]].to_numpy().T - value)
        axes.bar(
            place + (position - 1) * WIDTH,
            value,
            WIDTH,
            yerr=reach,
            color=style_of(method).colour,
            error_kw={"elinewidth": 0.8, "capsize": 1.5},
            label=method,
        )
    numbers = shown["responses"].astype(int)
    names = [f"{agent}\n{number:,} responses" for agent, number in numbers.items()]
    axes.set_xticks(place, names)
    axes.grid(visible=False, axis="x")
    axes.set_axisbelow(True)
    axes.set_ylim(0, None)
    axes.set_ylabel("Agent score")
    axes.set_title(title)
    own = table[(table["metric"] == "score:each") & table["method"].isin(METHODS)]
    lines = "lines: 95 % intervals over responses, without the annotators' error: too short"
    figure.supxlabel(f"{lines}\n{gate_note(own, longest=1)}", fontsize=7)
    legend_above(figure, axes)
    return figure, shown.rename_axis("agent").reset_index()


PLOT = Plot("agent_scores", draw_agent_scores)
