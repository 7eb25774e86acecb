"""What can be said of cells: each predicate gives the verdict on a claim, by the cells' errors.

A cell counts for or against a claim only where it is clear by `CLEAR` of its standard errors: an
exact one always is, one whose error is not known never. That things are alike can only be
contradicted.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from crowdgold.documents.cells import Cells
from crowdgold.documents.verdicts import (
    CLEAR,
    FAILS,
    HOLDS,
    NOT_CLEAR,
    PARTLY,
    Judgement,
    contradicted,
    verdict_of,
)

EXACT = 1e-12
"""What rounding of the computer's numbers may make of two that are equal."""


def _sided(cells: Cells, margin: float, side: int) -> Judgement:
    """Judge that every cell is on a side of the margin: 1 above, -1 below."""
    gap, clear = side * (cells.rows["value"] - margin), cells.clear(CLEAR)
    holds, against = gap > clear, gap < -clear
    reason = f"not clear by two errors: {cells.named(~holds, 2)}" if len(gap) > 1 else ""
    return Judgement("", verdict_of(holds, against), "" if holds.all() else reason)


def below(cells: Cells, margin: float) -> Judgement:
    """Every cell is below the margin."""
    return _sided(cells, margin, -1)


def above(cells: Cells, margin: float) -> Judgement:
    """Every cell is above the margin."""
    return _sided(cells, margin, 1)


def ratio_below(cells: Cells, margin: float = 1.0) -> Judgement:
    """Every ratio is below 1, or the margin."""
    return _sided(cells, margin, -1)


def ratio_above(cells: Cells, margin: float = 1.0) -> Judgement:
    """Every ratio is above 1, or the margin."""
    return _sided(cells, margin, 1)


def _contradicted(cells: Cells, clear: pd.Series, words: str) -> Judgement:
    reason = f"{words}: {cells.named(clear)}" if clear.any() and len(clear) > 1 else ""
    return Judgement("", contradicted(clear), reason)


def not_above(cells: Cells, margin: float = 1.0, errors: float = CLEAR) -> Judgement:
    """No cell is clearly above the margin: contradicted, or not."""
    clear = cells.rows["value"] - margin > cells.clear(errors)
    return _contradicted(cells, clear, "clearly larger")


def not_below(cells: Cells, margin: float = 1.0, errors: float = CLEAR) -> Judgement:
    """No cell is clearly below the margin: contradicted, or not."""
    clear = cells.rows["value"] - margin < -cells.clear(errors)
    return _contradicted(cells, clear, "clearly smaller")


def equals_printed(
    cells: Cells,
    number: float | Mapping[str, float],
    rounding: float = 0.0,
    errors: float = CLEAR,
) -> Judgement:
    """Every cell is the printed number, within its rounding and the cell's error: contradicted or
    not; not clear where a group that has a printed number has no cell.

    Args:
        cells: the cells.
        number: what is printed, of all cells or of each group.
        rounding: a unit of its last digit.
        errors: standard errors that are allowed; more where the largest of many cells counts.
    """
    wanted = cells.rows["group"].map(number) if isinstance(number, Mapping) else number
    if isinstance(number, Mapping) and not set(number) <= set(cells.rows["group"]):
        return Judgement("", NOT_CLEAR, "not of all that is printed")
    away = (cells.rows["value"] - wanted).abs()
    clear = away > cells.clear(errors) + rounding / 2 + EXACT
    return _contradicted(cells, clear, "clearly other than printed")


def alike(
    cells: Cells, number: float = 0.0, within: float = 0.0, errors: float = CLEAR
) -> Judgement:
    """No cell is clearly farther than `within` from the number: contradicted, or not."""
    clear = (cells.rows["value"] - number).abs() > cells.clear(errors) + within + EXACT
    return _contradicted(cells, clear, "clear")


def near(cells: Cells, margin: float, number: float = 0.0) -> Judgement:
    """Every cell is nearer to the number than the margin, its whole interval is."""
    away, clear = (cells.rows["value"] - number).abs(), cells.clear(CLEAR)
    return Judgement("", verdict_of(away + clear <= margin, away - clear > margin))


def coverage_at(cells: Cells, level: float) -> Judgement:
    """Coverage is not clearly below its level: contradicted, or not."""
    short = cells.rows["value"] - level < -cells.clear(CLEAR)
    return _contradicted(cells, short, "short")


def order(cells: Cells, groups: Sequence[str] | None = None) -> Judgement:
    """Each cell is clearly larger than the one before it, in the order of these groups if any."""
    rows = cells.rows if groups is None else cells.rows.set_index("group").loc[list(groups)]
    rise, clear = _steps(rows)
    return Judgement("", verdict_of(list(rise > clear), list(rise < -clear)))


def _steps(rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The step from each row to the next, and from where on it is clear."""
    value, error = rows["value"].to_numpy(float), rows["error"].to_numpy(float)
    return np.diff(value), CLEAR * np.hypot(error[:-1], error[1:])


def trend(cells: Cells, towards: str, ends: bool = False) -> Judgement:
    """In every group values rise or fall from each place to the next.

    Args:
        cells: the cells, in the order of their places.
        towards: `rises` or `falls`.
        ends: whether only the last place of a group is held against its first.
    """
    side = {"rises": 1, "falls": -1}[towards]
    steps = [
        _steps(own.iloc[[0, -1]] if ends else own)
        for _, own in cells.rows.groupby("group", sort=False)
        if len(own) > 1
    ]
    if not steps:
        return Judgement(f"{cells.title}: one place only", NOT_CLEAR)
    rise, clear = (np.concatenate(parts) for parts in zip(*steps, strict=True))
    return Judgement("", verdict_of(list(side * rise > clear), list(side * rise < -clear)))


def share_of_cells(
    cells: Cells, margin: float = 1.0, side: str = "below", least: float = 0.5
) -> Judgement:
    """More than a share of the cells is clearly below, or `above`, the margin.

    It fails where at least so many are clearly on the other side.
    """
    gap = (cells.rows["value"] - margin) * {"below": -1, "above": 1}[side]
    holds, against = gap > cells.clear(CLEAR), gap < -cells.clear(CLEAR)
    most = least * len(gap)
    part = PARTLY if holds.any() else NOT_CLEAR
    other = {"below": "above", "above": "below"}[side]
    return Judgement(
        f"clearly {side} {margin:g} in {holds.sum()} of {len(gap)}, clearly "
        f"{other} in {against.sum()}",
        HOLDS if holds.sum() > most else FAILS if against.sum() >= most else part,
        f"clearly {other}: {cells.named(against)}" if against.any() else "",
    )


PREDICATES: dict[str, Callable[..., Judgement]] = {
    "above": above,
    "alike": alike,
    "below": below,
    "coverage_at": coverage_at,
    "equals_printed": equals_printed,
    "near": near,
    "not_above": not_above,
    "not_below": not_below,
    "order": order,
    "ratio_above": ratio_above,
    "ratio_below": ratio_below,
    "share_of_cells": share_of_cells,
    "trend": trend,
}
"""Name of a predicate in a claim -> the function of cells and the claim's other keys."""


def all_of(parts: Sequence[Judgement]) -> Judgement:
    """The judgement on a claim of several parts: each must hold."""
    found = [part.verdict for part in parts]
    if PARTLY in found:
        verdict = PARTLY
    else:
        verdict = verdict_of(
            [one not in (FAILS, NOT_CLEAR) for one in found], [one == FAILS for one in found]
        )
    reasons = [part.reason for part in parts if part.reason]
    return Judgement("; ".join(part.ours for part in parts), verdict, "; ".join(reasons))
