"""Tables that the bars of experts who err are judged on (`claims.yaml`)."""

import numpy as np
import pandas as pd

from crowdgold.documents.cells import Cells, Tables, cells_of
from crowdgold.evaluation.summaries import share_error, standard_error
from crowdgold.studies.experts.check import CORRECTED, FREE

POOLED = ("prevalence", "TPR_H", "AUC")
"""Metrics whose coverage is pooled."""


def _of(tables: Tables, second: str, experts: list[str], reading: str) -> pd.DataFrame:
    """The rows of a reading in some settings, with each interval's width and whether it holds."""
    found = pd.concat(list(tables.values()), ignore_index=True)
    chosen = found["second"].eq(second) & found["experts"].isin(experts)
    own = found[chosen & found["reading"].eq(reading)]
    inside = (own["lower"] <= own["truth"]) & (own["truth"] <= own["upper"])
    name = own["metric"].str.partition("@")[0]
    return own.assign(metric=name, inside=inside, width=own["upper"] - own["lower"])


def pooled_coverage(tables: Tables, second: str, experts: list[str]) -> Cells:
    """Coverage of the corrected intervals over `POOLED`, a cell for each kind of experts.

    Intervals that are missing are left out. A study is one value, since its metrics go together.
    """
    rows = _of(tables, second, experts, CORRECTED)
    rows = rows[rows["metric"].isin(POOLED) & np.isfinite(rows["width"])]
    studies = rows.groupby(["experts", "replicate"], sort=False)["inside"].mean()
    by_kind = studies.groupby("experts", sort=False)
    return cells_of(
        "coverage", [*by_kind.groups], by_kind.mean(), by_kind.apply(standard_error), None,
        by_kind.size().to_numpy(),
    )  # fmt: skip


def coverage(tables: Tables, second: str, experts: list[str]) -> Cells:
    """Coverage of the corrected intervals, a cell for each kind of experts and metric."""
    rows = _of(tables, second, experts, CORRECTED)
    known = rows[np.isfinite(rows["width"])].groupby(["experts", "metric"], sort=False)["inside"]
    found = known.agg(["mean", "size"])
    errors = [share_error(*pair) for pair in found.itertuples(index=False)]
    kinds, metrics = map(list, zip(*found.index, strict=True))
    return cells_of("coverage", kinds, found["mean"], errors, metrics, found["size"].to_numpy())


def widths(tables: Tables, second: str, experts: list[str]) -> Cells:
    """Mean width over that of error-free gold, a cell for each kind of experts and metric."""
    keys = ["experts", "metric", "replicate"]
    corrected, free = (
        _of(tables, second, experts, reading).set_index(keys)["width"]
        for reading in (CORRECTED, FREE)
    )
    pairs = pd.DataFrame({"corrected": corrected, "free": free}).dropna()
    rows = []
    for (kind, metric), own in pairs.groupby(["experts", "metric"], sort=False):
        ratio = own["corrected"].mean() / own["free"].mean()
        error = standard_error((own["corrected"] - ratio * own["free"]).to_numpy())
        rows.append((kind, metric, ratio, error / own["free"].mean(), len(own)))
    kinds, metrics, ratios, errors, sizes = map(list, zip(*rows, strict=True))
    return cells_of("width over error-free", kinds, ratios, errors, metrics, np.array(sizes))
