"""Errors of reviewers' TPR and TNR against the items that each labelled (CLARA, figure 3)."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from crowdgold.evaluation.fits import gate_note
from crowdgold.methods.clara import PUBLISHED
from crowdgold.plotting.plot import Plot, require
from crowdgold.plotting.series import MARKERS, replicates_text
from crowdgold.plotting.style import COLOURS, legend_above, new_figure
from crowdgold.studies.clara.labelling_policy import items_of_class

X, BY, ITEMS = "n_reviewers", "prevalence", "items_of_class"
METRICS = ("TPR:each", "TNR:each")
ROWS = (("error", "Mean absolute error"), ("error_sd", "Standard deviation of the error"))


def _with_items(table: pd.DataFrame, tpr: float, tnr: float, n: int | None) -> pd.DataFrame:
    """Add the expected items of the metric's class that each reviewer labels."""
    if n is None and "n" not in table:
        raise ValueError("the table has no column 'n', and the options say no `n` either")
    items = table.get("n", pd.Series(n, index=table.index, dtype=float))
    positive = table["metric"] == METRICS[0]
    share = table[BY].where(positive, 1 - table[BY])
    quality = pd.Series(float(tpr), index=table.index).where(positive, tnr)
    columns = zip(items, share, quality, table[X], strict=True)
    return table.assign(**{ITEMS: [items_of_class(*row) for row in columns]})


def _panel(axes: Axes, rows: pd.DataFrame, value: str) -> None:
    for index, (prevalence, own) in enumerate(rows.groupby(BY)):
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
    require(table, (X, BY, "error_sd"))
    method = method or PUBLISHED.name
    shown = table[(table["method"] == method) & table["metric"].isin(METRICS)]
    absent = sorted(set(METRICS) - set(shown["metric"]))
    if absent:
        raise ValueError(f"the table has no {' and no '.join(absent)} of {method!r}")
    shown = _with_items(shown[shown["replicates"] > 0], tpr, tnr, n).reset_index(drop=True)
    figure, axes = new_figure(len(ROWS), len(METRICS), 4.2)
    for column, metric in enumerate(METRICS):
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


PLOT = Plot("clara_recovery", draw_clara_recovery)
