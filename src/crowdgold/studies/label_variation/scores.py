"""Predicted judgements scored by every metric, and the mean that hyperparameters are chosen by."""

import warnings
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from crowdgold.metrics.judgements import UndefinedMetricWarning
from crowdgold.metrics.soft import MULTICLASS
from crowdgold.metrics.soft_multilabel import MULTILABEL

SAME = {"accuracy": "micro F1", "soft accuracy": "soft micro F1"}
"""What tables and figures call a metric where an item has one class -> the general name."""
LEFT_OUT = ("macro F1", "soft macro F1")
"""Metrics that the choice of hyperparameters leaves out (HLV, section 5.1)."""
CORRELATION = "entropy correlation"


class Score(NamedTuple):
    """A metric's value, NaN where it is undefined, and why."""

    value: float
    note: str


def score(true: np.ndarray, predicted: np.ndarray, multilabel: bool) -> dict[str, Score]:
    """Score predictions Q by every metric, under the general names of `SAME`.

    Args:
        true, predicted: (N, K) P and Q.
        multilabel: whether an item may have several classes.
    """
    found = {}
    for name, metric in (MULTILABEL if multilabel else MULTICLASS).items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UndefinedMetricWarning)
            value = metric(true, predicted)
        found[SAME.get(name, name)] = Score(value, "; ".join(str(one.message) for one in caught))
    return found


def geometric_mean(scores: Mapping[str, Score]) -> float:
    """The geometric mean of the metrics but the macro F1s, the correlation as (1 + r) / 2.

    An undefined correlation counts as 0: predictions that never vary are not chosen.
    """
    values = {name: one.value for name, one in scores.items() if name not in LEFT_OUT}
    correlation = values[CORRELATION]
    values[CORRELATION] = 0.0 if np.isnan(correlation) else (1 + correlation) / 2
    return float(np.prod(list(values.values())) ** (1 / len(values)))
