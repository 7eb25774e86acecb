"""Precision-recall curves of scores of many shapes, and the exact ones (MAVEN, figures 3, 7).

Equal-width contours over items and gold labels, and what they save (MAVEN, section 6).

Distance of nested fits from the exact cut, against the length of the nested fits.

Log odds of a positive label from ranks beside those from raw scores (MAVEN, figure 6).

The table of absolute bias relative to gold labels alone (MAVEN, table 3), drawn as a figure.

Run time of methods, and of MAVEN's parts, against the number of items (MAVEN, figure 5).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from crowdgold.experiment.summaries import gate_note
from crowdgold.methods.maven import EXACT, PUBLISHED
from crowdgold.metrics.binary import label_of
from crowdgold.papers.maven.experiments import (
    BASELINE,
    CALIBRATION,
    DENSITIES,
    EXACT_AGAIN,
    ITEMS,
    PRECISION,
    PRINTED,
    curve_distances,
    precision_rows,
)
from crowdgold.papers.maven.labelling_savings import Study, study_labelling
from crowdgold.papers.maven.relative_bias import relative_bias
from crowdgold.plots.style import (
    AXIS_LABELS,
    Plot,
    count_replicates,
    method_order,
    new_figure,
    style_of,
)
from crowdgold.plots.style import COLOURS as STYLE_COLOURS

LINES = {"items": "-", "population": "--"}
AIMS = {"items": "about these items", "population": "about the population"}
COLOURS = {"paper": "#0072B2", "best": "#D55E00"}
ALL_LABELS = "#000000"
OTHER = "#808080"


def _contours(axes: Axes, shown: pd.DataFrame, study: Study) -> None:
    """Draw the contours, each named by the gold labels alone that give intervals as narrow."""
    contours = shown[shown["part"] == "contour"]
    for aim, gold_only in dict.fromkeys(zip(contours["aim"], contours["gold_only"], strict=True)):
        line = contours[(contours["aim"] == aim) & (contours["gold_only"] == gold_only)]
        last = gold_only == study.costs.gold_only
        colour, width = (ALL_LABELS, 1.4) if last else (OTHER, 0.9)
        axes.plot(line["n"], line["n_gold"], color=colour, linewidth=width, linestyle=LINES[aim])
        end = line.iloc[-1]
        text = f" {gold_only:,.0f}"
        axes.text(end["n"], end["n_gold"], text, fontsize=6, va="center", color=colour)
    for aim, style in LINES.items():
        axes.plot([], [], style, color=ALL_LABELS, linewidth=1.4, label=AIMS[aim])
    measured = shown[(shown["part"] == "measured") & (shown["method"] == study.method)]
    axes.plot(
        measured["n"], measured["n_gold"], ".", color=OTHER, markersize=3, label="measured here"
    )
    star: dict[str, Any] = {"color": COLOURS["paper"], "markersize": 9, "linestyle": "none"}
    axes.plot(study.n, study.n_gold, "*", label="in the paper", **star)
    axes.set_xscale("log")
    axes.set_yscale("log")
    sizes = sorted(measured["n"].unique())
    axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(sizes[0] / 1.2, sizes[-1] * 2)
    lowest = pd.concat([contours["n_gold"], measured["n_gold"]]).min()
    axes.set_ylim(bottom=lowest / 6)  # room for the legend
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, position: f"{value:,.0f}"))
    axes.set_xlabel(AXIS_LABELS["n"])
    axes.set_ylabel(AXIS_LABELS["n_gold"])
    axes.set_title(f"As narrow as {study.baseline} with so many gold labels")
    axes.legend(frameon=False, loc="lower right", ncols=2, fontsize=6.5, columnspacing=1.0)


def _savings(axes: Axes, shown: pd.DataFrame, study: Study) -> None:
    """Draw the saving against the cost ratio, with one standard error to each side."""
    savings = shown[shown["part"] == "saving"]
    names = {"paper": f"n = {study.n:,.0f}", "best": "best n"}
    for aim, line in LINES.items():
        for where, colour in COLOURS.items():
            rows = savings[(savings["aim"] == aim) & (savings["where"] == where)]
            low, high = rows["value"] - rows["value_se"], rows["value"] + rows["value_se"]
            label = f"{names[where]}, {AIMS[aim]}"
            axes.plot(rows["cost_ratio"], rows["value"], line, color=colour, label=label)
            axes.fill_between(rows["cost_ratio"], low, high, color=colour, alpha=0.15, linewidth=0)
    printed = shown[(shown["part"] == "ratio") & (shown["where"] == "printed numbers")]
    axes.axhline(study.saving, color=OTHER, linewidth=0.8)
    axes.plot(printed["value"], study.saving, "*", color=COLOURS["paper"], markersize=9)
    ratios = list(study.cost_ratios)
    axes.set_xlim(min(ratios) / 1.2, max(ratios) * 1.2)
    axes.set_xscale("log")
    axes.set_xticks(ratios, [f"{ratio:g}" for ratio in ratios])
    axes.minorticks_off()
    if savings.empty:
        axes.text(0.5, 0.6, "no interval here is as narrow", ha="center", transform=axes.transAxes)
    lowest = savings["value"].min() if len(savings) else 0.0
    axes.set_ylim(max(lowest - 0.05, -0.5), 1)
    axes.set_xlabel("Cost of an expert's label in crowd votes")
    axes.set_ylabel("Share of the labelling cost saved")
    axes.set_title(f"Against {study.costs.gold_only:,.0f} gold labels alone")
    axes.legend(frameon=False, loc="lower right", fontsize=6.5)


def draw_labelling_efficiency(table: pd.DataFrame, study: Study) -> tuple[Figure, pd.DataFrame]:
    """Draw equal-width contours over n and n_gold, and savings against the cost ratio.

    Args:
        table: long results of the method on a grid of n and gold fractions, and of gold alone.
        study: what is asked.

    Returns:
        the figure and the table of `study_labelling`. Solid lines: the method's interval is about
        the items themselves, as the paper has it; dashed: with the width of n labels added, so that
        it is about a population, as that of gold labels alone is. Bands: one standard error.
    """
    widths, shown = study_labelling(table, study)
    figure, axes = new_figure(1, 2, 3.4)
    _contours(axes[0][0], shown, study)
    _savings(axes[0][1], shown, study)
    measured = shown[shown["part"] == "measured"]
    figure.supxlabel(
        f"{label_of(study.metric)}; {int(measured['replicates'].min())} or more replicates in each "
        f"setting; widths fitted to {np.expm1(widths.method.left_out):.0%} ({study.method}) and "
        f"{np.expm1(widths.gold.left_out):.0%} ({study.baseline}), each setting from the others\n"
        f"{gate_note(table[table['metric'] == study.metric])}",
        fontsize=7,
    )
    return figure, shown


PLOT_LABELLING_EFFICIENCY = Plot("labelling_efficiency", draw_labelling_efficiency, asks=Study)


LINES_NESTED_LENGTHS = {"log mu": ("-", r"$\log\mu$", 0.95), "delta": ("--", r"$\delta$", 1.05)}
"""Quantity -> its line, its sign, and a factor of the length, so that no bar hides another."""


def _means(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Means over the replicates of a study, by quantity and length, and the distance's error."""
    means = (
        table.groupby([*keys, "quantity", "length"], sort=False, dropna=False)
        .agg(
            distance=("distance", "mean"), distance_se=("distance", "sem"),
            shift=("shift", "mean"), spread=("spread", "mean"), seconds=("seconds", "mean"),
            replicates=("distance", "size"),
        )
        .reset_index()
    )  # fmt: skip
    return means.assign(distance_se=means["distance_se"].fillna(0.0))


def _panel(panel: Axes, study: pd.DataFrame, chance: Sequence[float]) -> None:
    """One study: the band of chance, and a line for each quantity."""
    panel.axhspan(
        *chance, linewidth=0, alpha=0.2, color=style_of(EXACT.name).colour,
        label=f"{EXACT.name} against itself",
    )  # fmt: skip
    style = style_of(PUBLISHED.name)
    for name, (line, label, apart) in LINES_NESTED_LENGTHS.items():
        own = study[(study["quantity"] == name) & (study["length"] != EXACT_AGAIN)]
        panel.errorbar(
            own["length"] * apart, own["distance"], own["distance_se"], linestyle=line,
            color=style.colour, marker=style.marker, markersize=3,
            label=f"{PUBLISHED.name}, {label}",
        )  # fmt: skip
    panel.axvline(PRINTED, color="#666666", linewidth=0.7, linestyle=":")
    panel.set_xscale("log")


def draw_nested_lengths(
    table: pd.DataFrame, *, by: Sequence[str], titles: Mapping[str, str], columns: int = 3
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each study: mean distance, with one standard error, against the length.

    Args:
        table: what the check nested_lengths gives, for several studies.
        by: the columns that tell the studies apart, of which a study has one.
        titles: column -> what stands above a panel, with {} for its value.
        columns: panels side by side.

    Returns:
        the figure and the rows that it shows. The band is the central 95 % of the distances of two
        exact cuts, over all studies: what chance alone makes. The line is the printed length.
    """
    keys = [name for name in by if name in table]
    means = _means(table, keys)
    again = table[table["length"] == EXACT_AGAIN]["distance"]
    chance = again.quantile([0.025, 0.975]).tolist()
    highest = max(0.3, float((means["distance"] + means["distance_se"]).max()))
    studies = list(means.groupby(keys, sort=False, dropna=False))
    rows = -(-len(studies) // columns)
    figure, axes = new_figure(rows, columns, 0.5 + 1.9 * rows)
    panels = [panel for row in axes for panel in row]
    for panel in panels[len(studies) :]:
        panel.set_visible(False)
    for number, (panel, (_, study)) in enumerate(zip(panels, studies, strict=False)):
        _panel(panel, study, chance)
        panel.set_ylim(0, 1.05 * highest)
        panel.set_title(_title(study[keys].iloc[0], titles), fontsize=7)
        if number % columns == 0:
            panel.set_ylabel("distance of distributions")
        if number >= len(studies) - columns:
            panel.set_xlabel("iterations of a nested fit")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower right", ncols=3)
    return figure, means


def _title(values: pd.Series, titles: Mapping[str, str]) -> str:
    """What a panel is of, from the one column that its study varies."""
    ((column, value),) = values.dropna().items()
    shown = f"{value:,g}" if isinstance(value, float | int) else str(value).replace("_", " ")
    return titles[str(column)].format(shown)


PLOT_NESTED_LENGTHS = Plot("nested_lengths", draw_nested_lengths)


SOURCES = {
    "score": ("o", "true, from the raw score", -0.24),
    "rank": ("x", "MAVEN, from the rank", 0.08),
}
FEWEST = 40
"""Fewer data sets than this say nothing about the outer 2.5 %."""


def _panel_order_statistics(axes: Axes, table: pd.DataFrame) -> None:
    sizes = sorted(table["n"].unique())
    for source, (marker, _, offset) in SOURCES.items():
        for votes, rows in table[table["source"] == source].groupby("votes_positive"):
            shift = offset + 0.06 * int(str(votes))
            position = [sizes.index(size) + shift for size in rows["n"]]
            colour = STYLE_COLOURS[int(str(votes)) % len(STYLE_COLOURS)]
            axes.hlines(position, rows["lower"], rows["upper"], color=colour, linewidth=1.2)
            axes.plot(
                rows["mean"],
                position,
                color=colour,
                marker=marker,
                linestyle="none",
                markersize=3.5,
            )
    axes.set_yticks(range(len(sizes)), [f"{size:,}" for size in sizes])
    axes.set_ylim(-0.5, len(sizes) - 0.5)
    axes.invert_yaxis()


def draw_order_statistics(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each percentile, with a pair of intervals for each n and vote set.

    Args:
        table: what `order_statistics.check_order_statistics` gives, for several n.

    Returns:
        the figure and the rows that it shows; points are means, lines central 95 %. Rows that
        rest on fewer than `FEWEST` data sets are left out.
    """
    table = table[table["datasets"] >= FEWEST]
    if table.empty:
        raise ValueError(f"no row of the table rests on {FEWEST} data sets or more")
    percentiles = sorted(table["percentile"].unique())
    figure, axes = new_figure(1, len(percentiles), 3.0)
    for panel, percentile in zip(axes[0], percentiles, strict=True):
        _panel_order_statistics(panel, table[table["percentile"] == percentile])
        panel.set_title(f"score percentile {percentile:g}")
        panel.set_xlabel(r"logit $P(Y_i = 1 \mid \mathcal{V}_i, X_i; \theta^*)$")
    axes[0][0].set_ylabel("Items $n$")
    for panel in axes[0][1:]:
        panel.tick_params(labelleft=False)
    handles = [
        axes[0][0].plot([], [], color="#444444", marker=marker, label=label)[0]
        for marker, label, _ in SOURCES.values()
    ]
    handles += [
        axes[0][0].plot(
            [], [], color=STYLE_COLOURS[votes % len(STYLE_COLOURS)], label=f"$V_i = {votes}$"
        )[0]
        for votes in sorted(table["votes_positive"].unique())
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=6, frameon=False)
    return figure, table


PLOT_ORDER_STATISTICS = Plot("order_statistics", draw_order_statistics)


LINE = 0.19
"""Inches of a line of the table."""
LEFT = -0.95
"""Where the methods' names begin, in widths of a column of cells, which begin at -0.3."""


def select_task(table: pd.DataFrame, task: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of a task: of its experiment, where settings have the values asked for.

    None where the table has no rows of the experiment, as of a dataset that cannot be had; its
    settings are no columns then.

    Raises:
        ValueError: where the experiment has no such setting column.
    """
    rows = table[table["experiment"] == task["experiment"]]
    if rows.empty:
        return rows
    for column, value in task.get("where", {}).items():
        if column not in rows:
            raise ValueError(f"{task['experiment']}: the table has no column {column!r}")
        rows = rows[rows[column] == value]
    return rows


def _cell(row: Mapping[str, Any]) -> str:
    if pd.isna(row["relative"]):
        return "–"
    error = "" if pd.isna(row["relative_se"]) else f" ± {row['relative_se']:.2f}"
    return f"{row['relative']:.2f}{error}"


def _panel_relative_bias_table(
    axes: Axes, title: str, shown: pd.DataFrame, metrics: Sequence[str]
) -> None:
    """Write one task's table; the axes' unit is a line, and a column of cells has width 1."""
    axes.set_axis_off()
    methods = list(dict.fromkeys(shown["method"]))
    axes.set_xlim(LEFT, len(metrics) - 0.3)
    axes.set_ylim(len(methods) + 1.6, -0.8)
    replicates = count_replicates(shown["replicates"])
    axes.text(LEFT, -0.15, f"{title}  ({replicates})", fontsize=8, va="center")
    for column, metric in enumerate(metrics):
        label = label_of(metric)
        axes.text(column + 0.2, 0.95, label, ha="center", va="center", fontsize=7.5)
    for y in (0.45, 1.45, len(methods) + 1.55):
        axes.hlines(y, LEFT, len(metrics) - 0.3, color="#444444", linewidth=0.6)
    for line, method in enumerate(methods, start=2):
        axes.text(LEFT, line, method, va="center", fontsize=7.5)
        for row in shown[shown["method"] == method].to_dict("records"):
            weight = "bold" if row["within"] else "normal"
            x = metrics.index(row["metric"]) + 0.2
            axes.text(x, line, _cell(row), ha="center", va="center", fontsize=7.5, weight=weight)


def draw_relative_bias_table(
    table: pd.DataFrame,
    *,
    tasks: Sequence[Mapping[str, Any]],
    methods: Sequence[str],
    metrics: Sequence[str],
    baseline: str,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a table for each task: methods down, metrics across, two tables side by side.

    Args:
        table: the long results tables of the tasks' experiments.
        tasks: {experiment, title, where: {setting: value}}.
        baseline: the method whose error is 1.

    Returns:
        the figure and its numbers. A cell is the mean absolute error over the baseline's, with the
        standard error as the paper prints it; `paired_se` beside it in the rows is the ratio's.
        Bold: at most one standard error of the baseline above it. Tasks that the table does not
        have are named below.

    Raises:
        ValueError: where the table has none of the tasks, or a task's rows lack the baseline.
    """
    found, missing, fits = {}, [], []
    for task in tasks:
        rows = select_task(table, task)
        if len(rows):
            fits.append(rows[rows["method"].isin(methods) & rows["metric"].isin(metrics)])
            found[task["title"]] = relative_bias(rows, list(methods), list(metrics), baseline)
        else:
            missing.append(task["title"])
    if not found:
        raise ValueError(f"the table has none of the tasks {missing}")
    lines = max(numbers["method"].nunique() for numbers in found.values())
    grid = -(-len(found) // 2)
    figure, axes = new_figure(grid, 2, grid * (lines + 3.2) * LINE + 0.3)
    panels = [panel for row in axes for panel in row]
    for panel, (title, numbers) in zip(panels, found.items(), strict=False):
        _panel_relative_bias_table(panel, title, numbers, metrics)
    for panel in panels[len(found) :]:
        panel.set_axis_off()
    absent = f"\nNo data: {', '.join(missing)}." if missing else ""
    figure.supxlabel(
        f"Mean |estimate $-$ truth|, relative to {baseline}, ± standard error; bold: at "
        f"most one standard error of {baseline} above it.\n"
        f"{gate_note(pd.concat(fits))}.{absent}",
        fontsize=7,
    )
    frames = [numbers.assign(task=title) for title, numbers in found.items()]
    shown = pd.concat(frames, ignore_index=True)
    return figure, shown[["task", *[name for name in shown.columns if name != "task"]]]


PLOT_RELATIVE_BIAS_TABLE = Plot("relative_bias_table", draw_relative_bias_table)


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


PLOT_RUN_TIME = Plot("run_time", draw_run_time)


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


AXIS = "shape"
TITLES = {
    CALIBRATION: r"$P(Y_i = 1 \mid X_i)$",
    "density": r"Density of $X_i \mid Y_i$",
    PRECISION: "Precision against recall",
    "distance": "Distance",
}
AXES = {PRECISION: "recall", "distance": "integrated over recall"}
CLASSES = (("#0072B2", "-", "$Y_i = 0$"), ("#993377", "--", "$Y_i = 1$"))
GREY = "#666666"
OF_ITEMS = "all labels known"
"""The curve of the items' own true labels, which is every method's where n_e = n."""

ROOM = 1.45
"""Width of the panel of distances over what it shows, for the ratios at its right."""

HIGHEST_DENSITY = 6.0
"""Densities are cut here, so that a pole at 0 or 1 leaves room for the rest."""


def _calibration(panel: Axes, exact: pd.DataFrame) -> None:
    rows = exact[exact["curve"] == CALIBRATION]
    panel.plot(rows["at"], rows["value"], color="black")
    m = float(rows["m"].iloc[0])
    panel.plot([m, m], [0, 0.5], color=GREY, linewidth=0.7, linestyle=":")
    panel.annotate(f"$m$ = {m:.2f}", (m, 0.02), (3, 0), textcoords="offset points", fontsize=6)
    panel.set_ylim(-0.02, 1.02)


def _density(panel: Axes, exact: pd.DataFrame) -> None:
    highest = 0.0
    for name, (colour, line, label) in zip(DENSITIES, CLASSES, strict=True):
        rows = exact[exact["curve"] == name]
        panel.plot(rows["at"], rows["value"], color=colour, linestyle=line, label=label)
        highest = max(highest, float(rows["value"].max()))
    panel.set_ylim(0, min(1.05 * highest, HIGHEST_DENSITY))


def _precision(panel: Axes, exact: pd.DataFrame, fitted: pd.DataFrame) -> None:
    """Draw each method's curve and interval, the exact curve, and that of the items' labels."""
    for method in method_order(fitted["method"]):
        rows = fitted[fitted["method"] == method].sort_values("at")
        style = style_of(method)
        panel.fill_between(
            rows["at"], rows["lower"], rows["upper"], color=style.colour, alpha=0.25, linewidth=0
        )
        panel.plot(
            rows["at"], rows["estimate"], color=style.colour, linestyle=style.line, label=method
        )
    own = fitted.drop_duplicates("at").sort_values("at")
    panel.plot(own["at"], own["truth"], color=GREY, linewidth=0.8, linestyle=":", label=OF_ITEMS)
    rows = exact[exact["curve"] == PRECISION]
    panel.plot(rows["at"], rows["value"], color="black", linewidth=0.9, label="exact")
    panel.set_xlim(0, 1)
    panel.set_ylim(0, 1.02)


def _distance(panel: Axes, distances: pd.DataFrame, widest: float) -> None:
    """Draw how far each method's curve is from the items' own (filled) and the exact (hollow)."""
    known = distances.set_index("method")
    methods = [*method_order(distances.loc[distances["method"] != ITEMS, "method"]), ITEMS]
    for place, method in enumerate(methods):
        row, colour = known.loc[method], GREY if method == ITEMS else style_of(method).colour
        marks = [("distance", "white", 0.12)]
        marks += [("from_items", colour, -0.12)] if method != ITEMS else []
        for name, face, above in marks:
            panel.errorbar(
                row[name], place - above, xerr=row[f"{name}_se"], color=colour, marker="o",
                markersize=3.5, markerfacecolor=face, linewidth=0.8, linestyle="none",
            )  # fmt: skip
        if method not in (ITEMS, BASELINE) and np.isfinite(row["of_gold"]):
            panel.annotate(
                f"× {row['of_gold']:.2f}", (1, place), (-2, 0), xycoords=("axes fraction", "data"),
                textcoords="offset points", fontsize=5.5, ha="right", va="center",
            )  # fmt: skip
    if BASELINE in known.index:
        gold = float(known["from_items"][BASELINE])
        panel.axvline(gold, color=style_of(BASELINE).colour, linewidth=0.7, linestyle="--")
    names = [OF_ITEMS if method == ITEMS else method for method in methods]
    panel.set_yticks(range(len(methods)), names, fontsize=6)
    panel.set_ylim(len(methods) - 0.5, -0.5)
    panel.set_xlim(0, ROOM * widest)


def _chosen(table: pd.DataFrame, wanted: Sequence[str] | None) -> tuple[list[str], pd.DataFrame]:
    """The shapes to draw and the rows of these."""
    if AXIS not in table or "curve" not in table or "metric" not in table:
        raise ValueError("the tables of an experiment and of the check score_curves are needed")
    shapes = list(wanted or dict.fromkeys(table[AXIS]))
    missing = [shape for shape in shapes if shape not in set(table[AXIS])]
    if missing:
        raise ValueError(f"the table has no shapes {missing}")
    return shapes, table[table[AXIS].isin(shapes)]


def _legends(first: Mapping[str, Axes]) -> None:
    """Explain the lines of the first row's densities and curves."""
    if "density" in first:
        panel = first["density"]
        panel.set_ylim(0, 1.35 * panel.get_ylim()[1])  # room for the legend above the curves
        panel.legend(loc="upper right", frameon=False, fontsize=6)
    if PRECISION in first:
        first[PRECISION].legend(loc="lower left", frameon=False, fontsize=6)


def draw_score_shapes(
    table: pd.DataFrame,
    *,
    shapes: Sequence[str] | None = None,
    panels: Sequence[str] = tuple(TITLES),
    replicate: int = 0,
    not_drawn: Sequence[str] = (),
) -> tuple[Figure, pd.DataFrame]:
    """Draw a row of panels for each shape of the scores.

    Args:
        table: the results of an experiment with precision_at_recall at several recalls that varies
            `shape`, and those of the check score_curves for the same shapes.
        shapes: those drawn (all by default).
        panels: some of calibration, density, precision and distance.
        replicate: whose estimates and intervals are drawn.
        not_drawn: methods whose curves are not drawn, only their distance.

    Returns:
        the figure and the rows that it shows: the exact curves, the estimates of the replicate,
        and the distances over all replicates (`curve_distances`).
    """
    shapes, table = _chosen(table, shapes)
    exact = table[table["curve"].notna()]
    results = precision_rows(table)
    distances = curve_distances(results, exact, [AXIS])
    fitted = results[results["replicate"] == replicate]
    fitted = fitted[~fitted["method"].isin(not_drawn)]
    widest = max(
        float((distances[name] + distances[f"{name}_se"].fillna(0)).max())
        for name in ("distance", "from_items")
    )
    figure, axes = new_figure(len(shapes), len(panels), 0.6 + 1.75 * max(len(shapes), 1.3))
    for row, shape in enumerate(shapes):
        curves, numbers = (part[part[AXIS] == shape] for part in (exact, distances))
        for column, name in enumerate(panels):
            panel = axes[row][column]
            if name == CALIBRATION:
                _calibration(panel, curves)
            elif name == PRECISION:
                _precision(panel, curves, fitted[fitted[AXIS] == shape])
            elif name == "distance":
                _distance(panel, numbers, widest)
            else:
                _density(panel, curves)
            if row == 0:
                panel.set_title(TITLES[name])
            if row < len(shapes) - 1:
                panel.tick_params(labelbottom=False)
            else:
                panel.set_xlabel(AXES.get(name, "score $X_i$"))
        if len(shapes) > 1:
            axes[row][0].set_ylabel(shape.replace("_", " "))
    _legends(dict(zip(panels, axes[0], strict=True)))
    figure.supxlabel(_note(results, distances), fontsize=6.5)
    shown = pd.concat([exact, fitted, distances.assign(curve="distance")], ignore_index=True)
    return figure, shown.dropna(axis="columns", how="all")


def _note(results: pd.DataFrame, distances: pd.DataFrame) -> str:
    return (
        "Distances: from the curve of the items' own labels (filled), from the exact curve "
        f"(hollow); mean ± standard error of {count_replicates(distances['replicates'])}. × "
        "and dashed line: against gold labels alone.\nCurves and bands (intervals): the first "
        f"replicate. {gate_note(results.drop(columns='at'))}"
    )


PLOT = Plot("score_shapes", draw_score_shapes)
