"""Sampling the vote model and Dawid-Skene with Stan (stan/vote.stan, stan/dawid_skene.stan)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crowdgold.models.priors import UNIFORM_PHI, PhiPrior
from crowdgold.models.stan import SamplerSettings, StanModels, stan_seed
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.models.vote_sets import VoteParameters, VoteSets
from crowdgold.types.items import NO_GOLD

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
