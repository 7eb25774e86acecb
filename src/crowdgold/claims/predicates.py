"""What can be said of cells: each predicate gives the verdict on a claim, by its margin.

Each cell has a value and a standard error over replicates, and so an interval of 95 %, by Student's
t; that of a share of independent trials is exact, by the binomial distribution. The region is what
the claim says of every true value: below a margin, or within one of a printed number. A cell speaks
for the claim where its whole interval lies inside the region, and against it where the whole
interval lies outside.

    in every cell    holds where each speaks for it (intersection-union: nothing to correct);
                     does not hold where one speaks against it, corrected for looking at all
    in any cell      the other way round
    in most          more than half of the cells

All three are one test. That at least u of m cells lie in the region has the p value
(m - u + 1) p_(u), p_(u) being the u-th smallest of theirs (partial conjunction): the largest of all
for u = m, and the first step of Holm's for u = 1. Holm's steps say which cells they are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from crowdgold.claims.cells import Cells, ClaimError, cells_of
from crowdgold.claims.verdicts import CLEARLY, FAILS, HOLDS, NOT_DECIDED, Judgement, verdict_of
from crowdgold.inference.interval import holm
from crowdgold.types.parameters import LEVEL

TAIL = (1 - LEVEL) / 2  # the chance of a true value beyond either end of it
EXACT = 1e-12  # what rounding of the computer's numbers may make of two that are equal
ALIKE = 50  # replicates that are all the same make an exact value; of fewer the error is not known
GROWTH = 1.05 ** np.arange(1, 200)
"""Factors by which trials may grow, up to some 16,000, in the search for enough of them."""
WHOLE = 1e-6  # what rounding may take from a whole number of trials


@dataclass(frozen=True)
class Decision:
    """What the cells decide: whether the claim is decided for (holds), or against (fails).

    The cells that are known to be `inside` or `outside` are so corrected for their number where one
    of them is enough. `needed` are the replicates that would decide it, if values stay as they are;
    NaN where decided, or not known.
    """

    holds: bool
    fails: bool
    inside: np.ndarray
    outside: np.ndarray
    needed: float


def at_least(chances: np.ndarray, count: int) -> float:
    """The p value of at least `count` true among hypotheses with these p values."""
    return float(np.sort(chances)[count - 1] * (len(chances) - count + 1))


def _p_values(
    cells: Cells, low: float | np.ndarray, high: float | np.ndarray, times: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """The p values of each cell for a true value outside of the region, and inside."""
    above, below = _p_value(cells, low, 1, times), _p_value(cells, high, -1, times)
    under, over = _p_value(cells, low, -1, times), _p_value(cells, high, 1, times)
    return np.maximum(above, below), np.minimum(under, over)


def _p_value(cells: Cells, bound: float | np.ndarray, side: int, times: float = 1.0) -> np.ndarray:
    """The p value of each cell for a true value that is not beyond a bound, of all or of each.

    1 where the error is not known, 0 or 1 where it is 0. The side is 1 for values above the bound,
    -1 for those below it. A share has so many times as many trials.
    """
    value, trials = cells.rows["value"].to_numpy(float), cells.trials()
    gap, error = side * (value - bound), errors_of(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = stats.t.sf(gap / error, cells.degrees())
    found = np.where(error == 0, np.where(gap > 0, 0.0, 1.0), found)
    found = np.where(np.isnan(error) | np.isnan(gap), 1.0, found)
    share = ~np.isnan(trials) & ~np.isnan(value)
    if not share.any():
        return found
    size, value = np.ceil(np.where(share, trials, 1) * times - WHOLE), np.where(share, value, 0)
    # The mirror image of a share below its bound is one above it.
    value, wrong = (value, bound) if side > 0 else (1 - value, 1 - bound)
    right = np.floor(value * size + WHOLE)
    exact = stats.binom.sf(right - 1, size, np.clip(wrong, 0, 1))
    return np.where(share, np.where(wrong < 0, 0.0, exact), found)


def errors_of(cells: Cells) -> np.ndarray:
    """The standard error of each cell; NaN where a few replicates happen to be all the same."""
    error = cells.rows["error"].to_numpy(float)
    alike = (error < EXACT) & (cells.rows["replicates"].to_numpy(float) < ALIKE)
    return np.where(alike, np.nan, error)


def decide(
    cells: Cells, low: float | np.ndarray = -np.inf, high: float | np.ndarray = np.inf,
    inside: str = "every", looks: int = 1,
) -> Decision:  # fmt: skip
    """What the cells decide of a claim that their true values lie between low and high.

    `inside` says in which cells: "every", "any" or "most". `looks` is the number of parts of the
    claim, of which one that fails is enough. All predicates take both.
    """
    value = cells.rows["value"].to_numpy(float)
    for_it, against = _p_values(cells, low, high)
    exact = (errors_of(cells) == 0) & ~np.isnan(value)
    against = np.where(exact, 1.0 - for_it, against)
    size = len(value)
    least = {"every": size, "any": 1, "most": size // 2 + 1}[inside]
    most = size - least + 1
    holds = at_least(for_it, least) <= TAIL
    fails = at_least(against, most) * looks <= TAIL
    needed = np.nan
    if not holds and not fails:
        gap = np.minimum(value - low, high - value)
        lean = int((gap > 0).sum()) >= least
        count, shared = (least, 1) if lean else (most, looks)
        tail = TAIL / shared / (size - count + 1)
        each = _needed(
            cells, gap if lean else -gap, tail,
            lambda times: _p_values(cells, low, high, times)[not lean] <= tail,
        )  # fmt: skip
        each = np.where((for_it if lean else against) <= tail, 0.0, each)
        needed = float(np.sort(each)[count - 1])
    known = for_it if inside == "every" else holm(for_it)
    return Decision(holds, fails, known <= TAIL, holm(against) <= TAIL, needed)


def _needed(
    cells: Cells, gap: np.ndarray, tail: float, decided: Callable[[float], np.ndarray]
) -> np.ndarray:
    """How many replicates would decide each cell; infinitely many where no number does.

    An error falls with their square root, but for its fixed part. `gap` is how far each cell is on
    the side to which the claim leans, `tail` the p value that decides it. For shares `decided` says
    which cells would be decided by so many times as many trials; some replicates may have none.
    """
    size, error = cells.rows["replicates"].to_numpy(float), errors_of(cells)
    far = stats.norm.isf(tail)
    fixed = np.asarray(cells.rows.get("fixed", 0.0), dtype=float)
    left = gap**2 - (far * fixed) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        falling = far**2 * (error**2 - fixed**2)
        times = np.where((gap > 0) & (left > 0), falling / left, np.inf)
        # Student's t asks for more than the normal distribution where replicates are few.
        more = np.maximum(times * size, size + 1)
    each = np.where(error == 0, np.where(gap > 0, 0, np.inf), more)
    each = np.where(np.isnan(error), np.nan, each)
    share = ~np.isnan(cells.trials()) & np.isfinite(each)
    if not share.any():
        return each
    # What decides at one number of trials need not do so at the next larger one.
    lasting = np.logical_and.accumulate([decided(times) for times in GROWTH[::-1]])[::-1]
    first = np.where(lasting.any(axis=0), GROWTH[lasting.argmax(axis=0)], np.inf)
    return np.where(share, np.ceil(size * first - WHOLE), each)


MOST_REPLICATES = 1e6  # more replicates than these are never asked for


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


def _judgement_on(cells: Cells, decision: Decision, ours: str = "") -> Judgement:
    """The judgement on what was decided, naming the cells that contradict or leave it open."""
    reason = ""
    if not decision.holds and len(cells.rows) > 1:
        named = decision.outside if decision.fails else ~decision.inside
        words = CLEARLY if decision.fails else "not decided: "
        reason = f"{words}{cells.names_with_values(named)}" if named.any() else ""
    verdict = verdict_of(decision.holds, decision.fails)
    size = replicates_in_words(cells, decision.needed)
    return Judgement(ours, verdict, reason, size, needed=decision.needed)


def below(cells: Cells, margin: float, **where: Any) -> Judgement:
    """The cells are below the margin."""
    return _judgement_on(cells, decide(cells, high=margin, **where))


def above(cells: Cells, margin: float, **where: Any) -> Judgement:
    """The cells are above the margin."""
    return _judgement_on(cells, decide(cells, low=margin, **where))


def within(
    cells: Cells, margin: float, number: float | Mapping[str, float] = 0.0, printed_of: int = 0,
    **where: Any,
) -> Judgement:  # fmt: skip
    """The cells are no farther from a number than the margin, such as half of its last digit.

    Of numbers for each group nothing is decided where a group has no cell. A number that is the
    mean of `printed_of` replicates has the error of as many of ours.
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
    return _judgement_on(cells, decide(cells, at - reach, at + reach, **where))


def _steps(rows: pd.DataFrame) -> pd.DataFrame:
    value, error = rows["value"].to_numpy(float), rows["error"].to_numpy(float)
    names = [place or group for group, place in zip(rows["group"], rows["place"], strict=True)]
    size, degrees = rows["replicates"].to_numpy(float), Cells("", rows).degrees()
    alone = (rows["place"] == "").all()
    groups = ["" if alone else group for group in rows["group"].iloc[1:]]
    places = [f"{one} to {other}" for one, other in pairwise(names)]
    sizes, freedom = (np.minimum(one[:-1], one[1:]) for one in (size, degrees))
    errors = np.hypot(error[:-1], error[1:])
    return cells_of("", groups, np.diff(value), errors, places, sizes, freedom).rows


def order(
    cells: Cells, margin: float, groups: Sequence[str] | None = None, **where: Any
) -> Judgement:
    """Each cell is larger than the one before it, in the order of these groups if any."""
    rows = cells.rows
    if groups is not None:
        rows = rows.set_index("group", drop=False).loc[list(groups)].reset_index(drop=True)
    return above(Cells(cells.title, _steps(rows)), margin, **where)


def trend(cells: Cells, margin: float, towards: str, ends: bool = False, **where: Any) -> Judgement:
    """In every group values go from each place to the next, by more than the margin.

    Towards: `rises` or `falls`. With `ends` only the last place of a group is held against its
    first.
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
    "above": above, "below": below, "order": order, "trend": trend, "within": within,
}  # fmt: skip
"""Name of a predicate in a claim -> the function of cells and the claim's other keys."""


def check_arguments(name: str, arguments: Mapping[str, Any]) -> None:
    """Raise a `ClaimError` where a claim names no predicate or declares no margin."""
    if name not in PREDICATES:
        raise ClaimError(f"predicate {name!r}: expected one of {', '.join(PREDICATES)}")
    if "margin" not in arguments:
        raise ClaimError(f"predicate {name!r}: no margin is declared")


def wanted_in_words(
    name: str, margin: float, inside: str = "every", number: float | Mapping[str, float] = 0.0,
    printed_of: int = 0, towards: str = "", ends: bool = False, groups: Sequence[str] = (),
) -> str:  # fmt: skip
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
    verdicts = [part.verdict for part in parts]
    sizes = dict.fromkeys(part.replicates.partition(";")[0] for part in parts if part.replicates)
    open_parts = [part.needed for part in parts if part.verdict == NOT_DECIDED]
    needed = float(np.max(open_parts)) if FAILS not in verdicts and open_parts else np.nan
    return Judgement(
        "; ".join(part.values for part in parts),
        verdict_of(all(one == HOLDS for one in verdicts), FAILS in verdicts),
        "; ".join(part.reason for part in parts if part.reason),
        ", ".join(sizes) + _asked(needed),
        "; ".join(dict.fromkeys(part.wanted for part in parts)),
        needed,
    )
