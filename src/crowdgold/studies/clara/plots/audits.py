"""Errors of precision and recall of reviewers against their true value (CLARA, figure 4)."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from crowdgold.evaluation.fits import gate_note
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import (
    FILLS,
    LINES,
    Series,
    draw_line,
    replicates_text,
    value_text,
)
from crowdgold.plotting.style import method_order, new_figure, style_of

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
