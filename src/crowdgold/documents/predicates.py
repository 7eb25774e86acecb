"""What can be said of cells: each predicate gives the verdict on a claim, by its margin.

All take `inside`, the cells in which it must be so (`every`, `any` or `most`), and `looks`, the
parts of the claim (`decide`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.cells import Cells, ClaimError
from crowdgold.documents.decisions import EXACT, Decision, decide, errors_of
from crowdgold.documents.verdicts import CLEARLY, FAILS, HOLDS, NOT_DECIDED, Judgement, verdict_of

MOST_REPLICATES = 1e6
"""More replicates than these are never asked for."""


def replicates_in_words(cells: Cells, needed: float = np.nan) -> str:
    """The replicates behind cells, and those that would decide a claim that is not decided."""
    error, rows = errors_of(cells), cells.rows
    known = rows.loc[error != 0, "replicates"].dropna()
    if (error == 0).all():
        return "exact"
    if known.empty:
        degrees = cells.degrees()[error > 0].min(initial=np.inf)
        return f"{degrees:.0f} degrees of freedom" if np.isfinite(degrees) else ""
    ends = dict.fromkeys(f"{int(end):,}" for end in (known.min(), known.max()))
    text = " to ".join(ends)
    if np.isnan(needed):
        return f"{text}; more" if np.isnan(error).any() else text
    if needed > MOST_REPLICATES and np.any(np.asarray(rows.get("fixed", 0.0)) > 0):
        return f"{text}; no number would do: the printed number's own error is too large"
    return text + _asked(needed)


def _asked(needed: float) -> str:
    """What is said of the replicates that would decide a claim; nothing where it is NaN."""
    if np.isnan(needed):
        return ""
    if needed > MOST_REPLICATES:
        return "; too near the margin for any number"
    digits = max(0, len(str(int(needed))) - 2)
    rounded = int(np.ceil(needed / 10**digits)) * 10**digits
    return f"; some {rounded:,} needed"


def _judged(cells: Cells, found: Decision, ours: str = "") -> Judgement:
    """The judgement on what was decided, naming the cells that contradict or leave it open."""
    reason = ""
    if not found.holds and len(cells.rows) > 1:
        named = found.outside if found.fails else ~found.inside
        words = CLEARLY if found.fails else "not decided: "
        reason = f"{words}{cells.named(named)}" if named.any() else ""
    verdict, size = verdict_of(found.holds, found.fails), replicates_in_words(cells, found.needed)
    return Judgement(ours, verdict, reason, size, needed=found.needed)


def below(cells: Cells, margin: float, **where: Any) -> Judgement:
    """The cells are below the margin."""
    return _judged(cells, decide(cells, high=margin, **where))


def above(cells: Cells, margin: float, **where: Any) -> Judgement:
    """The cells are above the margin."""
    return _judged(cells, decide(cells, low=margin, **where))


def within(
    cells: Cells,
    margin: float,
    number: float | Mapping[str, float] = 0.0,
    printed_of: int = 0,
    **where: Any,
) -> Judgement:
    """The cells are no farther from a number than the margin.

    Args:
        margin: half of the printed number's last digit, or what counts as the same.
        number: of all cells, or of each group; not decided where a group has no cell.
        printed_of: replicates of which the number is the mean; 0 where it has no error of its own.
            Its error is then that of as many of ours.
    """
    if printed_of:
        rows = cells.rows
        printed = rows["error"] * np.sqrt(rows["replicates"] / printed_of)
        widened = np.hypot(rows["error"], printed)
        cells = Cells(cells.title, rows.assign(error=widened, fixed=printed))
    if isinstance(number, Mapping) and not set(number) <= set(cells.rows["group"]):
        return Judgement("", NOT_DECIDED, "not of all that is printed", replicates_in_words(cells))
    wanted = cells.rows["group"].map(number) if isinstance(number, Mapping) else number
    at, reach = np.asarray(wanted, dtype=float), margin + EXACT
    return _judged(cells, decide(cells, at - reach, at + reach, **where))


def _steps(rows: pd.DataFrame) -> pd.DataFrame:
    """A cell for each step from a row to the next."""
    value, error = rows["value"].to_numpy(float), rows["error"].to_numpy(float)
    names = [group if one else place for group, place, one in zip(
        rows["group"], rows["place"], rows["place"] == "", strict=True
    )]  # fmt: skip
    size, degrees = rows["replicates"].to_numpy(float), Cells("", rows).degrees()
    return pd.DataFrame(
        {"group": "" if (rows["place"] == "").all() else rows["group"].iloc[1:].to_numpy(),
         "place": [f"{one} to {other}" for one, other in pairwise(names)],
         "value": np.diff(value), "error": np.hypot(error[:-1], error[1:]),
         "replicates": np.minimum(size[:-1], size[1:]),
         "degrees": np.minimum(degrees[:-1], degrees[1:])}
    )  # fmt: skip


def order(
    cells: Cells, margin: float, groups: Sequence[str] | None = None, **where: Any
) -> Judgement:
    """Each cell is larger than the one before it, in the order of these groups if any."""
    rows = cells.rows
    if groups is not None:
        rows = rows.set_index("group", drop=False).loc[list(groups)].reset_index(drop=True)
    return above(Cells(cells.title, _steps(rows)), margin, **where)


def trend(cells: Cells, margin: float, towards: str, ends: bool = False, **where: Any) -> Judgement:
    """In every group values rise or fall from each place to the next, by more than the margin.

    Args:
        cells: the cells, in the order of their places.
        margin: what they rise or fall by at least.
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
        told = f"{cells.title}: one place only"
        return Judgement(told, NOT_DECIDED, "", replicates_in_words(cells))
    rows: pd.DataFrame = pd.concat(steps, ignore_index=True)
    return above(Cells("", rows.assign(value=side * rows["value"])), margin, **where)


PREDICATES: dict[str, Callable[..., Judgement]] = {
    "above": above,
    "below": below,
    "order": order,
    "trend": trend,
    "within": within,
}
"""Name of a predicate in a claim -> the function of cells and the claim's other keys."""


def check(name: str, arguments: Mapping[str, Any]) -> None:
    """Nothing, where a claim names a predicate and declares its margin.

    Raises:
        ClaimError: for another predicate, or without a margin.
    """
    if name not in PREDICATES:
        raise ClaimError(f"predicate {name!r}: expected one of {', '.join(PREDICATES)}")
    if "margin" not in arguments:
        raise ClaimError(f"predicate {name!r}: no margin is declared")


def wanted_in_words(
    name: str,
    margin: float,
    inside: str = "every",
    number: float | Mapping[str, float] = 0.0,
    printed_of: int = 0,
    towards: str = "",
    ends: bool = False,
    groups: Sequence[str] = (),
) -> str:
    """What the cells must be by a predicate and its arguments, in words."""
    if isinstance(number, Mapping):
        of = ", ".join(f"{group} {one:g}" for group, one in number.items())
    else:
        of = f"{number:g}"
    by = f" by more than {margin:g}" if margin else ""
    said = {
        "within": f"within {margin:g} of {of}" + f", a mean of {printed_of}" * bool(printed_of),
        "order": " < ".join(groups),
        "trend": f"{towards} {'from first to last' if ends else 'from each to the next'}{by}",
    }.get(name, f"{name} {margin:g}")
    return said + {"any": ", one or more", "most": ", more than half"}.get(inside, "")


def judged(cells: Cells, name: str, looks: int = 1, **arguments: Any) -> Judgement:
    """The judgement of a predicate; not decided where there is no cell."""
    wanted = wanted_in_words(name, **arguments)
    if cells.rows.empty:
        return Judgement("", NOT_DECIDED, wanted=wanted)
    return replace(PREDICATES[name](cells, looks=looks, **arguments), wanted=wanted)


def all_of(parts: Sequence[Judgement]) -> Judgement:
    """The judgement on a claim of several parts: each must hold."""
    found = [part.verdict for part in parts]
    reasons = [part.reason for part in parts if part.reason]
    sizes = dict.fromkeys(part.replicates.partition(";")[0] for part in parts if part.replicates)
    open_parts = [part.needed for part in parts if part.verdict == NOT_DECIDED]
    needed = float(np.max(open_parts)) if FAILS not in found and open_parts else np.nan
    return Judgement(
        "; ".join(part.ours for part in parts),
        verdict_of(all(one == HOLDS for one in found), FAILS in found),
        "; ".join(reasons),
        ", ".join(sizes) + _asked(needed),
        "; ".join(dict.fromkeys(part.wanted for part in parts)),
        needed,
    )
