"""Which method to use: for what a study has, the narrowest of those whose intervals hold.

A situation is what a study has: gold labels, scores of a model, known annotators. Its worlds have
at least that; where it has no gold the worlds have none either, since methods use what gold there
is. Methods that need more are no candidates.

A method holds on a metric where its intervals are too short in no world, beyond the binomial band
of that world's replicates, and not in all worlds together, beyond `TOGETHER` deviations: to be
advised takes more than not to be blamed.

What is chosen for how it did looks better than it is. So each choice is also made without a world,
and judged in that world (`left_out`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from crowdgold.estimators import METHODS
from crowdgold.estimators.needs import ANNOTATORS, GOLD, SCORES, SEVERAL
from crowdgold.evaluation.arena import NARROWEST, SHORT, geometric_mean
from crowdgold.evaluation.study_features import StudyFeatures
from crowdgold.evaluation.summaries import coverage_band, share_error

HAD = (GOLD, SCORES, ANNOTATORS)
"""What a situation may have."""
TOGETHER = 2.0
"""Deviations below the level at which the intervals of all worlds together are too short."""


@dataclass(frozen=True)
class Situation:
    """What a study has, and the worlds that speak to it.

    Attributes:
        has: some of `HAD`.
        worlds: names.
    """

    has: tuple[str, ...]
    worlds: tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """What a method does on a metric in the worlds of a situation.

    Attributes:
        method, metric: names.
        worlds: those in which it has intervals.
        intervals: in all of them.
        coverage, coverage_se: of all intervals, with its Monte Carlo error.
        band_low: the lower end of the binomial band of all intervals.
        short: worlds in which it covers less often than the band of that world allows.
        width, width_se: geometric mean of the width over the baseline's, over the worlds that have
            that ratio; NaN where none has.
        error: mean over the worlds of the mean absolute error.
    """

    method: str
    metric: str
    worlds: tuple[str, ...]
    intervals: int
    coverage: float
    coverage_se: float
    band_low: float
    short: tuple[str, ...]
    width: float
    width_se: float
    error: float

    @property
    def holds(self) -> bool:
        """Say whether its intervals are too short nowhere, and not in all worlds together."""
        return not self.short and self.coverage >= self.band_low


def _features(world: StudyFeatures) -> set[str]:
    held = {GOLD: world.gold > 0, SCORES: world.scores, ANNOTATORS: world.annotators}
    return {name for name, there in held.items() if there}


def situations(worlds: Mapping[str, StudyFeatures]) -> list[Situation]:
    """Give what studies may have, the most first, where some world speaks to it.

    Args:
        worlds: name -> what it looks like.
    """
    found = []
    for size in range(len(HAD), -1, -1):
        for has in combinations(HAD, size):
            own = tuple(
                name
                for name, world in worlds.items()
                if set(has) <= _features(world) and (GOLD in has) == (world.gold > 0)
            )
            if own:
                found.append(Situation(has, own))
    return sorted(found, key=lambda one: GOLD not in one.has)


def needs_of(method: str) -> tuple[str, ...]:
    """Give what a method needs of a table of items, as it declares."""
    return METHODS[method].needs if method in METHODS else ()


def candidates(has: Sequence[str], methods: Sequence[str]) -> list[str]:
    """Give the methods that need no more than a study has, and nothing that none has."""
    enough = {*has, SEVERAL}
    return [name for name in methods if name in METHODS and set(METHODS[name].needs) <= enough]


def record(cells: pd.DataFrame, method: str, metric: str, worlds: Sequence[str]) -> Record | None:
    """Put together what a method does on a metric; None where it has no interval in any world.

    Args:
        cells: of the arena, with the column `verdict` (`evaluation.arena.judged`).
        method, metric: names.
        worlds: those that count.
    """
    own = cells[(cells["method"] == method) & (cells["metric"] == metric)]
    own = own[own["world"].isin(worlds) & (own["intervals"] > 0)]
    if own.empty:
        return None
    intervals = int(own["intervals"].sum())
    coverage = float((own["coverage"] * own["intervals"]).sum()) / intervals
    width, spread = _width(own.dropna(subset=["width_ratio"]))
    return Record(
        method,
        metric,
        tuple(own["world"]),
        intervals,
        coverage,
        share_error(coverage, intervals),
        coverage_band(intervals, float(own["level"].iloc[0]), TOGETHER)[0],
        tuple(own.loc[own["verdict"] == SHORT, "world"]),
        width,
        spread,
        float(own["error"].mean()),
    )


def _width(rows: pd.DataFrame) -> tuple[float, float]:
    """Give the geometric mean of the ratios of widths, and its standard error."""
    if rows.empty:
        return float("nan"), float("nan")
    ratios = np.maximum(rows["width_ratio"].to_numpy(dtype=float), NARROWEST)
    relative = rows["width_ratio_se"].to_numpy(dtype=float) / ratios
    mean = geometric_mean(ratios)
    return mean, mean * float(np.sqrt((relative**2).sum())) / len(rows)


def rank(records: Sequence[Record]) -> list[Record]:
    """Sort the records of a situation and a metric: what holds in most worlds, then what is narrow.

    Where there is no baseline to be narrower than, the smaller error counts.
    """

    def place(one: Record) -> tuple[bool, int, float, float]:
        width = one.width if np.isfinite(one.width) else np.inf
        return not one.holds, -len(one.worlds), width, one.error

    return sorted(records, key=place)


def records_of(cells: pd.DataFrame, situation: Situation, metric: str) -> list[Record]:
    """Give the records of all candidates of a situation on a metric, ranked."""
    methods = candidates(situation.has, list(dict.fromkeys(cells["method"])))
    found = (record(cells, method, metric, situation.worlds) for method in methods)
    return rank([one for one in found if one is not None])


@dataclass(frozen=True)
class LeftOut:
    """How choices did in the worlds that they were made without.

    Attributes:
        worlds: those in which a choice was judged.
        intervals: in all of them.
        coverage, coverage_se: of all these intervals, with its Monte Carlo error.
    """

    worlds: int
    intervals: int
    coverage: float
    coverage_se: float


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
    judged = []
    for world in situation.worlds:
        others = tuple(name for name in situation.worlds if name != world)
        ranked = records_of(cells, Situation(situation.has, others), metric)
        if ranked and ranked[0].holds:
            judged.append(record(cells, ranked[0].method, metric, (world,)))
    there = [one for one in judged if one is not None]
    if not there:
        return None
    intervals = sum(one.intervals for one in there)
    coverage = sum(one.coverage * one.intervals for one in there) / intervals
    return LeftOut(len(there), intervals, coverage, share_error(coverage, intervals))
