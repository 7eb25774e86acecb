"""Tasks: going through the settings and replicates of a job, and naming where an error happened."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from crowdgold.experiments import seeds
from crowdgold.experiments.settings import name_of_data

EXPLAIN = "explain"
"""Value of an experiment's `inapplicable`: a method that cannot be fitted says why in its rows."""


def replicates(task: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Each (setting, replicate) of a task, the replicates varying fastest."""
    for setting in task["settings"]:
        for replicate in task["replicates"]:
            yield setting, replicate


def task_rng(
    task: Mapping[str, Any], setting: Mapping[str, Any], replicate: int, role: str
) -> np.random.Generator:
    """The random generator of one role in one replicate of a task.

    Settings that differ in a method's settings alone have the same, so that the same data and the
    same random numbers show what the method's settings change.
    """
    name = name_of_data(setting["axes"])
    return seeds.generator(task["seed"], task["experiment"], name, replicate, role)


def shared_columns(
    task: Mapping[str, Any], setting: Mapping[str, Any], replicate: int
) -> dict[str, Any]:
    """The columns that say which replicate of what a row is from."""
    return {
        "paper": task["paper"],
        "experiment": task["experiment"],
        **setting["axes"],
        "replicate": replicate,
    }


@contextmanager
def named(task: Mapping[str, Any], setting: str, replicate: int, **more: str) -> Iterator[None]:
    """Let an error say in which experiment, setting, replicate and method it happened."""
    try:
        yield
    except Exception as error:
        where = {"experiment": task["experiment"], "setting": setting, "replicate": replicate}
        error.add_note(", ".join(f"{key} {value}" for key, value in {**where, **more}.items()))
        raise
