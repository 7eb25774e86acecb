"""How often the majority of the votes is right, by gold labels and what each of them counts."""

import numpy as np

from crowdgold.data import NO_GOLD, Items
from crowdgold.inference.expert_errors import judged
from crowdgold.own.check.erring_gold import known_errors


def majority_right(items: Items) -> tuple[float, float]:
    """The share of positives and of negatives that the majority gets right, by gold labels; NaN of
    none.
    """
    right = 0.5 + np.sign(2 * items.votes_positive - items.votes_total) / 2
    rows, negative, positive = _masses(items)
    return _mean(right[rows], positive), _mean(1 - right[rows], negative)


def _masses(items: Items) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions of the gold items, and what each counts as a negative and as a positive one: by its
    label, or, where it is known how often experts err, by the corrected value.
    """
    errors = known_errors(items)
    items = items if errors is None else judged(items, errors.verdict)
    rows = np.flatnonzero(items.gold != NO_GOLD)
    share = items.gold[rows].astype(float) if errors is None else errors.values
    weights = np.ones(len(rows))
    if items.draw is not None and len(rows):
        weights = items.draw.weights(rows)
    return rows, (1 - share) * weights, share * weights


def _mean(values: np.ndarray, mass: np.ndarray) -> float:
    """A mean of shares by masses, of which corrected ones may be below 0; NaN of none."""
    whole = mass.sum()
    return float(np.clip((values * mass).sum() / whole, 0, 1)) if whole > 0 else np.nan


def positive_share(items: Items) -> float:
    """The share of positive items by gold labels and what each counts; NaN without gold."""
    _, negative, positive = _masses(items)
    return _mean(np.r_[np.zeros(len(negative)), np.ones(len(positive))], np.r_[negative, positive])
