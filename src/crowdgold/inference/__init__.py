"""One engine: from what a method gave, a table, metrics, target and level to estimates."""

from crowdgold.inference.engine import evaluate
from crowdgold.inference.estimate import Estimate

__all__ = ["Estimate", "evaluate"]
