"""What votes, scores and gold labels will tell about a metric, by guesses or a pilot study.

MAVEN-C is fitted to a pilot, and without scores the vote model alone. Each draw of the posterior is
one `Guess` that the pilot leaves possible, so that what is computed from all of them, the width of
a planned interval above all, comes with the pilot's own uncertainty. Items are drawn by Algorithm 1
(`simulate.maven`) at the guess, each with its true label, and predicted from their votes and score
by logistic regression, as `logistic-R` does. What each contributes to a metric
(`inference.rectified`) then gives sigma and the gain of `study_size`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crowdgold.checking.gold_sample import assess_gold_sample
from crowdgold.checking.study import cluster_effect
from crowdgold.inference.estimate import Questions, View
from crowdgold.inference.rectified import Rectified, rectify
from crowdgold.methods.maven import CALIBRATED, fit_maven
from crowdgold.methods.method import Run
from crowdgold.metrics.binary import parse_metric
from crowdgold.models.logistic import cross_fit, features, rank_share
from crowdgold.models.stan import SamplerSettings, StanModels, spread_draws
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.models.vote_sets import find_vote_sets, fit_votes
from crowdgold.planning.study_size import Information
from crowdgold.reading.study import Study
from crowdgold.simulate.maven import draw_maven
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.notes import Note

ITEMS = 5000  # simulated items, or more, so that `RARER` of the rarer class are expected among them
MOST_ITEMS = 100_000
RARER = 500
RAREST = RARER / MOST_ITEMS  # a rarer class would take more items
SCORE = "score"


@dataclass(frozen=True)
class Guess:
    """What is believed about the voters and the scores, in the terms of Algorithm 1.

    TPR_H and TNR_H are of a single vote, with a sum of at least 1; correlations are of two votes on
    an item given its label, lambda_1 and lambda_0, in (0, 1); the score is Normal(mu Y + delta P,
    1).
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
            "n": n, "n_gold": n, "phi": self.prevalence, "a0": 1 - self.TNR_H, "a1": self.TPR_H,
            "d0": 1 / self.correlation_negatives - 1, "d1": 1 / self.correlation_positives - 1,
            "votes_total": votes, "predictors": {SCORE: {"mu": self.mu, "delta": self.delta}},
        }  # fmt: skip


def _information(found: Rectified, column: int, votes: int) -> Information | None:
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


def expected_information(
    guess: Guess, metrics: Sequence[str], votes: int, rng: np.random.Generator,
    scale: np.ndarray | None = None,
) -> dict[str, Information | None]:  # fmt: skip
    """Metric -> what an item with so many votes, 1 or more, tells of it; None where the simulated
    items leave it without a value.

    `scale` (m,) are scores whose values the simulated ones take, so that thresholds mean the same.
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
    size = max(ITEMS, RARER / min(guess.prevalence, 1 - guess.prevalence))
    items = draw_maven(guess.parameters(int(min(MOST_ITEMS, size)), votes), rng).table
    if scale is not None:
        shares = rank_share(items.scores[SCORE])
        items = replace(items, scores={SCORE: np.quantile(scale, shares)})
    prediction = cross_fit(features(items), items)
    view, questions = View(items, SCORE), Questions(tuple(parsed))
    found = rectify(prediction, view, questions, "population")
    return {metric: _information(found, k, votes) for k, metric in enumerate(metrics)}


DRAWS = 40  # posterior draws; the middle 90 % of them ends at about the second from either side


@dataclass(frozen=True)
class Pilot:
    """What a pilot leaves possible."""

    guesses: tuple[Guess, ...]  # a posterior draw each
    scores: np.ndarray | None  # (m,) the model's, the scale of thresholds; None where it has none
    diagnostics: Diagnostics


def choose_model(items: Items, model: str | None) -> str | None:
    """The model that is planned for; None where the pilot has no scores."""
    have = ", ".join(items.predictors) or "none"
    if model is not None and model not in items.predictors:
        raise InputError(f"--model: no model {model!r}; the pilot has {have}")
    if model is None and len(items.predictors) > 1:
        raise InputError(
            f"--model: the pilot has several ({have}); say which one is planned for, or name it in "
            "the metric, as AUC:NAME"
        )
    return model or next(iter(items.predictors), None)


def fit_pilot(
    items: Items, rng: np.random.Generator, stan: StanModels, model: str | None, draws: int = DRAWS
) -> Pilot:
    """A pilot that is fitted, with scores of a model or votes alone, by so many draws."""
    if not items.has_votes:
        raise InputError(
            "the pilot has no votes, and new studies are planned with a model of votes; expected a "
            "pilot with votes. Without them `crowdgold plan --more` says what more gold labels do"
        )
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


def cluster_notes(items: Items, of_labels: bool = False) -> list[Note]:
    """A note that clusters may make intervals wider, where all items are simulated or `of_labels`,
    where the labels to come alone are; none where there are no clusters.
    """
    if (found := cluster_effect(items)) is None:
        return []
    return [Note("labels_apart" if of_labels else "all_apart", {"effect": found.sentence})]


def check_pilot(study: Study, pilot: Pilot, rng: np.random.Generator) -> list[Note]:
    """What speaks against planning from a pilot."""
    said = [*pilot.diagnostics.problems, *pilot.diagnostics.notes]
    found = [Note("pilot_fit", {"problem": text}) for text in said]
    gold = study.items.gold
    for label, which in ((1, "positive"), (0, "negative")):
        if (gold != NO_GOLD).any() and not (gold == label).any():
            found.append(Note("pilot_without", {"which": which}))
    sample = assess_gold_sample(study.items, rng)
    if sample.chosen:
        found.append(Note("pilot_misfit", {"misfit": sample.wording.misfit, "p": sample.p}))
    if study.items.draw is not None:
        found.append(Note("pilot_chances"))
    if study.weights is not None or study.strata:
        found.append(Note("pilot_weights"))
    return [*found, *cluster_notes(study.items)]
