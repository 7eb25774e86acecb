"""What the cut needs of a score model, whichever score likelihood it is made of.

A likelihood says how probable the ranking of the items is at (mu, delta) given a draw of the vote
model (MAVEN, sections 3.2.2 and 3.3); the prior of (mu, delta) goes with it.
"""

from dataclasses import dataclass, field
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from crowdgold.models.priors import ScorePrior
from crowdgold.models.quadrature import gauss_jacobi
from crowdgold.models.vote_sets import VoteParameters, VoteSets

TRUSTED_DELTA = 30.0
"""Beyond this |delta| the quadrature is not held to its stated error, and a result says so."""


class ScoreLikelihood(Protocol):
    """A score likelihood given one draw of the vote model: a function of (mu, delta) only."""

    @property
    def prior(self) -> ScorePrior:
        """The prior of (mu, delta)."""

    def log_likelihood(self, mu: np.ndarray, delta: np.ndarray) -> np.ndarray:
        """The log-likelihood on a grid: mu (D, M), a row for each of delta (D,) -> (D, M)."""
        ...

    def cost(self, delta: float) -> float:
        """Say what an evaluation at this delta costs, in units of some 0.1 microseconds."""
        ...


class ScoreSummary(Protocol):
    """What is kept of one predictor's ranking, whatever the number of items."""

    @property
    def prior(self) -> ScorePrior:
        """The prior of (mu, delta)."""

    def conditioned(self, sets: VoteSets, vote: VoteParameters, draw: int) -> ScoreLikelihood:
        """The likelihood given one draw of the vote model."""
        ...


Summary = TypeVar("Summary", bound=ScoreSummary)


@dataclass(frozen=True)
class Conditioned(Generic[Summary]):
    """What every score likelihood given one draw of the vote model holds.

    Attributes:
        data: what is kept of the ranking.
        sets: the vote sets it belongs to.
        vote: one draw of the vote model.
        label_probability: (m,) q_k.
    """

    data: Summary
    sets: VoteSets
    vote: VoteParameters
    label_probability: np.ndarray
    _nodes: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict, repr=False)

    @classmethod
    def at(cls, data: Summary, sets: VoteSets, vote: VoteParameters, draw: int) -> Self:
        """Condition on one draw of the vote model."""
        one = vote.select(np.array([draw]))
        return cls(data, sets, one, one.label_probability(sets)[0])

    @property
    def prior(self) -> ScorePrior:
        """The prior of (mu, delta)."""
        return self.data.prior

    def nodes(self, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        """Gauss-Jacobi nodes and weights of P_i by pattern and label: each (p, 2, J)."""
        if nodes not in self._nodes:
            alpha, beta = self.vote.shapes(self.sets)
            self._nodes[nodes] = gauss_jacobi(alpha[0], beta[0], nodes)
        return self._nodes[nodes]

    def pattern_shares(self) -> np.ndarray:
        """The share of items of each vote pattern expected to have label 0, and 1: (2, p)."""
        patterns = len(self.sets.pattern_total)
        positive = np.bincount(
            self.sets.pattern, self.sets.count * self.label_probability, patterns
        )
        every = np.bincount(self.sets.pattern, self.sets.count, patterns)
        return np.stack([every - positive, positive]) / self.sets.count.sum()
