"""CLARA's chains side by side, which can go on from where they are, and their diagnostics."""

from dataclasses import dataclass

import numpy as np

from crowdgold.models.clara.chain import Kept, Plan, run_chain
from crowdgold.models.clara.scores import ScoreModel
from crowdgold.models.clara.state import Labels, Prior, State
from crowdgold.models.continuation import Asked
from crowdgold.models.diagnostics import Diagnostics, diagnose

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
