"""What can be said of cells: each predicate gives the verdict on a claim, by its margin.

All take `inside`, the cells in which it must be so (`every`, `any` or `most`), and `looks`, the
parts of the claim (`decide`).

Each cell has a value and a standard error over replicates, and so an interval of 95 %, by Student's
t. The region is what the claim says of every true value: below a margin, or within one of a printed
number. A cell speaks for the claim where its whole interval lies inside the region, and against it
where the whole interval lies outside.

    in every cell    holds where each speaks for it (intersection-union: nothing to correct);
                     does not hold where one speaks against it, corrected for looking at all
    in any cell      the other way round
    in most          more than half of the cells

All three are one test. That at least u of m cells lie in the region has the p value
(m - u + 1) p_(u), p_(u) being the u-th smallest of theirs (partial conjunction): the largest of all
for u = m, and the first step of Holm's for u = 1. Holm's steps say which cells they are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from crowdgold.declared import LEVEL
from crowdgold.documents.cells import Cells, ClaimError
from crowdgold.documents.verdicts import CLEARLY, FAILS, HOLDS, NOT_DECIDED, Judgement, verdict_of

TAIL = (1 - LEVEL) / 2
"""The chance of a true value beyond either end of it."""
EXACT = 1e-12
"""What rounding of the computer's numbers may make of two that are equal."""
ALIKE = 50
"""Replicates that are all the same make an exact value; of fewer the error is not known."""
MOST_REPLICATES = 1e6
"""More replicates than these are never asked for."""


@dataclass(frozen=True)
class Decision:
    """What the cells decide.

    Attributes:
        holds, fails: whether the claim is decided for, or against.
        inside, outside: the cells that are known to be so, corrected for their number where one
            of them is enough.
        needed: replicates that would decide it, if values stay as they are; NaN where decided, or
            not known.
    """

    holds: bool
    fails: bool
    inside: np.ndarray
    outside: np.ndarray
    needed: float


def holm(chances: np.ndarray) -> np.ndarray:
    """Holm's adjusted p values."""
    order = np.argsort(chances, kind="stable")
    steps = chances[order] * np.arange(len(chances), 0, -1)
    adjusted = np.empty(len(chances))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def at_least(chances: np.ndarray, count: int) -> float:
    """The p value of at least `count` true among hypotheses with these p values."""
    return float(np.sort(chances)[count - 1] * (len(chances) - count + 1))


def _below_chance(gap: np.ndarray, cells: Cells) -> np.ndarray:
    """The p value of each cell for a true gap that is above 0, given the observed one.

    1 where the error is not known, 0 or 1 where it is 0.
    """
    error, degrees = errors_of(cells), cells.degrees()
    with np.errstate(divide="ignore", invalid="ignore"):
        found = stats.t.sf(gap / error, degrees)
    found = np.where(error == 0, np.where(gap > 0, 0.0, 1.0), found)
    return np.where(np.isnan(error) | np.isnan(gap), 1.0, found)


def errors_of(cells: Cells) -> np.ndarray:
    """The standard error of each cell; NaN where a few replicates happen to be all the same."""
    error = cells.rows["error"].to_numpy(float)
    alike = (error < EXACT) & (cells.rows["replicates"].to_numpy(float) < ALIKE)
    return np.where(alike, np.nan, error)


def wanted(inside: str, size: int) -> int:
    """In how many of so many cells a claim must hold: `every`, `any` or `most`.

    Raises:
        KeyError: for another word.
    """
    return {"every": size, "any": 1, "most": size // 2 + 1}[inside]


def decide(
    cells: Cells,
    low: float | np.ndarray = -np.inf,
    high: float | np.ndarray = np.inf,
    inside: str = "every",
    looks: int = 1,
) -> Decision:
    """What the cells decide of a claim that their true values lie between low and high.

    Args:
        low, high: the ends of the region, of all cells or of each.
        inside: in which cells: `every`, `any` or `most`.
        looks: the parts of the claim, of which one that fails is enough.
    """
    value = cells.rows["value"].to_numpy(float)
    above, below = value - low, high - value
    for_it = np.maximum(_below_chance(above, cells), _below_chance(below, cells))
    against = np.minimum(_below_chance(-above, cells), _below_chance(-below, cells))
    exact = (errors_of(cells) == 0) & ~np.isnan(value)
    against = np.where(exact, 1.0 - for_it, against)
    size = len(value)
    least = wanted(inside, size)
    most = size - least + 1
    holds = at_least(for_it, least) <= TAIL
    fails = at_least(against, most) * looks <= TAIL
    needed = np.nan
    if not holds and not fails:
        gap = np.minimum(above, below)
        lean = int((gap > 0).sum()) >= least
        needed = _needed(cells, gap if lean else -gap, least if lean else most, looks * (not lean))
    known = for_it if inside == "every" else holm(for_it)
    return Decision(holds, fails, known <= TAIL, holm(against) <= TAIL, needed)


def _needed(cells: Cells, gap: np.ndarray, count: int, looks: int) -> float:
    """How many replicates would decide the claim: without end where none do.

    An error falls with their square root, but for its fixed part.

    Args:
        gap: how far each is on the side to which the claim leans.
        count: in how many of them that must be known.
        looks: what else the tail is shared by.
    """
    size, error = cells.rows["replicates"].to_numpy(float), errors_of(cells)
    far = stats.norm.isf(TAIL / max(looks, 1) / (len(gap) - count + 1))
    fixed = np.asarray(cells.rows.get("fixed", 0.0), dtype=float)
    left = gap**2 - (far * fixed) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        falling = far**2 * (error**2 - fixed**2)
        times = np.where((gap > 0) & (left > 0), falling / left, np.inf)
    # Student's t asks for more than the normal distribution where replicates are few.
    each = np.where(error == 0, np.where(gap > 0, 0, np.inf), np.maximum(times * size, size + 1))
    return float(np.sort(np.where(np.isnan(error), np.nan, each))[count - 1])


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
    if needed > MOST_REPLICATES:
        return f"{text}; too near the margin for any number"
    digits = max(0, len(str(int(needed))) - 2)
    rounded = int(np.ceil(needed / 10**digits)) * 10**digits
    return f"{text}; some {rounded:,} needed"


def _judged(cells: Cells, found: Decision, ours: str = "") -> Judgement:
    """The judgement on what was decided, naming the cells that contradict or leave it open."""
    reason = ""
    if not found.holds and len(cells.rows) > 1:
        named = found.outside if found.fails else ~found.inside
        words = CLEARLY if found.fails else "not decided: "
        reason = f"{words}{cells.named(named, 2)}" if named.any() else ""
    verdict = verdict_of(found.holds, found.fails)
    return Judgement(ours, verdict, reason, replicates_in_words(cells, found.needed))


def below(cells: Cells, margin: float, **where: Any) -> Judgement:
    """The cells are below the margin."""
    return _judged(cells, decide(cells, high=margin, **where))


def above(cells: Cells, margin: float, **where: Any) -> Judgement:
    """The cells are above the margin."""
    return _judged(cells, decide(cells, low=margin, **where))


def within(
    cells: Cells, margin: float, number: float | Mapping[str, float] = 0.0, **where: Any
) -> Judgement:
    """The cells are no farther from a number than the margin.

    Args:
        margin: half of the printed number's last digit, or what counts as the same.
        number: of all cells, or of each group; not decided where a group has no cell.
    """
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


def judged(cells: Cells, name: str, **arguments: Any) -> Judgement:
    """The judgement of a predicate; not decided where there is no cell."""
    if cells.rows.empty:
        return Judgement("", NOT_DECIDED)
    return PREDICATES[name](cells, **arguments)


def all_of(parts: Sequence[Judgement]) -> Judgement:
    """The judgement on a claim of several parts: each must hold."""
    found = [part.verdict for part in parts]
    reasons = [part.reason for part in parts if part.reason]
    sizes = dict.fromkeys(part.replicates for part in parts if part.replicates)
    return Judgement(
        "; ".join(part.ours for part in parts),
        verdict_of(all(one == HOLDS for one in found), FAILS in found),
        "; ".join(reasons),
        ", ".join(sizes),
    )
