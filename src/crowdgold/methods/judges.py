"""judges and judges-R: who said what, of few named judges who may err together (ours).

`judges` is the model of stan/judges.stan. `judges-R` lets the gold labels correct a prediction: the
regression of logistic-R, with the log odds of the label given who said what in the place of the
share of votes. Scores enter by the regression; they are not cut from the model as MAVEN's are.
"""

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import numpy as np

from crowdgold.declared import Settings
from crowdgold.methods.doubts import OF_GOLD, OF_MODELS, WITH_GOLD
from crowdgold.methods.method import CORRECTED, MODEL, OF_RATES, Method, Offer, Run, Style
from crowdgold.methods.needs import FEW_ANNOTATORS, GOLD, SEVERAL
from crowdgold.models.priors import PhiPrior

if TYPE_CHECKING:
    from crowdgold.data import Items
    from crowdgold.inference.labels import Fit

LEAST_CHANCE = 1e-6
"""Of either label, in the log odds that a regression is given."""


@dataclass(frozen=True)
class NamedJudges(Settings):
    """Settings of judges and of judges-R."""

    phi_prior: Annotated[PhiPrior, "Prior of the base rate."] = field(default_factory=PhiPrior)


def fit_posterior(
    items: "Items", rng: np.random.Generator, settings: NamedJudges, run: Run
) -> "Fit":
    """Posterior of each judge's rates and of each item's label, given who said what.

    Raises:
        InputError: where there are fewer draws than imputations.
    """
    from crowdgold.data import NO_GOLD
    from crowdgold.data.judge_table import labels_by_judge
    from crowdgold.inference.labels import Fit, LabelPosterior
    from crowdgold.models.judge_votes import find_rows, fit_judges
    from crowdgold.models.stan import spread_draws

    assert items.labels is not None  # it is a need
    start = time.perf_counter()
    rows = find_rows(labels_by_judge(items.labels), items.gold)
    fitted = fit_judges(rows, rng, run.stan, run.sampler, settings.phi_prior)
    draws = fitted.draws.select(spread_draws(len(fitted.draws), run.imputations))
    chance = draws.label_probability(rows.vote)[:, rows.pattern]
    known = np.where(rows.gold == NO_GOLD, chance, rows.gold)
    posterior = LabelPosterior(
        len(draws),
        lambda draw, predictor, rng: known[draw][rows.member],
        draws.named([str(name) for name in items.labels.annotator]),
        lambda draw, predictor, rng: chance[draw][rows.member],
    )
    seconds = {"inference": time.perf_counter() - start}
    return Fit("judges", posterior, fitted.diagnostics, seconds)


def rectified(items: "Items", rng: np.random.Generator, settings: NamedJudges, run: Run) -> "Fit":
    """P(Y_i = 1) of each item from who said what and all scores, which gold labels correct."""
    from dataclasses import replace

    from scipy.special import logit

    from crowdgold.data import NO_PREDICTOR
    from crowdgold.inference.labels import LabelPrediction
    from crowdgold.models.logistic import cross_fit, features

    fitted = fit_posterior(items, rng, settings, run)
    names = [NO_PREDICTOR, *items.predictors]
    unscored = replace(items, scores={NO_PREDICTOR: np.zeros(len(items))})
    chance = fitted.labels.predictions(unscored, rng)[NO_PREDICTOR]
    odds = logit(np.clip(chance, LEAST_CHANCE, 1 - LEAST_CHANCE))
    found = cross_fit(features(items, odds), items.gold, draw=items.draw, cluster=items.cluster)
    return replace(fitted, labels=LabelPrediction(dict.fromkeys(names, found)))


POSTERIOR = Method(
    name="judges",
    title="named judges with a common item effect",
    about=(
        "A model of few named judges: each has error rates of its own, and all may err together "
        "on hard items. It ignores scores."
    ),
    of_items=fit_posterior,
    settings=NamedJudges,
    needs=(FEW_ANNOTATORS, SEVERAL),
    estimates=OF_RATES,
    stan_models=lambda settings: ("judges",),
    style=Style("#AA4499", "v", "-."),
    offer=Offer(
        use="a model of few named judges, who may err together",
        assumes=(
            "Each judge has error rates of its own, and one difficulty of the item, the same for "
            "all judges, makes them err together. Judges who copy one another, or who differ in "
            "camps, are not in it. Where all err together very often and few gold labels are "
            "positive, the prior pulls the correlation down: rates look too high, and their "
            "intervals are too short (docs/judges.md has how often). Scores are not used."
        ),
        roles=(MODEL,),
        doubts=OF_MODELS,
        stream=12,
        work=2,
        fit_of="judges",
    ),
)
RECTIFIED = Method(
    name="judges-R",
    title="named judges with a common item effect, rectified by the gold labels",
    about=(
        "A regression on the log odds of the label given who said what, by the model `judges`, "
        "and on the ranks of all scores; corrected by the gold labels."
    ),
    of_items=rectified,
    settings=NamedJudges,
    needs=(GOLD, FEW_ANNOTATORS, SEVERAL),
    stan_models=lambda settings: ("judges",),
    style=Style("#CC3399", "d", "--"),
    offer=Offer(
        use="who said what and scores, corrected by the gold labels",
        assumes=(
            "Predicts every label from who gave which vote and from the models' scores, and lets "
            "the gold labels correct the prediction. Right whatever the judges are like, "
            f"{WITH_GOLD} A bad prediction makes intervals wider, not wrong."
        ),
        roles=(CORRECTED,),
        doubts=OF_GOLD,
        stream=13,
        work=2,
        fit_of="judges",
    ),
)
