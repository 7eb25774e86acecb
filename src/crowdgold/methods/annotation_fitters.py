"""How each method on Annotations is called: from the one signature of all to its own function.

A method's module is imported where it is called, so that a job loads no more than it needs.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit

from crowdgold.data import Annotations, InputError, Items
from crowdgold.inference.labels import Fit
from crowdgold.methods.fitters import Fitter, sampler_of, settings_named
from crowdgold.models.stan import StanModels

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

AnnotationsFitter = Callable[[Annotations, np.random.Generator, Mapping[str, Any], StanModels], Fit]
"""(annotations, rng, settings, compiled models) -> Fit."""


def of_labels(fitter: AnnotationsFitter) -> Fitter:
    """The fitter of Items that fits the labels behind their votes."""

    def of_items(
        items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
    ) -> Fit:
        return fitter(_labels(items), rng, settings, stan)

    return of_items


def _labels(items: Items) -> Annotations:
    assert items.labels is not None  # `Method.fit` has looked.
    return items.labels


def clara_with_scores(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
) -> Fit:
    """Fit CLARA to the labels behind the votes of Items, and to the scores of the first predictor.

    Its scores are vectors, by default with log ratios that are normal within a class: a probability
    p is (1 - p, p), and a score that is none is taken for a log ratio.
    """
    from crowdgold.methods.clara import fit_clara

    name = items.predictors[0]
    scores = items.scores[name]
    if scores.min() < 0 or scores.max() > 1:
        vectors = np.stack([expit(-scores), expit(scores)], axis=1)
    else:
        vectors = np.stack([1 - scores, scores], axis=1)
    labels = replace(_labels(items), scores={name: vectors})
    own = {"score_scale": "log_ratio", **settings_named(settings, *CLARA_SETTINGS)}
    return fit_clara(labels, rng, own)


def annotated_majority(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit MV to Annotations."""
    from crowdgold.methods.annotated_majority import fit_annotated_majority

    return fit_annotated_majority(annotations, rng, **settings_named(settings, "judges", "ties"))


def levels(name: str, hard: bool) -> AnnotationsFitter:
    """The fitter of confusion matrices by EM: items by their most probable level, or not."""

    def fitter(
        annotations: Annotations,
        rng: np.random.Generator,
        settings: Mapping[str, Any],
        stan: StanModels,
    ) -> Fit:
        from crowdgold.methods.confusion_em import fit_levels

        if "phi_prior" in settings:
            raise InputError(f"{name}: phi_prior is of Items; of Annotations em is")
        return fit_levels(annotations, name, hard, **settings_named(settings, "em"))

    return fitter


def two_way(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit PEC-two-way."""
    from crowdgold.methods.agent_draws import fit_two_way

    return fit_two_way(annotations, rng, **settings_named(settings, "em", "resamples"))


def level_posterior(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit PEC-posterior."""
    from crowdgold.methods.agent_draws import fit_posterior

    return fit_posterior(annotations, rng, settings_named(settings, *LEVEL_SETTINGS))


def clara(ordered: bool = False, printed: bool = False) -> AnnotationsFitter:
    """The fitter of CLARA: its prior cut to TPR + TNR > 1, or its interval as printed."""

    def fitter(
        annotations: Annotations,
        rng: np.random.Generator,
        settings: Mapping[str, Any],
        stan: StanModels,
    ) -> Fit:
        from crowdgold.methods.clara import fit_clara

        return fit_clara(
            annotations, rng, settings_named(settings, *CLARA_SETTINGS), ordered, printed
        )

    return fitter


def snorkel(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit Snorkel's label model."""
    from crowdgold.methods.snorkel import fit_snorkel

    return fit_snorkel(annotations, rng)


def rogan_gladen(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit Rogan-Gladen."""
    from crowdgold.methods.judge_error import fit_rogan_gladen

    return fit_rogan_gladen(annotations, rng, settings)


def rate_posterior(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit Rogan-Gladen-Bayes."""
    from crowdgold.methods.judge_error import fit_rate_posterior

    return fit_rate_posterior(annotations, rng, settings)


def power_tuned_judgements(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit PPI++ to judgements."""
    from crowdgold.methods.judge_error import fit_power_tuned

    return fit_power_tuned(annotations, rng, settings)


def vote_model(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
) -> Fit:
    """Fit MAVEN's vote model to judgements."""
    from crowdgold.methods.judge_error import fit_vote_model

    return fit_vote_model(annotations, rng, settings, stan, sampler_of(settings))
