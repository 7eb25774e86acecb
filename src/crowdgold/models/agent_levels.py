"""The posterior of STABLEVAL's model by Gibbs sampling, with a class prior for each agent.

    z_i ~ mu_a(i)                    level of a response of agent a(i)
    y_ir ~ pi_r[z_i]                 label by annotator r, independent of others given the level
    mu_a, pi_r[c] ~ Dirichlet(alpha_mu), Dirichlet(alpha_pi)

STABLEVAL estimates mu and pi by EM and takes them for known; here they are drawn along with the
levels, so that an agent's score comes with all that the labels leave open. As printed, one class
prior serves all agents (`prior: shared`): it pulls the scores of agents of different quality
together, the more the fewer labels there are. With `prior: agent` each has its own.

Blocked, as CLARA's sampler is, whose prior all items share: all levels given (mu, pi), then these
given the levels. Chains start at majority votes; where labels say little there are other modes, in
which levels have each other's names, that they need not find.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np

from crowdgold.models.clara.sweeps import draw_dirichlet
from crowdgold.models.confusion_em import Labels
from crowdgold.models.majority import NO_LABEL, majority_labels
from crowdgold.models.stan_fit import Diagnostics, diagnose
from crowdgold.system.kernels import kernel
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import Above, AtLeast, Settings

SMALL = 1e-200  # products below it are made larger: a response may have hundreds of labels


@dataclass(frozen=True)
class LevelSettings(Settings):
    """How levels are sampled."""

    prior: Annotated[Literal["agent", "shared"],
        "A class prior for each `agent`, where not given, or one that is `shared`, as printed, "
        "which pulls the scores of different agents together."] = "agent"  # fmt: skip
    alpha_mu: Annotated[float, Above(0),
        "Weight of the prior of each level, in responses; 1 where not given."] = 1.0  # fmt: skip
    alpha_pi: Annotated[float, Above(0),
        "Weight of the prior of each entry of a confusion matrix, in labels; 1 where not "
        "given."] = 1.0  # fmt: skip
    chains: Annotated[int, AtLeast(1), "Chains of each fit; 2 where not given."] = 2
    warmup: Annotated[int, AtLeast(0),
        "Sweeps of each chain that are thrown away; 200 where not given."] = 200  # fmt: skip
    draws: Annotated[int, AtLeast(1), "Draws of each chain that are kept; 500 where not given."] = (
        500
    )
    lag: Annotated[int, AtLeast(1), "Sweeps from one kept draw to the next; 5 where not given."] = 5


@dataclass(frozen=True)
class LevelDraws:
    """Draws of the posterior; S agents, P class priors (S, or 1 shared by all)."""

    count: np.ndarray  # (chains, D, S, K) responses by agent and level, of those with labels
    prior: np.ndarray  # (chains, D, P, K) class priors mu
    probability: np.ndarray  # (I, K) P(z_i = k | labels); 0 where a response has none
    confusion: np.ndarray  # (A, K, K) posterior means of pi, the true level in rows
    diagnostics: Diagnostics  # of the agents' numbers of responses by level


class _Data(NamedTuple):
    """What a chain reads: labels by item, the class prior and the agent of each item."""

    start: np.ndarray
    cell: np.ndarray
    prior_of: np.ndarray
    agent_of: np.ndarray
    alpha_mu: float
    alpha_pi: float


@kernel()
def _draw_rates(
    data: _Data, level: np.ndarray, mu: np.ndarray, weight: np.ndarray, rng: np.random.Generator
) -> None:
    """Draw class priors (P, K) and weights (A K, K) of labels by level, given the levels (I,)."""
    K = mu.shape[1]
    shape, drawn = np.full(mu.shape, data.alpha_mu), np.empty(K)
    counts = np.full(weight.shape, data.alpha_pi)
    for item in range(len(level)):
        first, last = data.start[item], data.start[item + 1]
        if first == last:
            continue
        shape[data.prior_of[item], level[item]] += 1
        for place in range(first, last):
            counts[data.cell[place], level[item]] += 1
    for one in range(len(mu)):
        draw_dirichlet(shape[one], mu[one], rng)
    for first in range(0, len(weight), K):
        for k in range(K):
            draw_dirichlet(counts[first : first + K, k].copy(), drawn, rng)
            weight[first : first + K, k] = drawn


@kernel()
def _draw_levels(
    data: _Data, level: np.ndarray, mu: np.ndarray, weight: np.ndarray, chance: np.ndarray,
    keep: bool, rng: np.random.Generator,
) -> None:  # fmt: skip
    """Draw the level of every response; where they are kept, add their probabilities (I, K)."""
    K = mu.shape[1]
    own = np.empty(K)
    for item in range(len(level)):
        first, last = data.start[item], data.start[item + 1]
        if first == last:
            continue
        own[:] = mu[data.prior_of[item]]
        for place in range(first, last):
            total = 0.0
            for k in range(K):
                own[k] *= weight[data.cell[place], k]
                total += own[k]
            if total < SMALL:
                own /= own.max()
        total = own.sum()
        left, chosen = rng.random() * total, K - 1
        for k in range(K):
            left -= own[k]
            if left < 0:
                chosen = k
                break
        level[item] = chosen
        if keep:
            chance[item] += own / total


@kernel()
def _run_chain(
    data: _Data, level: np.ndarray, mu: np.ndarray, weight: np.ndarray, warmup: int, lag: int,
    count: np.ndarray, prior: np.ndarray, chance: np.ndarray, total: np.ndarray,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Run a chain; fill count (D, S, K) and prior (D, P, K), add to chance and total (A K, K)."""
    for sweep in range(1, warmup + len(count) * lag + 1):
        after = sweep - warmup
        keep = after > 0 and after % lag == 0
        _draw_rates(data, level, mu, weight, rng)
        _draw_levels(data, level, mu, weight, chance, keep, rng)
        if keep:
            draw = after // lag - 1
            prior[draw] = mu
            total += weight
            for item in range(len(level)):
                if data.start[item] < data.start[item + 1] and data.agent_of[item] >= 0:
                    count[draw, data.agent_of[item], level[item]] += 1


def sample_levels(
    annotations: Annotations, settings: LevelSettings, rng: np.random.Generator
) -> LevelDraws:
    """Sample levels of agents' responses (items); `InputError` for no labels, or no agents."""
    if len(annotations) == 0 or len(annotations.agent) == 0:
        missing = "labels" if len(annotations) == 0 else "agents"
        raise InputError(f"the table has no {missing}; expected at least one")
    s, labels = settings, Labels.of(annotations, 0)
    S, A, K = len(annotations.agent), len(annotations.annotator), len(annotations.category)
    shared = s.prior == "shared"
    # Responses of no agent have a class prior too, the last.
    prior_of = np.zeros_like(annotations.agent_of) if shared else annotations.agent_of % (S + 1)
    P = 1 if shared else S + 1
    data = _Data(
        labels.start, labels.cell, prior_of, annotations.agent_of, float(s.alpha_mu),
        float(s.alpha_pi),
    )  # fmt: skip
    count = np.zeros((s.chains, s.draws, S, K), dtype=np.int64)
    prior = np.empty((s.chains, s.draws, P, K))
    chance, total = np.zeros((len(annotations.item), K)), np.zeros((A * K, K))
    for chain, own in enumerate(rng.spawn(s.chains)):
        level = majority_labels(annotations, "random", own)
        level[level == NO_LABEL] = 0
        if chain > 0:  # a tenth of the levels start at random
            other = own.integers(0, K, len(level))
            level = np.where(own.random(len(level)) < 0.1, other, level)
        level = level.astype(np.int64)
        mu, weight = np.empty((P, K)), np.empty((A * K, K))
        _run_chain(
            data, level, mu, weight, s.warmup, s.lag, count[chain], prior[chain], chance, total, own
        )
    kept = s.chains * s.draws
    confusion = (total / kept).reshape(A, K, K).transpose(0, 2, 1)
    moving = {
        f"count[{agent},{level}]": count[:, :, agent, level].astype(float)
        for agent in range(S)
        for level in range(K)
        if s.chains > 1 and (count[:, :, agent, level].std(axis=1) > 0).all()
    }
    gate = diagnose(moving, 0, 0) if moving else Diagnostics()
    return LevelDraws(count, prior[:, :, :S], chance / kept, confusion, gate)
