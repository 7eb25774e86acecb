"""The work of an estimate job: methods fitted to a block of replicates, and evaluated.

The true values of metrics in a replicate.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.experiment.data_tables import DataTable, Drawn
from crowdgold.experiment.settings import (
    EXPLAIN,
    name_of_data,
    named,
    replicates,
    settings_of_methods,
    shared_columns,
    task_rng,
)
from crowdgold.inference.agents import Subsampling, evaluate_agents, evaluate_annotations
from crowdgold.inference.agents import true_values as true_values_of_agents
from crowdgold.inference.engine import evaluate
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.labels import Fit
from crowdgold.methods.registry import METHODS, fit
from crowdgold.metrics import agents, reviewers
from crowdgold.metrics.agents import is_agent_metric
from crowdgold.metrics.binary import parse_metric, true_value
from crowdgold.models.stan import StanModels
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.record.results import results_frame, times_frame
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items, Table


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


NO_DIAGNOSTICS = Diagnostics()


def _evaluate(
    task: Mapping[str, Any],
    fitted: Fit,
    table: Table,
    rng: np.random.Generator,
    refit: Callable[[Annotations], Fit],
) -> list[Estimate]:
    """Evaluate a fit by the metrics of its kind of table; those of agents come last."""
    level, resamples, metrics = task["level"], task["bootstrap"], task["metrics"]
    if isinstance(table, Items):
        return evaluate(fitted, table, metrics, rng, level, resamples, task["target"])
    of_agents = [metric for metric in metrics if is_agent_metric(metric)]
    others = [metric for metric in metrics if metric not in of_agents]
    found = evaluate_annotations(fitted, table, others, rng, level, resamples) if others else []
    if of_agents:
        chosen = Subsampling.read(task.get("subsampling", {}), "subsampling")
        found += evaluate_agents(fitted, table, of_agents, rng, level, resamples, refit, chosen)
    return found


def _owner(row: Mapping[str, Any]) -> str:
    """Say whose value a row holds; empty where it is nobody's own."""
    return str(row["annotator"] or row["agent"] or row["item"])


def inapplicable(task: Mapping[str, Any], method: str, table: Table) -> str | None:
    """Say why a method is not fitted to a table, where the experiment has that explained.

    None where it is to be fitted: an experiment that does not ask for reasons ends with an error.
    """
    if task.get("inapplicable") != EXPLAIN:
        return None
    return METHODS[method].lacks(table) or None


def _row(
    method: str,
    one: Estimate,
    diagnostics: Diagnostics = NO_DIAGNOSTICS,
) -> dict[str, Any]:
    return {
        "method": method,
        "metric": one.metric,
        "annotator": one.annotator,
        "agent": one.agent,
        "item": one.item,
        "estimate": one.estimate,
        "lower": one.lower,
        "upper": one.upper,
        "standard_error": one.standard_error,
        "undefined": one.undefined,
        "note": one.note,
        "diagnostics_passed": diagnostics.passed,
        "diagnostics_message": diagnostics.message,
    }


def _estimate(
    task: Mapping[str, Any],
    setting: Mapping[str, Any],
    replicate: int,
    method: str,
    settings: Mapping[str, Any],
    table: Table,
    stan: StanModels,
) -> tuple[list[dict[str, Any]], float | None]:
    """A row for each metric, or each of its values, of a method fitted to one replicate.

    Beside them the seconds of the fit; None where the method is not fitted.
    """
    if (reason := inapplicable(task, method, table)) is not None:
        return [_row(method, Estimate.unavailable(one, reason)) for one in task["metrics"]], None
    # Without the method's name: methods that sample the same model share its fit.
    rng = task_rng(task, setting, replicate, "fit")
    start = time.perf_counter()
    fitted = fit(method, table, rng, settings, stan)
    elapsed = time.perf_counter() - start
    rng = task_rng(task, setting, replicate, f"evaluate:{method}")
    estimates = _evaluate(
        task, fitted, table, rng, lambda labels: fit(method, labels, rng, settings, stan)
    )
    seconds = fitted.seconds.get("inference", elapsed)
    return [_row(method, one, fitted.diagnostics) for one in estimates], seconds


def estimate_block(
    task: Mapping[str, Any], data: Path, stan: StanModels, version: str, threads: int = 1
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of every method of a task, fitted to every replicate of a data table and evaluated.

    Args:
        task: what to estimate, from `plan.estimate_task`.
        data: the block's data table.
        version: the code's version, stored in each row.
        threads: processes that a method may run side by side.

    Returns:
        Rows of the results table (`results.MEASURES`), and the table of times.

    Raises:
        ValueError: where a fit fails; a note names experiment, setting, replicate and method.
    """
    rows: list[dict[str, Any]] = []
    times: list[dict[str, Any]] = []
    done: dict[tuple[str, int, str, str], tuple[list[dict[str, Any]], float | None]] = {}
    table = DataTable(data)
    for setting, replicate in replicates(task):
        drawn = table.replicate(setting["name"], replicate)
        with named(task, setting["name"], replicate):
            truths = true_values(task["metrics"], drawn)
        named_columns = shared_columns(task, setting, replicate)
        shared = {**named_columns, "seed": task["seed"], "code_version": version}
        same_data = name_of_data(setting["axes"])
        for method, chosen in settings_of_methods(task["methods"], setting["axes"]).items():
            # An axis that varies another method's setting leaves this one's fit as it was.
            key = (same_data, replicate, method, json.dumps(chosen, sort_keys=True))
            if key not in done:
                # Threads are no part of the task: they change the time and not the numbers.
                settings = {**chosen, "threads": threads}
                with named(task, setting["name"], replicate, method=method):
                    done[key] = _estimate(
                        task, setting, replicate, method, settings, drawn.table, stan
                    )
            estimated, seconds = done[key]
            rows += [
                {**shared, **row, "truth": truths.get((row["metric"], _owner(row)), np.nan)}
                for row in estimated
            ]
            if seconds is not None:
                times.append({**named_columns, "method": method, "seconds": seconds})
    return results_frame(rows, task["settings"][0]["axes"]), times_frame(times, named_columns)
