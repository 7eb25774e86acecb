"""Figures of the CLARA paper: error against the true prevalence (figures 2 and 11), reviewers' TPR
and TNR (3), precision and recall (4), labelling policies (5 and 9), days (7 and 8, on simulated
stand-ins), and the distribution of a classifier's scores (10).
"""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from crowdgold.experiment.summaries import gate_note
from crowdgold.methods.clara import PUBLISHED
from crowdgold.papers.clara.claims import SHARE, policy_curves
from crowdgold.planning.labelling import SNORKEL, items_of_class
from crowdgold.plots.style import (
    FILLS,
    LINES,
    Plot,
    Series,
    draw_band,
    draw_line,
    draw_points,
    legend_above,
    method_order,
    new_figure,
    numbered_style,
    replicates_text,
    require,
    rows_drawn,
    split_series,
    style_of,
    value_text,
)

RATES = {"prevalence": "Prevalence", "TPR": "TPR", "TNR": "TNR"}
"""What a month of estimates shows, from above, and how it is called."""
PAIR = ("precision", "recall")
TRUTH = "#000000"


def _estimates(rows: pd.DataFrame, labels: Mapping[str, str]) -> Figure:
    """Draw a column for each experiment: estimates with their intervals by day, and the truth."""
    experiments = list(dict.fromkeys(rows["experiment"]))
    figure, axes = new_figure(len(RATES), len(experiments), 5.2)
    for column, experiment in enumerate(experiments):
        for line, (name, label) in zip(axes, RATES.items(), strict=True):
            panel = line[column]
            shown = rows[(rows["experiment"] == experiment) & (rows["name"] == name)]
            methods = method_order(shown["method"])
            for index, method in enumerate(methods):
                own, look = shown[shown["method"] == method].sort_values("day"), style_of(method)
                # Lines stand 0.3 days apart, so that their intervals can be told apart.
                at = own["day"] + 0.3 * (index - (len(methods) - 1) / 2)
                panel.vlines(at, own["lower"], own["upper"], color=look.colour, linewidth=0.8)
                panel.plot(at, own["estimate"], color=look.colour, marker=look.marker,
                           linestyle="none", markersize=2.5, label=method)  # fmt: skip
            days = shown.drop_duplicates("day").sort_values("day")
            panel.step(days["day"], days["truth"], TRUTH, linewidth=0.9, where="mid", zorder=3)
            panel.tick_params(labelbottom=line is axes[-1])
            if column == 0:
                panel.set_ylabel(label)
        axes[0][column].set_title(labels.get(experiment, experiment))
        axes[0][column].set_ylim(bottom=0)
        axes[-1][column].set_xlabel("Day")
    handles, names = axes[0][0].get_legend_handles_labels()
    handles.append(Line2D([], [], color=TRUTH, linewidth=0.9))
    figure.legend(handles, [*names, "truth"], loc="outside upper center", ncols=4, frameon=False)
    return figure


def draw_clara_days(
    table: pd.DataFrame, *, show: str, replicate: int = 0, labels: Mapping[str, Any] | None = None
) -> tuple[Figure, pd.DataFrame]:
    """Draw `estimates` with intervals by day, or absolute `errors` by day.

    Estimates are of prevalence, TPR and TNR in a replicate; a column of panels for each experiment,
    whose title `labels` may say. Errors are of precision and recall: means over replicates. `table`
    has the results of every replicate, of experiments that vary `day`; for errors, or a summary.
    """
    if show not in ("estimates", "errors"):
        raise ValueError(f"show: found {show!r}, expected 'estimates' or 'errors'")
    if "day" not in table:
        raise ValueError("the table has no column 'day' for the horizontal axis")
    wanted = tuple(RATES) if show == "estimates" else PAIR
    named = table.assign(name=table["metric"].str.partition(":")[0])
    missing = [name for name in wanted if name not in set(named["name"])]
    if missing:
        raise ValueError(f"the table has no rows of the metrics {missing}")
    rows = shown = named[named["name"].isin(wanted)].reset_index(drop=True)
    if show == "estimates":
        shown = rows[rows["replicate"] == replicate]
        figure = _estimates(shown, labels or {})
        note = f"{shown['day'].nunique()} days; bars are intervals, black lines the truth"
    else:
        if "error" not in rows:
            off = rows.assign(error=(rows["estimate"] - rows["truth"]).abs())
            keys = ["method", "metric", "name", "day"]
            groups = off.dropna(subset=["error"]).groupby(keys, sort=False)["error"]
            shown = groups.agg(error="mean", error_se="sem", replicates="size").reset_index()
        figure, (panels,) = new_figure(1, len(PAIR), 2.7)
        for panel, name in zip(panels, PAIR, strict=True):
            own = shown[shown["name"] == name]
            for method in method_order(own["method"]):
                line = Series(method, style_of(method), own[own["method"] == method])
                draw_line(panel, line, "day", "error", "error_se")
            panel.set_title(name.capitalize())
            panel.set_xlabel("Day")
            panel.set_ylim(bottom=0)
        panels[0].set_ylabel("Absolute error")
        legend_above(figure, panels[0], 4)
        note = replicates_text(shown, " a day")
    fits = gate_note(rows.drop(columns="name"))
    figure.supxlabel(f"Simulated stand-in; {note}; {fits}", fontsize=7)
    return figure, shown


PANELS = {
    "accuracy": "Share of final labels that are right",
    "prevalence_error": "Estimated less true prevalence",
}


def _stars(panel: Axes, points: Sequence[tuple[float, float]], size: float) -> None:
    """Draw what the paper prints."""
    for index, (x, y) in enumerate(points):
        label = "printed" if index == 0 else None
        panel.plot(x, y, "*", color="#D55E00", markersize=size, label=label)


def draw_clara_policy(
    table: pd.DataFrame,
    *,
    panels: Sequence[str] = tuple(PANELS),
    labels: Mapping[str, Any] | None = None,
    printed: Sequence[Mapping[str, float]] = (),
    stand_in: bool = False,
) -> tuple[Figure, pd.DataFrame]:
    """Draw the accuracy and the error of the prevalence, by policy: a line or a single point, with
    a band of one standard error.

    `labels` are of the panels' vertical axes, `printed` {share_of_labels, accuracy} in the paper;
    `stand_in`: whether the data stand in for private ones.
    """
    unknown = [name for name in panels if name not in PANELS]
    if unknown:
        raise ValueError(f"panels: found {unknown}, expected some of {', '.join(PANELS)}")
    shown = policy_curves(table)
    figure, (row,) = new_figure(1, len(panels), 3.0)
    axes = dict(zip(panels, row, strict=True))
    for value, panel in axes.items():
        for policy in method_order(shown["policy"]):
            look, rows = style_of(policy), shown[shown["policy"] == policy].sort_values(SHARE)
            x, y, error = rows[SHARE], rows[value], rows[f"{value}_se"]
            size, line = (6.0, "none") if len(rows) == 1 else (2.5, look.line)
            panel.plot(x, y, color=look.colour, marker=look.marker, markersize=size, linestyle=line,
                       label=policy)  # fmt: skip
            draw_band(panel, x, y - error, y + error, look.colour, 0.2)
        panel.set_xlabel("Share of all labels that are used")
        panel.set_ylabel((labels or {}).get(value, PANELS[value]))
    if "prevalence_error" in axes:
        axes["prevalence_error"].axhline(0, color="#666666", linewidth=0.8)
    if "accuracy" in axes:
        _stars(axes["accuracy"], [(point[SHARE], point["accuracy"]) for point in printed], 9)
    bands = replicates_text(shown).replace("bars are", "bands are")
    if shown["replicates"].max() == 1:
        bands = "1 replicate; bands are one standard error over its items"
    origin = "Simulated stand-in; " if stand_in else ""
    without = "" if SNORKEL in set(shown["policy"]) else f"; without {SNORKEL} (make snorkel)"
    figure.supxlabel(f"{origin}{bands}{without}", fontsize=7)
    legend_above(figure, row[0])
    return figure, shown


NAMES = {
    "tpr": "TPR",
    "separation": {"none": "no scores", "1": "scores from ∓1", "4": "scores from ∓4"},
}
"""What stands in the legend for the values of a column."""


def draw_clara_prevalence(
    table: pd.DataFrame,
    *,
    x: str = "prevalence",
    metric: str = "prevalence",
    by: Sequence[str] = (),
    methods: Sequence[str] | None = None,
    names: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw mean absolute error, length of the intervals, and their coverage, of a summary.

    `by` are columns whose values make lines of their own, `names` column -> the word before its
    values, or value -> words. Bars are one standard error; lines stand a little apart, so that a
    point is not quite above its prevalence. The band is the two-sided binomial one, of 3.5
    deviations, of the setting with the fewest intervals.
    """
    if x not in table:
        raise ValueError(f"the table has no column {x!r} for the horizontal axis")
    wanted = methods or set(table["method"])
    missing = sorted(set(wanted) - set(table["method"]))
    if missing:
        raise ValueError(f"the table has no rows of the methods {missing}")
    rows = table[(table["metric"] == metric) & table["method"].isin(wanted)]
    rows = rows[rows["replicates"] > 0].reset_index(drop=True)
    if rows.empty:
        raise ValueError(f"the table has no estimates of the metric {metric!r}")
    lines = split_series(rows, list(by), {**NAMES, **(names or {})})
    shown = rows_drawn(rows, lines)
    level = float(shown["level"].iloc[0])
    # Of the horizontal range: so far apart that the lines' bars can be told apart.
    apart = 0.008 * float(shown[x].max() - shown[x].min())
    titles = {
        "error": "Mean absolute error",
        "width": f"Length of the {level:.0%} interval",
        "coverage": f"Coverage of the {level:.0%} interval",
    }
    figure, (panels,) = new_figure(1, len(titles), 2.9)
    for panel, (value, title) in zip(panels, titles.items(), strict=True):
        for index, line in enumerate(lines):
            shift = apart * (index - (len(lines) - 1) / 2)
            draw_line(panel, line, x, value, f"{value}_se", shift)
        panel.set_xlabel(f"True {x}")
        panel.set_title(title)
        panel.set_ylim(bottom=0)
    coverage = panels[-1]
    low, high = float(shown["band_low"].min()), float(shown["band_high"].max())
    coverage.axhspan(low, high, color="#e8e8e8", zorder=0)
    coverage.axhline(level, color="#666666", linewidth=0.8, zorder=0.5)
    coverage.set_ylim(-0.03, 1.03)
    figure.supxlabel(
        f"{replicates_text(shown)}; band: binomial, 3.5 deviations; {gate_note(shown)}", fontsize=7
    )
    legend_above(figure, panels[0], 3)
    return figure, shown


def draw_clara_recovery(
    table: pd.DataFrame,
    *,
    tpr: float,
    tnr: float,
    method: str | None = None,
    n: int | None = None,
    printed: Sequence[Mapping[str, Any]] = (),
) -> tuple[Figure, pd.DataFrame]:
    """Draw a column of panels for TPR and TNR: mean absolute error above, its spread below, against
    `items_of_class`, the expected items of the class that each reviewer labelled.

    `table` is a summary over replicates and reviewers that varies `n_reviewers` and `prevalence`,
    with the column `error_sd`; `tpr` and `tnr` are the reviewers' mean quality; `n` the items,
    where they are no column; `printed` {metric, items, error} in the paper.
    """
    require(table, ("n_reviewers", "prevalence", "error_sd"))
    method = method or PUBLISHED.name
    metrics = ("TPR:each", "TNR:each")
    shown = table[(table["method"] == method) & table["metric"].isin(metrics)]
    absent = sorted(set(metrics) - set(shown["metric"]))
    if absent:
        raise ValueError(f"the table has no {' and no '.join(absent)} of {method!r}")
    shown = shown[shown["replicates"] > 0].reset_index(drop=True)
    if n is None and "n" not in shown:
        raise ValueError("the table has no column 'n', and the options say no `n` either")
    items = []
    for point in shown.to_dict("records"):
        share, quality = point["prevalence"], float(tpr)
        if point["metric"] == "TNR:each":
            share, quality = 1 - share, float(tnr)
        size = point.get("n", n or 0)
        items.append(items_of_class(size, share, quality, point["n_reviewers"]))
    shown = shown.assign(items_of_class=items)
    figure, axes = new_figure(2, len(metrics), 4.2)
    labels = {"error": "Mean absolute error", "error_sd": "Standard deviation of the error"}
    for column, metric in enumerate(metrics):
        name = metric.partition(":")[0]
        for (value, label), row in zip(labels.items(), axes, strict=True):
            panel = row[column]
            groups = shown[shown["metric"] == metric].groupby("prevalence")
            for index, (prevalence, own) in enumerate(groups):
                own = own.sort_values("items_of_class")
                look = numbered_style(index)
                draw_points(panel, own["items_of_class"], own[value], own.get(f"{value}_se"), look,
                            "-", label=f"prevalence {prevalence:g}")  # fmt: skip
            panel.set_xscale("log")
            panel.set_yscale("log")
            panel.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            panel.yaxis.set_major_formatter(FuncFormatter(lambda share, position: f"{share:g}"))
            panel.yaxis.set_minor_locator(NullLocator())
            if column == 0:
                panel.set_ylabel(label)
        of_metric = [(one["items"], one["error"]) for one in printed if one["metric"] == name]
        _stars(axes[0][column], of_metric, 8)
        axes[0][column].set_title(name)
        axes[0][column].tick_params(labelbottom=False)
        kind = "positive" if name == "TPR" else "negative"
        axes[1][column].set_xlabel(f"{kind} items labelled by each reviewer")
    figure.supxlabel(f"{replicates_text(shown)}; {gate_note(shown)}", fontsize=7)
    legend_above(figure, axes[0][0])
    return figure, shown


def draw_clara_scores(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw exact densities of negatives and positives: a panel for each separation, the widest
    first, as in the paper. `table` is what the computation `sigmoid_scores` gives.
    """
    require(table, ("separation", "class", "low", "high", "density", "auc"))
    colours = {"negative": "#0072B2", "positive": "#993377"}
    separations = sorted(table["separation"].unique(), reverse=True)
    figure, (panels,) = new_figure(1, len(separations), 2.7)
    for panel, separation in zip(panels, separations, strict=True):
        rows = table[table["separation"] == separation]
        absent = [name for name in colours if name not in set(rows["class"])]
        if absent:
            raise ValueError(f"separation {separation}: the table has no scores of {absent}")
        for name, colour in colours.items():
            own = rows[rows["class"] == name].sort_values("low")
            edges = [*own["low"], own["high"].iloc[-1]]
            panel.stairs(own["density"], edges, color=colour, fill=True, alpha=0.35)
            panel.stairs(own["density"], edges, color=colour, linewidth=1.1, label=name)
        panel.set_yscale("log")
        panel.set_xlim(0, 1)
        panel.set_xlabel("Classifier's score")
        text = value_text(separation)
        panel.set_title(f"means -{text} and {text}: AUC {rows['auc'].iloc[0]:.3f}")
    panels[0].set_ylabel("Density (mean over a bin)")
    highest = max(panel.get_ylim()[1] for panel in panels)
    for panel in panels:
        panel.set_ylim(bottom=0.01, top=highest)
    figure.supxlabel("exact: the sigmoid of normal scores; nothing is simulated", fontsize=7)
    legend_above(figure, panels[0], 2)
    return figure, table


def draw_clara_audits(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw the mean absolute error of precision and of recall, of a summary that varies
    `reviewer_precision` and `auditor_precision`, which has the lines.
    """
    x, by = "reviewer_precision", "auditor_precision"
    of_any_group = table["metric"].str.partition(":")[0]
    missing = [name for name in (x, by) if name not in table]
    missing += [name for name in PAIR if name not in set(of_any_group)]
    if missing:
        raise ValueError(f"the table has no {' and no '.join(missing)}")
    shown = table[of_any_group.isin(PAIR) & (table["replicates"] > 0)].reset_index(drop=True)
    looks = list(zip(sorted(shown[by].unique()), cycle(LINES), cycle(FILLS), strict=False))
    figure, (panels,) = new_figure(1, len(PAIR), 3.0)
    for panel, metric in zip(panels, PAIR, strict=True):
        rows = shown[shown["metric"].str.partition(":")[0] == metric]
        for method in method_order(rows["method"]):
            for index, (value, dash, fill) in enumerate(looks):
                own = rows[(rows["method"] == method) & (rows[by] == value)]
                look, name = style_of(method)._replace(line=dash), method if index == 0 else "_"
                draw_line(panel, Series(name, look, own, fill), x, "error", "error_se")
        panel.set_title(metric.capitalize())
        panel.set_xlabel("Reviewers' precision and recall")
        panel.set_xticks(sorted(shown[x].unique()))
        panel.set_ylim(bottom=0)
    panels[0].set_ylabel("Mean absolute error")
    figure.supxlabel(f"{replicates_text(shown)}; {gate_note(shown)}", fontsize=7)
    handles, labels = panels[0].get_legend_handles_labels()
    how: dict[str, Any] = {"marker": "o", "markerfacecoloralt": "white", "color": "#444444"}
    for value, dash, fill in looks:
        handles += panels[0].plot([], [], dash, fillstyle=fill, **how)
        labels.append(f"auditors' {value_text(value)}")
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure, shown


PLOT = Plot("clara_days", draw_clara_days)
PLOT_POLICY = Plot("clara_policy", draw_clara_policy)
PLOT_PREVALENCE = Plot("clara_prevalence", draw_clara_prevalence)
PLOT_RECOVERY = Plot("clara_recovery", draw_clara_recovery)
PLOT_SCORES = Plot("clara_scores", draw_clara_scores)
AUDITS_PLOT = Plot("clara_audits", draw_clara_audits)
