"""The vote model of MAVEN (section 3.2.1) and Dawid-Skene (appendix C.1) given parameter draws.

Y_i ~ Bern(phi), P_i | Y_i = y ~ Beta(a_y d_y, (1 - a_y) d_y), V_i | P_i ~ Binomial(c_i, P_i).
Dawid-Skene is the limit of infinite d_y: P_i = a_y.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, gammaln, xlog1py, xlogy

from crowdgold.models.vote_sets import VoteSets


def log_choose(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    """The log of the binomial coefficient."""
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


@dataclass(frozen=True)
class VoteParameters:
    """D draws of the vote model's parameters.

    Attributes:
        phi: (D,) base rate in (0, 1).
        a: (D, 2) probability of a positive vote for labels 0 and 1; a_0 = 1 - TNR, a_1 = TPR.
        d: (D, 2) beta scale, positive; infinite where votes are independent given the label.
    """

    phi: np.ndarray
    a: np.ndarray
    d: np.ndarray

    def __len__(self) -> int:
        return len(self.phi)

    def select(self, draws: np.ndarray) -> "VoteParameters":
        """The draws at these positions."""
        return VoteParameters(self.phi[draws], self.a[draws], self.d[draws])

    def mean(self) -> "VoteParameters":
        """One draw at the posterior mean of phi, a and log d."""
        return VoteParameters(
            self.phi.mean(keepdims=True),
            self.a.mean(axis=0, keepdims=True),
            np.exp(np.log(self.d).mean(axis=0, keepdims=True)),
        )

    def shapes(self, sets: VoteSets) -> tuple[np.ndarray, np.ndarray]:
        """The beta shapes of P_i given its votes and label (section 3.2.2), each (D, p, 2).

        They depend on the vote pattern and the label, not on whether the label is gold.
        """
        positive = sets.pattern_positive[None, :, None]
        negative = (sets.pattern_total - sets.pattern_positive)[None, :, None]
        strength = self.a * self.d
        return strength[:, None, :] + positive, (self.d - strength)[:, None, :] + negative

    def pattern_log_likelihood(self, sets: VoteSets) -> np.ndarray:
        """The log f_BB(V; a_y d_y, (1 - a_y) d_y, c) for each pattern and label: (D, p, 2)."""
        positive = sets.pattern_positive[None, :, None]
        total = sets.pattern_total[None, :, None]
        choose = log_choose(total, positive)
        a, d = self.a[:, None, :], self.d[:, None, :]
        if np.isinf(self.d).all():
            return np.asarray(choose + xlogy(positive, a) + xlog1py(total - positive, -a))
        alpha, beta = self.shapes(sets)
        return np.asarray(choose + betaln(alpha, beta) - betaln(a * d, (1 - a) * d))

    def label_probability(self, sets: VoteSets) -> np.ndarray:
        """q_k(1) = P(Y = 1 | vote set k) for each draw: (D, m); 0 or 1 where gold is known."""
        log_prior = np.log(np.stack([1 - self.phi, self.phi], axis=-1))
        log_joint = log_prior[:, None, :] + self.pattern_log_likelihood(sets)
        log_odds = (log_joint[..., 1] - log_joint[..., 0])[:, sets.pattern]
        probability = 1 / (1 + np.exp(-np.clip(log_odds, -700, 700)))
        probability[:, sets.gold == 0] = 0.0
        probability[:, sets.gold == 1] = 1.0
        return np.asarray(probability)

    def log_likelihood(self, sets: VoteSets) -> np.ndarray:
        """sum_k N_k log L_k (section 3.2.1) for each draw: (D,)."""
        log_prior = np.log(np.stack([1 - self.phi, self.phi], axis=-1))
        log_joint = (log_prior[:, None, :] + self.pattern_log_likelihood(sets))[:, sets.pattern]
        log_joint = np.where(sets.allowed[None], log_joint, -np.inf)
        return np.asarray(np.logaddexp(log_joint[..., 0], log_joint[..., 1]) @ sets.count)
