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

VOTERS = ("TNR_H", "TPR_H")
OF_VOTERS = (
    "rests on how the voters' errors agree item by item, of which the paper prints one number"
)
WHY = {
    "MV": "rests on how far the scores follow the votes and their errors, which is not printed",
    "DS": "labels imputed from votes alone miss what the scores say beyond the votes: how much "
    "that is the paper does not print",
    "H-AI": "rests on how scores and votes go together beyond the truth, which is not printed",
    "DS+S": "rests on the scores' shape and on how they follow the votes, which is not printed",
}
"""Why a cell of table 3a may differ, of metrics of the scores and of the voters: the task is
private, and the stand-in is made of what is printed of it."""


def _why(method: str, metric: str) -> str:
    """Say on what a cell rests that the paper does not print; nothing for GT and MAVEN."""
    if method not in WHY:
        return ""
    return OF_VOTERS if metric in VOTERS else WHY[method]


def table_3_rows(
    results: pd.DataFrame, printed: Mapping[str, Any], task: str, metrics: Sequence[str]
) -> list[list[str]]:
    """Hold each cell of table 3 against ours: method, metric, printed, ours, verdict, replicates,
    reason. The baseline's own cells are 1 by what they are, and have no verdict.

    Args:
        results: the long results table of the task.
        printed: `table_3` of config/printed/maven.yaml.
        task: the task, as printed.
        metrics: its columns.
    """
    cells = {name: row for name, row in printed["tasks"][task].items() if name != "source"}
    ours = relative_bias(results, list(cells), metrics, BASELINE).set_index(["method", "metric"])
    rows = []
    for method, row in cells.items():
        for metric, (value, error, bold) in zip(metrics, row, strict=True):
            if (method, metric) not in ours.index:
                made = [with_error(value, error), "not made here", "", "", ""]
                rows.append([method, metric, *made])
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
                    (_why(method, metric) or NO_CAUSE) if told.verdict == FAILS else "",
                ]
            )
    return rows


def _judged(value: float, error: float, found: pd.Series) -> Judgement:
    """The judgement on a printed cell, whose own error counts as well."""
    joint, size = float(np.hypot(error, found["relative_se"])), [found["replicates"]]
    cells = cells_of("", [""], [found["relative"]], [joint], None, size)
    return within(cells, MARGIN, value)


def table_3(results: pd.DataFrame, printed: Mapping[str, Any], task: str) -> str:
    """The table of `table_3_rows`, over all printed columns."""
    rows = table_3_rows(results, printed, task, printed["columns"])
    head = ["method", "metric", "printed", "ours", "verdict", "replicates", "reason"]
    return markdown_table(head, rows)
