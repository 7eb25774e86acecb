"""Claims on metrics of judgement distributions that need code of their own (`claims.yaml`)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.verdicts import FAILS, HOLDS, NOT_CLEAR, NOT_CONTRADICTED, Judgement

Tables = Mapping[str, pd.DataFrame]
SETTING = ["classes", "alpha", "beta"]


def table_2(table: pd.DataFrame, printed: Mapping[str, Any]) -> pd.DataFrame:
    """The printed numbers with our rows beside them: `printed`, `z` and whether `inside`.

    `z` is how many standard errors of a correlation of so many pairs the printed number is away
    from the expected one, less half a unit of rounding; `inside` says whether it is in the band.
    """
    pairs = list(dict.fromkeys(table["pair"]))
    known = pd.DataFrame(
        [
            {**{name: float(one[name]) for name in SETTING}, "pair": pair, "printed": value}
            for one in printed["rows"]
            for pair, value in zip(pairs, one["values"], strict=True)
        ]
    )
    ours = table.astype(dict.fromkeys(SETTING, float))
    joined = known.merge(ours, on=[*SETTING, "pair"])
    half = float(printed["rounding"]) / 2
    nearest = joined["expected"].clip(joined["printed"] - half, joined["printed"] + half)
    away = np.arctanh(nearest) - np.arctanh(joined["expected"])
    inside = (nearest >= joined["low"]) & (nearest <= joined["high"])
    return joined.assign(z=away * np.sqrt(float(printed["matrices"]) - 3), inside=inside)


def inside_the_band(tables: Tables, printed_table: Mapping[str, Any]) -> Judgement:
    """Whether all printed correlations are what a draw of so many matrices can give."""
    rows = table_2(tables["soft_metric_correlations"], printed_table)
    worst, inside = rows.iloc[int(rows["z"].abs().argmax())], int(rows["inside"].sum())
    ours = (
        f"{inside} of {len(rows)} within the band; {(rows['z'].abs() < 1.96).sum()} within the "
        f"95 % one; farthest {worst['pair']} at K {worst['classes']:g}, alpha {worst['alpha']:g}, "
        f"beta {worst['beta']:g}: printed {worst['printed']:.2f}, expected {worst['expected']:.3f}"
    )
    return Judgement(ours, NOT_CONTRADICTED if inside == len(rows) else FAILS)


def found_again(tables: Tables, correlation: float) -> Judgement:
    """Whether a study as large would find a metric of such a correlation significant."""
    table = tables["metric_study"]
    near = table[(table["correlation"] - correlation).abs() < 0.051].sort_values("instance_sd")
    if near.empty:
        return Judgement("no metric of such a correlation", NOT_CLEAR)
    shares = ", ".join(
        f"{row['significant']:.0%} (instance effects of sd {row['instance_sd']:g})"
        for row in near.to_dict("records")
    )
    one = near.iloc[0]
    ours = (
        f"a metric whose true correlation is {one['correlation']:g} is significant in {shares} "
        f"of studies; 95 % of them find {one['lower']:.2f} to {one['upper']:.2f}, and over "
        f"{one['methods']:.0f} methods the interval is {one['fisher_low']:.2f} to "
        f"{one['fisher_high']:.2f}"
    )
    return Judgement(ours, HOLDS if near["significant"].max() > 0.8 else NOT_CLEAR)


def told_apart(tables: Tables, compared: Mapping[str, float]) -> Judgement:
    """Whether studies order two metrics as near to each other as the printed ones."""
    table, low, high = tables["metric_study"], *sorted(compared.values())
    near = table["correlation"].between(low, high + 0.051)
    shares = table.loc[near, "ranked_right"].dropna()
    if shares.empty:
        return Judgement("no metrics as near to each other", NOT_CLEAR)
    ours = (
        f"metrics a tenth apart come out in their order in {shares.min():.0%} to {shares.max():.0%}"
        " of studies"
    )
    return Judgement(ours, HOLDS if shares.min() > 0.95 else NOT_CLEAR)
