"""From fits to estimates of metrics, and from many estimates to bias, width and coverage."""

from crowdgold.evaluation.estimate import Estimate
from crowdgold.evaluation.imputation import evaluate, label_probabilities
from crowdgold.evaluation.rank_uniformity import check_uniformity
from crowdgold.evaluation.ratios import average_over_settings, compare, relative_to
from crowdgold.evaluation.summaries import check_coverage, summarise

__all__ = [
    "Estimate",
    "average_over_settings",
    "check_coverage",
    "check_uniformity",
    "compare",
    "evaluate",
    "label_probabilities",
    "relative_to",
    "summarise",
]
