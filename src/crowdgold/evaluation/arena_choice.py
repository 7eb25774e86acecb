"""Which method to use: for what a study has, the narrowest of those whose intervals hold.

A situation is what a study has: gold labels, scores of a model, known annotators. Its worlds have
at least that; where it has no gold the worlds have none either, since methods use what gold there
is. Methods that need more are no candidates.

Widths are compared in these worlds. Whether a method holds is judged in all worlds in which it has
intervals, with gold or without as the study is (in both, where it uses none): what fails where
annotators are not known is not made better by a study that knows them. It holds on a metric where
its intervals are too short in no world, beyond the binomial band of that world's replicates, and
not in all worlds together, beyond `TOGETHER` deviations: to be advised takes more than not to be
blamed.

What is chosen for how it did looks better than it is. So each choice is also made without a world,
and judged in that world. A choice stands where these intervals, of `FEWEST` worlds at least, are
not too short together. Where none stands, what stands for a study that has less will do.
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
FEWEST = 3
"""Worlds in which a choice is to be judged that was made without them."""


@dataclass(frozen=True)
class Situation:
    """What a study has, and the worlds that speak to it.

    Attributes:
        has: some of `HAD`.
        worlds: names of those that have at least that.
        evidence: names of all with gold labels, or of all without, as the study is.
        others: names of the rest.
    """

    has: tuple[str, ...]
    worlds: tuple[str, ...]
    evidence: tuple[str, ...]
    others: tuple[str, ...] = ()

    def without(self, world: str) -> "Situation":
        """Give the same situation as if there were no such world."""
        worlds, evidence = (
            tuple(name for name in names if name != world) for names in (self.worlds, self.evidence)
        )
        return Situation(self.has, worlds, evidence, self.others)

    def evidence_of(self, method: str) -> tuple[str, ...]:
        """Give the worlds that tell how a method does in this situation."""
        known = METHODS.get(method)
        return self.evidence if known is None or known.uses_gold else self.evidence + self.others


@dataclass(frozen=True)
class Record:
    """What a method does on a metric.

    Attributes:
        method, metric: names.
        worlds: the evidence, those in which it has intervals.
        inside: how many of them are worlds of the situation.
        intervals: in all of the evidence.
        coverage, coverage_se: of all intervals, with its Monte Carlo error.
        band_low: the lower end of the binomial band of all intervals.
        short: worlds in which it covers less often than the band of that world allows.
        width, width_se: geometric mean of the width over the baseline's, over the situation's
            worlds that have that ratio; NaN where none has.
        error: mean over the situation's worlds of the mean absolute error.
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
            alike = {
                name: _features(world)
                for name, world in worlds.items()
                if (GOLD in has) == (world.gold > 0)
            }
            own = tuple(name for name, held in alike.items() if set(has) <= held)
            if own:
                others = tuple(name for name in worlds if name not in alike)
                found.append(Situation(has, own, tuple(alike), others))
    return sorted(found, key=lambda one: GOLD not in one.has)


def needs_of(method: str) -> tuple[str, ...]:
    """Give what a method needs of a table of items, as it declares."""
    return METHODS[method].needs if method in METHODS else ()


def candidates(has: Sequence[str], methods: Sequence[str]) -> list[str]:
    """Give the methods that need no more than a study has, and nothing that none has."""
    enough = {*has, SEVERAL}
    return [name for name in methods if name in METHODS and set(METHODS[name].needs) <= enough]


def record(cells: pd.DataFrame, method: str, metric: str, situation: Situation) -> Record | None:
    """Put together what a method does on a metric; None without an interval in the situation.

    Args:
        cells: of the arena, with the column `verdict` (`evaluation.arena.judged`).
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
    width, spread = _width(own.dropna(subset=["width_ratio"]))
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
    """Sort the records of a situation and a metric: what holds, in most worlds, then the narrowest.

    Where there is no baseline to be narrower than, the smaller error counts.
    """

    def place(one: Record) -> tuple[bool, int, float, float]:
        width = one.width if np.isfinite(one.width) else np.inf
        return not one.holds, -one.inside, width, one.error

    return sorted(records, key=place)


def records_of(cells: pd.DataFrame, situation: Situation, metric: str) -> list[Record]:
    """Give the records of all candidates of a situation on a metric, ranked."""
    methods = candidates(situation.has, list(dict.fromkeys(cells["method"])))
    found = (record(cells, method, metric, situation) for method in methods)
    return rank([one for one in found if one is not None])


@dataclass(frozen=True)
class LeftOut:
    """How choices did in the worlds that they were made without.

    Attributes:
        worlds: how many, in which a choice was judged.
        intervals: in all of them.
        coverage, coverage_se: of all these intervals, with its Monte Carlo error.
        band_low: the lower end of the binomial band of all of them.
    """

    worlds: int
    intervals: int
    coverage: float
    coverage_se: float
    band_low: float


@dataclass(frozen=True)
class Choice:
    """What to use in a situation, for a metric.

    Attributes:
        records: of all candidates, ranked; the first is the choice.
        tested: how such choices did in worlds that they were made without; None where there was
            none to judge one in.
    """

    records: tuple[Record, ...]
    tested: LeftOut | None

    @property
    def best(self) -> Record:
        """Give the first of the records."""
        return self.records[0]

    @property
    def stands(self) -> bool:
        """Say whether the choice holds, and choices made without a world held in it."""
        tested = self.tested
        if tested is None or tested.worlds < FEWEST:
            return False
        return self.best.holds and tested.coverage >= tested.band_low


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
        ranked = records_of(cells, situation.without(world), metric)
        if ranked and ranked[0].holds:
            alone = Situation(situation.has, (world,), (world,))
            judged.append(record(cells, ranked[0].method, metric, alone))
    there = [one for one in judged if one is not None]
    if not there:
        return None
    intervals = sum(one.intervals for one in there)
    coverage = sum(one.coverage * one.intervals for one in there) / intervals
    band = coverage_band(intervals, float(cells["level"].dropna().iloc[0]), TOGETHER)
    return LeftOut(len(there), intervals, coverage, share_error(coverage, intervals), band[0])


def choose(cells: pd.DataFrame, situation: Situation, metric: str) -> Choice | None:
    """Choose what to use in a situation, for a metric; None where no candidate has intervals."""
    records = records_of(cells, situation, metric)
    return Choice(tuple(records), left_out(cells, situation, metric)) if records else None
