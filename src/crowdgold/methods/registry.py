"""Where methods are found, by their short names.

Every file of this package that makes a `Method` is read, and so are modules that other packages
declare as entry points of the group `crowdgold.methods`, and files that `CROWDGOLD_METHODS` names
(paths with the separator of `PATH` between them; `method_files` in the configuration).
"""

import importlib
import importlib.util
import os
import pkgutil
import sys
import zlib
from collections.abc import Mapping
from dataclasses import fields, replace
from importlib.metadata import entry_points
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdgold.inference.labels import Fit
from crowdgold.methods.method import (
    ANSWERS,
    BASELINE,
    CORRECTED,
    FIGURES,
    SHARED_SETTINGS,
    Method,
    Run,
    in_order,
)
from crowdgold.methods.needs import EXPERTS_ERRORS
from crowdgold.types.items import Table
from crowdgold.types.parameters import check_names, did_you_mean, refuse

if TYPE_CHECKING:
    from crowdgold.models.stan import StanModels

GROUP, VARIABLE = "crowdgold.methods", "CROWDGOLD_METHODS"
OF_OTHERS = 1 << 16  # Streams of random numbers from here on are those of methods that declare none

METHODS: dict[str, Method] = {}  # The methods by their short names, in the order of figures
MODULES: dict[str, ModuleType] = {}  # Short name -> the module that makes the method


def _of_file(path: Path) -> ModuleType:
    """The module of a file that lies outside any package."""
    name = f"crowdgold_method_{path.stem}_{zlib.crc32(str(path).encode()):x}"
    if name in sys.modules:
        return sys.modules[name]
    if not path.is_file():
        refuse(f"{path}: no such file; expected one that makes a method")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        refuse(f"{path}: expected a Python file that makes a method")
    # Classes look their module up by its name as they are made.
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        frames = [one for one in extract_tb(error.__traceback__) if one.filename == str(path)]
        where = f"{path}, line {frames[-1].lineno}" if frames else str(path)
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        refuse(f"{where}: this file of methods cannot be loaded: {why}")
    return module


def _add(module: ModuleType) -> bool:
    """Add the methods that a module makes; say whether it makes any."""
    made = [one for one in vars(module).values() if isinstance(one, Method)]
    for one in made:
        if METHODS.setdefault(one.name, one) is not one:
            there = MODULES[one.name].__file__
            refuse(f"{module.__file__}: there is another method {one.name!r}, of {there}")
        MODULES.setdefault(one.name, module)
    return bool(made)


def register(*paths: str | Path) -> None:
    """Add the methods of files."""
    for path in paths:
        if not _add(_of_file(Path(path).resolve())):
            refuse(f"{path}: it makes no method; expected `METHOD = Method(...)` in it")
    for name in in_order(METHODS, FIGURES):
        METHODS[name] = METHODS.pop(name)


def _find() -> None:
    for module in pkgutil.iter_modules([str(Path(__file__).parent)], "crowdgold.methods."):
        if module.name != __name__:
            _add(importlib.import_module(module.name))
    for entry in entry_points(group=GROUP):
        _add(importlib.import_module(entry.module))
    register(*filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)))


_find()


def method_named(name: str) -> Method:
    """A method by its short name; `InputError` with the nearest where there is none."""
    if name not in METHODS:
        near = did_you_mean(name, METHODS, always=True)
        refuse(f"no method {name!r}; {near} ({', '.join(METHODS)})")
    return METHODS[name]


def file_of(name: str) -> Path:
    """The file that makes a method."""
    return Path(str(MODULES[name].__file__))


def is_of_package(name: str) -> bool:
    """Whether a method comes with the library, and not from elsewhere."""
    return MODULES[name].__name__.startswith("crowdgold.methods.")


def offered() -> tuple[str, ...]:
    """The methods that `crowdgold evaluate` offers, in the order of answers."""
    return tuple(in_order((name for name, one in METHODS.items() if one.offer), ANSWERS))


def with_role(role: str) -> tuple[str, ...]:
    """The methods that have a role in a user's study, in the order of answers."""
    return tuple(name for name in offered() if METHODS[name].has_role(role))


def answering() -> str:
    """The method of the answer where gold labels are the truth."""
    return next(name for name in with_role(CORRECTED) if EXPERTS_ERRORS not in METHODS[name].needs)


def answering_experts() -> str:
    """The method of the answer where it is known how often the experts of the gold labels err."""
    return next(name for name in with_role(CORRECTED) if EXPERTS_ERRORS in METHODS[name].needs)


def baseline() -> str:
    """The method of gold labels alone, which others' widths and gains are relative to."""
    return with_role(BASELINE)[0]


def stream_of(name: str) -> int:
    """The number of a method among the sources of random numbers of a user's study."""
    offer = METHODS[name].offer
    return (offer and offer.stream) or OF_OTHERS + zlib.crc32(name.encode())


def settable(method: Method) -> list[str]:
    """The names of a method's own settings that a configuration can change."""
    return [one.name for one in method.settings.declared() if one.name not in method.preset]


def fit(
    method: str, table: Table, rng: np.random.Generator,
    settings: Mapping[str, Any] | None = None, stan: "StanModels | None" = None,
) -> Fit:  # fmt: skip
    """A method, by its key in `METHODS`, fitted to a table. `settings`: `sampler` (chains, warmup,
    draws), `imputations`, `threads` and the method's own.
    """
    from crowdgold.models.stan import SamplerSettings, StanModels

    chosen, given = method_named(method), settings or {}
    own = chosen.own(given)
    check_names(own, (*SHARED_SETTINGS, *settable(chosen)), method)
    shared = {key: value for key, value in given.items() if key not in own}
    sampler = shared.pop("sampler", {})
    check_names(sampler, [one.name for one in fields(SamplerSettings)], "sampler")
    run = Run(stan or StanModels(), SamplerSettings(**sampler), **shared)
    return replace(chosen.fit(table, rng, own, run), method=method)
