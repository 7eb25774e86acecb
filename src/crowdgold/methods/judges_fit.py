"""The fits of judges and judges-R: a panel's model of votes, and score models given its draws.

Votes and gold labels alone say how often each judge errs. The ranking of the items by scores does
not enter that: as in MAVEN, each predictor's score model is conditioned on the draws of the model
of votes (the cut), with the calibrated score likelihood (`models.binned_ranks`). Labels are then
imputed given votes and scores, and with them the prevalence and the shares of right votes.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np

from crowdgold.declared import Above, Settings
from crowdgold.methods.method import Run
from crowdgold.models.priors import PhiPrior

if TYPE_CHECKING:
    from crowdgold.data import Items
    from crowdgold.inference.imputed import LabelProbability
    from crowdgold.inference.labels import Fit, LabelPosterior
    from crowdgold.models.judge_votes import JudgeDraws, JudgeRows
    from crowdgold.models.panel_scores import PanelScores
    from crowdgold.models.stan_fit import Diagnostics


LEAST_CHANCE = 1e-6
"""Of either label, in the log odds that a regression is given."""
LITTLE = 1e-6
"""Weight of an item whose label is known, in what its group says of the others."""
FEWEST_RANKED = 2
"""Items with a score that a score model needs."""


@dataclass(frozen=True)
class NamedJudges(Settings):
    """Settings of judges-R."""

    phi_prior: Annotated[PhiPrior, "Prior of the base rate."] = field(default_factory=PhiPrior)


@dataclass(frozen=True)
class ScoredJudges(NamedJudges):
    """Settings of judges."""

    delta_scale: Annotated[
        float,
        Above(0),
        "Scale of the prior of delta, how far the scores follow the judges beyond the label: the "
        "Laplace distribution around 0. Of two items with the same label, one that no judge would "
        "call positive and one that all would, the scores differ by delta deviations of their "
        "noise. A small scale says that judges and scores err independently.",
    ] = 3.0


@dataclass(frozen=True)
class PanelVotes:
    """What votes and gold labels say of a panel.

    Attributes:
        rows: distinct (votes, gold) of the items.
        draws: of the model of votes, one for each imputed data set.
        log_odds: (D, p) of the label given each pattern of votes, without a gold label.
        diagnostics: of the chains.
    """

    rows: "JudgeRows"
    draws: "JudgeDraws"
    log_odds: np.ndarray
    diagnostics: "Diagnostics"

    @property
    def pattern(self) -> np.ndarray:
        """The pattern of votes of each item, (n,)."""
        return np.asarray(self.rows.pattern[self.rows.member])

    def chances(self) -> np.ndarray:
        """P(Y = 1) of each pattern of votes under each draw, (D, p)."""
        from scipy.special import expit

        return np.asarray(expit(self.log_odds))


def fit_votes(
    items: "Items", rng: np.random.Generator, settings: NamedJudges, run: Run
) -> PanelVotes:
    """The model of votes of a panel.

    Raises:
        InputError: where there are fewer draws than imputations.
    """
    from crowdgold.data.judge_table import labels_by_judge
    from crowdgold.models.judge_votes import find_rows, fit_judges
    from crowdgold.models.stan import spread_draws

    assert items.labels is not None  # it is a need
    rows = find_rows(labels_by_judge(items.labels), items.gold)
    fitted = fit_judges(rows, rng, run.stan, run.sampler, settings.phi_prior)
    draws = fitted.draws.select(spread_draws(len(fitted.draws), run.imputations))
    return PanelVotes(rows, draws, draws.log_odds(rows.vote), fitted.diagnostics)


def fit_scores(
    items: "Items", votes: PanelVotes, settings: ScoredJudges, rng: np.random.Generator
) -> "dict[str, PanelScores]":
    """The score model of each predictor, of the items that have its score."""
    from crowdgold.data import NO_GOLD
    from crowdgold.models.panel_chances import group_patterns, panel_chances
    from crowdgold.models.panel_scores import fit_panel_scores, score_prior

    rows = votes.rows
    # A group stands for its items without a gold label, which may be others than those with one.
    weight = np.where(items.gold == NO_GOLD, 1.0, LITTLE)
    count = np.bincount(votes.pattern, weight, minlength=len(rows.vote))
    groups = group_patterns(votes.draws, rows.vote, count)
    chances = panel_chances(votes.draws, groups)
    return {
        name: fit_panel_scores(
            items.take(known), name, votes.pattern[known], groups, chances, votes.log_odds,
            score_prior(settings.delta_scale), own,
        )
        for name, own in zip(items.predictors, rng.spawn(len(items.predictors)), strict=True)
        if len(known := np.flatnonzero(np.isfinite(items.scores[name]))) >= FEWEST_RANKED
    }  # fmt: skip


def label_posterior(
    items: "Items", votes: PanelVotes, scores: "Mapping[str, PanelScores]"
) -> "LabelPosterior":
    """The posterior of the labels: given a predictor's scores, where an item has one."""
    from crowdgold.data import NO_GOLD
    from crowdgold.inference.labels import LabelPosterior

    assert items.labels is not None
    pattern, chances = votes.pattern, votes.chances()
    scored = {name: np.isfinite(items.scores[name]) for name in scores}

    def probability_given(gold: np.ndarray) -> "LabelProbability":
        def probability(draw: int, predictor: str, rng: np.random.Generator) -> np.ndarray:
            found = np.where(gold == NO_GOLD, chances[draw][pattern], gold)
            if predictor in scores:
                own = scored[predictor]
                found[own] = scores[predictor].probabilities(draw, gold[own], rng)
            return found

        return probability

    parameters = votes.draws.named([str(name) for name in items.labels.annotator])
    for name, one in scores.items():
        parameters |= {f"mean_mu:{name}": one.draws.mu, f"score_delta:{name}": one.draws.delta}
    unknown = np.full_like(items.gold, NO_GOLD)
    return LabelPosterior(
        len(votes.draws), probability_given(items.gold), parameters, probability_given(unknown)
    )


def _diagnostics(votes: PanelVotes, scores: "Mapping[str, PanelScores]") -> "Diagnostics":
    from crowdgold.models.score_likelihood import TRUSTED_DELTA

    failures = [
        f"score model of {name}: {one.draws.failures} of {len(one.draws.mu)} draws did not settle "
        f"or have |delta| above {TRUSTED_DELTA:g}"
        for name, one in scores.items()
        if one.draws.failures
    ]
    return replace(votes.diagnostics, failures=(*votes.diagnostics.failures, *failures))


def fit_panel(items: "Items", rng: np.random.Generator, settings: ScoredJudges, run: Run) -> "Fit":
    """Posterior of each judge's rates and of each item's label, given who said what and scores.

    Without a predictor's scores, and of items that lack one, the votes alone say what a label is.

    Raises:
        InputError: where there are fewer draws than imputations.
    """
    from crowdgold.inference.labels import Fit

    start = time.perf_counter()
    votes = fit_votes(items, rng, settings, run)
    sampled = time.perf_counter()
    scores = fit_scores(items, votes, settings, rng)
    end = time.perf_counter()
    seconds = {
        "vote model": sampled - start, "score model": end - sampled, "inference": end - start,
    }  # fmt: skip
    posterior = label_posterior(items, votes, scores)
    return Fit("", posterior, _diagnostics(votes, scores), seconds)


def rectified(items: "Items", rng: np.random.Generator, settings: NamedJudges, run: Run) -> "Fit":
    """P(Y_i = 1) of each item from who said what and all scores, which gold labels correct."""
    from scipy.special import logit

    from crowdgold.data import NO_PREDICTOR
    from crowdgold.inference.labels import Fit, LabelPrediction
    from crowdgold.models.logistic import cross_fit, features

    start = time.perf_counter()
    votes = fit_votes(items, rng, settings, run)
    seconds = {"inference": time.perf_counter() - start}
    unscored = replace(items, scores={NO_PREDICTOR: np.zeros(len(items))})
    chance = label_posterior(items, votes, {}).predictions(unscored, rng)[NO_PREDICTOR]
    odds = logit(np.clip(chance, LEAST_CHANCE, 1 - LEAST_CHANCE))
    found = cross_fit(features(items, odds), items)
    labels = LabelPrediction(dict.fromkeys([NO_PREDICTOR, *items.predictors], found))
    return Fit("", labels, votes.diagnostics, seconds)
