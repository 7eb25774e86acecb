"""The answer of a study: one method's estimate for each metric, chosen by rules laid down before.

Where gold is a random sample of `ENOUGH_GOLD` items or more, MAVEN-R, and without scores votes-R:
their intervals hold whatever the truth is, and the estimate of a model stands beside them, with the
flag of a misfit. With less gold, or gold that was not chosen at random, MAVEN-C: it is right where
its model is. A method whose fit failed its gate, or that has no interval of the metric, gives way
to the next. Rogan-Gladen, which corrects majorities and not vote shares, is behind gold alone: in
the arena its intervals are wider (docs/which-method.md).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.evaluation.data_verdicts import ENOUGH_GOLD
from crowdgold.evaluation.own_study.rows import KEYS

HONEST = (
    "MAVEN-R", "votes-R", "GT", "Rogan-Gladen", "MAVEN-C", "DS", "CLARA", "MAVEN", "AutoEval",
)  # fmt: skip
"""Order of choice with a random sample of enough gold items."""
BY_MODEL = (
    "MAVEN-C", "DS", "GT", "CLARA", "MAVEN", "MAVEN-R", "votes-R", "Rogan-Gladen", "AutoEval",
)  # fmt: skip
"""Order of choice where there is not. GT+MV, wrong where the majority is, is in neither."""
BESIDE = ("MAVEN-C", "MAVEN", "DS")
"""Models whose estimate stands beside that of another method, in the order of choice."""
NUMBERS = ("estimate", "lower", "upper", "standard_error", "effective_gold")


def order_of_choice(n_gold: int, chosen: bool) -> tuple[tuple[str, ...], str]:
    """Give the methods in the order in which they are chosen, and why in this one."""
    if n_gold >= ENOUGH_GOLD and not chosen:
        return HONEST, ""
    if n_gold == 0:
        return BY_MODEL, "no gold labels: the numbers rest on a model of the votes alone"
    if chosen:
        why = "gold does not look like a random sample of the items"
    else:
        why = f"{n_gold} gold items, below {ENOUGH_GOLD}"
    return BY_MODEL, f"{why}: the numbers rest on a model of votes and scores, not on gold alone"


def _problem(row: Mapping[str, Any]) -> str:
    """Say why a row cannot be a headline; empty where it can."""
    if not row["diagnostics_passed"]:
        return f"the fit failed its gate ({row['message']})"
    if not np.isfinite(row["estimate"]):
        return row["note"] or "no value"
    if not np.isfinite([row["lower"], row["upper"]]).all():
        return row["note"] or "no interval"
    return ""


def _plain(row: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Give numbers as JSON knows them: null for none."""
    return {name: float(row[name]) if np.isfinite(row[name]) else None for name in names}


def _beside(rows: Mapping[str, Mapping[str, Any]], chosen: str) -> dict[str, Any] | None:
    """Give the estimate of the first model that is not the chosen method and is usable."""
    for method in BESIDE:
        if method in rows and method != chosen and not _problem(rows[method]):
            row = rows[method]
            flag = None if pd.isna(row["misfit"]) else bool(row["misfit"])
            return {"method": method, **_plain(row, NUMBERS), "misfit": flag}
    return None


def _instead(passed_over: Sequence[str]) -> str:
    """Say which method would have been chosen, and why it is not; empty where it is."""
    return f"instead of {passed_over[0]}" if passed_over else ""


def _choose(
    rows: Mapping[str, Mapping[str, Any]], order: tuple[str, ...], unusable: Mapping[str, str]
) -> dict[str, Any]:
    """Choose among the rows of one metric, by method."""
    passed_over = []
    for method in order:
        if method not in rows:
            continue
        row, problem = rows[method], unusable.get(method) or _problem(rows[method])
        if problem:
            passed_over.append(f"{method}: {problem}")
            continue
        flag = None if pd.isna(row["misfit"]) else bool(row["misfit"])
        return {
            "method": method, **_plain(row, NUMBERS), "misfit": flag,
            "beside": _beside(rows, method), "passed_over": passed_over,
            "note": "; ".join(filter(None, [row["note"], row["message"], _instead(passed_over)])),
        }  # fmt: skip
    passed_over += [
        f"{method}: no answer by itself; its numbers are in estimates.csv"
        for method in rows
        if method not in order
    ]
    return {"method": None, **dict.fromkeys(NUMBERS), "misfit": None, "beside": None,
            "passed_over": passed_over, "note": ""}  # fmt: skip


def headlines(
    table: pd.DataFrame,
    n_gold: Mapping[str, int],
    chosen: Mapping[str, bool],
    unusable: Mapping[str, Mapping[str, str]],
) -> list[dict[str, Any]]:
    """Choose the headline of each metric.

    Args:
        table: as of `estimate_rows`.
        n_gold: gold items of each stratum.
        chosen: whether those look as if they had been chosen, and not drawn at random.
        unusable: stratum -> method -> why its numbers are no headline there.

    Returns:
        for each stratum, model, comparison and metric, in the order of the table: the method with
        its numbers, the model-based estimate `beside` it, which methods were `passed_over` and
        why, and the `reason` of the order of choice.
    """
    found = []
    for key, group in table.groupby(list(KEYS), sort=False):
        named = dict(zip(KEYS, map(str, key), strict=True))
        stratum = named["stratum"]
        order, reason = order_of_choice(n_gold[stratum], chosen[stratum])
        rows: dict[str, Any] = {row["method"]: row for row in group.to_dict("records")}
        found.append(named | _choose(rows, order, unusable.get(stratum, {})) | {"reason": reason})
    return found
