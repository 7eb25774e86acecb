"""What a job depends on in the library: its script's imports, less what it does not use."""

import hashlib
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

from crowdgold.experiment.registries import METHOD, REGISTRIES, entries, modules_of
from crowdgold.methods import registry
from crowdgold.methods.registry import file_of, is_of_package
from crowdgold.record.imports import imported_modules, library_files, named_hashes, package_root

Used = tuple[tuple[str, tuple[str, ...]], ...]
"""Kinds of registries, each with the entries that a job uses."""


def rule_files(script: Path, used: Mapping[str, Collection[str]]) -> list[Path]:
    """A script and the library files that it depends on.

    Args:
        script: the rule's script.
        used: kind of registry -> the entries that the job uses; of a kind that is not named,
            the job uses whatever its imports reach, and all methods where they reach these.
    """
    return _rule_files(script, _fixed(used))


def _fixed(used: Mapping[str, Collection[str]]) -> Used:
    return tuple((kind, tuple(names)) for kind, names in used.items())


@cache
def _rule_files(script: Path, used: Used) -> list[Path]:
    also: set[str] = set()
    without: set[str] = set()
    listing: list[str] = []
    for kind, names in used:
        own = {module for name in names for module in modules_of(kind, name)}
        also |= own
        if kind in REGISTRIES:  # the others are found by name; nothing imports them as a list
            listing += REGISTRIES[kind].listing
            without |= {module for name in entries(kind) for module in modules_of(kind, name)} - own
    methods = dict(used).get(METHOD)
    if methods is None and registry.__name__ in imported_modules(script, also, without, listing):
        methods = tuple(entries(METHOD))
        also |= {module for name in methods for module in modules_of(METHOD, name)}
    files = library_files(script, also, without, listing)
    outside = [file_of(name) for name in methods or () if not is_of_package(name)]
    return list(dict.fromkeys([*files, *(one for file in outside for one in library_files(file))]))


def rule_code(script: Path, used: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The name of each of `rule_files` -> a hash of its content; arguments as there."""
    return _rule_code(script, _fixed(used))


@cache
def _rule_code(script: Path, used: Used) -> dict[str, str]:
    return named_hashes(_rule_files(script, used))


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
