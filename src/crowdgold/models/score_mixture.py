"""DS+S (MAVEN, appendix C.2): Dawid-Skene votes and a mixture of normal scores.

Y_i ~ Bernoulli(phi), V_i | Y_i = y ~ Binomial(c_i, a_y), X_i | Y_i = y ~ Normal(mu_y, sigma), votes
and score independent given the label.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdgold.models.joint_model import point_data, start_scores
from crowdgold.models.score_points import ScorePoints
from crowdgold.models.stan_fit import StanFit
from crowdgold.models.vote_fit import start_votes
from crowdgold.models.vote_model import VoteParameters
from crowdgold.models.vote_sets import VoteSets


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
