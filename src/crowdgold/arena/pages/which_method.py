"""What the pages on methods show of the cells of the arena, and how far to trust it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from crowdgold.arena.choice import FEWEST, TIED, TOGETHER
from crowdgold.arena.features import StudyFeatures
from crowdgold.arena.situations import needs_of, situations
from crowdgold.arena.table import NONE, SHORT, geometric_mean, reasons_table
from crowdgold.data.datasets import DATASETS
from crowdgold.documents.markdown import markdown_table
from crowdgold.evaluation.fits import gate_sentence, with_chains
from crowdgold.evaluation.summaries import coverage_band, share_error
from crowdgold.methods import METHODS

__all__ = ["FEWEST", "situations"]


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
    """The table of every method over all settings and metrics.

    Args:
        cells: of the arena, with the column `verdict` (`table.judged`).
        baseline: the method whose width is 1.
        times: the seconds of every fit.
    """
    seconds = {str(name): own.median() for name, own in times.groupby("method")["seconds"]}
    head = ["method", "needs", "not too short", "coverage", "worst", "bias", f"width / {baseline}",
            "not converged", "seconds"]  # fmt: skip
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
    return markdown_table(["methods", "why", "metrics", "settings"], rows)


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
            "err" if one.experts else "",
        ]
        for name, one in worlds.items()
    ]  # fmt: skip
    head = ["setting", "items", "votes each", "gold", "base rate", "TPR_H", "TNR_H", "AUC"]
    return markdown_table([*head, "annotators", "experts"], rows)


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
    return markdown_table(["dataset", "what", "gold labels", "a setting"], rows)


def counts(cells: pd.DataFrame) -> dict[str, Any]:
    """How many methods and replicates there are, the level, and the fits that failed, in words."""
    methods = list(dict.fromkeys(cells["method"]))
    there = cells[cells["intervals"] > 0]
    level = float(there["level"].iloc[0])
    fewest, most = int(there["replicates"].min()), int(there["replicates"].max())
    times = f"{most}" if fewest == most else f"{fewest} to {most}"
    silent = [name for name in methods if name not in set(there["method"])]
    without = f" ({_list(silent)} without a result)" if silent else ""
    fits = _fits(with_chains(there))
    return {
        "methods": len(methods),
        "without": without,
        "times": times,
        "level": f"{level:.0%}",
        "gates": gate_sentence(fits["gate_failures"], fits["replicates"]),
    }


FOUND = (0.9, 0.8, 0.7)
"""True coverages whose chance of being found out is said."""


def _least(size: int, low: float) -> int:
    """The fewest of some intervals that are not too few, by a band's lower end."""
    return int(np.ceil(low * size - 1e-9))


def _blamed(size: int, level: float, low: float) -> str:
    """Say how seldom a method whose coverage is the level is blamed."""
    chance = float(binom.cdf(_least(size, low) - 1, size, level))
    return f"once in {1 / chance:,.0f} times" if chance else "never"


def _chances(size: int, low: float) -> str:
    """Say how often true coverages below the level are found, by a band's lower end."""
    least = _least(size, low)
    chances = (100 * float(binom.cdf(least - 1, size, coverage)) for coverage in FOUND)
    pairs = zip(FOUND, chances, strict=True)
    return ", ".join(f"{coverage:.0%} in {chance:.0f} % of cases" for coverage, chance in pairs)


def how_far(cells: pd.DataFrame, worlds: int) -> list[str]:
    """Say how low a coverage must truly be for a method to be found out."""
    there = cells[cells["intervals"] > 0]
    one = there.iloc[int(there["intervals"].argmax())]
    size, level, low = int(one["intervals"]), float(one["level"]), float(one["band_low"])
    together = coverage_band(worlds * size, level, TOGETHER)[0]
    return [
        f"**Each setting.** A method has {size} intervals of a metric there, so that a coverage of "
        f"{level:.0%} has a Monte Carlo error of {100 * share_error(level, size):.0f} points. "
        f"Below {low:.0%} they are called too short. By chance alone that happens "
        f"{_blamed(size, level, low)}. It finds a true coverage of {_chances(size, low)}.",
        f"**All settings together.** Of {worlds} settings, less than {together:.1%} is too short "
        f"({TOGETHER:.0f} standard deviations below the level). On one metric that blames a "
        f"method that is right {_blamed(worlds * size, level, together)}. It finds a true coverage "
        f"of {_chances(worlds * size, together)}.",
        "**A method passes** where it is too short in neither way. The settings that count are "
        "those with gold labels that are as true as yours, or those without gold labels; all, if "
        "it uses none. To pass is no proof: nothing was found against it.",
        "**The choice.** Of those that pass, one with intervals in more settings comes first, then "
        f"the narrowest. Where widths differ by no more than {TIED:.0f} standard errors, the one "
        "that contains the truth more often is chosen.",
        "**The test.** What is chosen for how it did looks better than it is. So each choice is "
        "made once more without a setting and judged in it, for all settings in turn. Settings "
        "that differ in their gold labels alone are left out together. The choice is *confirmed* "
        f"where these intervals, of {FEWEST} settings or more, are not too short together.",
    ]


def what_about(worlds: Mapping[str, StudyFeatures], baseline: str, methods: Collection[str]) -> str:
    """Say what intervals are about, and what that makes of the widths.

    Args:
        methods: of the arena.
    """
    kept = [np.sqrt(1 - one.gold / one.items) for one in worlds.values() if one.gold]
    whole = [
        name for name in methods if (offer := METHODS[name].offer) and offer.population_only
    ]  # fmt: skip
    return (
        "**Population and items.** The truth is that of the items at hand. Some intervals are "
        "about the population that these are drawn from, and so are wider: those that resample "
        f"votes, and those of {_list([baseline, *whole])}. For the items, those of "
        f"`{baseline}` could be {min(kept):.2f} to {max(kept):.2f} times as wide as they are."
    )
