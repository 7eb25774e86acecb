"""What scores are like before anything is fitted: their range, their ties, and who has none."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from crowdgold.data import Items

TIED = 0.05
"""Share of pairs of items with equal scores from which on a warning says so: chance decides so much
of an AUC. Scores of three decimals have far fewer, though most items share theirs."""


@dataclass(frozen=True)
class Scores:
    """Scores of a model.

    Attributes:
        lowest, highest: their range.
        distinct: how many are different.
        tied: share of the pairs of items whose scores are equal.
        without: items without a score.
    """

    lowest: float
    highest: float
    distinct: int
    tied: float
    without: int


def look_at_scores(values: np.ndarray) -> Scores:
    """What the scores (n,) of a model are like; NaN where an item has none."""
    known = values[np.isfinite(values)]
    _, times = np.unique(known, return_counts=True)
    n = len(known)
    tied = float((times * (times - 1.0)).sum() / (n * (n - 1.0))) if n > 1 else 0.0
    ends = float(known.min()), float(known.max())
    return Scores(*ends, len(times), tied, len(values) - n)


def best_scored(items: Items) -> Items:
    """The items with a score of the model that has most; without scores where no item has one."""
    parts = [items.with_score(name) for name in items.predictors]
    best = max(parts, key=len, default=items)
    return best if len(best) else replace(items, scores={})


def warn_of_ties(scores: Mapping[str, Scores]) -> Iterator[str]:
    """Each model whose ties leave its ranking to chance, in plain words."""
    for name, one in scores.items():
        if one.tied > TIED:
            yield (
                f"{100 * one.tied:.2g} % of the pairs of items have equal scores of {name}; they "
                "are ordered at random"
            )
