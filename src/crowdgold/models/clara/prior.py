"""CLARA's priors (section 3.2): means by empirical Bayes, weights from the configuration.

theta ~ Dirichlet(alpha theta_0) and psi_m,k ~ Dirichlet(gamma_k psi_0,k). The prior means take the
majority votes for true labels (section 7.2).
"""

from dataclasses import dataclass

import numpy as np

from crowdgold.models.majority import majority_shares
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError

PSEUDO_LABELS = 1.0
"""Labels spread evenly over each row of psi_0 and over theta_0 before they are normalised: where a
label never occurs its prior mean would be 0, and it could never be drawn."""


@dataclass(frozen=True)
class ClaraPrior:
    """Dirichlet priors of the prevalence and of every confusion matrix."""

    theta: np.ndarray  # (K,) alpha theta_0, positive
    psi: np.ndarray  # (K, K) gamma_k psi_0,k, positive; true label k in rows, observed in columns


def empirical_prior(annotations: Annotations, alpha: float = 1.0, gamma: float = 1.0) -> ClaraPrior:
    """Majority votes give its means; weights `alpha`, items, and `gamma`, labels a row."""
    for name, value in (("alpha", alpha), ("gamma", gamma)):
        if not (np.isfinite(value) and value > 0):
            raise InputError(f"{name}: found {value!r}, expected a positive number")
    shares, size = majority_shares(annotations), len(annotations.category)
    theta = shares.sum(axis=0) + PSEUDO_LABELS / size
    psi = np.zeros((size, size))
    np.add.at(psi.T, annotations.label, shares[annotations.item_of])
    psi += PSEUDO_LABELS / size
    return ClaraPrior(alpha * theta / theta.sum(), gamma * psi / psi.sum(axis=1, keepdims=True))
