"""What votes, scores and gold labels will tell about a metric, where MAVEN's process is true.

Items are drawn by Algorithm 1 (`simulate.maven`) at guessed or fitted parameters, each with its
true label, and predicted from its votes and score by logistic regression, as `logistic-R` does. The
resamples of `rectified` then give sigma and the gain of `study_design`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.estimators.label_prediction import rank_share
from crowdgold.estimators.logistic import predict_by_regression
from crowdgold.evaluation.rectified import Resampled, resample_gold
from crowdgold.evaluation.study_design import Information
from crowdgold.metrics import RankedItems, parse_metric
from crowdgold.simulate import simulate

ITEMS = 5000
"""Simulated items, or more, so that `RARER` of the rarer class are expected among them."""
MOST_ITEMS = 100_000
RARER = 500
RAREST = RARER / MOST_ITEMS
"""A rarer class would take more items."""
RESAMPLES = 1000
"""They set sigma to 1 / sqrt(2000) = 2 %."""
SCORE = "score"


@dataclass(frozen=True)
class Guess:
    """What is believed about the voters and the scores, in the terms of Algorithm 1.

    Attributes:
        prevalence: phi, in (0, 1).
        TPR_H, TNR_H: of a single vote; their sum is at least 1.
        correlation_positives, correlation_negatives: of two votes on an item, given its label;
            lambda_1 and lambda_0, in (0, 1).
        mu, delta: of the score, Normal(mu Y + delta P, 1).
    """

    prevalence: float
    TPR_H: float
    TNR_H: float
    correlation_positives: float
    correlation_negatives: float
    mu: float
    delta: float

    def parameters(self, n: int, votes: int) -> Mapping[str, Any]:
        """Give the generator's parameters for n items with this number of votes, all gold."""
        return {
            "n": n,
            "n_gold": n,
            "phi": self.prevalence,
            "a0": 1 - self.TNR_H,
            "a1": self.TPR_H,
            "d0": 1 / self.correlation_negatives - 1,
            "d1": 1 / self.correlation_positives - 1,
            "votes_total": votes,
            "predictors": {SCORE: {"mu": self.mu, "delta": self.delta}},
        }

    def size(self) -> int:
        """Give the items to simulate: enough of the rarer class."""
        rarer = min(self.prevalence, 1 - self.prevalence)
        return int(min(MOST_ITEMS, max(ITEMS, RARER / rarer)))


def _information(found: Resampled, votes: int, size: int) -> Information | None:
    """Give sigma and gain of a metric's resamples; None where too many have no value."""
    known = np.isfinite(found.labelled) & np.isfinite(found.predicted)
    if known.mean() < 0.99:
        return None
    covariance = np.cov(found.labelled[known], found.predicted[known])
    total, predicted = float(covariance[0, 0]), float(covariance[1, 1])
    if total <= 0:
        return None
    weight = min(1.0, max(0.0, float(covariance[0, 1]) / predicted)) if predicted > 0 else 0.0
    rest = total - 2 * weight * float(covariance[0, 1]) + weight**2 * predicted
    return Information(votes, float(np.sqrt(size * total)), min(1.0, max(0.0, 1 - rest / total)))


def _on_scale(items: Items, scale: np.ndarray) -> Items:
    """Give the simulated scores the values that others have at the same share of items."""
    scores = np.quantile(scale, rank_share(items, SCORE))
    return replace(items, scores={SCORE: scores})


def expected_information(
    guess: Guess,
    metrics: Sequence[str],
    votes: int,
    rng: np.random.Generator,
    scale: np.ndarray | None = None,
    resamples: int = RESAMPLES,
) -> dict[str, Information | None]:
    """Simulate what an item with this number of votes tells about metrics.

    Args:
        guess: about voters and scores.
        metrics: their names, none of them a model parameter.
        votes: on each item, at least 1.
        rng: source of the items and resamples.
        scale: (m,) scores whose values the simulated ones take, so that thresholds mean the same;
            None for those of the simulation.
        resamples: of the items.

    Returns:
        metric -> its information; None where the simulated items leave it without a value.

    Raises:
        InputError: where a guess is impossible, or a metric is unknown.
    """
    parsed = [parse_metric(metric) for metric in metrics]
    for metric in parsed:
        if metric.is_parameter:
            raise InputError(f"metric {metric.text}: gold labels say nothing about a parameter")
    if not RAREST <= guess.prevalence <= 1 - RAREST:
        raise InputError(
            f"prevalence: found {guess.prevalence:g}, expected {RAREST:g} to {1 - RAREST:g}; a "
            "rarer class takes gold labels of items chosen for it, which is not planned here"
        )
    data_rng, fold_rng, resample_rng = rng.spawn(3)
    size = guess.size()
    items = simulate("maven", guess.parameters(size, votes), data_rng).table
    if scale is not None:
        items = _on_scale(items, scale)
    found = resample_gold(
        items,
        items.gold,
        predict_by_regression(items, fold_rng),
        parsed,
        {SCORE: RankedItems.of(items, SCORE)},
        resample_rng,
        resamples,
    )
    return {
        metric: _information(one, votes, size) for metric, one in zip(metrics, found, strict=True)
    }
