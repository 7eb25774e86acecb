"""Whether gold items look as if those above a score had been chosen, by a threshold.

Held against each other are two ways in which the choice can depend on a model's score. Either an
item's chance is one above a threshold and another below it, wherever that explains the choice best;
or it follows votes and the score's rank smoothly, by the regression that estimates the chances. The
choice looks like one by a threshold where that makes it at least `TIMES` as likely. Of a model both
are asked of the items that it scores; items of equal score lie on one side.
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


def _step(gold: np.ndarray, rank: np.ndarray) -> tuple[float, np.ndarray]:
    """The log-likelihood of the best threshold of a rank (n,), and which items lie above it."""
    found, upper = -np.inf, np.zeros(len(rank), dtype=bool)
    for share in SHARES:
        above = rank >= np.quantile(rank, 1 - share) if len(rank) else upper
        if 0 < above.sum() < len(rank):
            own = sum(_likelihood(gold[part], gold[part].mean()) for part in (above, ~above))
            found, upper = max((found, upper), (own, above), key=lambda pair: pair[0])
    return found, upper


def threshold_of(
    items: Items, regression: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> Threshold | None:
    """The threshold that gold items look chosen by; None where a smooth choice does as well.

    Args:
        items: with gold labels.
        regression: the chances (n,) of a smooth choice, from votes and rank (2, n), and from
            whether an item has gold (n,).
    """
    from scipy.stats import rankdata  # half a second that other commands need not wait

    has_gold, votes = items.gold != NO_GOLD, features(items)[:, 1]
    found, most = None, np.log(TIMES)
    for name, scores in items.scores.items():
        known = np.isfinite(scores)
        gold, rank = has_gold[known], rankdata(scores[known]) / max(known.sum(), 1)
        step, upper = _step(gold, rank)
        if not upper.any():
            continue
        two = np.stack([votes[known], standard(rank)])
        smooth = _likelihood(gold, regression(two, gold))
        if step - smooth > most:
            rest, most = gold[~upper].mean(), step - smooth
            times = gold[upper].mean() / rest if rest > 0 else np.inf
            found = Threshold(name, float(upper.mean()), float(times))
    return found
