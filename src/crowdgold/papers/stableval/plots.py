"""STABLEVAL's tables on real data, drawn as figures (tables 1 to 3 and 8 to 29).

How well agents are scored in each configuration: figures 3 to 13, tables 4 to 7 of STABLEVAL.

Coverage and width of intervals of agents' scores, by setting (beyond STABLEVAL, section 3.5).

Scores of agents by method (STABLEVAL, figures 14 to 17).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.experiment.summaries import gate_note
from crowdgold.papers.stableval import tables
from crowdgold.papers.stableval.tables import METHODS, scores, summarise_recovery
from crowdgold.plots.style import (
    Plot,
    legend_above,
    method_order,
    named_value,
    new_figure,
    style_of,
)

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


LINE_AGENT_ABLATION = 0.17
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
    figure, ((axes,),) = new_figure(1, 1, (len(lines) + 4) * LINE_AGENT_ABLATION + 0.4)
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


TARGETS = {
    "score:each": "Score of the responses here",
    "expected_score:each": "Score of all that it could give",
}
APART_AGENT_INTERVALS = 0.16
"""How far the methods stand apart, in steps from one setting to the next."""


def _places(rows: pd.DataFrame, by: list[str], names: Mapping[str, Any]) -> list[str]:
    """The words for the setting of each row."""
    words = [
        [named_value(column, value, names) for column, value in zip(by, values, strict=True)]
        for values in rows[by].itertuples(index=False)
    ]
    return ["\n".join(filter(None, own)) for own in words]


def _panel_agent_intervals(axes: Axes, rows: pd.DataFrame, value: str, settings: list[str]) -> None:
    methods = method_order(rows["method"])
    for index, method in enumerate(methods):
        look, own = style_of(method), rows[rows["method"] == method]
        place = own["setting"].map(settings.index) + APART_AGENT_INTERVALS * (
            index - (len(methods) - 1) / 2
        )
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
            _panel_agent_intervals(panel, shown[shown["metric"] == target], value, settings)
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


PLOT_AGENT_INTERVALS = Plot("agent_intervals", draw_agent_intervals)


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


PLOT_AGENT_SCORES = Plot("agent_scores", draw_agent_scores)


LINE = 0.17
"""Inches of a line of a table."""
HEAD = 2.2
"""Lines that a table's title and heading take."""
TOP = 10
"""Rows that are drawn of annotators and responses; the .csv has them all."""
FIRST = {"scores": 0.3, "ambiguous": 0.41}
"""Share of a panel's width that the names of its rows take; 0.4 of the others."""
WHOLE = (
    "labels", "responses", "agents", "annotators", "level", "agents with another rank",
    "highly ambiguous",
)  # fmt: skip
"""Rows and columns of whole numbers."""


def _scores(rows: pd.DataFrame) -> pd.DataFrame:
    frame = tables.scores(rows)
    return frame[[*tables.METHODS, tables.GAIN, "responses"]]


def _stability(rows: pd.DataFrame) -> pd.DataFrame:
    names = {"rank_sd": "rank sd", "rank_range": "range", "stability": "tau-b"}
    return tables.stability(rows).rename(columns={**names, "stability_se": "± (tau-b)"})


def _ambiguous(rows: pd.DataFrame) -> pd.DataFrame:
    return tables.ambiguous(rows)[["ambiguity", "confidence", "level", "entropy"]]


PANELS: Mapping[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "statistics": tables.statistics,
    "scores": _scores,
    "stability": _stability,
    "quality": tables.quality,
    "ambiguous": _ambiguous,
    "findings": tables.findings,
}
"""Kinds of table, by name."""
TITLES = {
    "statistics": "Labels and their agreement",
    "scores": "Agent scores",
    "stability": "Ranking stability",
    "quality": "Annotators, the most accurate first",
    "ambiguous": "Most ambiguous responses",
    "findings": "Key findings",
}


def _text(value: float, row: str, column: str) -> str:
    """Write a number: those that count without decimals, others with three."""
    if pd.isna(value):
        return "–"
    return f"{value:,.0f}" if row in WHOLE or column in WHOLE else f"{value:.3f}"


def _draw(axes: Axes, title: str, frame: pd.DataFrame, first: float, lines: int) -> None:
    """Write a table into a panel of so many lines; a line is a unit of its height."""
    axes.set_axis_off()
    shown = frame.head(TOP)
    axes.set_xlim(0, 1)
    axes.set_ylim(lines + HEAD, -0.2)
    axes.text(0, 0.3, title, fontsize=8, weight="bold", va="center")
    step = (1 - first) / len(frame.columns)
    for column, name in enumerate(frame.columns):
        at = first + (column + 1) * step
        axes.text(at, 1.3, str(name), fontsize=6, ha="right", va="center")
    for y in (0.8, 1.8, len(shown) + 1.8):
        axes.hlines(y, 0, 1, color="#444444", linewidth=0.5)
    for line, (label, row) in enumerate(shown.iterrows(), start=2):
        axes.text(0, line + 0.3, str(label), fontsize=6, va="center")
        for column, (head, value) in enumerate(row.items()):
            at, text = first + (column + 1) * step, _text(float(value), str(label), str(head))
            axes.text(at, line + 0.3, text, fontsize=6.5, ha="right", va="center")


def _long(title: str, frame: pd.DataFrame) -> pd.DataFrame:
    rows = [
        {"table": title, "row": name, "column": column, "value": value}
        for name, row in frame.iterrows()
        for column, value in row.items()
    ]
    return pd.DataFrame(rows)


def draw_agent_tables(
    table: pd.DataFrame,
    *,
    numbers: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw the tables of a dataset in a grid, two side by side.

    Args:
        table: the results table of one experiment.
        numbers: kind of table (`PANELS`) -> its number in the paper.

    Returns:
        the figure and its numbers, a row a cell: table, row, column and value.

    Raises:
        ValueError: where the table lacks a metric or a method.
    """
    numbers = numbers or {}
    frames = {
        f"{TITLES[kind]}" + (f" (table {numbers[kind]})" if kind in numbers else ""): make(table)
        for kind, make in PANELS.items()
    }
    rows = -(-len(frames) // 2)
    longest = [min(TOP, max(map(len, list(frames.values())[2 * row : 2 * row + 2])))
               for row in range(rows)]  # fmt: skip
    heights = [lines + HEAD + 0.2 for lines in longest]
    figure, grid = new_figure(rows, 2, sum(heights) * LINE * 1.1 + 0.3)
    spec = grid[0][0].get_gridspec()
    if spec is not None:
        spec.set_height_ratios(heights)
    panels = [(panel, lines) for row, lines in zip(grid, longest, strict=True) for panel in row]
    for (axes, lines), kind, (title, frame) in zip(panels, PANELS, frames.items(), strict=True):
        _draw(axes, title, frame, FIRST.get(kind, 0.4), lines)
    figure.supxlabel(gate_note(table, longest=1), fontsize=7)
    return figure, pd.concat([_long(*one) for one in frames.items()], ignore_index=True)


def draw_agent_mappings(
    table: pd.DataFrame,
    *,
    labels: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw PEC scores under each mapping, with their ranks (table 3).

    Args:
        table: the results table of an experiment that varies `mapping`.
        labels: mapping -> the name that the column has.

    Returns:
        the figure and its numbers: agent, mapping, score and rank.

    Raises:
        ValueError: where the table lacks scores or ranks.
    """
    found, ranked = tables.mappings(table)
    labels = labels or {}
    figure, grid = new_figure(1, 1, (len(found) + 2.6) * LINE + 0.3)
    axes = grid[0][0]
    axes.set_axis_off()
    order = found["baseline"].sort_values(ascending=False).index
    axes.set_xlim(0, len(found.columns) + 1.4)
    axes.set_ylim(len(order) + 1.4, -0.2)
    for column, mapping in enumerate(found.columns):
        heading = labels.get(str(mapping), str(mapping))
        axes.text(column + 2.2, 0.4, heading, fontsize=8, ha="right", va="center")
        for line, agent in enumerate(order, start=1):
            cell = f"{found.loc[agent, mapping]:.3f} ({ranked.loc[agent, mapping]:g})"
            axes.text(column + 2.2, line + 0.4, cell, fontsize=7.5, ha="right", va="center")
    for line, agent in enumerate(order, start=1):
        axes.text(0, line + 0.4, str(agent), fontsize=7.5, va="center")
    for y in (0, 0.9, len(order) + 1):
        axes.hlines(y, 0, len(found.columns) + 1.3, color="#444444", linewidth=0.6)
    figure.supxlabel(f"PEC score (rank); {gate_note(table, longest=1)}", fontsize=7)
    long = found.loc[order].rename_axis("agent").reset_index().melt("agent", var_name="mapping",
                                                                   value_name="score")  # fmt: skip
    rank = [float(ranked.loc[a, m]) for a, m in zip(long["agent"], long["mapping"], strict=True)]
    return figure, long.assign(rank=rank)


AGENT_TABLES = Plot("agent_tables", draw_agent_tables)
AGENT_MAPPINGS = Plot("agent_mappings", draw_agent_mappings)
