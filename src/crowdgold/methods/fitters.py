"""How each method on Items is called: from the one signature of all to its own function.

A method's module is imported where it is called, so that a job loads no more than it needs.
"""

import copy
import pickle
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.inference.labels import Fit, Labels
from crowdgold.models.stan import SamplerSettings, StanModels

MAVEN_SETTINGS = (
    "cut",
    "nested_iterations",
    "score_likelihood",
    "positive_sd",
    "mu_prior",
    "delta_scale",
    "phi_prior",
)

DRAWS = 500
"""Imputed data sets where the settings do not say how many."""

Fitter = Callable[[Items, np.random.Generator, Mapping[str, Any], StanModels], Fit]
"""(items, rng, settings, compiled models) -> Fit."""
Probability = Mapping[str, np.ndarray]
Prediction = Callable[[Items, np.random.Generator], Probability]
"""(items, rng) -> predictor -> predicted P(Y_i = 1)."""
Correction = Callable[[Probability], Labels]
"""predictor -> predicted P(Y_i = 1): how gold labels correct it."""


def sampler_of(settings: Mapping[str, Any]) -> SamplerSettings:
    """How Stan samples, of a method's settings."""
    return SamplerSettings(**settings.get("sampler", {}))


def _draws(settings: Mapping[str, Any]) -> int:
    return int(settings.get("imputations", DRAWS))


def settings_named(settings: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Those of the settings that have these names."""
    return {name: settings[name] for name in names if name in settings}


def majority_vote(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit MV."""
    from crowdgold.methods.votes_and_gold import fit_majority_vote

    if settings.get("judges"):
        raise InputError("MV: judges is a group of Annotations; Items do not say who voted")
    if settings.get("ties", "random") != "random":
        raise InputError("MV: ties of Items are decided at random; other rules are of Annotations")
    return fit_majority_vote(items, rng)


def gold(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit GT."""
    from crowdgold.methods.votes_and_gold import fit_gold

    return fit_gold(items, rng)


def gold_and_majority_vote(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit GT+MV."""
    from crowdgold.methods.votes_and_gold import fit_gold_and_majority_vote

    return fit_gold_and_majority_vote(items, rng)


def oracle(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit ORACLE."""
    from crowdgold.methods.oracle import fit_oracle

    return fit_oracle(items, _draws(settings))


def dawid_skene(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit DS."""
    from crowdgold.methods.dawid_skene import fit_dawid_skene

    if "em" in settings:
        raise InputError("DS: em is of Annotations; Items do not say who voted")
    own = settings_named(settings, "phi_prior")
    return fit_dawid_skene(items, rng, stan, sampler_of(settings), _draws(settings), **own)


def dawid_skene_scores(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit DS+S."""
    from crowdgold.methods.dawid_skene_scores import fit_dawid_skene_scores

    own = settings_named(settings, "scores")
    return fit_dawid_skene_scores(items, rng, stan, sampler_of(settings), _draws(settings), **own)


def human_ai(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit H-AI."""
    from crowdgold.methods.human_ai import fit_human_ai

    own = settings_named(settings, "scores", "epsilon")
    return fit_human_ai(items, rng, stan, sampler_of(settings), _draws(settings), **own)


def maven(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit MAVEN, in all its versions; methods that correct it fit the same once."""
    from crowdgold.methods.maven import MavenSettings, fit_maven

    own = settings_named(settings, *MAVEN_SETTINGS, "threads")
    sampler, draws, chosen = sampler_of(settings), _draws(settings), MavenSettings(**own)
    table = (items.votes_positive, items.votes_total, items.gold, items.tie_break, items.scores)
    source = (rng.bit_generator.state, rng.bit_generator.seed_seq)
    key = pickle.dumps((table, source, sampler, draws, chosen))
    own_rng = copy.deepcopy(rng)
    fitted, spent = stan.latest(
        f"MAVEN, {chosen.score_likelihood}",
        key,
        lambda: (fit_maven(items, own_rng, stan, sampler, draws, chosen), own_rng),
    )
    _advance(rng, spent)
    return fitted


def _advance(rng: np.random.Generator, spent: np.random.Generator) -> None:
    """Bring a generator to where its copy stands after a fit.

    What is drawn afterwards, such as imputed labels, then never repeats the numbers of the fit,
    whether it was made or given again.
    """
    rng.bit_generator.state = spent.bit_generator.state
    if more := _spawned(spent) - _spawned(rng):
        rng.spawn(more)


def _spawned(rng: np.random.Generator) -> int:
    """Count the generators that were spawned from one, which its state does not say."""
    source = rng.bit_generator.seed_seq
    assert isinstance(source, np.random.SeedSequence)
    return source.n_children_spawned


def rogan_gladen(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit Rogan-Gladen to majority votes."""
    from crowdgold.methods.judge_error import fit_rogan_gladen_to_items

    return fit_rogan_gladen_to_items(items, rng, settings)


def from_scores(items: Items, rng: np.random.Generator) -> Probability:
    """Predict from raw scores."""
    from crowdgold.methods.label_prediction import predict_from_scores

    return predict_from_scores(items)


def from_votes(items: Items, rng: np.random.Generator) -> Probability:
    """Predict from shares of positive votes."""
    from crowdgold.methods.label_prediction import predict_from_votes

    return predict_from_votes(items)


def from_regression(items: Items, rng: np.random.Generator) -> Probability:
    """Predict by a cross-fitted logistic regression on votes and scores."""
    from crowdgold.methods.logistic import predict_by_regression

    return predict_by_regression(items)


def corrected(name: str, predict: Prediction, correct: Correction) -> Fitter:
    """The fitter that corrects a prediction that needs no model."""

    def fitter(
        items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
    ) -> Fit:
        from crowdgold.methods.label_prediction import require_gold

        require_gold(items, name)
        return Fit(name, correct(predict(items, rng)))

    return fitter


def maven_corrected(name: str, correct: Correction) -> Fitter:
    """The fitter that corrects MAVEN's posterior means: of few draws, which do for a mean."""

    def fitter(
        items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
    ) -> Fit:
        from crowdgold.methods.label_prediction import (
            PREDICTION_DRAWS,
            predict_from_posterior,
            require_gold,
        )

        require_gold(items, name)
        fitted = maven(items, rng, settings, stan)
        probability = predict_from_posterior(fitted, items, rng, draws=PREDICTION_DRAWS)
        return replace(fitted, labels=correct(probability))

    return fitter
