"""What a check is, a named computation that gives a table by itself, and the job that runs it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import pandas as pd

from crowdgold.declared import Settings
from crowdgold.experiments.results import times_frame
from crowdgold.experiments.tasks import named, replicates, shared_columns, task_rng
from crowdgold.found import load
from crowdgold.models.stan import StanModels

Given = Mapping[str, Any]
"""The parameters of an experiment in one of its settings; its `parameters` say which there are."""


@dataclass(frozen=True)
class Check:
    """A computation. A file that holds `X = Check("NAME", ...)` offers it as `check: NAME`.

    Attributes:
        name: as configurations write it.
        run: (parameters, rng) -> rows. A third parameter named `stan` is given the compiled models,
            and one named `dataset` the prepared table.
        parameters: the class that declares its parameters, from which the configuration's schema
            is made.
        stan_models: parameters -> the Stan models that it samples.
        dataset: parameters -> the prepared dataset that it reads; empty where it reads none.
        packages: parameters -> the optional packages that it uses, where they are installed.
        can_do_without: whether it gives something where these packages are missing.
        features_file: parameters -> where the features of texts are kept that it reads, if any.
    """

    name: str
    run: Callable[..., pd.DataFrame]
    parameters: type[Settings] = Settings
    stan_models: Callable[[Given], tuple[str, ...]] = lambda parameters: ()
    dataset: Callable[[Given], str] = lambda parameters: ""
    packages: Callable[[Given], tuple[str, ...]] = lambda parameters: ()
    can_do_without: bool = True
    features_file: Callable[[Given], Path | None] = lambda parameters: None

    @property
    def takes(self) -> tuple[str, ...]:
        """The names of what `run` is given."""
        return tuple(signature(self.run).parameters)


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
    check: Check = load("check", task["check"])
    offered = {"stan": stan, "dataset": dataset}
    inputs = {name: value for name, value in offered.items() if name in check.takes}
    frames, times = [], []
    for setting, replicate in replicates(task):
        with named(task, setting["name"], replicate, check=task["check"]):
            rng = task_rng(task, setting, replicate, "check")
            start = time.perf_counter()
            frame = check.run(setting["parameters"], rng, **inputs)
            seconds = time.perf_counter() - start
        shared = shared_columns(task, setting, replicate)
        times.append({**shared, "method": task["check"], "seconds": seconds})
        own = frame.drop(columns=[name for name in shared if name in frame])
        left = pd.DataFrame([shared] * len(own))
        frames.append(pd.concat([left, own.reset_index(drop=True)], axis=1))
    joined: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return joined, times_frame(times, shared)
