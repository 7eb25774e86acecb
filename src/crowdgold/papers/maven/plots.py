"""Figures of the MAVEN paper: equal-width contours and what they save (section 6), nested fits
against the exact cut, log odds from ranks and from raw scores (figure 6), the table of absolute
bias (table 3), run time (figure 5), and precision-recall curves of many shapes (figures 3, 7).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

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
from crowdgold.papers.maven.labelling_savings import SavingsOptions, study_labelling
from crowdgold.papers.maven.relative_bias import relative_bias
from crowdgold.plots.style import (
    AXIS_LABELS,
    Plot,
    count_replicates,
    draw_band,
    log_ticks,
    method_order,
    new_figure,
    style_of,
)
from crowdgold.plots.style import COLOURS as STYLE_COLOURS

AIMS = {"items": ("-", "about these items"), "population": ("--", "about the population")}
"""What an interval is about (`labelling_savings.AIMS`) -> its line style and words."""
COLOURS = {"paper": "#0072B2", "best": "#D55E00"}
GREY = "#808080"
DARK_GREY = "#666666"


def draw_labelling_efficiency(
    table: pd.DataFrame, study: SavingsOptions
) -> tuple[Figure, pd.DataFrame]:
    """Draw equal-width contours over n and n_gold, and savings against the cost ratio, of long
    results of the method on a grid of n and gold fractions, and of gold alone (`study_labelling`).

    Each contour is named by the gold labels alone that give intervals as narrow. Solid lines: the
    method's interval is about the items themselves, as the paper has it; dashed: with the width of
    n labels added, so that it is about a population, as that of gold labels alone is. Bands: one
    standard error.
    """
    widths, shown = study_labelling(table, study)
    figure, ((left, right),) = new_figure(1, 2, 3.4)
    contours, savings, measured = (
        shown[shown["part"] == part] for part in ("contour", "saving", "measured")
    )
    own = measured[measured["method"] == study.method]
    for aim, gold_only in dict.fromkeys(zip(contours["aim"], contours["gold_only"], strict=True)):
        line = contours[(contours["aim"] == aim) & (contours["gold_only"] == gold_only)]
        colour, width = ("#000000", 1.4) if gold_only == study.costs.gold_only else (GREY, 0.9)
        left.plot(line["n"], line["n_gold"], color=colour, linewidth=width, linestyle=AIMS[aim][0])
        end = line.iloc[-1]
        text = f" {gold_only:,.0f}"
        left.text(end["n"], end["n_gold"], text, fontsize=6, va="center", color=colour)
    for style, label in AIMS.values():
        left.plot([], [], style, color="#000000", linewidth=1.4, label=label)
    left.plot(own["n"], own["n_gold"], ".", color=GREY, markersize=3, label="measured here")
    star: dict[str, Any] = {"color": COLOURS["paper"], "markersize": 9}
    left.plot(study.n, study.n_gold, "*", label="in the paper", linestyle="none", **star)
    left.set_yscale("log")
    sizes = sorted(own["n"].unique())
    log_ticks(left, sizes, [f"{size:,.0f}" for size in sizes])
    left.set_xlim(sizes[0] / 1.2, sizes[-1] * 2)
    lowest = pd.concat([contours["n_gold"], own["n_gold"]]).min()
    left.set_ylim(bottom=lowest / 6)  # room for the legend
    left.yaxis.set_major_formatter(FuncFormatter(lambda value, position: f"{value:,.0f}"))
    left.set_xlabel(AXIS_LABELS["n"])
    left.set_ylabel(AXIS_LABELS["n_gold"])
    left.set_title(f"As narrow as {study.baseline} with so many gold labels")
    left.legend(frameon=False, loc="lower right", ncols=2, fontsize=6.5, columnspacing=1.0)

    names = {"paper": f"n = {study.n:,.0f}", "best": "best n"}
    for aim, (style, words) in AIMS.items():
        for where, colour in COLOURS.items():
            rows = savings[(savings["aim"] == aim) & (savings["where"] == where)]
            ratio, value, error = (rows[name] for name in ("cost_ratio", "value", "value_se"))
            right.plot(ratio, value, style, color=colour, label=f"{names[where]}, {words}")
            draw_band(right, ratio, value - error, value + error, colour, 0.15)
    printed = shown[(shown["part"] == "ratio") & (shown["where"] == "printed numbers")]
    right.axhline(study.saving, color=GREY, linewidth=0.8)
    right.plot(printed["value"], study.saving, "*", **star)
    ratios = list(study.cost_ratios)
    right.set_xlim(min(ratios) / 1.2, max(ratios) * 1.2)
    right.set_xscale("log")
    right.set_xticks(ratios, [f"{ratio:g}" for ratio in ratios])
    right.minorticks_off()
    lowest = 0.0
    if savings.empty:
        text = "no interval here is as narrow"
        right.text(0.5, 0.6, text, ha="center", transform=right.transAxes)
    else:
        lowest = savings["value"].min()
    right.set_ylim(max(lowest - 0.05, -0.5), 1)
    right.set_xlabel("Cost of an expert's label in crowd votes")
    right.set_ylabel("Share of the labelling cost saved")
    right.set_title(f"Against {study.costs.gold_only:,.0f} gold labels alone")
    right.legend(frameon=False, loc="lower right", fontsize=6.5)

    figure.supxlabel(
        f"{label_of(study.metric)}; {int(measured['replicates'].min())} or more replicates in each "
        f"setting; widths fitted to {np.expm1(widths.method.left_out):.0%} ({study.method}) and "
        f"{np.expm1(widths.gold.left_out):.0%} ({study.baseline}), each setting from the others\n"
        f"{gate_note(table[table['metric'] == study.metric])}",
        fontsize=7,
    )
    return figure, shown


def draw_nested_lengths(
    table: pd.DataFrame, *, by: Sequence[str], titles: Mapping[str, str], columns: int = 3
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each study of nested_lengths: mean distance, with one standard
    error, against the length.

    The band is the central 95 % of the distances of two exact cuts, over all studies: what chance
    alone makes. The line is the printed length. `by` are the columns that tell studies apart, of
    which a study has one; `titles`: column -> what stands above a panel, with {} for its value.
    """
    keys = [name for name in by if name in table]
    grouped = table.groupby([*keys, "quantity", "length"], sort=False, dropna=False)
    means = grouped.agg(
        distance=("distance", "mean"), distance_se=("distance", "sem"), shift=("shift", "mean"),
        spread=("spread", "mean"), seconds=("seconds", "mean"), replicates=("distance", "size"),
    ).reset_index().fillna({"distance_se": 0.0})  # fmt: skip
    chance = table[table["length"] == EXACT_AGAIN]["distance"].quantile([0.025, 0.975]).tolist()
    highest = max(0.3, float((means["distance"] + means["distance_se"]).max()))
    studies = list(means.groupby(keys, sort=False, dropna=False))
    rows = -(-len(studies) // columns)
    figure, axes = new_figure(rows, columns, 0.5 + 1.9 * rows)
    panels = [panel for row in axes for panel in row]
    for panel in panels[len(studies) :]:
        panel.set_visible(False)
    style = style_of(PUBLISHED.name)
    for number, (panel, (_, study)) in enumerate(zip(panels, studies, strict=False)):
        panel.axhspan(
            *chance, linewidth=0, alpha=0.2, color=style_of(EXACT.name).colour,
            label=f"{EXACT.name} against itself",
        )  # fmt: skip
        # A factor of the length keeps the quantities' bars apart.
        for name, line, label, apart in (
            ("log mu", "-", r"$\log\mu$", 0.95), ("delta", "--", r"$\delta$", 1.05),
        ):  # fmt: skip
            own = study[(study["quantity"] == name) & (study["length"] != EXACT_AGAIN)]
            panel.errorbar(
                own["length"] * apart, own["distance"], own["distance_se"], linestyle=line,
                color=style.colour, marker=style.marker, markersize=3,
                label=f"{PUBLISHED.name}, {label}",
            )  # fmt: skip
        panel.axvline(PRINTED, color="#666666", linewidth=0.7, linestyle=":")
        panel.set_xscale("log")
        panel.set_ylim(0, 1.05 * highest)
        ((column, value),) = study[keys].iloc[0].dropna().items()  # the one that its study varies
        words = f"{value:,g}" if isinstance(value, float | int) else str(value).replace("_", " ")
        panel.set_title(titles[str(column)].format(words), fontsize=7)
        if number % columns == 0:
            panel.set_ylabel("distance of distributions")
        if number >= len(studies) - columns:
            panel.set_xlabel("iterations of a nested fit")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower right", ncols=3)
    return figure, means


FEWEST = 40
"""Fewer data sets than this say nothing about the outer 2.5 %."""


def draw_order_statistics(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each percentile of `compute_order_statistics`, with a pair of intervals for
    each n and vote set: points are means, lines central 95 %.
    """
    table = table[table["datasets"] >= FEWEST]
    if table.empty:
        raise ValueError(f"no row of the table rests on {FEWEST} data sets or more")
    sources = (
        ("score", "o", "true, from the raw score", -0.24),
        ("rank", "x", "MAVEN, from the rank", 0.08),
    )
    percentiles = sorted(table["percentile"].unique())
    figure, (panels,) = new_figure(1, len(percentiles), 3.0)
    for panel, percentile in zip(panels, percentiles, strict=True):
        shown = table[table["percentile"] == percentile]
        sizes = sorted(shown["n"].unique())
        for source, marker, _, offset in sources:
            own = shown[shown["source"] == source]
            for votes in sorted(own["votes_positive"].unique()):
                rows = own[own["votes_positive"] == votes]
                colour = STYLE_COLOURS[votes % len(STYLE_COLOURS)]
                at = [sizes.index(size) + offset + 0.06 * votes for size in rows["n"]]
                panel.hlines(at, rows["lower"], rows["upper"], linewidth=1.2, color=colour)
                panel.plot(rows["mean"], at, marker, color=colour, markersize=3.5)
        panel.set_yticks(range(len(sizes)), [f"{size:,}" for size in sizes])
        panel.set_ylim(-0.5, len(sizes) - 0.5)
        panel.invert_yaxis()
        panel.set_title(f"score percentile {percentile:g}")
        panel.set_xlabel(r"logit $P(Y_i = 1 \mid \mathcal{V}_i, X_i; \theta^*)$")
    panels[0].set_ylabel("Items $n$")
    for panel in panels[1:]:
        panel.tick_params(labelleft=False)
    looks = [("#444444", marker, label) for _, marker, label, _ in sources]
    looks += [
        (STYLE_COLOURS[votes % len(STYLE_COLOURS)], "", f"$V_i = {votes}$")
        for votes in sorted(table["votes_positive"].unique())
    ]
    handles = [
        panels[0].plot([], [], "-" + marker, color=colour, label=label)[0]
        for colour, marker, label in looks
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=6, frameon=False)
    return figure, table


def select_task(table: pd.DataFrame, task: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of a task: of its experiment, where settings have the values asked for.

    Of a dataset that cannot be had there are none, and its settings are no columns.
    """
    rows = table[table["experiment"] == task["experiment"]]
    if rows.empty:
        return rows
    for column, value in task.get("where", {}).items():
        if column not in rows:
            raise ValueError(f"{task['experiment']}: the table has no column {column!r}")
        rows = rows[rows[column] == value]
    return rows


def draw_relative_bias_table(
    table: pd.DataFrame,
    *,
    tasks: Sequence[Mapping[str, Any]],
    methods: Sequence[str],
    metrics: Sequence[str],
    baseline: str,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a table for each task: methods down, metrics across, two tables side by side.

    A cell is the mean absolute error over the baseline's, with the standard error as the paper
    prints it; `paired_se` beside it in the rows is the ratio's. Bold: at most one standard error of
    the baseline above it. Tasks, {experiment, title, where: {setting: value}}, that the table does
    not have are named below.
    """
    numbers, missing, fits = {}, [], []
    for task in tasks:
        rows = select_task(table, task)
        if len(rows):
            fits.append(rows[rows["method"].isin(methods) & rows["metric"].isin(metrics)])
            numbers[task["title"]] = relative_bias(rows, list(methods), list(metrics), baseline)
        else:
            missing.append(task["title"])
    if not numbers:
        raise ValueError(f"the table has none of the tasks {missing}")
    most = max(cells["method"].nunique() for cells in numbers.values())
    grid = -(-len(numbers) // 2)
    figure, axes = new_figure(grid, 2, grid * (most + 3.2) * 0.19 + 0.3)  # inches of a line
    panels = [panel for row in axes for panel in row]
    for panel in panels:
        panel.set_axis_off()
    # The axes' unit is a line down and a column of cells across; methods' names begin at its left.
    left, right = -0.95, len(metrics) - 0.3
    for panel, (title, cells) in zip(panels, numbers.items(), strict=False):
        lines = list(dict.fromkeys(cells["method"]))
        panel.set_xlim(left, right)
        panel.set_ylim(len(lines) + 1.6, -0.8)
        head = f"{title}  ({count_replicates(cells['replicates'])})"
        panel.text(left, -0.15, head, fontsize=8, va="center")
        for column, metric in enumerate(metrics):
            text = label_of(metric)
            panel.text(column + 0.2, 0.95, text, ha="center", va="center", fontsize=7.5)
        for y in (0.45, 1.45, len(lines) + 1.55):
            panel.hlines(y, left, right, color="#444444", linewidth=0.6)
        for line, method in enumerate(lines, start=2):
            panel.text(left, line, method, va="center", fontsize=7.5)
            for row in cells[cells["method"] == method].to_dict("records"):
                text = "–"
                if pd.notna(row["relative"]):
                    text = f"{row['relative']:.2f}"
                    text += f" ± {row['relative_se']:.2f}" * pd.notna(row["relative_se"])
                panel.text(
                    metrics.index(row["metric"]) + 0.2, line, text, ha="center", va="center",
                    fontsize=7.5, weight="bold" if row["within"] else "normal",
                )  # fmt: skip
    absent = f"\nNo data: {', '.join(missing)}." if missing else ""
    figure.supxlabel(
        f"Mean |estimate $-$ truth|, relative to {baseline}, ± standard error; bold: at "
        f"most one standard error of {baseline} above it.\n"
        f"{gate_note(pd.concat(fits))}.{absent}",
        fontsize=7,
    )
    shown = pd.concat(numbers, names=["task"]).reset_index("task")
    return figure, shown.reset_index(drop=True)


EQUAL = 100
"""Effective draws whose seconds are compared."""
PANELS = (("", "As printed"), (", compressed", "Compressed scores"), (", NumPyro", "NumPyro"))
"""Ending of a row's name -> the panel it is drawn in; MAVEN, by either cut, is in all of them."""


def draw_run_time(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw seconds of inference against n, both logarithmic: as printed, faster forms, peers.

    `table` is what benchmarks/model_scaling.py writes: a row for each method, n and run. Legends
    give the power of n by least squares. Below are the seconds that `EQUAL` effective draws take,
    where the table has their number: chains that mix badly are no quicker for being short.
    """
    table = table.assign(for_equal=table["inference"] * EQUAL / table.get("effective", np.nan))
    of_rows = {"inference": "Seconds of inference, one core"}
    if table["for_equal"].notna().any():
        of_rows["for_equal"] = f"Seconds for {EQUAL} effective draws"
    first, *others = PANELS
    panel_of = {
        name: next((title for end, title in others if name.endswith(end)), first[1])
        for name in table["method"]
    }
    titles = [title for _, title in PANELS if title in panel_of.values()]
    figure, axes = new_figure(len(of_rows), len(titles), 2.9 * len(of_rows))
    sizes = sorted(table["n"].unique())
    for (column, axis), panels in zip(of_rows.items(), axes, strict=True):
        for panel, title in zip(panels, titles, strict=True):
            for name, timed in table.dropna(subset=column).groupby("method", sort=False):
                if panel_of[name] != title and name not in (PUBLISHED.name, EXACT.name):
                    continue
                method = str(name).split(",")[0]
                style = style_of(method)
                seconds = timed.groupby("n")[column].agg(["median", "min", "max"])
                reach = [seconds["median"] - seconds["min"], seconds["max"] - seconds["median"]]
                power = timed["exponent"].iloc[0]
                grows = column == "inference" and np.isfinite(power)
                panel.errorbar(
                    seconds.index, seconds["median"], yerr=reach, color=style.colour,
                    marker=style.marker, linestyle=style.line, capsize=1.5, elinewidth=0.8,
                    label=f"{method}  $n^{{{power:z.2f}}}$" if grows else method,
                )  # fmt: skip
            panel.set_title(title if column == "inference" else "")
            panel.set_yscale("log")
            # Room above the lines for the legend.
            room = 60 if column == "inference" else 2
            panel.set_ylim(table[column].min() * 0.5, table[column].max() * room)
            log_ticks(panel, sizes, [f"{size:,}" for size in sizes], fontsize=6)
            panel.set_xlabel(AXIS_LABELS["n"] if axis == [*of_rows.values()][-1] else "")
            if column == "inference":
                panel.legend(frameon=False, fontsize=6, loc="upper left")
        panels[0].set_ylabel(axis)
    failed = int((~table["passed"]).sum())
    runs = int(table.groupby(["method", "n"]).size().max())
    figure.supxlabel(
        f"Points: medians of up to {runs} runs (docs/reproduction.md has their means); bars: the "
        f"fastest and the slowest.\n{failed} of {len(table)} runs missed their diagnostics gate",
        fontsize=7,
    )
    return figure, table.dropna(axis="columns", how="all")


def draw_scaling(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw seconds by part against n, both on logarithmic axes (benchmarks/maven_scaling.py)."""
    figure, ((panel,),) = new_figure(1, 1, 3.2)
    for part, label, colour, marker, line in (
        ("summary", "vote sets and win counts", "#8C8C8C", "s", ":"),
        ("vote model", "vote model (Stan)", "#5599BB", "v", "-"),
        ("score model", "score model, exact cut", "#D55E00", "^", "-"),
        ("nested score model", "score model, nested Stan fits", "#D55E00", "X", ":"),
        ("imputation", "imputation and metrics", "#008855", "o", "--"),
    ):
        panel.plot(table["n"], table[part], line + marker, color=colour, label=label)
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlabel(AXIS_LABELS["n"])
    panel.set_ylabel("Seconds on one core")
    figure.legend(loc="outside right center", frameon=False)
    return figure, table


TITLES = {
    CALIBRATION: r"$P(Y_i = 1 \mid X_i)$",
    "density": r"Density of $X_i \mid Y_i$",
    PRECISION: "Precision against recall",
    "distance": "Distance",
}
OF_ITEMS = "all labels known"
"""The curve of the items' own true labels, which is every method's where n_e = n."""


def _scores(panel: Axes, exact: pd.DataFrame, name: str) -> None:
    """Draw the calibration curve of scores, or their density in each class."""
    if name == CALIBRATION:
        rows = exact[exact["curve"] == CALIBRATION]
        panel.plot(rows["at"], rows["value"], color="black")
        m = float(rows["m"].iloc[0])
        panel.plot([m, m], [0, 0.5], color=DARK_GREY, linewidth=0.7, linestyle=":")
        panel.annotate(f"$m$ = {m:.2f}", (m, 0.02), (3, 0), textcoords="offset points", fontsize=6)
        panel.set_ylim(-0.02, 1.02)
        return
    for curve, colour, line, label in zip(
        DENSITIES, ("#0072B2", "#993377"), ("-", "--"), ("$Y_i = 0$", "$Y_i = 1$"), strict=True
    ):
        rows = exact[exact["curve"] == curve]
        panel.plot(rows["at"], rows["value"], color=colour, linestyle=line, label=label)
    highest = float(exact.loc[exact["curve"].isin(DENSITIES), "value"].max())
    # Cut at 6, so that a pole at 0 or 1 leaves room for the rest.
    panel.set_ylim(0, min(1.05 * highest, 6.0))


def _precision(panel: Axes, exact: pd.DataFrame, fitted: pd.DataFrame) -> None:
    """Draw each method's curve and interval, the exact curve, and that of the items' labels."""
    for method in method_order(fitted["method"]):
        rows, style = fitted[fitted["method"] == method].sort_values("at"), style_of(method)
        at = rows["at"]
        draw_band(panel, at, rows["lower"], rows["upper"], style.colour, 0.25)
        panel.plot(at, rows["estimate"], color=style.colour, linestyle=style.line, label=method)
    own = fitted.drop_duplicates("at").sort_values("at")
    panel.plot(own["at"], own["truth"], ":", color=DARK_GREY, linewidth=0.8, label=OF_ITEMS)
    rows = exact[exact["curve"] == PRECISION]
    panel.plot(rows["at"], rows["value"], color="black", linewidth=0.9, label="exact")
    panel.set_xlim(0, 1)
    panel.set_ylim(0, 1.02)


def _distance(panel: Axes, distances: pd.DataFrame, widest: float) -> None:
    """Draw how far each method's curve is from the items' own (filled) and the exact (hollow)."""
    known = distances.set_index("method")
    methods = [*method_order(distances.loc[distances["method"] != ITEMS, "method"]), ITEMS]
    for place, method in enumerate(methods):
        row, colour = known.loc[method], DARK_GREY if method == ITEMS else style_of(method).colour
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
    panel.set_xlim(0, 1.45 * widest)  # room for the ratios at its right


def draw_score_shapes(
    table: pd.DataFrame,
    *,
    shapes: Sequence[str] | None = None,
    panels: Sequence[str] = tuple(TITLES),
    replicate: int = 0,
    not_drawn: Sequence[str] = (),
) -> tuple[Figure, pd.DataFrame]:
    """Draw a row of panels for each shape of the scores, all by default.

    `table` is the results of an experiment with precision_at_recall at several recalls that varies
    `shape`, and those of score_curves for the same shapes; estimates and intervals are
    drawn of one `replicate`; methods `not_drawn` have only their distance. The rows are the exact
    curves, the estimates of the replicate, and the distances over all (`curve_distances`).
    """
    if not {"shape", "curve", "metric"} <= set(table.columns):
        raise ValueError(
            "the tables of an experiment and of the computation score_curves are needed"
        )
    shapes = list(shapes or dict.fromkeys(table["shape"]))
    missing = [shape for shape in shapes if shape not in set(table["shape"])]
    if missing:
        raise ValueError(f"the table has no shapes {missing}")
    table = table[table["shape"].isin(shapes)]
    exact = table[table["curve"].notna()]
    results = precision_rows(table)
    distances = curve_distances(results, exact, ["shape"])
    fitted = results[results["replicate"] == replicate]
    fitted = fitted[~fitted["method"].isin(not_drawn)]
    widest = max(
        float((distances[name] + distances[f"{name}_se"].fillna(0)).max())
        for name in ("distance", "from_items")
    )
    x_labels = {PRECISION: "recall", "distance": "integrated over recall"}
    figure, axes = new_figure(len(shapes), len(panels), 0.6 + 1.75 * max(len(shapes), 1.3))
    for row, shape in enumerate(shapes):
        curves, points, numbers = (
            part[part["shape"] == shape] for part in (exact, fitted, distances)
        )
        for name, panel in zip(panels, axes[row], strict=True):
            if name == PRECISION:
                _precision(panel, curves, points)
            elif name == "distance":
                _distance(panel, numbers, widest)
            else:
                _scores(panel, curves, name)
            if row == 0:
                panel.set_title(TITLES[name])
            if row < len(shapes) - 1:
                panel.tick_params(labelbottom=False)
            else:
                panel.set_xlabel(x_labels.get(name, "score $X_i$"))
        if len(shapes) > 1:
            axes[row][0].set_ylabel(shape.replace("_", " "))
    for name, panel in zip(panels, axes[0], strict=True):
        if name == "density":
            panel.set_ylim(0, 1.35 * panel.get_ylim()[1])  # room for the legend above the curves
            panel.legend(loc="upper right", frameon=False, fontsize=6)
        elif name == PRECISION:
            panel.legend(loc="lower left", frameon=False, fontsize=6)
    has_gold = bool(distances["of_gold"].notna().any())
    against = " × and dashed line: against gold labels alone." if has_gold else ""
    figure.supxlabel(
        "Distances: from the curve of the items' own labels (filled), from the exact curve "
        f"(hollow); mean ± standard error of {count_replicates(distances['replicates'])}."
        f"{against}\nCurves and bands (intervals): the first "
        f"replicate. {gate_note(results.drop(columns='at'))}",
        fontsize=6.5,
    )
    shown = pd.concat([exact, fitted, distances.assign(curve="distance")], ignore_index=True)
    return figure, shown.dropna(axis="columns", how="all")


PLOT_LABELLING_EFFICIENCY = Plot(
    "labelling_efficiency", draw_labelling_efficiency, asks=SavingsOptions
)
PLOT_NESTED_LENGTHS = Plot("nested_lengths", draw_nested_lengths)
PLOT_ORDER_STATISTICS = Plot("order_statistics", draw_order_statistics)
PLOT_RELATIVE_BIAS_TABLE = Plot("relative_bias_table", draw_relative_bias_table)
PLOT_RUN_TIME = Plot("run_time", draw_run_time)
PLOT = Plot("score_shapes", draw_score_shapes)
