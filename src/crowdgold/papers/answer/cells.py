"""Coverage, width and error of the recommended answer, cell by cell: a metric, a world, a sample.

A cell is a metric in a world (an experiment) at a number of gold labels. Coverage is that of the
replicates with an interval; width and error are relative to those of gold alone on the replicates
where both have an interval.

A `Bar` is a target for coverage or width. It is met where what was measured meets it, missed where
what was measured misses it beyond chance, else not decided. The coverage of one cell, of some 200
replicates, is uncertain: a cell fails where its binomial upper limit lies below the bar.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from crowdgold.experiment.summaries import compare, standard_error

CELL = ["experiment", "n_gold", "metric"]
RATIOS = ["width_ratio", "width_ratio_se", "error_ratio", "error_ratio_se"]


def upper_limit(covered: float, intervals: float, level: float = 0.999) -> float:
    """The exact upper binomial limit of a coverage (Clopper and Pearson), one-sided."""
    if covered >= intervals:
        return 1.0
    return float(betaincinv(covered + 1, intervals - covered, level))


def _counts(rows: pd.DataFrame) -> dict[str, float]:
    """Replicates, intervals, and coverage; `over_all` is the coverage of all replicates, where one
    without an interval counts as the whole range, which contains the truth.
    """
    size, intervals, covered = len(rows), int(rows["ranged"].sum()), int(rows["covered"].sum())
    return {
        "replicates": size, "intervals": intervals, "covered": covered,
        "coverage": covered / intervals if intervals else np.nan,
        "over_all": (covered + size - intervals) / size,
    }  # fmt: skip


def _with_coverage(results: pd.DataFrame) -> pd.DataFrame:
    """The rows with the metric's name without its threshold, and whether the interval covers."""
    ranged = np.isfinite(results["lower"]) & np.isfinite(results["upper"])
    inside = (results["lower"] <= results["truth"]) & (results["truth"] <= results["upper"])
    return results.assign(
        metric=results["metric"].str.partition("@")[0],
        ranged=ranged,
        covered=ranged & inside,
        width=results["upper"] - results["lower"],
    )


def answer_cells(results: pd.DataFrame, answer: str, baseline: str) -> pd.DataFrame:
    """The cells of a method, the answer, in the long results table with the column `n_gold`.

    A row has `replicates`, `intervals` (their number), `covered`, `coverage`, `over_all` (as in
    `_counts`), the coverage's `upper_limit`, mean `width` and `error`, `width_ratio` and
    `error_ratio` to the baseline's, gold alone, with standard errors, the replicates that these are
    of, and the baseline's coverage.
    """
    rows = _with_coverage(results[results["method"].isin([answer, baseline])])
    cells, base = (_cells_of(rows[rows["method"] == name]) for name in (answer, baseline))
    beside = base[[*CELL, "coverage", "intervals"]]
    cells = cells.merge(beside, on=CELL, how="left", suffixes=("", "_baseline"))
    # Gold alone can be without width, or error, in all replicates of a cell: 0 or nothing over 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = compare(rows, ["n_gold"], answer, baseline).replace([np.inf, -np.inf], np.nan)
    if ratios.empty:
        return cells.assign(**dict.fromkeys(RATIOS, np.nan), compared=0)
    ratios = ratios.rename(columns={"replicates": "compared"})
    joined = cells.merge(ratios[[*CELL, *RATIOS, "compared"]], on=CELL, how="left")
    return joined.assign(compared=joined["compared"].fillna(0).astype(int))


def _cells_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Counts and means of a method's cells, in order of appearance."""
    cells = []
    for key, group in rows.groupby(CELL, sort=False):
        cell: dict[str, Any] = {**dict(zip(CELL, key, strict=True)), **_counts(group)}
        cell["upper_limit"] = upper_limit(cell["covered"], cell["intervals"])
        cell["width"] = group.loc[group["ranged"], "width"].mean()
        cell["error"] = (group["estimate"] - group["truth"]).abs().mean()
        cells.append(cell | {"truth": group["truth"].mean()})
    return pd.DataFrame(cells)


def pooled_coverage(results: pd.DataFrame, answer: str, by: Sequence[str]) -> pd.DataFrame:
    """A method's coverage over all its intervals in each group of cells, such as `n_gold` makes.

    Metrics of a replicate share its data, so that the standard error, `coverage_se`, is one of
    replicates.
    """
    rows = _with_coverage(results[results["method"] == answer])
    pooled = []
    for key, group in rows.groupby(list(by), sort=False):
        counts = _counts(group)
        own = group.groupby(["experiment", "replicate"])[["ranged", "covered"]].sum()
        apart = (own["covered"] - counts["coverage"] * own["ranged"]).to_numpy(dtype=float)
        size = counts["intervals"]
        error = standard_error(apart) * len(apart) / size if size else np.nan
        # The order of the columns is that of a file.
        last = {"coverage_se": error, "over_all": counts.pop("over_all")}
        pooled.append({**dict(zip(by, key, strict=True)), **counts, **last})
    return pd.DataFrame(pooled)


def mean_ratios(cells: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Means over cells of width and error relative to gold alone, every cell with equal weight.

    Cells of a world share their data: their errors are taken for one and the same, those of
    different worlds for independent.
    """
    means = []
    for key, group in cells.dropna(subset=["width_ratio"]).groupby(list(by), sort=False):
        row = {**dict(zip(by, key, strict=True)), "cells": len(group)}
        for name in ("width_ratio", "error_ratio"):
            sums = group.groupby("experiment")[f"{name}_se"].sum()
            row[name] = group[name].mean()
            row[f"{name}_se"] = float(np.sqrt((sums**2).sum())) / len(group)
        means.append(row)
    return pd.DataFrame(means, columns=[*by, "cells", *RATIOS])


POOLED = (0.94, 0.98)
"""Coverage over all settings and metrics, at each number of gold labels."""
OF_METRIC = 0.925
"""Least coverage of each metric over all settings, at each number of gold labels."""
OF_CELL = 0.93
"""No upper limit of a cell's coverage lies below."""
ENOUGH = 100
"""Intervals of a cell from which on its coverage is judged: of fewer hardly any can lie below."""
WIDEST = 1.0
"""No cell's mean width is above so many times that of gold alone."""
AT = 200
"""The number of gold labels at which the answer is compared with the least possible width."""
MEAN_WIDTHS = {20: 0.85, 50: 0.75, AT: 0.70}
"""Gold labels -> the mean width over cells is at most so many times that of gold alone."""
ERRORS = 3.1
"""Standard errors by which a bar is missed beyond chance: one-sided, 99.9 %."""


@dataclass(frozen=True)
class Bar:
    """A target for the answer's coverage or width, and whether it is met."""

    asked: str  # the target, in words
    holds: bool | None  # None where it is missed by no more than chance
    found: str  # what was measured
    missing: pd.DataFrame  # the rows that miss it


@dataclass(frozen=True)
class Answers:
    """What is known of a method, the recommended answer, beside a baseline, gold alone."""

    answer: str
    baseline: str
    cells: pd.DataFrame  # of `answer_cells`
    by_gold: pd.DataFrame  # pooled coverage and mean ratios at each number of gold labels
    by_metric: pd.DataFrame  # the same for each metric, too
    again: pd.DataFrame  # cells that were judged again with more replicates

    @property
    def judged(self) -> pd.DataFrame:
        """The cells with intervals enough to say how often they hold the truth."""
        return self.cells[self.cells["intervals"] >= ENOUGH]


def answers_of(
    results: pd.DataFrame, answer: str, baseline: str, again: dict[str, str] | None = None
) -> Answers:
    """All that is known of a method's intervals in the long results table.

    `again` names the experiments that repeat cells with more replicates, and whose cells they are.
    """
    again = again or {}
    repeated = results["experiment"].isin(list(again))
    first, more = results[~repeated], results[repeated]
    more = more.assign(experiment=more["experiment"].map(again))
    cells = answer_cells(first, answer, baseline).sort_values("n_gold", kind="stable")
    named = first.assign(metric=first["metric"].str.partition("@")[0])
    by_gold, by_metric = (
        pooled_coverage(named, answer, by).merge(mean_ratios(cells, by), on=by, how="left")
        for by in (["n_gold"], ["metric", "n_gold"])
    )
    by_gold = by_gold.sort_values("n_gold").reset_index(drop=True)
    judged_again = answer_cells(more, answer, baseline) if len(more) else cells.iloc[:0]
    cells = cells.reset_index(drop=True)
    return Answers(answer, baseline, cells, by_gold, by_metric, judged_again)


def _bar(
    asked: str, text: str, missing: pd.DataFrame, of: pd.DataFrame, where: str, beyond: int
) -> Bar:
    """A bar that the rows `missing` of the table `of` miss, so many of them `beyond` chance."""
    if len(missing):
        text += f"; {len(missing)} of {len(of)} {where}, {beyond} of them beyond chance"
    return Bar(asked, True if missing.empty else False if beyond else None, text, missing)


def _pooled(answers: Answers) -> Bar:
    rows, (low, high) = answers.by_gold, POOLED
    outside = rows[~rows["coverage"].between(low, high)]
    apart = (outside["coverage"] - outside["coverage"].clip(low, high)).abs()
    beyond = len(outside) - int((apart <= ERRORS * outside["coverage_se"]).sum())
    asked = f"coverage over all settings and metrics from {low} to {high} at each number of gold "
    text = f"from {rows['coverage'].min():.3f} to {rows['coverage'].max():.3f}"
    return _bar(asked + "labels", text, outside, rows, "outside", beyond)


def _metrics(answers: Answers) -> Bar:
    rows = answers.by_metric[answers.by_metric["intervals"] > 0]
    short = rows[rows["coverage"] < OF_METRIC]
    limits = [upper_limit(*pair) for pair in short[["covered", "intervals"]].to_numpy()]
    beyond = sum(limit < OF_METRIC for limit in limits)
    asked = f"coverage of each metric over all settings at least {OF_METRIC} at each number of"
    text = f"the least is {rows['coverage'].min():.3f}"
    return _bar(f"{asked} gold labels", text, short, rows, "below", beyond)


def _cells(answers: Answers) -> Bar:
    cells = answers.judged
    flagged = cells[cells["upper_limit"] < OF_CELL]
    again = answers.again[[*CELL, "upper_limit", "coverage", "intervals"]]
    again = again.rename(columns=lambda name: name if name in CELL else f"{name}_again")
    flagged = flagged.merge(again, on=CELL, how="left")
    cleared = flagged["upper_limit_again"] >= OF_CELL
    text = (
        f"{len(flagged)} of {len(cells)} cells lie below; {len(answers.cells) - len(cells)} more "
        f"have fewer than {ENOUGH} intervals and are not judged"
    )
    if judged_again := int(flagged["upper_limit_again"].notna().sum()):
        text += f"; {judged_again} of them were judged again with more replicates, and "
        text += f"{int(cleared.sum())} of these do not"
    asked = f"no cell whose 99.9 % binomial upper limit of coverage lies below {OF_CELL}"
    return Bar(asked, bool(cleared.all()), text, flagged[~cleared])


def _widest(answers: Answers) -> Bar:
    cells = answers.cells[answers.cells["width_ratio"].notna()]
    wide = cells[cells["width_ratio"] > WIDEST + 1e-9]
    # A cell of a single replicate has no error, and shows nothing beyond chance.
    beyond = int((wide["width_ratio"] - WIDEST > ERRORS * wide["width_ratio_se"]).sum())
    asked = f"mean width above that of {answers.baseline} in no cell"
    text = f"the largest ratio is {cells['width_ratio'].max():.3f}"
    return _bar(asked, text, wide, cells, "cells with both widths lie above", beyond)


def _mean_width(answers: Answers, at: int) -> Bar:
    row, most = answers.by_gold[answers.by_gold["n_gold"] == at], MEAN_WIDTHS[at]
    asked = f"mean width over cells at {at} gold labels at most {most:.2f} of {answers.baseline}'s"
    if row.empty or row["width_ratio"].isna().all():
        return Bar(asked, False, f"not known: no cell with {at} gold labels", row)
    ratio, error = float(row["width_ratio"].iloc[0]), float(row["width_ratio_se"].iloc[0])
    holds = True if ratio <= most + 1e-9 else False if ratio - most > ERRORS * error else None
    return Bar(asked, holds, f"{ratio:.3f} ± {error:.3f}", row.iloc[: 0 if holds else 1])


def bars_of(answers: Answers) -> list[Bar]:
    """The bars, in the order in which they are asked."""
    sizes = {AT, *answers.by_gold["n_gold"]}
    widths = [_mean_width(answers, at) for at in MEAN_WIDTHS if at in sizes]
    return [judge(answers) for judge in (_pooled, _metrics, _cells, _widest)] + widths
