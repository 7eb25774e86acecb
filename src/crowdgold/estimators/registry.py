"""Methods by the papers' short names, and the one way to call them."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.estimators.dawid_skene import fit_dawid_skene
from crowdgold.estimators.dawid_skene_scores import fit_dawid_skene_scores
from crowdgold.estimators.human_ai import fit_human_ai
from crowdgold.estimators.label_prediction import (
    PREDICTION_DRAWS,
    predict_from_posterior,
    predict_from_scores,
    predict_from_votes,
    require_gold,
)
from crowdgold.estimators.logistic import predict_by_regression
from crowdgold.estimators.maven import MavenSettings, fit_maven
from crowdgold.estimators.oracle import fit_oracle
from crowdgold.estimators.posterior import Fit, LabelPrediction, Labels, MeanPrediction
from crowdgold.estimators.votes_and_gold import (
    fit_gold,
    fit_gold_and_majority_vote,
    fit_majority_vote,
)
from crowdgold.models.stan import SamplerSettings, StanModels

SHARED_SETTINGS = ("sampler", "imputations", "threads")

MAVEN_SETTINGS = ("cut", "nested_iterations", "score_likelihood", "positive_sd")
CALIBRATED_MODELS = {("score_likelihood", "calibrated"): ("score_ordinal",)}

DRAWS = 500
"""Imputed data sets where the settings do not say how many."""

Fitter = Callable[[Items, np.random.Generator, Mapping[str, Any], StanModels], Fit]
Probability = Mapping[str, np.ndarray]
Correction = Callable[[Probability, Mapping[str, Any]], Labels]
"""(predictor -> predicted P(Y_i = 1), settings) -> what evaluation corrects by the gold labels."""


@dataclass(frozen=True)
class Method:
    """A method of the comparison.

    Attributes:
        name: the papers' short name.
        title: what it is, for captions.
        fitter: (items, rng, settings, stan) -> Fit.
        modules: the modules that do its work; a change of theirs makes its results stale.
        stan_models: names of the Stan models it samples.
        models_of_settings: (setting, value) -> models that it samples only where so set.
        needs_oracle: whether it needs P(Y | V) of the generator, so simulated data.
        own_settings: settings of its own, beside `SHARED_SETTINGS`.
        preset: settings that its name stands for; a configuration cannot change them.
    """

    name: str
    title: str
    fitter: Fitter
    modules: tuple[str, ...]
    stan_models: tuple[str, ...] = ()
    models_of_settings: Mapping[tuple[str, Any], tuple[str, ...]] = field(default_factory=dict)
    needs_oracle: bool = False
    own_settings: tuple[str, ...] = ()
    preset: Mapping[str, Any] = field(default_factory=dict)


def _sampler(settings: Mapping[str, Any]) -> SamplerSettings:
    return SamplerSettings(**settings.get("sampler", {}))


def _draws(settings: Mapping[str, Any]) -> int:
    return int(settings.get("imputations", DRAWS))


def _maven(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    own = {key: settings[key] for key in (*MAVEN_SETTINGS, "threads") if key in settings}
    return fit_maven(items, rng, stan, _sampler(settings), _draws(settings), MavenSettings(**own))


def _without_model(label: Callable[[Items, np.random.Generator], Fit]) -> Fitter:
    return lambda items, rng, settings, stan: label(items, rng)


def _dawid_skene(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    return fit_dawid_skene(items, rng, stan, _sampler(settings), _draws(settings))


def _own(settings: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: settings[name] for name in names if name in settings}


def _dawid_skene_scores(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    own = _own(settings, "scores")
    return fit_dawid_skene_scores(items, rng, stan, _sampler(settings), _draws(settings), **own)


def _human_ai(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    own = _own(settings, "scores", "epsilon")
    return fit_human_ai(items, rng, stan, _sampler(settings), _draws(settings), **own)


def _oracle(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    return fit_oracle(items, _draws(settings))


def _rectified(probability: Probability, settings: Mapping[str, Any]) -> Labels:
    return LabelPrediction(probability, settings.get("target", "items"))


def _autoeval(probability: Probability, settings: Mapping[str, Any]) -> Labels:
    return MeanPrediction(probability)


def _corrected(
    name: str, predict: Callable[[Items, np.random.Generator], Probability], correct: Correction
) -> Fitter:
    """Correct a prediction that needs no model of Stan's by the gold labels."""

    def fitter(
        items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
    ) -> Fit:
        require_gold(items, name)
        return Fit(name, correct(predict(items, rng), settings))

    return fitter


def _maven_corrected(name: str, correct: Correction) -> Fitter:
    """Correct MAVEN's posterior means by the gold labels; few draws are enough for a mean."""

    def fitter(
        items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
    ) -> Fit:
        require_gold(items, name)
        sampler = _sampler(settings)
        draws = min(PREDICTION_DRAWS, sampler.chains * sampler.draws)
        fitted = _maven(items, rng, {**settings, "imputations": draws}, stan)
        probability = predict_from_posterior(fitted, items, rng)
        return replace(fitted, labels=correct(probability, settings))

    return fitter


def _method(
    name: str, title: str, fitter: Fitter, *work: Callable[..., object], **more: Any
) -> Method:
    """List a method; what its results depend on is the modules of the functions in `work`."""
    return Method(name, title, fitter, tuple(one.__module__ for one in work), **more)


_ALL = (
    _method("MV", "majority vote", _without_model(fit_majority_vote), fit_majority_vote),
    _method("GT", "gold labels only", _without_model(fit_gold), fit_gold),
    _method(
        "GT+MV",
        "gold labels, and the majority vote elsewhere",
        _without_model(fit_gold_and_majority_vote),
        fit_gold_and_majority_vote,
    ),
    _method("DS", "Dawid-Skene", _dawid_skene, fit_dawid_skene, stan_models=("dawid_skene",)),
    _method("ORACLE", "imputation from the true P(Y | V)", _oracle, fit_oracle, needs_oracle=True),
    _method(
        "DS+S",
        "Dawid-Skene with scores",
        _dawid_skene_scores,
        fit_dawid_skene_scores,
        stan_models=("dawid_skene_scores",),
        own_settings=("scores",),
    ),
    _method(
        "H-AI",
        "human-AI complementarity",
        _human_ai,
        fit_human_ai,
        stan_models=("human_ai",),
        own_settings=("scores", "epsilon"),
    ),
    _method(
        "MAVEN",
        "MAVEN",
        _maven,
        fit_maven,
        stan_models=("vote", "score"),
        models_of_settings=CALIBRATED_MODELS,
        own_settings=MAVEN_SETTINGS,
    ),
    _method(
        "MAVEN-R",
        "MAVEN, rectified by the gold labels",
        _maven_corrected("MAVEN-R", _rectified),
        fit_maven,
        predict_from_posterior,
        stan_models=("vote", "score"),
        models_of_settings=CALIBRATED_MODELS,
        own_settings=(*MAVEN_SETTINGS, "target"),
    ),
    _method(
        "score-R",
        "raw scores, rectified by the gold labels",
        _corrected("score-R", lambda items, rng: predict_from_scores(items), _rectified),
        predict_from_scores,
        own_settings=("target",),
    ),
    _method(
        "votes-R",
        "vote shares, rectified by the gold labels",
        _corrected("votes-R", lambda items, rng: predict_from_votes(items), _rectified),
        predict_from_votes,
        own_settings=("target",),
    ),
    _method(
        "logistic-R",
        "cross-fitted logistic regression, rectified by the gold labels",
        _corrected("logistic-R", predict_by_regression, _rectified),
        predict_by_regression,
        own_settings=("target",),
    ),
    _method(
        "AutoEval",
        "AutoEval from raw scores",
        _corrected("AutoEval", lambda items, rng: predict_from_scores(items), _autoeval),
        predict_from_scores,
    ),
    _method(
        "AutoEval+MAVEN",
        "AutoEval from MAVEN's posterior probabilities",
        _maven_corrected("AutoEval+MAVEN", _autoeval),
        fit_maven,
        predict_from_posterior,
        stan_models=("vote", "score"),
        models_of_settings=CALIBRATED_MODELS,
        own_settings=MAVEN_SETTINGS,
    ),
    _method(
        "MAVEN-C",
        "MAVEN with the calibrated score likelihood",
        _maven,
        fit_maven,
        stan_models=("vote",),
        models_of_settings={("cut", "nested"): ("score_ordinal",)},
        own_settings=MAVEN_SETTINGS,
        preset={"score_likelihood": "calibrated", "positive_sd": False},
    ),
    _method(
        "MAVEN-CS",
        "MAVEN-C with a standard deviation of positives of its own",
        _maven,
        fit_maven,
        stan_models=("vote",),
        models_of_settings={("cut", "nested"): ("score_ordinal",)},
        own_settings=MAVEN_SETTINGS,
        preset={"score_likelihood": "calibrated", "positive_sd": True},
    ),
)

METHODS: dict[str, Method] = {method.name: method for method in _ALL}
"""The methods by their short names, in the order in which figures show them."""


def _check_settings(method: Method, settings: Mapping[str, Any]) -> None:
    sampler = settings.get("sampler", {})
    own = [name for name in method.own_settings if name not in method.preset]
    groups = (
        (settings, (*SHARED_SETTINGS, *own), method.name),
        (sampler, tuple(one.name for one in fields(SamplerSettings)), "sampler"),
    )
    for given, known, where in groups:
        for name in given:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1, 0)[0]
                raise InputError(f"{where}: no setting {name!r}; did you mean {near!r}?")


def fit(
    method: str,
    items: Items,
    rng: np.random.Generator,
    settings: Mapping[str, Any] | None = None,
    stan: StanModels | None = None,
) -> Fit:
    """Fit a method to a table.

    Args:
        method: a key of `METHODS`.
        items: votes, gold labels and scores.
        rng: source of all random numbers of the method.
        settings: `sampler` (chains, warmup, draws), `imputations`, and the method's own.
        stan: compiled models; by default they are compiled when first used.

    Raises:
        InputError: where the method is not known, or the table lacks what it needs.
    """
    if method not in METHODS:
        near = difflib.get_close_matches(method.upper(), METHODS, 1, 0)
        raise InputError(f"no method {method!r}; did you mean {near[0]!r}? ({', '.join(METHODS)})")
    chosen = METHODS[method]
    _check_settings(chosen, settings or {})
    complete = {**(settings or {}), **chosen.preset}
    fitted = chosen.fitter(items, rng, complete, stan or StanModels())
    return replace(fitted, method=method)
