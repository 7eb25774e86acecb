"""A whole chain of CLARA's Gibbs samplers as one compiled loop (algorithm 1)."""

from typing import NamedTuple

import numpy as np

from crowdgold.kernels import kernel
from crowdgold.models.clara.scores import ScoreModel, find_score_density
from crowdgold.models.clara.state import Labels, Prior, State
from crowdgold.models.clara.swap import try_swap
from crowdgold.models.clara.sweeps import draw_rates, sweep_blocked, sweep_collapsed
from crowdgold.models.clara.walk import walk_rates


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
