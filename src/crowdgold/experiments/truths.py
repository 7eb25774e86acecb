"""The true values of metrics in a replicate."""

from collections.abc import Mapping, Sequence
from typing import Any

from crowdgold.data import Annotations, InputError, Items
from crowdgold.evaluation.agents import true_values as true_values_of_agents
from crowdgold.experiments.data_tables import Drawn
from crowdgold.metrics import agents, parse_metric, reviewers, true_value


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
