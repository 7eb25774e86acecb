"""Votes and truth from a panel of labels: some drawn as votes, the majority of the others as truth.

MAVEN, section 5.2: 3 of 10 annotations, chosen at random, are an item's votes, the majority of the
other 7 is its truth.
"""

import numpy as np


def draw_votes(
    positive: np.ndarray, total: np.ndarray, votes_total: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw votes from each item's labels, and take the majority of the rest as truth.

    Args:
        positive: (n,) how many of an item's labels are positive.
        total: (n,) how many labels an item has, above `votes_total`.
        votes_total: how many labels to draw, without replacement.

    Returns:
        Positive votes (n,) and truth (n,).
    """
    votes_positive = rng.hypergeometric(positive, total - positive, votes_total)
    lead = 2 * (positive - votes_positive) - (total - votes_total)
    coin = rng.random(len(positive)) < 0.5
    return votes_positive, np.where(lead == 0, coin, lead > 0).astype(np.int8)
