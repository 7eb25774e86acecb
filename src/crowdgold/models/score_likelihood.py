"""What the cut needs of a score model, whichever score likelihood it is made of.

A likelihood says how probable the ranking of the items is at (mu, delta) given a draw of the vote
model (MAVEN, sections 3.2.2 and 3.3); the prior of (mu, delta) goes with it.
"""

from typing import Protocol

import numpy as np

from crowdgold.models.priors import ScorePrior
from crowdgold.models.vote_model import VoteParameters
from crowdgold.models.vote_sets import VoteSets

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

    def conditioned(self, sets: VoteSets, vote: VoteParameters, draw: int) -> ScoreLikelihood:
        """The likelihood given one draw of the vote model."""
        ...
