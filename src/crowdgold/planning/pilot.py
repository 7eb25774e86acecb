"""What a pilot study says of its voters and scores: a guess for each draw of a fitted posterior.

MAVEN-C is fitted to the pilot, and without scores the vote model alone. Each draw is one `Guess`
that the pilot leaves possible, so that what is computed from all of them, the width of a planned
interval above all, comes with the pilot's own uncertainty.

What votes, scores and gold labels will tell about a metric, where MAVEN's process is true.

Items are drawn by Algorithm 1 (`simulate.maven`) at guessed or fitted parameters, each with its
true label, and predicted from its votes and score by logistic regression, as `logistic-R` does.
What each item contributes to a metric (`inference.rectified`) then gives sigma and the gain of
`study_design`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crowdgold.checking.cluster_effect import cluster_effect
from crowdgold.checking.gold_sample import assess_gold_sample
from crowdgold.inference.correction import rectify
from crowdgold.inference.questions import Questions, View
from crowdgold.inference.rectified import Rectified
from crowdgold.methods.maven import CALIBRATED, fit_maven
from crowdgold.methods.method import Run
from crowdgold.metrics.binary import parse_metric
from crowdgold.models.logistic import cross_fit, features, rank_share
from crowdgold.models.stan import SamplerSettings, StanModels, spread_draws
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.models.vote_fit import fit_votes
from crowdgold.models.vote_sets import find_vote_sets
from crowdgold.planning.study_size import Information
from crowdgold.reading.study import Study
from crowdgold.simulate.maven import draw_maven
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items

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


DRAWS = 40
"""Posterior draws; the ends of 90 % of them are then the second from either side."""


@dataclass(frozen=True)
class Pilot:
    """What a pilot leaves possible.

    Attributes:
        guesses: a posterior draw each.
        scores: (m,) the model's scores in the pilot, the scale of thresholds; None where there are
            none.
        diagnostics: of the fit.
    """

    guesses: tuple[Guess, ...]
    scores: np.ndarray | None
    diagnostics: Diagnostics


def choose_model(items: Items, model: str | None) -> str | None:
    """The model that is planned for; None where the pilot has no scores.

    Raises:
        InputError: where there are several and none is named, or another is.
    """
    have = ", ".join(items.predictors) or "none"
    if model is not None and model not in items.predictors:
        raise InputError(f"--model: no model {model!r}; the pilot has {have}")
    if model is None and len(items.predictors) > 1:
        raise InputError(f"--model: the pilot has several ({have}); say which one is planned for")
    return model or next(iter(items.predictors), None)


def fit_pilot(
    items: Items, rng: np.random.Generator, stan: StanModels, model: str | None, draws: int = DRAWS
) -> Pilot:
    """Fit a pilot.

    Args:
        items: its votes, gold labels and scores.
        rng: source of the draws.
        stan: the compiled vote model.
        model: the one whose scores are used; None for votes alone.
        draws: guesses that are wanted.

    Raises:
        InputError: where a class is too rare to plan for.
    """
    sampler = SamplerSettings()
    if model is None:
        fit = fit_votes("vote", find_vote_sets(items), rng, stan, sampler)
        vote = fit.parameters.select(spread_draws(len(fit.parameters), draws))
        phi, a, d, diagnostics = vote.phi, vote.a, vote.d, fit.diagnostics
        mu = delta = np.zeros(draws)
    else:
        run = Run(stan, sampler, draws)
        fitted = fit_maven(items, rng, CALIBRATED.read({}), run, (model,))
        found, diagnostics = fitted.labels.parameters, fitted.diagnostics  # type: ignore[union-attr]
        phi, mu, delta = found["phi"], found[f"mu:{model}"], found[f"delta:{model}"]
        a, d = (np.stack([found[f"{name}{y}"] for y in (0, 1)], axis=1) for name in "ad")
    rare = float(np.minimum(phi, 1 - phi).min())
    if rare < RAREST:
        raise InputError(
            f"the pilot leaves it possible that {100 * rare:.2g} % of the items are of one class; "
            f"from {100 * RAREST:g} % on studies can be planned. Label more items, or plan for "
            "items among which it is more frequent"
        )
    agree = 1 / (d + 1)
    columns = (phi, a[:, 1], 1 - a[:, 0], agree[:, 1], agree[:, 0], mu, delta)
    guesses = tuple(Guess(*map(float, row)) for row in zip(*columns, strict=True))
    return Pilot(guesses, None if model is None else items.scores[model], diagnostics)


PLANNED_APART = "widths are planned as if no items belonged together. These do, so that"
"""Of clusters, where all items are simulated."""


def of_clusters(items: Items, why: str = PLANNED_APART) -> list[str]:
    """What is said where items belong together.

    Args:
        items: of the pilot, or of the study itself.
        why: why intervals may be wider, the beginning of a sentence.
    """
    found = cluster_effect(items)
    return [] if found is None else [f"{why} intervals may be wider than planned: {found.sentence}"]


def check_pilot(study: Study, pilot: Pilot, rng: np.random.Generator) -> list[str]:
    """Say what speaks against planning from a pilot.

    Args:
        study: the pilot's files.
        pilot: as fitted.
        rng: source of the random samples that its gold items are held against.
    """
    found = [f"the pilot's fit: {text}" for text in pilot.diagnostics.problems]
    found += pilot.diagnostics.notes
    gold = study.items.gold
    for label, which in ((1, "positive"), (0, "negative")):
        if (gold != NO_GOLD).any() and not (gold == label).any():
            found.append(f"the pilot has no {which} gold label: little is known of such items")
    sample = assess_gold_sample(study.items, rng)
    if sample.chosen:
        found.append(
            f"in the pilot {sample.told.misfit} (p = {sample.p:.2g}); what was learnt from it may "
            "not hold of others"
        )
    if study.items.draw is not None:
        found.append("the chances with which the pilot's gold was drawn are passed over")
    if study.weights is not None or study.strata:
        found.append("weights and strata of the pilot are passed over: all items count the same")
    found += of_clusters(study.items)
    return found
