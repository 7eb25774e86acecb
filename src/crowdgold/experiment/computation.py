"""A computation: a named function that gives a table of its own, without data and methods."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import pandas as pd

from crowdgold.experiment.settings import noted_on_error, replicates, shared_columns, task_rng
from crowdgold.models.stan import StanModels
from crowdgold.record.results import times_frame
from crowdgold.system.declarations import load
from crowdgold.types.parameters import Settings

Given = Mapping[str, Any]
"""The parameters of an experiment in one of its settings; its `parameters` say which there are."""


@dataclass(frozen=True)
class Computation:
    """A file that holds `X = Computation("NAME", ...)` offers it as `computation: NAME`.

    `run` is given parameters and a random generator, and gives rows; a third parameter named `stan`
    is given the compiled models, and one named `dataset` the prepared table. What depends on the
    parameters is a function of them.
    """

    name: str
    run: Callable[..., pd.DataFrame]
    parameters: type[Settings] = Settings
    """Declares its parameters; the configuration's schema is made from it."""
    stan_models: Callable[[Given], tuple[str, ...]] = lambda parameters: ()
    dataset: Callable[[Given], str] = lambda parameters: ""
    """The prepared dataset that it reads; empty where it reads none."""
    packages: Callable[[Given], tuple[str, ...]] = lambda parameters: ()
    """The optional packages that it uses, where they are installed."""
    can_do_without: bool = True
    """Whether it gives something where these packages are missing."""
    features_file: Callable[[Given], Path | None] = lambda parameters: None
    """Where the features of texts are kept that it reads, if any."""

    @property
    def takes(self) -> tuple[str, ...]:
        """The names of what `run` is given."""
        return tuple(signature(self.run).parameters)


def compute_block(
    task: Mapping[str, Any], stan: StanModels, dataset: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of a task's computation, run for every setting and replicate, and the table of times.

    The task is from `plan.data_task`. Rows stand after columns for paper, experiment, setting and
    replicate; a note on an error names the latter three.
    """
    computation: Computation = load("computation", task["computation"])
    offered = {"stan": stan, "dataset": dataset}
    inputs = {name: value for name, value in offered.items() if name in computation.takes}
    frames, times = [], []
    for setting, replicate in replicates(task):
        with noted_on_error(task, setting["name"], replicate, computation=task["computation"]):
            # This word is part of every seed: another would change all published numbers.
            rng = task_rng(task, setting, replicate, "check")
            start = time.perf_counter()
            frame = computation.run(setting["parameters"], rng, **inputs)
            seconds = time.perf_counter() - start
        shared = shared_columns(task, setting, replicate)
        # An experiment that varies the method of its computation says which one took them.
        times.append({"method": task["computation"], **shared, "seconds": seconds})
        own = frame.drop(columns=[name for name in shared if name in frame])
        left = pd.DataFrame([shared] * len(own))
        frames.append(pd.concat([left, own.reset_index(drop=True)], axis=1))
    return pd.concat(frames, ignore_index=True), times_frame(times, shared)
