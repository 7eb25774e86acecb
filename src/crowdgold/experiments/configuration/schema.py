"""The configuration's schema: what stands in its file, and what methods declare of themselves."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crowdgold.declared import Settings, object_schema, parts_of
from crowdgold.experiments.configuration.files import load
from crowdgold.methods import METHODS
from crowdgold.methods.registry import offered, settable

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
            found[name] = {**about, **object_schema(method.settings, method.preset)}
        for part in _classes(method.settings):
            about = {"description": " ".join((part.__doc__ or "").split())}
            parts[part.key()] = {**about, **object_schema(part)}
    methods = {"type": "object", "additionalProperties": False, "properties": found}
    return {"methods": methods, **parts}


def read_schema(path: str | Path) -> dict[str, Any]:
    """The whole schema of the configuration, of its file and of the methods that there are.

    Raises:
        ConfigurationError: where the file cannot be read.
    """
    schema = load(path)
    asked: Mapping[str, Any] = schema["properties"]["evaluate"]["properties"]["methods"]
    asked["items"]["enum"] = list(offered())
    return {**schema, "$defs": {**method_schemas(), **schema["$defs"]}}
