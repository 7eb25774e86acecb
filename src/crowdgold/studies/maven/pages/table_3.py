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

SETS, TESTS = "sets the stand-in", "tests it"
"""What a cell of a private task's table is to its stand-in."""


def table_3_rows(
    results: pd.DataFrame,
    printed: Mapping[str, Any],
    task: str,
    metrics: Sequence[str],
    sets: Mapping[str, Mapping[str, int]] | None = None,
) -> list[list[str]]:
    """Hold each cell of table 3 against ours: method, metric, printed, ours, verdict, replicates,
    reason; and whether it sets the stand-in or tests it, where the task has one. The baseline's own
    cells are 1 by what they are, and have no verdict.

    Args:
        printed: `table_3` of config/printed/maven.yaml.
        task: the task, as printed.
        metrics: its columns.
        sets: methods and metrics of the cells that set the task's stand-in.
    """
    cells = {name: row for name, row in printed["tasks"][task].items() if name != "source"}
    ours = relative_bias(results, list(cells), metrics, BASELINE).set_index(["method", "metric"])
    rows = []
    for method, row in cells.items():
        for metric, (value, error, bold) in zip(metrics, row, strict=True):
            role = [] if sets is None else [SETS if metric in sets.get(method, ()) else TESTS]
            if (method, metric) not in ours.index:
                made = [with_error(value, error), "not made here", "", "", ""]
                rows.append([method, metric, *made, *role])
                continue
            found = ours.loc[(method, metric)]
            told = _judged(value, error, found) if method != BASELINE else Judgement("", "")
            rows.append(
                [
                    method,
                    metric,
                    with_error(value, error) + (" *" if bold else ""),
                    with_error(found["relative"], found["relative_se"])
                    + (" *" if found["within"] else ""),
                    told.verdict,
                    told.replicates,
                    NO_CAUSE if told.verdict == FAILS else "",
                    *role,
                ]
            )
    return rows


def _judged(value: float, error: float, found: pd.Series) -> Judgement:
    """The judgement on a printed cell, whose own error counts as well."""
    joint, size = float(np.hypot(error, found["relative_se"])), [found["replicates"]]
    cells = cells_of("", [""], [found["relative"]], [joint], None, size)
    return within(cells, MARGIN, value)


def table_3(
    results: pd.DataFrame,
    printed: Mapping[str, Any],
    task: str,
    sets: Mapping[str, Mapping[str, int]] | None = None,
) -> str:
    """The table of `table_3_rows`, over all printed columns."""
    rows = table_3_rows(results, printed, task, printed["columns"], sets)
    head = ["method", "metric", "printed", "ours", "verdict", "replicates", "reason"]
    return markdown_table([*head, *(["stand-in"] if sets is not None else [])], rows)
