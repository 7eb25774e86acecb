"""Labels of designed samples as a share of those of a random sample, and coverage, by metric."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.evaluation.summaries import standard_error
from crowdgold.plotting.plot import require
from crowdgold.studies.gold_designs.check import DESIGNS, FEWEST, RANDOM, RIGHT

COLUMNS = ["design", "prediction", "metric", "truth", "estimate", "lower", "upper", "replicate"]
SHARES = ["share", "share_se", "error_share", "error_share_se"]
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


def shares(table: pd.DataFrame) -> pd.DataFrame:
    """How many labels each design needs for the same width, as a share of random ones.

    Args:
        table: what the check `gold_designs` gives, of several experiments.

    Returns:
        a row for each setting, metric, prediction and design: `share`, the squared ratio of the
        mean widths, and `error_share`, the ratio of the mean squared errors, with the standard
        errors of these ratios of paired means, and `coverage`, of all replicates: one without an
        interval does not hold the truth.
    """
    require(table, ["experiment", *COLUMNS])
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
            wide, error = _ratio(own, design, "width")
            found = wide**2, 2 * wide * error
            if design == FEWEST:
                least = own.loc[chosen, "estimate"].to_numpy(float)
                found = float(least.mean()), standard_error(least)
            by_error = _ratio(own, design, "squared")
            rows.append((*key, design, *found, *by_error, covered, int(chosen.sum())))
    names = [*BY, "design", *SHARES, "coverage", "replicates"]
    return pd.DataFrame(rows, columns=names).fillna({"share_se": 0.0, "error_share_se": 0.0})


def of_right(found: pd.DataFrame) -> pd.DataFrame:
    """The rows of the method's own prediction."""
    return found[found["prediction"] == RIGHT]
