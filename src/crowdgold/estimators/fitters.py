"""How each method is called: from the one signature of all to its own function.

A method's module is imported where it is called, so that a job loads no more than it needs.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from crowdgold.data import Annotations, InputError, Items
from crowdgold.estimators.posterior import Fit, LabelPrediction, Labels, MeanPrediction
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

CLARA_SETTINGS = (
    "confusion",
    "alpha",
    "gamma",
    "sampler",
    "conditional",
    "gaussians",
    "score_scale",
    "chains",
    "warmup",
    "draws",
    "lag",
)

JUDGED_GROUPS = ("judges", "gold", "tested")
"""Settings that name groups of annotators."""

LEVEL_SETTINGS = ("prior", "alpha_mu", "alpha_pi", "chains", "warmup", "draws", "lag")

DRAWS = 500
"""Imputed data sets where the settings do not say how many."""

Fitter = Callable[[Items, np.random.Generator, Mapping[str, Any], StanModels], Fit]
"""(items, rng, settings, compiled models) -> Fit."""
AnnotationsFitter = Callable[[Annotations, np.random.Generator, Mapping[str, Any], StanModels], Fit]
"""(annotations, rng, settings, compiled models) -> Fit."""
Probability = Mapping[str, np.ndarray]
Prediction = Callable[[Items, np.random.Generator], Probability]
"""(items, rng) -> predictor -> predicted P(Y_i = 1)."""
Correction = Callable[[Probability, Mapping[str, Any]], Labels]
"""(predictor -> predicted P(Y_i = 1), settings) -> what evaluation corrects by the gold labels."""


def _sampler(settings: Mapping[str, Any]) -> SamplerSettings:
    return SamplerSettings(**settings.get("sampler", {}))


def _draws(settings: Mapping[str, Any]) -> int:
    return int(settings.get("imputations", DRAWS))


def _own(settings: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: settings[name] for name in names if name in settings}


def majority_vote(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit MV."""
    from crowdgold.estimators.votes_and_gold import fit_majority_vote

    if settings.get("judges"):
        raise InputError("MV: judges is a group of Annotations; Items do not say who voted")
    if settings.get("ties", "random") != "random":
        raise InputError("MV: ties of Items are decided at random; other rules are of Annotations")
    return fit_majority_vote(items, rng)


def annotated_majority(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit MV to Annotations."""
    from crowdgold.estimators.annotated_majority import fit_annotated_majority

    return fit_annotated_majority(annotations, rng, **_own(settings, "judges", "ties"))


def gold(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit GT."""
    from crowdgold.estimators.votes_and_gold import fit_gold

    return fit_gold(items, rng)


def gold_and_majority_vote(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit GT+MV."""
    from crowdgold.estimators.votes_and_gold import fit_gold_and_majority_vote

    return fit_gold_and_majority_vote(items, rng)


def oracle(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit ORACLE."""
    from crowdgold.estimators.oracle import fit_oracle

    return fit_oracle(items, _draws(settings))


def dawid_skene(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit DS."""
    from crowdgold.estimators.dawid_skene import fit_dawid_skene

    if "em" in settings:
        raise InputError("DS: em is of Annotations; Items do not say who voted")
    own = _own(settings, "phi_prior")
    return fit_dawid_skene(items, rng, stan, _sampler(settings), _draws(settings), **own)


def levels(name: str, hard: bool) -> AnnotationsFitter:
    """Give the fitter of confusion matrices by EM: items by their most probable level, or not."""

    def fitter(
        annotations: Annotations,
        rng: np.random.Generator,
        settings: Mapping[str, Any],
        stan: StanModels,
    ) -> Fit:
        from crowdgold.estimators.confusion_em import fit_levels

        if "phi_prior" in settings:
            raise InputError(f"{name}: phi_prior is of Items; of Annotations em is")
        return fit_levels(annotations, name, hard, **_own(settings, "em"))

    return fitter


def two_way(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit PEC-two-way."""
    from crowdgold.estimators.agent_draws import fit_two_way

    return fit_two_way(annotations, rng, **_own(settings, "em", "resamples"))


def level_posterior(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit PEC-posterior."""
    from crowdgold.estimators.agent_draws import fit_posterior

    return fit_posterior(annotations, rng, _own(settings, *LEVEL_SETTINGS))


def dawid_skene_scores(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit DS+S."""
    from crowdgold.estimators.dawid_skene_scores import fit_dawid_skene_scores

    own = _own(settings, "scores")
    return fit_dawid_skene_scores(items, rng, stan, _sampler(settings), _draws(settings), **own)


def human_ai(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit H-AI."""
    from crowdgold.estimators.human_ai import fit_human_ai

    own = _own(settings, "scores", "epsilon")
    return fit_human_ai(items, rng, stan, _sampler(settings), _draws(settings), **own)


def maven(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit MAVEN, in all its versions."""
    from crowdgold.estimators.maven import MavenSettings, fit_maven

    own = _own(settings, *MAVEN_SETTINGS, "threads")
    return fit_maven(items, rng, stan, _sampler(settings), _draws(settings), MavenSettings(**own))


def rectified(probability: Probability, settings: Mapping[str, Any]) -> Labels:
    """Rectify each metric by the gold labels (`evaluation.rectified`)."""
    return LabelPrediction(probability, settings.get("target", "items"))


def power_tuned(probability: Probability, settings: Mapping[str, Any]) -> Labels:
    """Correct a mean by the gold labels, as AutoEval does (`evaluation.power_tuned_mean`)."""
    return MeanPrediction(probability)


def from_scores(items: Items, rng: np.random.Generator) -> Probability:
    """Predict from raw scores."""
    from crowdgold.estimators.label_prediction import predict_from_scores

    return predict_from_scores(items)


def from_votes(items: Items, rng: np.random.Generator) -> Probability:
    """Predict from shares of positive votes."""
    from crowdgold.estimators.label_prediction import predict_from_votes

    return predict_from_votes(items)


def from_regression(items: Items, rng: np.random.Generator) -> Probability:
    """Predict by a cross-fitted logistic regression on votes and scores."""
    from crowdgold.estimators.logistic import predict_by_regression

    return predict_by_regression(items, rng)


def corrected(name: str, predict: Prediction, correct: Correction) -> Fitter:
    """Give the fitter that corrects a prediction that needs no model."""

    def fitter(
        items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
    ) -> Fit:
        from crowdgold.estimators.label_prediction import require_gold

        require_gold(items, name)
        return Fit(name, correct(predict(items, rng), settings))

    return fitter


def maven_corrected(name: str, correct: Correction) -> Fitter:
    """Give the fitter that corrects MAVEN's posterior means; few draws do for a mean."""

    def fitter(
        items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
    ) -> Fit:
        from crowdgold.estimators.label_prediction import (
            PREDICTION_DRAWS,
            predict_from_posterior,
            require_gold,
        )

        require_gold(items, name)
        sampler = _sampler(settings)
        draws = min(PREDICTION_DRAWS, sampler.chains * sampler.draws)
        fitted = maven(items, rng, {**settings, "imputations": draws}, stan)
        probability = predict_from_posterior(fitted, items, rng)
        return replace(fitted, labels=correct(probability, settings))

    return fitter


def clara(ordered: bool = False, printed: bool = False) -> AnnotationsFitter:
    """Give the fitter of CLARA: its prior cut to TPR + TNR > 1, or its interval as printed."""

    def fitter(
        annotations: Annotations,
        rng: np.random.Generator,
        settings: Mapping[str, Any],
        stan: StanModels,
    ) -> Fit:
        from crowdgold.estimators.clara import fit_clara

        return fit_clara(annotations, rng, _own(settings, *CLARA_SETTINGS), ordered, printed)

    return fitter


def snorkel(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit Snorkel's label model."""
    from crowdgold.estimators.snorkel import fit_snorkel

    return fit_snorkel(annotations, rng)


def rogan_gladen(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit Rogan-Gladen."""
    from crowdgold.estimators.judge_error import fit_rogan_gladen

    return fit_rogan_gladen(annotations, rng, settings)


def rate_posterior(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit Rogan-Gladen-Bayes."""
    from crowdgold.estimators.judge_error import fit_rate_posterior

    return fit_rate_posterior(annotations, rng, settings)


def power_tuned_judgements(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit PPI++ to judgements."""
    from crowdgold.estimators.judge_error import fit_power_tuned

    return fit_power_tuned(annotations, rng, settings)


def vote_model(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit MAVEN's vote model to judgements."""
    from crowdgold.estimators.judge_error import fit_vote_model

    return fit_vote_model(annotations, rng, settings, stan, _sampler(settings))
