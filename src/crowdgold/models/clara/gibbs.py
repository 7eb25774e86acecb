"""CLARA's posterior by Gibbs sampling (section 3.2, algorithm 1), collapsed or blocked.

Where there are few rates, each sweep of the blocked sampler begins with steps of the rates alone,
true labels summed out (`walk`): a class that few items have would hold it up else.

Both samplers have the same stationary distribution but for two things that only one can do: the
printed conditional (collapsed), and a prior that is cut to TPR + TNR > 1 (blocked).

The likelihood stays the same where the categories are renamed, in the truth and in the rows of all
confusion matrices at once; the prior alone says which category is which. Where it says little, the
mode with swapped names has weight too. Chains start at the majority votes and cross between the
modes by a move of their own (`clara_swap`), so that `ClaraFit.swapped` is the mass of the posterior
there; `ClaraSettings.ordered` rules it out. The printed conditional has no such move.

Chains that miss their gate are continued (`continuation`).

How CLARA's posterior is sampled, as a declaration.

CLARA's chains side by side, which can go on from where they are, and their diagnostics.

One move renames two true categories of all items at once.

The likelihood is the same where true categories a and b change names, in the labels y and in the
rows of all confusion matrices; only the prior tells them apart. A sampler that draws one item's
label at a time, or all labels given the rates, never crosses to the mode with other names. This
move does: it proposes y with a and b exchanged, and accepts with the chance min(1, ratio) where

    ratio = p(y', labels) / p(y, labels)
    p(y, labels) ~ prod_k Gamma(alpha_k + n_k)
                   prod_mk [prod_r Gamma(gamma_kr + c_mkr)] / Gamma(gamma_k + c_mk)

theta and psi integrated out, n and c counts given y; for y' those of a and b are exchanged, the
prior stays. The proposal is its own inverse, so that the ratio is exact and chains visit each mode
as often as its mass says. Scores have no part in it: their prior is the same for all categories.
With more than two categories the pair is drawn at random, which reaches every permutation.
"""

import math
from dataclasses import dataclass, replace
from typing import Annotated, Literal, NamedTuple

import numpy as np

from crowdgold.models.clara.prior import ClaraPrior
from crowdgold.models.clara.scores import ScoreModel, find_score_density, score_model
from crowdgold.models.clara.sweeps import (
    Labels,
    Prior,
    State,
    draw_rates,
    first_categories,
    first_state,
    lay_out,
    prior_of,
    rates_are_few,
    sweep_blocked,
    sweep_collapsed,
    walk_rates,
)
from crowdgold.models.continuation import Asked, sample_until_passed
from crowdgold.models.label_patterns import (
    Confusion,
    LabelPatterns,
    find_label_patterns,
    matrix_of_label,
)
from crowdgold.models.stan_fit import Diagnostics, diagnose
from crowdgold.system.kernels import kernel
from crowdgold.types.annotations import Annotations
from crowdgold.types.parameters import AtLeast, Settings, refuse

Scale = Annotated[
    Literal["given", "log_ratio"],
    "The scale on which scores are normal within a class: as `given`, as printed, or the "
    "`log_ratio` of their parts.",
]


@dataclass(frozen=True)
class ClaraSettings(Settings):
    """How CLARA samples; the numbers are the paper's (section 7.1)."""

    confusion: Annotated[
        Confusion,
        "Whose confusion matrices there are: one for each `annotator`, one for each `group`, or "
        "one that is `shared`.",
    ] = "annotator"
    sampler: Annotated[
        Literal["blocked", "collapsed"],
        "`blocked` draws the rates, then all true labels at once; `collapsed`, as published, one "
        "true label after the other without the rates.",
    ] = "blocked"
    conditional: Annotated[
        Literal["exact", "printed"],
        "Of the collapsed sampler: `exact`, or as `printed` (equation 1), which differs where a "
        "matrix gives several labels on an item.",
    ] = "exact"
    gaussians: Annotated[
        Literal["likelihood", "posterior"],
        "The distributions of a classifier's scores: by maximum `likelihood`, or drawn from their "
        "`posterior`.",
    ] = "likelihood"
    score_scale: Scale = "given"
    ordered: Annotated[bool, "Whether the prior is cut to TPR + TNR > 1."] = False
    # Their upper bounds are what a machine can do and keep.
    chains: Annotated[int, AtLeast(1, 1_000), "Chains of each fit; R-hat needs two."] = 4
    warmup: Annotated[int, AtLeast(0, 10**9), "Sweeps of each chain that are thrown away."] = 2000
    draws: Annotated[
        int,
        AtLeast(1, 10**7),
        "Draws of each chain that are kept, at first: more where the chains have to be continued.",
    ] = 2000
    lag: Annotated[int, AtLeast(1, 10**6), "Sweeps from one kept draw to the next."] = 5

    def agree(self) -> None:
        """Refuse what only the other sampler can do."""
        if self.sampler == "blocked" and self.conditional == "printed":
            refuse("conditional 'printed' is one of the collapsed sampler")
        if self.sampler == "collapsed" and self.ordered:
            refuse("ordered: the cut prior is not conjugate; take the blocked sampler")


@kernel()
def _gain(prior_a: float, prior_b: float, shape_a: float, shape_b: float) -> float:
    """The change of log Gamma of two shapes whose counts are exchanged."""
    if prior_a == prior_b:
        return 0.0
    moved_a, moved_b = prior_a + (shape_b - prior_b), prior_b + (shape_a - prior_a)
    after = math.lgamma(moved_a) + math.lgamma(moved_b)
    return after - math.lgamma(shape_a) - math.lgamma(shape_b)


@kernel()
def log_ratio_of_swap(prior: Prior, state: State, a: int, b: int) -> float:
    """Log p(y', labels) / p(y, labels), where y' has categories a and b exchanged."""
    K = len(prior.theta)
    found = _gain(prior.theta[a], prior.theta[b], state.theta_shape[a], state.theta_shape[b])
    before, shape = prior.psi, state.psi_shape
    total_a, total_b = before[:, a].sum(), before[:, b].sum()
    for first in range(0, len(shape), K):
        sum_a, sum_b = 0.0, 0.0
        for r in range(K):
            shape_a, shape_b = shape[first + r, a], shape[first + r, b]
            found += _gain(before[r, a], before[r, b], shape_a, shape_b)
            sum_a += shape_a
            sum_b += shape_b
        found -= _gain(total_a, total_b, sum_a, sum_b)
    return found


@kernel()
def _exchange(prior: np.ndarray, shape: np.ndarray, a: int, b: int) -> None:
    """Exchange the counts in two places of shapes (K,), whole numbers, so that nothing rounds."""
    count_a, count_b = np.rint(shape[a] - prior[a]), np.rint(shape[b] - prior[b])
    shape[a], shape[b] = prior[a] + count_b, prior[b] + count_a


@kernel()
def try_swap(prior: Prior, state: State, rng: np.random.Generator) -> None:
    """Propose to exchange two categories, and exchange them in y and the shapes where accepted.

    theta and psi are those of before the move: they are to be drawn anew from the shapes.

    Args:
        prior: the prior, not ordered: a cut prior has another ratio.
    """
    K, a, b = len(prior.theta), 0, 1
    if K > 2:
        a = int(rng.integers(0, K))
        b = (a + int(rng.integers(1, K))) % K
    if -rng.standard_exponential() >= log_ratio_of_swap(prior, state, a, b):
        return
    _exchange(prior.theta, state.theta_shape, a, b)
    for row in range(len(state.psi_shape)):
        _exchange(prior.psi[row % K], state.psi_shape[row], a, b)
    for m in range(len(state.sum_shape)):
        for k in (a, b):
            state.sum_shape[m, k] = state.psi_shape[m * K : (m + 1) * K, k].sum()
    for i in range(len(state.y)):
        if state.y[i] == a or state.y[i] == b:
            state.y[i] = a + b - state.y[i]


class Plan(NamedTuple):
    """How a chain runs.

    Attributes:
        collapsed: which sampler.
        swaps: whether renamed categories are proposed, once every `lag` sweeps.
        walks: whether each sweep begins with steps of the rates, true labels summed out.
        warmup, draws, lag: sweeps thrown away, kept draws, sweeps from one to the next.
        first: draws that were kept before, by an earlier run of the chain.
        psi_step: every how many kept draws the confusion matrices are kept.
    """

    collapsed: bool
    swaps: bool
    walks: bool
    warmup: int
    draws: int
    lag: int
    first: int = 0
    psi_step: int = 1


class Kept(NamedTuple):
    """What a chain leaves: D kept draws, overwritten from the first that is new.

    Attributes:
        theta: (D, K) prevalence.
        conditional_theta: (D, K) its mean given y.
        psi: (D / psi_step rounded up, M, K, K) confusion matrices; true category in rows.
        chance: (P, K) sum over the kept draws of P(y = k | rest), added to.
    """

    theta: np.ndarray
    conditional_theta: np.ndarray
    psi: np.ndarray
    chance: np.ndarray


@kernel()
def _keep(draw: int, state: State, psi_step: int, kept: Kept) -> None:
    K, total = len(state.theta), 0.0
    for k in range(K):
        total += state.theta_shape[k]
    for k in range(K):
        kept.theta[draw, k] = state.theta[k]
        kept.conditional_theta[draw, k] = state.theta_shape[k] / total
    if draw % psi_step == 0:
        place = draw // psi_step
        for m in range(kept.psi.shape[1]):
            for k in range(K):
                for r in range(K):
                    kept.psi[place, m, k, r] = state.psi[m * K + r, k]


@kernel(nogil=True)
def run_chain(
    labels: Labels, prior: Prior, scores: ScoreModel, state: State, plan: Plan, kept: Kept,
    rng: np.random.Generator,
) -> int:  # fmt: skip
    """Run a chain from its first state to its last kept draw.

    The distributions of scores are found anew before each sweep. The collapsed sampler draws theta
    and psi for the draws that are kept alone.

    Args:
        labels: label patterns; with scores, or collapsed, one an item.
        prior, scores: the model.
        state: the first state, which becomes the last.
        plan: how the chain runs.
        kept: what it leaves.

    Returns:
        how many confusion matrices could not be drawn (`draw_rates`).
    """
    scored = len(scores.x) > 0
    density = np.zeros((len(labels.items) if scored else 0, len(state.theta)))
    failed = 0 if plan.collapsed else draw_rates(prior, state, rng)
    for sweep in range(1, plan.warmup + plan.draws * plan.lag + 1):
        after = sweep - plan.warmup
        lagged = after % plan.lag == 0
        keep = after > 0 and lagged
        if scored:
            find_score_density(scores, state.y, density, rng)
        if plan.walks:
            walk_rates(labels, prior, state, rng)
        if plan.collapsed:
            sweep_collapsed(labels, density, state, kept.chance, keep, rng)
        else:
            sweep_blocked(labels, prior, density, state, kept.chance, keep, rng)
        if plan.swaps and lagged:
            try_swap(prior, state, rng)
        if keep or not plan.collapsed:
            failed += draw_rates(prior, state, rng)
        if keep:
            _keep(plan.first + after // plan.lag - 1, state, plan.psi_step, kept)
    return failed


DIAGNOSED = 20
"""Confusion matrices that have R-hat and effective sample sizes; more would cost minutes."""
PSI_BYTES = 2**28
"""Most memory for kept confusion matrices; 1,000 of binary labels, 4 x 2,000 draws, take half."""


@dataclass(frozen=True)
class Draws:
    """What all chains leave.

    Attributes:
        kept: as of one chain, one more axis in front; `chance` is summed over the chains.
        psi_step: every how many draws the confusion matrices are kept.
        failed: confusion matrices that could not be drawn.
        diagnostics: of the chains, over prevalence and confusion entries.
    """

    kept: Kept
    psi_step: int
    failed: int
    diagnostics: Diagnostics


def _diagnose(theta: np.ndarray, psi: np.ndarray) -> Diagnostics:
    """The diagnostics of (chains, D, ...) draws; none of a single chain, which has no R-hat."""
    K = theta.shape[-1]
    scalars = {f"theta[{k}]": theta[..., k] for k in range(K - 1)}
    for m in range(min(psi.shape[2], DIAGNOSED)):
        for k in range(K):
            entries = psi[:, :, m, k].astype(float)
            scalars |= {f"psi[{m},{k},{r}]": entries[..., r] for r in range(K - 1)}
    return diagnose(scalars, 0, 0) if len(theta) > 1 else Diagnostics()


@dataclass(frozen=True)
class Chains:
    """Chains of one posterior.

    Attributes:
        labels, prior, scores: the model.
        plan: of the first draws.
        states: where each chain is, changed in place.
        rngs: a source of draws for each chain.
    """

    labels: Labels
    prior: Prior
    scores: ScoreModel
    plan: Plan
    states: list[State]
    rngs: list[np.random.Generator]

    def sample(self, asked: Asked[Draws]) -> Draws:
        """The draws asked for, after those of the latest that are not dropped."""
        begins, old = asked.latest is None, None if asked.drop else asked.latest
        first = old.kept.theta.shape[1] if old else 0
        draws = first + asked.draws
        step = self._psi_step(draws, old.psi_step if old else 1)
        kept = self._room(draws, step)
        if old:
            for new, before in zip(kept[:2], old.kept[:2], strict=True):
                new[:, :first] = before
            thinned = old.kept.psi[:, :: step // old.psi_step]
            kept.psi[:, : thinned.shape[1]] = thinned
            kept.chance[:] = old.kept.chance
        warmup = self.plan.warmup if begins else 0
        plan = self.plan._replace(warmup=warmup, draws=asked.draws, first=first, psi_step=step)
        failed = old.failed if old else 0
        for c, (state, rng) in enumerate(zip(self.states, self.rngs, strict=True)):
            own = Kept(kept.theta[c], kept.conditional_theta[c], kept.psi[c], kept.chance)
            failed += run_chain(self.labels, self.prior, self.scores, state, plan, own, rng)
        return Draws(kept, step, failed, _diagnose(kept.theta[:, ::step], kept.psi))

    def _psi_step(self, draws: int, before: int) -> int:
        """A step that keeps the memory, and is a multiple of the one before."""
        size = len(self.states) * draws * self.states[0].psi.size
        wanted = -(-size * np.dtype(np.float32).itemsize // PSI_BYTES)
        return min(-(-wanted // before) * before, draws)

    def _room(self, draws: int, step: int) -> Kept:
        chains, (rows, K) = len(self.states), self.states[0].psi.shape
        theta, conditional = np.empty((2, chains, draws, K))
        psi = np.empty((chains, -(-draws // step), rows // K, K, K), dtype=np.float32)
        return Kept(theta, conditional, psi, np.zeros((len(self.labels.items), K)))


SWAPPED_LIMIT = 0.01
"""Mass of the mode with swapped categories that is told: less moves neither end of a 95 % interval
far."""


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
        swapped: mass of the posterior where the categories are swapped: the confusion matrices'
            diagonals, averaged over the labels, add to less than 1 (binary: TPR + TNR < 1).
        diagnostics: over prevalence and confusion entries.
    """

    theta: np.ndarray
    conditional_theta: np.ndarray
    psi: np.ndarray
    psi_step: int
    probability: np.ndarray
    swapped: float
    diagnostics: Diagnostics


def swapped_share(psi: np.ndarray, matrix_of: np.ndarray) -> float:
    """The share of draws whose matrices' diagonals, averaged over the labels, add to < 1.

    Args:
        psi: (..., M, K, K) draws of the confusion matrices.
        matrix_of: (L,) the matrix that each label is drawn from.
    """
    share = np.bincount(matrix_of, minlength=psi.shape[-3]) / max(len(matrix_of), 1)
    return float((np.einsum("...mkk,m->...", psi, share) < 1).mean())


def swapped_note(swapped: float) -> str:
    """What to beware of where the mode with swapped categories has mass; empty where it has not.

    It is no failure of the chains, which visit both modes as often as their masses say.
    """
    if swapped <= SWAPPED_LIMIT:
        return ""
    return (
        f"{swapped:.1%} of the posterior has labels swapped (TPR + TNR < 1), a second mode; cut "
        "the prior (CLARA-ordered) or make it firmer (gamma)"
    )


def _first_chains(
    annotations: Annotations,
    patterns: LabelPatterns,
    prior: Prior,
    scores: ScoreModel,
    settings: ClaraSettings,
    rng: np.random.Generator,
) -> Chains:
    """Chains at their first states: the majority votes, scattered in all but the first.

    Every other chain starts with two categories exchanged: were the move between the modes never
    accepted, R-hat would say so.
    """
    s, exact = settings, settings.conditional == "exact"
    collapsed = s.sampler == "collapsed"
    walks = not collapsed and not len(scores.x) and rates_are_few(patterns)
    plan = Plan(collapsed, exact and not s.ordered, walks, s.warmup, s.draws, s.lag)
    rngs = rng.spawn(s.chains)
    states = []
    for c, own in enumerate(rngs):
        y = first_categories(annotations, c > 0, own)
        if plan.swaps and c % 2:
            a, b = own.choice(patterns.categories, 2, replace=False)
            y = np.where(y == a, b, np.where(y == b, a, y))
        states.append(first_state(annotations, s.confusion, prior, y, len(patterns)))
    return Chains(lay_out(patterns, exact), prior, scores, plan, states, rngs)


def sample_clara(
    annotations: Annotations, prior: ClaraPrior, settings: ClaraSettings, rng: np.random.Generator
) -> ClaraFit:
    """Sample CLARA's posterior.

    Args:
        annotations: labels, and scores of any number of classifiers.
        prior: Dirichlet priors, for instance `empirical_prior`.
        settings: the sampler.

    """
    s = settings
    scores, notes = score_model(annotations, s.score_scale, s.gaussians == "posterior")
    # Scores and the collapsed sampler tell items apart.
    joined = s.sampler == "blocked" and not len(scores.x)
    patterns = find_label_patterns(annotations, s.confusion, joined)
    chains = _first_chains(annotations, patterns, prior_of(prior, s.ordered), scores, s, rng)
    continued = sample_until_passed(chains.sample, s.draws)
    kept, drawn = continued.fit.kept, continued.fit
    swapped = swapped_share(kept.psi, matrix_of_label(annotations, s.confusion)[0])
    # Longer chains would not mend it, so that it is no part of what continues them.
    failure = f"{drawn.failed} confusion matrices could not be drawn with a diagonal above 1"
    notes = (*notes, *continued.notes, swapped_note(swapped))
    return ClaraFit(
        kept.theta,
        kept.conditional_theta,
        kept.psi,
        drawn.psi_step,
        kept.chance[patterns.pattern_of] / (kept.theta.shape[0] * kept.theta.shape[1]),
        swapped,
        replace(
            drawn.diagnostics,
            failures=(failure,) if drawn.failed else (),
            notes=tuple(filter(None, notes)),
        ),
    )
