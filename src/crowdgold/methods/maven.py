"""MAVEN (section 3) and what is made of its fit (`maven_fit`).

`MAVEN-C` and `MAVEN-CS` have the calibrated score likelihood; `MAVEN-R` and `AutoEval+MAVEN` let
gold labels correct MAVEN's posterior means.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdgold.methods.doubts import OF_GOLD, OF_MODELS, WEAK, WITH_GOLD, Facts, Finding
from crowdgold.methods.maven_fit import MavenSettings, fit_once
from crowdgold.methods.method import (
    CORRECTED,
    MODEL,
    OF_MEANS,
    PLANNED,
    REFERENCE,
    Method,
    Offer,
    Run,
    Style,
)
from crowdgold.methods.needs import GOLD, SCORES

if TYPE_CHECKING:
    from crowdgold.data import Items
    from crowdgold.inference.labels import Fit


def rectified(items: "Items", rng: np.random.Generator, settings: MavenSettings, run: Run) -> "Fit":
    """MAVEN's posterior means, which gold labels correct."""
    from crowdgold.inference.labels import LabelPrediction

    fitted = fit_once(items, rng, settings, run)
    means = fitted.labels.predictions(items, rng)
    return replace(fitted, labels=LabelPrediction(means))


def of_means(items: "Items", rng: np.random.Generator, settings: MavenSettings, run: Run) -> "Fit":
    """MAVEN's posterior means, which gold labels correct in means over items."""
    from crowdgold.inference.labels import MeanPrediction

    fitted = fit_once(items, rng, settings, run)
    means = fitted.labels.predictions(items, rng)
    return replace(fitted, labels=MeanPrediction(means))


def _stan_models(settings: MavenSettings) -> tuple[str, ...]:
    """The vote model, and where the cut is nested the score model."""
    score = {"pairwise": "score", "calibrated": "score_ordinal"}[settings.score_likelihood]
    return ("vote", score) if settings.cut == "nested" else ("vote",)


def _too_short(facts: Facts) -> list[Finding]:
    why = "its intervals of AUC and delta TPR are too short, whatever the data"
    return [Finding(WEAK, why, "read logistic-R or MAVEN-C")]


def _version(
    name: str, title: str, fitter: Callable[..., "Fit"] = fit_once, **declared: Any
) -> Method:
    """A version of MAVEN, by what is its own."""
    return Method(
        **{
            "name": name, "title": title, "of_items": fitter, "settings": MavenSettings,
            "needs": (SCORES,), "stan_models": _stan_models, **declared,
        }
    )  # fmt: skip


PUBLISHED = _version(
    "MAVEN",
    "MAVEN",
    about="The vote model, then the score model given each of its draws.",
    style=Style("#D55E00", "^"),
    offer=Offer(
        use="a model of votes and scores, as published",
        assumes=(
            "The same model as MAVEN-C, as it was published: its likelihood of the ranking treats "
            "pairs of vote sets as independent, so that its intervals of AUC and ΔTPR are too "
            "short even where the model is true."
        ),
        roles=(MODEL,),
        doubts=(*OF_MODELS, _too_short),
        stream=8,
        work=4,
        fit_of="MAVEN",
    ),
)
EXACT = _version(
    "MAVEN-exact",
    "MAVEN by the exact cut",
    about="MAVEN, the score model's densities drawn from directly instead of by nested fits.",
    preset={"cut": "exact"},
    variant_of="MAVEN",
    style=Style("#442200", "X", "--"),
)
CALIBRATED = _version(
    "MAVEN-C",
    "MAVEN with the calibrated score likelihood",
    about="MAVEN with the calibrated score likelihood.",
    preset={"score_likelihood": "calibrated", "positive_sd": False},
    style=Style("#0072B2", "h"),
    offer=Offer(
        use="a model of votes and scores, with intervals for its own model",
        assumes=(
            "A model of votes and scores. Every item has its own chance of a positive vote, drawn "
            "from one beta distribution for positive items and one for negative ones; votes on an "
            "item are then independent. Scores rank the items by a normal utility that depends on "
            "the label and on that chance. Right where this is a fair picture of the data."
        ),
        roles=(MODEL, PLANNED),
        doubts=OF_MODELS,
        stream=9,
        work=3,
    ),
)
FREE_SD = _version(
    "MAVEN-CS",
    "MAVEN-C with a standard deviation of positives of its own",
    about="MAVEN-C with a standard deviation of its own for the utilities of positives.",
    preset={"score_likelihood": "calibrated", "positive_sd": True},
    variant_of="MAVEN-C",
    style=Style("#6688AA", "*", ":"),
)
RECTIFIED = _version(
    "MAVEN-R",
    "MAVEN, rectified by the gold labels",
    rectified,
    about="MAVEN's posterior probabilities, corrected by the gold labels.",
    needs=(GOLD, SCORES),
    style=Style("#882255", "d"),
    offer=Offer(
        use="corrected by the gold labels: right whatever the votes are",
        assumes=(
            "Predicts every label by MAVEN, and lets the gold labels correct the prediction. Right "
            f"whatever the votes and scores are like, {WITH_GOLD} A bad prediction makes "
            "intervals wider, not wrong."
        ),
        roles=(CORRECTED, REFERENCE),
        doubts=OF_GOLD,
        stream=7,
        work=4,
        fit_of="MAVEN",
    ),
)
AUTO_EVAL = _version(
    "AutoEval+MAVEN",
    "AutoEval from MAVEN's posterior probabilities",
    of_means,
    about="MAVEN's posterior probabilities in the place of AutoEval's raw scores.",
    needs=(GOLD, SCORES),
    estimates=OF_MEANS,
    style=Style("#332288", "H"),
)
