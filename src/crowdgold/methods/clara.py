"""CLARA (section 3.2): prevalence, confusion matrices and true labels by Gibbs sampling.

CLARA's estimates and intervals are those of the posterior. CLARA-published is the sampler of the
authors' public code, with its prior, and takes quantiles of conditional means for an interval.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

import numpy as np
from scipy.special import expit

from crowdgold.inference.labels import ConfusionPosterior, Fit
from crowdgold.methods.method import MODEL, OF_RATES, Method, Offer, Run, Style, of_labels_behind
from crowdgold.methods.needs import (
    ANNOTATORS,
    FEW_LABELS,
    SCORES,
    SEVERAL,
    SEVERAL_LABELS,
    Doubt,
    Facts,
    few_items,
    shared_errors,
)
from crowdgold.models.clara.gibbs import (
    ClaraFit,
    ClaraSettings,
    Scale,
    sample_clara,
    swapped_note,
)
from crowdgold.models.clara.model import empirical_prior, matrix_of_label
from crowdgold.models.clara.published import (
    PublishedSettings,
    published_prior,
    sample_published,
)
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


@dataclass(frozen=True)
class ClaraOfScores(Clara):
    """Settings of CLARA+S."""

    score_scale: Scale = "log_ratio"


def _fit_of(
    name: str, found: ClaraFit, annotations: Annotations, confusion: str, start: float,
    note: Note | None = None,
) -> Fit:  # fmt: skip
    """A fit of sampled rates, timed from `start`."""
    matrix_of, _ = matrix_of_label(annotations, confusion)
    # Matrices may be kept of some of the draws only.
    of_chains = found.theta, found.theta[:, :: found.psi_step], found.psi
    prevalence, rates_with, matrices = (one.reshape(-1, *one.shape[2:]) for one in of_chains)
    posterior = ConfusionPosterior(
        prevalence, rates_with, matrices, matrix_of, found.probability, found.swapped, note
    )
    return Fit(name, posterior, found.diagnostics, {"inference": time.perf_counter() - start})


def fit_labels(
    annotations: Annotations, rng: np.random.Generator, settings: Clara, run: Run
) -> Fit:
    """CLARA's posterior from labels, and from scores of any number of classifiers."""
    start = time.perf_counter()
    of_gibbs = {one.name: getattr(settings, one.name) for one in fields(ClaraSettings)}
    prior = empirical_prior(annotations, settings.alpha, settings.gamma)
    found = sample_clara(annotations, prior, ClaraSettings(**of_gibbs), rng)
    note = swapped_note(found.swapped)
    return _fit_of("CLARA", found, annotations, settings.confusion, start, note)


def fit_published(
    annotations: Annotations, rng: np.random.Generator, settings: PublishedSettings, run: Run
) -> Fit:
    """The published chain's conditional means, from labels and from scores of any classifiers."""
    start = time.perf_counter()
    found = sample_published(annotations, published_prior(annotations), settings, rng)
    return _fit_of("CLARA-published", found, annotations, settings.confusion, start)


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
UNCUT = {"ordered": False}
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
            "preset": preset, **declared,
        }
    )  # fmt: skip


OURS = _variant(
    "CLARA", "CLARA", UNCUT,
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
    "CLARA+S", "CLARA with the scores of a model", UNCUT, {"of_items": fit_with_scores},
    about=(
        "CLARA with the scores of a model, on the scale of log ratios where nothing else is said; "
        "of items that say who gave each vote."
    ),
    settings=ClaraOfScores, needs=(ANNOTATORS, SEVERAL, SCORES), style=Style("#559933", "s", "--"),
)  # fmt: skip
PUBLISHED = _variant(
    "CLARA-published", "CLARA as its authors' public code samples it", {},
    {**ALONE, "of_items": of_labels_behind(fit_published), "of_labels": fit_published},
    about=(
        "CLARA by the sampler and the prior of its authors' public code: one chain, one item at a "
        "time. Its interval has the quantiles of conditional means, and is too narrow."
    ),
    settings=PublishedSettings, variant_of="CLARA", style=Style("#CC7766", "v", "--"),
)  # fmt: skip
ORDERED = _variant(
    "CLARA-ordered", "CLARA with its prior cut to TPR + TNR > 1", {"ordered": True},
    about=(
        "CLARA with its prior cut to TPR + TNR > 1 in every confusion matrix, so that labels "
        "cannot be swapped."
    ),
    variant_of="CLARA", style=Style("#004488", "^", "-."),
)  # fmt: skip
