"""What votes, scores and gold labels will tell about a metric, where MAVEN's process is true.

Items are drawn by Algorithm 1 (`simulate.maven`) at guessed or fitted parameters, each with its
true label, and predicted from its votes and score by logistic regression, as `logistic-R` does.
What each item contributes to a metric (`inference.rectified`) then gives sigma and the gain of
`study_design`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.inference.correction import rectify
from crowdgold.inference.questions import Questions, View
from crowdgold.inference.rectified import Rectified
from crowdgold.metrics import parse_metric
from crowdgold.models.logistic import cross_fit, features, rank_share
from crowdgold.own.plan.study_design import Information
from crowdgold.simulate.maven import draw_maven

ITEMS = 5000
"""Simulated items, or more, so that `RARER` of the rarer class are expected among them."""
MOST_ITEMS = 100_000
RARER = 500
RAREST = RARER / MOST_ITEMS
"""A rarer class would take more items."""
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
        """The generator's parameters for n items with this number of votes, all gold."""
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
        """The items to simulate: enough of the rarer class."""
        rarer = min(self.prevalence, 1 - self.prevalence)
        return int(min(MOST_ITEMS, max(ITEMS, RARER / rarer)))


def _information(found: Rectified, column: int, votes: int) -> Information | None:
    """Sigma and gain of a metric; None where the items leave it without a value."""
    if not np.isfinite(found.points[:, column]).all():
        return None
    labelled, predicted = found.labelled[:, column], found.predicted[:, column]
    covariance = np.cov(labelled, predicted)
    total, spread = float(covariance[0, 0]), float(covariance[1, 1])
    if total <= 0:
        return None
    weight = min(1.0, max(0.0, float(covariance[0, 1]) / spread)) if spread > 0 else 0.0
    rest = total - 2 * weight * float(covariance[0, 1]) + weight**2 * spread
    return Information(votes, float(np.sqrt(total)), min(1.0, max(0.0, 1 - rest / total)))


def _on_scale(items: Items, scale: np.ndarray) -> Items:
    """The simulated scores the values that others have at the same share of items."""
    return replace(items, scores={SCORE: np.quantile(scale, rank_share(items.scores[SCORE]))})


def expected_information(
    guess: Guess,
    metrics: Sequence[str],
    votes: int,
    rng: np.random.Generator,
    scale: np.ndarray | None = None,
) -> dict[str, Information | None]:
    """Simulate what an item with this number of votes tells about metrics.

    Args:
        guess: about voters and scores.
        metrics: their names, none of them a model parameter.
        votes: on each item, at least 1.
        rng: source of the items.
        scale: (m,) scores whose values the simulated ones take, so that thresholds mean the same;
            None for those of the simulation.

    Returns:
        metric -> its information; None where the simulated items leave it without a value.

    Raises:
        InputError: where a guess is impossible, or a metric is unknown.
    """
    parsed = [parse_metric(metric) for metric in metrics]
    for metric in parsed:
        if metric.is_parameter:
            raise InputError(f"metric {metric.text}: gold labels say nothing about a parameter")
        if metric.is_difference or metric.predictor:
            raise InputError(
                f"metric {metric.text}: a study is planned for one model, expected its metric, as "
                "AUC; the model of a pilot is named by --model"
            )
    if not RAREST <= guess.prevalence <= 1 - RAREST:
        raise InputError(
            f"prevalence: found {guess.prevalence:g}, expected {RAREST:g} to {1 - RAREST:g}; a "
            "rarer class takes gold labels of items chosen for it, which is not planned here"
        )
    items = draw_maven(guess.parameters(guess.size(), votes), rng).table
    if scale is not None:
        items = _on_scale(items, scale)
    prediction = cross_fit(features(items), items)
    questions = Questions(tuple(parsed))
    found = rectify(prediction, View(items, SCORE), questions, "population")
    return {metric: _information(found, k, votes) for k, metric in enumerate(metrics)}
