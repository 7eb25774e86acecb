"""DS: Dawid and Skene (1979) with one confusion matrix for all voters (MAVEN, appendix C.1)."""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.inference.labels import Fit, LabelPosterior
from crowdgold.models.priors import PhiPrior
from crowdgold.models.stan import SamplerSettings, StanModels
from crowdgold.models.vote_fit import fit_votes
from crowdgold.models.vote_sets import find_vote_sets


def spread_draws(available: int, wanted: int) -> np.ndarray:
    """The positions of `wanted` draws spread evenly over all chains.

    Raises:
        InputError: where there are fewer draws than that.
    """
    if wanted > available:
        raise InputError(
            f"imputations: {wanted} asked for, but the sampler keeps chains x draws = {available}; "
            "raise sampler: draws, or ask for fewer"
        )
    return np.linspace(0, available - 1, wanted).round().astype(int)


def fit_dawid_skene(
    items: Items,
    rng: np.random.Generator,
    stan: StanModels,
    sampler: SamplerSettings,
    draws: int,
    phi_prior: Mapping[str, Any] | None = None,
) -> Fit:
    """Sample Dawid-Skene and impute from P(Y | V) under each draw.

    Args:
        items: the table.
        rng: source of all draws.
        stan: the compiled models.
        sampler: settings of the chains.
        draws: parameter draws, one imputed data set each.
        phi_prior: `alpha` and `beta` of the beta prior of phi; 1 where one is not given.

    Raises:
        InputError: where the prior is out of range, or there are fewer draws than asked for.
    """
    start = time.perf_counter()
    sets = find_vote_sets(items)
    prior = PhiPrior.of(phi_prior or {})
    fit = fit_votes("dawid_skene", sets, rng, stan, sampler, prior)
    parameters = fit.parameters.select(spread_draws(len(fit.parameters), draws))
    by_set = parameters.label_probability(sets)
    posterior = LabelPosterior(
        len(parameters),
        lambda draw, predictor, rng: by_set[draw][sets.member],
        {"phi": parameters.phi, "a0": parameters.a[:, 0], "a1": parameters.a[:, 1]},
    )
    seconds = {"inference": time.perf_counter() - start}
    return Fit("DS", posterior, fit.diagnostics, seconds)
