"""What the library offers by name, and which modules each name depends on.

A registry is a module that imports many others only to list them. Knowing which entry comes from
where lets a job depend on its own method's modules and not on the others'.
"""

import importlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from crowdgold.experiment.configuration import OPTIONS_OF
from crowdgold.methods import needs
from crowdgold.methods.registry import METHODS, MODULES, is_of_package
from crowdgold.metrics.agents import is_agent_metric, parse_agent_metric
from crowdgold.metrics.binary import parse_metric
from crowdgold.metrics.reviewers import parse_reviewer_metric
from crowdgold.system.declared import KINDS, declared, load
from crowdgold.types.errors import InputError
from crowdgold.types.items import ANNOTATIONS, ITEMS

METHOD, MODULE = "method", "module"
"""Kinds of methods, and of the modules that a job uses by their own names."""


@dataclass(frozen=True)
class Registry:
    """Where a kind of thing is listed.

    Attributes:
        package: the package that offers it.
        mapping: the package's mapping from names to entries.
        work: the attribute of an entry that does the work; empty where the entry itself does.
        listing: the modules that import others only to list them.
    """

    package: str
    mapping: str
    work: str
    listing: tuple[str, ...]


REGISTRIES = {
    "dataset": Registry("crowdgold.datasets", "DATASETS", "prepare", ("crowdgold.datasets",)),
}
"""Kind -> its registry; methods have one of their own, and the other kinds are found by their
declarations (`system.declared.KINDS`)."""


@cache
def entries(kind: str) -> Mapping[str, Any]:
    """The entries of a registry by name.

    Raises:
        KeyError: where there is no such registry.
    """
    if kind in KINDS:
        return {name: load(kind, name) for name in declared(kind)}
    if kind == METHOD:
        return METHODS
    registry = REGISTRIES[kind]
    package = importlib.import_module(registry.package)
    mapping: Mapping[str, Any] = getattr(package, registry.mapping)
    return mapping


def known_names() -> dict[str, Collection[str]]:
    """All names that a configuration can use, by kind.

    "oracle" and "annotators" are the methods that need these of items, "take items" and "take
    annotations" those that take such a table, and "give annotations" the simulators and datasets
    that give annotations, as others give items. "options of PLOT" are what a plot reads.
    """
    known = {kind: tuple(entries(kind)) for kind in (METHOD, *REGISTRIES, *KINDS)}
    taken = {
        f"take {table}": tuple(m for m in known["method"] if table in tables_taken(m))
        for table in (ITEMS, ANNOTATIONS)
    }
    needing = {
        name: tuple(m for m in known["method"] if need in entries("method")[m].needs)
        for name, need in {"oracle": needs.ORACLE, "annotators": needs.ANNOTATORS}.items()
    }
    options = {f"{OPTIONS_OF}{plot}": entries("plot")[plot].options for plot in known["plot"]}
    giving = {f"give {ANNOTATIONS}": _giving_annotations()}
    return {**known, **taken, **needing, **giving, **options}


def _giving_annotations() -> tuple[str, ...]:
    """The simulators and datasets that give annotations."""
    simulators, datasets = entries("simulator"), entries("dataset")
    drawn = [name for name, one in simulators.items() if one.gives == ANNOTATIONS]
    return (*drawn, *(name for name, one in datasets.items() if one.table == ANNOTATIONS))


def modules_of(kind: str, name: str) -> set[str]:
    """The modules of the library that an entry's work is defined in."""
    if kind == MODULE:
        return {name}
    if kind in KINDS:
        return {declared(kind)[name][0]}
    if kind == METHOD:
        return {MODULES[name].__name__} if is_of_package(name) else set()
    registry, entry = REGISTRIES[kind], entries(kind)[name]
    return {(getattr(entry, registry.work) if registry.work else entry).__module__}


def stan_models(methods: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The Stan models that methods need with their settings, each once."""
    models: list[str] = []
    for name, settings in methods.items():
        models += entries("method")[name].models_with(settings)
    return list(dict.fromkeys(models))


def packages_of(methods: Collection[str]) -> tuple[str, ...]:
    """The optional packages that methods cannot do without."""
    needed = (entries("method")[name].package for name in methods)
    return tuple(dict.fromkeys(filter(None, needed)))


def tables_taken(method: str) -> tuple[str, ...]:
    """The kinds of table that a method takes."""
    taken: tuple[str, ...] = entries("method")[method].tables
    return taken


def metric_problem(name: str, table: str) -> str:
    """Say what is wrong with a metric's name, of a kind of table; empty where nothing is."""
    try:
        if table != ANNOTATIONS:
            parse_metric(name)
        elif is_agent_metric(name):
            parse_agent_metric(name)
        else:
            parse_reviewer_metric(name)
    except InputError as error:
        return str(error)
    return ""
