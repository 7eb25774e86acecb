"""The least width that there can be, against a world whose probabilities are known."""

import numpy as np
import pytest

from crowdgold.models.logistic import best_prediction
from crowdgold.papers.answer.least_width import least_ratios
from unit.reference import make_items


def world(n, seed):
    """Three votes and a normal score, independent given the label, and P(Y = 1 | both)."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    votes = rng.binomial(3, np.where(y == 1, 0.7, 0.2))
    score = rng.normal(1.5 * y, 1)
    odds = np.log(0.3 / 0.7) + votes * np.log(0.7 / 0.2) + (3 - votes) * np.log(0.3 / 0.8)
    known = 1 / (1 + np.exp(-(odds + 1.5 * score - 1.5**2 / 2)))
    return make_items(votes, np.full(n, 3), y, {"A": score}, truth=y), known


def test_the_prediction_is_the_probability_and_the_ratio_its_own():
    """60,000 items: the mean square distance to the probability is below 2e-4 (76 coefficients'
    errors; a prediction from the votes alone, the control, is ten times as far), and the ratio of
    prevalence is sqrt(.9 E[p (1 - p)] / var(Y) + .1), within 1 %, over five Monte Carlo errors."""
    items, known = world(60_000, 1)
    found = best_prediction(items, items.truth)
    assert np.mean((found - known) ** 2) < 2e-4
    by_votes = [items.truth[items.votes_positive == v].mean() for v in range(4)]
    assert np.mean((np.take(by_votes, items.votes_positive) - known) ** 2) > 2e-3
    ratio = least_ratios(items, ["prevalence", "AUC"], 0.1)
    expected = np.sqrt(0.9 * np.mean(known * (1 - known)) / 0.21 + 0.1)
    assert ratio["prevalence"] == pytest.approx(expected, rel=0.01)
    assert expected < ratio["AUC"] < 1
