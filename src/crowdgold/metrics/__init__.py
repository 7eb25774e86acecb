"""Metrics as functionals of label mass over ranked items."""

from crowdgold.metrics.binary import METRICS, label_of, parse_metric, true_value
from crowdgold.metrics.metric import (
    Asked,
    At,
    LabelMass,
    Metric,
    RankedItems,
    Scale,
    Words,
    delete_one,
)

__all__ = [
    "METRICS", "Asked", "At", "LabelMass", "Metric", "RankedItems", "Scale", "Words", "delete_one",
    "label_of", "parse_metric", "true_value",
]  # fmt: skip
