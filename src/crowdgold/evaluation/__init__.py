"""From fits to estimates of metrics, and from many estimates to bias, width and coverage."""

from crowdgold.evaluation.estimate import Estimate
from crowdgold.evaluation.imputation import evaluate, label_probabilities
from crowdgold.evaluation.rank_uniformity import check_uniformity
from crowdgold.evaluation.summaries import (
    average_over_settings,
    check_coverage,
    compare,
    summarise,
)

__all__ = [
    "Estimate",
    "average_over_settings",
    "check_coverage",
    "check_uniformity",
    "compare",
    "evaluate",
    "label_probabilities",
    "summarise",
]
