"""Simulation-based calibration: do samplers draw from the posterior they claim to draw from?

Parameters are drawn from the prior, data from the model, and the sampler is run on the data: the
rank of each parameter, and of the log-likelihood of the data, among the posterior draws is uniform
(Talts et al., 2018; Modrák et al., 2023). Planted bugs show that the method would see one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from crowdgold.data import InputError
from crowdgold.data.parameters import unknown
from crowdgold.declared import AtLeast, Json, Settings
from crowdgold.experiments.check import Check
from crowdgold.models.stan import SamplerSettings, StanModels
from crowdgold.studies.calibration import calibrated_judges, calibrated_models
from crowdgold.studies.calibration.calibrated_models import Simulated, Trial
from crowdgold.studies.calibration.rank_uniformity import rank_of

RANKS = 99
"""Posterior draws that a rank is taken among: thinned, so that they are nearly independent."""

Run = Callable[[Trial], Simulated]


@dataclass(frozen=True, kw_only=True)
class SimulationBasedCalibrationParameters(Settings):
    """The rank of a draw of the prior among posterior draws, for every parameter and the
    log-likelihood, given data simulated at that draw (Talts et al., 2018).
    """

    model: Annotated[
        object,
        Json({"type": "string"}),
        "The sampler under test; `likelihood_dropped`, `prior_mismatched`, `rates_swapped`, "
        "`scores_ignored` and `effect_dropped` are planted bugs.",
    ]
    n: Annotated[int, AtLeast(2), "Items of a data set."]
    n_gold: Annotated[int, AtLeast(0), "Items that have a gold label."]
    votes_total: Annotated[
        int, AtLeast(1), "Votes on each item; of `judges`, one of each of so many judges."
    ]
    chains: Annotated[int, AtLeast(2), "Chains of each fit."]
    warmup: Annotated[int, AtLeast(1), "Iterations of each chain that are thrown away."]
    draws: Annotated[int, AtLeast(50), "Iterations of each chain that are kept."]


@dataclass(frozen=True)
class Subject:
    """A sampler under test.

    Attributes:
        run: what it is run with -> true values and draws of each quantity.
        stan_models: the Stan models that it needs.
        planted: whether it has a bug, and must be rejected.
    """

    run: Run
    stan_models: tuple[str, ...]
    planted: bool = False


SUBJECTS = {
    "vote": Subject(calibrated_models.run_vote, ("vote",)),
    "dawid_skene": Subject(calibrated_models.run_dawid_skene, ("dawid_skene",)),
    "score": Subject(calibrated_models.run_score, ("score",)),
    "exact_cut": Subject(calibrated_models.run_exact_cut, ()),
    "dawid_skene_scores": Subject(
        calibrated_models.run_dawid_skene_scores, ("dawid_skene_scores",)
    ),
    "human_ai": Subject(calibrated_models.run_human_ai, ("human_ai",)),
    "judges": Subject(calibrated_judges.run_judges, ("judges",)),
    "likelihood_dropped": Subject(calibrated_models.run_likelihood_dropped, ("vote",), True),
    "prior_mismatched": Subject(calibrated_models.run_prior_mismatched, ("vote",), True),
    "rates_swapped": Subject(calibrated_models.run_rates_swapped, ("vote",), True),
    "scores_ignored": Subject(calibrated_models.run_scores_ignored, ("dawid_skene",), True),
    "effect_dropped": Subject(calibrated_judges.run_effect_dropped, ("judges",), True),
}
"""The samplers by name."""


def stan_models(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The Stan models that a setting of the check needs."""
    name = parameters["model"]
    if name not in SUBJECTS:
        raise InputError(unknown("model", name, SUBJECTS))
    return SUBJECTS[name].stan_models


def _thinned(draws: np.ndarray) -> np.ndarray:
    """`RANKS` draws spread evenly over all chains; of a scalar, (D,)."""
    return draws[np.linspace(0, len(draws) - 1, RANKS).round().astype(int)]


def check_simulation_based_calibration(
    parameters: Mapping[str, Any], rng: np.random.Generator, stan: StanModels
) -> pd.DataFrame:
    """Rank one prior draw among its posterior draws.

    Args:
        parameters: as `SimulationBasedCalibrationParameters` declares them.

    Returns:
        a row for each quantity: `quantity`, `rank` (0 to `ranks`), `ranks`, `planted`, and whether
        the fit passed its diagnostics gate.

    Raises:
        InputError: where the model is not known.
    """
    stan_models(parameters)
    subject = SUBJECTS[parameters["model"]]
    sampler = SamplerSettings(
        chains=int(parameters["chains"]),
        warmup=int(parameters["warmup"]),
        draws=int(parameters["draws"]),
        # Ranks need no more draws: the score model's chains would take eight times their minutes.
        longest=1,
    )
    simulated = subject.run(Trial(parameters, rng, stan, sampler))
    return pd.DataFrame(
        [
            {
                "quantity": quantity,
                "rank": rank_of(simulated.truth[quantity], _thinned(draws), rng),
                "ranks": RANKS,
                "planted": subject.planted,
                "diagnostics_passed": simulated.diagnostics.passed,
            }
            for quantity, draws in simulated.draws.items()
        ]
    )


CHECK = Check(
    "simulation_based_calibration",
    check_simulation_based_calibration,
    SimulationBasedCalibrationParameters,
    stan_models=stan_models,
)
