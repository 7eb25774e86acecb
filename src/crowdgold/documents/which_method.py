"""The page that says which method to use for which data: docs/which-method.md.

Every sentence is made from the cells of the arena, with the numbers that it rests on.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pandas as pd
from scipy.stats import binom

from crowdgold.data.datasets import DATASETS
from crowdgold.documents.markdown import markdown_table
from crowdgold.documents.which_method_advice import at_a_glance, situation_lines
from crowdgold.evaluation.arena import (
    NONE,
    SHORT,
    attainable_coverage,
    geometric_mean,
    reasons_table,
)
from crowdgold.evaluation.arena_choice import TOGETHER, needs_of, situations
from crowdgold.evaluation.study_features import ABSENT, StudyFeatures
from crowdgold.evaluation.summaries import coverage_band, share_error

NONE_REAL: Mapping[str, str] = MappingProxyType({})
FOUND = (0.9, 0.8, 0.7)
"""True coverages whose chance of being found out is said."""


def _cell(text: str) -> str:
    """Write a text as a cell of a Markdown table."""
    return text.replace("|", "\\|")


def _list(names: Sequence[str]) -> str:
    names = [f"`{name}`" for name in names]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


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


def _chances(size: int, low: float) -> str:
    """Say how often true coverages below the level are found by a band's lower end."""
    least = int(np.ceil(low * size - 1e-9))
    chances = (100 * float(binom.cdf(least - 1, size, coverage)) for coverage in FOUND)
    return ", ".join(
        f"{coverage:.0%} in {chance:.0f} %" for coverage, chance in zip(FOUND, chances, strict=True)
    )


def _power(cells: pd.DataFrame, worlds: int, imputations: int) -> str:
    """Say how low a coverage must truly be for a method to be found out."""
    there = cells[cells["intervals"] > 0]
    one = there.iloc[int(there["intervals"].argmax())]
    size, level, low = int(one["intervals"]), float(one["level"]), float(one["band_low"])
    each, together = 100 * share_error(level, size), coverage_band(worlds * size, level, TOGETHER)
    return (
        f"A cell has {size} intervals; the Monte Carlo error of a coverage of {level:.0%} is "
        f"{each:.0f} points. It is called too short below {low:.0%}, which by chance alone happens "
        "at most once in some 4,000 cells, and which finds a true coverage of "
        f"{_chances(size, low)} of cells. All worlds together are too short more than "
        f"{TOGETHER:.0f} deviations below the level: of {worlds} worlds below {together[0]:.1%}, "
        f"which finds a true coverage of {_chances(worlds * size, together[0])} of methods, and "
        f"blames at most one in 44 that is right. Intervals of {imputations} imputations hold the "
        f"truth in {attainable_coverage(imputations, level):.1%}, not {level:.0%}, of cases, were "
        "the model exact. A method that is advised has not been found out; that is no proof."
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


def _real_data(experiments: Mapping[str, str], drawn: Collection[str]) -> str:
    """Say of every dataset where its gold is from, and whether it is among the worlds."""
    asked = {dataset: experiment for experiment, dataset in experiments.items()}
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


def which_method_page(
    cells: pd.DataFrame,
    worlds: Mapping[str, StudyFeatures],
    baseline: str = "GT",
    real: Mapping[str, str] = NONE_REAL,
    imputations: int = 200,
) -> str:
    """Write the page.

    Args:
        cells: of the arena, with the column `verdict` (`evaluation.arena.judged`).
        worlds: name -> what it looks like.
        baseline: the method whose width is 1.
        real: experiments of datasets, and the dataset of each; those without cells had no files.
        imputations: draws of a metric of the methods with a posterior.
    """
    methods = list(dict.fromkeys(cells["method"]))
    there = cells[cells["intervals"] > 0]
    level = float(there["level"].iloc[0])
    fewest, most = int(there["replicates"].min()), int(there["replicates"].max())
    times = f"{most}" if fewest == most else f"{fewest} to {most}"
    failed = there.groupby(["world", "method"])[["gate_failures", "replicates"]].max().sum()
    found = situations(worlds)
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
            "For what you have, the method with the narrowest intervals among those that are too "
            "short in no world, nor in all worlds together. In brackets its coverage in per cent, "
            f"and the width of its intervals in per cent of `{baseline}`'s, which uses the gold "
            "labels alone. Where you have no gold labels, worlds without gold labels count.\n",
            at_a_glance(found, cells) + "\n",
            "Use the table to choose what to run, not to skip looking: "
            "`crowdgold check` says what your data support, and names the world nearest to them.\n",
            "## How far to trust it\n",
            _power(cells, max(len(one.worlds) for one in found), imputations) + "\n",
            "What is chosen for how it did looks better than it is. So each choice below is also "
            "made without one of the worlds and judged in that world, for all worlds in turn; "
            "that coverage is the one to expect in a world like these. In a world unlike them "
            "nothing here tells.\n",
            "## What to use, and why\n",
            *(line for one in found for line in situation_lines(one, cells, baseline)),
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
            "Real data need true labels apart from the votes that are judged.\n",
            _real_data(real, set(cells["experiment"])) + "\n",
            "`crowdgold check` and `crowdgold evaluate` name the world that is nearest to your "
            "data: that of the smallest root mean square of the differences in these features, as "
            "far as both have them. Counts differ by the logarithm of their ratio, rates by their "
            f"log odds, and having scores or known annotators, or not, by {ABSENT:g}. At a "
            "distance of 1 they differ by a factor of 2.7 or so in every feature.\n",
        ]
    )
