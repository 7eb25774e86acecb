"""Peers on an experiment's own samples (prevalence, accuracy), and the error of the truth in them.

Both are of the same samples that the methods see, where these are simple random samples.

Gold alone by Wilson's interval, as scipy has it: of the share of gold items.

Means by ppi_py: prevalence and accuracy from the shares of positive votes.

ppi_py (Angelopoulos et al., 2023) corrects a prediction of each item's own value by the gold items.
For the prevalence the value is the label and the prediction the share of positive votes; for the
accuracy at a threshold it is whether the label is on the score's side, and the share of votes that
are. It takes the population for endless.
"""

import importlib.util
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from crowdgold.data import NO_GOLD, Items
from crowdgold.experiments.data_tables import DataTable
from crowdgold.experiments.settings import parse_setting
from crowdgold.experiments.truths import true_values
from crowdgold.methods.method import OF_MEANS
from crowdgold.metrics import Asked, parse_metric

PPI, WILSON = PEERS = ("ppi_py", "Wilson")


def is_installed() -> bool:
    """Whether ppi_py is there."""
    return importlib.util.find_spec(PPI) is not None


def is_mean(metric: str) -> bool:
    """Whether a metric is a mean over items, which ppi_py can estimate."""
    return parse_metric(metric).name in OF_MEANS


def peer_interval(items: Items, metric: str, level: float) -> tuple[float, float, float]:
    """Estimate and interval of a mean by ppi_py, its weight tuned; NaN where it gives none.

    Args:
        items: the table; its gold items a simple random sample.
        metric: one of which `is_mean` is true.
    """
    import ppi_py  # type: ignore[import-untyped]

    known = items.gold != NO_GOLD
    value, predicted = _values(items, parse_metric(metric))
    if known.sum() < 2 or known.all():
        return np.nan, np.nan, np.nan
    data = value[known], predicted[known], predicted[~known]
    with np.errstate(all="ignore"):
        centre = float(np.squeeze(ppi_py.ppi_mean_pointestimate(*data)))
        lower, upper = ppi_py.ppi_mean_ci(*data, alpha=1 - level)
    ends = float(np.squeeze(lower)), float(np.squeeze(upper))
    return (centre, *ends) if np.isfinite([centre, *ends]).all() else (np.nan, np.nan, np.nan)


def wilson_interval(items: Items, metric: str, level: float) -> tuple[float, float, float]:
    """Estimate and Wilson's interval of a mean by gold alone; arguments as of `peer_interval`."""
    from scipy.stats import binomtest

    known = items.gold != NO_GOLD
    value = _values(items, parse_metric(metric))[0][known]
    found = binomtest(int(value.sum()), len(value)).proportion_ci(level, method="wilson")
    return float(value.mean()), float(found.low), float(found.high)


def _values(items: Items, metric: Asked) -> tuple[np.ndarray, np.ndarray]:
    """Each item's own value, where there is gold, and its prediction: (n,) each."""
    label, share = items.gold.astype(float), items.votes_positive / items.votes_total
    if metric.name == "prevalence":
        return label, share
    (predictor,) = metric.predictors(items)
    flagged = items.scores[predictor] >= metric.threshold
    return np.where(flagged, label, 1 - label), np.where(flagged, share, 1 - share)


ROWS = ["experiment", "n_gold", "replicate", "method", "metric"]
ROWS += ["truth", "estimate", "lower", "upper"]
TRUTHS = ["experiment", "n_gold", "metric", "truth", "truth_se"]


def read_samples(
    files: Iterable[tuple[str, Path]], metrics: dict[str, Sequence[str]], level: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Estimates by the peers, and the population's metrics; by ppi_py where it is installed.

    Args:
        files: (experiment, data table) of all blocks.
        metrics: experiment -> its metrics.

    Returns:
        rows as of the results table; and for each experiment, number of gold labels and metric the
        truth with its Monte Carlo error, where it is a population's.
    """
    rows, truths = [], {}
    peers = {WILSON: wilson_interval} | ({PPI: peer_interval} if is_installed() else {})
    for experiment, path in files:
        table = DataTable(path)
        means = [metric for metric in metrics[experiment] if is_mean(metric)]
        for setting, replicate in table.replicates:
            drawn = table.replicate(setting, replicate)
            n_gold = parse_setting(setting)["n_gold"]
            for metric, (value, error) in drawn.population.items():
                truths[experiment, n_gold, metric] = (value, error)
            if not isinstance(drawn.table, Items) or drawn.table.draw is not None:
                continue
            known = true_values(means, drawn)
            for metric, (peer, interval) in product(means, peers.items()):
                found = interval(drawn.table, metric, level)
                rows.append(
                    (experiment, n_gold, replicate, peer, metric, known[metric, ""], *found)
                )
    named = [(*key, *value) for key, value in truths.items()]
    return pd.DataFrame(rows, columns=ROWS), pd.DataFrame(named, columns=TRUTHS)
