"""The priors that settings can change: of mu and delta (MAVEN, section 3.2.2), and of phi (3.2.1).

The paper has mu ~ InvGamma(1, 1) and delta ~ Laplace(0, 10), and does not print the prior of phi.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crowdgold.data import InputError
from crowdgold.data.parameters import Parameters

LEAST_SHAPE = 1.0
"""Of the prior of mu: with a smaller one its density is infinite where labels lie wholly apart."""
MODE_OF_MU = (0.02, 5.0)
"""Where the prior mode of mu, scale / (shape + 1), may lie, in deviations of the utilities; the
exact cut is held to brute force there."""


def _parts(setting: str, given: Any, default: Mapping[str, float]) -> Parameters:
    """Complete a setting that is a mapping by its defaults.

    Raises:
        InputError: where it is none, or has a key that is not known.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"{setting}: found {given!r}, expected {' and '.join(default)}")
    found = Parameters(setting, {**default, **given})
    found.check_names(default)
    return found


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

    @classmethod
    def of(cls, mu_prior: Mapping[str, Any], delta_scale: float) -> "ScorePrior":
        """Read the settings of these names.

        Args:
            mu_prior: `shape`, at least 1, and `scale`, such that scale / (shape + 1) is within
                `MODE_OF_MU`; 1 where one is not given.
            delta_scale: above 0.

        Raises:
            InputError: where a key is not known or a number is out of its range.
        """
        of_mu = _parts("mu_prior", mu_prior, {"shape": 1.0, "scale": 1.0})
        shape, scale = of_mu.real("shape", above=0), of_mu.real("scale", above=0)
        if shape < LEAST_SHAPE:
            raise of_mu.fault("shape", f"a number of at least {LEAST_SHAPE:g}")
        low, high = MODE_OF_MU
        if not low <= scale / (shape + 1) <= high:
            limits = f"from {low * (shape + 1):g} to {high * (shape + 1):g} with shape {shape:g}"
            raise of_mu.fault("scale", f"a number {limits}")
        of_delta = Parameters("prior of delta", {"delta_scale": delta_scale})
        return cls(shape, scale, of_delta.real("delta_scale", above=0))


@dataclass(frozen=True)
class PhiPrior:
    """The prior of the base rate, phi ~ Beta(alpha, beta); uniform where nothing else is given."""

    alpha: float = 1.0
    beta: float = 1.0

    @classmethod
    def of(cls, phi_prior: Mapping[str, Any]) -> "PhiPrior":
        """Read the setting of this name: `alpha` and `beta`, 1 where one is not given.

        Raises:
            InputError: where a key is not known or a number is not positive.
        """
        found = _parts("phi_prior", phi_prior, {"alpha": 1.0, "beta": 1.0})
        return cls(found.real("alpha", above=0), found.real("beta", above=0))


PAPER_PRIOR = ScorePrior()
UNIFORM_PHI = PhiPrior()
