"""Named computations that give a table by themselves, without data and methods in between.

A check is a function `check_NAME(parameters, rng) -> DataFrame` in a module of its own. To list it
here is all that an experiment with `check: NAME` needs.
"""

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.experiments.tasks import named, replicates, shared_columns, task_rng

Check = Callable[[Mapping[str, Any], np.random.Generator], pd.DataFrame]

CHECKS = {
    "order_statistics": "crowdgold.evaluation.order_statistics",
    "score_curves": "crowdgold.evaluation.score_curves",
}
"""Name of a check -> the module that holds its function `check_NAME`."""


def check_block(task: Mapping[str, Any]) -> pd.DataFrame:
    """Run a task's check for every setting and replicate.

    Returns:
        The rows that the check gives, after columns for paper, experiment, setting and replicate.

    Raises:
        ValueError: where the check fails; a note names experiment, setting and replicate.
    """
    check: Check = getattr(importlib.import_module(CHECKS[task["check"]]), f"check_{task['check']}")
    frames = []
    for setting, replicate in replicates(task):
        with named(task, setting["name"], replicate, check=task["check"]):
            rng = task_rng(task, setting["name"], replicate, "check")
            frame = check(setting["parameters"], rng)
        shared = shared_columns(task, setting, replicate)
        own = frame.drop(columns=[name for name in shared if name in frame])
        left = pd.DataFrame([shared] * len(own))
        frames.append(pd.concat([left, own.reset_index(drop=True)], axis=1))
    joined: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return joined
