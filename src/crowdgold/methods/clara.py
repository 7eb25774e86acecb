"""CLARA (section 3.2): prevalence, confusion matrices and true labels by Gibbs sampling.

The interval of the prevalence is that of its posterior, or as printed: the quantiles of its
conditional means given the sampled labels, which leave out how far the prevalence lies from these
and are too narrow. Estimates are posterior means.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

import numpy as np
from scipy.special import expit

from crowdgold.inference.labels import ConfusionPosterior, Fit
from crowdgold.methods.doubts import (
    FEW_LABELS,
    Doubt,
    Facts,
    few_items,
    shared_errors,
)
from crowdgold.methods.method import MODEL, OF_RATES, Method, Offer, Run, Style, of_labels_behind
from crowdgold.methods.needs import ANNOTATORS, SCORES, SEVERAL, SEVERAL_LABELS
from crowdgold.models.clara.gibbs import ClaraSettings, Scale, sample_clara, swapped_note
from crowdgold.models.clara.model import empirical_prior, matrix_of_label
from crowdgold.types.annotations import Annotations
from crowdgold.types.items import Items
from crowdgold.types.notes import Note
from crowdgold.types.parameters import Above

RARE = 0.05  # Share of positive votes below which positives may be taken for negatives


@dataclass(frozen=True)
class Clara(ClaraSettings):
    """Settings of CLARA."""

    alpha: Annotated[
        float, Above(0),
        "Weight of the prior of the prevalence, in items; its mean is the majority vote's.",
    ] = 1.0  # fmt: skip
    gamma: Annotated[
        float, Above(0),
        "Weight of the prior of each row of a confusion matrix, in labels; its mean takes the "
        "majority votes for true labels. More is firmer: with many annotators of few labels each, "
        "1 lets the rates wander and the prevalence with them.",
    ] = 1.0  # fmt: skip
    printed: Annotated[bool, "Whether the prevalence's interval is as printed."] = False


@dataclass(frozen=True)
class ClaraOfScores(Clara):
    """Settings of CLARA+S."""

    score_scale: Scale = "log_ratio"


def fit_labels(
    annotations: Annotations, rng: np.random.Generator, settings: Clara, run: Run
) -> Fit:
    """CLARA's posterior from labels, and from scores of any number of classifiers."""
    start = time.perf_counter()
    of_gibbs = {one.name: getattr(settings, one.name) for one in fields(ClaraSettings)}
    prior = empirical_prior(annotations, settings.alpha, settings.gamma)
    found = sample_clara(annotations, prior, ClaraSettings(**of_gibbs), rng)
    matrix_of, _ = matrix_of_label(annotations, settings.confusion)
    theta = found.conditional_theta if settings.printed else found.theta
    # Matrices may be kept of some of the draws only.
    of_chains = theta, found.theta[:, :: found.psi_step], found.psi
    prevalence, rates_with, confusion = (one.reshape(-1, *one.shape[2:]) for one in of_chains)
    posterior = ConfusionPosterior(
        prevalence, rates_with, confusion, matrix_of, found.probability, found.swapped,
        swapped_note(found.swapped),
    )  # fmt: skip
    return Fit("CLARA", posterior, found.diagnostics, {"inference": time.perf_counter() - start})


def fit_with_scores(items: Items, rng: np.random.Generator, settings: Clara, run: Run) -> Fit:
    """CLARA's posterior from the labels behind votes and the first predictor's scores as vectors: a
    probability p is (1 - p, p), and a score that is none is taken for a log ratio.
    """
    assert items.labels is not None  # it is a need
    name = items.predictors[0]
    scores = items.scores[name]
    if scores.min() < 0 or scores.max() > 1:
        vectors = np.stack([expit(-scores), expit(scores)], axis=1)
    else:
        vectors = np.stack([1 - scores, scores], axis=1)
    return fit_labels(replace(items.labels, scores={name: vectors}), rng, settings, run)


def _unsure_annotators(facts: Facts) -> list[Note]:
    """Doubt what labels alone say of annotators and of prevalence."""
    annotators, rare = facts.annotators or 0, min(facts.positive_votes, 1 - facts.positive_votes)
    found = []
    if annotators < 3 or facts.most_votes < 3:
        found.append(Note("fewer_than_three_labels"))
    if facts.alpha_upper <= 0:
        found.append(Note("labels_at_random"))
    if facts.median_labels < FEW_LABELS:
        found.append(Note("few_labels_each", {"few": FEW_LABELS}))
    if 2 * facts.adversarial >= annotators:
        against = {"adversarial": facts.adversarial, "annotators": annotators}
        found.append(Note("many_against", against))
    if rare < RARE:
        found.append(Note("rare_labels", {"rare": 100 * rare}))
    return found


DOUBTS: tuple[Doubt, ...] = (few_items, _unsure_annotators, shared_errors)
ALONE = {"of_items": of_labels_behind(fit_labels), "of_labels": fit_labels, "takes_weights": False}


def _variant(
    name: str, title: str, preset: Mapping[str, bool], fitters: Mapping[str, Any] = ALONE,
    **declared: Any,
) -> Method:  # fmt: skip
    """CLARA or a variant, by what is its own."""
    return Method(
        **{
            "name": name, "title": title, "settings": Clara,
            "needs": (ANNOTATORS, SEVERAL, SEVERAL_LABELS),
            "uses_gold": False, "estimates": OF_RATES, **fitters,
            "preset": {"ordered": False, "printed": False, **preset}, **declared,
        }
    )  # fmt: skip


PUBLISHED = _variant(
    "CLARA", "CLARA", {},
    about=(
        "Prevalence, confusion matrices and true labels by Gibbs sampling, from labels that say "
        "who gave them."
    ),
    style=Style("#117733", "o"),
    offer=Offer(
        use="prevalence and each annotator's errors; needs no gold",
        assumes=(
            "Each annotator has rates of error of their own, the same for every item of a class; "
            "given the class, labels are independent, and better than chance. Gold labels are not "
            "used."
        ),
        roles=(MODEL,), doubts=DOUBTS, stream=11,
        settings={"sampler": "collapsed", "chains": 4, "warmup": 1000, "draws": 500, "lag": 25},
        work=2, population_only=True,
    ),
)  # fmt: skip
WITH_SCORES = _variant(
    "CLARA+S", "CLARA with the scores of a model", {}, {"of_items": fit_with_scores},
    about=(
        "CLARA with the scores of a model, on the scale of log ratios where nothing else is said; "
        "of items that say who gave each vote."
    ),
    settings=ClaraOfScores, needs=(ANNOTATORS, SEVERAL, SCORES), style=Style("#559933", "s", "--"),
)  # fmt: skip
PRINTED = _variant(
    "CLARA-printed", "CLARA with the published interval of the prevalence", {"printed": True},
    about=(
        "CLARA with the published interval of the prevalence, the quantiles of its conditional "
        "means, which is too narrow."
    ),
    variant_of="CLARA", style=Style("#CC7766", "v", "--"),
)  # fmt: skip
ORDERED = _variant(
    "CLARA-ordered", "CLARA with its prior cut to TPR + TNR > 1", {"ordered": True},
    about=(
        "CLARA with its prior cut to TPR + TNR > 1 in every confusion matrix, so that labels "
        "cannot be swapped."
    ),
    variant_of="CLARA", style=Style("#004488", "^", "-."),
)  # fmt: skip
