"""How sure is a correlation of a metric with people's scores? On simulated studies of HLV's kind.

A study as in the paper is drawn many times (`crowdgold.simulate.pairwise_choices`), with the scores
that the paper prints for the methods' strengths. Metrics are made whose values have a known
correlation with the strengths, over these methods: the correlation that no end of judgements would
find. What a study finds differs from it because its judgements are few; that the methods are few
as well comes on top, and Fisher's interval of a correlation of so many methods shows it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from crowdgold.declared import Above, AtLeast, Between, Each, Range, Settings
from crowdgold.experiments.check import Check
from crowdgold.metrics.rank_centrality import permutation_test, rank_centrality
from crowdgold.simulate.pairwise_choices import draw_choices
from crowdgold.studies.soft_metrics.correlations import fisher_band

PRIOR = 0.5
"""Wins that both sides of a pair are given, so that a method without a win has a score too."""
SIGNIFICANT = 0.05


@dataclass(frozen=True, kw_only=True)
class MetricStudyParameters(Settings):
    """Simulated studies in which people choose between the results of two methods, and what
    such a study finds of metrics of known quality (HLV, section 6).
    """

    strengths: Annotated[
        object,
        Each(float, Above(0), least=4),
        "The methods' true scores; positive.",
    ]
    judgements: Annotated[int, AtLeast(1), "Judgements of each pair of methods."]
    judges: Annotated[float, AtLeast(1), "Judges of an instance in the mean."]
    instance_sd: Annotated[
        float,
        AtLeast(0),
        "Standard deviation of what an instance does to a pair, in log odds.",
    ]
    undecided: Annotated[
        float,
        Range(least=0, below=1),
        "Probability that a judge selects both or neither.",
    ]
    correlations: Annotated[
        object,
        Each(float, Between(-1, 1), least=2),
        "The metrics' correlations with the strengths.",
    ]
    studies: Annotated[int, AtLeast(2), "Simulated studies."]
    permutations: Annotated[int, AtLeast(19), "Permutations of each test."]
    level: Annotated[float, Above(0, 1), "Level of the interval over the methods."]


def made_metric(strength: np.ndarray, correlation: float, rng: np.random.Generator) -> np.ndarray:
    """Draw values (M,) whose correlation with the strengths (M,) is this, exactly."""
    target = (strength - strength.mean()) / strength.std()
    noise = rng.normal(size=len(strength))
    noise -= noise.mean()
    noise -= target * (noise @ target) / (target @ target)
    return np.asarray(correlation * target + np.sqrt(1 - correlation**2) * noise / noise.std())


def check_metric_study(parameters: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Draw a study, and hold metrics of known correlation against its scores.

    Args:
        parameters: as `MetricStudyParameters` declares them.

    Returns:
        a row for each correlation: the mean and quantiles (2.5 %, 50 %, 97.5 %) of what studies
        find, `significant`, the share of studies in which it is, `scores`, the mean correlation of
        a study's scores with the strengths, `fisher_low` and `fisher_high`, and `ranked_right`, the
        share of studies in which the metric comes out above the one before it.
    """
    p = parameters
    strength = np.array(p["strengths"], dtype=float)
    wanted = sorted(float(r) for r in p["correlations"])
    studies = int(p["studies"])
    design = (
        int(p["judgements"]),
        float(p["judges"]),
        float(p["instance_sd"]),
        float(p["undecided"]),
    )
    found, p_values = np.empty((2, studies, len(wanted)))
    scores = np.empty(studies)
    for study in range(studies):
        choices = draw_choices(strength, *design, rng)
        score = rank_centrality(choices.wins, choices.undecided, prior=PRIOR)
        scores[study] = np.corrcoef(score, strength)[0, 1]
        for position, correlation in enumerate(wanted):
            values = made_metric(strength, correlation, rng)
            r, p_value = permutation_test(values, score, int(p["permutations"]), rng)
            found[study, position], p_values[study, position] = r, p_value
    above = np.full(len(wanted), np.nan)
    above[1:] = (found[:, 1:] > found[:, :-1]).mean(axis=0)
    ends = [fisher_band(r, len(strength), float(p["level"])) for r in wanted]
    low, middle, high = np.quantile(found, [0.025, 0.5, 0.975], axis=0)
    return pd.DataFrame(
        {
            "correlation": wanted,
            "methods": len(strength),
            "studies": studies,
            "mean": found.mean(axis=0),
            "lower": low,
            "median": middle,
            "upper": high,
            "significant": (p_values < SIGNIFICANT).mean(axis=0),
            "ranked_right": above,
            "scores": scores.mean(),
            "fisher_low": [end[0] for end in ends],
            "fisher_high": [end[1] for end in ends],
        }
    )


CHECK = Check("metric_study", check_metric_study, MetricStudyParameters)
