"""What scores are like before anything is fitted: their range, their ties, and who has none."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from crowdgold.types.columns import counted, has_or_have
from crowdgold.types.items import FEWEST_GOLD, NO_GOLD, Items
from crowdgold.types.notes import Note

TIED = 0.05
"""Share of pairs of items with equal scores from which on a warning says so: chance decides so much
of an AUC. Scores of three decimals have far fewer, though most items share theirs."""
FEW_MISSING = 0.02  # share of items without a score: it can shift no prediction by more
NAMED = 3  # pairs of models that a note names


@dataclass(frozen=True)
class Scores:
    """What the scores of a model are like."""

    lowest: float
    highest: float
    distinct: int  # how many are different
    tied: float  # share of the pairs of items whose scores are equal
    without: int  # items without a score


def look_at_scores(values: np.ndarray) -> Scores:
    """What the scores (n,) of a model are like; NaN where an item has none."""
    known = values[np.isfinite(values)]
    _, times = np.unique(known, return_counts=True)
    n = len(known)
    tied = float((times * (times - 1.0)).sum() / (n * (n - 1.0))) if n > 1 else 0.0
    return Scores(float(known.min()), float(known.max()), len(times), tied, len(values) - n)


def best_scored(items: Items) -> Items:
    """The items with a score of the model that has most; without scores where no item has one."""
    parts = [items.with_score(name) for name in items.predictors]
    best = max(parts, key=len, default=items)
    return best if len(best) else replace(items, scores={})


def warn_of_ties(scores: Mapping[str, Scores]) -> Iterator[Note]:
    """Each model whose ties leave much of its ranking open."""
    for name, one in scores.items():
        if one.tied > TIED:
            yield Note("scores_tied", {"tied": 100 * one.tied, "model": name})


def scored(items: Items, models: Sequence[str]) -> np.ndarray:
    """Positions of the items that have a score of every one of some models."""
    known = [np.isfinite(items.scores[name]) for name in models]
    return np.flatnonzero(np.all(known, axis=0)) if known else np.arange(len(items))


def of_complete_scores(items: Items) -> Items:
    """The items with the scores of the models that scored all of them, or nearly all."""
    kept = {name: own for name, own in items.scores.items() if np.isnan(own).mean() <= FEW_MISSING}
    return items if len(kept) == len(items.scores) else replace(items, scores=kept)


def why_nothing(items: Items, models: Sequence[str], by_gold: bool) -> Note | None:
    """Why a model, or two, can have no number, `by_gold` or without; None where they can."""
    rows, is_gold = scored(items, models), items.gold != NO_GOLD
    gold, whole = int(is_gold[rows].sum()), int(is_gold.sum())
    least = min(FEWEST_GOLD, whole) if by_gold else 0
    if len(rows) and gold >= least:
        return None
    both, golden = len(models) > 1, counted(whole, "gold item")
    values = {"models": f"{'both ' * both}{' and '.join(models)}", "whole": golden,
              "whose": "both" if both else models[0],
              "which": f"the {golden}" if whole else "items"}  # fmt: skip
    if not len(rows) or not gold:
        return Note("no_gold_scored" if len(rows) else "none_scored", values)
    return Note("few_gold_scored", {**values, "gold": gold, "have": has_or_have(gold),
                                    "least": least})  # fmt: skip


def warn_of_missing(items: Items) -> Iterator[Note]:
    """Which models, and which pairs of them, can have no number, since scores are missing."""
    by_gold = bool((items.gold != NO_GOLD).any())
    lacking = {name: why_nothing(items, [name], by_gold) for name in items.predictors}
    for name, why in lacking.items():
        if why:
            yield Note("model_without_number", {"model": name, "why": why})
    pairs = [
        (" and ".join(pair), why)
        for pair in combinations([name for name, why in lacking.items() if not why], 2)
        if (why := why_nothing(items, pair, by_gold))
    ]
    for pair, why in pairs[:NAMED]:
        yield Note("pair_without_difference", {"pair": pair, "why": why})
    if len(pairs) > NAMED:
        yield Note("more_pairs_apart", {"number": len(pairs) - NAMED})


def notes_on_missing(items: Items) -> Iterator[Note]:
    """What the numbers of models are about that scored only some of the items."""
    is_gold = items.gold != NO_GOLD

    def of(rows: np.ndarray) -> str:
        gold = f", {is_gold[rows].sum():,} of {is_gold.sum():,} gold items"
        return f"{len(rows):,} of {len(items):,} items{gold if is_gold.any() else ''}"

    partly = {name for name in items.predictors if len(scored(items, [name])) < len(items)}
    for name in filter(partly.__contains__, items.predictors):
        yield Note("scored_partly", {"model": name, "items": of(scored(items, [name]))})
    pairs = [pair for pair in combinations(items.predictors, 2) if partly & {*pair}]
    if pairs:
        each = [f"{' and '.join(pair)} {of(scored(items, pair))}" for pair in pairs[:NAMED]]
        left = f" and {counted(len(pairs) - NAMED, 'more pair')}" if len(pairs) > NAMED else ""
        yield Note("compared_on_both", {"pairs": "; ".join(each) + left})
