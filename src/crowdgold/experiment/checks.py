"""The work of a job that runs a `Check`: its rows for every setting and replicate."""

import time
from collections.abc import Mapping
from typing import Any

import pandas as pd

from crowdgold.experiment.check import Check
from crowdgold.experiment.settings import noted_on_error, replicates, shared_columns, task_rng
from crowdgold.models.stan import StanModels
from crowdgold.record.results import times_frame
from crowdgold.system.declarations import load


def check_block(
    task: Mapping[str, Any], stan: StanModels, dataset: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of a task's check, run for every setting and replicate, and the table of times.

    The task is from `plan.data_task`. Rows stand after columns for paper, experiment, setting and
    replicate; a note on an error names the latter three.
    """
    check: Check = load("check", task["check"])
    offered = {"stan": stan, "dataset": dataset}
    inputs = {name: value for name, value in offered.items() if name in check.takes}
    frames, times = [], []
    for setting, replicate in replicates(task):
        with noted_on_error(task, setting["name"], replicate, check=task["check"]):
            rng = task_rng(task, setting, replicate, "check")
            start = time.perf_counter()
            frame = check.run(setting["parameters"], rng, **inputs)
            seconds = time.perf_counter() - start
        shared = shared_columns(task, setting, replicate)
        # An experiment that varies the method of its check says which one took them.
        times.append({"method": task["check"], **shared, "seconds": seconds})
        own = frame.drop(columns=[name for name in shared if name in frame])
        left = pd.DataFrame([shared] * len(own))
        frames.append(pd.concat([left, own.reset_index(drop=True)], axis=1))
    return pd.concat(frames, ignore_index=True), times_frame(times, shared)
