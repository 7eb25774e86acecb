"""Models of votes and raw scores (MAVEN, appendix C): what DS+S and H-AI share, and DS+S.

Given the label y, an item's votes and score have the density P(Y = y) p(V, X | y). The label is
summed out where no expert gave it: log L = sum_i log sum_y T_i^(y) P(Y = y) p(V_i, X_i | y).

DS+S (MAVEN, appendix C.2): Dawid-Skene votes and a mixture of normal scores.

Y_i ~ Bernoulli(phi), V_i | Y_i = y ~ Binomial(c_i, a_y), X_i | Y_i = y ~ Normal(mu_y, sigma), votes
and score independent given the label.
"""

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from scipy.special import expit

from crowdgold.models.score_points import ScorePoints
from crowdgold.models.stan_fit import StanFit
from crowdgold.models.vote_fit import start_votes
from crowdgold.models.vote_sets import VoteParameters, VoteSets


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


@dataclass(frozen=True)
class ScoreMixtureDraws:
    """D draws of the parameters of DS+S.

    Attributes:
        vote: phi and a of Dawid-Skene; infinite d.
        mu: (D, 2) mean score for labels 0 and 1.
        sigma: (D,) standard deviation of scores given the label, positive.
    """

    vote: VoteParameters
    mu: np.ndarray
    sigma: np.ndarray

    def __len__(self) -> int:
        return len(self.sigma)

    def select(self, draws: np.ndarray) -> "ScoreMixtureDraws":
        """The draws at these positions."""
        return ScoreMixtureDraws(self.vote.select(draws), self.mu[draws], self.sigma[draws])

    def log_joint(
        self, draw: int, score: np.ndarray, member: np.ndarray, sets: VoteSets
    ) -> np.ndarray:
        """The log of [P(Y = y) p(V, X | y)]: (P, 2); see `JointDraws.log_joint`."""
        vote = self.vote.select(np.array([draw]))
        log_votes = vote.pattern_log_likelihood(sets)[0]
        log_votes += np.log([1 - vote.phi[0], vote.phi[0]])
        z = (score[:, None] - self.mu[draw]) / self.sigma[draw]
        log_density = -(z**2) / 2 - np.log(self.sigma[draw]) - np.log(2 * np.pi) / 2
        return np.asarray(log_votes[sets.pattern[member]] + log_density)

    def named(self) -> dict[str, np.ndarray]:
        """The draws of each parameter by name, (D,) each."""
        return {
            "phi": self.vote.phi,
            "a0": self.vote.a[:, 0],
            "a1": self.vote.a[:, 1],
            "mu0": self.mu[:, 0],
            "mu1": self.mu[:, 1],
            "sigma": self.sigma,
        }


@dataclass(frozen=True)
class ScoreMixtureProgram:
    """stan/dawid_skene_scores.stan: its data, starting points and draws.

    Attributes:
        nodes: nodes of each group of scores that mostly do.
    """

    nodes: int = 20
    name: str = "dawid_skene_scores"
    parameters: tuple[str, ...] = ("phi", "a0", "a1", "mu", "sigma")

    def data(self, points: ScorePoints, sets: VoteSets, pointwise: bool = False) -> dict[str, Any]:
        """Lay weighted scores out as data; `pointwise` asks for log_lik of each point."""
        return point_data(points, sets, pointwise)

    def start(self, scores: np.ndarray, sets: VoteSets, rng: np.random.Generator) -> dict[str, Any]:
        """A chain's starting point: near what the votes say, spread so that R-hat can tell."""
        low, high, spread = start_scores(scores, sets)
        around = rng.normal(0, 0.2 * spread, 2)
        return {
            **start_votes(sets, rng),
            "mu": [low + around[0], high + around[1]],
            "sigma": spread * rng.uniform(0.5, 1.0),
        }

    def read(self, fit: StanFit) -> ScoreMixtureDraws:
        """The draws of a fit, chain after chain."""
        a = np.stack([fit.flat("a0"), fit.flat("a1")], axis=1)
        vote = VoteParameters(fit.flat("phi"), a, np.full_like(a, np.inf))
        return ScoreMixtureDraws(vote, fit.flat("mu"), fit.flat("sigma"))
