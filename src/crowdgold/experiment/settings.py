"""Settings of an experiment: every combination of what varies, with a name for each.

`vary: {gold_fraction: [0.02, 0.1], n: [1000]}` gives the settings `gold_fraction=0.02,n=1000` and
`gold_fraction=0.1,n=1000`. The name is part of file names and of the seeds. A dotted axis reaches
into a parameter that is a mapping: `predictors.A.mu: [0, 1]`. An axis
`method_settings.MAVEN.delta_scale` varies a method's setting; all of its values see the same data.

Random streams, one for each (experiment, setting, replicate, role).

A stream depends on what it is for and on nothing else: not on the order of the jobs, on the size
of a block, or on which other settings and methods run. The method is no part of the key of the
data, so every method sees the same data.

Tasks: going through the settings and replicates of a job, and naming where an error happened.
"""

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np


def word(text: str) -> int:
    """Turn text into a whole number, the same one in every process and on every machine."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def seed_sequence(
    seed: int, experiment: str, setting: str, replicate: int, role: str
) -> np.random.SeedSequence:
    """The seed sequence of one role in one replicate.

    Args:
        seed: the configuration's seed.
        experiment: name of the experiment.
        setting: name of the setting, as `settings.setting_name` writes it.
        replicate: number of the replicate, from 0.
        role: what the numbers are for, e.g. "data" or "fit:MAVEN".

    Raises:
        ValueError: where the seed or the replicate is negative.
    """
    if seed < 0 or replicate < 0:
        raise ValueError(f"seed and replicate must be 0 or more; found {seed} and {replicate}")
    return np.random.SeedSequence([seed, word(experiment), word(setting), replicate, word(role)])


def generator(
    seed: int, experiment: str, setting: str, replicate: int, role: str
) -> np.random.Generator:
    """The random generator of one role in one replicate; arguments as `seed_sequence`."""
    return np.random.Generator(
        np.random.PCG64(seed_sequence(seed, experiment, setting, replicate, role))
    )


Value = bool | int | float | str

ONLY = "only"
"""Name of the single setting of an experiment in which nothing varies."""
METHOD_SETTINGS = "method_settings"
"""First part of the name of an axis that varies a method's setting."""


@dataclass(frozen=True)
class Setting:
    """One combination of values: its name, the varied values, and the parameters of the data."""

    name: str
    axes: dict[str, Value]
    parameters: dict[str, Any]


def setting_name(axes: Mapping[str, Value]) -> str:
    """Name a combination of values: `axis=value`, joined by commas.

    Raises:
        ValueError: where a value cannot be part of a file name.
    """
    parts = []
    for axis, value in axes.items():
        text = value if isinstance(value, str) else json.dumps(value)
        if not text or any(character in text for character in ",=/ ") or text.startswith("."):
            raise ValueError(
                f"vary.{axis}: {value!r} cannot name a setting; "
                "expected a number or a word without ',', '=', '/' or spaces"
            )
        parts.append(f"{axis}={text}")
    return ",".join(parts) or ONLY


def parse_setting(name: str) -> dict[str, Value]:
    """Read the varied values back from a setting's name.

    Raises:
        ValueError: where the name is not one that `setting_name` writes.
    """
    if name == ONLY:
        return {}
    axes: dict[str, Value] = {}
    for part in name.split(","):
        axis, equals, text = part.partition("=")
        if not (axis and equals and text):
            raise ValueError(f"{name!r} is not a setting; expected axis=value joined by commas")
        try:
            axes[axis] = json.loads(text)
        except json.JSONDecodeError:
            axes[axis] = text
    return axes


def varies_a_method(axis: str) -> bool:
    """Say whether an axis varies a method's setting, and not the data."""
    return axis.partition(".")[0] == METHOD_SETTINGS


def name_of_data(axes: Mapping[str, Value]) -> str:
    """Name the data of a combination of values: equal where only methods' settings differ."""
    return setting_name({axis: axes[axis] for axis in axes if not varies_a_method(axis)})


def settings_of_methods(
    methods: Mapping[str, Mapping[str, Any]], axes: Mapping[str, Value]
) -> dict[str, Any]:
    """The methods' settings with those replaced that an axis varies.

    Args:
        methods: method -> its settings; axes of other methods are left out.
        axes: the varied values.

    Raises:
        ValueError: where a mapping that an axis names is not there.
    """
    changed: dict[str, Any] = {METHOD_SETTINGS: methods}
    for axis, value in axes.items():
        if varies_a_method(axis) and axis.split(".")[1] in methods:
            changed = replaced(changed, axis, value)
    return dict(changed[METHOD_SETTINGS])


def replaced(parameters: Mapping[str, Any], axis: str, value: Any) -> dict[str, Any]:
    """The parameters with one of them replaced; a dotted axis reaches into mappings.

    Raises:
        ValueError: where a mapping that the axis names is not there.
    """
    name, _, rest = axis.partition(".")
    if not rest:
        return {**parameters, name: value}
    if not isinstance(parameters.get(name), Mapping):
        raise ValueError(f"vary.{axis}: the parameters have no mapping {name!r}")
    return {**parameters, name: replaced(parameters[name], rest, value)}


def expand(
    parameters: Mapping[str, Any], vary: Mapping[str, Sequence[Value]] | None = None
) -> list[Setting]:
    """The settings of an experiment, the last axis varying fastest.

    Args:
        parameters: what all settings share.
        vary: axis -> its values; an axis overrides the parameter that it names, if it names one.
    """
    vary = vary or {}
    combinations = itertools.product(*vary.values())
    settings = []
    for values in combinations:
        axes = dict(zip(vary, values, strict=True))
        changed = dict(parameters)
        for axis, value in axes.items():
            if not varies_a_method(axis):
                changed = replaced(changed, axis, value)
        settings.append(Setting(setting_name(axes), axes, changed))
    return settings


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
    return generator(task["seed"], task["experiment"], name, replicate, role)


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
