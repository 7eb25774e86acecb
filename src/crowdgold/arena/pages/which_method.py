"""The page that says which method to use for which data: docs/which-method.md.

Every sentence is made from the cells of the arena, with the numbers that it rests on.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pandas as pd

from crowdgold.arena.choice import FEWEST
from crowdgold.arena.features import ABSENT, StudyFeatures
from crowdgold.arena.pages.advice import (
    Choices,
    all_choices,
    at_a_glance,
    borrowed_choices,
    in_some_worlds,
    situation_lines,
)
from crowdgold.arena.pages.trust import how_far, what_about, what_nearest_tells
from crowdgold.arena.record import arena_of
from crowdgold.arena.situations import Situation, needs_of, situations
from crowdgold.arena.table import NONE, SHORT, geometric_mean, reasons_table
from crowdgold.data.datasets import DATASETS
from crowdgold.documents.markdown import markdown_table
from crowdgold.evaluation.fits import gate_sentence

NOTHING: Mapping[str, str] = MappingProxyType({})


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


def _methods(
    cells: pd.DataFrame, methods: Sequence[str], baseline: str, seconds: Mapping[str, float]
) -> str:
    head = ["method", "needs", "not too short", "coverage", "worst", "bias", f"width / {baseline}",
            "gate failed", "seconds"]  # fmt: skip
    return markdown_table(
        head,
        [
            _method_row(name, cells[cells["method"] == name], seconds.get(name, np.nan))
            for name in methods
        ],
    )


def _bullets(lines: Sequence[str]) -> str:
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


def _counts(cells: pd.DataFrame, methods: Sequence[str], worlds: int) -> str:
    """Say how many methods, worlds, replicates and fits there are."""
    there = cells[cells["intervals"] > 0]
    level = float(there["level"].iloc[0])
    fewest, most = int(there["replicates"].min()), int(there["replicates"].max())
    times = f"{most}" if fewest == most else f"{fewest} to {most}"
    silent = [name for name in methods if name not in set(there["method"])]
    without = f" ({_list(silent)} without a result)" if silent else ""
    fits = _fits(there)
    return (
        f"{len(methods)} methods{without} in {worlds} worlds, simulated and real, each drawn "
        f"{times} times: nominal {level:.0%} intervals against the truth of the items at hand. "
        "This page is made from the results by `make docs` (`make arena` first); every "
        "sentence below is written from its numbers. ± is one Monte Carlo standard error. "
        f"{gate_sentence(fits['gate_failures'], fits['replicates'])}.\n"
    )


def _what_to_use(level: float, baseline: str) -> str:
    return (
        "For what you have, the method with the narrowest intervals among those whose "
        f"{level:.0%} intervals hold. In brackets, in per cent: the coverage that such a "
        "choice has in worlds that it was made without, and the width of its intervals over "
        f"that of `{baseline}`'s, which uses the gold labels alone. None holds: all are too "
        "short somewhere. None stands: what holds fails in worlds that it was chosen without, "
        f"or there are fewer than {FEWEST} to test it in. Where nothing more stands for those "
        "who have more, it is what stands for those who have less, judged in the worlds of those "
        "who have more.\n"
    )


DISTANCE = (
    "`crowdgold check` and the report of `crowdgold evaluate` name the world that is nearest to "
    "your data: that of the smallest root mean square of the differences in these features, as far "
    "as both have them. Counts differ by the logarithm of their ratio, rates by their log odds, "
    f"and having scores or known annotators, or not, by {ABSENT:g}. At a distance of 1 they differ "
    "by a factor of 2.7 or so in every feature. These weights are a choice; what they are worth:\n"
)


def which_method_page(
    cells: pd.DataFrame,
    worlds: Mapping[str, StudyFeatures],
    baseline: str,
    real: Mapping[str, str] = NOTHING,
    kinds: Mapping[str, str] = NOTHING,
    seconds: Mapping[str, float] = MappingProxyType({}),
) -> str:
    """Write the page.

    Args:
        cells: of the arena, with the column `verdict` (`evaluation.arena.judged`).
        worlds: name -> what it looks like.
        baseline: the method whose width is 1.
        real: experiments of datasets, and the dataset of each; those without cells had no files.
        kinds: world -> its kind (`evaluation.arena_situations`).
        seconds: method -> the median of its fits.
    """
    methods = list(dict.fromkeys(cells["method"]))
    found = situations(worlds, kinds)
    choices = all_choices(found, cells)
    borrowed = borrowed_choices(found, cells, choices)
    level = float(cells["level"].dropna().iloc[0])
    of_data = list(dict.fromkeys(cells.loc[cells["experiment"].isin(list(real)), "world"]))
    parts = [
        "# Which method should I use for my data?\n",
        _counts(cells, methods, len(worlds)),
        "## What to use\n",
        _what_to_use(level, baseline),
        at_a_glance(found, choices, borrowed) + "\n",
        "Use the table to choose what to run, not to skip looking: `crowdgold check` says what "
        "your data support, and names the world nearest to them. The answer of `crowdgold "
        "evaluate` does not follow this table: wherever there are gold labels it is `logistic-R`, "
        "which [a page of its own](answer.md) judges.\n",
        "## How far to trust it\n",
        _bullets([*how_far(cells, len(found[0].evidence)), what_about(worlds, baseline)]),
        "## What to use, and why\n",
        *(line for one in found for line in situation_lines(one, choices, borrowed, baseline)),
        *_in_real_data(found, choices, borrowed, of_data),
        "## Every method\n",
        "Over all worlds and metrics: cells that are not too short, mean coverage, the worst cell, "
        "mean of the bias's absolute value, "
        f"geometric mean of the width over `{baseline}`'s, the share of fits that failed a gate, "
        "median seconds of a fit.\n",
        _methods(cells, methods, baseline, seconds) + "\n",
        "![Coverage and width of every method in every world](gallery/arena.svg)\n",
        "![The other metrics](gallery/arena_other_metrics.svg)\n",
        "All cells, with bias, error and width, are in results/figures/arena.csv; the seconds of "
        "every fit are in results/times/.\n",
        "## Why there is nothing\n",
        "What a method needs is declared once, with the method; what a metric needs is the world's "
        "to have.\n",
        _reasons(cells, worlds) + "\n",
        "## The worlds\n",
        _worlds(worlds) + "\n",
        "Real data need true labels apart from the votes that are judged.\n",
        _real_data(real, set(cells["experiment"])) + "\n",
        "## The nearest world\n",
        DISTANCE,
        _bullets(what_nearest_tells(arena_of(cells, worlds, baseline), kinds)),
    ]
    return "\n".join(parts)


def _in_real_data(
    found: Sequence[Situation], choices: Choices, borrowed: Choices, worlds: Sequence[str]
) -> list[str]:
    """Write how what is advised did on real data, chosen without them."""
    if not worlds:
        return []
    return [
        "### On real data alone\n",
        "What is chosen without a real dataset, in that dataset. The intervals are few, and those "
        "of one dataset are of samples of the same items.\n",
        in_some_worlds(found, choices, borrowed, worlds) + "\n",
    ]
