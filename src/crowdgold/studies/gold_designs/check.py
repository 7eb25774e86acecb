"""Samples of gold labels drawn in several ways, corrected by the same method, in one study.

- `random`: a simple random sample;
- `strata`: by votes and a model's ranking (`simulate.gold_sample`), in one go;
- `batches`: as `crowdgold sample` draws them, for all metrics together, each batch guided by the
  labels before it;
- `batches, one metric`: the same for each metric alone;
- `least`: no sample, but the fewest labels that could do (`least_share`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from crowdgold.data import Items
from crowdgold.declared import AtLeast, Between, Each, Json, Settings
from crowdgold.evaluation.best_prediction import best_prediction
from crowdgold.experiments.check import Check
from crowdgold.given import Given
from crowdgold.inference import evaluate
from crowdgold.methods import fit
from crowdgold.metrics import parse_metric, true_value
from crowdgold.sampling.batch import labelled, next_batch
from crowdgold.sampling.spread import variances
from crowdgold.simulate import simulate
from crowdgold.simulate.gold_sample import STRATA, draw_gold, draw_labelled

RANDOM, BATCHES, ALONE, FEWEST = "random", "batches", "batches, one metric", "least"
DESIGNS = (STRATA, BATCHES, ALONE, FEWEST)
"""Of the figure, beside `random`, against which they are held."""
STEPS = 60


@dataclass(frozen=True, kw_only=True)
class GoldDesignsParameters(Settings):
    """Gold labels drawn in several ways from one simulated study."""

    simulator: Annotated[object, Json({"type": "string"}), "The process of the study."]
    study: Annotated[
        object,
        Json({"type": "object", "additionalProperties": {}}),
        "Its parameters, without gold labels.",
    ]
    n_gold: Annotated[int, AtLeast(20), "Gold labels of each sample."]
    batches: Annotated[
        object, Each(float, Between(0, 1)), "Shares of the labels that the batches have."
    ]
    method: Annotated[object, Json({"type": "string"}), "What the labels correct."]
    metrics: Annotated[object, Json({"type": "array"}), "What is estimated."]
    learnt: Annotated[
        int, AtLeast(1000), "Labelled items of the simulator that the least number is learnt from."
    ]


def in_batches(items: Items, metrics: Sequence[str], sizes: Sequence[int], seed: int) -> Items:
    """The items with the gold labels of several batches, drawn for some metrics."""
    asked = [*map(parse_metric, metrics)]
    for size in sizes:
        items = labelled(items, next_batch(items, asked, size, seed))
    return items


def least_share(variance: np.ndarray, fraction: float) -> float:
    """The fewest labels that estimate a sum as well as a random sample, as a share of its labels.

    Item i adds v_i (1 / pi_i - 1) to the variance of a corrected estimate, where pi_i is the
    chance that it is labelled. A random sample has pi_i = f. The fewest labels have pi_i in
    proportion to sqrt(v_i), and 1 where that is more (Neyman, 1934).

    Args:
        variance: (n,) v_i, by the best prediction of the labels that there is.
        fraction: f, the labelled share of the items of the random sample.
    """
    spread, wanted = np.sqrt(variance), variance.sum() * (1 / fraction - 1)
    low, high = 0.0, 1 / spread[spread > 0].min()
    for _ in range(STEPS):
        middle = np.sqrt(max(low, 1e-12 * high) * high)
        chance = np.minimum(middle * spread, 1.0)
        left = np.divide(variance, chance, out=np.zeros_like(spread), where=chance > 0)
        low, high = (middle, high) if (left - variance).sum() > wanted else (low, middle)
    return float(np.minimum(high * spread, 1.0).mean() / fraction)


def _samples(
    items: Items, parameters: Mapping[str, Any], rng: np.random.Generator
) -> Iterator[tuple[str, Items, Sequence[str]]]:
    """The designs, the items with their gold labels, and the metrics that these are for."""
    n_gold, metrics = parameters["n_gold"], parameters["metrics"]
    seed = int(rng.integers(2**31))
    first = [round(share * n_gold) for share in parameters["batches"][:-1]]
    sizes = [*first, n_gold - sum(first)]
    yield RANDOM, items.with_gold(draw_labelled(len(items), n_gold, rng)), metrics
    yield STRATA, draw_gold(items, STRATA, n_gold, rng), metrics
    yield BATCHES, in_batches(items, metrics, sizes, seed), metrics
    for metric in metrics:
        yield ALONE, in_batches(items, [metric], sizes, seed), [metric]


def check_gold_designs(parameters: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Estimates from each sample of one study, and the share of labels that the best design needs.

    Returns:
        columns design, metric, truth (of the study's items), estimate, lower, upper; of the
        design `least`, estimate is that share.
    """
    given = Given("check gold_designs", parameters, GoldDesignsParameters)
    given.check_names()
    metrics, study = parameters["metrics"], {**parameters["study"], "n_gold": 0}
    items = simulate(parameters["simulator"], study, rng).table
    rows = []
    for design, sample, asked in _samples(items, parameters, rng):
        found = evaluate(fit(parameters["method"], sample, rng), sample, asked, rng, target="items")
        rows += [
            (design, metric, true_value(metric, items), one.estimate, one.lower, one.upper)
            for metric, one in zip(asked, found, strict=True)
        ]
    many = simulate(parameters["simulator"], {**study, "n": given.whole("learnt")}, rng).table
    moved = variances(many, [*map(parse_metric, metrics)], best_prediction(many, many.truth))
    fraction = given.whole("n_gold") / len(items)
    rows += [
        (FEWEST, metric, np.nan, least_share(own, fraction), np.nan, np.nan)
        for metric, own in zip(metrics, moved.T, strict=True)
    ]
    return pd.DataFrame(rows, columns=["design", "metric", "truth", "estimate", "lower", "upper"])


CHECK = Check("gold_designs", check_gold_designs, GoldDesignsParameters)
