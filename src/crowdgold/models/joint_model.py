"""Models of votes and raw scores together (MAVEN, appendix C.2 and C.3): what DS+S and H-AI share.

Given the label y, an item's votes and score have the density P(Y = y) p(V, X | y). The label is
summed out where no expert gave it: log L = sum_i log sum_y T_i^(y) P(Y = y) p(V_i, X_i | y).
"""

from typing import Any, Protocol, Self

import numpy as np
from scipy.special import expit

from crowdgold.models.score_points import ScorePoints
from crowdgold.models.vote_sets import VoteSets


class JointDraws(Protocol):
    """D draws of the parameters of a model of votes and scores."""

    def __len__(self) -> int: ...

    def select(self, draws: np.ndarray) -> Self:
        """The draws at these positions."""

    def log_joint(
        self, draw: int, score: np.ndarray, member: np.ndarray, sets: VoteSets
    ) -> np.ndarray:
        """The log of [P(Y = y) p(V, X | y)] under one draw: (P, 2) for P scores and y = 0, 1.

        Args:
            draw: position of the draw.
            score: (P,) scores.
            member: (P,) vote set of each.
        """

    def named(self) -> dict[str, np.ndarray]:
        """The draws of each parameter by the paper's name, (D,) each."""


def log_likelihood(draws: JointDraws, points: ScorePoints, sets: VoteSets) -> np.ndarray:
    """The log-likelihood of weighted scores and their votes and gold labels: (D,)."""
    allowed = sets.allowed[points.member]
    values = np.empty(len(draws))
    for draw in range(len(draws)):
        joint = draws.log_joint(draw, points.score, points.member, sets)
        joint = np.where(allowed, joint, -np.inf)
        values[draw] = np.logaddexp(joint[:, 0], joint[:, 1]) @ points.weight
    return values


def label_probability(
    draws: JointDraws, draw: int, score: np.ndarray, sets: VoteSets
) -> np.ndarray:
    """P(Y_i = 1 | V_i, X_i, theta) of each item under one draw, gold labels kept.

    Args:
        draw: position of the draw.
        score: (n,) score of each item on the model's scale.

    Returns:
        (n,) probabilities; 0 or 1 where gold is known.
    """
    joint = draws.log_joint(draw, score, sets.member, sets)
    allowed = sets.allowed[sets.member]
    probability = expit(joint[:, 1] - joint[:, 0])
    return np.where(allowed.all(axis=1), probability, allowed[:, 1].astype(float))


def point_data(points: ScorePoints, sets: VoteSets, pointwise: bool) -> dict[str, Any]:
    """Lay weighted scores and their vote sets out as data that both Stan programs take.

    Args:
        points: the scores.
        pointwise: whether log_lik of each point is wanted.
    """
    return {
        "m": len(sets),
        "votes_positive": sets.votes_positive.tolist(),
        "votes_total": sets.votes_total.tolist(),
        "gold": sets.gold.tolist(),
        "points": len(points),
        "x": points.score.tolist(),
        "weight": points.weight.tolist(),
        "vote_set": (points.member + 1).tolist(),
        "pointwise": int(pointwise),
    }


def start_scores(scores: np.ndarray, sets: VoteSets) -> tuple[float, float, float]:
    """Where a search may start: mean scores of items with few and with many positive votes.

    Returns:
        the two means, the lower first, and the standard deviation of all scores; it is positive.
    """
    share = (sets.votes_positive / sets.votes_total)[sets.member]
    low, high = np.quantile(scores, [0.25, 0.75])
    many = share > 0.5
    if many.any() and not many.all():
        low, high = np.sort([scores[~many].mean(), scores[many].mean()])
    return float(low), float(high), float(np.std(scores)) or 1.0
