"""What the library offers by name, and which module each name is defined in.

A registry is a module that imports many others only to list them. Knowing which entry is defined
where lets a job depend on its own method's module and not on the others'.
"""

import importlib
import inspect
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from crowdgold.experiments.checks import CHECKS

CHECK = "check"


@dataclass(frozen=True)
class Registry:
    """Where a kind of thing is listed: a package, and the name of its mapping."""

    package: str
    mapping: str


REGISTRIES = {
    "simulator": Registry("crowdgold.simulate", "GENERATORS"),
    "dataset": Registry("crowdgold.data.datasets", "DATASETS"),
    "method": Registry("crowdgold.estimators", "METHODS"),
    "plot": Registry("crowdgold.plotting", "FIGURES"),
}
"""Kind -> its registry; checks are listed in this layer (`checks.CHECKS`)."""


@cache
def entries(kind: str) -> Mapping[str, Any]:
    """Give the entries of a registry by name.

    Raises:
        KeyError: where there is no such registry.
    """
    if kind == CHECK:
        return CHECKS
    registry = REGISTRIES[kind]
    mapping: Mapping[str, Any] = getattr(
        importlib.import_module(registry.package), registry.mapping
    )
    return mapping


def known_names() -> dict[str, Collection[str]]:
    """Give all names that a configuration can use, by kind."""
    return {kind: tuple(entries(kind)) for kind in (*REGISTRIES, CHECK)}


def defining_module(kind: str, name: str) -> str:
    """Give the module in which an entry is defined."""
    entry = entries(kind)[name]
    if isinstance(entry, str):
        return entry
    function = getattr(entry, "fit", entry)
    module: str = (function if inspect.isroutine(function) else type(function)).__module__
    return module


def stan_models(methods: Iterable[str]) -> list[str]:
    """Give the Stan models that methods need, each once."""
    models = (model for method in methods for model in entries("method")[method].stan_models)
    return list(dict.fromkeys(models))
