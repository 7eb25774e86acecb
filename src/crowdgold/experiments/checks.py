"""Named computations that give a table by themselves, without data and methods in between.

A check is a function `check_NAME(parameters, rng) -> DataFrame` in a module of its own. To list it
here is all that an experiment with `check: NAME` needs. One that samples Stan models takes a third
argument, the compiled models, and its module says by `stan_models(parameters)` which. One that
needs a prepared dataset names it in its module's `DATASET`, or by `dataset(parameters)`, and takes
its table as that argument. One that needs optional packages names them by
`needed_packages(parameters)`, and with `CAN_DO_WITHOUT = False` it gives nothing where they are not
installed. One that reads features of texts says by `features_file(parameters)` where they are kept.
"""

import importlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from crowdgold.experiments.tasks import named, replicates, shared_columns, task_rng
from crowdgold.experiments.times import times_frame
from crowdgold.models.stan import StanModels

CHECKS = {
    "bias_causes": "crowdgold.studies.maven.bias_causes",
    "order_statistics": "crowdgold.studies.maven.order_statistics",
    "simulation_based_calibration": "crowdgold.studies.calibration.simulation_based_calibration",
    "score_curves": "crowdgold.studies.maven.score_curves",
    "labelling_frontier": "crowdgold.studies.clara.labelling_frontier",
    "shared_labels": "crowdgold.studies.maven.shared_labels",
    "sigmoid_scores": "crowdgold.studies.clara.sigmoid_scores",
    "judge_error_simulation": "crowdgold.studies.judge_error.simulation",
    "judge_error_formula": "crowdgold.studies.judge_error.formula",
    "soft_metric_curve": "crowdgold.studies.soft_metrics.curve",
    "soft_metric_correlations": "crowdgold.studies.soft_metrics.correlations",
    "soft_metric_scores": "crowdgold.studies.soft_metrics.scores",
    "metric_study": "crowdgold.studies.soft_metrics.metric_study",
    "label_variation": "crowdgold.studies.label_variation.check",
}
"""Name of a check -> the module that holds its function `check_NAME`."""


def models_of_check(name: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The Stan models that a check samples at these parameters."""
    module = importlib.import_module(CHECKS[name])
    return tuple(module.stan_models(parameters)) if hasattr(module, "stan_models") else ()


def packages_of_check(name: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The optional packages that a check uses, where they are installed."""
    module = importlib.import_module(CHECKS[name])
    named = hasattr(module, "needed_packages")
    return tuple(module.needed_packages(parameters)) if named else ()


def can_do_without(name: str) -> bool:
    """Say whether a check gives something where the optional packages it uses are missing."""
    return bool(getattr(importlib.import_module(CHECKS[name]), "CAN_DO_WITHOUT", True))


def features_of_check(name: str, parameters: Mapping[str, Any]) -> Path | None:
    """The file of the texts' features that a check reads; None where it reads none."""
    module = importlib.import_module(CHECKS[name])
    found: Path | None = (
        module.features_file(parameters) if hasattr(module, "features_file") else None
    )
    return found


def dataset_of_check(name: str, parameters: Mapping[str, Any]) -> str:
    """Name the dataset whose table a check needs at these parameters; empty where it needs none."""
    module = importlib.import_module(CHECKS[name])
    if hasattr(module, "dataset"):
        return str(module.dataset(parameters))
    return str(getattr(module, "DATASET", ""))


def check_block(
    task: Mapping[str, Any], stan: StanModels, dataset: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of a task's check, run for every setting and replicate, and the table of times.

    Args:
        task: what to run, from `plan.data_task`.
        stan: the compiled models, for the checks that sample some.
        dataset: the prepared dataset, for the checks that name one.

    Returns:
        The rows that the check gives, after columns for paper, experiment, setting and replicate;
        and the seconds that it took for each replicate.

    Raises:
        ValueError: where the check fails; a note names experiment, setting and replicate.
    """
    module = importlib.import_module(CHECKS[task["check"]])
    check: Callable[..., pd.DataFrame] = getattr(module, f"check_{task['check']}")
    needed = (stan,) if hasattr(module, "stan_models") else ()
    if dataset_of_check(task["check"], task["settings"][0]["parameters"]):
        needed = (*needed, dataset)
    frames, times = [], []
    for setting, replicate in replicates(task):
        with named(task, setting["name"], replicate, check=task["check"]):
            rng = task_rng(task, setting, replicate, "check")
            start = time.perf_counter()
            frame = check(setting["parameters"], rng, *needed)
            seconds = time.perf_counter() - start
        shared = shared_columns(task, setting, replicate)
        times.append({**shared, "method": task["check"], "seconds": seconds})
        own = frame.drop(columns=[name for name in shared if name in frame])
        left = pd.DataFrame([shared] * len(own))
        frames.append(pd.concat([left, own.reset_index(drop=True)], axis=1))
    joined: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return joined, times_frame(times, shared)
