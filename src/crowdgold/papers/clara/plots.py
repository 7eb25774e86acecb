"""Errors of precision and recall of reviewers against their true value (CLARA, figure 4).

Estimates and errors day by day (CLARA, figures 7 and 8, on simulated stand-ins).

Accuracy and prevalence against the share of labels, by policy (CLARA, figures 5 and 9).

Error, interval length and coverage against the true prevalence (CLARA, figures 2 and 11).

Errors of reviewers' TPR and TNR against the items that each labelled (CLARA, figure 3).

Distribution of a classifier's scores in two classes (CLARA, figure 10).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from crowdgold.experiment.summaries import gate_note, standard_error
from crowdgold.methods.clara import PUBLISHED
from crowdgold.papers.clara.claims import SHARE, fits_of, policy_curves
from crowdgold.planning.labelling import SNORKEL, items_of_class
from crowdgold.plots.style import (
    COLOURS,
    FILLS,
    LINES,
    MARKERS,
    Plot,
    Series,
    draw_line,
    legend_above,
    method_order,
    new_figure,
    replicates_text,
    require,
    rows_drawn,
    split_series,
    style_of,
    value_text,
)

X_DAYS = "day"
ESTIMATES, ERRORS = "estimates", "errors"
SHIFT = 0.3
"""Days between the lines of two methods, so that their intervals can be told apart."""
RATES = {"prevalence": "Prevalence", "TPR": "TPR", "TNR": "TNR"}
"""What a month of estimates shows, from above, and how it is called."""
AUDITED = ("precision", "recall")
TRUTH = "#000000"


def _check(table: pd.DataFrame, metrics: tuple[str, ...]) -> pd.DataFrame:
    """The rows of metrics, of any group of annotators, with the column `name`."""
    if X_DAYS not in table:
        raise ValueError(f"the table has no column {X_DAYS!r} for the horizontal axis")
    named = table.assign(name=table["metric"].str.partition(":")[0])
    missing = [name for name in metrics if name not in set(named["name"])]
    if missing:
        raise ValueError(f"the table has no rows of the metrics {missing}")
    chosen: pd.DataFrame = named[named["name"].isin(metrics)].reset_index(drop=True)
    return chosen


def _intervals(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw each method's estimates with their intervals by day, and the truth."""
    methods = method_order(rows["method"])
    for index, method in enumerate(methods):
        own, look = rows[rows["method"] == method].sort_values(X_DAYS), style_of(method)
        at = own[X_DAYS] + SHIFT * (index - (len(methods) - 1) / 2)
        axes.vlines(at, own["lower"], own["upper"], color=look.colour, linewidth=0.8)
        axes.plot(
            at,
            own["estimate"],
            color=look.colour,
            marker=look.marker,
            linestyle="none",
            markersize=2.5,
            label=method,
        )
    truth = rows.drop_duplicates(X_DAYS).sort_values(X_DAYS)
    axes.step(truth[X_DAYS], truth["truth"], color=TRUTH, linewidth=0.9, where="mid", zorder=3)


def _estimates(rows: pd.DataFrame, labels: Mapping[str, str]) -> Figure:
    """Draw a column for each experiment: prevalence, TPR and TNR, from above."""
    experiments = list(dict.fromkeys(rows["experiment"]))
    figure, axes = new_figure(len(RATES), len(experiments), 5.2)
    for column, experiment in enumerate(experiments):
        own = rows[rows["experiment"] == experiment]
        for line, (name, label) in zip(axes, RATES.items(), strict=True):
            _intervals(line[column], own[own["name"] == name])
            line[column].tick_params(labelbottom=line is axes[-1])
            if column == 0:
                line[column].set_ylabel(label)
        axes[0][column].set_title(labels.get(experiment, experiment))
        axes[0][column].set_ylim(bottom=0)
        axes[-1][column].set_xlabel("Day")
    handles, names = axes[0][0].get_legend_handles_labels()
    handles.append(Line2D([], [], color=TRUTH, linewidth=0.9))
    figure.legend(handles, [*names, "truth"], loc="outside upper center", ncols=4, frameon=False)
    return figure


def _mean_errors(rows: pd.DataFrame) -> pd.DataFrame:
    """The mean absolute error over replicates by method, metric and day, with its error."""
    known = rows.assign(error=(rows["estimate"] - rows["truth"]).abs()).dropna(subset=["error"])
    groups = known.groupby(["method", "metric", "name", X_DAYS], sort=False)["error"]
    found = groups.agg(
        error="mean", error_se=lambda values: standard_error(values.to_numpy()), replicates="size"
    )
    return found.reset_index()


def _errors(rows: pd.DataFrame) -> Figure:
    """Draw a panel for precision and recall: mean absolute error by day."""
    figure, axes = new_figure(1, len(AUDITED), 2.7)
    for panel, name in zip(axes[0], AUDITED, strict=True):
        own = rows[rows["name"] == name]
        for method in method_order(own["method"]):
            line = Series(method, style_of(method), own[own["method"] == method])
            draw_line(panel, line, X_DAYS, "error", "error_se")
        panel.set_title(name.capitalize())
        panel.set_xlabel("Day")
        panel.set_ylim(bottom=0)
    axes[0][0].set_ylabel("Absolute error")
    legend_above(figure, axes[0][0], 4)
    return figure


def draw_clara_days(
    table: pd.DataFrame,
    *,
    show: str,
    replicate: int = 0,
    labels: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw estimates with intervals by day, or absolute errors by day.

    Args:
        table: results of every replicate, of experiments that vary `day`; for errors, or a summary.
        show: `estimates` (of prevalence, TPR and TNR; a column of panels for each experiment) or
            `errors` (of precision and recall).
        replicate: whose estimates are drawn.
        labels: experiment -> title.

    Returns:
        the figure and the rows that it shows: for errors, means over replicates, with bars of one
        standard error where there are two or more.

    Raises:
        ValueError: where the table lacks the day or a metric, or `show` is neither.
    """
    if show == ESTIMATES:
        rows = _check(table, tuple(RATES))
        shown = rows[rows["replicate"] == replicate]
        figure = _estimates(shown, labels or {})
        note = f"{shown[X_DAYS].nunique()} days; bars are intervals, black lines the truth"
    elif show == ERRORS:
        rows = _check(table, AUDITED)
        shown = rows if "error" in rows else _mean_errors(rows)
        figure = _errors(shown)
        note = replicates_text(shown, " a day")
    else:
        raise ValueError(f"show: found {show!r}, expected {ESTIMATES!r} or {ERRORS!r}")
    fits = gate_note(rows.drop(columns="name"))
    figure.supxlabel(f"Simulated stand-in; {note}; {fits}", fontsize=7)
    return figure, shown


PLOT = Plot("clara_days", draw_clara_days)


PANELS = {
    "accuracy": "Share of final labels that are right",
    "prevalence_error": "Estimated less true prevalence",
}


def _curve(axes: Axes, rows: pd.DataFrame, policy: str, value: str) -> None:
    """Draw a policy: a line with a band of one standard error, or a single point."""
    look, rows = style_of(policy), rows.sort_values(SHARE)
    low, high = rows[value] - rows[f"{value}_se"], rows[value] + rows[f"{value}_se"]
    single = len(rows) == 1
    axes.plot(
        rows[SHARE],
        rows[value],
        color=look.colour,
        marker=look.marker,
        markersize=6 if single else 2.5,
        linestyle="none" if single else look.line,
        label=policy,
    )
    axes.fill_between(rows[SHARE], low, high, color=look.colour, alpha=0.2, linewidth=0)


def _bands(shown: pd.DataFrame) -> str:
    """Say how many replicates there are, and what the bands are."""
    if shown["replicates"].max() == 1:
        return "1 replicate; bands are one standard error over its items"
    return replicates_text(shown).replace("bars are", "bands are")


def draw_clara_policy(
    table: pd.DataFrame,
    *,
    panels: Sequence[str] = tuple(PANELS),
    labels: Mapping[str, Any] | None = None,
    printed: Sequence[Mapping[str, float]] = (),
    stand_in: bool = False,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for the accuracy, and one for the error of the prevalence, by policy.

    Args:
        table: what the check of the policies gives, for every replicate.
        panels: some of accuracy and prevalence_error.
        labels: what the panels' vertical axes say.
        printed: {share_of_labels, accuracy} in the paper.
        stand_in: whether the data stand in for private ones.

    Returns:
        the figure and the means over replicates that it shows (`policy_curves`); bands are one
        standard error.

    Raises:
        ValueError: where the table lacks a column or a panel is unknown.
    """
    unknown = [name for name in panels if name not in PANELS]
    if unknown:
        raise ValueError(f"panels: found {unknown}, expected some of {', '.join(PANELS)}")
    shown = policy_curves(table)
    figure, axes = new_figure(1, len(panels), 3.0)
    for panel, value in zip(axes[0], panels, strict=True):
        for policy in method_order(shown["policy"]):
            _curve(panel, shown[shown["policy"] == policy], policy, value)
        panel.set_xlabel("Share of all labels that are used")
        panel.set_ylabel((labels or {}).get(value, PANELS[value]))
    if "prevalence_error" in panels:
        axes[0][panels.index("prevalence_error")].axhline(0, color="#666666", linewidth=0.8)
    for index, point in enumerate(printed if "accuracy" in panels else []):
        axes[0][panels.index("accuracy")].plot(
            point[SHARE],
            point["accuracy"],
            "*",
            color="#D55E00",
            markersize=9,
            label="printed" if index == 0 else None,
        )
    origin = "Simulated stand-in; " if stand_in else ""
    without = "" if SNORKEL in set(shown["policy"]) else f"; without {SNORKEL} (make snorkel)"
    figure.supxlabel(f"{origin}{_bands(shown)}; {gate_note(fits_of(table))}{without}", fontsize=7)
    legend_above(figure, axes[0][0])
    return figure, shown


PLOT_POLICY = Plot("clara_policy", draw_clara_policy)


SHIFT_PREVALENCE = 0.008
"""Of the horizontal range: lines stand this far apart, so that their bars can be told apart."""
PANELS_PREVALENCE = (
    ("error", "Mean absolute error"),
    ("width", "Length of the {level:.0%} interval"),
    ("coverage", "Coverage of the {level:.0%} interval"),
)
NAMES = {
    "tpr": "TPR",
    "separation": {"none": "no scores", "1": "scores from ∓1", "4": "scores from ∓4"},
}
"""What stands in the legend for the values of a column."""


def _chosen(table: pd.DataFrame, x: str, metric: str, methods: Collection[str]) -> pd.DataFrame:
    """The rows of the metric and the methods that are drawn."""
    if x not in table:
        raise ValueError(f"the table has no column {x!r} for the horizontal axis")
    missing = sorted(set(methods) - set(table["method"]))
    if missing:
        raise ValueError(f"the table has no rows of the methods {missing}")
    rows = table[(table["metric"] == metric) & table["method"].isin(methods)]
    rows = rows[rows["replicates"] > 0]
    if rows.empty:
        raise ValueError(f"the table has no estimates of the metric {metric!r}")
    return rows.reset_index(drop=True)


def draw_clara_prevalence(
    table: pd.DataFrame,
    *,
    x: str = "prevalence",
    metric: str = "prevalence",
    by: Sequence[str] = (),
    methods: Sequence[str] | None = None,
    names: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw three panels: mean absolute error, length of the intervals, and their coverage.

    Args:
        table: a summary of replicates.
        x: the column on the horizontal axis.
        metric: whose errors and intervals are drawn.
        by: columns whose values make lines of their own.
        methods: those drawn (all of the table by default).
        names: column -> the word before its values, or value -> words.

    Returns:
        the figure and the rows that it shows. Bars are one standard error; lines stand a little
        apart, so that a point is not quite above its prevalence. The band is the
        two-sided binomial one, of 3.5 deviations, of the setting with the fewest intervals.

    Raises:
        ValueError: where the table lacks a column, the metric or a method.
    """
    rows = _chosen(table, x, metric, methods or set(table["method"]))
    names = {**NAMES, **(names or {})}
    lines = split_series(rows, list(by), names)
    shown = rows_drawn(rows, lines)
    level = float(shown["level"].iloc[0])
    apart = SHIFT_PREVALENCE * float(shown[x].max() - shown[x].min())
    figure, axes = new_figure(1, len(PANELS_PREVALENCE), 2.9)
    for panel, (value, title) in zip(axes[0], PANELS_PREVALENCE, strict=True):
        for index, line in enumerate(lines):
            shift = apart * (index - (len(lines) - 1) / 2)
            draw_line(panel, line, x, value, f"{value}_se", shift)
        panel.set_xlabel(f"True {x}")
        panel.set_title(title.format(level=level))
        panel.set_ylim(bottom=0)
    coverage = axes[0][-1]
    low, high = float(shown["band_low"].min()), float(shown["band_high"].max())
    coverage.axhspan(low, high, color="#e8e8e8", zorder=0)
    coverage.axhline(level, color="#666666", linewidth=0.8, zorder=0.5)
    coverage.set_ylim(-0.03, 1.03)
    figure.supxlabel(
        f"{replicates_text(shown)}; band: binomial, 3.5 deviations; {gate_note(shown)}",
        fontsize=7,
    )
    legend_above(figure, axes[0][0], 4)
    return figure, shown


PLOT_PREVALENCE = Plot("clara_prevalence", draw_clara_prevalence)


X_RECOVERY, BY_RECOVERY, ITEMS = "n_reviewers", "prevalence", "items_of_class"
METRICS_RECOVERY = ("TPR:each", "TNR:each")
ROWS = (("error", "Mean absolute error"), ("error_sd", "Standard deviation of the error"))


def _with_items(table: pd.DataFrame, tpr: float, tnr: float, n: int | None) -> pd.DataFrame:
    """Add the expected items of the metric's class that each reviewer labels."""
    if n is None and "n" not in table:
        raise ValueError("the table has no column 'n', and the options say no `n` either")
    items = table.get("n", pd.Series(n, index=table.index, dtype=float))
    positive = table["metric"] == METRICS_RECOVERY[0]
    share = table[BY_RECOVERY].where(positive, 1 - table[BY_RECOVERY])
    quality = pd.Series(float(tpr), index=table.index).where(positive, tnr)
    columns = zip(items, share, quality, table[X_RECOVERY], strict=True)
    return table.assign(**{ITEMS: [items_of_class(*row) for row in columns]})


def _panel(axes: Axes, rows: pd.DataFrame, value: str) -> None:
    for index, (prevalence, own) in enumerate(rows.groupby(BY_RECOVERY)):
        own = own.sort_values(ITEMS)
        axes.errorbar(
            own[ITEMS],
            own[value],
            yerr=own.get(f"{value}_se"),
            color=COLOURS[index % len(COLOURS)],
            marker=MARKERS[index % len(MARKERS)],
            elinewidth=0.8,
            capsize=1.5,
            label=f"prevalence {prevalence:g}",
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, position: f"{share:g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def _printed(axes: Axes, metric: str, printed: Sequence[Mapping[str, Any]]) -> None:
    """Draw what the paper prints of a metric: an error at so many items of the class."""
    for index, point in enumerate(p for p in printed if f"{p['metric']}:each" == metric):
        label = "printed" if index == 0 else None
        axes.plot(point["items"], point["error"], "*", color="#D55E00", markersize=8, label=label)


def draw_clara_recovery(
    table: pd.DataFrame,
    *,
    tpr: float,
    tnr: float,
    method: str | None = None,
    n: int | None = None,
    printed: Sequence[Mapping[str, Any]] = (),
) -> tuple[Figure, pd.DataFrame]:
    """Draw a column of panels for TPR and TNR: mean absolute error above, its spread below.

    Args:
        table: a summary over replicates and reviewers that varies `n_reviewers` and `prevalence`,
            with the metrics `TPR:each` and `TNR:each` and the column `error_sd`.
        tpr: the reviewers' mean quality on positive items.
        tnr: the same on negative items.
        method: the one that is drawn.
        n: items, where it is no column of the table.
        printed: {metric, items, error} in the paper.

    Returns:
        the figure and its rows, with `items_of_class`: the expected items of the class, positives
        for TPR and negatives for TNR, that each reviewer labelled. Bars are one standard error over
        replicates.

    Raises:
        ValueError: where the table lacks a column, a metric or the method.
    """
    require(table, (X_RECOVERY, BY_RECOVERY, "error_sd"))
    method = method or PUBLISHED.name
    shown = table[(table["method"] == method) & table["metric"].isin(METRICS_RECOVERY)]
    absent = sorted(set(METRICS_RECOVERY) - set(shown["metric"]))
    if absent:
        raise ValueError(f"the table has no {' and no '.join(absent)} of {method!r}")
    shown = _with_items(shown[shown["replicates"] > 0], tpr, tnr, n).reset_index(drop=True)
    figure, axes = new_figure(len(ROWS), len(METRICS_RECOVERY), 4.2)
    for column, metric in enumerate(METRICS_RECOVERY):
        rows = shown[shown["metric"] == metric]
        name, _, _ = metric.partition(":")
        for row, (value, label) in enumerate(ROWS):
            _panel(axes[row][column], rows, value)
            if column == 0:
                axes[row][column].set_ylabel(label)
        _printed(axes[0][column], metric, printed)
        axes[0][column].set_title(name)
        axes[0][column].tick_params(labelbottom=False)
        kind = "positive" if name == "TPR" else "negative"
        axes[1][column].set_xlabel(f"{kind} items labelled by each reviewer")
    figure.supxlabel(f"{replicates_text(shown)}; {gate_note(shown)}", fontsize=7)
    legend_above(figure, axes[0][0])
    return figure, shown


PLOT_RECOVERY = Plot("clara_recovery", draw_clara_recovery)


COLUMNS = ("separation", "class", "low", "high", "density", "auc")
CLASSES = (("negative", "#0072B2"), ("positive", "#993377"))


def _panel_scores(axes: Axes, rows: pd.DataFrame) -> None:
    for name, colour in CLASSES:
        own = rows[rows["class"] == name].sort_values("low")
        edges = [*own["low"], own["high"].iloc[-1]]
        axes.stairs(own["density"], edges, color=colour, fill=True, alpha=0.35)
        axes.stairs(own["density"], edges, color=colour, linewidth=1.1, label=name)
    axes.set_yscale("log")
    axes.set_xlim(0, 1)
    axes.set_xlabel("Classifier's score")


def draw_clara_scores(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each separation: exact densities of negatives and positives.

    Args:
        table: what the check `sigmoid_scores` gives, for several separations.

    Returns:
        the figure and the rows that it shows, the widest separation first, as in the paper.

    Raises:
        ValueError: where the table lacks a column or a class.
    """
    require(table, COLUMNS)
    separations = sorted(table["separation"].unique(), reverse=True)
    figure, axes = new_figure(1, len(separations), 2.7)
    for panel, separation in zip(axes[0], separations, strict=True):
        rows = table[table["separation"] == separation]
        absent = [name for name, _ in CLASSES if name not in set(rows["class"])]
        if absent:
            raise ValueError(f"separation {separation}: the table has no scores of {absent}")
        _panel_scores(panel, rows)
        text = value_text(separation)
        panel.set_title(f"means -{text} and {text}: AUC {rows['auc'].iloc[0]:.3f}")
    axes[0][0].set_ylabel("Density (mean over a bin)")
    highest = max(panel.get_ylim()[1] for panel in axes[0])
    for panel in axes[0]:
        panel.set_ylim(bottom=0.01, top=highest)
    figure.supxlabel("exact: the sigmoid of normal scores; nothing is simulated", fontsize=7)
    legend_above(figure, axes[0][0], 2)
    return figure, table


PLOT_SCORES = Plot("clara_scores", draw_clara_scores)


METRICS = ("precision", "recall")
X, BY = "reviewer_precision", "auditor_precision"


def _rows_of(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The rows of a metric, of any group of annotators."""
    return table[table["metric"].str.partition(":")[0] == metric]


def _lines(rows: pd.DataFrame, values: list[Any]) -> list[Series]:
    """A line for each method and precision of the auditors."""
    lines = []
    for method in method_order(rows["method"]):
        for index, value in enumerate(values):
            look = style_of(method)._replace(line=LINES[index % len(LINES)])
            own = rows[(rows["method"] == method) & (rows[BY] == value)]
            fill = FILLS[index % len(FILLS)]
            lines.append(Series(method if index == 0 else "_", look, own, fill))
    return lines


def draw_clara_audits(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw two panels: mean absolute error of precision and of recall.

    Args:
        table: a summary of replicates that varies `reviewer_precision` and `auditor_precision`,
            with the metrics `precision:GROUP` and `recall:GROUP`.

    Returns:
        the figure and the rows that it shows. Colour and marker are the method's, the line is that
        of the auditors' precision; bars are one standard error.

    Raises:
        ValueError: where the table lacks a column or a metric.
    """
    missing = [name for name in (X, BY) if name not in table]
    missing += [name for name in METRICS if _rows_of(table, name).empty]
    if missing:
        raise ValueError(f"the table has no {' and no '.join(missing)}")
    chosen = table["metric"].str.partition(":")[0].isin(METRICS) & (table["replicates"] > 0)
    shown = table[chosen].reset_index(drop=True)
    values = sorted(shown[BY].unique())
    figure, axes = new_figure(1, len(METRICS), 3.0)
    for panel, metric in zip(axes[0], METRICS, strict=True):
        for line in _lines(_rows_of(shown, metric), values):
            draw_line(panel, line, X, "error", "error_se")
        panel.set_title(metric.capitalize())
        panel.set_xlabel("Reviewers' precision and recall")
        panel.set_xticks(sorted(shown[X].unique()))
        panel.set_ylim(bottom=0)
    axes[0][0].set_ylabel("Mean absolute error")
    figure.supxlabel(f"{replicates_text(shown)}; {gate_note(shown)}", fontsize=7)
    handles, labels = axes[0][0].get_legend_handles_labels()
    for index, value in enumerate(values):
        (handle,) = axes[0][0].plot(
            [],
            [],
            LINES[index % len(LINES)],
            marker="o",
            fillstyle=FILLS[index % len(FILLS)],
            markerfacecoloralt="white",
            color="#444444",
        )
        handles.append(handle)
        labels.append(f"auditors' {value_text(value)}")
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure, shown


AUDITS_PLOT = Plot("clara_audits", draw_clara_audits)
