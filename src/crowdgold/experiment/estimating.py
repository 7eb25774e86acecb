"""The work of an estimate job: methods fitted to replicates, and their estimates with the truth."""

import json
import time
from collections.abc import Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd

from crowdgold.experiment.data_tables import DataTable, Replicate
from crowdgold.experiment.settings import (
    EXPLAIN,
    Plain,
    name_of_data,
    noted_on_error,
    replicates,
    settings_of_methods,
    shared_columns,
    task_rng,
)
from crowdgold.inference.agents import Subsampling, evaluate_agents, evaluate_annotations
from crowdgold.inference.agents import true_values as true_values_of_agents
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.labels import Fit, evaluate
from crowdgold.methods.registry import METHODS, fit
from crowdgold.metrics import agents, reviewers
from crowdgold.metrics.agents import is_agent_metric
from crowdgold.metrics.binary import parse_metric, true_value
from crowdgold.models.stan import StanModels
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.record.results import results_frame, times_frame
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items


def _true_value(metric: str, table: Items, reference: Items, parameters: Plain) -> float:
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


def true_values(metrics: Sequence[str], drawn: Replicate) -> dict[tuple[str, str], float]:
    """(metric, annotator or agent) -> true value; the name is empty where it is nobody's own.

    A metric of agents whose truth is not known has none; InputError where that of another metric is
    not known.
    """
    table, reference, parameters = drawn.table, drawn.reference, drawn.parameters
    if isinstance(table, Items) and isinstance(reference, Items):
        known = {one: value for one, (value, _) in drawn.population.items()}
        return {
            (one, ""): known[one]
            if one in known
            else _true_value(one, table, reference, parameters)
            for one in metrics
        }
    if isinstance(table, Items):
        raise InputError("a replicate of items has annotations for its reference")
    truths: dict[tuple[str, str], float] = {}
    for metric in metrics:
        values: Mapping[str, float]
        if metric.partition(":")[0] == agents.EXPECTED:
            keys = {str(one): f"{agents.EXPECTED}:{one}" for one in table.agent}
            values = {one: float(parameters[key]) for one, key in keys.items() if key in parameters}
        elif is_agent_metric(metric):
            values = true_values_of_agents(metric, table)
        else:
            values = reviewers.true_values(metric, table, parameters)
        truths |= {(metric, of): value for of, value in values.items()}
    return truths


def _estimates(
    task: Plain, setting: Plain, replicate: int, method: str, settings: Plain, drawn: Replicate,
    stan: StanModels,
) -> tuple[list[Estimate], Diagnostics, float | None]:  # fmt: skip
    """Estimates of a method fitted to one replicate, the fit's diagnostics, and its seconds.

    A method that cannot be fitted ends with an error. Only an experiment that asks for reasons has
    estimates then that say why, and None for seconds.
    """
    table = drawn.table
    if task.get("inapplicable") == EXPLAIN and (reason := METHODS[method].lacks(table)):
        missing = [Estimate.unavailable(one, reason) for one in task["metrics"]]
        return missing, Diagnostics(), None
    # Without the method's name: methods that sample the same model share its fit.
    rng = task_rng(task, setting, replicate, "fit")
    start = time.perf_counter()
    fitted = fit(method, table, rng, settings, stan)
    elapsed = time.perf_counter() - start
    rng = task_rng(task, setting, replicate, f"evaluate:{method}")
    metrics = task["metrics"]
    if isinstance(table, Items):
        estimates = evaluate(
            fitted, table, metrics, rng, task["level"], task["bootstrap"], task["target"]
        )
    else:
        # Metrics of agents come last.
        of_agents = [metric for metric in metrics if is_agent_metric(metric)]
        others = [metric for metric in metrics if metric not in of_agents]
        asked = rng, task["level"], task["bootstrap"]
        estimates = evaluate_annotations(fitted, table, others, *asked) if others else []
        if of_agents:
            chosen = Subsampling.read(task.get("subsampling", {}), "subsampling")

            def refit(labels: Annotations) -> Fit:
                return fit(method, labels, rng, settings, stan)

            estimates += evaluate_agents(
                fitted, table, of_agents, *asked, refit, chosen, drawn.state
            )
    return estimates, fitted.diagnostics, fitted.seconds.get("inference", elapsed)


def estimate_block(
    task: Plain, data: Path, stan: StanModels, version: str, threads: int = 1
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of every method of a task, fitted to every replicate of a data table and evaluated.

    They are of the results table (`results.MEASURES`), beside the table of times; a note on an
    error names experiment, setting, replicate and method. The task is from `plan.estimate_task`;
    each row keeps the code's version; a method may run so many processes side by side.
    """
    rows: list[dict[str, Any]] = []
    times: list[dict[str, Any]] = []
    fits: dict[tuple[str, int, str, str], tuple[list[Estimate], Diagnostics, float | None]] = {}
    table = DataTable(data)
    for setting, replicate in replicates(task):
        drawn = table.replicate(setting["name"], replicate)
        with noted_on_error(task, setting["name"], replicate):
            truths = true_values(task["metrics"], drawn)
        where = shared_columns(task, setting, replicate)
        shared = {**where, "seed": task["seed"], "code_version": version}
        same_data = name_of_data(setting["axes"])
        for method, chosen in settings_of_methods(task["methods"], setting["axes"]).items():
            # An axis that varies another method's setting leaves this one's fit as it was.
            key = (same_data, replicate, method, json.dumps(chosen, sort_keys=True))
            if key not in fits:
                # Threads are no part of the task: they change the time and not the numbers.
                settings = {**chosen, "threads": threads}
                with noted_on_error(task, setting["name"], replicate, method=method):
                    fits[key] = _estimates(task, setting, replicate, method, settings, drawn, stan)
            estimates, diagnostics, seconds = fits[key]
            gate = {
                "diagnostics_passed": diagnostics.passed,
                "diagnostics_message": diagnostics.message,
            }
            for one in estimates:
                truth = truths.get((one.metric, one.annotator or one.agent or one.item), nan)
                rows.append({**shared, **one.as_row(), "method": method, "truth": truth, **gate})
            if seconds is not None:
                times.append({**where, "method": method, "seconds": seconds})
    return results_frame(rows, task["settings"][0]["axes"]), times_frame(times, where)
