"""What docs/which-method.md advises: a table at a glance, and a sentence for each metric.

Every sentence is made from the cells of the arena, with the numbers that it rests on.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table
from crowdgold.evaluation.arena_choice import (
    HAD,
    LeftOut,
    Record,
    Situation,
    left_out,
    records_of,
)
from crowdgold.metrics.binary import OF_VOTES

NAMED = 3
"""Worlds that are named; of more their number is said."""
NARROWER = 3
"""Methods that are named beside the one advised, for being narrower and not holding."""


def percent(share: float, error: float = np.nan) -> str:
    """Write a share in per cent, with its standard error where it has one."""
    beside = f" ± {100 * error:.1f}" if np.isfinite(error) else ""
    return f"{100 * share:.1f}{beside} %"


def _had(situation: Situation) -> str:
    """Name what a situation has, and what it has not."""
    have = [name for name in HAD if name in situation.has]
    lack = [name for name in HAD if name not in situation.has]
    parts = ["Votes", *have]
    text = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "Votes alone"
    text = text.replace("annotators", "known annotators")
    return text + (f"; no {' and no '.join(lack)}" if have and lack else "")


def _worlds(count: int) -> str:
    return f"{count} world{'' if count == 1 else 's'}"


def _evidence(one: Record, worlds: int, baseline: str) -> str:
    """Write what a method does on a metric, as a part of a sentence."""
    said = (
        f"{percent(one.coverage, one.coverage_se)} of {one.intervals} intervals hold the truth, "
        f"in {len(one.worlds)} of {_worlds(worlds)}"
    )
    if np.isfinite(one.width):
        error = f" ± {100 * one.width_se:.0f}" if np.isfinite(one.width_se) else ""
        return f"{said}, {100 * one.width:.0f}{error} % as wide as `{baseline}`'s"
    return f"{said}, mean error {one.error:.3f}"


def _short_in(one: Record) -> str:
    if len(one.short) > NAMED:
        return f"too short in {len(one.short)} of {len(one.worlds)} worlds"
    if one.short:
        return f"too short in {'; '.join(one.short)}"
    return f"too short in all together, below {percent(one.band_low)}"


def _tested(found: LeftOut | None) -> str:
    """Write how a choice does in worlds that it was made without."""
    if found is None:
        return " There is no other world to test the choice in."
    return (
        f" Chosen without a world and judged in it, for {_worlds(found.worlds)} in turn: "
        f"{percent(found.coverage, found.coverage_se)} of {found.intervals}."
    )


def advice(
    records: Sequence[Record], worlds: int, baseline: str, tested: LeftOut | None = None
) -> str:
    """Write which method to use, of those of a situation on a metric, ranked.

    Args:
        records: as `arena_choice.rank` sorts them.
        worlds: of the situation.
        baseline: the method whose width is 1.
        tested: how choices did in the worlds that they were made without.
    """
    if not records:
        return "no method here has intervals."
    best = records[0]
    if not best.holds:
        nearest = max(records, key=lambda one: one.coverage)
        return (
            f"no method holds. The nearest is `{nearest.method}`: "
            f"{_evidence(nearest, worlds, baseline)}; it is {_short_in(nearest)}."
        )
    said = f"`{best.method}`: {_evidence(best, worlds, baseline)}.{_tested(tested)}"
    others = [one for one in records if not one.holds]
    known = np.isfinite(best.width)
    if blamed := [one for one in others if one.width < best.width] if known else others:
        shown = sorted(blamed, key=lambda one: one.coverage)[:NARROWER]
        parts = [f"`{one.method}` ({percent(one.coverage)}; {_short_in(one)})" for one in shown]
        lead = "Narrower, and not to be believed" if known else "Not to be relied on"
        said += f" {lead}: {'; '.join(parts)}."
    return said


def metrics_of(situation: Situation, cells: pd.DataFrame) -> list[str]:
    """Give the metrics that a situation can ask for: of scores only where it has scores."""
    found = dict.fromkeys(cells["metric"])
    return [one for one in found if one in OF_VOTES or "scores" in situation.has]


def situation_lines(situation: Situation, cells: pd.DataFrame, baseline: str) -> list[str]:
    """Write a section: what to use for each metric, of those who have what the situation has."""
    lines = [f"### {_had(situation)}\n", f"Worlds: {'; '.join(situation.worlds)}.\n"]
    for metric in metrics_of(situation, cells):
        tested = left_out(cells, situation, metric)
        records = records_of(cells, situation, metric)
        said = advice(records, len(situation.worlds), baseline, tested)
        lines.append(f"- **{metric}**: {said}\n")
    return lines


def _glance(situation: Situation, cells: pd.DataFrame, metric: str) -> str:
    if metric not in metrics_of(situation, cells):
        return ""
    records = records_of(cells, situation, metric)
    if not records or not records[0].holds:
        return "none holds"
    best = records[0]
    width = f", {100 * best.width:.0f}" if np.isfinite(best.width) else ""
    return f"`{best.method}` ({100 * best.coverage:.0f}{width})"


def at_a_glance(situations: Sequence[Situation], cells: pd.DataFrame) -> str:
    """Make the table of what to use: a row for what a study has, a column a metric."""
    metrics = list(dict.fromkeys(cells["metric"]))
    rows = [
        [_had(one), str(len(one.worlds)), *(_glance(one, cells, metric) for metric in metrics)]
        for one in situations
    ]
    return markdown_table(["you have", "worlds", *metrics], rows)
