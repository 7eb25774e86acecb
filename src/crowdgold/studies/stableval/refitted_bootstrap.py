"""Intervals of agents' scores from refits to resampled responses, as published and as due.

The published bootstrap (STABLEVAL, section 5.2) draws responses with replacement, then keeps each
that was drawn once: its multiplicity is lost. The method is then fitted to some 63 % of the
responses. Means over that many, without repetition, vary less by a factor of about
sqrt((1 - 0.632) / 0.632) = 0.76. The fit is to fewer labels too, so that nothing holds the interval
around the score of all responses. Kept with their multiplicity the resamples have the size of the
data.
"""

import numpy as np
import pandas as pd

from crowdgold.data import Annotations
from crowdgold.evaluation.agents import Refit, shares_of
from crowdgold.inference.central_interval import central_interval
from crowdgold.metrics.agents import agent_scores


def refitted_intervals(
    annotations: Annotations,
    refit: Refit,
    rng: np.random.Generator,
    resamples: int,
    multiplicity: bool,
    level: float = 0.95,
) -> pd.DataFrame:
    """Each agent's score and its percentile interval from refits.

    Args:
        annotations: the labels; responses are drawn from all agents together.
        refit: fits the method.
        resamples: refits.
        multiplicity: whether a response drawn twice counts twice.

    Returns:
        columns agent, score, lower, upper and outside, whether the score is not in the interval.
    """

    def score(table: Annotations) -> np.ndarray:
        return agent_scores(shares_of(refit(table), table), table)

    size, draws = len(annotations.item), []
    for _ in range(resamples):
        drawn = np.sort(rng.integers(size, size=size))
        draws.append(score(annotations.of_items(drawn if multiplicity else np.unique(drawn))))
    lower, upper = central_interval(np.array(draws), level)
    full = score(annotations)
    return pd.DataFrame(
        {
            "agent": annotations.agent,
            "score": full,
            "lower": lower,
            "upper": upper,
            "outside": (full < lower) | (full > upper),
        }
    )
