"""The methods, one module each, and their registry by the papers' short names."""

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
from crowdgold.methods.fitting import fit, method_named
from crowdgold.methods.method import Method
from crowdgold.methods.registry import METHODS

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
