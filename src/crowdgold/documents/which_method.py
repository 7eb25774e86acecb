"""The page that says which method to use for which data: docs/which-method.md.

Every sentence is made from the cells of the arena, with the numbers that it rests on.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.stats import binom

from crowdgold.documents.markdown import markdown_table
from crowdgold.evaluation.arena import NONE, SHORT, geometric_mean, reasons_table
from crowdgold.evaluation.arena_choice import (
    HAD,
    Record,
    Situation,
    needs_of,
    records_of,
    situations,
)
from crowdgold.evaluation.study_features import StudyFeatures
from crowdgold.metrics.binary import OF_VOTES

FOUND = (0.9, 0.8, 0.7)
"""True coverages whose chance of being found out is said."""
NAMED = 3
"""Worlds that are named; of more their number is said."""
NARROWER = 3
"""Methods that are named beside the one advised, for being narrower and not holding."""


def _cell(text: str) -> str:
    """Write a text as a cell of a Markdown table."""
    return text.replace("|", "\\|")


def _percent(share: float, error: float = np.nan) -> str:
    beside = f" ± {100 * error:.1f}" if np.isfinite(error) else ""
    return f"{100 * share:.1f}{beside} %"


def _list(names: Sequence[str]) -> str:
    names = [f"`{name}`" for name in names]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _had(situation: Situation) -> str:
    """Name what a situation has, and what it has not."""
    have = [name for name in HAD if name in situation.has]
    lack = [name for name in HAD if name not in situation.has]
    parts = ["Votes", *have]
    text = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "Votes alone"
    text = text.replace("annotators", "known annotators")
    return text + (f"; no {' and no '.join(lack)}" if have and lack else "")


def _evidence(one: Record, worlds: int, baseline: str) -> str:
    """Write what a method does on a metric, as a part of a sentence."""
    said = (
        f"{_percent(one.coverage, one.coverage_se)} of {one.intervals} intervals hold the truth, "
        f"in {len(one.worlds)} of {worlds} {'world' if worlds == 1 else 'worlds'}"
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
    return f"{_percent(one.coverage)} of all, below {_percent(one.band_low)}"


def advice(records: Sequence[Record], worlds: int, baseline: str) -> str:
    """Write which method to use, of those of a situation on a metric, ranked.

    Args:
        records: as `arena_choice.rank` sorts them.
        worlds: of the situation.
        baseline: the method whose width is 1.
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
    said = f"`{best.method}`: {_evidence(best, worlds, baseline)}."
    narrower = [
        one for one in records if not one.holds and (one.width < best.width or np.isnan(best.width))
    ]
    if narrower:
        shown = sorted(narrower, key=lambda one: one.coverage)[:NARROWER]
        parts = [f"`{one.method}` ({_percent(one.coverage)}; {_short_in(one)})" for one in shown]
        lead = "Narrower" if np.isfinite(best.width) else "Not to be relied on"
        said += f" {lead}, and not to be believed: " if lead == "Narrower" else f" {lead}: "
        said += "; ".join(parts) + "."
    return said


def _situation(situation: Situation, cells: pd.DataFrame, baseline: str) -> list[str]:
    metrics = [
        one
        for one in dict.fromkeys(cells["metric"])
        if one in OF_VOTES or "scores" in situation.has
    ]
    lines = [f"### {_had(situation)}\n", f"Worlds: {'; '.join(situation.worlds)}.\n"]
    for metric in metrics:
        records = records_of(cells, situation, metric)
        lines.append(f"- **{metric}**: {advice(records, len(situation.worlds), baseline)}\n")
    return lines


def _method_row(method: str, rows: pd.DataFrame) -> list[str]:
    there = rows[rows["intervals"] > 0]
    needs = _cell(", ".join(needs_of(method)))
    if there.empty:
        return [f"`{method}`", needs, "none", "", "", "", ""]
    worst = there.iloc[int(there["coverage"].argmin())]
    ratios = there["width_ratio"].dropna()
    return [
        f"`{method}`",
        needs or "votes",
        f"{int((there['verdict'] != SHORT).sum())} of {len(there)}",
        f"{there['coverage'].mean():.2f}",
        f"{worst['coverage']:.2f} ({worst['metric']}, {worst['world']})",
        f"{geometric_mean(ratios.to_numpy(dtype=float)):.2f}" if len(ratios) else "",
        f"{there['seconds'].median():.2g}",
    ]


def _power(cells: pd.DataFrame) -> str:
    """Say how low a coverage must truly be for a cell to be called too short."""
    there = cells[cells["intervals"] > 0]
    one = there.iloc[int(there["intervals"].argmax())]
    size, low = int(one["intervals"]), float(one["band_low"])
    least = int(np.ceil(low * size - 1e-9))
    chances = [float(binom.cdf(least - 1, size, coverage)) for coverage in FOUND]
    found = ", ".join(
        f"{coverage:.0%} in {100 * chance:.0f} % of cells"
        for coverage, chance in zip(FOUND, chances, strict=True)
    )
    return (
        f"A cell of {size} intervals is called too short where fewer than {least} hold the truth, "
        f"which finds a true coverage of {found}; by chance alone it happens once in some 4,000 "
        "cells. The advice also asks that all worlds together are not too short, which finds more."
    )


def _reasons(cells: pd.DataFrame) -> str:
    rows = [
        [_list(row["methods"].split(", ")), _cell(row["reason"]), row["metrics"], row["worlds"]]
        for row in reasons_table(cells[cells["verdict"] == NONE]).to_dict("records")
    ]
    return markdown_table(["methods", "why", "metrics", "worlds"], rows)


def _worlds(worlds: Mapping[str, StudyFeatures]) -> str:
    rows = [
        [
            name,
            f"{one.items:,.0f}",
            f"{one.votes_per_item:.1f}",
            f"{one.gold:.0f}",
            *(f"{value:.2f}" if np.isfinite(value) else "" for value in (one.base_rate, one.tpr,
                                                                       one.tnr, one.auc)),
            "known" if one.annotators else "",
        ]
        for name, one in worlds.items()
    ]  # fmt: skip
    head = ["world", "items", "votes each", "gold", "base rate", "TPR_H", "TNR_H", "AUC"]
    return markdown_table([*head, "annotators"], rows)


def which_method_page(
    cells: pd.DataFrame, worlds: Mapping[str, StudyFeatures], baseline: str = "GT"
) -> str:
    """Write the page.

    Args:
        cells: of the arena, with the column `verdict` (`evaluation.arena.judged`).
        worlds: name -> what it looks like.
        baseline: the method whose width is 1.
    """
    methods = list(dict.fromkeys(cells["method"]))
    there = cells[cells["intervals"] > 0]
    level = float(there["level"].iloc[0])
    fewest, most = int(there["replicates"].min()), int(there["replicates"].max())
    times = f"{most}" if fewest == most else f"{fewest} to {most}"
    failed = there.groupby(["world", "method"])[["gate_failures", "replicates"]].max().sum()
    head = ["method", "needs", "not too short", "coverage", "worst", f"width / {baseline}"]
    return "\n".join(
        [
            "# Which method should I use for my data?\n",
            f"{len(methods)} methods in {len(worlds)} worlds, simulated and real, each drawn "
            f"{times} times: nominal {level:.0%} intervals against the truth of the items at hand. "
            "This page is made from the results by `make docs` (`make arena` first); every "
            "sentence below is written from its numbers. ± is one Monte Carlo standard error. "
            f"{failed['gate_failures']:.0f} of {failed['replicates']:.0f} fits failed a "
            "diagnostics gate and are included.\n",
            "## What to use\n",
            "For what you have: the method with the narrowest intervals among those that are too "
            "short in no world, nor in all worlds together. "
            f"{_power(cells)}\n",
            *(line for one in situations(worlds) for line in _situation(one, cells, baseline)),
            "## Every method\n",
            "Over all worlds and metrics: cells that are not too short, mean coverage, the worst "
            f"cell, geometric mean of the width over `{baseline}`'s, median seconds of a fit.\n",
            markdown_table(
                [*head, "seconds"],
                [_method_row(name, cells[cells["method"] == name]) for name in methods],
            )
            + "\n",
            "![Coverage and width of every method in every world](gallery/arena.svg)\n",
            "![The other metrics](gallery/arena_other_metrics.svg)\n",
            "## Why there is nothing\n",
            "What a method needs is declared once, with the method.\n",
            _reasons(cells) + "\n",
            "## The worlds\n",
            _worlds(worlds) + "\n",
            "`crowdgold check` and `crowdgold evaluate` name the world that is nearest to your "
            "data: by the root mean square of the differences in these features, of counts by the "
            "logarithm of their ratio, of rates by their log odds, and of having scores or known "
            "annotators, or not, 2.\n",
        ]
    )
