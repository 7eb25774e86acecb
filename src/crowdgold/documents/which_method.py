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
from crowdgold.documents.which_method_advice import all_choices, at_a_glance, situation_lines
from crowdgold.evaluation.arena import (
    NONE,
    SHORT,
    geometric_mean,
    reasons_table,
)
from crowdgold.evaluation.arena_choice import FEWEST, TOGETHER, needs_of, situations
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
    """Say how often true coverages below the level are found, by a band's lower end."""
    least = int(np.ceil(low * size - 1e-9))
    chances = (100 * float(binom.cdf(least - 1, size, coverage)) for coverage in FOUND)
    pairs = zip(FOUND, chances, strict=True)
    return ", ".join(f"{coverage:.0%} in {chance:.0f} % of cases" for coverage, chance in pairs)


def _trust(cells: pd.DataFrame, worlds: int) -> str:
    """Say how low a coverage must truly be for a method to be found out."""
    there = cells[cells["intervals"] > 0]
    one = there.iloc[int(there["intervals"].argmax())]
    size, level, low = int(one["intervals"]), float(one["level"]), float(one["band_low"])
    together = coverage_band(worlds * size, level, TOGETHER)[0]
    lines = [
        f"A method in a world has {size} intervals of a metric, so that a coverage of {level:.0%} "
        f"has a Monte Carlo error of {100 * share_error(level, size):.0f} points. They are too "
        f"short below {low:.0%}. That happens by chance alone at most once in 4,000 times, and "
        f"finds a true coverage of {_chances(size, low)}.",
        f"All worlds together are too short {TOGETHER:.0f} deviations below the level: of {worlds} "
        f"worlds below {together:.1%}. That blames at most one method in 44 that is right, and "
        f"finds a true coverage of {_chances(worlds * size, together)}.",
        "A method holds where neither is so, in all worlds in which it has intervals, with gold "
        "labels or without as you have them (both, if it uses none). That is no proof: it has not "
        "been found out.",
        "What is chosen for how it did looks better than it is. So each choice is also made "
        "without a world and judged in that world, for all worlds in turn. That is the coverage to "
        "expect in a world like these; of a world unlike them nothing here tells.",
    ]
    return "".join(f"- {line}\n" for line in lines)


def _where(listed: str, worlds: Collection[str]) -> str:
    """Name the worlds of a reason, by those that are not among them where these are fewer."""
    named = set(listed.split("; "))
    others = [one for one in worlds if one not in named]
    if len(others) >= len(named):
        return listed
    return f"all but {'; '.join(others)}" if others else "all"


def _reasons(cells: pd.DataFrame, worlds: Collection[str]) -> str:
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
) -> str:
    """Write the page.

    Args:
        cells: of the arena, with the column `verdict` (`evaluation.arena.judged`).
        worlds: name -> what it looks like.
        baseline: the method whose width is 1.
        real: experiments of datasets, and the dataset of each; those without cells had no files.
    """
    methods = list(dict.fromkeys(cells["method"]))
    there = cells[cells["intervals"] > 0]
    level = float(there["level"].iloc[0])
    fewest, most = int(there["replicates"].min()), int(there["replicates"].max())
    times = f"{most}" if fewest == most else f"{fewest} to {most}"
    failed = there.groupby(["world", "method"])[["gate_failures", "replicates"]].max().sum()
    found = situations(worlds)
    choices = all_choices(found, cells)
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
            "For what you have, the method with the narrowest intervals among those whose "
            f"{level:.0%} intervals hold. In brackets, in per cent: the coverage that such a "
            "choice has in worlds that it was made without, and the width of its intervals over "
            f"that of `{baseline}`'s, which uses the gold labels alone. None holds: all are too "
            "short somewhere. None stands: what holds fails in worlds that it was chosen without, "
            f"or there are fewer than {FEWEST} to test it in. Where nothing more stands for those "
            "who have more, it is what stands for those who have less.\n",
            at_a_glance(found, choices) + "\n",
            "Use the table to choose what to run, not to skip looking: "
            "`crowdgold check` says what your data support, and names the world nearest to them.\n",
            "## How far to trust it\n",
            _trust(cells, len(found[0].evidence)),
            "## What to use, and why\n",
            *(line for one in found for line in situation_lines(one, found, choices, baseline)),
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
            _reasons(cells, worlds) + "\n",
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
