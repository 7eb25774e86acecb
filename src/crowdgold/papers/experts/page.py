"""Tables of docs/experts.md: coverage and width by how gold is read."""

from collections.abc import Mapping

import pandas as pd

from crowdgold.claims.cells import Tables, markdown_table, only
from crowdgold.inference.without_gold import WIDE
from crowdgold.papers.experts.experiments import CORRECTED
from crowdgold.papers.experts.plots import LOOKS, read_experts


def readings(tables: Tables) -> pd.DataFrame:
    """The table with readings in the place of methods, and metrics without their thresholds."""
    table = only(tables)
    return table.assign(method=table["reading"], metric=table["metric"].str.partition("@")[0])


BY = ("second", "experts")
"""The columns of the computation's settings."""


def readings_table(table: pd.DataFrame, second: str, value: str, words: Mapping[str, str]) -> str:
    """The table of a column of `read_experts`: a line for each kind of experts and reading."""
    found = read_experts(table, BY)
    own = found[(found["second"] == second) & found["reading"].isin(list(LOOKS))]
    metrics = list(dict.fromkeys(own["metric"]))
    rows = []
    for (kind, reading), group in own.groupby(["experts", "reading"], sort=False):
        known = group.set_index("metric")[value]
        cells = [f"{known[metric]:.2f}" for metric in metrics]
        *_, reading_words = LOOKS[str(reading)]
        rows.append([words.get(str(kind), str(kind)), reading_words, *cells])
    heads = [metric.partition("@")[0] for metric in metrics]
    return markdown_table(["experts' errors", "gold labels", *heads], rows)


def wide_table(table: pd.DataFrame, second: str, words: Mapping[str, str]) -> str:
    """The share of corrected intervals wider than `WIDE`, a line for each kind of experts."""
    own = table[(table["second"] == second) & (table["reading"] == CORRECTED)]
    own = own[own["lower"].notna() & own["upper"].notna()]
    own = own.assign(wide=own["upper"] - own["lower"] > WIDE)
    share = own.pivot_table("wide", "experts", "metric", sort=False)
    rows = [
        [words.get(str(kind), str(kind)), *(f"{one:.2f}" for one in line)]
        for kind, line in zip(share.index, share.to_numpy(), strict=True)
    ]
    return markdown_table(["experts' errors", *(str(one).partition("@")[0] for one in share)], rows)


def of_auc(table: pd.DataFrame, reading: str) -> dict[str, float]:
    """Kind of experts -> a reading's coverage of AUC, with second opinions on the rarer class.

    Experts who share errors are left out.
    """
    found = read_experts(table, BY).set_index("experts")
    chosen = found["reading"].eq(reading) & found["metric"].eq("AUC") & found["second"].eq("rarer")
    return {
        str(kind): coverage
        for kind, coverage in found.loc[chosen, "coverage"].items()
        if not str(kind).endswith("shared")
    }
