"""Tables that the bars of designed samples are judged on (`claims.yaml`)."""

import numpy as np
import pandas as pd

from crowdgold.documents.cells import Cells, Tables, cells_of
from crowdgold.evaluation.summaries import share_error, standard_error
from crowdgold.studies.gold_designs.shares import of_right, shares

MAIN = "gold_designs"
"""The experiment whose process the estimator was tuned on."""
KEYS = ("experiment", "replicate")


def _all(tables: Tables) -> pd.DataFrame:
    return shares(pd.concat(list(tables.values()), ignore_index=True))


def shares_at(tables: Tables, design: str, positive: float, metrics: list[str]) -> Cells:
    """Shares of random labels that a design needs in the main experiment, a cell a metric."""
    found = of_right(_all(tables))
    chosen = found["experiment"].eq(MAIN) & found["design"].eq(design)
    chosen &= found["metric"].isin(metrics) & np.isclose(found["positive"], positive, atol=0.005)
    rows = found[chosen]
    return cells_of(
        "share of random labels", rows["metric"].tolist(), rows["share"], rows["share_se"],
        None, rows["replicates"].to_numpy(),
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
    found = pd.concat(list(tables.values()), ignore_index=True)
    chosen = found["experiment"].eq(MAIN) if tuned else found["experiment"].ne(MAIN)
    rows = found[chosen & found["design"].eq(design) & found["prediction"].eq(prediction)]
    inside = (rows["lower"] <= rows["truth"]) & (rows["truth"] <= rows["upper"])
    if pooled:
        # Metrics of one sample go together: a sample is one value.
        axes = [one for one in rows if one in KEYS or str(one).startswith("study.")]
        own = inside.groupby([rows[one] for one in axes], dropna=False).mean().to_numpy()
        error = standard_error(own)
        return cells_of("coverage of all metrics", [""], [own.mean()], [error], None, len(own))
    metric = rows["metric"].str.partition("@")[0]
    share = inside.groupby(metric, sort=False).agg(["mean", "size"])
    errors = [share_error(*pair) for pair in share.itertuples(index=False)]
    names = share.index.tolist()
    at, sizes = [""] * len(names), share["size"].to_numpy()
    return cells_of("coverage", at, share["mean"], errors, names, sizes)
