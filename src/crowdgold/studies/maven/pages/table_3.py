"""Table 3 of the MAVEN paper, each cell against ours."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.cells import cells_of
from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.documents.predicates import within
from crowdgold.documents.verdicts import FAILS, NO_CAUSE, Judgement
from crowdgold.studies.maven.relative_bias import relative_bias

MARGIN = 0.5
"""Of a relative bias: half of gold's own error more or less counts as the printed number."""
BASELINE = "GT"

TESTS = "tests it"
"""What a cell of a private task's table is to its stand-in, where it did not set it."""

Printed = Sequence[Any]
"""A printed cell: its value, its standard error, and whether it is bold."""


def table_3_rows(
    results: pd.DataFrame,
    printed: Mapping[str, Any],
    task: str,
    metrics: Sequence[str],
    stand_in: Mapping[str, Any] | None = None,
    limits: pd.DataFrame | None = None,
) -> list[list[str]]:
    """Hold each cell of table 3 against ours: method, metric, printed, ours, verdict, replicates,
    reason; and whether it set the stand-in or tests it, where the task has one. There is no verdict
    on the baseline's own cells, which are 1 by what they are, nor on those that set the stand-in.

    Args:
        printed: `table_3` of config/printed/maven.yaml.
        task: the task, as printed.
        metrics: its columns.
        stand_in: the task's entry of `stand_ins` there.
        limits: the stand-in's cells in the limit of much data (benchmarks/maven_stand_in.py).
    """
    cells = {name: row for name, row in printed["tasks"][task].items() if name != "source"}
    ours = relative_bias(results, list(cells), metrics, BASELINE).set_index(["method", "metric"])
    sets = {} if stand_in is None else stand_in["cells"]
    suspects = {} if stand_in is None else stand_in.get("suspects", {})
    rows = []
    for method, row in cells.items():
        for metric, cell, gold in zip(metrics, row, cells[BASELINE], strict=True):
            found = ours.loc[(method, metric)] if (method, metric) in ours.index else None
            set_it = metric in sets.get(method, ())
            told = Judgement("", "")
            if found is not None and method != BASELINE and not set_it:
                told = _judged(cell, gold, found)
            reason = suspects.get(method, NO_CAUSE) if told.verdict == FAILS else ""
            role = _limit(limits, method, metric, cell) if set_it else TESTS
            rows.append(
                [
                    method,
                    metric,
                    *_numbers(method, cell, found),
                    told.verdict,
                    told.replicates,
                    reason,
                ]
                + [role] * (stand_in is not None)
            )
    return rows


def _numbers(method: str, cell: Printed, found: pd.Series | None) -> list[str]:
    """A printed cell and ours, with stars; the error of ours is the ratio's, or the baseline's."""
    value, error, bold = cell
    if found is None:
        return [with_error(value, error), "not made here"]
    ours = with_error(
        found["relative"], found["baseline_se" if method == BASELINE else "paired_se"]
    )
    return [with_error(value, error) + " *" * bold, ours + " *" * bool(found["within"])]


def _judged(cell: Printed, gold: Printed, found: pd.Series) -> Judgement:
    """The judgement on a printed cell. Ours is a ratio, whose error counts the baseline's as well;
    so does that of the printed cell, whose own leaves it out.

    Args:
        cell, gold: the printed cell and the baseline's.
        found: ours (`relative_bias`).
    """
    value, error, _ = cell
    printed_error = np.hypot(error, value * gold[1] / gold[0])
    joint = float(np.hypot(found["paired_se"], printed_error))
    cells = cells_of(
        "", [""], [found["relative"]], [joint], None, [found["replicates"]], fixed=printed_error
    )
    return within(cells, MARGIN, value)


def _limit(limits: pd.DataFrame | None, method: str, metric: str, cell: Printed) -> str:
    """Whether a cell that set the stand-in is met in the limit of much data, and what it is."""
    if limits is None:
        return "set"
    (found,) = limits[(limits["method"] == method) & (limits["metric"] == metric)]["cell"].abs()
    met = "met" if abs(found - cell[0]) <= MARGIN else "not met"
    return f"set, {met} in the limit: {found:.2f}"


def table_3(
    results: pd.DataFrame,
    printed: Mapping[str, Any],
    task: str,
    stand_in: Mapping[str, Any] | None = None,
    limits: pd.DataFrame | None = None,
) -> str:
    """The table of `table_3_rows`, over all printed columns."""
    rows = table_3_rows(results, printed, task, printed["columns"], stand_in, limits)
    head = ["method", "metric", "printed", "ours", "verdict", "replicates", "reason"]
    return markdown_table([*head, *(["stand-in"] if stand_in is not None else [])], rows)
