"""Named judges with a common item effect (stan/judges.stan): its density in NumPy, and its fit.

The common effect is integrated over evenly spaced nodes on [-5, 5]. Gauss-Hermite rules are far
worse here: where judges err together, the integrand turns within a fraction of a deviation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.special import expit, log_ndtr, logsumexp, ndtri
from scipy.stats import beta, norm

from crowdgold.models.priors import UNIFORM_PHI, PhiPrior
from crowdgold.models.stan import SamplerSettings, StanModels, stan_seed
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.types.annotations import MISSING
from crowdgold.types.items import NO_GOLD

NODES = np.linspace(-5, 5, 31)
MOST_CORRELATED = 0.9  # Upper end of the prior of the latent correlation
PRIOR_MEANS = np.array([-1.0, 1.0])  # Of b_j0 and b_j1; their standard deviation is 1
START_CORRELATION = (0.05, 0.5)
ADAPT_DELTA = 0.85  # the posterior has no narrow places, and longer steps halve the time


@cache
def log_weights() -> np.ndarray:
    """The log weight of each node under a standard normal."""
    return norm.logpdf(NODES) - logsumexp(norm.logpdf(NODES))


@dataclass(frozen=True)
class JudgeRows:
    """Distinct (votes, gold) of a panel, and which each item is."""

    vote: np.ndarray  # (p, m) distinct votes: 0 or 1, `MISSING` where a judge gave none
    pattern: np.ndarray  # (k,) the votes of each row, a position in `vote`
    gold: np.ndarray  # (k,) label, `NO_GOLD` where there is none
    count: np.ndarray  # (k,) items
    member: np.ndarray  # (n,) the row of each item


@dataclass(frozen=True)
class JudgeDraws:
    """Draws of the model's parameters."""

    phi: np.ndarray  # (D,) base rate
    b: np.ndarray  # (D, 2, m) Phi^-1 of each judge's chance of a positive vote on items of a label
    r: np.ndarray  # (D, 2) latent correlation of two judges' errors, given the label

    def __len__(self) -> int:
        return len(self.phi)

    def select(self, chosen: np.ndarray) -> "JudgeDraws":
        """Some of the draws."""
        return JudgeDraws(self.phi[chosen], self.b[chosen], self.r[chosen])

    def at_nodes(self, vote: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Each draw at the nodes of z: Phi^-1 of each judge's chance of a positive vote (2, m, H),
        and the log of P(votes, node | Y = y) (2, p, H) for some votes (p, m).
        """
        given = [(vote == label).astype(float) for label in (1, 0)]
        for b, r in zip(self.b, self.r, strict=True):
            shared, own = np.sqrt(r)[:, None, None], np.sqrt(1 - r)[:, None, None]
            place = (b[..., None] + shared * NODES) / own
            each = given[0] @ log_ndtr(place) + given[1] @ log_ndtr(-place)
            yield place, each + log_weights()

    def log_masses(self, vote: np.ndarray) -> np.ndarray:
        """Log P(votes | Y = y) of some votes (p, m): (D, 2, p)."""
        found = np.empty((len(self), 2, len(vote)))
        for draw, (_, each) in enumerate(self.at_nodes(vote)):
            found[draw] = logsumexp(each, axis=-1)
        return found

    def log_odds(self, vote: np.ndarray) -> np.ndarray:
        """Log odds of Y = 1 given some votes (p, m), without a gold label: (D, p)."""
        mass = self.log_masses(vote)
        prior = np.log(self.phi) - np.log1p(-self.phi)
        return np.asarray(prior[:, None] + mass[:, 1] - mass[:, 0])

    def label_probability(self, vote: np.ndarray) -> np.ndarray:
        """P(Y = 1 | votes) of some votes (p, m), without a gold label: (D, p)."""
        return np.asarray(expit(self.log_odds(vote)))

    def log_row_masses(self, rows: JudgeRows) -> np.ndarray:
        """Log P(votes, gold label) of each row: (D, k)."""
        mass = self.log_masses(rows.vote)[..., rows.pattern]
        joint = np.stack([np.log1p(-self.phi), np.log(self.phi)], axis=1)[..., None] + mass
        known = np.where(rows.gold == 1, joint[:, 1], joint[:, 0])
        return np.where(rows.gold == NO_GOLD, np.logaddexp(joint[:, 0], joint[:, 1]), known)

    def log_likelihood(self, rows: JudgeRows) -> np.ndarray:
        """Log L of all items: (D,)."""
        return np.asarray(self.log_row_masses(rows) @ rows.count)

    def log_prior(self, phi_prior: PhiPrior = UNIFORM_PHI) -> np.ndarray:
        """Log density of the prior, up to a constant: (D,)."""
        of_phi = beta.logpdf(self.phi, phi_prior.alpha, phi_prior.beta)
        of_rates = np.asarray(norm.logpdf(self.b, PRIOR_MEANS[:, None]))
        return np.asarray(of_phi + of_rates.sum(axis=(1, 2)))

    def named(self, judges: Sequence[str]) -> dict[str, np.ndarray]:
        """Draws by name: base rate, each judge's rates, and the latent correlations."""
        rates = norm.cdf(self.b)
        return {
            "phi": self.phi,
            **{f"TPR:{name}": rates[:, 1, j] for j, name in enumerate(judges)},
            **{f"TNR:{name}": 1 - rates[:, 0, j] for j, name in enumerate(judges)},
            "r0": self.r[:, 0],
            "r1": self.r[:, 1],
        }


@dataclass(frozen=True)
class JudgeFit:
    """Draws, chain after chain, and their diagnostics."""

    draws: JudgeDraws
    diagnostics: Diagnostics


def find_rows(vote: np.ndarray, gold: np.ndarray) -> JudgeRows:
    """Count items (n,) that share votes (n, m) and gold label (n,)."""
    patterns, of_item = np.unique(vote, axis=0, return_inverse=True)
    both = np.column_stack([of_item.ravel(), gold])
    rows, member, count = np.unique(both, axis=0, return_inverse=True, return_counts=True)
    return JudgeRows(patterns, rows[:, 0], rows[:, 1], count, member.ravel())


def judge_data(rows: JudgeRows, phi_prior: PhiPrior = UNIFORM_PHI) -> dict[str, Any]:
    """Lay rows out as the data of the model."""
    return {
        "patterns": len(rows.vote), "judges": rows.vote.shape[1], "vote": rows.vote.tolist(),
        "rows": len(rows.count), "pattern": (rows.pattern + 1).tolist(), "gold": rows.gold.tolist(),
        "count": rows.count.tolist(), "nodes": len(NODES), "node": NODES.tolist(),
        "log_weight": log_weights().tolist(), "phi_prior": [phi_prior.alpha, phi_prior.beta],
    }  # fmt: skip


def draw_prior(
    judges: int, rng: np.random.Generator, phi_prior: PhiPrior = UNIFORM_PHI, size: int = 1
) -> JudgeDraws:
    """Draws of the prior."""
    return JudgeDraws(
        rng.beta(phi_prior.alpha, phi_prior.beta, size),
        rng.normal(PRIOR_MEANS[:, None], 1, (size, 2, judges)),
        rng.uniform(0, MOST_CORRELATED, (size, 2)),
    )


def fit_judges(
    rows: JudgeRows, rng: np.random.Generator, stan: StanModels, settings: SamplerSettings,
    phi_prior: PhiPrior = UNIFORM_PHI,
) -> JudgeFit:  # fmt: skip
    """Sample the posterior of judges' rates and of how far they err together."""
    seed, data = stan_seed(rng), judge_data(rows, phi_prior)
    vote, judges = rows.vote[rows.pattern], rows.vote.shape[1]
    share = float((rows.count @ (vote == 1)).sum() / (rows.count @ (vote != MISSING)).sum())
    # Near the share of positive votes, spread out so that R-hat can tell.
    starts = [
        {
            "phi": float(np.clip(share * rng.uniform(0.5, 1.5), 0.02, 0.98)),
            "b0": ndtri(rng.uniform(0.05, 0.3, judges)).tolist(),
            "b1": ndtri(rng.uniform(0.7, 0.95, judges)).tolist(),
            "r": rng.uniform(*START_CORRELATION, 2).tolist(),
        }
        for _ in range(settings.chains)
    ]
    options = {"inits": starts, "adapt_delta": ADAPT_DELTA}
    fit = stan.sample("judges", data, seed, ("phi", "b0", "b1", "r"), settings, **options)
    b = np.stack([fit.flat("b0"), fit.flat("b1")], axis=1)
    return JudgeFit(JudgeDraws(fit.flat("phi"), b, fit.flat("r")), fit.diagnostics)
