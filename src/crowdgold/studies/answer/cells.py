"""Coverage, width and error of the recommended answer, cell by cell: a metric, a world, a sample.

A cell is a metric in a world (an experiment) at a number of gold labels. Coverage is that of the
replicates with an interval; width and error are relative to those of gold alone on the replicates
where both have an interval.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from crowdgold.evaluation.summaries import compare, standard_error

CELL = ["experiment", "n_gold", "metric"]
ONE_SIDED = 0.999
"""Level of the upper limit of a coverage."""


def upper_limit(covered: int, intervals: int, level: float = ONE_SIDED) -> float:
    """The exact upper binomial limit of a coverage (Clopper and Pearson), one-sided.

    Args:
        covered: intervals that hold the truth.
        intervals: of how many.
        level: with what confidence the coverage is no higher.
    """
    return (
        1.0 if covered >= intervals else float(betaincinv(covered + 1, intervals - covered, level))
    )


def over_all(replicates: int, intervals: int, covered: int) -> float:
    """The coverage over all replicates: one without an interval leaves the whole range, and holds.

    Args:
        replicates, intervals, covered: how many there are, have an interval, and hold the truth.
    """
    return (covered + replicates - intervals) / replicates


def _with_coverage(results: pd.DataFrame) -> pd.DataFrame:
    """The rows of replicates with the metric's name alone, and whether the interval covers."""
    ranged = np.isfinite(results["lower"]) & np.isfinite(results["upper"])
    inside = (results["lower"] <= results["truth"]) & (results["truth"] <= results["upper"])
    return results.assign(
        metric=results["metric"].str.partition("@")[0],
        ranged=ranged,
        covered=ranged & inside,
        width=results["upper"] - results["lower"],
    )


def answer_cells(results: pd.DataFrame, answer: str, baseline: str) -> pd.DataFrame:
    """The cells of a method.

    Args:
        results: the long results table, with the column `n_gold`.
        answer: the method that is judged.
        baseline: the method, gold alone, that width and error are relative to.

    Returns:
        a row for each cell: `replicates`, `intervals` (of how many there is one), `covered`,
        `coverage`, that `over_all` replicates, the coverage's `upper_limit`, mean `width` and
        `error`, `width_ratio` and `error_ratio` with standard errors, the replicates that these
        are of, and the baseline's coverage.
    """
    rows = _with_coverage(results[results["method"].isin([answer, baseline])])
    # A method that is its own baseline has ratios of 1.
    own, base = (rows[rows["method"] == name] for name in (answer, baseline))
    cells = _cells_of(own)
    beside = _cells_of(base)[[*CELL, "coverage", "intervals"]]
    cells = cells.merge(beside, on=CELL, how="left", suffixes=("", "_baseline"))
    # Gold alone can be without width, or error, in all replicates of a cell: 0 or nothing over 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = compare(rows, ["n_gold"], answer, baseline).replace([np.inf, -np.inf], np.nan)
    named = ["width_ratio", "width_ratio_se", "error_ratio", "error_ratio_se"]
    if ratios.empty:
        return cells.assign(**dict.fromkeys(named, np.nan), compared=0)
    ratios = ratios.rename(columns={"replicates": "compared"})
    joined = cells.merge(ratios[[*CELL, *named, "compared"]], on=CELL, how="left")
    return joined.assign(compared=joined["compared"].fillna(0).astype(int))


def _cells_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Counts and means of a method's cells, in order of appearance."""
    found = []
    for key, group in rows.groupby(CELL, sort=False):
        intervals, covered = int(group["ranged"].sum()), int(group["covered"].sum())
        found.append(
            {
                **dict(zip(CELL, key, strict=True)),
                "replicates": len(group),
                "intervals": intervals,
                "covered": covered,
                "coverage": covered / intervals if intervals else np.nan,
                "over_all": over_all(len(group), intervals, covered),
                "upper_limit": upper_limit(covered, intervals),
                "width": group.loc[group["ranged"], "width"].mean(),
                "error": (group["estimate"] - group["truth"]).abs().mean(),
                "truth": group["truth"].mean(),
            }
        )
    return pd.DataFrame(found)


def pooled_coverage(results: pd.DataFrame, answer: str, by: Sequence[str]) -> pd.DataFrame:
    """A method's coverage over all its intervals in each group of cells.

    Metrics of a replicate share its data, so that the standard error is one of replicates.

    Args:
        answer: the method.
        by: columns that make the groups, such as `n_gold`.

    Returns:
        a row for each group: `replicates`, `intervals`, `covered`, `coverage`, `coverage_se`, and
        the coverage `over_all` replicates.
    """
    rows = _with_coverage(results[results["method"] == answer])
    found = []
    for key, group in rows.groupby(list(by), sort=False):
        counts = group.groupby(["experiment", "replicate"])[["ranged", "covered"]].sum()
        intervals, covered = int(counts["ranged"].sum()), int(counts["covered"].sum())
        coverage = covered / intervals if intervals else np.nan
        apart = (counts["covered"] - coverage * counts["ranged"]).to_numpy(dtype=float)
        error = standard_error(apart) * len(apart) / intervals if intervals else np.nan
        found.append(
            {
                **dict(zip(by, key, strict=True)),
                "replicates": len(group),
                "intervals": intervals,
                "covered": covered,
                "coverage": coverage,
                "coverage_se": error,
                "over_all": over_all(len(group), intervals, covered),
            }
        )
    return pd.DataFrame(found)


def mean_ratios(cells: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Means over cells of width and error relative to gold alone, every cell with equal weight.

    Cells of a world share their data: their errors are taken for one and the same, those of
    different worlds for independent.

    Args:
        cells: of `answer_cells`.
        by: columns that make the groups.

    Returns:
        a row for each group: `cells`, `width_ratio` and `error_ratio` with standard errors.
    """
    found = []
    for key, group in cells.dropna(subset=["width_ratio"]).groupby(list(by), sort=False):
        row = {**dict(zip(by, key, strict=True)), "cells": len(group)}
        for name in ("width_ratio", "error_ratio"):
            sums = group.groupby("experiment")[f"{name}_se"].sum()
            row |= {
                name: group[name].mean(),
                f"{name}_se": float(np.sqrt((sums**2).sum())) / len(group),
            }
        found.append(row)
    return pd.DataFrame(found, columns=[*by, "cells", *_RATIOS])


_RATIOS = ["width_ratio", "width_ratio_se", "error_ratio", "error_ratio_se"]


def split_again(
    results: pd.DataFrame, again: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The replicates that were drawn first, and those of cells that were judged again.

    Args:
        again: experiment that repeats cells with more replicates -> the world whose cells they are.

    Returns:
        both tables, the second under the names of the worlds.
    """
    repeated = results["experiment"].isin(list(again))
    more = results[repeated]
    return results[~repeated], more.assign(experiment=more["experiment"].map(dict(again)))
