"""Vote sets and win counts (MAVEN, section 3.1), and the vote model of them (3.2.1, C.1).

A vote set is one observed (votes_positive, votes_total, gold) tuple; a vote pattern is what is
left of it without the gold label. Few tuples occur, so models cost the number of vote sets, not n.

Y_i ~ Bern(phi), P_i | Y_i = y ~ Beta(a_y d_y, (1 - a_y) d_y), V_i | P_i ~ Binomial(c_i, P_i).
Dawid-Skene is the limit of infinite d_y: P_i = a_y.
Both are sampled with Stan (stan/vote.stan, stan/dawid_skene.stan).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import betaln, gammaln, xlog1py, xlogy

from crowdgold.models.priors import UNIFORM_PHI, PhiPrior
from crowdgold.models.stan import SamplerSettings, StanModels, stan_seed
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.system.kernels import kernel
from crowdgold.types.items import NO_GOLD, Items, Ranking


@dataclass(frozen=True)
class VoteSets:
    """The m vote sets of a table and the vote set of each item."""

    votes_positive: np.ndarray  # votes_positive, votes_total, gold: (m,) the tuple of each, sorted
    votes_total: np.ndarray
    gold: np.ndarray
    count: np.ndarray  # (m,) items N_k in each; at least 1
    member: np.ndarray  # (n,) vote set of each item
    pattern: np.ndarray  # (m,) vote pattern of each vote set
    pattern_positive: np.ndarray  # pattern_positive, pattern_total: (p,) votes of each pattern
    pattern_total: np.ndarray

    def __len__(self) -> int:
        return len(self.count)

    @property
    def allowed(self) -> np.ndarray:
        """T^(y) for each vote set: (m, 2), true where the label y is possible."""
        return np.stack([self.gold != 1, self.gold != 0], axis=1)


def _grouped(*columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct rows of columns: (first index, group, count), by sorting one integer: far faster."""
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        low = int(column.min())
        code = code * (int(column.max()) - low + 1) + (column.astype(np.int64) - low)
    _, first, group, count = np.unique(
        code, return_index=True, return_inverse=True, return_counts=True
    )
    return first, group, count


def find_vote_sets(items: Items) -> VoteSets:
    """Group items by (votes_total, votes_positive, gold)."""
    first, member, count = _grouped(items.votes_total, items.votes_positive, items.gold)
    positive, total = items.votes_positive[first], items.votes_total[first]
    head, pattern, _ = _grouped(total, positive)
    gold = items.gold[first]
    return VoteSets(positive, total, gold, count, member, pattern, positive[head], total[head])


@kernel()
def _count_wins(member_in_order: np.ndarray, ends: np.ndarray, sets: int) -> np.ndarray:
    below, here = np.zeros(sets, dtype=np.int64), np.zeros(sets, dtype=np.int64)
    halves = np.zeros((sets, sets), dtype=np.int64)
    start = 0
    for end in ends:
        for rank in range(start, end):
            here[member_in_order[rank]] += 1
        for rank in range(start, end):
            member = member_in_order[rank]
            for other in range(sets):
                halves[member, other] += 2 * below[other] + here[other]
            halves[member, member] -= 1  # an item does not compete with itself
        for rank in range(start, end):
            member = member_in_order[rank]
            below[member] += 1
            here[member] = 0
        start = end
    return halves / 2


def win_counts(member: np.ndarray, ranking: Ranking, sets: int) -> np.ndarray:
    """W_kl (m, m), half of tied pairs included, in one pass; W_kl + W_lk = N_k N_l for k != l."""
    return np.asarray(_count_wins(member[ranking.order], ranking.ends, sets))


def log_choose(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    """The log of the binomial coefficient."""
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


@dataclass(frozen=True)
class VoteParameters:
    """D draws of the vote model's parameters."""

    phi: np.ndarray  # (D,) base rate in (0, 1)
    a: np.ndarray  # (D, 2) P(positive vote | label 0, 1): a_0 = 1 - TNR, a_1 = TPR
    d: np.ndarray  # (D, 2) beta scale; infinite where votes are independent given the label

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
        """The beta shapes of P_i given its votes and label (section 3.2.2), each (D, p, 2)."""
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

    def _log_joint(self, sets: VoteSets) -> np.ndarray:
        log_prior = np.log(np.stack([1 - self.phi, self.phi], axis=-1))
        return np.asarray(log_prior[:, None, :] + self.pattern_log_likelihood(sets))

    def label_probability(self, sets: VoteSets) -> np.ndarray:
        """q_k(1) = P(Y = 1 | vote set k) for each draw: (D, m); 0 or 1 where gold is known."""
        log_joint = self._log_joint(sets)
        log_odds = (log_joint[..., 1] - log_joint[..., 0])[:, sets.pattern]
        probability = 1 / (1 + np.exp(-np.clip(log_odds, -700, 700)))
        probability[:, sets.gold == 0] = 0.0
        probability[:, sets.gold == 1] = 1.0
        return np.asarray(probability)

    def log_likelihood(self, sets: VoteSets) -> np.ndarray:
        """sum_k N_k log L_k (section 3.2.1) for each draw: (D,)."""
        log_joint = np.where(sets.allowed[None], self._log_joint(sets)[:, sets.pattern], -np.inf)
        return np.asarray(np.logaddexp(log_joint[..., 0], log_joint[..., 1]) @ sets.count)


PARAMETERS = {"vote": ("phi", "a0", "a1", "lambda"), "dawid_skene": ("phi", "a0", "a1")}


@dataclass(frozen=True)
class VoteFit:
    """Draws of the vote model, chain after chain, with their diagnostics and their wall time."""

    parameters: VoteParameters
    diagnostics: Diagnostics
    elapsed: float


def vote_data(sets: VoteSets, phi_prior: PhiPrior = UNIFORM_PHI) -> dict[str, Any]:
    """Lay vote sets out as the data of the vote models: every V of each (votes_total, gold)."""
    groups = sorted(set(zip(sets.votes_total.tolist(), sets.gold.tolist(), strict=True)))
    start = np.cumsum([0] + [total + 1 for total, _ in groups])
    position = {group: int(first) for group, first in zip(groups, start, strict=False)}
    count = np.zeros(start[-1], dtype=int)
    columns = sets.votes_total, sets.gold, sets.votes_positive, sets.count
    for total, gold, positive, items in zip(*(x.tolist() for x in columns), strict=True):
        count[position[total, gold] + positive] = items
    return {
        "groups": len(groups), "votes_total": [total for total, _ in groups],
        "gold": [gold for _, gold in groups], "cells": len(count), "count": count.tolist(),
        "phi_prior": [phi_prior.alpha, phi_prior.beta],
    }  # fmt: skip


def start_votes(sets: VoteSets, rng: np.random.Generator) -> dict[str, Any]:
    """A chain's start near the share of positive votes, spread out so that R-hat can tell."""
    share = float(sets.votes_positive @ sets.count / (sets.votes_total @ sets.count))
    a0, a1 = rng.uniform(0.1, 0.4), rng.uniform(0.5, 0.9)
    return {"phi": float(np.clip(share * rng.uniform(0.5, 1.5), 0.02, 0.98)), "a0": a0, "a1": a1}


def fit_votes(
    name: str, sets: VoteSets, rng: np.random.Generator, stan: StanModels,
    settings: SamplerSettings, phi_prior: PhiPrior = UNIFORM_PHI,
) -> VoteFit:  # fmt: skip
    """Sample the posterior of the vote model, "vote" or "dawid_skene"."""
    seed = stan_seed(rng)
    initial = []
    for _ in range(settings.chains):
        initial.append(start_votes(sets, rng))
        if name == "vote":
            initial[-1]["lambda"] = rng.uniform(0.2, 0.6, 2).tolist()
    data = vote_data(sets, phi_prior)
    fit = stan.sample(name, data, seed, PARAMETERS[name], settings, inits=initial)
    a = np.stack([fit.flat("a0"), fit.flat("a1")], axis=1)
    d = np.full_like(a, np.inf) if name == "dawid_skene" else 1 / fit.flat("lambda") - 1
    notes = list(fit.diagnostics.notes)
    if name == "vote" and np.all(sets.gold == NO_GOLD):
        notes.append("no gold labels: phi is barely identified, it follows its prior")
    if name == "vote" and np.all(sets.votes_total == 1):
        notes.append("one vote an item: d0 and d1 are not identified, they follow their prior")
    gate = replace(fit.diagnostics, notes=tuple(notes))
    return VoteFit(VoteParameters(fit.flat("phi"), a, d), gate, fit.elapsed)
