"""The priors that settings can change: of mu and delta (MAVEN, section 3.2.2), and of phi (3.2.1).

The paper has mu ~ InvGamma(1, 1) and delta ~ Laplace(0, 10), and does not print the prior of phi.
"""

from dataclasses import dataclass
from typing import Annotated

from crowdgold.types.parameters import Above, AtLeast, Settings, refuse

MODE_OF_MU = (0.02, 5.0)  # where the exact cut is held to brute force


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
        above = self.shape + 1
        if not low <= self.scale / above <= high:
            refuse(
                f"scale: found {self.scale:g}, expected a number from {low * above:g} to "
                f"{high * above:g} with shape {self.shape:g}"
            )


@dataclass(frozen=True)
class ScorePrior:
    """The prior of (mu, delta), named as in the Stan programs' data; the paper's if not given."""

    # mu_shape, mu_scale: mu ~ InvGamma(mu_shape, mu_scale), whose density is proportional to
    # mu^(-mu_shape - 1) exp(-mu_scale / mu); it keeps mu positive
    mu_shape: float = 1.0
    mu_scale: float = 1.0
    delta_scale: float = 10.0  # delta ~ Laplace(0, delta_scale); the scale, not the deviation


@dataclass(frozen=True)
class PhiPrior(Settings):
    """Prior of phi, the base rate: the beta distribution, uniform where both are 1. It
    matters where there is no gold, or hardly any.
    """

    alpha: Annotated[float, Above(0), "Its shape on the side of positives."] = 1.0
    beta: Annotated[float, Above(0), "Its shape on the side of negatives."] = 1.0


PAPER_PRIOR = ScorePrior()
UNIFORM_PHI = PhiPrior()
