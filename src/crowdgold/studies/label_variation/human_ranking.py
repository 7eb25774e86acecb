"""Do metrics rank training methods as people do? On public data (HLV, fig. 5, tables 5 and 6).

Every method is trained some times on a dataset. People (`people`) choose between the predictions of
each pair, which gives the methods scores by rank centrality; a metric gives them values, in the
mean over the runs. A metric is as good as its values correlate with the scores.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from crowdgold.declared import AtLeast
from crowdgold.experiments.check import Check
from crowdgold.given import Given
from crowdgold.metrics.rank_centrality import permutation_test, rank_centrality
from crowdgold.simulate.pairwise_choices import Choices
from crowdgold.studies.label_variation.check import (
    DEFAULTS,
    TrainingParameters,
    encoder_of,
    features_file,
    needed_packages,
    optimisation,
    read_data,
    titles,
)
from crowdgold.studies.label_variation.methods import METHODS, why_left_out
from crowdgold.studies.label_variation.people import JUDGES, choose, halves
from crowdgold.studies.label_variation.prepared import Prepared
from crowdgold.studies.label_variation.scores import score

PRIOR = 0.5
"""Wins that both sides of a pair are given, so that a method without a win has a score too."""
FEWEST = 3
"""Methods of a correlation."""
ALIKE = 1e-9
"""Values or scores that differ by less have no correlation."""


@dataclass(frozen=True, kw_only=True)
class HumanRankingParameters(TrainingParameters):
    """All training methods on a dataset of judged texts. Annotators of the test items choose
    between what each two of them predict, and every metric is held against the scores that this
    gives (HLV, section 6, on public data).
    """

    runs: Annotated[int, AtLeast(1), "Models of each method, whose values are averaged."]
    permutations: Annotated[int, AtLeast(1), "Random permutations behind a p-value."]


def usable(data: Prepared) -> list[str]:
    """The methods that a dataset allows, in the order of table 3."""
    known, several = data.about.annotators_known, data.about.multilabel
    return [name for name in METHODS if not why_left_out(name, known, several)]


def check_human_ranking(
    parameters: Mapping[str, Any], rng: np.random.Generator, dataset: pd.DataFrame
) -> pd.DataFrame:
    """Train by all methods, have people choose, and hold the metrics against their scores.

    Args:
        parameters: as `HumanRankingParameters` declares them.
        rng: of the training, of who judges, and of the permutations.

    Returns:
        a row for each judge, metric and method: `dataset` and `encoder` (titles), `score` by the
        judges' choices, `value`, the metric's mean over the runs (NaN where it is undefined in
        one), and of the judge and metric `correlation`, over the `methods` whose value is known,
        and `p_value`.
    """
    given = Given("check human_ranking", DEFAULTS | dict(parameters), HumanRankingParameters)
    given.check_names()
    permutations, runs = given.whole("permutations"), given.whole("runs")
    data = read_data(given, dataset)
    methods = usable(data)
    training, splitting, testing = rng.spawn(3)
    values, choices = [], []
    for _ in range(runs):
        predicted = _predictions(methods, given, data, dataset, training)
        tested = data.judged.of_items(np.concatenate([one.test for one in data.splits()]))
        # Those with one annotation cannot be split.
        enough = np.bincount(tested.item_of, weights=tested.counts) > 1
        predicted = predicted[:, enough]
        reference, judges = halves(tested.of_items(np.flatnonzero(enough)), splitting)
        shares = reference.shares()
        values.append([score(shares, own, data.judged.multilabel) for own in predicted])
        choices.append({judge: choose(judges, predicted, judge) for judge in JUDGES})
    rows = [
        {**titles(given, data), "judge": judge, **row}
        for judge in JUDGES
        for row in _held_against(methods, values, [one[judge] for one in choices],
                                 permutations, testing)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def _predictions(
    methods: list[str],
    given: Given,
    data: Prepared,
    frame: pd.DataFrame,
    rng: np.random.Generator,
) -> np.ndarray:
    """Each method's predictions of the test items, of all splits together: (M, N, K)."""
    from crowdgold.studies.label_variation.study import run  # here: PyTorch is optional
    from crowdgold.studies.label_variation.transformer_encoder import threads

    how, tried = optimisation(given)
    encoder = encoder_of(given, data, frame)
    with threads(1):
        return np.stack(
            [run(method, data, encoder, how, tried, rng).predicted for method in methods]
        )


def _held_against(
    methods: list[str],
    values: list[list[dict[str, Any]]],
    choices: list[Choices],
    permutations: int,
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    """The rows of a judge: scores of all runs' choices, and every metric against them."""
    wins, undecided = (np.sum(own, axis=0) for own in zip(*choices, strict=True))
    scores = rank_centrality(wins, undecided, prior=PRIOR, names=methods)
    rows = []
    for metric in values[0][0]:
        mean = np.mean([[one[metric].value for one in run] for run in values], axis=0)
        known = np.isfinite(mean)
        correlation = p_value = np.nan
        if known.sum() >= FEWEST and min(np.ptp(mean[known]), np.ptp(scores[known])) > ALIKE:
            correlation, p_value = permutation_test(mean[known], scores[known], permutations, rng)
        about = {"metric": metric, "methods": int(known.sum())}
        about |= {"correlation": correlation, "p_value": p_value}
        rows += [
            {**about, "method": method, "score": its_score, "value": value}
            for method, its_score, value in zip(methods, scores, mean, strict=True)
        ]
    return rows


CHECK = Check(
    "human_ranking",
    check_human_ranking,
    HumanRankingParameters,
    dataset=lambda parameters: str(parameters["dataset"]),
    packages=needed_packages,
    can_do_without=False,
    features_file=features_file,
)
