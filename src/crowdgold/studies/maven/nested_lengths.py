"""How long a nested fit has to be (MAVEN, section 3.3, footnote 5: "b = 10 was enough").

Given the same draws of the vote model, (mu, delta) comes from nested fits of several lengths and
twice from the exact cut. Each set of draws is compared with the first exact one; the second exact
one says what chance alone makes of such a comparison, and the longest nested fits which of the two
ways is right where they part.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from scipy.signal import find_peaks
from scipy.stats import gaussian_kde, ks_2samp

from crowdgold.declared import AtLeast, Each, Json, Settings
from crowdgold.experiments.check import Check
from crowdgold.given import Given
from crowdgold.methods.maven_fit import MavenSettings, summarise_ranking
from crowdgold.models.exact_cut import ScoreDraws, sample_exact_cut
from crowdgold.models.nested_cut import sample_nested_cut
from crowdgold.models.stan import SamplerSettings, StanModels, spread_draws
from crowdgold.models.vote_fit import fit_votes
from crowdgold.models.vote_sets import find_vote_sets
from crowdgold.simulate import simulate

EXACT_AGAIN = 0
"""The length of the rows that compare the exact cut with itself."""
PRINTED = MavenSettings.nested_iterations
"""The length that the paper prints."""
QUARTILES_OF_NORMAL = 1.349
FAR = 5.0
"""Deviations from the exact cut's median beyond which a draw is in a tail."""
LEAST_PEAK = 0.1
"""Prominence of a mode of a density, as a share of its highest value."""


@dataclass(frozen=True, kw_only=True)
class NestedLengthsParameters(Settings):
    """Nested fits of several lengths against the exact cut, given the same draws of the vote
    model.
    """

    simulator: Annotated[object, Json({"type": "string"}), "The process of the study."]
    study: Annotated[
        object,
        Json({"type": "object", "additionalProperties": {}}),
        "Its parameters; the first predictor is used.",
    ]
    lengths: Annotated[object, Each(int, AtLeast(1)), "Iterations of the nested fits."]
    chains: Annotated[int, AtLeast(2), "Chains of the vote model and of the pilot fit."]
    warmup: Annotated[int, AtLeast(1), "Iterations of each chain that are thrown away."]
    draws: Annotated[int, AtLeast(1), "Iterations of each chain that are kept."]
    vote_draws: Annotated[
        int, AtLeast(2), "Draws of the vote model that (mu and delta) are drawn for."
    ]


def _spread(values: np.ndarray) -> float:
    """The interquartile range, in standard deviations of a normal; tails do not rule it."""
    return float(np.subtract(*np.quantile(values, [0.75, 0.25])) / QUARTILES_OF_NORMAL)


def modes(values: np.ndarray) -> int:
    """How many modes draws have, by a kernel density with Scott's bandwidth, tails left out."""
    low, high = np.quantile(values, [0.005, 0.995])
    inner = values[(values >= low) & (values <= high)]
    if np.ptp(inner) == 0:
        return 1
    grid = np.linspace(low - (high - low) / 4, high + (high - low) / 4, 400)
    density = gaussian_kde(inner)(grid)
    return len(find_peaks(density, prominence=LEAST_PEAK * density.max())[0])


def _far(values: np.ndarray, exact: np.ndarray) -> float:
    """The share of draws further than `FAR` deviations of the exact cut's from its median."""
    return float((np.abs(values - np.median(exact)) > FAR * _spread(exact)).mean())


def compare(found: ScoreDraws, exact: ScoreDraws) -> list[dict[str, Any]]:
    """How far draws lie from those of the exact cut: a row for log mu and one for delta.

    `distance` is the largest difference of their distribution functions (Kolmogorov and Smirnov),
    `shift` that of their medians in deviations of the exact cut's, `spread` the ratio of their
    deviations. `modes` and `far` are how many modes the draws have and the share of them in tails
    (`FAR`), with those of the exact cut beside them.
    """
    pairs = {
        "log mu": (np.log(found.mu), np.log(exact.mu)),
        "delta": (found.delta, exact.delta),
    }
    return [
        {
            "quantity": name,
            "distance": float(ks_2samp(one, other).statistic),
            "shift": float(np.median(one) - np.median(other)) / _spread(other),
            "spread": _spread(one) / _spread(other),
            "modes": modes(one),
            "exact_modes": modes(other),
            "far": _far(one, other),
            "exact_far": _far(other, other),
        }
        for name, (one, other) in pairs.items()
    ]


def check_nested_lengths(
    parameters: Mapping[str, Any], rng: np.random.Generator, stan: StanModels
) -> pd.DataFrame:
    """Compare nested fits of several lengths with the exact cut, in one simulated study.

    Args:
        parameters: `simulator` and `study`, its name and parameters; `lengths` of nested fits;
            chains, warmup and draws of the vote model and of the pilot fit; `vote_draws`, the draws
            of the vote model that (mu, delta) is drawn for.

    Returns:
        the rows of `compare` for each length, and for a second exact cut with length
        `EXACT_AGAIN`; `seconds` of each way, and `failures`, draws that are not to be trusted.
    """
    given = Given("check nested_lengths", parameters, NestedLengthsParameters)
    given.check_names()
    sampler = SamplerSettings(**{name: given.whole(name) for name in ("chains", "warmup", "draws")})
    items = simulate(parameters["simulator"], parameters["study"], rng).table
    sets, settings = find_vote_sets(items), MavenSettings()
    ranking = summarise_ranking(items.ranking(items.predictors[0]), sets, settings)
    vote_rng, exact_rng, *others = rng.spawn(3 + len(parameters["lengths"]))
    fit = fit_votes("vote", sets, vote_rng, stan, sampler, settings.phi_prior)
    wanted = given.whole("vote_draws")
    vote = fit.parameters.select(spread_draws(len(fit.parameters), wanted))
    exact = sample_exact_cut(ranking, sets, vote, exact_rng)
    rows = []
    for length, own in zip([EXACT_AGAIN, *parameters["lengths"]], others, strict=True):
        start, passed = time.perf_counter(), True
        if length == EXACT_AGAIN:
            found = sample_exact_cut(ranking, sets, vote, own)
        else:
            found, pilot = sample_nested_cut(ranking, sets, vote, own, stan, sampler, length, 1)
            passed = pilot.passed
        known = {
            "length": length, "seconds": time.perf_counter() - start,
            "failures": int(found.failures), "exact_failures": int(exact.failures),
            "diagnostics_passed": passed and fit.diagnostics.passed,
        }  # fmt: skip
        rows += [{**known, **row} for row in compare(found, exact)]
    return pd.DataFrame(rows)


CHECK = Check(
    "nested_lengths",
    check_nested_lengths,
    NestedLengthsParameters,
    stan_models=lambda parameters: ("vote", "score"),
)
