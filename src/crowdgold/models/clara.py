"""CLARA's posterior by Gibbs sampling (section 3.2, algorithm 1), collapsed or blocked.

Both samplers have the same stationary distribution but for two things that only one can do: the
printed conditional (collapsed), and a prior that is cut to TPR + TNR > 1 (blocked).

The likelihood stays the same where the categories are renamed, in the truth and in the rows of all
confusion matrices at once; the prior alone says which category is which. Chains start at the
majority votes; where labels say little (TPR near 1/2, rare positives) the mode with swapped names
has weight too, which `ClaraFit.swapped` measures and `ClaraSettings.ordered` rules out.
"""

from dataclasses import dataclass, replace

import numpy as np

from crowdgold.data import Annotations, InputError
from crowdgold.models.clara_chain import Kept, Plan, run_chain
from crowdgold.models.clara_prior import ClaraPrior
from crowdgold.models.clara_scores import SCORE_SCALES, ScoreModel, score_model
from crowdgold.models.clara_state import Prior, first_categories, first_state, lay_out, prior_of
from crowdgold.models.diagnostics import Diagnostics, diagnose
from crowdgold.models.label_patterns import (
    LabelPatterns,
    find_label_patterns,
    matrix_of_label,
)

CHOICES = {
    "sampler": ("blocked", "collapsed"),
    "conditional": ("exact", "printed"),
    "gaussians": ("likelihood", "posterior"),
    "score_scale": SCORE_SCALES,
}
DIAGNOSED = 20
"""Confusion matrices that have R-hat and effective sample sizes; more would cost minutes."""
PSI_BYTES = 2**28
"""Most memory for kept confusion matrices; 1,000 of binary labels, 4 x 2,000 draws, take half."""
SWAPPED_LIMIT = 0.01
"""Share of draws with swapped categories above which a fit fails its gate: less moves neither end
of a 95 % interval far."""


@dataclass(frozen=True)
class ClaraSettings:
    """How CLARA samples; the numbers are the paper's (section 7.1).

    Attributes:
        confusion: whose confusion matrices there are: "annotator", "group" or "shared".
        sampler: "blocked" or "collapsed".
        conditional: of the collapsed sampler: "exact", or "printed" (equation 1).
        gaussians: scores' distributions by maximum "likelihood", or drawn from their "posterior".
        score_scale: score vectors as "given", or their "log_ratio" to the last part.
        ordered: whether the prior is cut to matrices whose diagonal adds to more than 1.
        chains, warmup, draws, lag: chains, sweeps thrown away, kept draws, sweeps between these.
    """

    confusion: str = "annotator"
    sampler: str = "blocked"
    conditional: str = "exact"
    gaussians: str = "likelihood"
    score_scale: str = "given"
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
        psi: (chains, D / psi_step rounded up, M, K, K) confusion matrices, of theta[:, ::psi_step];
            true category in rows; single precision.
        psi_step: 1, but more where all draws would take more than `PSI_BYTES`.
        probability: (I, K) P(y_i = k | data).
        swapped: share of draws whose categories are swapped: the confusion matrices' diagonals,
            averaged over the labels, add to less than 1 (binary labels: TPR + TNR < 1).
        diagnostics: over prevalence and confusion entries.
    """

    theta: np.ndarray
    conditional_theta: np.ndarray
    psi: np.ndarray
    psi_step: int
    probability: np.ndarray
    swapped: float
    diagnostics: Diagnostics


def _plan(settings: ClaraSettings, matrices: int, categories: int) -> Plan:
    s = settings
    size = s.chains * s.draws * matrices * categories**2 * np.dtype(np.float32).itemsize
    step = min(-(-size // PSI_BYTES), s.draws)
    return Plan(s.sampler == "collapsed", s.warmup, s.draws, s.lag, step)


def swapped_share(psi: np.ndarray, matrix_of: np.ndarray) -> float:
    """Give the share of draws whose matrices' diagonals, averaged over the labels, add to < 1.

    Args:
        psi: (..., M, K, K) draws of the confusion matrices.
        matrix_of: (L,) the matrix that each label is drawn from.
    """
    share = np.bincount(matrix_of, minlength=psi.shape[-3]) / max(len(matrix_of), 1)
    return float((np.einsum("...mkk,m->...", psi, share) < 1).mean())


def _diagnose(theta: np.ndarray, psi: np.ndarray, failures: dict[str, bool]) -> Diagnostics:
    """Give the diagnostics of (chains, D, ...) draws, and of what else speaks against them."""
    K = theta.shape[-1]
    scalars = {f"theta[{k}]": theta[..., k] for k in range(K - 1)}
    for m in range(min(psi.shape[2], DIAGNOSED)):
        for k in range(K):
            entries = psi[:, :, m, k].astype(float)
            scalars |= {f"psi[{m},{k},{r}]": entries[..., r] for r in range(K - 1)}
    # R-hat needs two chains.
    found = diagnose(scalars, 0, 0) if len(theta) > 1 else Diagnostics()
    return replace(found, failures=tuple(text for text, true in failures.items() if true))


@dataclass(frozen=True)
class _Draws:
    """What all chains leave; as in `Kept`, one more axis in front, `chance` summed over chains."""

    kept: Kept
    psi_step: int
    failed: int


def _run_chains(
    annotations: Annotations,
    patterns: LabelPatterns,
    prior: Prior,
    scores: ScoreModel,
    settings: ClaraSettings,
    rng: np.random.Generator,
) -> _Draws:
    s, K, M = settings, patterns.categories, patterns.matrices
    labels, plan = lay_out(patterns, s.conditional == "exact"), _plan(s, M, K)
    theta, conditional = np.empty((2, s.chains, s.draws, K))
    psi = np.empty((s.chains, -(-s.draws // plan.psi_step), M, K, K), dtype=np.float32)
    chance, failed = np.zeros((len(patterns), K)), 0
    for c, own in enumerate(rng.spawn(s.chains)):
        y = first_categories(annotations, c > 0, own)
        state = first_state(annotations, s.confusion, prior, y, len(patterns))
        kept = Kept(theta[c], conditional[c], psi[c], chance)
        failed += run_chain(labels, prior, scores, state, plan, kept, own)
    return _Draws(Kept(theta, conditional, psi, chance), plan.psi_step, failed)


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
    s = settings
    scores, notes = score_model(annotations, s.score_scale, s.gaussians == "posterior")
    # Scores and the collapsed sampler tell items apart.
    joined = s.sampler == "blocked" and not len(scores.x)
    patterns = find_label_patterns(annotations, s.confusion, joined)
    drawn = _run_chains(annotations, patterns, prior_of(prior, s.ordered), scores, s, rng)
    kept, step = drawn.kept, drawn.psi_step
    swapped = swapped_share(kept.psi, matrix_of_label(annotations, s.confusion)[0])
    failures = {
        f"{drawn.failed} confusion matrices could not be drawn with a diagonal above 1":
            drawn.failed > 0,
        f"{swapped:.0%} of the draws have the categories swapped; an ordered prior, or one of more "
        "weight (gamma), rules that out": swapped > SWAPPED_LIMIT,
    }  # fmt: skip
    diagnostics = _diagnose(kept.theta[:, ::step], kept.psi, failures)
    return ClaraFit(
        kept.theta,
        kept.conditional_theta,
        kept.psi,
        step,
        kept.chance[patterns.pattern_of] / (s.draws * s.chains),
        swapped,
        replace(diagnostics, notes=notes),
    )
