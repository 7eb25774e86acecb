"""Chances for gold that was chosen without known ones, estimated from votes and scores.

A logistic regression says how likely each item was to be chosen. Its features are the log odds of
the votes and the mean rank of the models' scores, their squares and their product, each with mean 0
and deviation 1 over all items; coefficients have a normal prior of mean 0 and deviation 1. So every
gold item stands for others with such votes and scores (inverse-propensity weighting). That the
chances were estimated is not in the intervals. Where the regression is right that makes them longer
than they need be, not shorter (Robins, Rotnitzky and Zhao, 1994). It is right only where the choice
depended on votes and scores alone, and smoothly. No data can show the first: where hard or striking
items were chosen, it is wrong. The second they can (`threshold_in_words`): where items above a
score were chosen, chances are wrong on both sides of it, and intervals too short.

An item's chance is at least a small share of the mean one, so that no gold item counts for very
many. Where many items are at that least chance, hardly any like them have a gold label, and what is
said of them rests on the prediction.

Strata of the prediction (poststratification), which this replaces, are too coarse: items that are
as likely to be positive, one by its votes and one by its score, can differ in how likely they were
to be chosen, and in what they add to a metric of votes.
"""

import numpy as np

from crowdgold.models.logistic import features, fit_folds, standard
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import ESTIMATED, GoldDraw, cost_of
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.notes import Note

TIMES = 20.0  # ratio of the likelihoods from which on a choice looks like one by a threshold
COLUMNS = ("item", ESTIMATED)
FEWEST = 12  # gold labels without which chances are not estimated
LEAST, LEAST_LABELS = 0.05, 2.0
"""The least chance of an item, as a share of the mean one; where labels are few, at least that
which so many of them would have, so that no item carries half of all weight."""
INTERCEPT_PRECISION = 1e-3  # of the intercept's normal prior, around 0: nearly flat
MANY = 0.05  # share of items at the least chance from which on the words warn of it


def _likelihood(gold: np.ndarray, chance: np.ndarray | float) -> float:
    right = np.where(gold, chance, 1 - np.asarray(chance))
    return float(np.log(np.maximum(right, 1e-300)).sum())


def _best_threshold(gold: np.ndarray, rank: np.ndarray) -> tuple[float, np.ndarray]:
    """The log-likelihood of the best threshold of a rank (n,), and which items lie above it."""
    found, upper = -np.inf, np.zeros(len(rank), dtype=bool)
    for share in np.arange(1, 40) / 40:  # of the items that may lie above the threshold
        above = rank >= np.quantile(rank, 1 - share) if len(rank) else upper
        if 0 < above.sum() < len(rank):
            own = sum(_likelihood(gold[part], gold[part].mean()) for part in (above, ~above))
            found, upper = max((found, upper), (own, above), key=lambda pair: pair[0])
    return found, upper


def threshold_in_words(items: Items) -> str:
    """A sentence, without a full stop, on the threshold of a score that gold items look chosen by.

    Two explanations of the choice are compared, for each model on the items that it scores. Either
    an item has one chance above a threshold and another below it, at the threshold that explains
    the choice best; or its chance follows votes and the score's rank smoothly, by the regression
    that estimates the chances. Empty where the first does not make the choice at least `TIMES` as
    likely as the second. Items of equal score lie on one side.
    """
    from scipy.stats import rankdata  # half a second that other commands need not wait

    has_gold, votes = items.gold != NO_GOLD, features(items)[:, 1]
    said, most = "", np.log(TIMES)
    for name, scores in items.scores.items():
        known = np.isfinite(scores)
        gold, rank = has_gold[known], rankdata(scores[known]) / max(known.sum(), 1)
        step, upper = _best_threshold(gold, rank)
        if not upper.any():
            continue
        two = np.stack([votes[known], standard(rank)])
        smooth = _likelihood(gold, _regression(two, gold))
        if step - smooth > most:
            rest, most = gold[~upper].mean(), step - smooth
            often = "alone"
            if rest > 0:
                times = float(f"{gold[upper].mean() / rest:.2g}")
                often = f"{times:,g} times as often as the others"
            said = (
                f"Items look chosen by a threshold, not gradually: the {100 * upper.mean():.0f} % "
                f"that {name} scores highest have gold labels {often}. Then estimated chances are "
                "wrong on both sides of it, and intervals can be too short, of AUC and recall "
                "above all; if you know the chances, give them in a column gold_probability"
            )
    return said


def _regression(known: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """How likely each item is to have gold (n,), from votes and rank (k, n), by these, their
    squares and product.
    """
    pairs = [one * other for place, one in enumerate(known) for other in known[place:]]
    columns = np.stack([np.ones(known.shape[1]), *known, *map(standard, pairs)], axis=1)
    precision = np.r_[INTERCEPT_PRECISION, np.ones(columns.shape[1] - 1)]
    used, centre = np.ones((1, len(gold)), dtype=bool), np.zeros(columns.shape[1])
    found = fit_folds(columns, gold.astype(float), used, centre, precision)[0]
    return np.asarray(1 / (1 + np.exp(-(columns @ found))))


def least_chance(number: int, size: int) -> float:
    """The least chance of an item, with a number of gold labels among `size` items."""
    return max(LEAST * number, LEAST_LABELS) / size


def estimated_chances(items: Items) -> np.ndarray:
    """The chance of each item to have been chosen, (n,), by its votes and scores."""
    known = items.gold != NO_GOLD
    if items.draw is not None:
        raise InputError(
            "--poststratify: the table says how gold items were drawn; expected gold without "
            "columns that say so"
        )
    if known.sum() < FEWEST:
        raise InputError(
            f"--poststratify: found {known.sum()} items with a gold label, expected {FEWEST} or "
            "more"
        )
    number, chance = int(known.sum()), _regression(features(items)[:, 1:3].T, known)
    for _ in range(50):  # none below the least one or above 1, and their sum the labels
        chance = np.clip(chance * number / chance.sum(), least_chance(number, len(items)), 1.0)
    return chance


def chances_in_words(items: Items, chance: np.ndarray) -> str:
    """What estimated chances cost and where they may be wrong, in sentences."""
    gold = np.flatnonzero(items.gold != NO_GOLD)
    cost = Note("unequal_weights", cost_of(GoldDraw(chance).weights(gold))).text
    told = (
        "How likely each item was to be chosen is estimated from "
        f"{'votes and ' * items.has_votes}scores: {cost}"
    )
    least = least_chance(len(gold), len(items)) * (1 + 1e-6)
    at_least = float((chance <= least).mean())
    if at_least >= MANY:
        told += (
            f". For {100 * at_least:.0f} % of the items hardly any like them have a gold label: "
            "what is said of these rests on how well votes and scores predict their labels, and "
            "intervals can be too short"
        )
    if step := threshold_in_words(items):
        told += f". {step}"
    return f"{told}."
