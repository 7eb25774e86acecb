"""Claims on metrics of judgement distributions that need code of their own (`claims.yaml`)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.claims.cells import Cells, Tables, cells_of
from crowdgold.claims.verdicts import FAILS, HOLDS, Judgement
from crowdgold.experiment.summaries import share_error

SETTING = ["classes", "alpha", "beta"]
KEYS = [*SETTING, "pair"]
NEAREST = 0.051
"""Half of the step between the study's correlations, 0.1, with room for rounding."""


def printed_values(table: pd.DataFrame, printed: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """What the paper prints, a row for each setting and pair of metrics of the table."""
    pairs = list(dict.fromkeys(table["pair"]))
    rows = [
        {**{name: one[name] for name in SETTING}, "pair": pair, "printed": value}
        for one in printed
        for pair, value in zip(pairs, one["values"], strict=True)
    ]
    known = pd.DataFrame(rows, columns=[*KEYS, "printed"])
    return known.astype(dict.fromkeys(SETTING, float))


def table_2(table: pd.DataFrame, printed: Mapping[str, Any]) -> pd.DataFrame:
    """The printed numbers with our rows beside them: `printed`, `z` and whether `inside`.

    `z` is how many standard errors of a correlation of so many pairs the printed number is away
    from the expected one, less half a unit of rounding; `inside` says whether it is in the band.
    """
    known = printed_values(table, printed["rows"])
    joined = known.merge(table.astype(known.dtypes[SETTING]), on=KEYS)
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
    drawn = f"{printed_table['matrices']} matrices"
    return Judgement(ours, HOLDS if inside == len(rows) else FAILS, "", drawn)


def significant_again(tables: Tables, correlation: float) -> Cells:
    """The share of studies as large in which a metric of this correlation is significant."""
    table = tables["metric_study"]
    near = table[(table["correlation"] - correlation).abs() < NEAREST].sort_values("instance_sd")
    if near.empty:
        return cells_of("no metric of such a correlation", [], [])
    one = near.iloc[0]
    title = (
        f"a metric whose true correlation is {one['correlation']:g}: 95 % of studies find "
        f"{one['lower']:.2f} to {one['upper']:.2f}, and over {one['methods']:.0f} methods the "
        f"interval is {one['fisher_low']:.2f} to {one['fisher_high']:.2f}; significant in"
    )
    return _shares(near, "significant", title)


def ranked_in_order(tables: Tables, compared: Mapping[str, float]) -> Cells:
    """The share of studies that rank two metrics as near as the printed ones in the right order."""
    table, low, high = tables["metric_study"], *sorted(compared.values())
    near = table[table["correlation"].between(low, high + NEAREST)].dropna(subset="ranked_right")
    return _shares(near, "ranked_right", "metrics a tenth apart come out in their order in")


def _shares(rows: pd.DataFrame, column: str, title: str) -> Cells:
    """Shares of studies, with their errors."""
    names = [f"instance effects of sd {sd:g}" for sd in rows["instance_sd"]]
    places = [f"r = {r:g}" for r in rows["correlation"]]
    pairs = zip(rows[column], rows["studies"], strict=True)
    errors = [share_error(float(share), int(size)) for share, size in pairs]
    return cells_of(title, names, rows[column], errors, places, rows["studies"])
