"""Where the bias of MAVEN-C comes from: the same data fitted with one suspect removed at a time.

The suspects (MAVEN, sections 3.1 to 3.3): the uncertainty of the vote model, which the cut hands
on (a version whose vote model is told every true label, while the score model is not); the prior
of mu (its scale, and so its mode, a tenth, and ten times, of the paper's); and the one standard
deviation that negatives and positives share (a version with one each).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd

from crowdgold.data import NO_GOLD, InputError, Items
from crowdgold.data.parameters import Parameters, unknown
from crowdgold.declared import AtLeast, Each, Json, Settings
from crowdgold.experiments.check import Check
from crowdgold.given import Given
from crowdgold.inference import evaluate
from crowdgold.inference.rectified import ITEMS
from crowdgold.methods.maven import CALIBRATED as CALIBRATED_MAVEN
from crowdgold.methods.maven import FREE_SD, PUBLISHED
from crowdgold.methods.maven_fit import MavenSettings, fit_maven
from crowdgold.methods.method import Run
from crowdgold.metrics import parse_metric, true_value
from crowdgold.models.stan import SamplerSettings, StanModels
from crowdgold.simulate.generator import Replicate
from crowdgold.simulate.irt import draw_irt
from crowdgold.simulate.maven import draw_maven

SIMULATORS = {"maven": draw_maven, "irt": draw_irt}
WORLDS = {"maven": "Algorithm 1", "irt": "Algorithm 2"}


@dataclass(frozen=True, kw_only=True)
class FitsGiven(Settings):
    """How MAVEN is fitted in a check."""

    chains: Annotated[int, AtLeast(2), "Chains of the vote model."]
    warmup: Annotated[int, AtLeast(1), "Iterations of each chain that are thrown away."]
    draws: Annotated[int, AtLeast(1), "Iterations of each chain that are kept."]
    imputations: Annotated[int, AtLeast(2), "Label sets imputed for each fit."]


def run_of(given: Given, stan: StanModels) -> Run:
    """What a fit of MAVEN is given in a check whose parameters are `FitsGiven`."""
    chains, warmup, draws = (given.whole(name) for name in ("chains", "warmup", "draws"))
    return Run(stan, SamplerSettings(chains, warmup, draws), given.whole("imputations"))


@dataclass(frozen=True, kw_only=True)
class BiasCausesParameters(FitsGiven):
    """Versions of MAVEN on the same simulated studies, each with one suspect of bias removed."""

    simulator: Annotated[Literal["maven", "irt"], "The process of the studies."]
    study: Annotated[object, Json({"type": "object"}), "Its parameters with one predictor."]
    n: Annotated[int, AtLeast(2), "Items of a study where `study` does not say."]
    versions: Annotated[object, Each(str), "Some of the versions; all where not given."]
    metrics: Annotated[object, Each(str), "Metrics whose errors are wanted."]


@dataclass(frozen=True)
class Version:
    """A version of MAVEN: its settings, and whether its vote model is told every true label."""

    settings: Mapping[str, Any]
    told: bool = False


VOTES_KNOWN = f"{CALIBRATED_MAVEN.name}, votes known"
NARROWER_PRIOR = f"{CALIBRATED_MAVEN.name}, prior of mu at 0.05"
WIDER_PRIOR = f"{CALIBRATED_MAVEN.name}, prior of mu at 5"
CALIBRATED = {"score_likelihood": "calibrated"}
VERSIONS = {
    PUBLISHED.name: Version({}),
    CALIBRATED_MAVEN.name: Version(CALIBRATED),
    NARROWER_PRIOR: Version(CALIBRATED | {"mu_prior": {"scale": 0.1}}),
    WIDER_PRIOR: Version(CALIBRATED | {"mu_prior": {"scale": 10.0}}),
    FREE_SD.name: Version(CALIBRATED | {"positive_sd": True}),
    f"{PUBLISHED.name}, votes known": Version({}, told=True),
    VOTES_KNOWN: Version(CALIBRATED, told=True),
}
"""The versions by name; those whose vote models are alike come one after the other."""


def _versions(given: Parameters) -> dict[str, Version]:
    """The wanted versions, in the order of `VERSIONS`."""
    wanted = given.values.get("versions", list(VERSIONS))
    for name in wanted:
        if name not in VERSIONS:
            raise InputError(unknown("version", name, VERSIONS))
    return {name: version for name, version in VERSIONS.items() if name in wanted}


def _true(metric: str, drawn: Replicate[Items]) -> float:
    """The true value of a metric of the one predictor."""
    parsed = parse_metric(metric)
    if not parsed.is_parameter:
        return true_value(metric, drawn.reference)
    (predictor,) = drawn.table.predictors
    return drawn.parameters.get(f"{parsed.name}:{predictor}", float("nan"))


def check_bias_causes(
    parameters: Mapping[str, Any], rng: np.random.Generator, stan: StanModels
) -> pd.DataFrame:
    """Fit the versions to one simulated study.

    Args:
        parameters: as `BiasCausesParameters` declares them; `n` where `study` has none.

    Returns:
        a row for each version and metric: `world` in words, `version`, `metric`, `estimate`,
        `lower`, `upper`, `truth`, and whether the fit passed its diagnostics gate.
    """
    given = Given("check bias_causes", parameters, BiasCausesParameters)
    given.check_names()
    run = run_of(given, stan)
    simulator = given.choice("simulator")
    size = {"n": parameters["n"]} if "n" in parameters else {}
    drawn = SIMULATORS[simulator]({**parameters["study"], **size}, rng)
    items = drawn.table
    told = items.with_gold(np.ones(len(items), dtype=bool))
    seed = int(rng.integers(2**63))
    parts = []
    for name, version in _versions(given).items():
        fit_rng, evaluate_rng = np.random.default_rng(seed).spawn(2)
        settings, votes = MavenSettings(**version.settings), told if version.told else items
        fitted = fit_maven(items, fit_rng, settings, run, vote_items=votes)
        found = evaluate(fitted, items, parameters["metrics"], evaluate_rng, target=ITEMS)
        own = pd.DataFrame(
            [(one.metric, one.estimate, one.lower, one.upper, _true(one.metric, drawn))
             for one in found],
            columns=["metric", "estimate", "lower", "upper", "truth"],
        )  # fmt: skip
        parts.append(own.assign(version=name, diagnostics_passed=fitted.diagnostics.passed))
    n_gold = int((items.gold != NO_GOLD).sum())
    world = f"{WORLDS[simulator]}, {len(items):,} items, {n_gold:,} gold labels"
    return pd.concat(parts, ignore_index=True).assign(world=world)


CHECK = Check(
    "bias_causes", check_bias_causes, BiasCausesParameters, stan_models=lambda parameters: ("vote",)
)
