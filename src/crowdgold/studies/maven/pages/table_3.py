"""Table 3 of the MAVEN paper, each cell against ours."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.studies.maven.relative_bias import relative_bias

SAME = 2.0
"""Joint standard errors within which two numbers count as the same."""


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
    """Hold each cell of table 3 against ours: method, metric, printed, ours, difference, verdict,
    reason.

    Args:
        results: the long results table of the task.
        printed: `table_3` of config/printed/maven.yaml.
        task: the task, as printed.
        metrics: its columns.
    """
    cells = {name: row for name, row in printed["tasks"][task].items() if name != "source"}
    ours = relative_bias(results, list(cells), metrics, "GT").set_index(["method", "metric"])
    rows = []
    for method, row in cells.items():
        for metric, (value, error, bold) in zip(metrics, row, strict=True):
            if (method, metric) not in ours.index:
                made = [with_error(value, error), "not made here", "", "", ""]
                rows.append([method, metric, *made])
                continue
            found = ours.loc[(method, metric)]
            joint = float(np.hypot(error, found["relative_se"]))
            away = (found["relative"] - value) / joint if joint > 0 else 0.0
            agree = "the same" if bool(found["within"]) == bold else "the other way round"
            rows.append(
                [
                    method,
                    metric,
                    with_error(value, error) + (" *" if bold else ""),
                    with_error(found["relative"], found["relative_se"])
                    + (" *" if found["within"] else ""),
                    f"{away:+.1f}",
                    f"{'within' if abs(away) <= SAME else 'outside'} {SAME:g} errors, star {agree}",
                    _why(method, metric) if abs(away) > SAME else "",
                ]
            )
    return rows


def table_3(results: pd.DataFrame, printed: Mapping[str, Any], task: str) -> str:
    """The table of `table_3_rows`, over all printed columns."""
    rows = table_3_rows(results, printed, task, printed["columns"])
    head = ["method", "metric", "printed", "ours", "difference", "verdict", "reason"]
    return markdown_table(head, rows)
