"""Metrics as functionals of label mass over ranked items."""

from crowdgold.metrics.binary import METRICS, Metric, parse_metric, true_value
from crowdgold.metrics.ranked import LabelMass, RankedItems

__all__ = ["METRICS", "LabelMass", "Metric", "RankedItems", "parse_metric", "true_value"]
