"""judges and judges-R: who said what, of few named judges who may err together (ours).

`judges` is the model of stan/judges.stan, and of scores that of MAVEN-C, by the cut: votes and gold
labels alone say how often each judge errs, and each predictor's score model is conditioned on the
draws of the model of votes, with the calibrated score likelihood (`models.binned_ranks`). Labels
are then imputed given votes and scores, and with them the prevalence and the shares of right votes.
`judges-R` lets the gold labels correct a prediction: the regression of logistic-R, with the log
odds of the label given who said what in the place of the share of votes.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
from scipy.special import expit, logit

from crowdgold.inference.labels import Fit, LabelPosterior, LabelPrediction, LabelProbability
from crowdgold.methods.method import CORRECTED, MODEL, Method, Offer, Run, Style
from crowdgold.methods.needs import FEW_ANNOTATORS, GOLD, OF_GOLD, OF_MODELS, SEVERAL, WITH_GOLD
from crowdgold.models.priors import PhiPrior
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.types.annotations import labels_by_judge
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items
from crowdgold.types.parameters import Above, Settings

if TYPE_CHECKING:
    from crowdgold.models.judge_votes import JudgeDraws, JudgeRows
    from crowdgold.models.panel_scores import PanelScores

LEAST_CHANCE = 1e-6  # Of either label, in the log odds that a regression is given
LITTLE = 1e-6  # Weight of an item whose label is known, in what its group says of the others
FEWEST_RANKED = 2  # Items with a score that a score model needs


@dataclass(frozen=True)
class NamedJudges(Settings):
    """Settings of judges-R."""

    phi_prior: Annotated[PhiPrior, "Prior of the base rate."] = field(default_factory=PhiPrior)


@dataclass(frozen=True)
class ScoredJudges(NamedJudges):
    """Settings of judges."""

    delta_scale: Annotated[
        float, Above(0),
        "Scale of the prior of delta, how far the scores follow the judges beyond the label: the "
        "Laplace distribution around 0. Of two items with the same label, one that no judge would "
        "call positive and one that all would, the scores differ by delta deviations of their "
        "noise. A small scale says that judges and scores err independently.",
    ] = 3.0  # fmt: skip


@dataclass(frozen=True)
class PanelVotes:
    """What votes and gold labels say of a panel."""

    rows: "JudgeRows"  # distinct (votes, gold) of the items
    draws: "JudgeDraws"  # of the model of votes, one for each imputed data set
    log_odds: np.ndarray  # (D, p) of the label given each pattern of votes, without a gold label
    diagnostics: Diagnostics  # of the chains

    @property
    def pattern(self) -> np.ndarray:
        """The pattern of votes of each item, (n,)."""
        return np.asarray(self.rows.pattern[self.rows.member])


def fit_votes(
    items: Items, rng: np.random.Generator, settings: NamedJudges, run: Run
) -> PanelVotes:
    """The model of votes of a panel."""
    from crowdgold.models.judge_votes import find_rows, fit_judges
    from crowdgold.models.stan import spread_draws

    assert items.labels is not None  # it is a need
    rows = find_rows(labels_by_judge(items.labels), items.gold)
    fitted = fit_judges(rows, rng, run.stan, run.sampler, settings.phi_prior)
    draws = fitted.draws.select(spread_draws(len(fitted.draws), run.imputations))
    return PanelVotes(rows, draws, draws.log_odds(rows.vote), fitted.diagnostics)


def fit_scores(
    items: Items, votes: PanelVotes, settings: ScoredJudges, rng: np.random.Generator
) -> "dict[str, PanelScores]":
    """The score model of each predictor, of the items that have its score."""
    from crowdgold.models.panel_scores import (
        fit_panel_scores,
        group_patterns,
        panel_chances,
        score_prior,
    )

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
    items: Items, votes: PanelVotes, scores: "Mapping[str, PanelScores]"
) -> LabelPosterior:
    """The posterior of the labels: given a predictor's scores, where an item has one."""
    assert items.labels is not None
    pattern, chances = votes.pattern, np.asarray(expit(votes.log_odds))
    scored = {name: np.isfinite(items.scores[name]) for name in scores}

    def probability_given(gold: np.ndarray) -> LabelProbability:
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


def fit_panel(items: Items, rng: np.random.Generator, settings: ScoredJudges, run: Run) -> Fit:
    """Posterior of each judge's rates and of each item's label, given who said what and scores; of
    items without a score the votes alone say what a label is.
    """
    from crowdgold.models.score_model import TRUSTED_DELTA

    start = time.perf_counter()
    votes = fit_votes(items, rng, settings, run)
    sampled = time.perf_counter()
    scores = fit_scores(items, votes, settings, rng)
    end = time.perf_counter()
    seconds = {
        "vote model": sampled - start, "score model": end - sampled, "inference": end - start,
    }  # fmt: skip
    failures = [
        f"score model of {name}: {one.draws.failures} of {len(one.draws.mu)} draws did not settle "
        f"or have |delta| above {TRUSTED_DELTA:g}"
        for name, one in scores.items()
        if one.draws.failures
    ]
    found = votes.diagnostics
    diagnostics = replace(found, failures=(*found.failures, *failures))
    return Fit("", label_posterior(items, votes, scores), diagnostics, seconds)


def rectified(items: Items, rng: np.random.Generator, settings: NamedJudges, run: Run) -> Fit:
    """P(Y_i = 1) of each item from who said what and all scores, which gold labels correct."""
    from crowdgold.models.logistic import cross_fit, features

    start = time.perf_counter()
    votes = fit_votes(items, rng, settings, run)
    seconds = {"inference": time.perf_counter() - start}
    unscored = replace(items, scores={NO_PREDICTOR: np.zeros(len(items))})
    chance = label_posterior(items, votes, {}).predictions(unscored, rng)[NO_PREDICTOR]
    odds = logit(np.clip(chance, LEAST_CHANCE, 1 - LEAST_CHANCE))
    found = cross_fit(features(items, odds), items)
    return Fit("", LabelPrediction.of_all(items, found), votes.diagnostics, seconds)


POSTERIOR = Method(
    name="judges", title="named judges with a common item effect",
    about=(
        "A model of few named judges: each has error rates of its own, and all may err together "
        "on hard items. Scores, where there are some, are modelled given each of its draws."
    ),
    of_items=fit_panel, settings=ScoredJudges, needs=(FEW_ANNOTATORS, SEVERAL),
    stan_models=lambda settings: ("judges",), style=Style("#AA4499", "v", "-."),
    offer=Offer(
        use="a model of few named judges, who may err together, and of scores",
        assumes=(
            "Each judge has error rates of its own, and one difficulty of the item, the same for "
            "all judges, makes them err together. Judges who copy one another, or who differ in "
            "camps, are not in it. Where all err together very often and few gold labels are "
            "positive, the prior pulls the correlation down: rates look too high, and their "
            "intervals are too short (docs/judges.md has how often). Scores rank the items by a "
            "normal utility that depends on the label, and on how likely the panel is to call the "
            "item positive. A score that follows one judge, such as that judge's own confidence, "
            "is not in it: its AUC looks too high, with a short interval."
        ),
        roles=(MODEL,), doubts=OF_MODELS, stream=12, work=3, fit_of="judges",
    ),
)  # fmt: skip
RECTIFIED = Method(
    name="judges-R", title="named judges with a common item effect, rectified by the gold labels",
    about=(
        "A regression on the log odds of the label given who said what, by the model `judges`, "
        "and on the ranks of all scores; corrected by the gold labels."
    ),
    of_items=rectified, settings=NamedJudges, needs=(GOLD, FEW_ANNOTATORS, SEVERAL),
    stan_models=lambda settings: ("judges",), style=Style("#CC3399", "d", "--"),
    offer=Offer(
        use="who said what and scores, corrected by the gold labels",
        assumes=(
            "Predicts every label from who gave which vote and from the models' scores, and lets "
            "the gold labels correct the prediction. Right whatever the judges are like, "
            f"{WITH_GOLD} A bad prediction makes intervals wider, not wrong."
        ),
        roles=(CORRECTED,), doubts=OF_GOLD, stream=13, work=2, fit_of="judges",
    ),
)  # fmt: skip
