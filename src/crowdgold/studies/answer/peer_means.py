"""Means by ppi_py on the same samples: prevalence and accuracy from the shares of positive votes.

ppi_py (Angelopoulos et al., 2023) corrects a prediction of each item's own value by the gold items.
For the prevalence the value is the label and the prediction the share of positive votes; for the
accuracy at a threshold it is whether the label is on the score's side, and the share of votes that
are. It takes the population for endless.
"""

import importlib.util

import numpy as np

from crowdgold.data import NO_GOLD, Items
from crowdgold.metrics import Asked, parse_metric

PEER = "ppi_py"
MEANS = ("prevalence", "accuracy")


def is_installed() -> bool:
    """Whether the package is there."""
    return importlib.util.find_spec(PEER) is not None


def is_mean(metric: str) -> bool:
    """Whether a metric is a mean over items, which ppi_py can estimate."""
    return parse_metric(metric).name in MEANS


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


def _values(items: Items, metric: Asked) -> tuple[np.ndarray, np.ndarray]:
    """Each item's own value, where there is gold, and its prediction: (n,) each."""
    label, share = items.gold.astype(float), items.votes_positive / items.votes_total
    if metric.name == "prevalence":
        return label, share
    (predictor,) = metric.predictors(items)
    flagged = items.scores[predictor] >= metric.threshold
    return np.where(flagged, label, 1 - label), np.where(flagged, share, 1 - share)
