"""What the cut needs of a score model: its likelihood of the ranking, and its priors.

A likelihood says how probable the ranking of the items is at (mu, delta) given a draw of the vote
model (MAVEN, sections 3.2.2 and 3.3); the prior of (mu, delta) goes with it.

The priors that settings can change: of mu and delta (MAVEN, section 3.2.2), and of phi (3.2.1).

The paper has mu ~ InvGamma(1, 1) and delta ~ Laplace(0, 10), and does not print the prior of phi.
"""

from dataclasses import dataclass, field
from typing import Annotated, Generic, Protocol, Self, TypeVar

import numpy as np

from crowdgold.declared import Above, AtLeast, Settings, refuse
from crowdgold.models.quadrature import gauss_jacobi
from crowdgold.models.vote_sets import VoteParameters, VoteSets

MODE_OF_MU = (0.02, 5.0)
"""Where the prior mode of mu, scale / (shape + 1), may lie, in deviations of the utilities; the
exact cut is held to brute force there."""


@dataclass(frozen=True)
class MuPrior(Settings):
    """Prior of mu, how far positives rank above negatives in deviations of the utilities: the
    inverse gamma distribution, whose density is proportional to mu^(-shape - 1) exp(-scale / mu).
    The paper has 1 and 1. Its mode, scale / (shape + 1), may lie from 0.02 to 5.
    """

    # With a smaller shape its density is infinite where labels lie wholly apart.
    shape: Annotated[float, AtLeast(1), "Its shape."] = 1.0
    scale: Annotated[float, Above(0), "Its scale."] = 1.0

    def agree(self) -> None:
        """Refuse a mode that the exact cut was not tried at."""
        low, high = MODE_OF_MU
        if not low <= self.scale / (self.shape + 1) <= high:
            limits = f"from {low * (self.shape + 1):g} to {high * (self.shape + 1):g}"
            refuse(
                f"scale: found {self.scale:g}, expected a number {limits} with shape {self.shape:g}"
            )


@dataclass(frozen=True)
class ScorePrior:
    """The prior of (mu, delta); the paper's where nothing else is given.

    The attributes have the names of the Stan programs' data.

    Attributes:
        mu_shape, mu_scale: mu ~ InvGamma(mu_shape, mu_scale), whose density is proportional to
            mu^(-mu_shape - 1) exp(-mu_scale / mu); it keeps mu positive.
        delta_scale: delta ~ Laplace(0, delta_scale); the scale, not the deviation.
    """

    mu_shape: float = 1.0
    mu_scale: float = 1.0
    delta_scale: float = 10.0


@dataclass(frozen=True)
class PhiPrior(Settings):
    """Prior of phi, the base rate: the beta distribution, uniform where both are 1. It
    matters where there is no gold, or hardly any.
    """

    alpha: Annotated[float, Above(0), "Its shape on the side of positives."] = 1.0
    beta: Annotated[float, Above(0), "Its shape on the side of negatives."] = 1.0


PAPER_PRIOR = ScorePrior()
UNIFORM_PHI = PhiPrior()


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
