"""The metrics of the population that an experiment's items are drawn from.

Those of a simulator are the mean of many large samples, drawn by random numbers of their own; those
of a dataset are the metrics of all its items. They are the same for every replicate, and for
settings that differ in how many items are drawn, or have a gold label.
"""

import json
from collections.abc import Mapping, Sequence

import numpy as np

from crowdgold.experiment import settings
from crowdgold.experiment.settings import Plain, name_of_data
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

_KNOWN_VALUES: dict[str, Values] = {}


def asks_for_population(parameters: Plain) -> bool:
    """Whether the true values are to be those of the population."""
    return bool(parameters.get(TRUTH_OF) == POPULATION)


def population_of_dataset(full: Items, metrics: Sequence[str]) -> Values:
    """The metrics of all items of a dataset, which are known without error."""
    return {metric: (float(true_value(metric, full)), 0.0) for metric in _no_parameters(metrics)}


def population_of_simulator(task: Plain, setting: Plain) -> Values:
    """The metrics of the items that a simulator draws.

    The task has seed, experiment, simulator and metrics, as `plan.data_task` gives them. InputError
    where the simulator does not give Items, or a metric has no value.
    """
    simulator, metrics = task["simulator"], _no_parameters(task["metrics"])
    name = name_of_data({key: one for key, one in setting["axes"].items() if key not in SIZES})
    fixed = {
        key: one for key, one in setting["parameters"].items() if key not in (TRUTH_OF, *SIZES)
    }
    source = [task["seed"], task["experiment"], name, simulator, fixed, metrics]
    key = json.dumps(source, sort_keys=True)
    if key in _KNOWN_VALUES:
        return _KNOWN_VALUES[key]
    rng = settings.generator(task["seed"], task["experiment"], name, 0, POPULATION)
    values = np.empty((PIECES, len(metrics)))
    for piece in range(PIECES):
        drawn = simulate(simulator, {**fixed, "n": ITEMS_OF_PIECE, "n_gold": 0}, rng).table
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
    _KNOWN_VALUES[key] = {
        metric: (float(value), float(spread))
        for metric, value, spread in zip(metrics, values.mean(axis=0), error, strict=True)
    }
    return _KNOWN_VALUES[key]


def _no_parameters(metrics: Sequence[str]) -> list[str]:
    """The metrics without parameters of a model, whose true values are known anyway."""
    return [metric for metric in metrics if not parse_metric(metric).is_parameter]
