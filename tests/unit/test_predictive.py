"""Posterior predictive checks of rankings, where scores are equal."""

import numpy as np

from crowdgold.evaluation.fitting import check_wins
from crowdgold.models.vote_sets import VoteParameters
from unit.reference import Theta, algorithm_1, make_items

THETA = Theta(0.3, (0.2, 0.6), (1.5, 1.5), 1.5, 1.0)
DRAWS = 60


def checked(items):
    vote = VoteParameters(
        np.full(DRAWS, THETA.phi), np.tile(THETA.a, (DRAWS, 1)), np.tile(THETA.d, (DRAWS, 1))
    )
    draws = {"mu:A": np.full(DRAWS, THETA.mu), "delta:A": np.full(DRAWS, THETA.delta)}
    rng = np.random.default_rng(2)
    rows = check_wins(vote, draws, np.arange(DRAWS), items, "A", rng, 0.95)
    return [rows[name].to_numpy() for name in ("observed", "expected", "upper")]


def test_rankings_are_drawn_with_the_ties_that_were_seen():
    """Scores of two values from the model itself: shares of wins, a tie counted half, within 5
    deviations of what is drawn. What is drawn of scores without ties is further off."""
    items = algorithm_1(THETA, 3000, 3, 0, np.random.default_rng(1))
    two = (items.scores["A"] > 1).astype(float)
    tied = make_items(items.votes_positive, 3, items.gold, two)
    observed, expected, upper = checked(tied)
    assert len(observed) == 6
    deviation = (upper - expected) / 1.96
    assert np.abs((observed - expected) / deviation).max() < 5
    _, untied, _ = checked(items)
    assert np.abs((observed - untied) / deviation).max() > 5
