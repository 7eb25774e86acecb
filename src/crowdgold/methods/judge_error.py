"""Rates corrected for judges' errors: Rogan-Gladen, its posterior, PPI++, and MAVEN's vote model.

All take the same table: labels of the sample by a group of judges, and gold labels of some items.
A judgement is the majority of an item's labels by the judges; MAVEN's vote model takes the labels
themselves. Where the judges' labels of gold items are a group of their own ("tested"), these items
are no part of the sample; PPI++ and the vote model, which want gold items drawn at random from the
sample, refuse that.
"""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from crowdgold.methods.doubts import NOT_USABLE, OF_GOLD, WEAK, Facts, Finding
from crowdgold.methods.method import CORRECTED, OF_LABELS, Method, Offer, Run, Style
from crowdgold.methods.needs import BOTH_CLASSES
from crowdgold.types.parameters import AtLeast, Settings, refuse

if TYPE_CHECKING:
    from crowdgold.inference.annotated_labels import ConfusionPosterior
    from crowdgold.inference.labels import Fit
    from crowdgold.models.judge_error import JudgementCounts
    from crowdgold.types.annotations import Annotations
    from crowdgold.types.items import Items

POWER_TUNED = "power-tuned"
SWAPPED = 0.2
"""TPR + TNR - 1 of the votes below which what they say of a rate is mostly noise."""
GROUP = "The group of annotators of that part, where it has another name."


@dataclass(frozen=True)
class Groups(Settings):
    """The names of the groups of annotators; there need be no group of tested judges."""

    judges: Annotated[str, OF_LABELS, GROUP] = "judges"
    gold: Annotated[str, OF_LABELS, GROUP] = "gold"
    tested: Annotated[str, OF_LABELS, GROUP] = "tested"


@dataclass(frozen=True)
class Corrected(Groups):
    """Settings of Rogan-Gladen."""

    interval: Annotated[
        Literal["paper", "adjusted"],
        "The `paper`'s interval, or the `adjusted` one of Lang and Reiczigel, which does not take "
        "rates of few gold labels for certain.",
    ] = "paper"
    outside: Annotated[
        Literal["clip", "keep"],
        "What to do with an estimate outside [0, 1]: `clip` it to the nearest of 0 and 1, or "
        "`keep` it, which shows no bias that is not there.",
    ] = "keep"


@dataclass(frozen=True)
class Posterior(Groups):
    """Settings of Rogan-Gladen-Bayes."""

    draws: Annotated[int, AtLeast(1), "Draws of the posterior."] = 2000


def _check_groups(annotations: "Annotations", named: Groups) -> None:
    """Refuse a table without the groups; there need be none of tested judges."""
    if len(annotations.category) != 2:
        refuse(f"a rate is of two categories; the table has {len(annotations.category)}")
    have = [str(name) for name in annotations.group]
    for part in ("judges", "gold"):
        if getattr(named, part) not in have:
            refuse(
                f"{part}: no group {getattr(named, part)!r}; the table has "
                f"{', '.join(map(repr, have))}"
            )


def _majority(annotations: "Annotations", rng: np.random.Generator, group: str) -> np.ndarray:
    """The majority of a group's labels of each item, ties at random: (I,)."""
    from crowdgold.models.majority import labels_of_group, majority_labels

    return majority_labels(labels_of_group(annotations, group), "random", rng)


def judgement_counts(
    annotations: "Annotations", named: Groups, rng: np.random.Generator
) -> "JudgementCounts":
    """Count judgements, and what gold labels say of them.

    Args:
        annotations: labels of two categories, the second positive.
        named: names of the groups.
        rng: decides tied majorities.

    Raises:
        InputError: where the table has no such groups or more than two categories.
    """
    from crowdgold.models.judge_error import JudgementCounts
    from crowdgold.models.majority import NO_LABEL

    _check_groups(annotations, named)
    sample = _majority(annotations, rng, named.judges)
    gold = _majority(annotations, rng, named.gold)
    within = named.tested not in annotations.group
    judged = sample if within else _majority(annotations, rng, named.tested)
    positive, negative = (gold == 1), (gold == 0)
    return JudgementCounts(
        positive=int((sample == 1).sum()),
        judged=int((sample != NO_LABEL).sum()),
        true_positives=int((positive & (judged == 1)).sum()),
        false_negatives=int((positive & (judged == 0)).sum()),
        true_negatives=int((negative & (judged == 0)).sum()),
        false_positives=int((negative & (judged == 1)).sum()),
        within=within,
    )


def counts_of_items(items: "Items", rng: np.random.Generator) -> "JudgementCounts":
    """Count the majority votes of items, and what their gold labels say of them.

    Args:
        items: votes, and gold labels of some of the items, drawn at random.
        rng: decides tied majorities.
    """
    from crowdgold.models.judge_error import JudgementCounts
    from crowdgold.models.majority import majority_vote

    judged, gold = majority_vote(items, rng), items.gold
    return JudgementCounts(
        positive=int((judged == 1).sum()),
        judged=len(items),
        true_positives=int(((gold == 1) & (judged == 1)).sum()),
        false_negatives=int(((gold == 1) & (judged == 0)).sum()),
        true_negatives=int(((gold == 0) & (judged == 0)).sum()),
        false_positives=int(((gold == 0) & (judged == 1)).sum()),
        within=True,
    )


def _corrected(counts: "JudgementCounts", interval: str, outside: str = "keep") -> "Fit":
    from crowdgold.inference.annotated_labels import JudgedRate
    from crowdgold.inference.labels import Fit

    return Fit("", JudgedRate(counts, interval, outside))


def correct_labels(
    annotations: "Annotations", rng: np.random.Generator, settings: Corrected, run: Run
) -> "Fit":
    """The share judged positive, corrected for the errors that gold labels show."""
    counts = judgement_counts(annotations, settings, rng)
    return _corrected(counts, settings.interval, settings.outside)


def correct_votes(items: "Items", rng: np.random.Generator, settings: Corrected, run: Run) -> "Fit":
    """The share of positive majorities, corrected for the errors that gold labels show."""
    return _corrected(counts_of_items(items, rng), settings.interval, settings.outside)


def power_tuned(
    annotations: "Annotations", rng: np.random.Generator, settings: Groups, run: Run
) -> "Fit":
    """The judgements as predictions that gold labels correct (PPI++)."""
    counts = judgement_counts(annotations, settings, rng)
    _require_random(counts, "PPI++")
    return _corrected(counts, POWER_TUNED)


def _require_random(counts: "JudgementCounts", method: str) -> None:
    if not counts.within:
        refuse(
            f"{method} needs gold labels of items drawn at random from the judged ones; the table "
            "has them on items of another set"
        )


def _posterior(
    rate: np.ndarray, tpr: np.ndarray, tnr: np.ndarray, labels: int
) -> "ConfusionPosterior":
    """Draws of a rate and of one confusion matrix that all labels are drawn from."""
    from crowdgold.inference.annotated_labels import ConfusionPosterior

    matrix = np.stack([np.stack([tnr, 1 - tnr], -1), np.stack([1 - tpr, tpr], -1)], axis=1)
    share = np.stack([1 - rate, rate], axis=1)
    whose = np.zeros(labels, dtype=np.int64)
    return ConfusionPosterior(share, share, matrix[:, None], whose, np.empty((0, 2)))


def draw_rate(
    annotations: "Annotations", rng: np.random.Generator, settings: Posterior, run: Run
) -> "Fit":
    """Draws from the posterior of the rate and of the judges' TPR and TNR."""
    from crowdgold.inference.labels import Fit
    from crowdgold.models.judge_error import draw_rates

    start = time.perf_counter()
    counts = judgement_counts(annotations, settings, rng)
    drawn = draw_rates(counts, settings.draws, rng)
    seconds = {"inference": time.perf_counter() - start}
    return Fit("Rogan-Gladen-Bayes", _posterior(*drawn, len(annotations)), seconds=seconds)


def fit_vote_model(
    annotations: "Annotations", rng: np.random.Generator, settings: Groups, run: Run
) -> "Fit":
    """MAVEN's vote model (MAVEN, section 3.2) of votes and gold labels, without scores."""
    from crowdgold.inference.labels import Fit
    from crowdgold.models.vote_fit import fit_votes
    from crowdgold.models.vote_sets import find_vote_sets

    _require_random(judgement_counts(annotations, settings, rng), "MAVEN-votes")
    items = _items(annotations, settings, rng)
    found = fit_votes("vote", find_vote_sets(items), rng, run.stan, run.sampler)
    votes = found.parameters
    posterior = _posterior(votes.phi, votes.a[:, 1], 1 - votes.a[:, 0], len(annotations))
    return Fit("MAVEN-votes", posterior, found.diagnostics, {"inference": found.elapsed})


def _items(annotations: "Annotations", named: Groups, rng: np.random.Generator) -> "Items":
    """The judges' votes and the gold labels of each item."""
    from crowdgold.models.majority import NO_LABEL
    from crowdgold.types.items import NO_GOLD, Items

    group = np.flatnonzero(annotations.group == named.judges)[0]
    own = annotations.group_of == group
    size = len(annotations.item)
    positive = np.bincount(annotations.item_of[own & (annotations.label == 1)], minlength=size)
    total = np.bincount(annotations.item_of[own], minlength=size)
    gold = _majority(annotations, rng, named.gold)
    rows = total > 0
    labels = np.where(gold == NO_LABEL, NO_GOLD, gold)[rows].astype(np.int8)
    votes = positive[rows].astype(np.int64), total[rows].astype(np.int64)
    return Items(annotations.item[rows], *votes, labels, {}, np.zeros(int(rows.sum())))


def _poor_majorities(facts: Facts) -> list[Finding]:
    """Doubt a correction by error rates near those of chance."""
    quality = facts.tpr + facts.tnr - 1
    if quality <= 0:
        why = f"TPR + TNR of the majority is {facts.tpr + facts.tnr:.2f}, not above 1"
        return [Finding(NOT_USABLE, why, "check that labels are not swapped")]
    if quality < SWAPPED:
        why = f"TPR + TNR of the majority is {facts.tpr + facts.tnr:.2f}, hardly above 1"
        return [Finding(WEAK, why, "have better or more votes")]
    return []


ROGAN_GLADEN = Method(
    name="Rogan-Gladen",
    title="the share judged positive, corrected for the judges' errors",
    about="The share judged positive, corrected for the judges' errors, which gold labels show.",
    of_items=correct_votes,
    of_labels=correct_labels,
    settings=Corrected,
    needs=(BOTH_CLASSES,),
    estimates=("prevalence",),
    takes_weights=False,
    style=Style("#2255AA", "D"),
    offer=Offer(
        use="the share of positive majorities, corrected",
        assumes=(
            "Corrects the share of items with a positive majority for the errors that majorities "
            "make on gold items. Right as long as the gold items are a random sample, since "
            "majorities must err on other items as often."
        ),
        roles=(CORRECTED,),
        doubts=(*OF_GOLD, _poor_majorities),
        stream=5,
        settings={"interval": "adjusted", "outside": "clip"},
        population_only=True,
    ),
)
ADJUSTED = Method(
    name="Rogan-Gladen-adjusted",
    title="Rogan-Gladen with the interval of Lang and Reiczigel",
    about="Rogan-Gladen with the adjusted interval.",
    of_items=correct_votes,
    of_labels=correct_labels,
    settings=Corrected,
    preset={"interval": "adjusted"},
    needs=(BOTH_CLASSES,),
    estimates=("prevalence",),
    style=Style("#0099BB", "d", "--"),
)
BAYES = Method(
    name="Rogan-Gladen-Bayes",
    title="the posterior of the rate and of the judges' TPR and TNR",
    about="The posterior of the rate and of the judges' TPR and TNR.",
    of_labels=draw_rate,
    settings=Posterior,
    style=Style("#771155", "v"),
)
POWER_TUNED_MEAN = Method(
    name="PPI++",
    title="the power-tuned mean of judgements and gold labels",
    about="Judgements as predictions, corrected by gold labels with a tuned weight.",
    of_labels=power_tuned,
    settings=Groups,
    style=Style("#BB8800", "P", "-."),
)
VOTE_MODEL = Method(
    name="MAVEN-votes",
    title="MAVEN's vote model, without scores",
    about="MAVEN's vote model of judgements and gold labels, without scores.",
    of_labels=fit_vote_model,
    settings=Groups,
    stan_models=lambda settings: ("vote",),
    style=Style("#992200", "<", "--"),
)
