"""Simulation-based calibration: do samplers draw from the posterior they claim to draw from?

Parameters are drawn from the prior, data from the model, and the sampler is run on the data: the
rank of each parameter, and of the log-likelihood of the data, among the posterior draws is uniform
(Talts et al., 2018; Modrák et al., 2023). Four planted bugs show that the method would see one.

Are ranks uniform? Simultaneous bands for their distribution function (Säilynoja et al., 2022).

Under a right sampler the rank of a prior draw among its posterior draws is uniform on 0 .. L. The
band holds the whole empirical distribution function of N such ranks with a given probability: the
pointwise binomial level is found from simulated sets of uniform ranks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

import numpy as np
import pandas as pd
from scipy.stats import binom, norm

from crowdgold.data import InputError
from crowdgold.data.parameters import unknown
from crowdgold.declared import AtLeast, Json, Settings
from crowdgold.experiments.check import Check
from crowdgold.models.stan import SamplerSettings, StanModels
from crowdgold.studies.calibration import calibrated_models
from crowdgold.studies.calibration.calibrated_models import Simulated, Trial

SIGMA = 3.5
"""A uniform set of ranks leaves its band as seldom as a normal deviate is beyond this."""
SIMULATIONS = 40_000


def rank_of(value: float, draws: np.ndarray, rng: np.random.Generator) -> int:
    """The rank of a value among draws (L,), from 0 to L; ties are broken at random."""
    ties = int(np.sum(draws == value))
    return int(np.sum(draws < value)) + (int(rng.integers(0, ties + 1)) if ties else 0)


def distribution_function(ranks: np.ndarray, largest: int) -> np.ndarray:
    """The share of ranks at or below each of 0 .. L - 1: (L,)."""
    counts = np.bincount(ranks, minlength=largest + 1)
    return np.asarray(np.cumsum(counts)[:-1] / len(ranks))


@cache
def _pointwise_level(number: int, largest: int, sigma: float) -> float:
    """Find the two-sided pointwise level that makes the band simultaneous."""
    rng = np.random.default_rng(20221110)
    share = np.arange(1, largest + 1) / (largest + 1)
    smallest = []
    for _ in range(SIMULATIONS // 1000):
        ranks = rng.integers(0, largest + 1, (1000, number))
        counts = np.stack([np.bincount(row, minlength=largest + 1) for row in ranks])
        below = np.cumsum(counts, axis=1)[:, :-1]
        tail = np.minimum(binom.cdf(below, number, share), binom.sf(below - 1, number, share))
        smallest.append(tail.min(axis=1))
    return float(np.quantile(np.concatenate(smallest), 2 * norm.sf(sigma)))


def uniform_band(number: int, largest: int, sigma: float = SIGMA) -> tuple[np.ndarray, np.ndarray]:
    """The simultaneous band of the distribution function at 0 .. L - 1: (L,) low and high.

    Args:
        number: N, the ranks.
        largest: L, the posterior draws that a rank is taken among.
        sigma: normal deviate with the same two-sided probability as leaving the band.
    """
    share = np.arange(1, largest + 1) / (largest + 1)
    tail = _pointwise_level(number, largest, sigma)
    low = binom.ppf(tail, number, share)
    # The smallest tail that a uniform set reached with this frequency is itself inside.
    low = np.where(binom.cdf(low, number, share) < tail, low + 1, low)
    high = number - binom.ppf(tail, number, 1 - share)
    return np.asarray(low / number), np.asarray(high / number)


def leaves_band(ranks: np.ndarray, largest: int, sigma: float = SIGMA) -> bool:
    """Say whether the distribution function of ranks (N,) in 0 .. L leaves its band."""
    low, high = uniform_band(len(ranks), largest, sigma)
    found = distribution_function(ranks, largest)
    return bool(np.any(found < low - 1e-12) or np.any(found > high + 1e-12))


def check_uniformity(table: pd.DataFrame) -> list[tuple[str, bool]]:
    """Hold the ranks of every sampler against their bands.

    Args:
        table: rows of the check over many replicates, with the column `model`.

    Returns:
        a sentence and whether it is as it must be, for each model: all quantities of a sound model
        inside their bands, at least one quantity of a planted bug outside.
    """
    verdicts = []
    for model, rows in table.groupby("model", sort=False):
        outside = [
            str(quantity)
            for quantity, group in rows.groupby("quantity", sort=False)
            if leaves_band(group["rank"].to_numpy(), int(group["ranks"].iloc[0]))
        ]
        planted = bool(rows["planted"].iloc[0])
        failed = int((~rows.drop_duplicates("replicate")["diagnostics_passed"]).sum())
        found = f"outside the band: {', '.join(outside)}" if outside else "inside all bands"
        sentence = (
            f"{model}{', a planted bug' if planted else ''}: {found}; "
            f"{rows['replicate'].nunique()} replicates, {failed} failed a diagnostics gate"
        )
        verdicts.append((sentence, bool(outside) == planted))
    return verdicts


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
        "The sampler under test; `likelihood_dropped`, `prior_mismatched`, `rates_swapped` "
        "and `scores_ignored` are planted bugs.",
    ]
    n: Annotated[int, AtLeast(2), "Items of a data set."]
    n_gold: Annotated[int, AtLeast(0), "Items that have a gold label."]
    votes_total: Annotated[int, AtLeast(1), "Votes on each item."]
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
    "likelihood_dropped": Subject(calibrated_models.run_likelihood_dropped, ("vote",), True),
    "prior_mismatched": Subject(calibrated_models.run_prior_mismatched, ("vote",), True),
    "rates_swapped": Subject(calibrated_models.run_rates_swapped, ("vote",), True),
    "scores_ignored": Subject(calibrated_models.run_scores_ignored, ("dawid_skene",), True),
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
