"""H-AI (MAVEN, appendix C.3, after Steyvers et al., 2022): voters and a model that agree.

Given the label y, (lambda_H, lambda_M) is bivariate normal with means mu_H,y and mu_M,y, deviations
1 and sigma_M, and correlation rho. X_i = lambda_M,i, and V_i ~ Binomial(c_i, Phi(lambda_H,i)).
Given the score, lambda_H is normal with mean mu_H,y + rho (x - mu_M,y) / sigma_M and deviation
sqrt(1 - rho^2), so that it is integrated out once for each vote pattern (`probit_votes`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from crowdgold.models.joint_model import point_data, start_scores
from crowdgold.models.probit_votes import (
    ProbitVoteTable,
    evaluate_cells,
    tabulate_probit_votes,
)
from crowdgold.models.score_points import ScorePoints
from crowdgold.models.stan_fit import StanFit
from crowdgold.models.vote_fit import start_votes
from crowdgold.models.vote_sets import VoteSets

EPSILON = 0.01
"""|rho| is at most 1 less this; the paper does not print its epsilon."""


def vote_table(sets: VoteSets, epsilon: float) -> ProbitVoteTable:
    """Tabulate P(V | mean and deviation of lambda_H) for the vote patterns of a table."""
    patterns = zip(sets.pattern_positive.tolist(), sets.pattern_total.tolist(), strict=True)
    return tabulate_probit_votes(tuple(patterns), float(np.sqrt(epsilon * (2 - epsilon))))


@dataclass(frozen=True)
class HumanAiDraws:
    """D draws of the parameters of H-AI.

    Attributes:
        phi: (D,) base rate in (0, 1).
        mu_human: (D, 2) mean of lambda_H for labels 0 and 1, ascending.
        mu_model: (D, 2) mean score for labels 0 and 1, ascending.
        rho: (D,) correlation, |rho| <= 1 - epsilon.
        sigma: (D,) standard deviation of scores given the label, positive.
        epsilon: the bound of rho that the draws were made under.
    """

    phi: np.ndarray
    mu_human: np.ndarray
    mu_model: np.ndarray
    rho: np.ndarray
    sigma: np.ndarray
    epsilon: float = EPSILON

    def __len__(self) -> int:
        return len(self.phi)

    def select(self, draws: np.ndarray) -> "HumanAiDraws":
        """The draws at these positions."""
        return HumanAiDraws(
            self.phi[draws],
            self.mu_human[draws],
            self.mu_model[draws],
            self.rho[draws],
            self.sigma[draws],
            self.epsilon,
        )

    def log_joint(
        self, draw: int, score: np.ndarray, member: np.ndarray, sets: VoteSets
    ) -> np.ndarray:
        """The log of [P(Y = y) p(V, X | y)]: (P, 2); see `JointDraws.log_joint`."""
        table, rho = vote_table(sets, self.epsilon), self.rho[draw]
        cells = table.at(float(np.sqrt((1 - rho) * (1 + rho))))
        pattern = sets.pattern[member]
        z = (score[:, None] - self.mu_model[draw]) / self.sigma[draw]
        mean = self.mu_human[draw] + rho * z
        joint = np.log([1 - self.phi[draw], self.phi[draw]]) - z**2 / 2
        joint -= np.log(self.sigma[draw]) + np.log(2 * np.pi) / 2
        for y in (0, 1):
            joint[:, y] += evaluate_cells(
                cells, table.edge, table.origin, table.scale, pattern, mean[:, y]
            )
        return np.asarray(joint)

    def named(self) -> dict[str, np.ndarray]:
        """The draws of each parameter by name, (D,) each."""
        return {
            "phi": self.phi,
            **{f"mu_H{y}": self.mu_human[:, y] for y in (0, 1)},
            **{f"mu_M{y}": self.mu_model[:, y] for y in (0, 1)},
            "rho": self.rho,
            "sigma_M": self.sigma,
        }


@dataclass(frozen=True)
class HumanAiProgram:
    """stan/human_ai.stan: its data, starting points and draws.

    Attributes:
        epsilon: |rho| is at most 1 less this; in (0, 1).
        nodes: nodes of each group of scores that mostly do.
    """

    epsilon: float = EPSILON
    nodes: int = 14
    name: str = "human_ai"
    parameters: tuple[str, ...] = ("phi", "mu_H", "mu_M", "rho", "sigma_M")

    def data(self, points: ScorePoints, sets: VoteSets, pointwise: bool = False) -> dict[str, Any]:
        """Lay weighted scores and the table of vote probabilities out as data."""
        table = vote_table(sets, self.epsilon)
        patterns, cells, terms, order = table.coefficient.shape
        return {
            **point_data(points, sets, pointwise),
            "epsilon": self.epsilon,
            "p": patterns,
            "pattern": (sets.pattern + 1).tolist(),
            "L": cells,
            "edge": table.edge.tolist(),
            "origin": table.origin.tolist(),
            "scale": table.scale.tolist(),
            "D": terms,
            "Q": order,
            "kappa": table.kappa,
            "range": [table.low, table.high],
            # The cells that are needed are a block of rows: cell, then pattern, then power of u.
            "coefficient": table.coefficient.swapaxes(0, 1).reshape(-1, order).tolist(),
        }

    def start(self, scores: np.ndarray, sets: VoteSets, rng: np.random.Generator) -> dict[str, Any]:
        """A chain's starting point: near what the votes say, spread so that R-hat can tell."""
        votes = start_votes(sets, rng)
        low, high, spread = start_scores(scores, sets)
        human = ndtri([votes["a0"], votes["a1"]]) * np.sqrt(2)
        return {
            "phi": votes["phi"],
            "mu_H0": float(human[0]),
            "gap_H": float(human[1] - human[0]),
            "mu_M0": low + rng.normal(0, 0.2 * spread),
            "gap_M": max(high - low, 0.1 * spread) * rng.uniform(0.5, 1.5),
            "rho": float(rng.uniform(-0.3, 0.3) * (1 - self.epsilon)),
            "sigma_M": spread * rng.uniform(0.5, 1.0),
        }

    def read(self, fit: StanFit) -> HumanAiDraws:
        """The draws of a fit, chain after chain."""
        phi, mu_human, mu_model, rho, sigma = (fit.flat(name) for name in self.parameters)
        return HumanAiDraws(phi, mu_human, mu_model, rho, sigma, self.epsilon)
