"""Labels of designed samples as a share of those of a random sample, and coverage, by metric."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.evaluation.summaries import standard_error
from crowdgold.plotting.plot import require
from crowdgold.studies.gold_designs.check import COLUMNS, DESIGNS, FEWEST, RANDOM, RIGHT

OF_WIDTHS = {"share": "width", "population_share": "population_width"}
"""Share of labels for intervals of equal width -> the width."""
SHARES = [
    f"{name}{error}" for name in (*OF_WIDTHS, "error_share") for error in ("", "_se")
]  # fmt: skip
BY = ["experiment", "positive", "metric", "prediction"]


def _with_settings(table: pd.DataFrame) -> pd.DataFrame:
    """The table with `positive`, the mean share of positive items of each setting, rounded.

    Metrics are without their thresholds, which are on scales of their own in each study.
    """
    axes = [name for name in table.columns if name.startswith("study.")]
    keys = ["experiment", *axes]
    shares = table[table["metric"] == "prevalence"].groupby(keys, dropna=False)["truth"].mean()
    found = shares.rename("positive").round(3).reset_index()
    named = table.assign(metric=table["metric"].str.partition("@")[0])
    return named.merge(found, on=keys, how="left")


def samples(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """All samples of several experiments in one table."""
    return _with_settings(pd.concat(list(tables.values()), ignore_index=True))


def _ratio(own: pd.DataFrame, design: str, values: str) -> tuple[float, float]:
    """The ratio of means of a column to a random sample's, and its standard error."""
    wide = own.pivot_table(index="replicate", columns="design", values=values)
    if not {RANDOM, design} <= set(wide):
        return np.nan, np.nan
    pairs = wide[[RANDOM, design]].dropna().to_numpy()
    if not pairs[:, 0].mean() > 0:
        return np.nan, np.nan
    ratio = pairs[:, 1].mean() / pairs[:, 0].mean()
    spread = (pairs[:, 1] - ratio * pairs[:, 0]).std(ddof=1) / pairs[:, 0].mean()
    return ratio, spread / np.sqrt(len(pairs))


def _squared(ratio: float, error: float) -> tuple[float, float]:
    """The square of a ratio, and its standard error."""
    return ratio**2, 2 * ratio * error


def shares(table: pd.DataFrame) -> pd.DataFrame:
    """How many labels each design needs for the same width, as a share of random ones.

    Args:
        table: what the check `gold_designs` gives, of several experiments.

    Returns:
        a row for each setting, metric, prediction and design: `share`, the squared ratio of the
        mean widths, `population_share`, that of intervals about the population, and `error_share`,
        the ratio of the mean squared errors, with the standard errors of these ratios of paired
        means, and `coverage`, of all replicates: one without an interval does not hold the truth.
    """
    require(table, ["experiment", "replicate", *COLUMNS])
    table = table.assign(
        width=table["upper"] - table["lower"], squared=(table["estimate"] - table["truth"]) ** 2
    )
    rows = []
    for key, own in _with_settings(table).groupby(BY, sort=False):
        inside = (own["lower"] <= own["truth"]) & (own["truth"] <= own["upper"])
        for design in (RANDOM, *DESIGNS):
            chosen = own["design"] == design
            if not chosen.any():
                continue
            covered = inside[chosen].mean() if design != FEWEST else np.nan
            found = [_squared(*_ratio(own, design, width)) for width in OF_WIDTHS.values()]
            if design == FEWEST:
                least = own.loc[chosen, "estimate"].to_numpy(float)
                found[0] = float(least.mean()), standard_error(least)
            numbers = [*found, _ratio(own, design, "squared")]
            rows.append((*key, design, *sum(numbers, ()), covered, int(chosen.sum())))
    names = [*BY, "design", *SHARES, "coverage", "replicates"]
    return pd.DataFrame(rows, columns=names).fillna(dict.fromkeys(SHARES[1::2], 0.0))


def of_right(found: pd.DataFrame) -> pd.DataFrame:
    """The rows of the method's own prediction."""
    return found[found["prediction"] == RIGHT]
