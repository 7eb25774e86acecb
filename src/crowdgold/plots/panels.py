"""Error and interval width against the number of gold labels (MAVEN, figures 1 and 4).

Coverage of intervals: against their nominal level, and against their width.

Error and width of one method over those of another, beside what a paper prints of them.

Error and width against gold labels alone, over what a study leaves open.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from crowdgold.experiment.summaries import (
    average_over_settings,
    compare,
    coverage_band,
    gate_note,
    relative_to,
)
from crowdgold.methods.registry import baseline as baseline_registry
from crowdgold.metrics.binary import label_of
from crowdgold.plots.style import (
    AXIS_LABELS,
    COLOURS,
    MARKERS,
    Plot,
    count_replicates,
    legend_above,
    method_order,
    new_figure,
    replicates_text,
    style_of,
)


def draw_coverage(
    table: pd.DataFrame,
    *,
    titles: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw the coverage of each method's intervals, metric by metric.

    Args:
        table: a summary of replicates.
        titles: experiment -> title of its panel, where there are several.

    Returns:
        the figure and the rows that it shows. The band holds the coverage of a calibrated method
        with a two-sided probability of 3.5 normal deviations; bars are one standard error.
    """
    shown = table[table["replicates"] > 0]
    worlds = list(dict.fromkeys(shown["experiment"]))
    methods = method_order(shown["method"])
    figure, axes = new_figure(len(worlds), 1, 3.0 if len(worlds) == 1 else 2.1 * len(worlds))
    for row, world in enumerate(worlds):
        panel = axes[row][0]
        _draw_world(panel, shown[shown["experiment"] == world], methods)
        if len(worlds) > 1:
            panel.set_title((titles or {}).get(world, world))
    figure.supxlabel(
        f"{count_replicates(shown['replicates'])}; band: binomial, 3.5 deviations; "
        f"{gate_note(table)}",
        fontsize=7,
    )
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False)
    return figure, shown


def _draw_world(panel: Axes, shown: pd.DataFrame, methods: Sequence[str]) -> None:
    """Draw one experiment's coverage."""
    metrics = list(dict.fromkeys(shown["metric"]))
    level = float(shown["level"].iloc[0])
    panel.axhline(level, color="#666666", linewidth=0.8)
    for index, method in enumerate(methods):
        rows = shown[shown["method"] == method].set_index("metric")
        here = [metric for metric in metrics if metric in rows.index]
        offset = (index - (len(methods) - 1) / 2) * 0.8 / max(len(methods), 1)
        style = style_of(method)
        position = np.array([metrics.index(metric) for metric in here]) + offset
        low, high = rows.loc[here, "band_low"], rows.loc[here, "band_high"]
        panel.vlines(position, low, high, color="#cccccc", linewidth=7, zorder=0)
        panel.errorbar(
            position,
            rows.loc[here, "coverage"],
            yerr=rows.loc[here, "coverage_se"],
            color=style.colour,
            marker=style.marker,
            linestyle="none",
            elinewidth=0.8,
            label=method,
        )
    panel.set_xticks(range(len(metrics)), [label_of(name) for name in metrics])
    panel.set_ylabel(f"Coverage of {level:.0%} intervals")
    panel.set_ylim(-0.02, 1.02)


PLOT_COVERAGE = Plot("coverage", draw_coverage)


COLUMNS = 4
LOWEST = 0.6
"""The coverage axis starts here unless a point lies lower."""
SETTING, MEAN = "setting", "mean over settings"
"""What a point is."""


LOOKS: dict[str, dict[str, Any]] = {
    SETTING: {"markersize": 2.5, "markeredgewidth": 0, "alpha": 0.45},
    MEAN: {"markersize": 5.5, "markeredgecolor": "white", "markeredgewidth": 0.7, "zorder": 3},
}


def _with_means(rows: pd.DataFrame) -> pd.DataFrame:
    """Add to the points of settings their mean for each method and metric, whatever its threshold.

    A setting counts as any other, however many replicates it has.
    """
    named = rows.assign(point=SETTING, panel=rows["metric"].str.partition("@")[0])
    groups = named.groupby(["method", "panel"], sort=False)
    means = groups[["width_ratio", "coverage"]].mean().assign(settings=groups.size())
    means = means.reset_index().assign(point=MEAN).rename(columns={"panel": "metric"})
    return pd.concat([named.drop(columns="panel"), means], ignore_index=True)


def _panel_coverage(axes: Axes, rows: pd.DataFrame, methods: list[str], level: float) -> None:
    axes.axhline(level, color="#666666", linewidth=0.8, zorder=0)
    for replicates in sorted(set(rows["replicates"].dropna())):  # the more, the narrower and darker
        low, high = coverage_band(int(replicates), level)
        axes.axhspan(low, high, color="#000000", alpha=0.06, linewidth=0, zorder=-1)
    axes.axvline(1, color="#666666", linewidth=0.8, linestyle=":", zorder=0)
    for method in methods:
        own, style = rows[rows["method"] == method], style_of(method)
        for point, look in LOOKS.items():
            here = own[own["point"] == point]
            axes.plot(
                here["width_ratio"],
                here["coverage"],
                color=style.colour,
                marker=style.marker,
                linestyle="none",
                label=method if point == MEAN else None,
                **look,
            )


def _is_metric(metrics: pd.Series, name: str) -> pd.Series:
    """Say which metrics have this name, with their threshold or without it."""
    return (metrics == name) | (metrics.str.partition("@")[0] == name)


def draw_coverage_and_width(
    table: pd.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    baseline: str | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel a metric: coverage against mean width relative to a baseline's.

    Args:
        table: summaries of replicates, of one or more experiments.
        metrics: in panel order (all that the baseline has by default), where `precision` stands for
            that at any threshold.
        baseline: the method whose widths are compared with; gold labels alone by default.

    Returns:
        the figure and the rows that it shows, with `width_ratio`. A small point is a method in a
        setting, a large one its mean over settings (`point`); bands are binomial, of 3.5
        deviations, one for each number of replicates of a setting.
    """
    baseline = baseline or baseline_registry()
    shown = relative_to(table, baseline)
    metrics = list(metrics or dict.fromkeys(shown["metric"]))
    missing = [name for name in metrics if not _is_metric(shown["metric"], name).any()]
    if missing:
        raise ValueError(f"the table has none of the metrics {missing}")
    fits = shown[np.any([_is_metric(shown["metric"], name) for name in metrics], axis=0)]
    shown = _with_means(fits)
    rows = {name: shown[_is_metric(shown["metric"], name)] for name in metrics}
    methods, level = method_order(shown["method"]), float(shown["level"].iloc[0])
    columns = min(COLUMNS, len(metrics))
    lines = -(-len(metrics) // columns)
    figure, axes = new_figure(lines, columns, 0.6 + 2.3 * lines)
    bottom = min(LOWEST, float(shown["coverage"].min()) - 0.02)
    panels = [panel for line in axes for panel in line]
    for index, (panel, metric) in enumerate(zip(panels, metrics, strict=False)):
        _panel_coverage(panel, rows[metric], methods, level)
        panel.set_title(label_of(metric))
        panel.set_ylim(bottom, 1.02)
        if index % columns == 0:
            panel.set_ylabel(f"Coverage of {level:.0%} intervals")
    for panel in panels[len(metrics) :]:
        panel.set_visible(False)
    figure.supxlabel(
        f"Mean width / that of {baseline}\n"
        "Small: a setting, of "
        f"{count_replicates(fits['replicates'])}; large: "
        f"the mean over settings; bands: binomial, 3.5 deviations; {gate_note(fits)}",
        fontsize=7,
    )
    handles: dict[str, Artist] = {}
    for panel in panels:
        artists, labels = panel.get_legend_handles_labels()
        handles |= dict(zip(labels, artists, strict=True))
    figure.legend(list(handles.values()), list(handles), loc="outside right center", frameon=False)
    return figure, shown


WIDTH_PLOT = Plot("coverage_and_width", draw_coverage_and_width)


PANELS = (("error_ratio", "Ratio of mean absolute errors"), ("width_ratio", "Ratio of mean widths"))
SPREAD = 0.05
"""Experiments stand this far apart, as a share of the position, so that their bars can be seen."""


def _panel_ratios(
    axes: Axes, shown: pd.DataFrame, value: str, x: str, labels: Mapping[str, str]
) -> None:
    settings = shown.dropna(subset=[x])
    positions = sorted(settings[x].unique())
    end = positions[-1] * 2
    for index, (experiment, rows) in enumerate(shown.groupby("experiment", sort=False)):
        colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
        shift = 1 + SPREAD * (index - (shown["experiment"].nunique() - 1) / 2)
        rows = rows.sort_values(x)
        axes.errorbar(
            rows[x].fillna(end) * shift,
            rows[value],
            yerr=rows[f"{value}_se"],
            color=colour,
            marker=marker,
            linestyle="none",
            elinewidth=0.8,
            capsize=1.5,
            label=labels.get(str(experiment), str(experiment)),
        )
    axes.axhline(1, color="#666666", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xticks([*positions, end], [*(f"{at:g}" for at in positions), "mean"])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(bottom=0)


def draw_ratios(
    table: pd.DataFrame,
    *,
    method: str,
    baseline: str,
    x: str,
    metric: str,
    labels: Mapping[str, Any] | None = None,
    printed: Mapping[str, float] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw error and interval width of a method as ratios to those of a baseline.

    Args:
        table: rows of the results table, of every replicate.
        method: whose error and width are over the baseline's.
        baseline: the other method.
        x: the setting on the horizontal axis.
        metric: the name before any `@` (experiments may have thresholds of their own).
        labels: experiment -> the words that stand for it.
        printed: {error_ratio: , width_ratio: } as a paper prints them.

    Returns:
        the figure and the ratios that it shows. Bars are one standard error; the mean over the
        settings stands at the right.

    Raises:
        ValueError: where the table has not both methods, or lacks the setting or the metric.
    """
    if x not in table:
        raise ValueError(f"the table has no column {x!r} for the horizontal axis")
    chosen = table[table["metric"].str.partition("@")[0] == metric]
    for name in (method, baseline):
        if name not in set(chosen["method"]):
            raise ValueError(f"the table has no {metric} of {name!r}")
    ratios = compare(chosen, [x], method, baseline)
    shown = pd.concat([ratios, average_over_settings(ratios, x)], ignore_index=True)
    figure, axes = new_figure(1, 2, 2.9)
    for panel, (value, label) in zip(axes[0], PANELS, strict=True):
        _panel_ratios(panel, shown, value, x, labels or {})
        panel.set_ylabel(label)
        if printed and value in printed:
            panel.axhline(printed[value], color="#000000", linestyle="--", linewidth=0.9,
                          label="printed, mean over runs on Task 1")  # fmt: skip
    figure.supxlabel(
        f"{AXIS_LABELS.get(x, x)}\n{method} over {baseline}, {metric}; "
        f"{replicates_text(ratios)}; "
        f"{gate_note(chosen[chosen['method'].isin([method, baseline])])}",
        fontsize=7,
    )
    legend_above(figure, axes[0][0], 2)
    return figure, shown


PLOT_RATIOS = Plot("ratios", draw_ratios)


ROWS_SENSITIVITY = (("error_ratio", "Mean absolute error"), ("width_ratio", "Interval width"))
SETTING_SENSITIVITY = re.compile(r"^method_settings\.[^.]+\.")
"""What stands before the setting of a method."""
LABELS = {
    "n_voters": "Voters",
    "votes_total": "Votes on\nan item $c$",
    "predictors.A.mu": "$\\mu$ of\nthe scores",
    "predictors.A.delta": "$\\delta$ of\nthe scores",
    "mu_prior.scale": "Scale of\n$\\mu$'s prior",
    "delta_scale": "Scale of\n$\\delta$'s prior",
}


def compare_quantities(
    table: pd.DataFrame, quantities: list[str], method: str, baseline: str
) -> pd.DataFrame:
    """Compare a method with gold labels alone at each value of what varies.

    Args:
        table: results of experiments that each vary one of the quantities, a column each.
        quantities: these columns.
        method, baseline: what is compared, with what.

    Returns:
        rows of `experiment.summaries.compare`, with the columns `quantity` and `value`; one row for
        each quantity, value and metric.

    Raises:
        ValueError: where the table has no rows that vary a quantity.
    """
    parts = []
    for quantity in quantities:
        rows = table[table[quantity].notna()] if quantity in table else table.iloc[:0]
        if rows.empty:
            raise ValueError(f"no rows of the table vary {quantity!r}")
        found = compare(rows, [quantity], method, baseline)
        parts.append(found.rename(columns={quantity: "value"}).assign(quantity=quantity))
    return pd.concat(parts, ignore_index=True)


def _ends(rows: pd.DataFrame, name: str) -> tuple[pd.Series, pd.Series]:
    """The ends of the bars of a ratio: one standard error of its logarithm to each side."""
    factor = np.exp(rows[f"{name}_se"].fillna(0) / rows[name])
    return rows[name] / factor, rows[name] * factor


def _panel_sensitivity(
    panel: Axes, rows: pd.DataFrame, name: str, metrics: list[str], usual: float | None
) -> None:
    values = sorted(rows["value"].unique())
    if usual in values:
        place = values.index(usual)
        panel.axvspan(place - 0.35, place + 0.35, color="#e8e8e8", linewidth=0, zorder=0)
    for index, metric in enumerate(metrics):
        own = rows[rows["metric"] == metric].sort_values("value")
        low, high = _ends(own, name)
        shift = 0.14 * (index - (len(metrics) - 1) / 2)
        panel.errorbar(
            [values.index(value) + shift for value in own["value"]],
            own[name],
            yerr=[own[name] - low, high - own[name]],
            color=COLOURS[index % len(COLOURS)],
            marker=MARKERS[index % len(MARKERS)],
            linewidth=0.8,
            elinewidth=0.8,
            capsize=1.5,
            label=label_of(metric),
        )
    panel.axhline(1, color="#666666", linewidth=0.8)
    panel.set_yscale("log")
    panel.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, position: f"{value:g}"))
    panel.yaxis.set_minor_formatter(NullFormatter())
    panel.set_xticks(range(len(values)), [f"{value:g}" for value in values])
    panel.set_xlim(-0.45, len(values) - 0.55)


def draw_sensitivity(
    table: pd.DataFrame,
    *,
    quantities: Sequence[str],
    method: str,
    usual: Mapping[str, float] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a column of panels for each quantity: ratio of errors above, of widths below.

    Args:
        table: the results of several experiments, each with one quantity that varies.
        quantities: the columns that vary, in the order of the panels.
        method: which is compared with gold labels alone.
        usual: quantity -> its value where another one varies, which is shaded.

    Returns:
        the figure and the rows that it shows (`compare_quantities`). Bars are one standard error
        of the ratio's logarithm, which uses the pairing by replicate; below the line the method is
        better.
    """
    baseline = baseline_registry()
    shown = compare_quantities(table, list(quantities), method, baseline)
    metrics = list(dict.fromkeys(shown["metric"]))
    figure, axes = new_figure(len(ROWS_SENSITIVITY), len(quantities), 3.8)
    for column, quantity in enumerate(quantities):
        rows = shown[shown["quantity"] == quantity]
        for row, (name, label) in enumerate(ROWS_SENSITIVITY):
            panel = axes[row][column]
            _panel_sensitivity(panel, rows, name, metrics, (usual or {}).get(quantity))
            # One scale for a row, which holds every point and every bar.
            low, high = _ends(shown, name)
            panel.set_ylim(0.85 * low.min(), 1.18 * high.max())
            if column == 0:
                panel.set_ylabel(f"{label},\n{method} / {baseline}")
            panel.tick_params(labelleft=column == 0)
        axes[0][column].tick_params(labelbottom=False)
        axes[1][column].set_xlabel(LABELS.get(SETTING_SENSITIVITY.sub("", quantity), quantity))
    fits = table[table["method"].isin([method, baseline])]
    figure.supxlabel(
        f"{count_replicates(shown['replicates'])}; bars are one standard error of the "
        f"ratio's logarithm; shaded: the value where another quantity varies; {gate_note(fits)}",
        fontsize=7,
    )
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(metrics), frameon=False)
    return figure, shown


PLOT_SENSITIVITY = Plot("sensitivity", draw_sensitivity)


ROWS = (("error", r"Bias  |estimate $-$ truth|"), ("width", "Interval width"))


def _panel(axes: Axes, table: pd.DataFrame, x: str, value: str) -> None:
    for method in method_order(table["method"]):
        rows = table[table["method"] == method].sort_values(x)
        style = style_of(method)
        axes.errorbar(
            rows[x],
            rows[value],
            yerr=rows[f"{value}_se"],
            color=style.colour,
            marker=style.marker,
            linestyle=style.line,
            markeredgecolor="white",
            markeredgewidth=0.4,
            elinewidth=0.8,
            capsize=1.5,
            label=method,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    values = sorted(table[x].unique())
    axes.set_xticks(values, [f"{value:g}".replace("0.", ".", 1) for value in values], fontsize=6)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, position: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def draw_error_and_width(
    table: pd.DataFrame,
    *,
    x: str,
    metrics: Sequence[str] | None = None,
    title: str = "",
) -> tuple[Figure, pd.DataFrame]:
    """Draw a column of panels for each metric: mean absolute error above, mean width below.

    Args:
        table: a summary of replicates.
        x: the setting on the horizontal axis.
        metrics: in panel order (all of the table by default).

    Returns:
        the figure and the rows that it shows. Bars are one standard error to each side.
    """
    metrics = list(dict.fromkeys(table["metric"]) if metrics is None else metrics)
    shown = table[table["metric"].isin(metrics)]
    missing = [name for name in metrics if name not in set(shown["metric"])]
    if missing or not metrics:
        raise ValueError(f"the table has none of the metrics {missing}")
    if x not in shown:
        raise ValueError(f"the table has no column {x!r} for the horizontal axis")
    figure, axes = new_figure(2, len(metrics), 4.0)
    for column, metric in enumerate(metrics):
        for row, (value, label) in enumerate(ROWS):
            panel = axes[row][column]
            _panel(panel, shown[shown["metric"] == metric], x, value)
            if column == 0:
                panel.set_ylabel(label)
        axes[0][column].set_title(label_of(metric))
        axes[0][column].tick_params(labelbottom=False)
    figure.supxlabel(
        f"{AXIS_LABELS.get(x, x)}\n{count_replicates(shown['replicates'])}; bars are one "
        f"standard error; {gate_note(shown)}",
        fontsize=7,
    )
    if title:
        figure.suptitle(title, fontsize=9)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False)
    return figure, shown


PLOT = Plot("error_and_width", draw_error_and_width)
