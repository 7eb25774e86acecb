"""Settings of an experiment, their names, and the random stream of each replicate in them.

`vary: {gold_fraction: [0.02, 0.1], n: [1000]}` gives the settings `gold_fraction=0.02,n=1000` and
`gold_fraction=0.1,n=1000`. The name is part of file names and of the seeds. A dotted axis reaches
into a parameter that is a mapping: `predictors.A.mu: [0, 1]`. An axis
`method_settings.MAVEN.delta_scale` varies a method's setting; all of its values see the same data.

A random stream depends on what it is for (experiment, setting, replicate, role) and on nothing
else: not on the order of the jobs, on the size of a block, or on which other settings and methods
run. The method is no part of the key of the data, so every method sees the same data.
"""

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

Value = bool | int | float | str
Plain = Mapping[str, Any]
"""A part of the configuration, a task or a setting: plain values by their names."""
EXPLAIN = "explain"
"""Value of an experiment's `inapplicable`: a method that cannot be fitted says why in its rows."""
ONLY = "only"
"""Name of the single setting of an experiment in which nothing varies."""
METHOD_SETTINGS = "method_settings"
"""First part of the name of an axis that varies a method's setting."""


def text_key(text: str) -> int:
    """Turn text into a whole number, the same one in every process and on every machine."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def generator(
    seed: int, experiment: str, setting: str, replicate: int, role: str
) -> np.random.Generator:
    """The random generator of one role, such as "data" or "fit:MAVEN", in one replicate from 0."""
    if seed < 0 or replicate < 0:
        raise ValueError(f"seed and replicate must be 0 or more; found {seed} and {replicate}")
    key = [seed, text_key(experiment), text_key(setting), replicate, text_key(role)]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(key)))


@dataclass(frozen=True)
class Setting:
    """One combination of values: its name, the varied values, and the parameters of the data."""

    name: str
    axes: dict[str, Value]
    parameters: dict[str, Any]


def setting_name(axes: Mapping[str, Value]) -> str:
    """A combination of values as `axis=value`, joined by commas; ValueError where one cannot be."""
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
    """Read the varied values back from a name of `setting_name`; ValueError where it is none."""
    axes: dict[str, Value] = {}
    for part in name.split(",") if name != ONLY else ():
        axis, equals, text = part.partition("=")
        if not (axis and equals and text):
            raise ValueError(f"{name!r} is not a setting; expected axis=value joined by commas")
        try:
            axes[axis] = json.loads(text)
        except json.JSONDecodeError:
            axes[axis] = text
    return axes


def varies_a_method(axis: str) -> bool:
    """Whether an axis varies a method's setting, and not the data."""
    return axis.partition(".")[0] == METHOD_SETTINGS


def name_of_data(axes: Mapping[str, Value]) -> str:
    """Name the data of a combination of values: equal where only methods' settings differ."""
    return setting_name({axis: axes[axis] for axis in axes if not varies_a_method(axis)})


def settings_of_methods(methods: Mapping[str, Plain], axes: Mapping[str, Value]) -> dict[str, Any]:
    """Method -> its settings, with those replaced that an axis varies; other axes are left out.

    ValueError where a mapping that an axis names is not there.
    """
    changed: dict[str, Any] = {METHOD_SETTINGS: methods}
    for axis, value in axes.items():
        if varies_a_method(axis) and axis.split(".")[1] in methods:
            changed = _replaced(changed, axis, value)
    return dict(changed[METHOD_SETTINGS])


def _replaced(parameters: Plain, axis: str, value: Any) -> dict[str, Any]:
    """The parameters with one of them replaced; a dotted axis reaches into mappings."""
    name, _, rest = axis.partition(".")
    if not rest:
        return {**parameters, name: value}
    if not isinstance(parameters.get(name), Mapping):
        raise ValueError(f"vary.{axis}: the parameters have no mapping {name!r}")
    return {**parameters, name: _replaced(parameters[name], rest, value)}


def expand(parameters: Plain, vary: Mapping[str, Sequence[Value]] | None = None) -> list[Setting]:
    """The settings of an experiment, the last axis varying fastest.

    An axis of `vary` overrides the parameter that it names, if it names one.
    """
    settings = []
    for values in itertools.product(*(vary or {}).values()):
        axes = dict(zip(vary or {}, values, strict=True))
        changed = dict(parameters)
        for axis, value in axes.items():
            if not varies_a_method(axis):
                changed = _replaced(changed, axis, value)
        settings.append(Setting(setting_name(axes), axes, changed))
    return settings


def replicates(task: Plain) -> Iterator[tuple[Plain, int]]:
    """Each (setting, replicate) of a task, the replicates varying fastest."""
    return itertools.product(task["settings"], task["replicates"])


def task_rng(task: Plain, setting: Plain, replicate: int, role: str) -> np.random.Generator:
    """The random generator of one role in one replicate of a task.

    Settings that differ in a method's settings alone have the same, so that the same data and the
    same random numbers show what the method's settings change.
    """
    name = name_of_data(setting["axes"])
    return generator(task["seed"], task["experiment"], name, replicate, role)


def shared_columns(task: Plain, setting: Plain, replicate: int) -> dict[str, Any]:
    """The columns that say which replicate of what a row is from."""
    about = {"paper": task["paper"], "experiment": task["experiment"]}
    return {**about, **setting["axes"], "replicate": replicate}


@contextmanager
def noted_on_error(task: Plain, setting: str, replicate: int, **more: str) -> Iterator[None]:
    """An error in the block gets a note of its experiment, setting, replicate and method."""
    try:
        yield
    except Exception as error:
        where = {"experiment": task["experiment"], "setting": setting, "replicate": replicate}
        error.add_note(", ".join(f"{key} {value}" for key, value in {**where, **more}.items()))
        raise
