"""The exact distribution of a classifier's scores: the sigmoid of a normal (CLARA, section 7.3).

A raw score is Normal(-m, sd) on negatives and Normal(m, sd) on positives, m the separation; the
score is its sigmoid. At sd = 2 the density runs to 80 and more near 0 and 1, so that its mean over
bins is given, which is exact: the share of a bin over its width.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from scipy.special import logit, ndtr

from crowdgold.declared import Above, AtLeast, Settings
from crowdgold.experiments.check import Check

CLASSES = ("negative", "positive")


@dataclass(frozen=True, kw_only=True)
class SigmoidScoresParameters(Settings):
    """The exact distribution of the scores of negatives and positives where raw scores are
    normal and a score is the sigmoid of one (CLARA, section 7.3).
    """

    separation: Annotated[
        float,
        "The raw scores' means are this below 0 in negatives and above 0 in positives.",
    ]
    sd: Annotated[float, Above(0), "Standard deviation of the raw scores."]
    bins: Annotated[int, AtLeast(2), "Bins between 0 and 1."]


def mean_density(mean: float, sd: float, edges: np.ndarray) -> np.ndarray:
    """The mean density of the sigmoid of Normal(mean, sd) in each bin.

    Args:
        mean, sd: of the raw score; sd positive.
        edges: (B + 1,) increasing, from 0 to 1.
    """
    below = ndtr((logit(edges) - mean) / sd)
    return np.asarray(np.diff(below) / np.diff(edges))


def separable(separation: float, sd: float) -> float:
    """The probability that a positive scores above a negative: the scores' AUC."""
    return float(ndtr(2 * separation / (sd * np.sqrt(2))))


def check_sigmoid_scores(parameters: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """The distribution of the scores of both classes.

    Args:
        parameters: as `SigmoidScoresParameters` declares them.
        rng: not used; nothing is drawn.

    Returns:
        a row for each class and bin: `class`, `low` and `high` of the bin, `density`, and `auc`.
    """
    separation, sd = float(parameters["separation"]), float(parameters["sd"])
    edges = np.linspace(0, 1, int(parameters["bins"]) + 1)
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "class": name,
                    "low": edges[:-1],
                    "high": edges[1:],
                    "density": mean_density(sign * separation, sd, edges),
                    "separation": separation,
                    "sd": sd,
                    "auc": separable(separation, sd),
                }
            )
            for name, sign in zip(CLASSES, (-1, 1), strict=True)
        ],
        ignore_index=True,
    )


CHECK = Check("sigmoid_scores", check_sigmoid_scores, SigmoidScoresParameters)
