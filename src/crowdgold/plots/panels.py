"""Figures that studies share: error, interval width and coverage of methods, and ratios of them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from crowdgold.experiment.summaries import (
    average_over_settings,
    compare,
    coverage_band,
    gate_note,
    relative_to,
)
from crowdgold.methods.registry import baseline as method_of_gold_alone
from crowdgold.metrics.binary import label_of
from crowdgold.plots.style import (
    AXIS_LABELS,
    Plot,
    count_replicates,
    draw_points,
    legend_above,
    legend_beside,
    log_ticks,
    method_order,
    new_figure,
    numbered_style,
    replicates_text,
    style_of,
)


def draw_coverage(
    table: pd.DataFrame, *, titles: Mapping[str, Any] | None = None
) -> tuple[Figure, pd.DataFrame]:
    """Draw the coverage of each method's intervals in a summary, a panel for each experiment.

    The band holds the coverage of a calibrated method with a two-sided probability of 3.5 normal
    deviations; bars are one standard error.
    """
    shown = table[table["replicates"] > 0]
    experiments, methods = list(dict.fromkeys(shown["experiment"])), method_order(shown["method"])
    several = len(experiments) > 1
    figure, axes = new_figure(len(experiments), 1, 2.1 * len(experiments) if several else 3.0)
    for (panel,), experiment in zip(axes, experiments, strict=True):
        own = shown[shown["experiment"] == experiment]
        metrics, level = list(dict.fromkeys(own["metric"])), float(own["level"].iloc[0])
        panel.axhline(level, color="#666666", linewidth=0.8)
        for index, method in enumerate(methods):
            rows = own[own["method"] == method]
            offset = (index - (len(methods) - 1) / 2) * 0.8 / len(methods)
            position = np.array([metrics.index(metric) for metric in rows["metric"]]) + offset
            low, high = rows["band_low"], rows["band_high"]
            panel.vlines(position, low, high, color="#cccccc", linewidth=7, zorder=0)
            draw_points(panel, position, rows["coverage"], rows["coverage_se"], style_of(method),
                        capsize=0, label=method)  # fmt: skip
        panel.set_xticks(range(len(metrics)), [label_of(name) for name in metrics])
        panel.set_ylabel(f"Coverage of {level:.0%} intervals")
        panel.set_ylim(-0.02, 1.02)
        if several:
            panel.set_title((titles or {}).get(experiment, experiment))
    counted, gates = count_replicates(shown["replicates"]), gate_note(table)
    figure.supxlabel(f"{counted}; band: binomial, 3.5 deviations; {gates}", fontsize=7)
    legend_beside(figure, axes[0][0])
    return figure, shown


def draw_bias_coverage_width(
    table: pd.DataFrame, *, by: str, titles: Mapping[str, Any] | None = None
) -> tuple[Figure, pd.DataFrame]:
    """Draw a row of panels for each experiment of a summary and each value of the setting `by`:
    bias, coverage and mean width of each metric. Bars are one standard error; the band is that of
    `draw_coverage`.
    """
    shown = table[table["replicates"] > 0]
    lines: list[Any] = list(shown.groupby(["experiment", by], sort=False))
    methods, metrics = method_order(shown["method"]), list(dict.fromkeys(shown["metric"]))
    level = float(shown["level"].iloc[0])
    columns = {"bias": "Bias", "coverage": f"Coverage of {level:.0%} intervals", "width": "Width"}
    right = {"bias": 0.0, "coverage": level}
    figure, axes = new_figure(len(lines), len(columns), 1.2 + 0.95 * len(lines))
    for ((experiment, at), own), row in zip(lines, axes, strict=True):
        for value, panel, top in zip(columns, row, axes[0], strict=True):
            panel.sharey(top)
            if value in right:
                panel.axhline(right[value], color="#666666", linewidth=0.8)
            for index, method in enumerate(methods):
                points = own[own["method"] == method]
                offset = (index - (len(methods) - 1) / 2) * 0.8 / len(methods)
                place = np.array([metrics.index(name) for name in points["metric"]]) + offset
                if value == "coverage":
                    low, high = points["band_low"], points["band_high"]
                    panel.vlines(place, low, high, color="#cccccc", linewidth=5, zorder=0)
                draw_points(panel, place, points[value], points[f"{value}_se"], style_of(method),
                            capsize=0, markersize=3, label=method)  # fmt: skip
            names = [label_of(name) for name in metrics]
            panel.set_xticks(range(len(metrics)), names, rotation=20, fontsize=6)
            panel.tick_params(labelbottom=row is axes[-1])
        row[0].set_ylabel(f"{(titles or {}).get(experiment, experiment)},\n{at:g}", fontsize=6.5)
    for panel, title in zip(axes[0], columns.values(), strict=True):
        panel.set_title(title)
    axes[0][1].set_ylim(-0.02, 1.02)
    axes[0][2].set_ylim(bottom=0)
    figure.supxlabel(
        f"Beside a row: {AXIS_LABELS.get(by, by).lower()}; {count_replicates(shown['replicates'])}"
        f"\nBars: one standard error; band: binomial, 3.5 deviations; {gate_note(table)}",
        fontsize=6.5,
    )
    legend_above(figure, axes[0][0], len(methods))
    return figure, shown


SETTING, MEAN = "setting", "mean over settings"
"""What a point of `draw_coverage_and_width` is."""
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


def draw_coverage_and_width(
    table: pd.DataFrame, *, metrics: Sequence[str] | None = None, baseline: str | None = None
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel a metric of summaries: coverage against mean width relative to a baseline's.

    `metrics` are in panel order (all that the baseline has by default); `precision` stands for that
    at any threshold. A small point is a method in a setting, a large one its mean over settings
    (`point`); bands are binomial, of 3.5 deviations, one for each number of replicates.
    """

    def of_metric(rows: pd.DataFrame, name: str) -> pd.Series:
        return (rows["metric"] == name) | (rows["metric"].str.partition("@")[0] == name)

    baseline = baseline or method_of_gold_alone()
    fits = relative_to(table, baseline)
    metrics = list(metrics or dict.fromkeys(fits["metric"]))
    missing = [name for name in metrics if not of_metric(fits, name).any()]
    if missing:
        raise ValueError(f"the table has none of the metrics {missing}")
    fits = fits[np.any([of_metric(fits, name) for name in metrics], axis=0)]
    shown = _with_means(fits)
    methods, level = method_order(shown["method"]), float(shown["level"].iloc[0])
    columns = min(4, len(metrics))
    lines = -(-len(metrics) // columns)
    figure, axes = new_figure(lines, columns, 0.6 + 2.3 * lines)
    bottom = min(0.6, float(shown["coverage"].min()) - 0.02)
    panels = [panel for line in axes for panel in line]
    for index, (panel, metric) in enumerate(zip(panels, metrics, strict=False)):
        rows = shown[of_metric(shown, metric)]
        panel.axhline(level, color="#666666", linewidth=0.8, zorder=0)
        for replicates in sorted(set(rows["replicates"].dropna())):  # the more, the narrower
            low, high = coverage_band(int(replicates), level)
            panel.axhspan(low, high, color="#000000", alpha=0.06, linewidth=0, zorder=-1)
        panel.axvline(1, color="#666666", linewidth=0.8, linestyle=":", zorder=0)
        for method in methods:
            style = style_of(method)
            for point, look in LOOKS.items():
                here = rows[(rows["method"] == method) & (rows["point"] == point)]
                label = method if point == MEAN else None
                panel.plot(here["width_ratio"], here["coverage"], color=style.colour, label=label,
                           marker=style.marker, linestyle="none", **look)  # fmt: skip
        panel.set_title(label_of(metric))
        panel.set_ylim(bottom, 1.02)
        if index % columns == 0:
            panel.set_ylabel(f"Coverage of {level:.0%} intervals")
    for panel in panels[len(metrics) :]:
        panel.set_visible(False)
    figure.supxlabel(
        f"Mean width / that of {baseline}\nSmall: a setting, of "
        f"{count_replicates(fits['replicates'])}; large: the mean over settings; bands: binomial, "
        f"3.5 deviations; {gate_note(fits)}",
        fontsize=7,
    )
    legend_beside(figure, *panels)
    return figure, shown


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
    """Draw error and interval width of a method as ratios to those of a baseline, against the
    setting `x`, from results of every replicate. The mean over the settings stands at the right.

    `metric` is the name before any `@` (experiments may have thresholds of their own), `labels`
    experiment -> its words, `printed` {error_ratio: , width_ratio: } as a paper prints them.
    """
    if x not in table:
        raise ValueError(f"the table has no column {x!r} for the horizontal axis")
    chosen = table[table["metric"].str.partition("@")[0] == metric]
    for name in (method, baseline):
        if name not in set(chosen["method"]):
            raise ValueError(f"the table has no {metric} of {name!r}")
    ratios = compare(chosen, [x], method, baseline)
    shown = pd.concat([ratios, average_over_settings(ratios, x)], ignore_index=True)
    positions = sorted(ratios[x].dropna().unique())
    end = positions[-1] * 2
    figure, axes = new_figure(1, 2, 2.9)
    titles = {"error_ratio": "Ratio of mean absolute errors", "width_ratio": "Ratio of mean widths"}
    for panel, (value, title) in zip(axes[0], titles.items(), strict=True):
        for index, (experiment, rows) in enumerate(shown.groupby("experiment", sort=False)):
            look = numbered_style(index)
            # Experiments stand apart, so that their bars can be seen.
            shift = 1 + 0.05 * (index - (shown["experiment"].nunique() - 1) / 2)
            rows = rows.sort_values(x)
            draw_points(panel, rows[x].fillna(end) * shift, rows[value], rows[f"{value}_se"], look,
                        label=(labels or {}).get(str(experiment), str(experiment)))  # fmt: skip
        panel.axhline(1, color="#666666", linewidth=0.8)
        log_ticks(panel, [*positions, end], [*(f"{at:g}" for at in positions), "mean"])
        panel.set_ylim(bottom=0)
        panel.set_ylabel(title)
        if printed and value in printed:
            panel.axhline(printed[value], color="#000000", linestyle="--", linewidth=0.9,
                          label="printed, mean over runs on Task 1")  # fmt: skip
    figure.supxlabel(
        f"{AXIS_LABELS.get(x, x)}\n{method} over {baseline}, {metric}; {replicates_text(ratios)}; "
        f"{gate_note(chosen[chosen['method'].isin([method, baseline])])}",
        fontsize=7,
    )
    legend_above(figure, axes[0][0], 2)
    return figure, shown


def _log_scale(axes: Axes) -> None:
    """A vertical axis on the log scale, with plain numbers."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, position: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


LABELS = {
    "n_voters": "Voters",
    "votes_total": "Votes on\nan item $c$",
    "predictors.A.mu": "$\\mu$ of\nthe scores",
    "predictors.A.delta": "$\\delta$ of\nthe scores",
    "mu_prior.scale": "Scale of\n$\\mu$'s prior",
    "delta_scale": "Scale of\n$\\delta$'s prior",
}
"""Words for quantities that vary, without the method whose setting they are."""


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
        look = numbered_style(index)
        places = [values.index(value) + shift for value in own["value"]]
        draw_points(panel, places, own[name], [own[name] - low, high - own[name]], look, "-",
                    linewidth=0.8, label=label_of(metric))  # fmt: skip
    panel.axhline(1, color="#666666", linewidth=0.8)
    _log_scale(panel)
    panel.set_xticks(range(len(values)), [f"{value:g}" for value in values])
    panel.set_xlim(-0.45, len(values) - 0.55)


def draw_sensitivity(
    table: pd.DataFrame,
    *,
    quantities: Sequence[str],
    method: str,
    usual: Mapping[str, float] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a column of panels for each quantity: ratio of a method's errors to those of gold labels
    alone above, of widths below.

    The table is of experiments that each vary one of the `quantities`, a column each; `usual`:
    quantity -> its value where another one varies, which is shaded. Bars are one standard error of
    the ratio's logarithm, which uses the pairing by replicate.
    """
    baseline, parts = method_of_gold_alone(), []
    for quantity in quantities:
        rows = table[table[quantity].notna()] if quantity in table else table.iloc[:0]
        if rows.empty:
            raise ValueError(f"no rows of the table vary {quantity!r}")
        ratios = compare(rows, [quantity], method, baseline)
        parts.append(ratios.rename(columns={quantity: "value"}).assign(quantity=quantity))
    shown = pd.concat(parts, ignore_index=True)
    metrics = list(dict.fromkeys(shown["metric"]))
    figure, axes = new_figure(2, len(quantities), 3.8)
    titles = {"error_ratio": "Mean absolute error", "width_ratio": "Interval width"}
    for column, quantity in enumerate(quantities):
        rows = shown[shown["quantity"] == quantity]
        for line, (name, title) in zip(axes, titles.items(), strict=True):
            panel = line[column]
            _panel_sensitivity(panel, rows, name, metrics, (usual or {}).get(quantity))
            # One scale for a row, which holds every point and every bar.
            low, high = _ends(shown, name)
            panel.set_ylim(0.85 * low.min(), 1.18 * high.max())
            if column == 0:
                panel.set_ylabel(f"{title},\n{method} / {baseline}")
            panel.tick_params(labelleft=column == 0)
        axes[0][column].tick_params(labelbottom=False)
        setting = re.sub(r"^method_settings\.[^.]+\.", "", quantity)
        axes[1][column].set_xlabel(LABELS.get(setting, quantity))
    figure.supxlabel(
        f"{count_replicates(shown['replicates'])}; bars are one standard error of the "
        "ratio's logarithm; shaded: the value where another quantity varies; "
        f"{gate_note(table[table['method'].isin([method, baseline])])}",
        fontsize=7,
    )
    legend_above(figure, axes[0][0], len(metrics))
    return figure, shown


def draw_error_and_width(
    table: pd.DataFrame, *, x: str, metrics: Sequence[str] | None = None, title: str = ""
) -> tuple[Figure, pd.DataFrame]:
    """Draw a column of panels for each metric of a summary: mean absolute error above, mean width
    below, against the setting `x`. Bars are one standard error to each side.
    """
    metrics = list(dict.fromkeys(table["metric"]) if metrics is None else metrics)
    shown = table[table["metric"].isin(metrics)]
    missing = [name for name in metrics if name not in set(shown["metric"])]
    if missing or not metrics:
        raise ValueError(f"the table has none of the metrics {missing}")
    if x not in shown:
        raise ValueError(f"the table has no column {x!r} for the horizontal axis")
    figure, axes = new_figure(2, len(metrics), 4.0)
    titles = {"error": r"Bias  |estimate $-$ truth|", "width": "Interval width"}
    for column, metric in enumerate(metrics):
        own = shown[shown["metric"] == metric]
        values = sorted(own[x].unique())
        ticks = [f"{value:g}".replace("0.", ".", 1) for value in values]
        for line, (value, words) in zip(axes, titles.items(), strict=True):
            panel = line[column]
            for method in method_order(own["method"]):
                rows, look = own[own["method"] == method].sort_values(x), style_of(method)
                draw_points(panel, rows[x], rows[value], rows[f"{value}_se"], look, look.line,
                            markeredgecolor="white", markeredgewidth=0.4, label=method)  # fmt: skip
            log_ticks(panel, values, ticks, fontsize=6)
            _log_scale(panel)
            if column == 0:
                panel.set_ylabel(words)
        axes[0][column].set_title(label_of(metric))
        axes[0][column].tick_params(labelbottom=False)
    figure.supxlabel(
        f"{AXIS_LABELS.get(x, x)}\n{count_replicates(shown['replicates'])}; bars are one "
        f"standard error; {gate_note(shown)}",
        fontsize=7,
    )
    if title:
        figure.suptitle(title, fontsize=9)
    legend_beside(figure, axes[0][0])
    return figure, shown


PLOT_COVERAGE = Plot("coverage", draw_coverage)
PLOT_BIAS = Plot("bias_coverage_width", draw_bias_coverage_width)
WIDTH_PLOT = Plot("coverage_and_width", draw_coverage_and_width)
PLOT_RATIOS = Plot("ratios", draw_ratios)
PLOT_SENSITIVITY = Plot("sensitivity", draw_sensitivity)
PLOT = Plot("error_and_width", draw_error_and_width)
