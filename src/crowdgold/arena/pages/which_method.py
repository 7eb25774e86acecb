"""Tables and counts of docs/which-method.md, made from the cells of the arena."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.arena.choice import FEWEST
from crowdgold.arena.features import ABSENT, StudyFeatures
from crowdgold.arena.record import arena_of
from crowdgold.arena.situations import needs_of, situations
from crowdgold.arena.table import NONE, SHORT, geometric_mean, reasons_table
from crowdgold.data.datasets import DATASETS
from crowdgold.documents.markdown import markdown_table
from crowdgold.evaluation.fits import gate_sentence

__all__ = ["ABSENT", "FEWEST", "arena_of", "situations"]


def _cell(text: str) -> str:
    """Write a text as a cell of a Markdown table."""
    return text.replace("|", "\\|")


def _list(names: Sequence[str]) -> str:
    names = [f"`{name}`" for name in names]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _fits(rows: pd.DataFrame) -> pd.Series:
    """Count the fits of cells, and those that failed a gate: a fit has a row for every metric."""
    counts = rows.groupby(["world", "method"])[["replicates", "gate_failures"]].max().sum()
    return counts.astype(int)


def _method_row(method: str, rows: pd.DataFrame, seconds: float) -> list[str]:
    there = rows[rows["intervals"] > 0]
    needs = _cell(", ".join(needs_of(method)))
    if there.empty:
        return [f"`{method}`", needs, "none", *[""] * 6]
    worst = there.iloc[int(there["coverage"].argmin())]
    ratios, fits = there["width_ratio"].dropna(), _fits(there)
    return [
        f"`{method}`",
        needs or "votes",
        f"{int((there['verdict'] != SHORT).sum())} of {len(there)}",
        f"{there['coverage'].mean():.2f}",
        f"{worst['coverage']:.2f} ({worst['metric']}, {worst['world']})",
        f"{there['bias'].abs().mean():.3f}",
        f"{geometric_mean(ratios.to_numpy(dtype=float)):.2f}" if len(ratios) else "",
        f"{fits['gate_failures'] / fits['replicates']:.0%}",
        "" if np.isnan(seconds) else f"{seconds:.2g}",
    ]


def methods_table(cells: pd.DataFrame, baseline: str, times: pd.DataFrame) -> str:
    """The table of every method over all worlds and metrics.

    Args:
        cells: of the arena, with the column `verdict` (`table.judged`).
        baseline: the method whose width is 1.
        times: the seconds of every fit.
    """
    seconds = {str(name): own.median() for name, own in times.groupby("method")["seconds"]}
    head = ["method", "needs", "not too short", "coverage", "worst", "bias", f"width / {baseline}",
            "gate failed", "seconds"]  # fmt: skip
    return markdown_table(
        head,
        [
            _method_row(name, cells[cells["method"] == name], seconds.get(name, np.nan))
            for name in dict.fromkeys(cells["method"])
        ],
    )


def _where(listed: str, worlds: Collection[str]) -> str:
    """Name the worlds of a reason, by those that are not among them where these are fewer."""
    named = set(listed.split("; "))
    others = [one for one in worlds if one not in named]
    if len(others) >= len(named):
        return listed
    return f"all but {'; '.join(others)}" if others else "all"


def reasons(cells: pd.DataFrame, worlds: Collection[str]) -> str:
    """The table of why methods gave nothing, and where."""
    rows = [
        [
            _list(row["methods"].split(", ")),
            _cell(row["reason"]),
            row["metrics"],
            _where(row["worlds"], worlds),
        ]
        for row in reasons_table(cells[cells["verdict"] == NONE]).to_dict("records")
    ]
    return markdown_table(["methods", "why", "metrics", "worlds"], rows)


def worlds_table(worlds: Mapping[str, StudyFeatures]) -> str:
    """The table of what each world looks like."""
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


def real_data(real: pd.DataFrame, cells: pd.DataFrame) -> str:
    """The table of where every dataset's gold is from, and whether it is among the worlds.

    Args:
        real: each `experiment` of a `dataset`; those without cells had no files.
        cells: of the arena.
    """
    asked = dict(zip(real["dataset"], real["experiment"], strict=True))
    drawn = set(cells["experiment"])
    rows = []
    for name, dataset in DATASETS.items():
        if dataset.no_gold:
            found = f"no: {dataset.no_gold}"
        elif name not in asked:
            found = "no"
        elif asked[name] in drawn:
            found = "yes"
        else:
            found = "not on this page: its files were not at hand ([datasets](datasets.md))"
        rows.append([f"`{name}`", dataset.title, dataset.gold, found])
    return markdown_table(["dataset", "what", "gold labels", "a world"], rows)


def counts(cells: pd.DataFrame) -> dict[str, Any]:
    """How many methods and replicates there are, the level, and the fits that failed, in words."""
    methods = list(dict.fromkeys(cells["method"]))
    there = cells[cells["intervals"] > 0]
    level = float(there["level"].iloc[0])
    fewest, most = int(there["replicates"].min()), int(there["replicates"].max())
    times = f"{most}" if fewest == most else f"{fewest} to {most}"
    silent = [name for name in methods if name not in set(there["method"])]
    without = f" ({_list(silent)} without a result)" if silent else ""
    fits = _fits(there)
    return {
        "methods": len(methods),
        "without": without,
        "times": times,
        "level": f"{level:.0%}",
        "gates": gate_sentence(fits["gate_failures"], fits["replicates"]),
    }
