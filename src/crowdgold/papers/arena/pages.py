"""Sentences and the table of docs/which-method.md, from the cells of the arena (`table.py`)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from crowdgold.claims.cells import markdown_table
from crowdgold.experiment.summaries import gate_sentence, share_error, with_chains
from crowdgold.methods.registry import METHODS, answering, answering_experts
from crowdgold.papers.arena.table import SHORT, arena_cells, geometric_mean, judged

ANSWER = answering()
"""The method that `crowdgold evaluate` answers with where there are gold labels."""
EXPERTS_ANSWER = answering_experts()
"""The method that it answers with where second opinions tell how often experts err."""


def cells_of(summaries: pd.DataFrame, options: Mapping[str, Any]) -> pd.DataFrame:
    """The cells of the arena and their verdicts, by the options of its figure."""
    return judged(arena_cells(summaries, options["baseline"], options["by"], options["labels"]))


def by_experts(
    cells: pd.DataFrame, experiments: Mapping[str, Any]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cells of settings whose gold is true, and of those whose experts err each by themselves.

    Experts who err together are in neither: no opinion shows it, and no method can be right.
    """
    shared = {
        name: block["experts"].get("shared", 0) for name, block in experiments.items()
        if "experts" in block
    }  # fmt: skip
    independent = [name for name, share in shared.items() if not share]
    experiment = cells["experiment"]
    return cells[~experiment.isin(list(shared))], cells[experiment.isin(independent)]


def _covered(cells: pd.DataFrame, method: str) -> tuple[str, str]:
    """The share of a method's intervals that contain the truth, alone and in two sentences."""
    own = cells[(cells["method"] == method) & (cells["intervals"] > 0)]
    share = 100 * (own["coverage"] * own["intervals"]).sum() / own["intervals"].sum()
    return f"{share:.0f} %", (
        f"Its intervals contained the truth in {share:.0f} % of cases. In "
        f"{(own['verdict'] == SHORT).sum()} of {len(own)} pairs of a setting and a metric were "
        "they shorter than chance allows."
    )


def answer(cells: pd.DataFrame, baseline: str) -> str:
    """Coverage and width of `crowdgold evaluate`'s answer over settings whose gold is true."""
    width = cells[cells["method"] == ANSWER]["width_ratio"].dropna().to_numpy(dtype=float)
    if not len(width):
        return f"`{ANSWER}` was not among the methods here."
    _, sentences = _covered(cells, ANSWER)
    return (
        f"{sentences} On average they were {geometric_mean(width):.2f} times as "
        f"wide as those of gold labels alone (`{baseline}`)."
    )


def answer_of_experts(cells: pd.DataFrame) -> str:
    """Coverage of both answers where experts err; empty where there is no such setting."""
    if not {ANSWER, EXPERTS_ANSWER} <= set(cells.loc[cells["intervals"] > 0, "method"]):
        return ""
    share, _ = _covered(cells, ANSWER)
    _, sentences = _covered(cells, EXPERTS_ANSWER)
    return (
        f"{sentences} Those of `{ANSWER}`, which takes these labels for the "
        f"truth, contained it in {share}."
    )


def without_gold(cells: pd.DataFrame, baseline: str) -> str:
    """How many methods are too short somewhere in the settings where the baseline has no gold."""
    there = cells[cells["intervals"] > 0]
    has_gold = set(there.loc[there["method"] == baseline, "world"])
    own = there[~there["world"].isin(has_gold)]
    short = own.loc[own["verdict"] == SHORT, "method"].nunique()
    worlds, methods = own["world"].nunique(), own["method"].nunique()
    return (
        f"In the {worlds} settings without them the intervals of {short} of {methods} methods were "
        "too short, on some metric in some setting."
    )


def _fits(cells: pd.DataFrame) -> pd.Series:
    """Count the fits of cells, and those that failed a gate: a fit has a row for every metric."""
    counts = cells.groupby(["world", "method"])[["replicates", "gate_failures"]].max().sum()
    return counts.astype(int)


def counts(cells: pd.DataFrame) -> dict[str, Any]:
    """How many settings, methods and replicates there are, the level, and the fits that failed."""
    there = cells[cells["intervals"] > 0]
    fewest, most = int(there["replicates"].min()), int(there["replicates"].max())
    fits = _fits(with_chains(there))
    return {
        "settings": cells["world"].nunique(),
        "methods": cells["method"].nunique(),
        "times": f"{most}" if fewest == most else f"{fewest} to {most}",
        "level": f"{there['level'].iloc[0]:.0%}",
        "gates": gate_sentence(fits["gate_failures"], fits["replicates"]),
    }


def chance_to_detect(cells: pd.DataFrame) -> str:
    """How often a method of a given true coverage is called too short in a setting, in words."""
    cell = cells.iloc[int(cells["intervals"].argmax())]
    size, level, low = int(cell["intervals"]), float(cell["level"]), float(cell["band_low"])
    too_few = int(np.ceil(low * size - 1e-9)) - 1
    blamed = float(binom.cdf(too_few, size, level))
    chances = [
        f"{coverage:.0%} in {100 * binom.cdf(too_few, size, coverage):.0f} % of cases"
        for coverage in (0.9, 0.8, 0.7)
    ]
    return (
        f"A method has {size} intervals of a metric in a setting, so that a coverage of "
        f"{level:.0%} has a Monte Carlo error of {100 * share_error(level, size):.0f} points. "
        f"Below {low:.0%} they are called too short. By chance alone that happens "
        f"{f'once in {1 / blamed:,.0f} times' if blamed else 'never'}. It finds a true coverage of "
        f"{', '.join(chances)}."
    )


def methods_table(cells: pd.DataFrame, baseline: str, times: pd.DataFrame) -> str:
    """The table of every method over settings and metrics, with the median seconds of a fit."""
    seconds = times.groupby("method")["seconds"].median()
    rows = []
    for method, own in cells.groupby("method", sort=False):
        needs = ", ".join(one.name for one in METHODS[str(method)].needs if one.of_items)
        row = [f"`{method}`", needs.replace("|", "\\|") or "votes"]
        there = own[own["intervals"] > 0]
        if there.empty:
            rows.append([*row, "none", *[""] * 6])
            continue
        worst = there.iloc[int(there["coverage"].argmin())]
        ratios, fits = there["width_ratio"].dropna(), _fits(there)
        rows.append(
            [
                *row,
                f"{(there['verdict'] != SHORT).sum()} of {len(there)}",
                f"{there['coverage'].mean():.2f}",
                f"{worst['coverage']:.2f} ({worst['metric']}, {worst['world']})",
                f"{there['bias'].abs().mean():.3f}",
                f"{geometric_mean(ratios.to_numpy(dtype=float)):.2f}" if len(ratios) else "",
                f"{fits['gate_failures'] / fits['replicates']:.0%}",
                f"{seconds[method]:.2g}" if method in seconds else "",
            ]
        )
    header = ["method", "needs", "not too short", "coverage", "worst", "bias",
              f"width / {baseline}", "not converged", "seconds"]  # fmt: skip
    return markdown_table(header, rows)
