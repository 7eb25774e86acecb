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

from crowdgold.inference.labels import ConfusionPosterior, Fit, JudgedRate
from crowdgold.methods.method import CORRECTED, OF_LABELS, Method, Offer, Run, Style
from crowdgold.methods.needs import BOTH_CLASSES, OF_GOLD, VOTES, Facts
from crowdgold.models.majority import NO_LABEL, labels_of_group, majority_labels, majority_vote
from crowdgold.types.annotations import Annotations
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.notes import Note
from crowdgold.types.parameters import AtLeast, Settings, refuse

if TYPE_CHECKING:
    from crowdgold.models.judge_error import JudgementCounts

SWAPPED = 0.2  # TPR + TNR - 1 of the votes below which what they say of a rate is mostly noise
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


def _majority(annotations: Annotations, rng: np.random.Generator, group: str) -> np.ndarray:
    """The majority of a group's labels of each item, ties at random: (I,)."""
    return majority_labels(labels_of_group(annotations, group), "random", rng)


def judgement_counts(
    annotations: Annotations, named: Groups, rng: np.random.Generator
) -> "JudgementCounts":
    """Judgements, and what gold labels say of them."""
    if len(annotations.category) != 2:
        refuse(f"a rate is of two categories; the table has {len(annotations.category)}")
    have = [str(name) for name in annotations.group]
    for part in ("judges", "gold"):
        if (group := getattr(named, part)) not in have:
            refuse(f"{part}: no group {group!r}; the table has {', '.join(map(repr, have))}")
    sample = _majority(annotations, rng, named.judges)
    gold = _majority(annotations, rng, named.gold)
    within = named.tested not in annotations.group
    judged = sample if within else _majority(annotations, rng, named.tested)
    return _counts(sample[sample != NO_LABEL], judged, gold, within)


def _counts(
    sample: np.ndarray, judged: np.ndarray, gold: np.ndarray, within: bool
) -> "JudgementCounts":
    """Counts of a sample's judgements, and of the judgements of items by their gold label."""
    from crowdgold.models.judge_error import JudgementCounts

    return JudgementCounts(
        positive=int((sample == 1).sum()),
        judged=len(sample),
        true_positives=int(((gold == 1) & (judged == 1)).sum()),
        false_negatives=int(((gold == 1) & (judged == 0)).sum()),
        true_negatives=int(((gold == 0) & (judged == 0)).sum()),
        false_positives=int(((gold == 0) & (judged == 1)).sum()),
        within=within,
    )


def _random_counts(
    annotations: Annotations, named: Groups, rng: np.random.Generator, method: str
) -> "JudgementCounts":
    """The counts, where gold labels are of items of the sample; refuses other tables."""
    counts = judgement_counts(annotations, named, rng)
    if not counts.within:
        refuse(
            f"{method} needs gold labels of items drawn at random from the judged ones; the table "
            "has them on items of another set"
        )
    return counts


def correct_labels(
    annotations: Annotations, rng: np.random.Generator, settings: Corrected, run: Run
) -> Fit:
    """The share judged positive, corrected for the errors that gold labels show."""
    counts = judgement_counts(annotations, settings, rng)
    return Fit("", JudgedRate(counts, settings.interval, settings.outside))


def correct_votes(items: Items, rng: np.random.Generator, settings: Corrected, run: Run) -> Fit:
    """The share of positive majorities, corrected for the errors that gold labels show."""
    judged = majority_vote(items, rng)
    counts = _counts(judged, judged, items.gold, within=True)
    return Fit("", JudgedRate(counts, settings.interval, settings.outside))


def power_tuned(
    annotations: Annotations, rng: np.random.Generator, settings: Groups, run: Run
) -> Fit:
    """The judgements as predictions that gold labels correct (PPI++)."""
    return Fit("", JudgedRate(_random_counts(annotations, settings, rng, "PPI++"), "power-tuned"))


def _posterior(
    rate: np.ndarray, tpr: np.ndarray, tnr: np.ndarray, labels: int
) -> ConfusionPosterior:
    """Draws of a rate and of one confusion matrix that all labels are drawn from."""
    matrix = np.stack([np.stack([tnr, 1 - tnr], -1), np.stack([1 - tpr, tpr], -1)], axis=1)
    share = np.stack([1 - rate, rate], axis=1)
    whose = np.zeros(labels, dtype=np.int64)
    return ConfusionPosterior(share, share, matrix[:, None], whose, np.empty((0, 2)))


def draw_rate(
    annotations: Annotations, rng: np.random.Generator, settings: Posterior, run: Run
) -> Fit:
    """Draws from the posterior of the rate and of the judges' TPR and TNR."""
    from crowdgold.models.judge_error import draw_rates

    start = time.perf_counter()
    counts = judgement_counts(annotations, settings, rng)
    drawn = draw_rates(counts, settings.draws, rng)
    seconds = {"inference": time.perf_counter() - start}
    return Fit("Rogan-Gladen-Bayes", _posterior(*drawn, len(annotations)), seconds=seconds)


def fit_vote_model(
    annotations: Annotations, rng: np.random.Generator, settings: Groups, run: Run
) -> Fit:
    """MAVEN's vote model (MAVEN, section 3.2) of votes and gold labels, without scores."""
    from crowdgold.models.vote_sets import find_vote_sets, fit_votes

    _random_counts(annotations, settings, rng, "MAVEN-votes")
    group = np.flatnonzero(annotations.group == settings.judges)[0]
    own, size = annotations.group_of == group, len(annotations.item)
    positive = np.bincount(annotations.item_of[own & (annotations.label == 1)], minlength=size)
    total = np.bincount(annotations.item_of[own], minlength=size)
    gold, rows = _majority(annotations, rng, settings.gold), total > 0
    labels = np.where(gold == NO_LABEL, NO_GOLD, gold)[rows].astype(np.int8)
    votes = positive[rows].astype(np.int64), total[rows].astype(np.int64)
    items = Items(annotations.item[rows], *votes, labels, {}, np.zeros(int(rows.sum())))
    found = fit_votes("vote", find_vote_sets(items), rng, run.stan, run.sampler)
    drawn = found.parameters
    posterior = _posterior(drawn.phi, drawn.a[:, 1], 1 - drawn.a[:, 0], len(annotations))
    return Fit("MAVEN-votes", posterior, found.diagnostics, {"inference": found.elapsed})


def _poor_majorities(facts: Facts) -> list[Note]:
    """Doubt a correction by error rates near those of chance."""
    both = facts.tpr + facts.tnr
    if both - 1 <= 0:
        return [Note("majority_below_chance", {"both": both})]
    return [Note("majority_near_chance", {"both": both})] if both - 1 < SWAPPED else []


ROGAN_GLADEN = Method(
    name="Rogan-Gladen", title="the share judged positive, corrected for the judges' errors",
    about="The share judged positive, corrected for the judges' errors, which gold labels show.",
    of_items=correct_votes, of_labels=correct_labels, settings=Corrected,
    needs=(VOTES, BOTH_CLASSES), estimates=("prevalence",), takes_weights=False,
    style=Style("#2255AA", "D"),
    offer=Offer(
        use="the share of positive majorities, corrected",
        assumes=(
            "Corrects the share of items with a positive majority for the errors that majorities "
            "make on gold items. Right as long as the gold items are a random sample, since "
            "majorities must err on other items as often."
        ),
        roles=(CORRECTED,), doubts=(*OF_GOLD, _poor_majorities), stream=5,
        settings={"interval": "adjusted", "outside": "clip"}, population_only=True,
    ),
)  # fmt: skip
ADJUSTED = Method(
    name="Rogan-Gladen-adjusted", title="Rogan-Gladen with the interval of Lang and Reiczigel",
    about="Rogan-Gladen with the adjusted interval.", of_items=correct_votes,
    of_labels=correct_labels, settings=Corrected, preset={"interval": "adjusted"},
    needs=(VOTES, BOTH_CLASSES), estimates=("prevalence",), style=Style("#0099BB", "d", "--"),
)  # fmt: skip
BAYES = Method(
    name="Rogan-Gladen-Bayes", title="the posterior of the rate and of the judges' TPR and TNR",
    about="The posterior of the rate and of the judges' TPR and TNR.", of_labels=draw_rate,
    settings=Posterior, style=Style("#771155", "v"),
)  # fmt: skip
POWER_TUNED_MEAN = Method(
    name="PPI++", title="the power-tuned mean of judgements and gold labels",
    about="Judgements as predictions, corrected by gold labels with a tuned weight.",
    of_labels=power_tuned, settings=Groups, style=Style("#BB8800", "P", "-."),
)  # fmt: skip
VOTE_MODEL = Method(
    name="MAVEN-votes", title="MAVEN's vote model, without scores",
    about="MAVEN's vote model of judgements and gold labels, without scores.",
    of_labels=fit_vote_model, settings=Groups, stan_models=lambda settings: ("vote",),
    style=Style("#992200", "<", "--"),
)  # fmt: skip
