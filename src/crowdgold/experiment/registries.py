"""What the library offers by name, and the library files that a job depends on.

These are what its script imports, without the methods and datasets that the job does not use.
"""

import hashlib
import importlib
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

from crowdgold.experiment.configuration import OPTIONS_OF
from crowdgold.experiment.settings import Plain
from crowdgold.methods import needs, registry
from crowdgold.methods.registry import METHODS, MODULES, file_of, is_of_package
from crowdgold.metrics.agents import is_agent_metric, parse_agent_metric
from crowdgold.metrics.binary import parse_metric
from crowdgold.metrics.reviewers import parse_reviewer_metric
from crowdgold.record.imports import imported_modules, library_files, named_hashes, package_root
from crowdgold.system.declarations import KINDS, declared, load
from crowdgold.types.errors import InputError
from crowdgold.types.items import ANNOTATIONS, ITEMS

METHOD, DATASET, MODULE = "method", "dataset", "module"
"""Kinds with a registry of their own, and the kind of modules that a job uses by their own names.
The other kinds are found by their declarations (`system.declarations.KINDS`)."""
DATASETS = "crowdgold.datasets"
"""The module that imports all datasets, only to list them."""


@cache
def entries(kind: str) -> Plain:
    """The entries of a registry by name; KeyError where there is no such registry."""
    if kind in KINDS:
        return {name: load(kind, name) for name in declared(kind)}
    if kind == METHOD:
        return METHODS
    if kind != DATASET:
        raise KeyError(kind)
    datasets: Plain = importlib.import_module(DATASETS).DATASETS
    return datasets


def known_names() -> dict[str, Collection[str]]:
    """All names that a configuration can use, by kind.

    "oracle" and "annotators" are the methods that need these of items, "take items" and "take
    annotations" those that take such a table, and "give annotations" the simulators and datasets
    that give annotations, as others give items. "options of PLOT" are what a plot reads.
    """
    simulators, datasets, plots = (entries(kind) for kind in ("simulator", DATASET, "plot"))
    return {
        **{kind: tuple(entries(kind)) for kind in (METHOD, DATASET, *KINDS)},
        **{
            f"take {table}": tuple(name for name, one in METHODS.items() if table in one.tables)
            for table in (ITEMS, ANNOTATIONS)
        },
        "oracle": tuple(name for name, one in METHODS.items() if needs.ORACLE in one.needs),
        "annotators": tuple(name for name, one in METHODS.items() if needs.ANNOTATORS in one.needs),
        f"give {ANNOTATIONS}": (
            *(name for name, one in simulators.items() if one.gives == ANNOTATIONS),
            *(name for name, one in datasets.items() if one.table == ANNOTATIONS),
        ),
        **{f"{OPTIONS_OF}{name}": plot.options for name, plot in plots.items()},
    }


def modules_of(kind: str, name: str) -> set[str]:
    """The modules of the library that an entry's work is defined in."""
    if kind == MODULE:
        return {name}
    if kind in KINDS:
        return {declared(kind)[name][0]}
    if kind == METHOD:
        return {MODULES[name].__name__} if is_of_package(name) else set()
    return {entries(kind)[name].prepare.__module__}


def _modules_of(kind: str, names: Collection[str]) -> set[str]:
    return {module for name in names for module in modules_of(kind, name)}


def stan_models(methods: Mapping[str, Plain]) -> list[str]:
    """The Stan models that methods need with their settings, each once."""
    models: list[str] = []
    for name, settings in methods.items():
        models += METHODS[name].models_with(settings)
    return list(dict.fromkeys(models))


def packages_of(methods: Collection[str]) -> tuple[str, ...]:
    """The optional packages that methods cannot do without."""
    needed = (METHODS[name].package for name in methods)
    return tuple(dict.fromkeys(filter(None, needed)))


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


def rule_files(script: Path, used: Mapping[str, Collection[str]]) -> list[Path]:
    """A script and the library files that it depends on.

    `used` is kind of registry -> the entries that the job uses; of a kind that is not named, the
    job uses whatever its imports reach, and all methods where they reach these.
    """
    also = {one for kind, names in used.items() for one in _modules_of(kind, names)}
    without: set[str] = set()
    listing: list[str] = []
    if DATASET in used:  # the others are found by name; nothing imports them as a list
        listing = [DATASETS]
        without = _modules_of(DATASET, entries(DATASET)) - _modules_of(DATASET, used[DATASET])
    methods = used.get(METHOD)
    if methods is None and registry.__name__ in imported_modules(script, also, without, listing):
        methods = tuple(entries(METHOD))
        also |= _modules_of(METHOD, methods)
    files = library_files(script, also, without, listing)
    outside = [file_of(name) for name in methods or () if not is_of_package(name)]
    return list(dict.fromkeys([*files, *(one for file in outside for one in library_files(file))]))


def rule_code(script: Path, used: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The name of each of `rule_files` -> a hash of its content; arguments as there."""
    return _rule_code(script, tuple((kind, tuple(names)) for kind, names in used.items()))


@cache
def _rule_code(script: Path, used: tuple[tuple[str, tuple[str, ...]], ...]) -> dict[str, str]:
    return named_hashes(rule_files(script, dict(used)))


@cache
def kernel_cache() -> str:
    """Name a cache of compiled kernels by the code that it belongs to.

    A cached kernel is not compiled anew when a function that it calls changes in another file, so
    that each state of the files with kernels needs a cache of its own.
    """
    digest = hashlib.sha256()
    for file in sorted(package_root().rglob("*.py")):
        content = file.read_bytes()
        if b"crowdgold.system.kernels" in content or file.name == "kernels.py":
            digest.update(file.name.encode() + b"\0" + content)
    return digest.hexdigest()[:16]
