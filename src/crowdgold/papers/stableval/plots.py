"""STABLEVAL's figures 3 to 17 and tables 1 to 29, and coverage of intervals of agents' scores."""

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
    draw_points,
    legend_above,
    method_order,
    named_value,
    new_figure,
    require,
    style_of,
)

CONFIGURATION = "configuration"
LABELS = {"mse": "MSE of the scores", "ranking_accuracy": "Ranking accuracy"}
LARGEST = {"mse": np.inf, "ranking_accuracy": 1.0}
"""Of each quantity; bars end there."""
CONFIDENCE = 1.96
"""Standard errors to each side: the paper's bars are 95 % confidence intervals."""


def _recovery_of(table: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """The summary of a quantity by experiment, configuration and method."""
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


def draw_agent_ablation(
    table: pd.DataFrame,
    *,
    quantity: str,
    panels: Sequence[Mapping[str, Any]],
    published: str = "",
) -> tuple[Figure, pd.DataFrame]:
    """Draw a quantity, mse or ranking_accuracy, against the configurations, a panel an ablation.

    The table has `score:each` of every agent and replicate; a panel is {label, configurations:
    {name: what stands below it}}; markers of the experiment on `published` labels are open. Bars
    are 95 % confidence intervals over replicates.
    """
    every = _recovery_of(table, quantity)
    shown = []
    figure, axes = new_figure(len(panels), 1, 2.4 * len(panels) + 0.6)
    for (panel,), wanted in zip(axes, panels, strict=True):
        names = list(wanted["configurations"])
        rows = every[every[CONFIGURATION].isin(names)]
        if rows.empty:
            raise ValueError(f"the table has no configuration {sorted(names)[0]!r}")
        names = [name for name in names if name in set(rows[CONFIGURATION])]
        labels = [wanted["configurations"][name] for name in names]
        panel.set_xticks(range(len(labels)), [str(label) for label in labels])
        panel.set_xlim(-0.5, len(labels) - 0.5)
        for strip in range(0, len(labels), 2):
            panel.axvspan(strip - 0.5, strip + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
        joined = all(isinstance(label, int | float) for label in labels)
        methods, apart = method_order(rows["method"]), 0.024 * len(names)
        for index, method in enumerate(methods):
            look, shift = style_of(method), apart * (index - (len(methods) - 1) / 2)
            for experiment, own in rows[rows["method"] == method].groupby("experiment", sort=False):
                given = experiment == published
                place = own[CONFIGURATION].map(names.index) + shift + (apart / 3 if given else 0)
                draw_points(
                    panel, place, own["mean"], None if given else bars(own, quantity), look,
                    "none" if given or not joined else look.line,
                    markerfacecolor="none" if given else look.colour, markersize=7 if given else 4,
                    label=f"{method}, published labels" if given else method,
                )  # fmt: skip
        panel.set_xlabel(str(wanted["label"]))
        panel.set_ylabel(LABELS[quantity])
        if quantity == "mse":
            panel.set_ylim(bottom=0)
        shown.append(rows)
    kept = pd.concat(shown, ignore_index=True)
    sizes = kept.loc[kept["experiment"] != published, "replicates"]
    number = f"{int(sizes.max())} replicates of our own draws; " if len(sizes) else ""
    figure.supxlabel(f"{number}bars: 95 % confidence intervals", fontsize=7)
    legend_above(figure, axes[0][0], 3)
    return figure, kept


PLOT = Plot("agent_ablation", draw_agent_ablation)


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

    The quantity is one of `tables.QUANTITIES`, or a metric `stability...`, times the `scale`; a
    group is {title, configurations: {name: words}}; `titles` are headings by experiment, of which
    the `published` one's numbers have no error. Bold: the best of a line, as the cells read.
    """
    rows = _recovery_of(table, quantity)
    rows = rows.assign(shown=scale * rows["mean"], shown_se=scale * rows["se"])
    rounded = rows["shown"].round(digits)
    by = rounded.groupby([rows["experiment"], rows[CONFIGURATION]])
    rows["best"] = rounded == by.transform("min" if quantity == "mse" else "max")
    known = set(rows[CONFIGURATION])
    lines = [
        (str(group["title"]), str(words), name)
        for group in groups
        for name, words in group["configurations"].items()
        if name in known
    ]
    if not lines:
        raise ValueError("the table has none of the configurations that the options name")
    experiments, methods = list(dict.fromkeys(rows["experiment"])), method_order(rows["method"])
    columns = [(experiment, method) for experiment in experiments for method in methods]
    # The axes' unit is a line, and a column of cells has width 1.
    figure, ((axes,),) = new_figure(1, 1, (len(lines) + 4) * 0.17 + 0.4)
    axes.set_axis_off()
    axes.set_xlim(-2.6, len(columns) - 0.4)
    axes.set_ylim(len(lines), -3)
    for place, (experiment, method) in enumerate(columns):
        axes.text(place + 0.1, -1, method, ha="center", va="center", fontsize=7.5)
        if method == methods[len(methods) // 2]:
            heading = str((titles or {}).get(experiment, experiment))
            axes.text(place + 0.1, -2.1, heading, ha="center", va="center", fontsize=7.5)
    last = ""
    for number, (group, words, name) in enumerate(lines):
        if group != last:
            axes.text(-2.6, number, group, va="center", fontsize=7)
            axes.hlines(number - 0.5, -2.6, len(columns) - 0.4, color="#bbbbbb", linewidth=0.4)
            last = group
        axes.text(-0.9, number, words, va="center", fontsize=7)
        for row in rows[rows[CONFIGURATION] == name].to_dict("records"):
            text = f"{row['shown']:.{digits}f}"
            if row["experiment"] != published and not pd.isna(row["shown_se"]):
                text += f" ± {row['shown_se']:.{digits}f}"
            place = columns.index((row["experiment"], row["method"]))
            axes.text(place + 0.1, number, text, ha="center", va="center", fontsize=7,
                      weight="bold" if row["best"] else "normal")  # fmt: skip
    numbers = ", ".join(map(str, sorted(set(rows["replicates"].astype(int)))))
    what = "± standard error; bold: the best of a line"
    figure.supxlabel(f"{numbers} replicates; {what}", fontsize=7)
    kept = rows[rows[CONFIGURATION].isin([name for _, _, name in lines])]
    return figure, kept.drop(columns=["shown", "shown_se"]).reset_index(drop=True)


TABLE_PLOT = Plot("agent_ablation_table", draw_agent_ablation_table)


TARGETS = {
    "score:each": "Score of the responses here",
    "expected_score:each": "Score of all that it could give",
}


def draw_agent_intervals(
    table: pd.DataFrame, *, by: Sequence[str], names: Mapping[str, Any] | None = None
) -> tuple[Figure, pd.DataFrame]:
    """Draw coverage, length and mean absolute error, a column a target, by setting and method.

    The table is a summary with the metrics `TARGETS`, `by` are its setting columns, and `names`
    has the words for their values (column -> value -> words). Bars are one standard error over
    replicates; a replicate's agents are averaged first, as they share its annotators.
    """
    require(table, by)
    targets = [name for name in TARGETS if name in set(table["metric"])]
    if not targets:
        raise ValueError("no scores in it")
    shown = table[table["metric"].isin(targets)].reset_index(drop=True)
    words = [
        [named_value(column, value, names or {}) for column, value in zip(by, values, strict=True)]
        for values in shown[list(by)].itertuples(index=False)
    ]
    shown["setting"] = ["\n".join(filter(None, own)) for own in words]
    settings, level = list(dict.fromkeys(shown["setting"])), float(shown["level"].iloc[0])
    parts = {
        "coverage": f"Coverage of the {level:.0%} interval",
        "width": "Length of the interval",
        "error": "Mean absolute error",
    }
    figure, axes = new_figure(len(parts), len(targets), 6.4)
    for line, (value, title) in zip(axes, parts.items(), strict=True):
        for panel, target in zip(line, targets, strict=True):
            rows = shown[shown["metric"] == target]
            methods = method_order(rows["method"])
            for index, method in enumerate(methods):
                own = rows[rows["method"] == method]
                shift = 0.16 * (index - (len(methods) - 1) / 2)
                place = own["setting"].map(settings.index) + shift
                draw_points(panel, place, own[value], own[f"{value}_se"], style_of(method),
                            label=method)  # fmt: skip
            panel.set_xticks(range(len(settings)), [""] * len(settings))
            panel.set_xlim(-0.5, len(settings) - 0.5)
            panel.set_ylim(bottom=-0.02 if value == "coverage" else 0)
        line[0].set_ylabel(title)
    for panel in axes[-1]:
        panel.set_xticks(range(len(settings)), settings, fontsize=6)
    for panel, target in zip(axes[0], targets, strict=True):
        panel.set_title(TARGETS[target])
        panel.axhline(level, color="#666666", linewidth=0.8, zorder=0.5)
        panel.set_ylim(-0.02, 1.03)
    number, gates = int(shown["replicates"].max()), gate_note(shown, longest=1)
    figure.supxlabel(f"{number} replicates; bars are one standard error; {gates}", fontsize=7)
    legend_above(figure, axes[0][0])
    return figure, shown.drop(columns="setting")


PLOT_AGENT_INTERVALS = Plot("agent_intervals", draw_agent_intervals)


def draw_agent_scores(table: pd.DataFrame, *, title: str = "") -> tuple[Figure, pd.DataFrame]:
    """Draw a group of bars for each agent, a bar a method, with the intervals of the scores.

    The table is one experiment's, with `score:each` and `responses:each` of MV, DS and PEC; its
    rows are shown with the agent of the highest PEC first.
    """
    shown = scores(table)
    figure, ((axes,),) = new_figure(1, 1, 2.9)
    place, width = np.arange(len(shown)), 0.26
    for position, method in enumerate(METHODS):
        value = shown[method].to_numpy()
        reach = np.abs(shown[[f"{method} lower", f"{method} upper"]].to_numpy().T - value)
        axes.bar(place + (position - 1) * width, value, width, yerr=reach, label=method,
                 color=style_of(method).colour, error_kw={"elinewidth": 0.8, "capsize": 1.5},
                 )  # fmt: skip
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
WHOLE = (
    "labels", "responses", "agents", "annotators", "level", "agents with another rank",
    "highly ambiguous",
)  # fmt: skip
"""Rows and columns of whole numbers."""


def _scores(rows: pd.DataFrame) -> pd.DataFrame:
    return tables.scores(rows)[[*tables.METHODS, tables.GAIN, "responses"]]


def _stability(rows: pd.DataFrame) -> pd.DataFrame:
    names = {"rank_sd": "rank sd", "rank_range": "range", "stability": "tau-b"}
    return tables.stability(rows).rename(columns={**names, "stability_se": "± (tau-b)"})


def _ambiguous(rows: pd.DataFrame) -> pd.DataFrame:
    return tables.ambiguous(rows)[["ambiguity", "confidence", "level", "entropy"]]


PANELS: Mapping[str, tuple[str, Callable[[pd.DataFrame], pd.DataFrame], float]] = {
    "statistics": ("Labels and their agreement", tables.statistics, 0.4),
    "scores": ("Agent scores", _scores, 0.3),
    "stability": ("Ranking stability", _stability, 0.4),
    "quality": ("Annotators, the most accurate first", tables.quality, 0.4),
    "ambiguous": ("Most ambiguous responses", _ambiguous, 0.41),
    "findings": ("Key findings", tables.findings, 0.4),
}
"""Kind of table -> title, numbers, and the share of the width that names of rows take."""


def _draw(axes: Axes, title: str, frame: pd.DataFrame, first: float, lines: int) -> None:
    """Write a table into a panel of so many lines; a line is a unit of its height."""
    axes.set_axis_off()
    shown = frame.head(TOP)
    axes.set_xlim(0, 1)
    axes.set_ylim(lines + HEAD, -0.2)
    axes.text(0, 0.3, title, fontsize=8, weight="bold", va="center")
    ends = [first + (place + 1) * (1 - first) / len(frame.columns)
            for place in range(len(frame.columns))]  # fmt: skip
    for at, name in zip(ends, frame.columns, strict=True):
        axes.text(at, 1.3, str(name), fontsize=6, ha="right", va="center")
    for y in (0.8, 1.8, len(shown) + 1.8):
        axes.hlines(y, 0, 1, color="#444444", linewidth=0.5)
    for line, (label, row) in enumerate(shown.iterrows(), start=2):
        axes.text(0, line + 0.3, str(label), fontsize=6, va="center")
        for at, (head, value) in zip(ends, row.items(), strict=True):
            text = "–" if pd.isna(value) else f"{float(value):.3f}"
            if not pd.isna(value) and {str(label), str(head)} & set(WHOLE):
                text = f"{float(value):,.0f}"
            axes.text(at, line + 0.3, text, fontsize=6.5, ha="right", va="center")


def draw_agent_tables(
    table: pd.DataFrame, *, numbers: Mapping[str, Any] | None = None
) -> tuple[Figure, pd.DataFrame]:
    """Draw the tables of one experiment's dataset in a grid, two side by side.

    `numbers` has the number in the paper of each kind of table (`PANELS`). What is shown has a row
    a cell: table, row, column and value.
    """
    kinds, numbers = {}, numbers or {}
    for kind, (title, make, first) in PANELS.items():
        number = f" (table {numbers[kind]})" if kind in numbers else ""
        kinds[title + number] = make(table), first
    frames = [frame for frame, _ in kinds.values()]
    longest = [min(TOP, max(map(len, frames[at : at + 2]))) for at in range(0, len(frames), 2)]
    heights = [lines + HEAD + 0.2 for lines in longest]
    figure, grid = new_figure(len(longest), 2, sum(heights) * LINE * 1.1 + 0.3)
    if spec := grid[0][0].get_gridspec():
        spec.set_height_ratios(heights)
    panels = [(panel, lines) for row, lines in zip(grid, longest, strict=True) for panel in row]
    for (axes, lines), (title, (frame, first)) in zip(panels, kinds.items(), strict=True):
        _draw(axes, title, frame, first, lines)
    figure.supxlabel(gate_note(table, longest=1), fontsize=7)
    shown = [
        {"table": title, "row": name, "column": column, "value": value}
        for title, (frame, _) in kinds.items()
        for name, row in frame.iterrows()
        for column, value in row.items()
    ]
    return figure, pd.DataFrame(shown)


def draw_agent_mappings(
    table: pd.DataFrame, *, labels: Mapping[str, Any] | None = None
) -> tuple[Figure, pd.DataFrame]:
    """Draw PEC scores under each mapping, with their ranks (table 3).

    The table varies `mapping`, whose columns have the names of `labels`. What is shown: agent,
    mapping, score and rank.
    """
    found, ranked = tables.mappings(table)
    figure, ((axes,),) = new_figure(1, 1, (len(found) + 2.6) * LINE + 0.3)
    axes.set_axis_off()
    order = found["baseline"].sort_values(ascending=False).index
    axes.set_xlim(0, len(found.columns) + 1.4)
    axes.set_ylim(len(order) + 1.4, -0.2)
    for column, mapping in enumerate(found.columns):
        heading = (labels or {}).get(str(mapping), str(mapping))
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
