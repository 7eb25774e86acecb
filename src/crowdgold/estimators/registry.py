"""Methods by the papers' short names, and the one way to call them."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.estimators import fitters
from crowdgold.estimators.fitters import MAVEN_SETTINGS, Fitter, power_tuned, rectified
from crowdgold.estimators.posterior import Fit
from crowdgold.models.stan import SamplerSettings, StanModels

SHARED_SETTINGS = ("sampler", "imputations", "threads")

Models = Mapping[tuple[tuple[str, Any], ...], tuple[str, ...]]
"""Values of settings, as (name, value) -> Stan models that are sampled where all are set so."""

NESTED = ("cut", "nested")
PAIRWISE_OR_CALIBRATED: Models = {
    (NESTED, ("score_likelihood", None)): ("score",),
    (NESTED, ("score_likelihood", "pairwise")): ("score",),
    (NESTED, ("score_likelihood", "calibrated")): ("score_ordinal",),
}
CALIBRATED: Models = {(NESTED,): ("score_ordinal",)}


@dataclass(frozen=True)
class Method:
    """A method of the comparison.

    Attributes:
        name: the papers' short name.
        title: what it is, for captions.
        fitter: (items, rng, settings, stan) -> Fit.
        own_modules: the modules of `crowdgold.estimators` that do its work.
        stan_models: names of the Stan models that it always samples.
        models_of_settings: those that it samples only under some settings.
        needs_oracle: whether it needs P(Y | V) of the generator, so simulated data.
        own_settings: settings of its own, beside `SHARED_SETTINGS`.
        preset: settings that its name stands for; a configuration cannot change them.
    """

    name: str
    title: str
    fitter: Fitter
    own_modules: tuple[str, ...]
    stan_models: tuple[str, ...] = ()
    models_of_settings: Models = field(default_factory=dict)
    needs_oracle: bool = False
    own_settings: tuple[str, ...] = ()
    preset: Mapping[str, Any] = field(default_factory=dict)

    @property
    def modules(self) -> tuple[str, ...]:
        """Give the modules that do its work; a change of theirs makes its results stale."""
        return tuple(f"crowdgold.estimators.{name}" for name in self.own_modules)

    def models_with(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Give the Stan models that it samples with these settings."""
        conditional = (
            models
            for conditions, models in self.models_of_settings.items()
            if all(settings.get(name) == value for name, value in conditions)
        )
        return (*self.stan_models, *(model for models in conditional for model in models))


_ALL = (
    Method("MV", "majority vote", fitters.majority_vote, ("votes_and_gold",)),
    Method("GT", "gold labels only", fitters.gold, ("votes_and_gold",)),
    Method(
        "GT+MV",
        "gold labels, and the majority vote elsewhere",
        fitters.gold_and_majority_vote,
        ("votes_and_gold",),
    ),
    Method(
        "DS",
        "Dawid-Skene",
        fitters.dawid_skene,
        ("dawid_skene",),
        ("dawid_skene",),
        own_settings=("phi_prior",),
    ),
    Method(
        "ORACLE",
        "imputation from the true P(Y | V)",
        fitters.oracle,
        ("oracle",),
        needs_oracle=True,
    ),
    Method(
        "DS+S",
        "Dawid-Skene with scores",
        fitters.dawid_skene_scores,
        ("dawid_skene_scores",),
        ("dawid_skene_scores",),
        own_settings=("scores",),
    ),
    Method(
        "H-AI",
        "human-AI complementarity",
        fitters.human_ai,
        ("human_ai",),
        ("human_ai",),
        own_settings=("scores", "epsilon"),
    ),
    Method(
        "MAVEN",
        "MAVEN",
        fitters.maven,
        ("maven",),
        ("vote",),
        PAIRWISE_OR_CALIBRATED,
        own_settings=MAVEN_SETTINGS,
    ),
    Method(
        "MAVEN-R",
        "MAVEN, rectified by the gold labels",
        fitters.maven_corrected("MAVEN-R", rectified),
        ("maven", "label_prediction"),
        ("vote",),
        PAIRWISE_OR_CALIBRATED,
        own_settings=(*MAVEN_SETTINGS, "target"),
    ),
    Method(
        "score-R",
        "raw scores, rectified by the gold labels",
        fitters.corrected("score-R", fitters.from_scores, rectified),
        ("label_prediction",),
        own_settings=("target",),
    ),
    Method(
        "votes-R",
        "vote shares, rectified by the gold labels",
        fitters.corrected("votes-R", fitters.from_votes, rectified),
        ("label_prediction",),
        own_settings=("target",),
    ),
    Method(
        "logistic-R",
        "cross-fitted logistic regression, rectified by the gold labels",
        fitters.corrected("logistic-R", fitters.from_regression, rectified),
        ("logistic", "label_prediction"),
        own_settings=("target",),
    ),
    Method(
        "AutoEval",
        "AutoEval from raw scores",
        fitters.corrected("AutoEval", fitters.from_scores, power_tuned),
        ("label_prediction",),
    ),
    Method(
        "AutoEval+MAVEN",
        "AutoEval from MAVEN's posterior probabilities",
        fitters.maven_corrected("AutoEval+MAVEN", power_tuned),
        ("maven", "label_prediction"),
        ("vote",),
        PAIRWISE_OR_CALIBRATED,
        own_settings=MAVEN_SETTINGS,
    ),
    Method(
        "MAVEN-C",
        "MAVEN with the calibrated score likelihood",
        fitters.maven,
        ("maven",),
        ("vote",),
        CALIBRATED,
        own_settings=MAVEN_SETTINGS,
        preset={"score_likelihood": "calibrated", "positive_sd": False},
    ),
    Method(
        "MAVEN-CS",
        "MAVEN-C with a standard deviation of positives of its own",
        fitters.maven,
        ("maven",),
        ("vote",),
        CALIBRATED,
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
