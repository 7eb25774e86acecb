"""CLARA's posterior by Gibbs sampling (section 3.2, algorithm 1), collapsed or blocked.

Both samplers have the same stationary distribution but for two things that only one can do: the
printed conditional (collapsed), and a prior that is cut to TPR + TNR > 1 (blocked).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from crowdgold.data import Annotations, InputError
from crowdgold.models.clara_prior import ClaraPrior, majority_shares
from crowdgold.models.clara_scores import log_score_density
from crowdgold.models.clara_sweeps import (
    advance_blocked,
    advance_collapsed,
    count_all,
    draw_rates,
)
from crowdgold.models.diagnostics import Diagnostics, diagnose
from crowdgold.models.label_patterns import LabelPatterns, find_label_patterns

CHOICES = {
    "sampler": ("blocked", "collapsed"),
    "conditional": ("exact", "printed"),
    "gaussians": ("likelihood", "posterior"),
}
TRIES = 10_000
"""Draws of a confusion matrix until its diagonal adds to more than 1."""
FLIPPED = 0.1
"""Share of the items of every chain but the first that start in a category at random."""
DIAGNOSED = 20
"""Confusion matrices that have R-hat and effective sample sizes; more would cost minutes."""


@dataclass(frozen=True)
class ClaraSettings:
    """How CLARA samples; the numbers are the paper's (section 7.1).

    Attributes:
        confusion: whose confusion matrices there are: "annotator", "group" or "shared".
        sampler: "blocked" or "collapsed".
        conditional: of the collapsed sampler: "exact", or "printed" (equation 1).
        gaussians: scores' distributions by maximum "likelihood", or drawn from their "posterior".
        ordered: whether the prior is cut to matrices whose diagonal adds to more than 1.
        chains, warmup, draws, lag: chains, sweeps thrown away, kept draws, sweeps between these.
    """

    confusion: str = "annotator"
    sampler: str = "blocked"
    conditional: str = "exact"
    gaussians: str = "likelihood"
    ordered: bool = False
    chains: int = 4
    warmup: int = 2000
    draws: int = 2000
    lag: int = 5

    def check(self) -> None:
        """Raise an `InputError` where a value is none of the known ones, or two contradict."""
        for name, least in (("chains", 1), ("warmup", 0), ("draws", 1), ("lag", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name}: found {getattr(self, name)}, expected {least} or more")
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise InputError(
                    f"{name}: found {getattr(self, name)!r}, expected one of {', '.join(known)}"
                )
        if self.sampler == "blocked" and self.conditional == "printed":
            raise InputError("conditional 'printed' is one of the collapsed sampler")
        if self.sampler == "collapsed" and self.ordered:
            raise InputError("ordered: the cut prior is not conjugate; take the blocked sampler")


@dataclass(frozen=True)
class ClaraFit:
    """Draws of CLARA's posterior.

    Attributes:
        theta: (chains, D, K) prevalence drawn given the labels y: its posterior.
        conditional_theta: (chains, D, K) its mean given y, whose quantiles the paper prints.
        psi: (chains, D, M, K, K) confusion matrices; true category in rows.
        probability: (I, K) P(y_i = k | data).
        diagnostics: over prevalence and confusion entries.
    """

    theta: np.ndarray
    conditional_theta: np.ndarray
    psi: np.ndarray
    probability: np.ndarray
    diagnostics: Diagnostics


def _start(
    patterns: LabelPatterns, annotations: Annotations, first: bool, rng: np.random.Generator
) -> np.ndarray:
    """Start at the majority votes, ties and a share of the items at random: (I,) categories."""
    shares = majority_shares(annotations)
    K = patterns.categories
    shares = np.where(shares.sum(axis=1, keepdims=True) > 0, shares, 1 / K)
    y = (shares.cumsum(axis=1) < rng.random((len(shares), 1))).sum(axis=1).clip(max=K - 1)
    if first:
        return np.asarray(y)
    return np.where(rng.random(len(y)) < FLIPPED, rng.integers(0, K, len(y)), y)


def _scores_of(
    annotations: Annotations, settings: ClaraSettings, rng: np.random.Generator
) -> Callable[[np.ndarray], np.ndarray]:
    """Give what turns current categories into log p(s_i | k), summed over the classifiers."""
    posterior, K = settings.gaussians == "posterior", len(annotations.category)

    def density(y: np.ndarray) -> np.ndarray:
        parts = [log_score_density(s, y, K, posterior, rng) for s in annotations.scores.values()]
        return np.sum(parts, axis=0) if parts else np.zeros((0, K))

    return density


class _Chain:
    """One chain: its current categories, counts and rates."""

    def __init__(
        self,
        annotations: Annotations,
        prior: ClaraPrior,
        settings: ClaraSettings,
        first: bool,
        rng: np.random.Generator,
    ) -> None:
        self.settings, self.rng = settings, rng
        self.alpha = prior.theta
        # The sum of a row stands in its last column, for the counts as for the prior.
        self.gamma = np.hstack([prior.psi, prior.psi.sum(axis=1, keepdims=True)])
        # Scores and the collapsed sampler tell items apart.
        joined = settings.sampler == "blocked" and not annotations.scores
        self.patterns = find_label_patterns(annotations, settings.confusion, joined)
        p = self.patterns
        self.cells = (p.start, p.matrix, p.label, p.times)
        self.density = _scores_of(annotations, settings, rng) if annotations.scores else None
        K, M = p.categories, p.matrices
        self.y = _start(p, annotations, first, rng)
        self.n, self.c = np.zeros(K), np.zeros((M, K, K + 1))
        each = find_label_patterns(annotations, settings.confusion, exchangeable=False)
        count_all(self.y, each.start, each.matrix, each.label, each.times, self.n, self.c)
        self.theta, self.psi = np.full(K, 1 / K), np.full((M, K, K), 1 / K)
        self.psi[:, np.arange(K), np.arange(K)] += 0.5 / K
        self.failed = self.draw_rates()
        self.z, self.chance = np.zeros((len(p), K), dtype=np.int64), np.zeros((len(p), K))

    def draw_rates(self) -> int:
        """Draw theta and psi given the counts."""
        return int(
            draw_rates(
                self.alpha, self.gamma, self.settings.ordered, self.n, self.c,
                self.theta, self.psi, TRIES, self.rng,
            )
        )  # fmt: skip

    def advance(self, sweeps: int) -> None:
        """Make some sweeps; with scores their distributions are found anew for each."""
        if self.density is None:
            self._advance(sweeps, np.zeros((0, len(self.n))))
            return
        for _ in range(sweeps):
            self._advance(1, self.density(self.y))
            if self.settings.sampler == "blocked":
                self.y = self.z.argmax(axis=1)

    def _advance(self, sweeps: int, log_score: np.ndarray) -> None:
        alpha, gamma = self.alpha, self.gamma
        if self.settings.sampler == "collapsed":
            exact = self.settings.conditional == "exact"
            advance_collapsed(
                sweeps, *self.cells, log_score, alpha, gamma, exact, self.y, self.n, self.c,
                self.rng,
            )  # fmt: skip
            self.draw_rates()
            self.chance[:] = np.eye(len(alpha))[self.y]
        else:
            self.failed += advance_blocked(
                sweeps, *self.cells, self.patterns.count, log_score, alpha, gamma,
                self.settings.ordered, TRIES, self.theta, self.psi, self.n, self.c, self.z,
                self.chance, self.rng,
            )  # fmt: skip


def _diagnose(theta: np.ndarray, psi: np.ndarray, failed: int) -> Diagnostics:
    K = theta.shape[-1]
    scalars = {f"theta[{k}]": theta[..., k] for k in range(K - 1)}
    for m in range(min(psi.shape[2], DIAGNOSED)):
        for k in range(K):
            scalars |= {f"psi[{m},{k},{r}]": psi[:, :, m, k, r] for r in range(K - 1)}
    # R-hat needs two chains.
    found = diagnose(scalars, 0, 0) if len(theta) > 1 else Diagnostics()
    text = f"{failed} confusion matrices could not be drawn with a diagonal above 1"
    return replace(found, failures=(text,) if failed else ())


def sample_clara(
    annotations: Annotations, prior: ClaraPrior, settings: ClaraSettings, rng: np.random.Generator
) -> ClaraFit:
    """Sample CLARA's posterior.

    Args:
        annotations: labels, and scores of any number of classifiers.
        prior: Dirichlet priors, for instance `empirical_prior`.
        settings: the sampler.
        rng: source of all draws.

    Raises:
        InputError: where settings are not known or contradict each other.
    """
    settings.check()
    kept: dict[str, list[np.ndarray]] = {"theta": [], "conditional": [], "psi": []}
    probability = np.zeros((len(annotations.item), len(annotations.category)))
    failed = 0
    for number, own in enumerate(rng.spawn(settings.chains)):
        chain = _Chain(annotations, prior, settings, number == 0, own)
        chain.advance(settings.warmup)
        draws: dict[str, list[np.ndarray]] = {name: [] for name in kept}
        total = np.zeros_like(chain.chance)
        for _ in range(settings.draws):
            chain.advance(settings.lag)
            draws["theta"].append(chain.theta.copy())
            mean = prior.theta + chain.n
            draws["conditional"].append(mean / mean.sum())
            draws["psi"].append(chain.psi.copy())
            total += chain.chance
        for name, values in draws.items():
            kept[name].append(np.array(values))
        probability += total[chain.patterns.pattern_of] / (settings.draws * settings.chains)
        failed += chain.failed
    theta, conditional, psi = (np.array(values) for values in kept.values())
    return ClaraFit(theta, conditional, psi, probability, _diagnose(theta, psi, failed))
