"""Which method to use: for what a study has, the narrowest of those whose intervals hold.

Widths are compared in the worlds of a situation (`arena_situations`). Whether a method holds is
judged in all worlds in which it has intervals, with gold or without as the study is, and with gold
that is as true (in all of these, where it uses none): what fails where annotators are not known is
not made better by a study that knows them. It holds on a metric where its intervals are too short
in no world, beyond the binomial band of that world's replicates, and not in all worlds together,
beyond `TOGETHER` deviations: to be advised takes more than not to be blamed.

Of those that hold, what has intervals in more of the situation's worlds comes first. Of these the
one that is narrowest over the worlds that they share is chosen; where others are not wider by more
than `TIED` standard errors of the difference, the one that covers most often.

What is chosen for how it did looks better than it is. So each choice is also made without a world
and those of its kind, and judged in that world. A choice stands where these intervals, of `FEWEST`
worlds at least, are not too short together. Where none stands, what stands for a study that has
less is judged in the worlds of the one that has more, and will do if it stands there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from crowdgold.arena.situations import Situation, candidates
from crowdgold.arena.table import NARROWEST, SHORT, geometric_mean
from crowdgold.evaluation.summaries import coverage_band, share_error

TOGETHER = 2.0
"""Deviations below the level at which the intervals of all worlds together are too short."""
TIED = 2.0
"""Standard errors of the difference of two widths up to which neither is narrower."""
FEWEST = 3
"""Worlds in which a choice is to be judged that was made without them."""

Ratios = Mapping[str, tuple[float, float]]
"""World -> width over the baseline's there, and its standard error."""


@dataclass(frozen=True)
class Record:
    """What a method does on a metric.

    Attributes:
        method, metric: names.
        worlds: the evidence, those in which it has intervals.
        inside: how many of the situation's worlds it has intervals in.
        intervals: in all of the evidence.
        coverage, coverage_se: of all these intervals, with its Monte Carlo error.
        band_low: the lower end of the binomial band of all these intervals.
        short: worlds in which it covers less often than the band of that world allows.
        ratios: the situation's worlds that have a width over the baseline's.
        error: mean over the situation's worlds of the mean absolute error.
        gate_failed: share of the fits of the evidence that failed a gate of diagnostics.
    """

    method: str
    metric: str
    worlds: tuple[str, ...]
    inside: int
    intervals: int
    coverage: float
    coverage_se: float
    band_low: float
    short: tuple[str, ...]
    ratios: Ratios
    error: float
    gate_failed: float

    @property
    def holds(self) -> bool:
        """Say whether its intervals are too short nowhere, and not in all worlds together."""
        return not self.short and self.coverage >= self.band_low

    @property
    def width(self) -> float:
        """The geometric mean of the width over the baseline's; NaN where none is known."""
        return mean_ratio(list(self.ratios.values()))[0]

    @property
    def width_se(self) -> float:
        """The standard error of `width`."""
        return mean_ratio(list(self.ratios.values()))[1]


def mean_ratio(ratios: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The geometric mean of ratios of widths, and its standard error from theirs."""
    if not ratios:
        return float("nan"), float("nan")
    values, errors = np.array(ratios, dtype=float).T
    values = np.maximum(values, NARROWEST)
    mean = geometric_mean(values)
    return mean, mean * float(np.sqrt(((errors / values) ** 2).sum())) / len(values)


def record(cells: pd.DataFrame, method: str, metric: str, situation: Situation) -> Record | None:
    """Put together what a method does on a metric; None without an interval in the situation.

    Args:
        cells: of the arena, with the column `verdict` (`arena.table.judged`).
        method, metric: names.
        situation: the worlds that count.
    """
    there = cells[(cells["method"] == method) & (cells["metric"] == metric)]
    there = there[there["world"].isin(situation.evidence_of(method)) & (there["intervals"] > 0)]
    own = there[there["world"].isin(situation.worlds)]
    if own.empty:
        return None
    intervals = int(there["intervals"].sum())
    coverage = float((there["coverage"] * there["intervals"]).sum()) / intervals
    known = own.dropna(subset=["width_ratio"])
    return Record(
        method,
        metric,
        tuple(there["world"]),
        len(own),
        intervals,
        coverage,
        share_error(coverage, intervals),
        coverage_band(intervals, float(own["level"].iloc[0]), TOGETHER)[0],
        tuple(there.loc[there["verdict"] == SHORT, "world"]),
        {
            str(world): (float(ratio), float(error))
            for world, ratio, error in zip(
                known["world"], known["width_ratio"], known["width_ratio_se"], strict=True
            )
        },
        float(own["error"].mean()),
        float(there["gate_failures"].sum() / there["replicates"].sum()),
    )


def _narrowest(records: Sequence[Record]) -> Record:
    """The narrowest over the worlds that all have in common; of ties what covers most often.

    Where they share no baseline to be narrower than, the smallest error counts.
    """
    shared = set.intersection(*(set(one.ratios) for one in records))
    if not shared:
        return min(records, key=lambda one: one.error)
    widths = [mean_ratio([one.ratios[world] for world in sorted(shared)]) for one in records]
    least, error = min(widths)
    tied = [
        one
        for one, (width, own) in zip(records, widths, strict=True)
        if width - least <= TIED * float(np.hypot(error, own))
    ]
    return max(tied, key=lambda one: (one.coverage, -one.width))


def rank(records: Sequence[Record]) -> list[Record]:
    """Sort the records of a situation and a metric: the choice, what holds, in most worlds, the
    narrowest.
    """

    def place(one: Record) -> tuple[bool, int, float, float]:
        width = one.width if np.isfinite(one.width) else np.inf
        return not one.holds, -one.inside, width, one.error

    ordered = sorted(records, key=place)
    if not ordered or not ordered[0].holds:
        return ordered
    first = [one for one in ordered if one.holds and one.inside == ordered[0].inside]
    best = _narrowest(first)
    return [best, *(one for one in ordered if one is not best)]


def records_of(cells: pd.DataFrame, situation: Situation, metric: str) -> list[Record]:
    """The records of all candidates of a situation on a metric, ranked."""
    methods = candidates(situation.has, list(dict.fromkeys(cells["method"])))
    found = (record(cells, method, metric, situation) for method in methods)
    return rank([one for one in found if one is not None])


@dataclass(frozen=True)
class LeftOut:
    """How choices did in the worlds that they were made without.

    Attributes:
        judged: world -> what the choice made without it did there.
        level: of the intervals.
    """

    judged: Mapping[str, Record]
    level: float

    @property
    def worlds(self) -> int:
        """How many worlds a choice was judged in."""
        return len(self.judged)

    @property
    def picks(self) -> dict[str, int]:
        """The methods that were chosen, each with how often, the most frequent first."""
        methods = [one.method for one in self.judged.values()]
        return dict(sorted(((one, methods.count(one)) for one in dict.fromkeys(methods)),
                           key=lambda pair: -pair[1]))  # fmt: skip

    @property
    def intervals(self) -> int:
        """The number of intervals in all these worlds."""
        return sum(one.intervals for one in self.judged.values())

    @property
    def covered(self) -> int:
        """How many of them hold the truth."""
        return round(sum(one.coverage * one.intervals for one in self.judged.values()))

    @property
    def coverage(self) -> float:
        """The share of them that hold the truth."""
        return self.covered / self.intervals

    @property
    def coverage_se(self) -> float:
        """Its Monte Carlo error."""
        return share_error(self.coverage, self.intervals)

    @property
    def holds(self) -> bool:
        """Say whether they are of enough worlds, and not too short together."""
        low = coverage_band(self.intervals, self.level, TOGETHER)[0]
        return self.worlds >= FEWEST and self.coverage >= low

    def only(self, worlds: Sequence[str]) -> "LeftOut | None":
        """The same of some worlds alone; None where none of them was judged."""
        kept = {name: one for name, one in self.judged.items() if name in worlds}
        return LeftOut(kept, self.level) if kept else None


@dataclass(frozen=True)
class Choice:
    """What to use in a situation, for a metric.

    Attributes:
        records: of all candidates, ranked; the first is the choice.
        tested: how such choices did in worlds that they were made without; None where there was
            none to judge one in.
        less: what the study has for which it was chosen, where that has less than this one.
    """

    records: tuple[Record, ...]
    tested: LeftOut | None
    less: Situation | None = None

    @property
    def best(self) -> Record:
        """The first of the records."""
        return self.records[0]

    @property
    def stands(self) -> bool:
        """Say whether the choice holds, and choices made without a world held in it."""
        return self.best.holds and self.tested is not None and self.tested.holds


def left_out(cells: pd.DataFrame, situation: Situation, metric: str) -> LeftOut | None:
    """Choose without each world in turn, and judge the choice in that world alone.

    Worlds in which nothing is chosen, or in which the choice has no intervals, are passed over.

    Args:
        cells: of the arena, with the column `verdict`.
        situation: what a study has.
        metric: a name.

    Returns:
        None where no choice could be judged.
    """
    judged = {}
    for world in situation.worlds:
        ranked = records_of(cells, situation.without(world), metric)
        if ranked and ranked[0].holds:
            found = record(cells, ranked[0].method, metric, situation.only([world]))
            if found is not None:
                judged[world] = found
    return LeftOut(judged, float(cells["level"].dropna().iloc[0])) if judged else None


def choose(cells: pd.DataFrame, situation: Situation, metric: str) -> Choice | None:
    """Choose what to use in a situation, for a metric; None where no candidate has intervals."""
    records = records_of(cells, situation, metric)
    return Choice(tuple(records), left_out(cells, situation, metric)) if records else None


def borrow(
    cells: pd.DataFrame, situation: Situation, less: Situation, choice: Choice
) -> Choice | None:
    """Judge what is chosen for a study that has less in the worlds of one that has more.

    Returns:
        None where it has no intervals there, or was judged in none of them.
    """
    best = choice.best
    found = record(cells, best.method, best.metric, situation)
    tested = choice.tested.only(situation.worlds) if choice.tested is not None else None
    return Choice((found,), tested, less) if found is not None and tested is not None else None
