"""MV, GT and GT+MV (MAVEN, table 2; CLARA, section 4): labels without a model."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crowdgold.inference.labels import Fit, FixedLabels, GoldLabels, LevelPosterior
from crowdgold.methods.method import BASELINE, CORRECTED, OF_LABELS, Method, Offer, Run, Style
from crowdgold.methods.needs import GOLD, OF_GOLD, VOTES, Facts
from crowdgold.models.majority import (
    NO_LABEL,
    TieRule,
    labels_of_group,
    majority_labels,
    majority_shares,
    majority_vote,
)
from crowdgold.types.annotations import Annotations
from crowdgold.types.items import NO_GOLD
from crowdgold.types.notes import Note
from crowdgold.types.parameters import Settings

WRONG_MAJORITY = 0.02
"""Share of gold items on which the majority errs, above which it cannot stand for the truth."""


@dataclass(frozen=True)
class Ties(Settings):
    """Settings of MV."""

    judges: Annotated[
        str | None, OF_LABELS,
        "The group of annotators whose labels make the majority, where labels say who gave them; "
        "all where not given.",
    ] = None  # fmt: skip
    ties: Annotated[
        TieRule, OF_LABELS,
        "What becomes of tied labels, where labels say who gave them. Where not given, one is "
        "taken at `random`. Others: the one met first in the table (`first_met`), the `lowest` or "
        "the `highest` category, or an even `share` for each.",
    ] = "random"  # fmt: skip


def majority_of_labels(
    annotations: Annotations, rng: np.random.Generator, settings: Ties, run: Run
) -> Fit:
    """The majority of each item's labels, taken for its label; or shares of tied categories."""
    counted = labels_of_group(annotations, settings.judges or "")
    if settings.ties == "share":
        return Fit("MV", LevelPosterior(majority_shares(counted), hard=False))
    return Fit("MV", FixedLabels(majority_labels(counted, settings.ties, rng)))


def _wrong_majority(facts: Facts) -> list[Note]:
    wrong = facts.majority_error > WRONG_MAJORITY
    return [Note("majority_errs", {"errors": 100 * facts.majority_error})] if wrong else []


MAJORITY = Method(
    name="MV", title="majority vote",
    about="The majority of each item's votes or labels, taken for the truth.",
    of_items=lambda items, rng, settings, run: Fit("MV", FixedLabels(majority_vote(items, rng))),
    of_labels=majority_of_labels, settings=Ties, needs=(VOTES,), uses_gold=False,
    style=Style("#8C8C8C", "s", ":"),
)  # fmt: skip
GOLD_ALONE = Method(
    name="GT", title="gold labels only", needs=(GOLD,), style=Style("#000000", "o"),
    of_items=lambda items, rng, settings, run: Fit(
        "GT", GoldLabels(np.where(items.gold == NO_GOLD, NO_LABEL, items.gold))
    ),
    offer=Offer(
        use="gold labels alone: right whatever the votes are",
        assumes=(
            "Uses the items with a gold label and nothing else. Right as long as these are a "
            "random sample, or were drawn with the chances that the table gives, and their labels "
            "are right."
        ),
        roles=(CORRECTED, BASELINE), doubts=OF_GOLD, stream=3, use_unvoted="gold labels alone",
    ),
)  # fmt: skip
GOLD_AND_MAJORITY = Method(
    name="GT+MV", title="gold labels, and the majority vote elsewhere",
    of_items=lambda items, rng, settings, run: Fit(
        "GT+MV", FixedLabels(np.where(items.gold == NO_GOLD, majority_vote(items, rng), items.gold))
    ),
    needs=(GOLD, VOTES), style=Style("#884400", "D", ":"),
    offer=Offer(
        use="gold, and the majority of the votes elsewhere",
        assumes=(
            "Takes the gold label where there is one and the majority vote elsewhere as the truth. "
            "Right only where majorities are; its intervals know nothing of their errors."
        ),
        doubts=(_wrong_majority,), stream=4, population_only=True,
    ),
)  # fmt: skip
