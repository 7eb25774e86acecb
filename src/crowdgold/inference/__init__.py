"""One engine: from what a method gave, a table, metrics, target and level to estimates."""

from crowdgold.inference.estimate import Estimate
from crowdgold.inference.labels import evaluate

__all__ = ["Estimate", "evaluate"]
