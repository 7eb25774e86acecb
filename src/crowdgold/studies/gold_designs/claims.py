"""Tables that the bars of designed samples are judged on (`claims.yaml`)."""

import numpy as np
import pandas as pd

from crowdgold.documents.cells import Cells, Tables, cells_of
from crowdgold.evaluation.summaries import share_error
from crowdgold.studies.gold_designs.check import FEWEST
from crowdgold.studies.gold_designs.shares import of_right, shares

MAIN = "gold_designs"
"""The experiment whose process the estimator was tuned on."""


def _all(tables: Tables) -> pd.DataFrame:
    return shares(pd.concat(list(tables.values()), ignore_index=True))


def shares_at(tables: Tables, design: str, positive: float, metrics: list[str]) -> Cells:
    """Shares of random labels that a design needs in the main experiment, a cell a metric."""
    found = of_right(_all(tables))
    chosen = found["experiment"].eq(MAIN) & found["design"].eq(design)
    chosen &= found["metric"].isin(metrics) & np.isclose(found["positive"], positive, atol=0.005)
    rows = found[chosen]
    return cells_of(
        "share of random labels", [""] * len(rows), rows["share"], rows["share_se"],
        rows["metric"].tolist(), rows["replicates"].to_numpy(),
    )  # fmt: skip


def coverage(
    tables: Tables, design: str, prediction: str, tuned: bool, pooled: bool = False
) -> Cells:
    """Coverage of a design's intervals by metric, over all settings, or over all metrics too.

    Args:
        tables: of the experiments.
        design: the design.
        prediction: what the labels correct.
        tuned: whether of the main experiment, or of all others.
        pooled: whether over all metrics.
    """
    found = _all(tables)
    chosen = found["experiment"].eq(MAIN) if tuned else found["experiment"].ne(MAIN)
    rows = found[chosen & found["design"].eq(design) & found["prediction"].eq(prediction)]
    held = (rows["coverage"] * rows["replicates"]).groupby(rows["metric"], sort=False).sum()
    number = rows["replicates"].groupby(rows["metric"], sort=False).sum()
    share = (held / number).to_numpy()
    error = [share_error(one, size) for one, size in zip(share, number, strict=True)]
    if not pooled:
        return cells_of("coverage", [""] * len(held), share, error, held.index.tolist(), number)
    # Metrics of one sample go together: each replicate counts once for the error.
    whole = held.sum() / number.sum()
    once = share_error(whole, int(number.max()))
    return cells_of("coverage of all metrics", [""], [whole], [once], None, [number.max()])


def bound(tables: Tables, positive: float, metrics: list[str]) -> Cells:
    """The fewest labels that could do, as shares of random ones."""
    return shares_at(tables, FEWEST, positive, metrics)
