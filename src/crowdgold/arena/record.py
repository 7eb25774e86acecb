"""What the arena found: what each world looks like, and a line for each method in each world."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from crowdgold.arena.features import StudyFeatures
from crowdgold.arena.table import SHORT, geometric_mean

DIGITS = 4


@dataclass(frozen=True)
class Line:
    """What a method did in a world, over the metrics of which it had intervals.

    Attributes:
        replicates: of the world.
        metrics: how many.
        coverage: their mean.
        least: coverage below which intervals are too short for chance (`arena.verdict_of_cell`);
            of metrics with fewer intervals it is lower.
        short: the metrics whose intervals are -> coverage.
        width: geometric mean of the width over the baseline's; None without a baseline.
    """

    replicates: int
    metrics: int
    coverage: float
    least: float
    short: Mapping[str, float]
    width: float | None


@dataclass(frozen=True)
class Arena:
    """What the arena found.

    Attributes:
        level: of its intervals.
        baseline: the method whose width is 1.
        worlds: name -> what it looks like.
        lines: (world, method) -> what the method did there.
    """

    level: float
    baseline: str
    worlds: Mapping[str, StudyFeatures]
    lines: Mapping[tuple[str, str], Line]


def _line(rows: pd.DataFrame) -> Line:
    short = rows[rows["verdict"] == SHORT]
    ratios = rows["width_ratio"].dropna().to_numpy(dtype=float)
    return Line(
        int(rows["replicates"].max()),
        len(rows),
        round(float(rows["coverage"].mean()), DIGITS),
        round(float(rows["band_low"].max()), DIGITS),
        {
            str(metric): round(float(coverage), DIGITS)
            for metric, coverage in zip(short["metric"], short["coverage"], strict=True)
        },
        round(geometric_mean(ratios), DIGITS) if len(ratios) else None,
    )


def arena_of(cells: pd.DataFrame, worlds: Mapping[str, StudyFeatures], baseline: str) -> Arena:
    """Put together what the arena found.

    Args:
        cells: of the arena, with the column `verdict` (`arena.table.judged`).
        worlds: name -> what it looks like.
        baseline: the method whose width is 1.
    """
    there = cells[cells["intervals"] > 0]
    lines = {
        (str(world), str(method)): _line(rows)
        for (world, method), rows in there.groupby(["world", "method"], sort=False)
    }
    return Arena(float(there["level"].iloc[0]), baseline, worlds, lines)
