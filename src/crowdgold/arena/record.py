"""What the arena found, as a small file that comes with the library; and the nearest world in it.

The file is made by a rule from the results (`make docs`), with its provenance. It holds what each
world looks like, and a line for each method in each world.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.arena.features import StudyFeatures, nearest
from crowdgold.arena.table import SHORT, geometric_mean
from crowdgold.data import InputError
from crowdgold.methods import METHODS

RECORD = Path(__file__).resolve().parents[1] / "arena" / "worlds.json"
DIGITS = 4
ALIKE = 1.0
"""Distance up to which two studies are alike: a factor e in each feature."""


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


def _plain(world: StudyFeatures) -> dict[str, Any]:
    """The features with nothing for what is not known, and few digits."""
    return {
        name: None if isinstance(value, float) and np.isnan(value)
        else value if isinstance(value, bool) else round(value, DIGITS)
        for name, value in asdict(world).items()
    }  # fmt: skip


def record_text(arena: Arena, made_from: Mapping[str, Any]) -> str:
    """Write the file's content, with its provenance."""
    methods: dict[str, dict[str, Any]] = {}
    for (world, method), line in arena.lines.items():
        methods.setdefault(world, {})[method] = asdict(line)
    content = {
        "level": arena.level,
        "baseline": arena.baseline,
        "worlds": {name: _plain(world) for name, world in arena.worlds.items()},
        "methods": methods,
        "made_from": made_from,
    }
    return json.dumps(content, indent=1) + "\n"


@cache
def read_arena(path: Path = RECORD) -> Arena | None:
    """Read the file that comes with the library; None where there is none.

    Raises:
        InputError: where it is of another version of the library, or damaged.
    """
    if not path.is_file():
        return None
    try:
        return _parsed(json.loads(path.read_text(encoding="utf-8")))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}: not the record of the arena that this version of crowdgold writes ({error}); "
            "install it again, or make it anew with `make arena docs`"
        ) from error


def _parsed(found: Mapping[str, Any]) -> Arena:
    worlds = {
        name: StudyFeatures(**{key: value for key, value in one.items() if value is not None})
        for name, one in found["worlds"].items()
    }
    lines = {
        (world, method): Line(**line)
        for world, own in found["methods"].items()
        for method, line in own.items()
    }
    return Arena(found["level"], found["baseline"], worlds, lines)


def _said(world: str, far: float, first: bool, method: str, arena: Arena, gold: bool) -> str:
    """Write what a method did in a world; `first` where no world is nearer."""
    line, everywhere = arena.lines[world, method], _everywhere(method, arena, gold)
    which = "the nearest world of the arena" + ("" if first else " in which it has intervals")
    alike = f"distance {far:.1f}" if far <= ALIKE else f"distance {far:.1f}: not alike"
    metrics = f"{line.metrics} metric{'' if line.metrics == 1 else 's'}"
    named = ", ".join(f"{metric} ({coverage:.0%})" for metric, coverage in line.short.items())
    short = f"too short for {named}" if named else f"none below {line.least:.0%}"
    wide = (
        "" if line.width is None else f"were {line.width:.2f} times as wide as {arena.baseline}'s"
    )
    return (
        f"in {world!r}, {which} ({alike}), its {arena.level:.0%} intervals {wide}"
        f"{' and ' if wide else ''}held the truth of the items at hand in {line.coverage:.0%} of "
        f"{line.replicates} replicates of {metrics}, {short}; {everywhere}"
    )


def _everywhere(method: str, arena: Arena, gold: bool) -> str:
    """Write a method's coverage over all its worlds, beside which one world's is to be read.

    Of a method that uses gold labels, worlds with gold or without, as the study is.
    """
    known = METHODS.get(method)
    found = [
        line.coverage
        for (world, name), line in arena.lines.items()
        if name == method
        and (known is None or not known.uses_gold or (arena.worlds[world].gold > 0) == gold)
    ]
    if not found:
        return f"in no world {'with' if gold else 'without'} gold labels"
    worlds = f"{len(found)} world{'' if len(found) == 1 else 's'}"
    if known is not None and known.uses_gold:
        worlds += f" {'with' if gold else 'without'} gold labels"
    return f"in {float(np.mean(found)):.0%} over its {worlds}, in {min(found):.0%} in the worst"


def _name_there(method: str) -> str:
    """What a method of `crowdgold evaluate` is called in the arena."""
    known = METHODS.get(method)
    return (known and known.offer and known.offer.same_as) or method


def nearest_worlds(
    study: StudyFeatures, methods: Sequence[str], arena: Arena | None
) -> dict[str, str]:
    """Say what each method did in the nearest world in which it had intervals.

    Args:
        study: what the data look like.
        methods: names of `crowdgold evaluate`.
        arena: what the arena found; None says nothing.

    Returns:
        method -> a sentence; methods that were in no world are left out.
    """
    if arena is None:
        return {}
    said = {}
    for place, (world, far) in reversed(list(enumerate(nearest(study, arena.worlds)))):
        for method in methods:
            named = _name_there(method)
            if (world, named) in arena.lines:
                said[method] = _said(world, far, place == 0, named, arena, study.gold > 0)
    return said
