"""True values of metrics: in a replicate, and in the population that it is drawn from.

Those of a simulator are the mean of many large samples, drawn by random numbers of their own; those
of a dataset are the metrics of all its items. They are the same for every replicate, and for
settings that differ in how many items are drawn, or have a gold label.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crowdgold.data import Annotations, InputError, Items
from crowdgold.evaluation.agents import true_values as true_values_of_agents
from crowdgold.experiments import seeds
from crowdgold.experiments.data_tables import Drawn
from crowdgold.experiments.settings import name_of_data
from crowdgold.metrics import agents, parse_metric, reviewers, true_value
from crowdgold.simulate import simulate

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
        rng = seeds.generator(task["seed"], task["experiment"], name, 0, POPULATION)
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


def _of_items(metric: str, table: Items, reference: Items, parameters: Mapping[str, Any]) -> float:
    """A metric's true value: of the reference, or the parameter the data were drawn with."""
    asked = parse_metric(metric)
    if not asked.is_parameter:
        return float(true_value(metric, reference))
    predictor = asked.predictor or table.predictors[0]
    for name in (asked.name, f"{asked.name}:{predictor}"):
        if name in parameters:
            return float(parameters[name])
    raise InputError(
        f"metrics: the true value of {metric!r} is not known; the data have "
        f"{', '.join(parameters) or 'no known parameters'}"
    )


def _of_annotations(
    metric: str, table: Annotations, parameters: Mapping[str, Any]
) -> Mapping[str, float]:
    if metric.partition(":")[0] == agents.EXPECTED:
        named = {str(one): f"{agents.EXPECTED}:{one}" for one in table.agent}
        return {one: float(parameters[key]) for one, key in named.items() if key in parameters}
    if agents.is_agent_metric(metric):
        return true_values_of_agents(metric, table)
    return reviewers.true_values(metric, table, parameters)


def true_values(metrics: Sequence[str], drawn: Drawn) -> dict[tuple[str, str], float]:
    """The true values of metrics.

    Returns:
        (metric, annotator or agent) -> value; the name is empty where a value is nobody's own.
        A metric of agents whose truth is not known has none.

    Raises:
        InputError: where the truth of another metric is not known.
    """
    table, reference, parameters = drawn.table, drawn.reference, drawn.parameters
    if isinstance(table, Items) and isinstance(reference, Items):
        known = {one: value for one, (value, _) in drawn.population.items()}
        return {
            (one, ""): known[one] if one in known else _of_items(one, table, reference, parameters)
            for one in metrics
        }
    if isinstance(table, Items):
        raise InputError("a replicate of items has annotations for its reference")
    return {
        (metric, of): value
        for metric in metrics
        for of, value in _of_annotations(metric, table, parameters).items()
    }
