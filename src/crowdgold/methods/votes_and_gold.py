"""MV, GT and GT+MV (MAVEN, table 2): labels without a model."""

import numpy as np

from crowdgold.data import NO_GOLD, InputError, Items
from crowdgold.inference.labels import NO_LABEL, Fit, FixedLabels, GoldLabels


def majority_vote(items: Items, rng: np.random.Generator) -> np.ndarray:
    """The majority of each item's votes, ties decided at random: (n,) 0 or 1.

    The paper prints floor(V / c), which would ask for unanimity; V > c / 2 is meant.
    """
    twice = 2 * items.votes_positive
    tied = twice == items.votes_total
    return np.where(tied, rng.random(len(items)) < 0.5, twice > items.votes_total).astype(np.int8)


def fit_majority_vote(items: Items, rng: np.random.Generator) -> Fit:
    """Take the majority vote for the truth."""
    return Fit("MV", FixedLabels(majority_vote(items, rng)))


def fit_gold(items: Items, rng: np.random.Generator) -> Fit:
    """Use the gold labels only.

    Raises:
        InputError: where there are none.
    """
    if np.all(items.gold == NO_GOLD):
        raise InputError("GT needs gold labels; the table has none")
    labels = np.where(items.gold == NO_GOLD, NO_LABEL, items.gold)
    return Fit("GT", GoldLabels(labels))


def fit_gold_and_majority_vote(items: Items, rng: np.random.Generator) -> Fit:
    """Use gold labels where there are any, and the majority vote elsewhere."""
    labels = np.where(items.gold == NO_GOLD, majority_vote(items, rng), items.gold)
    return Fit("GT+MV", FixedLabels(labels))
