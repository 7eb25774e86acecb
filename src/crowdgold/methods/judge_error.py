"""Rates corrected for judges' errors: Rogan-Gladen, its posterior, PPI++, and MAVEN's vote model.

All take the same table: labels of the sample by a group of judges, and gold labels of some items.
A judgement is the majority of an item's labels by the judges; MAVEN's vote model takes the labels
themselves. Where the judges' labels of gold items are a group of their own ("tested"), these items
are no part of the sample; PPI++ and the vote model, which want gold items drawn at random from the
sample, refuse that.
"""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from crowdgold.data import NO_GOLD, Annotations, InputError, Items
from crowdgold.inference.annotated_labels import ConfusionPosterior, JudgedRate
from crowdgold.inference.labels import NO_LABEL, Fit
from crowdgold.methods.annotated_majority import labels_of_group
from crowdgold.methods.votes_and_gold import majority_vote
from crowdgold.models.diagnostics import Diagnostics
from crowdgold.models.judge_error import INTERVALS, KEEP, OUTSIDE, PAPER, JudgementCounts
from crowdgold.models.judge_error_posterior import draw_rates
from crowdgold.models.majority import majority_labels
from crowdgold.models.stan import SamplerSettings, StanModels
from crowdgold.models.vote_fit import fit_votes
from crowdgold.models.vote_sets import find_vote_sets

GROUPS = {"judges": "judges", "gold": "gold", "tested": "tested"}
"""Settings that name the groups of annotators, and the names where they are not given."""
DRAWS = 2000
POWER_TUNED = "power-tuned"


def _groups(annotations: Annotations, settings: Mapping[str, Any]) -> dict[str, str]:
    """The groups' names by their part; there need be no group of tested judges."""
    if len(annotations.category) != 2:
        raise InputError(f"a rate is of two categories; the table has {len(annotations.category)}")
    named = {part: str(settings.get(part, name)) for part, name in GROUPS.items()}
    have = [str(name) for name in annotations.group]
    for part in ("judges", "gold"):
        if named[part] not in have:
            raise InputError(
                f"{part}: no group {named[part]!r}; the table has {', '.join(map(repr, have))}"
            )
    return named if named["tested"] in have else {**named, "tested": ""}


def _majority(annotations: Annotations, rng: np.random.Generator, group: str) -> np.ndarray:
    """The majority of a group's labels of each item, ties at random: (I,)."""
    return majority_labels(labels_of_group(annotations, group), "random", rng)


def judgement_counts(
    annotations: Annotations, settings: Mapping[str, Any], rng: np.random.Generator
) -> JudgementCounts:
    """Count judgements, and what gold labels say of them.

    Args:
        annotations: labels of two categories, the second positive.
        settings: names of the groups, `judges`, `gold` and `tested`, where they are others.
        rng: decides tied majorities.

    Raises:
        InputError: where the table has no such groups or more than two categories.
    """
    named = _groups(annotations, settings)
    sample = _majority(annotations, rng, named["judges"])
    gold = _majority(annotations, rng, named["gold"])
    within = not named["tested"]
    judged = sample if within else _majority(annotations, rng, named["tested"])
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


def judgement_counts_of_items(items: Items, rng: np.random.Generator) -> JudgementCounts:
    """Count the majority votes of items, and what their gold labels say of them.

    Args:
        items: votes, and gold labels of some of the items, drawn at random.
        rng: decides tied majorities.
    """
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


def fit_rogan_gladen(
    annotations: Annotations, rng: np.random.Generator, settings: Mapping[str, Any]
) -> Fit:
    """Correct the share judged positive; setting `interval`, one of `INTERVALS`."""
    counts = judgement_counts(annotations, settings, rng)
    return Fit("Rogan-Gladen", JudgedRate(counts, _interval(settings), _outside(settings)))


def fit_rogan_gladen_to_items(
    items: Items, rng: np.random.Generator, settings: Mapping[str, Any]
) -> Fit:
    """Correct the share of positive majorities, for which gold labels show the errors."""
    for name in GROUPS:
        if name in settings:
            raise InputError(f"Rogan-Gladen: {name} is a group of Annotations; Items have none")
    counts = judgement_counts_of_items(items, rng)
    return Fit("Rogan-Gladen", JudgedRate(counts, _interval(settings), _outside(settings)))


def _outside(settings: Mapping[str, Any]) -> str:
    outside = str(settings.get("outside", KEEP))
    if outside not in OUTSIDE:
        raise InputError(f"outside: found {outside!r}, expected one of {', '.join(OUTSIDE)}")
    return outside


def _interval(settings: Mapping[str, Any]) -> str:
    interval = str(settings.get("interval", PAPER))
    if interval not in INTERVALS:
        raise InputError(f"interval: found {interval!r}, expected one of {', '.join(INTERVALS)}")
    return interval


def fit_power_tuned(
    annotations: Annotations, rng: np.random.Generator, settings: Mapping[str, Any]
) -> Fit:
    """Take the judgements for predictions that gold labels correct (PPI++)."""
    counts = judgement_counts(annotations, settings, rng)
    _require_random(counts, "PPI++")
    return Fit("PPI++", JudgedRate(counts, POWER_TUNED))


def _require_random(counts: JudgementCounts, method: str) -> None:
    if not counts.within:
        raise InputError(
            f"{method} needs gold labels of items drawn at random from the judged ones; the table "
            "has them on items of another set"
        )


def _posterior(
    rate: np.ndarray, tpr: np.ndarray, tnr: np.ndarray, labels: int
) -> ConfusionPosterior:
    """Draws of a rate and of one confusion matrix that all labels are drawn from."""
    matrix = np.stack([np.stack([tnr, 1 - tnr], -1), np.stack([1 - tpr, tpr], -1)], axis=1)
    share = np.stack([1 - rate, rate], axis=1)
    whose = np.zeros(labels, dtype=np.int64)
    return ConfusionPosterior(share, share, matrix[:, None], whose, np.empty((0, 2)))


def fit_rate_posterior(
    annotations: Annotations, rng: np.random.Generator, settings: Mapping[str, Any]
) -> Fit:
    """Draw from the posterior of the rate and of the judges' TPR and TNR; setting `draws`."""
    start = time.perf_counter()
    counts = judgement_counts(annotations, settings, rng)
    drawn = draw_rates(counts, int(settings.get("draws", DRAWS)), rng)
    seconds = {"inference": time.perf_counter() - start}
    return Fit("Rogan-Gladen-Bayes", _posterior(*drawn, len(annotations)), Diagnostics(), seconds)


def fit_vote_model(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    stan: StanModels,
    sampler: SamplerSettings,
) -> Fit:
    """Sample MAVEN's vote model (MAVEN, section 3.2), without scores: votes and gold labels."""
    named = _groups(annotations, settings)
    _require_random(judgement_counts(annotations, settings, rng), "MAVEN-votes")
    items = _items(annotations, named, rng)
    found = fit_votes("vote", find_vote_sets(items), rng, stan, sampler)
    votes = found.parameters
    posterior = _posterior(votes.phi, votes.a[:, 1], 1 - votes.a[:, 0], len(annotations))
    return Fit("MAVEN-votes", posterior, found.diagnostics, {"inference": found.elapsed})


def _items(annotations: Annotations, named: Mapping[str, str], rng: np.random.Generator) -> Items:
    """The judges' votes and the gold labels of each item."""
    group = np.flatnonzero(annotations.group == named["judges"])[0]
    own = annotations.group_of == group
    size = len(annotations.item)
    positive = np.bincount(annotations.item_of[own & (annotations.label == 1)], minlength=size)
    total = np.bincount(annotations.item_of[own], minlength=size)
    gold = _majority(annotations, rng, named["gold"])
    rows = total > 0
    labels = np.where(gold == NO_LABEL, NO_GOLD, gold)[rows].astype(np.int8)
    votes = positive[rows].astype(np.int64), total[rows].astype(np.int64)
    return Items(annotations.item[rows], *votes, labels, {}, np.zeros(int(rows.sum())))
