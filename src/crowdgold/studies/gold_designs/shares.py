"""Labels of designed samples as a share of those of a random sample, and coverage, by metric."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.evaluation.summaries import standard_error
from crowdgold.plotting.plot import require
from crowdgold.studies.gold_designs.check import DESIGNS, FEWEST, RANDOM, RIGHT

COLUMNS = ["design", "prediction", "metric", "truth", "estimate", "lower", "upper", "replicate"]
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


def _ratio(own: pd.DataFrame, design: str) -> tuple[float, float]:
    """The squared ratio of mean widths to a random sample's, and its standard error."""
    width = own.assign(width=own["upper"] - own["lower"])
    wide = width.pivot_table(index="replicate", columns="design", values="width")
    if not {RANDOM, design} <= set(wide):
        return np.nan, np.nan
    pairs = wide[[RANDOM, design]].dropna().to_numpy()
    ratio = pairs[:, 1].mean() / pairs[:, 0].mean()
    spread = (pairs[:, 1] - ratio * pairs[:, 0]).std(ddof=1) / pairs[:, 0].mean()
    return ratio**2, 2 * ratio * spread / np.sqrt(len(pairs))


def shares(table: pd.DataFrame) -> pd.DataFrame:
    """How many labels each design needs for the same width, as a share of random ones.

    Args:
        table: what the check `gold_designs` gives, of several experiments.

    Returns:
        a row for each setting, metric, prediction and design: `share`, the squared ratio of the
        mean widths, with the standard error of its ratio of paired means, and `coverage`, of all
        replicates: one without an interval does not hold the truth.
    """
    require(table, ["experiment", *COLUMNS])
    rows = []
    for key, own in _with_settings(table).groupby(BY, sort=False):
        inside = (own["lower"] <= own["truth"]) & (own["truth"] <= own["upper"])
        for design in (RANDOM, *DESIGNS):
            chosen = own["design"] == design
            if not chosen.any():
                continue
            covered = inside[chosen].mean() if design != FEWEST else np.nan
            found = _ratio(own, design)
            if design == FEWEST:
                least = own.loc[chosen, "estimate"].to_numpy(float)
                found = float(least.mean()), standard_error(least)
            rows.append((*key, design, *found, covered, int(chosen.sum())))
    names = [*BY, "design", "share", "share_se", "coverage", "replicates"]
    return pd.DataFrame(rows, columns=names).fillna({"share_se": 0.0})


def of_right(found: pd.DataFrame) -> pd.DataFrame:
    """The rows of the method's own prediction."""
    return found[found["prediction"] == RIGHT]
