"""Whether gold items look as if those above a score had been chosen, by a threshold.

Held against each other are two ways in which the choice can depend on a model's score. Either an
item's chance is one above a threshold and another below it, wherever that explains the choice best;
or it follows votes and the score's rank smoothly, by the regression that estimates the chances. The
choice looks like one by a threshold where that makes it at least `TIMES` as likely.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crowdgold.data import NO_GOLD, Items
from crowdgold.models.logistic import features, standard

TIMES = 20.0
"""Ratio of the likelihoods."""
SHARES = np.arange(1, 40) / 40
"""Of the items that may lie above the threshold."""


@dataclass(frozen=True)
class Threshold:
    """A threshold of a model's score.

    Attributes:
        predictor: the model.
        above: share of the items above it.
        times: how many times as often these have a gold label as the others.
    """

    predictor: str
    above: float
    times: float

    @property
    def sentence(self) -> str:
        """What it means for the chances, without a full stop."""
        often = f"{self.times:.2g} times as often as the others"
        return (
            f"Items look chosen by a threshold, not gradually: the {100 * self.above:.0f} % that "
            f"{self.predictor} scores highest have gold labels "
            f"{often if np.isfinite(self.times) else 'alone'}. Then estimated chances are wrong on "
            "both sides of it, and intervals can be too short, of AUC and recall above all; if you "
            "know the chances, give them in a column gold_probability"
        )


def _likelihood(gold: np.ndarray, chance: np.ndarray | float) -> float:
    """Log-likelihood of which items have gold."""
    right = np.where(gold, chance, 1 - np.asarray(chance))
    return float(np.log(np.maximum(right, 1e-300)).sum())


def _step(gold: np.ndarray, rank: np.ndarray) -> tuple[float, float]:
    """The log-likelihood of the best threshold of a rank (n,), and the share of items above it."""
    found = (-np.inf, 0.0)
    for share in SHARES:
        above = rank >= np.quantile(rank, 1 - share)
        if not 0 < above.sum() < len(rank):
            continue
        own = sum(_likelihood(gold[part], gold[part].mean()) for part in (above, ~above))
        found = max(found, (own, float(above.mean())))
    return found


def threshold_of(
    items: Items, regression: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> Threshold | None:
    """The threshold that gold items look chosen by; None where a smooth choice does as well.

    Args:
        items: with gold labels.
        regression: the chances (n,) of a smooth choice, from votes and rank (2, n), and from
            whether an item has gold (n,).
    """
    gold, votes = items.gold != NO_GOLD, features(items)[:, 1]
    found, most = None, np.log(TIMES)
    for name, scores in items.scores.items():
        rank = np.argsort(np.argsort(scores)) / len(items)
        step, above = _step(gold, rank)
        smooth = _likelihood(gold, regression(np.stack([votes, standard(rank)]), gold))
        if step - smooth > most:
            upper, most = rank >= np.quantile(rank, 1 - above), step - smooth
            rest = gold[~upper].mean()
            times = gold[upper].mean() / rest if rest > 0 else np.inf
            found = Threshold(name, above, float(times))
    return found
