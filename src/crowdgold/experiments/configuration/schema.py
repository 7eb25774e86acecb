"""The configuration's schema: its file, and what methods, generators and checks declare."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crowdgold.declared import Settings, object_schema, parts_of
from crowdgold.evaluation.ranking_stability import Subsampling
from crowdgold.experiments.configuration import files
from crowdgold.experiments.configuration.problems import SOURCES
from crowdgold.found import declared, load
from crowdgold.methods import METHODS
from crowdgold.methods.registry import offered, settable
from crowdgold.metrics.binary import STUDY_METRICS

METHOD_FILES = "method_files"
"""Key of the configuration: files of methods that lie outside the library."""


def _classes(kind: type[Settings]) -> Iterator[type[Settings]]:
    """The classes of settings that a class has as its fields, at any depth."""
    for part in parts_of(kind):
        yield part
        yield from _classes(part)


def method_schemas() -> dict[str, Any]:
    """The definitions that methods make: `methods`, and the mappings among their settings."""
    found: dict[str, Any] = {}
    parts: dict[str, Any] = {}
    for name, method in METHODS.items():
        if settable(method):
            about = {"description": method.about or method.title}
            found[name] = {**object_schema(method.settings, method.preset), **about}
        for part in _classes(method.settings):
            parts[part.key()] = object_schema(part)
    methods = {"type": "object", "additionalProperties": False, "properties": found}
    return {"methods": methods, **parts}


def parameter_schemas() -> dict[str, Any]:
    """The definitions that generators and checks make: the parameters of each."""
    return {
        f"{kind}_{name}": object_schema(load(kind, name).parameters)
        for kind in ("simulator", "check")
        for name in declared(kind)
    }


def _of_source(definition: str) -> dict[str, Any]:
    """What a definition of parameters says of an experiment with its source."""
    kind, _, name = definition.partition("_")
    return {
        "if": {"properties": {kind: {"const": name}}, "required": [kind]},
        "then": {"properties": {"parameters": {"$ref": f"#/$defs/{definition}"}}},
    }


def read_schema(path: str | Path) -> dict[str, Any]:
    """The whole schema of the configuration: its file, and what the library's files declare.

    Raises:
        ConfigurationError: where the file cannot be read.
    """
    schema = files.load(path)
    asked: Mapping[str, Any] = schema["properties"]["evaluate"]["properties"]
    asked["methods"]["items"]["enum"] = list(offered())
    asked["metrics"]["items"]["enum"] = list(STUDY_METRICS)
    known = {**method_schemas(), **parameter_schemas(), **schema["$defs"]}
    known[Subsampling.key()] = object_schema(Subsampling)
    rules = [_of_source(name) for name in known if name.partition("_")[0] in SOURCES]
    known["experiment"] = {**known["experiment"], "allOf": rules}
    return {**schema, "$defs": known}
