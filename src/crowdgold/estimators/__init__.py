"""The methods, one module each, and their registry by the papers' short names."""

from crowdgold.estimators.fitting import fit, method_named
from crowdgold.estimators.method import Method
from crowdgold.estimators.registry import METHODS
from crowdgold.inference.annotated_labels import (
    AgentDraws,
    ConfusionPosterior,
    JudgedRate,
    LevelPosterior,
)
from crowdgold.inference.labels import (
    NO_LABEL,
    Fit,
    FixedLabels,
    LabelPosterior,
    LabelPrediction,
    MeanPrediction,
    ProbableLabels,
)

__all__ = [
    "METHODS",
    "NO_LABEL",
    "AgentDraws",
    "ConfusionPosterior",
    "Fit",
    "FixedLabels",
    "JudgedRate",
    "LabelPosterior",
    "LabelPrediction",
    "LevelPosterior",
    "MeanPrediction",
    "Method",
    "ProbableLabels",
    "fit",
    "method_named",
]
