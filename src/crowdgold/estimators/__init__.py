"""The methods, one module each, and their registry by the papers' short names."""

from crowdgold.estimators.method import Method
from crowdgold.estimators.posterior import (
    NO_LABEL,
    AgentDraws,
    ConfusionPosterior,
    Fit,
    FixedLabels,
    LabelPosterior,
    LabelPrediction,
    LevelPosterior,
    MeanPrediction,
)
from crowdgold.estimators.registry import METHODS, fit

__all__ = [
    "METHODS",
    "NO_LABEL",
    "AgentDraws",
    "ConfusionPosterior",
    "Fit",
    "FixedLabels",
    "LabelPosterior",
    "LabelPrediction",
    "LevelPosterior",
    "MeanPrediction",
    "Method",
    "fit",
]
