"""Packages of others: those that not every install has, and those that are loaded at first use.

Modules that compute can wait until they are used. The workflow's own process plans jobs and
computes nothing, and on a cluster it starts with each job. It needs the names of methods,
simulators and plots, whose files import what they compute with. `lazy import` (PEP 810, Python
3.15) will do the same.
"""

import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any

PARQUET = "pyarrow"
EXTRA_OF = {
    "cmdstanpy": "stan", "xarray": "stan", "matplotlib": "report", PARQUET: "parquet",
    "jsonschema": "workflow", "pooch": "workflow", "sklearn": "workflow", "snakemake": "workflow",
    "crowdkit": "peers", "numpyro": "peers", "snorkel": "snorkel", "peft": "hlv", "torch": "hlv",
    "transformers": "hlv",
}  # fmt: skip
"""Module -> the extra in pyproject.toml that brings it; what stands in none is always there."""


def lack_of(module: str) -> str:
    """What to install for a module, there or not; empty where no extra brings it."""
    package = module.partition(".")[0]
    if package not in EXTRA_OF:
        return ""
    return f"{package}, which is not installed: pip install 'crowdgold[{EXTRA_OF[package]}]'"


def missing(module: str) -> str:
    """What to install for a module that is not there; empty where it is, or no extra brings it."""
    return "" if importlib.util.find_spec(module) else lack_of(module)


def need(module: str, purpose: str) -> None:
    """Raise a `ModuleNotFoundError` where a module is not there, with the extra that brings it."""
    if lack := missing(module):
        raise ModuleNotFoundError(f"{purpose} needs {lack}", name=module)


COMPUTING = ("pandas", "pyarrow", "scipy", "numba", "sklearn", "matplotlib", "cmdstanpy")
DECORATORS = {"numba": 2}
"""Package -> how many calls wait, too: `numba.njit(cache=True)(function)` compiles nothing yet."""


class Postponed:
    """Stands for a module, or a part of one, until it is called or asked what is an instance."""

    def __init__(self, name: str, load: Callable[[], Any], calls: int = 0) -> None:
        self._name, self._load, self._calls = name, load, calls

    @cached_property
    def _loaded(self) -> Any:
        return self._load()

    def __getattr__(self, part: str) -> Any:
        if part.startswith("__"):
            raise AttributeError(part)
        whole = f"{self._name}.{part}"
        return Postponed(whole, lambda: getattr(self._loaded, part), self._calls)

    def __call__(self, *values: Any, **named: Any) -> Any:
        """What a function gives, or a class makes; `calls` of it wait as well."""
        if self._calls:
            made = f"{self._name}()"
            return Postponed(made, lambda: self._loaded(*values, **named), self._calls - 1)
        return self._loaded(*values, **named)

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, self._loaded)

    def __or__(self, other: Any) -> Any:
        return Postponed(f"{self._name} | {other}", lambda: self._loaded | other)

    def __ror__(self, other: Any) -> Any:
        return Postponed(f"{other} | {self._name}", lambda: other | self._loaded)


class _Placeholder(ModuleType):
    """What an import of one of these modules gives."""

    def __getattr__(self, part: str) -> Any:
        if part.startswith("__"):
            raise AttributeError(part)
        calls = DECORATORS.get(self.__name__.partition(".")[0], 0)
        return Postponed(f"{self.__name__}.{part}", lambda: _part(self.__name__, part), calls)


class _Finder:
    """Finds a placeholder for each of these modules."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: Any = None) -> Any:
        package = name.partition(".")[0]
        loaded = not isinstance(sys.modules.get(package, _Placeholder("")), _Placeholder)
        if loaded or package not in COMPUTING or not PathFinder.find_spec(package):
            return None
        return ModuleSpec(name, _Finder, is_package=True)  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        return _Placeholder(spec.name)

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        pass


def postpone() -> None:
    """Let imports from here on load nothing of `COMPUTING` before it is used."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)  # type: ignore[arg-type]


_LOCK = RLock()


@contextmanager
def _loading() -> Iterator[None]:
    """Imports inside load what they name; one thread at a time."""
    with _LOCK:
        postponing = _Finder in sys.meta_path
        if postponing:
            sys.meta_path.remove(_Finder)  # type: ignore[arg-type]
        for name in [name for name, one in [*sys.modules.items()] if isinstance(one, _Placeholder)]:
            sys.modules.pop(name, None)
        try:
            yield
        finally:
            if postponing:
                postpone()


def _part(module: str, name: str) -> Any:
    """What really stands in a module under a name: a part of it, or a module in its folder."""
    with _loading():
        whole = import_module(module)
        return getattr(whole, name) if hasattr(whole, name) else import_module(f"{module}.{name}")
