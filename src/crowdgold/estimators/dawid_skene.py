"""DS: Dawid and Skene (1979) with one confusion matrix for all voters (MAVEN, appendix C.1)."""

import time

import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.estimators.posterior import Fit, LabelPosterior
from crowdgold.models.stan import SamplerSettings, StanModels
from crowdgold.models.vote_fit import fit_votes
from crowdgold.models.vote_sets import find_vote_sets


def spread_draws(available: int, wanted: int) -> np.ndarray:
    """Give the positions of `wanted` draws spread evenly over all chains.

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
) -> Fit:
    """Sample Dawid-Skene and impute from P(Y | V) under each draw."""
    start = time.perf_counter()
    sets = find_vote_sets(items)
    fit = fit_votes("dawid_skene", sets, rng, stan, sampler)
    parameters = fit.parameters.select(spread_draws(len(fit.parameters), draws))
    by_set = parameters.label_probability(sets)
    posterior = LabelPosterior(
        len(parameters),
        lambda draw, predictor, rng: by_set[draw][sets.member],
        {"phi": parameters.phi, "a0": parameters.a[:, 0], "a1": parameters.a[:, 1]},
    )
    seconds = {"inference": time.perf_counter() - start}
    return Fit("DS", posterior, fit.diagnostics, seconds)
