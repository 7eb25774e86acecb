"""Methods by the papers' short names, and the one way to call them."""

import difflib
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from crowdgold.data import InputError, Table
from crowdgold.estimators import annotation_fitters, fitters
from crowdgold.estimators.annotation_fitters import CLARA_SETTINGS, JUDGED_GROUPS, LEVEL_SETTINGS
from crowdgold.estimators.fitters import MAVEN_SETTINGS, power_tuned, rectified
from crowdgold.estimators.method import Method, Models
from crowdgold.estimators.posterior import Fit
from crowdgold.models.stan import SamplerSettings, StanModels

SHARED_SETTINGS = ("sampler", "imputations", "threads")

NESTED = ("cut", "nested")
PAIRWISE_OR_CALIBRATED: Models = {
    (NESTED, ("score_likelihood", None)): ("score",),
    (NESTED, ("score_likelihood", "pairwise")): ("score",),
    (NESTED, ("score_likelihood", "calibrated")): ("score_ordinal",),
}
JUDGED = ("judge_error", "annotated_majority")
CALIBRATED: Models = {(NESTED,): ("score_ordinal",)}


_ALL = (
    Method(
        "MV",
        "majority vote",
        fitters.majority_vote,
        ("votes_and_gold", "annotated_majority"),
        annotations_fitter=annotation_fitters.annotated_majority,
        own_settings=("judges", "ties"),
    ),
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
        ("dawid_skene", "confusion_em"),
        models_of_settings={(("em", None),): ("dawid_skene",)},
        annotations_fitter=annotation_fitters.levels("DS", hard=True),
        own_settings=("phi_prior", "em"),
    ),
    Method(
        "PEC",
        "posterior expected credit (STABLEVAL)",
        None,
        ("confusion_em",),
        annotations_fitter=annotation_fitters.levels("PEC", hard=False),
        own_settings=("em",),
    ),
    Method(
        "PEC-two-way",
        "PEC with a bootstrap over responses and annotators",
        None,
        ("agent_draws",),
        annotations_fitter=annotation_fitters.two_way,
        own_settings=("em", "resamples"),
    ),
    Method(
        "PEC-posterior",
        "PEC from the full posterior, a class prior for each agent",
        None,
        ("agent_draws",),
        annotations_fitter=annotation_fitters.level_posterior,
        own_settings=LEVEL_SETTINGS,
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
    Method(
        "CLARA",
        "CLARA",
        None,
        ("clara",),
        annotations_fitter=annotation_fitters.clara(),
        own_settings=CLARA_SETTINGS,
    ),
    Method(
        "CLARA-printed",
        "CLARA with the published interval of the prevalence",
        None,
        ("clara",),
        annotations_fitter=annotation_fitters.clara(printed=True),
        own_settings=CLARA_SETTINGS,
    ),
    Method(
        "CLARA-ordered",
        "CLARA with its prior cut to TPR + TNR > 1",
        None,
        ("clara",),
        annotations_fitter=annotation_fitters.clara(ordered=True),
        own_settings=CLARA_SETTINGS,
    ),
    Method(
        "Snorkel",
        "Snorkel's label model",
        None,
        ("snorkel",),
        annotations_fitter=annotation_fitters.snorkel,
        package="snorkel",
    ),
    Method(
        "Rogan-Gladen",
        "the share judged positive, corrected for the judges' errors",
        None,
        JUDGED,
        annotations_fitter=annotation_fitters.rogan_gladen,
        own_settings=("interval", *JUDGED_GROUPS),
    ),
    Method(
        "Rogan-Gladen-adjusted",
        "Rogan-Gladen with the interval of Lang and Reiczigel",
        None,
        JUDGED,
        annotations_fitter=annotation_fitters.rogan_gladen,
        own_settings=JUDGED_GROUPS,
        preset={"interval": "adjusted"},
    ),
    Method(
        "Rogan-Gladen-Bayes",
        "the posterior of the rate and of the judges' TPR and TNR",
        None,
        JUDGED,
        annotations_fitter=annotation_fitters.rate_posterior,
        own_settings=("draws", *JUDGED_GROUPS),
    ),
    Method(
        "PPI++",
        "the power-tuned mean of judgements and gold labels",
        None,
        JUDGED,
        annotations_fitter=annotation_fitters.power_tuned_judgements,
        own_settings=JUDGED_GROUPS,
    ),
    Method(
        "MAVEN-votes",
        "MAVEN's vote model, without scores",
        None,
        JUDGED,
        ("vote",),
        annotations_fitter=annotation_fitters.vote_model,
        own_settings=JUDGED_GROUPS,
    ),
)

METHODS: dict[str, Method] = {method.name: method for method in _ALL}
"""The methods by their short names, in the order in which figures show them."""


def _check_settings(method: Method, settings: Mapping[str, Any]) -> None:
    # Some have a setting of that name that is not about Stan.
    sampler = {} if "sampler" in method.own_settings else settings.get("sampler", {})
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


def method_named(name: str) -> Method:
    """Give a method by its short name; `InputError` with the nearest where there is none."""
    if name not in METHODS:
        near = difflib.get_close_matches(name.upper(), METHODS, 1, 0)
        raise InputError(f"no method {name!r}; did you mean {near[0]!r}? ({', '.join(METHODS)})")
    return METHODS[name]


def fit(
    method: str,
    table: Table,
    rng: np.random.Generator,
    settings: Mapping[str, Any] | None = None,
    stan: StanModels | None = None,
) -> Fit:
    """Fit a method to a table.

    Args:
        method: a key of `METHODS`.
        table: votes, gold labels and scores; or each annotator's labels.
        rng: source of all random numbers of the method.
        settings: `sampler` (chains, warmup, draws), `imputations`, and the method's own.
        stan: compiled models; by default they are compiled when first used.

    Raises:
        InputError: where the method is not known, or the table is of another kind or lacks what it
            needs.
    """
    chosen = method_named(method)
    _check_settings(chosen, settings or {})
    complete = {**(settings or {}), **chosen.preset}
    fitted = chosen.fit(table, rng, complete, stan or StanModels())
    return replace(fitted, method=method)
