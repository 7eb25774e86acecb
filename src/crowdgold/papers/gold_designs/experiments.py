"""Samples of gold labels drawn in several ways, each corrected by the same methods, in one study.

- `random`: a simple random sample;
- `one batch`: as `crowdgold sample` draws it before there is any label, for all metrics together;
- `batches`: the same in several, each guided by the labels before it;
- `batches for the metric`: likewise, a sample for each metric alone;
- `least`: no sample, but the fewest labels that would do as well as `random` (`least_share`).

The labels correct two predictions: that of a method, and `wrong_prediction`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from crowdgold.datasets import DATASETS
from crowdgold.experiment.computation import Computation
from crowdgold.inference.labels import Fit, LabelPrediction, evaluate
from crowdgold.inference.rectified import ITEMS, POPULATION
from crowdgold.methods.registry import fit
from crowdgold.metrics.binary import parse_metric, true_value
from crowdgold.models.logistic import best_prediction
from crowdgold.planning.batch import next_batch, variances, with_labels
from crowdgold.simulate import simulate
from crowdgold.simulate.design import draw_labelled
from crowdgold.types.items import Items
from crowdgold.types.parameters import AtLeast, Between, Each, Given, Json, Settings

RANDOM, ONE_BATCH, BATCHES, LEAST = "random", "one batch", "batches", "least"
FOR_ONE_METRIC = "batches for the metric"
DESIGNS = (ONE_BATCH, BATCHES, FOR_ONE_METRIC, LEAST)
"""The designs that are compared with `random`."""
RIGHT, WRONG = "right", "wrong"
COLUMNS = [
    "design", "prediction", "metric", "truth", "estimate", "lower", "upper", "population_width",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class GoldDesignsParameters(Settings):
    """Gold labels drawn in several ways from one study, simulated or of a public dataset."""

    simulator: Annotated[
        str, "The process of the study; that of a dataset's task where not given."
    ] = ""
    dataset: Annotated[str, "The dataset, where there is no simulator."] = ""
    study: Annotated[
        object,
        Json({"type": "object", "additionalProperties": {}}),
        "Parameters of the simulator or of the dataset's task, without gold labels.",
    ]
    n_gold: Annotated[int, AtLeast(20), "Gold labels of each sample."]
    batches: Annotated[
        object, Each(float, Between(0, 1)), "Shares of the labels that the batches have."
    ]
    method: Annotated[object, Json({"type": "string"}), "What the labels correct."]
    metrics: Annotated[object, Json({"type": "array"}), "What is estimated."]
    learnt: Annotated[
        int,
        AtLeast(0),
        "Labelled items of the simulator that the least number is learnt from; none where 0.",
    ] = 0


def wrong_prediction(items: Items) -> Fit:
    """A prediction by which items with more positive votes are less likely to be positive."""
    share = 1 - 0.8 * items.votes_positive / items.votes_total
    return Fit(WRONG, LabelPrediction(dict.fromkeys(["", *items.predictors], share)))


def in_batches(items: Items, metrics: Sequence[str], sizes: Sequence[int], seed: int) -> Items:
    """The items with the gold labels of several batches, drawn for some metrics."""
    asked = [*map(parse_metric, metrics)]
    for size in sizes:
        items = with_labels(items, next_batch(items, asked, size, seed))
    return items


def least_share(variance: np.ndarray, fraction: float) -> float:
    """The fewest labels that estimate a sum as well as a random sample, as a share of its labels.

    Item i adds v_i (1 / pi_i - 1) to the variance of a corrected estimate, where pi_i is the
    chance that it is labelled. A random sample has pi_i = f, the fraction. The fewest labels have
    pi_i in proportion to sqrt(v_i), and 1 where that is more (Neyman, 1934). The v_i are by the
    best prediction of the labels that there is.
    """
    spread, wanted = np.sqrt(variance), variance.sum() * (1 / fraction - 1)
    # The factor of proportion by bisection, at geometric means.
    low, high = 0.0, 1 / spread[spread > 0].min()
    for _ in range(60):
        middle = np.sqrt(max(low, 1e-12 * high) * high)
        chance = np.minimum(middle * spread, 1.0)
        weighted = np.divide(variance, chance, out=np.zeros_like(spread), where=chance > 0)
        low, high = (middle, high) if (weighted - variance).sum() > wanted else (low, middle)
    return float(np.minimum(high * spread, 1.0).mean() / fraction)


def _study(given: Given, dataset: pd.DataFrame | None, rng: np.random.Generator) -> Items:
    """The items, with their truth and without gold labels."""
    study = given.values["study"]
    if dataset is None:
        return simulate(given.values["simulator"], {**study, "n_gold": 0}, rng).table
    items = DATASETS[given.values["dataset"]].draw_task(dataset, study, rng)
    assert isinstance(items, Items)
    return items


def _samples(
    items: Items, parameters: Mapping[str, Any], rng: np.random.Generator
) -> Iterator[tuple[str, Sequence[str], Items]]:
    """The designs, the metrics that they are for, and the items with their gold labels."""
    n_gold, metrics = parameters["n_gold"], parameters["metrics"]
    seed = int(rng.integers(2**31))
    first = [round(share * n_gold) for share in parameters["batches"][:-1]]
    sizes = [*first, n_gold - sum(first)]
    yield RANDOM, metrics, items.with_gold(draw_labelled(len(items), n_gold, rng))
    yield ONE_BATCH, metrics, in_batches(items, metrics, [n_gold], seed)
    yield BATCHES, metrics, in_batches(items, metrics, sizes, seed)
    for metric in metrics:
        yield FOR_ONE_METRIC, [metric], in_batches(items, [metric], sizes, seed)


def compute_gold_designs(
    parameters: Mapping[str, Any], rng: np.random.Generator, dataset: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Estimates from each sample of one study, and the share of labels that the best design needs.

    `COLUMNS`: the truth is of the study's items, `population_width` of the interval about the
    population; of the design `least` the estimate is that share.
    """
    given = Given("computation gold_designs", parameters, GoldDesignsParameters)
    given.check_names()
    metrics = parameters["metrics"]
    items = _study(given, dataset, rng)
    truths = {metric: true_value(metric, items) for metric in metrics}
    rows = []
    for design, asked, sample in _samples(items, parameters, rng):
        fits = {RIGHT: fit(parameters["method"], sample, rng), WRONG: wrong_prediction(sample)}
        for prediction, fitted in fits.items():
            of_items = evaluate(fitted, sample, asked, rng, target=ITEMS)
            of_population = evaluate(fitted, sample, asked, rng, target=POPULATION)
            rows += [
                (design, prediction, metric, truths[metric], one.estimate, one.lower, one.upper,
                 other.upper - other.lower)
                for metric, one, other in zip(asked, of_items, of_population, strict=True)
            ]  # fmt: skip
    if learnt := given.whole("learnt"):
        study = {**parameters["study"], "n_gold": 0, "n": learnt}
        many = simulate(parameters["simulator"], study, rng).table
        by_item = variances(many, [*map(parse_metric, metrics)], best_prediction(many, many.truth))
        fraction = given.whole("n_gold") / len(items)
        rows += [
            (LEAST, RIGHT, metric, np.nan, least_share(own, fraction), np.nan, np.nan, np.nan)
            for metric, own in zip(metrics, by_item.T, strict=True)
        ]
    return pd.DataFrame(rows, columns=COLUMNS)


COMPUTATION = Computation(
    "gold_designs", compute_gold_designs, GoldDesignsParameters,
    dataset=lambda parameters: str(parameters.get("dataset", "")),
)  # fmt: skip
