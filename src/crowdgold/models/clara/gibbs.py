"""CLARA's posterior by Gibbs sampling (section 3.2, algorithm 1), collapsed or blocked.

Both samplers have the same stationary distribution; a prior that is cut to TPR + TNR > 1 is for the
blocked one alone. Where there are few rates, each sweep of the blocked sampler begins with steps of
the rates alone, true labels summed out: a class that few items have would hold it up else. The
sampler of the authors' public code is in `published`.

The prior alone says which category is which; where it says little, the mode with swapped names has
weight too, to which these samplers never cross. One move does: it proposes y with a and b
exchanged, and accepts with the chance min(1, p(y', labels) / p(y, labels)),

    p(y, labels) ~ prod_k Gamma(alpha_k + n_k)
                   prod_mk [prod_r Gamma(gamma_kr + c_mkr)] / Gamma(gamma_k + c_mk)

theta and psi integrated out, n and c counts given y; for y' those of a and b are exchanged, the
prior stays. The proposal is its own inverse, so that the ratio is exact and chains visit each mode
as often as its mass says: `ClaraFit.swapped` is the mass there. Scores have no part in it: their
prior is the same for all categories. Of more than two categories a random pair is proposed, which
reaches every permutation. `ClaraSettings.ordered` rules the other modes out.
"""

import math
from dataclasses import dataclass, replace
from typing import Annotated, Literal, NamedTuple

import numpy as np

from crowdgold.models.clara.model import ClaraPrior, Confusion, find_label_patterns, matrix_of_label
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
from crowdgold.models.stan_fit import Asked, Diagnostics, diagnose, sample_until_passed
from crowdgold.system.kernels import kernel
from crowdgold.types.annotations import Annotations
from crowdgold.types.notes import Note
from crowdgold.types.parameters import AtLeast, Settings, refuse

Scale = Annotated[
    Literal["given", "log_ratio"],
    "The scale on which scores are normal within a class: as `given`, as printed, or the "
    "`log_ratio` of their parts.",
]
DIAGNOSED = 20  # confusion matrices with R-hat and ESS; more would cost minutes
PSI_BYTES = 2**28  # for kept confusion matrices; 1,000 binary ones, 4 x 2,000 draws, take half
SWAPPED_LIMIT = 0.01  # less mass of swapped categories moves neither end of a 95 % interval far


@dataclass(frozen=True)
class ClaraSettings(Settings):
    """How CLARA samples; the numbers are the paper's (section 7.1)."""

    confusion: Annotated[Confusion,
        "Whose confusion matrices there are: one for each `annotator`, one for each `group`, or "
        "one that is `shared`."] = "annotator"  # fmt: skip
    sampler: Annotated[Literal["blocked", "collapsed"],
        "`blocked` draws the rates, then all true labels at once; `collapsed` one true label after "
        "the other without the rates."] = "blocked"  # fmt: skip
    gaussians: Annotated[Literal["likelihood", "posterior"],
        "The distributions of a classifier's scores: by maximum `likelihood`, or drawn from their "
        "`posterior`."] = "likelihood"  # fmt: skip
    score_scale: Scale = "given"
    ordered: Annotated[bool, "Whether the prior is cut to TPR + TNR > 1."] = False
    # Their upper bounds are what a machine can do and keep.
    chains: Annotated[int, AtLeast(1, 1_000), "Chains of each fit; R-hat needs two."] = 4
    warmup: Annotated[int, AtLeast(0, 10**9), "Sweeps of each chain that are thrown away."] = 2000
    draws: Annotated[int, AtLeast(1, 10**7),
        "Draws of each chain that are kept, at first: more where the chains have to be "
        "continued."] = 2000  # fmt: skip
    lag: Annotated[int, AtLeast(1, 10**6), "Sweeps from one kept draw to the next."] = 5

    def agree(self) -> None:
        """Refuse what only the other sampler can do."""
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
    """Propose to exchange two categories, and exchange them in y and the shapes where accepted;
    theta and psi are to be drawn anew from these. An ordered prior has another ratio.
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
    """How a chain runs."""

    collapsed: bool  # which sampler
    swaps: bool  # whether renamed categories are proposed, once every `lag` sweeps
    walks: bool  # whether each sweep begins with steps of the rates, true labels summed out
    warmup: int  # warmup, draws, lag: sweeps thrown away, kept draws, sweeps from one to the next
    draws: int
    lag: int
    first: int = 0  # draws that were kept before, by an earlier run of the chain
    psi_step: int = 1  # every how many kept draws the confusion matrices are kept


class Kept(NamedTuple):
    """What a chain leaves: D kept draws, overwritten from the first that is new."""

    theta: np.ndarray  # (D, K) prevalence
    psi: np.ndarray  # (D / psi_step rounded up, M, K, K) confusion matrices; true category in rows
    chance: np.ndarray  # (P, K) sum over the kept draws of P(y = k | rest), added to


@kernel()
def _keep(draw: int, state: State, psi_step: int, kept: Kept) -> None:
    K = len(state.theta)
    kept.theta[draw] = state.theta
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
    """Run a chain to its last kept draw, in place; give the number of matrices that failed. With
    scores, or collapsed, there is one pattern an item. Collapsed, theta and psi are drawn for kept
    draws alone.
    """
    scored = len(scores.x) > 0
    density = np.zeros((len(labels.items) if scored else 0, len(state.theta)))
    order = np.arange(len(labels.items))
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
            sweep_collapsed(labels, density, order, state, kept.chance, keep, rng)
        else:
            sweep_blocked(labels, prior, density, state, kept.chance, keep, rng)
        if plan.swaps and lagged:
            try_swap(prior, state, rng)
        if keep or not plan.collapsed:
            failed += draw_rates(prior, state, rng)
        if keep:
            _keep(plan.first + after // plan.lag - 1, state, plan.psi_step, kept)
    return failed


@dataclass(frozen=True)
class Draws:
    """What all chains leave."""

    kept: Kept  # as of one chain, one more axis in front; `chance` is summed over the chains
    psi_step: int  # every how many draws the confusion matrices are kept
    failed: int  # confusion matrices that could not be drawn
    diagnostics: Diagnostics  # of the chains, over prevalence and confusion entries


@dataclass(frozen=True)
class ClaraFit:
    """Draws of CLARA's posterior."""

    theta: np.ndarray  # (chains, D, K) prevalence drawn given the labels y: its posterior
    # (chains, D / psi_step rounded up, M, K, K) confusion matrices, of theta[:, ::psi_step]; true
    # category in rows; single precision
    psi: np.ndarray
    psi_step: int  # 1, but more where all draws would take more than `PSI_BYTES`
    probability: np.ndarray  # (I, K) P(y_i = k | data)
    # mass of the posterior where the categories are swapped: the confusion matrices' diagonals,
    # averaged over the labels, add to less than 1 (binary: TPR + TNR < 1)
    swapped: float
    diagnostics: Diagnostics  # over prevalence and confusion entries


def swapped_share(psi: np.ndarray, matrix_of: np.ndarray) -> float:
    """The share of draws (..., M, K, K) whose diagonals, averaged over labels (L,), add to < 1."""
    share = np.bincount(matrix_of, minlength=psi.shape[-3]) / max(len(matrix_of), 1)
    return float((np.einsum("...mkk,m->...", psi, share) < 1).mean())


def swapped_note(swapped: float) -> Note | None:
    """What to beware of where swapped categories have mass; chains visit both modes rightly."""
    if swapped <= SWAPPED_LIMIT:
        return None
    return Note("swapped", {"swapped": swapped})


def sample_clara(
    annotations: Annotations, prior: ClaraPrior, settings: ClaraSettings, rng: np.random.Generator
) -> ClaraFit:
    """Sample CLARA's posterior. Every other chain starts with two categories exchanged, so that
    R-hat says it where the move between the modes is never accepted.
    """
    s = settings
    scores, notes = score_model(annotations, s.score_scale, s.gaussians == "posterior")
    # Scores and the collapsed sampler tell items apart.
    joined = s.sampler == "blocked" and not len(scores.x)
    patterns = find_label_patterns(annotations, s.confusion, joined)
    walks = joined and rates_are_few(patterns)
    plan = Plan(s.sampler == "collapsed", not s.ordered, walks, s.warmup, s.draws, s.lag)
    compiled, rngs, states = prior_of(prior, s.ordered), rng.spawn(s.chains), []
    for c, own in enumerate(rngs):
        y = first_categories(annotations, c > 0, own)
        if plan.swaps and c % 2:
            a, b = own.choice(patterns.categories, 2, replace=False)
            y = np.where(y == a, b, np.where(y == b, a, y))
        states.append(first_state(annotations, s.confusion, compiled, y, len(patterns)))
    labels = lay_out(patterns, exact=True)

    def sample(asked: Asked[Draws]) -> Draws:
        """The draws asked for, after those of the latest that are not dropped."""
        old = None if asked.drop else asked.latest
        first = old.kept.theta.shape[1] if old else 0
        chains, draws, (rows, K) = len(states), first + asked.draws, states[0].psi.shape
        # A step that keeps within the memory, and is a multiple of the one before.
        before = old.psi_step if old else 1
        wanted = -(-chains * draws * rows * K * np.dtype(np.float32).itemsize // PSI_BYTES)
        step = min(-(-wanted // before) * before, draws)
        theta = np.empty((chains, draws, K))
        psi = np.empty((chains, -(-draws // step), rows // K, K, K), dtype=np.float32)
        chance = np.zeros((len(labels.items), K))
        failed = 0
        if old:
            theta[:, :first] = old.kept.theta
            thinned = old.kept.psi[:, :: step // before]
            psi[:, : thinned.shape[1]] = thinned
            chance[:] = old.kept.chance
            failed = old.failed
        warmup = plan.warmup if asked.latest is None else 0
        own = plan._replace(warmup=warmup, draws=asked.draws, first=first, psi_step=step)
        for c, (state, rng) in enumerate(zip(states, rngs, strict=True)):
            kept = Kept(theta[c], psi[c], chance)
            failed += run_chain(labels, compiled, scores, state, own, kept, rng)
        # None of a single chain, which has no R-hat.
        scalars = {f"theta[{k}]": theta[:, ::step, k] for k in range(K - 1)}
        for m, k in np.ndindex(min(psi.shape[2], DIAGNOSED), K):
            entries = psi[:, :, m, k].astype(float)
            scalars |= {f"psi[{m},{k},{r}]": entries[..., r] for r in range(K - 1)}
        gate = diagnose(scalars, 0, 0) if chains > 1 else Diagnostics()
        return Draws(Kept(theta, psi, chance), step, failed, gate)

    continued = sample_until_passed(sample, s.draws)
    kept, drawn = continued.fit.kept, continued.fit
    swapped = swapped_share(kept.psi, matrix_of_label(annotations, s.confusion)[0])
    # Longer chains would not mend it, so that it is no part of what continues them.
    failure = f"{drawn.failed} confusion matrices could not be drawn with a diagonal above 1"
    swap = swapped_note(swapped)
    gate = replace(
        drawn.diagnostics,
        failures=(failure,) if drawn.failed else (),
        notes=(*filter(None, (*notes, *continued.notes)), *([swap.text] if swap else [])),
    )
    probability = kept.chance[patterns.pattern_of] / (kept.theta.shape[0] * kept.theta.shape[1])
    return ClaraFit(kept.theta, kept.psi, drawn.psi_step, probability, swapped, gate)
