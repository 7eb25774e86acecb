"""Peers on an experiment's own samples (prevalence, accuracy), and the error of the truth in them.

Both are of the same samples that the methods see. Peers are asked where these are simple random
samples. A value of each item has its mean estimated: for the prevalence the label, for the accuracy
at a threshold whether the label is on the score's side. A peer sees the values of gold items, and a
prediction of each item's value: the share of positive votes, or of votes on the score's side.

- Wilson's interval is of gold alone, as scipy has it.
- ppi_py (Angelopoulos et al., 2023), glide and truescore correct the prediction by the gold items,
  with a weight that is tuned (PPI++). They take the population for endless.
"""

import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from crowdgold.data import NO_GOLD, Items
from crowdgold.experiments.data_tables import DataTable
from crowdgold.experiments.settings import parse_setting
from crowdgold.experiments.truths import true_values
from crowdgold.methods.method import OF_MEANS
from crowdgold.metrics import Asked, parse_metric

Interval = tuple[float, float, float]
"""An estimate and the ends of its interval."""


def _wilson(value: np.ndarray, predicted: np.ndarray, known: np.ndarray, level: float) -> Interval:
    found = binomtest(int(value[known].sum()), int(known.sum())).proportion_ci(level, "wilson")
    return float(value[known].mean()), float(found.low), float(found.high)


def _ppi_py(value: np.ndarray, predicted: np.ndarray, known: np.ndarray, level: float) -> Interval:
    import ppi_py  # type: ignore[import-untyped]

    data = value[known], predicted[known], predicted[~known]
    centre = float(np.squeeze(ppi_py.ppi_mean_pointestimate(*data)))
    lower, upper = ppi_py.ppi_mean_ci(*data, alpha=1 - level)
    return centre, float(np.squeeze(lower)), float(np.squeeze(upper))


def _glide(value: np.ndarray, predicted: np.ndarray, known: np.ndarray, level: float) -> Interval:
    from glide.estimators import PPIMeanEstimator  # type: ignore[import-not-found]

    seen = np.where(known, value, np.nan)
    found = PPIMeanEstimator().estimate(seen, predicted, confidence_level=level)
    one = found.confidence_interval
    return float(one.mean), float(one.lower_bound), float(one.upper_bound)


def _truescore(
    value: np.ndarray, predicted: np.ndarray, known: np.ndarray, level: float
) -> Interval:
    from truescore import correct  # type: ignore[import-not-found]

    rows = np.flatnonzero(known)
    found = correct.ppi_estimate(predicted, value[rows], rows, alpha=1 - level)
    return found.point, found.low, found.high


Peer = Callable[[np.ndarray, np.ndarray, np.ndarray, float], Interval]
PEERS: Mapping[str, tuple[str, Peer]] = MappingProxyType(
    {
        "Wilson": ("scipy", _wilson),
        "ppi_py": ("ppi_py", _ppi_py),
        "glide": ("glide", _glide),
        "truescore": ("truescore", _truescore),
    }
)
"""Name -> the package that it needs, and (value, predicted, gold or not, level) -> an interval."""


def installed() -> list[str]:
    """The peers whose package is there."""
    return [name for name, (package, _) in PEERS.items() if importlib.util.find_spec(package)]


def is_mean(metric: str) -> bool:
    """Whether a metric is a mean over items, which peers can estimate."""
    return parse_metric(metric).name in OF_MEANS


def peer_interval(items: Items, metric: str, level: float, peer: str) -> Interval:
    """Estimate and interval of a mean by a peer; NaN where it gives none.

    Args:
        items: the table; its gold items a simple random sample.
        metric: one of which `is_mean` is true.
        level: of the interval.
        peer: one of `PEERS` that is installed.
    """
    known = items.gold != NO_GOLD
    if known.sum() < 2 or known.all():
        return np.nan, np.nan, np.nan
    try:
        with np.errstate(all="ignore"):
            found = PEERS[peer][1](*_values(items, parse_metric(metric)), known, level)
    except ValueError:  # how glide refuses gold labels that are all alike
        return np.nan, np.nan, np.nan
    return found if np.isfinite(found).all() else (np.nan, np.nan, np.nan)


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
    """Estimates by the peers that are installed, and the population's metrics.

    Args:
        files: (experiment, data table) of all blocks.
        metrics: experiment -> its metrics.

    Returns:
        rows as of the results table; and for each experiment, number of gold labels and metric the
        truth with its Monte Carlo error, where it is a population's.
    """
    rows, truths = [], {}
    peers = installed()
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
            for metric, peer in product(means, peers):
                found = peer_interval(drawn.table, metric, level, peer)
                rows.append(
                    (experiment, n_gold, replicate, peer, metric, known[metric, ""], *found)
                )
    named = [(*key, *value) for key, value in truths.items()]
    return pd.DataFrame(rows, columns=ROWS), pd.DataFrame(named, columns=TRUTHS)
