"""The metrics of the population that an experiment's items are drawn from.

Those of a simulator are the mean of many large samples, drawn by random numbers of their own; those
of a dataset are the metrics of all its items. They are the same for every replicate, and for
settings that differ in how many items are drawn, or have a gold label.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crowdgold.experiment import settings
from crowdgold.experiment.settings import name_of_data
from crowdgold.metrics.binary import parse_metric, true_value
from crowdgold.simulate import simulate
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items

TRUTH_OF, POPULATION, ITEMS = "truth_of", "population", "items"
"""The parameter that says what the true values are of, and two of its values."""

SIZES = ("n", "n_gold", "gold_fraction")
"""Parameters that say how much is drawn, and nothing of what from."""

PIECES, ITEMS_OF_PIECE = 10, 100_000
"""A million items. A share of half of them has a Monte Carlo error of 0.0005."""

Values = Mapping[str, tuple[float, float]]
"""Metric -> its value in the population, and the Monte Carlo error of that."""

_FOUND: dict[str, Values] = {}


def asks_for_population(parameters: Mapping[str, Any]) -> bool:
    """Whether the true values are to be those of the population."""
    return bool(parameters.get(TRUTH_OF) == POPULATION)


def population_of_dataset(full: Items, metrics: Sequence[str]) -> Values:
    """The metrics of all items of a dataset, which are known without error."""
    return {metric: (float(true_value(metric, full)), 0.0) for metric in _of_labels(metrics)}


def population_of_simulator(task: Mapping[str, Any], setting: Mapping[str, Any]) -> Values:
    """The metrics of the items that a simulator draws.

    Args:
        task: seed, experiment, simulator and metrics, as `plan.data_task` gives them.
        setting: its axes, and its parameters with `truth_of`.

    Raises:
        InputError: where the simulator does not give Items, or a metric has no value.
    """
    axes = {name: value for name, value in setting["axes"].items() if name not in SIZES}
    own = {name: setting["parameters"][name] for name in setting["parameters"] if name != TRUTH_OF}
    fixed = {name: value for name, value in own.items() if name not in SIZES}
    metrics = _of_labels(task["metrics"])
    name = name_of_data(axes)
    source = [task["seed"], task["experiment"], name, task["simulator"], fixed, metrics]
    key = json.dumps(source, sort_keys=True)
    if key not in _FOUND:
        parameters = {**fixed, "n": ITEMS_OF_PIECE, "n_gold": 0}
        rng = settings.generator(task["seed"], task["experiment"], name, 0, POPULATION)
        _FOUND[key] = _mean_of_pieces(task["simulator"], parameters, metrics, rng)
    return _FOUND[key]


def _of_labels(metrics: Sequence[str]) -> list[str]:
    """The metrics that are no parameters of a model, whose true values are known anyway."""
    return [metric for metric in metrics if not parse_metric(metric).is_parameter]


def _mean_of_pieces(
    simulator: str, parameters: Mapping[str, Any], metrics: Sequence[str], rng: np.random.Generator
) -> Values:
    values = np.empty((PIECES, len(metrics)))
    for piece in range(PIECES):
        drawn = simulate(simulator, parameters, rng).table
        if not isinstance(drawn, Items):
            raise InputError(
                f"{TRUTH_OF}: {POPULATION}: {simulator} gives labels of annotators; expected a "
                f"simulator of items, or {TRUTH_OF}: {ITEMS}"
            )
        values[piece] = [true_value(metric, drawn) for metric in metrics]
    if not np.isfinite(values).all():
        lost = [
            one for one, column in zip(metrics, values.T, strict=True) if np.isnan(column).any()
        ]
        raise InputError(f"{TRUTH_OF}: {POPULATION}: {', '.join(lost)} have no value there")
    error = values.std(axis=0, ddof=1) / np.sqrt(PIECES)
    return {
        metric: (float(value), float(spread))
        for metric, value, spread in zip(metrics, values.mean(axis=0), error, strict=True)
    }
