"""What it changes for the difference of two models that their imputed labels are shared.

MAVEN imputes labels for each predictor given its own ranking, so that labels of two predictors are
not the same. They are coupled: one uniform number an item and draw decides the label for all
(`inference.imputed`), and labels differ only where the rankings speak differently of an item.
Here the difference of their AUC is imputed three ways from the same fit:

coupled      as everywhere
independent  a uniform number of its own for each predictor
votes alone  the very same labels for both, from P(Y | V), which knows no ranking
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd

from crowdgold.data import Items
from crowdgold.declared import LEVEL, Json
from crowdgold.experiments.check import Check
from crowdgold.given import Given
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.labels import LabelPosterior
from crowdgold.methods.maven_fit import MavenSettings, fit_maven
from crowdgold.metrics import LabelMass, RankedItems, parse_metric, true_value
from crowdgold.models.stan import StanModels
from crowdgold.models.vote_sets import VoteParameters, find_vote_sets
from crowdgold.simulate.irt import draw_irt
from crowdgold.studies.maven.bias_causes import FitsGiven, run_of

METRIC = "delta_AUC"
WAYS = ("coupled", "independent", "votes alone")


@dataclass(frozen=True, kw_only=True)
class SharedLabelsParameters(FitsGiven):
    """The difference of two models by MAVEN where their imputed labels are coupled and where
    not.
    """

    study: Annotated[
        object,
        Json({"type": "object"}),
        "Parameters of Algorithm 2 with two predictors.",
    ]
    score_likelihood: Annotated[Literal["pairwise", "calibrated"], "MAVEN's score likelihood."]


def _of_votes(posterior: LabelPosterior, items: Items) -> np.ndarray:
    """P(Y_i = 1 | V_i) of each draw of the vote model: (draws, n); gold labels are known."""
    known, sets = posterior.parameters, find_vote_sets(items)
    a, d = (np.stack([known[f"{name}{y}"] for y in (0, 1)], axis=1) for name in "ad")
    probability: np.ndarray = VoteParameters(known["phi"], a, d).label_probability(sets)
    return probability[:, sets.member]


def imputed_differences(
    posterior: LabelPosterior, items: Items, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Impute the difference of the two predictors' AUC in each way: (draws,).

    Args:
        posterior: of MAVEN, fitted to both predictors.
        items: the table; two predictors.
    """
    metric, names = parse_metric(METRIC), items.predictors
    ranked = {name: RankedItems.of(items, name) for name in names}
    of_votes = _of_votes(posterior, items)
    label_rng, own_rng, probability_rng = rng.spawn(3)
    values = {way: np.empty(posterior.draws) for way in WAYS}
    for draw in range(posterior.draws):
        shared = label_rng.random(len(items))
        chance = {name: posterior.probability(draw, name, probability_rng) for name in names}
        labels = {
            "coupled": {name: shared < chance[name] for name in names},
            "independent": {name: own_rng.random(len(items)) < chance[name] for name in names},
            "votes alone": dict.fromkeys(names, shared < of_votes[draw]),
        }
        for way, own in labels.items():
            masses = [LabelMass.of_labels(own[name].astype(int)) for name in names]
            values[way][draw] = metric.value(masses, [ranked[name] for name in names])
    return values


def check_shared_labels(
    parameters: Mapping[str, Any], rng: np.random.Generator, stan: StanModels
) -> pd.DataFrame:
    """Estimate the difference of two predictors' AUC from one simulated study in each way.

    Args:
        parameters: as `SharedLabelsParameters` declares them.

    Returns:
        a row for each of `WAYS`: `labels`, `estimate`, `lower`, `upper`, `truth`, and whether the
        fit passed its diagnostics gate.
    """
    given = Given("check shared_labels", parameters, SharedLabelsParameters)
    given.check_names()
    settings = MavenSettings(score_likelihood=parameters["score_likelihood"])
    items = draw_irt(parameters["study"], rng).table
    fitted = fit_maven(items, rng, settings, run_of(given, stan))
    assert isinstance(fitted.labels, LabelPosterior)
    truth = true_value(METRIC, items)
    found = imputed_differences(fitted.labels, items, rng)
    estimates = {way: Estimate.of_draws(METRIC, values, LEVEL) for way, values in found.items()}
    return pd.DataFrame(
        [
            {"labels": way, "estimate": one.estimate, "lower": one.lower, "upper": one.upper,
             "truth": truth, "diagnostics_passed": fitted.diagnostics.passed}
            for way, one in estimates.items()
        ]
    )  # fmt: skip


CHECK = Check(
    "shared_labels",
    check_shared_labels,
    SharedLabelsParameters,
    stan_models=lambda parameters: ("vote",),
)
