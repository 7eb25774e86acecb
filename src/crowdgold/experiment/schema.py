"""The configuration's schema: its file, and what methods, generators and computations declare; and
the page made from it, `config/README.md`.

`python -m crowdgold.experiment.schema SCHEMA CONFIG` prints the page.
"""

import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from crowdgold.experiment import configuration
from crowdgold.experiment.configuration import SOURCES, ConfigurationError
from crowdgold.inference.agents import Subsampling
from crowdgold.methods.registry import METHODS, offered, settable
from crowdgold.metrics.binary import STUDY_METRICS
from crowdgold.system.declarations import declared, load
from crowdgold.types.parameters import Settings, object_schema, parts_of

METHOD_FILES = "method_files"
"""Key of the configuration: files of methods that lie outside the library."""


def _classes(kind: type[Settings]) -> Iterator[type[Settings]]:
    for part in parts_of(kind):
        yield part
        yield from _classes(part)


def read_schema(path: str | Path) -> dict[str, Any]:
    """The whole schema of the configuration: its file, and what the library's files declare."""
    schema = configuration.load(path)
    asked: Mapping[str, Any] = schema["properties"]["evaluate"]["properties"]
    asked["methods"]["items"]["enum"] = list(offered())
    asked["metrics"]["items"]["enum"] = list(STUDY_METRICS)
    properties: dict[str, Any] = {}
    parts: dict[str, Any] = {}
    for name, method in METHODS.items():
        if settable(method):
            about = {"description": method.about or method.title}
            properties[name] = {**object_schema(method.settings, method.preset), **about}
        for part in _classes(method.settings):
            parts[part.key()] = object_schema(part)
    methods = {"type": "object", "additionalProperties": False, "properties": properties}
    parameters = {
        f"{kind}_{name}": object_schema(load(kind, name).parameters)
        for kind in ("simulator", "computation")
        for name in declared(kind)
    }
    known = {"methods": methods, **parts, **parameters, **schema["$defs"]}
    known[Subsampling.key()] = object_schema(Subsampling)
    # The parameters of an experiment are those of its source.
    rules = [
        {
            "if": {"properties": {kind: {"const": name}}, "required": [kind]},
            "then": {"properties": {"parameters": {"$ref": f"#/$defs/{kind}_{name}"}}},
        }
        for kind, _, name in (definition.partition("_") for definition in known)
        if kind in SOURCES
    ]
    known["experiment"] = {**known["experiment"], "allOf": rules}
    return {**schema, "$defs": known}


HEAD = """# The configuration

What can be set, and where? In a file of your own that holds only the keys that differ:

    snakemake --cores 4 --configfile mine.yaml

- `config.yaml`, at the top, is the default scale; `config/config.yaml` is a link to it.
- `config/experiments/` has the experiments and figures of each paper.
- `config/smoke.yaml` and `config/paper.yaml` are laid over these to change the scale. Yours is laid
  over them in the same way.
- An unknown key stops the run before it starts, with the nearest valid one.

The page is made by `make config/README.md` from `workflow/schemas/config.schema.yaml` and from what
methods, generators and computations declare in their files. Edit these, not this page.
"""
KINDS = {
    "simulator": "Generators of data: an experiment names one, and sets its `parameters`.",
    "dataset": "Public datasets: an experiment names one, and sets its `parameters`.",
    "computation": "Computations that give a table of their own, without methods.",
}
"""What stands before the parameters of each kind of source."""


def _resolve(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow a reference; what stands beside it wins."""
    if "$ref" not in schema:
        return schema
    name = schema["$ref"].removeprefix("#/$defs/")
    return {**root["$defs"][name], **{k: v for k, v in schema.items() if k != "$ref"}}


def _values(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type", "")
    names = [kind] if isinstance(kind, str) else kind
    bounds = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    limits = [f"{sign} {schema[key]}" for key, sign in bounds.items() if key in schema]
    return ", ".join([" or ".join(names), *limits])


def _children(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from schema.get("properties", {}).items()
    for pattern in schema.get("patternProperties", {}).values():
        yield "NAME", pattern
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield "NAME", schema["additionalProperties"]


def _rows(
    schema: Mapping[str, Any], root: Mapping[str, Any], path: str, default: object, seen: set[str]
) -> Iterator[str]:
    """Write a row for each key, and for those below it unless they were described before."""
    for key, child in _children(schema):
        resolved = _resolve(child, root)
        here = f"{path}.{key}" if path else key
        value = default.get(key) if isinstance(default, Mapping) else None
        value = resolved.get("default") if value is None else value
        shown = "" if value is None or isinstance(value, Mapping) else f"`{value}`"
        about = resolved.get("description", "").replace("|", "\\|")
        if about or shown:
            yield f"| `{here}` | {_values(resolved)} | {shown} | {about} |"
        name = child.get("$ref", here)
        if name not in seen:
            seen.add(name)
            yield from _rows(resolved, root, here, value, seen)


def _table(
    schema: Mapping[str, Any],
    root: Mapping[str, Any],
    default: object,
    path: str = "",
    seen: Collection[str] = (),
) -> str:
    rows = "\n".join(_rows(schema, root, path, default, set(seen)))
    if not rows:
        return "It has no keys.\n"
    return f"| key | values | default | meaning |\n|---|---|---|---|\n{rows}\n"


def _key_groups(
    schema: Mapping[str, Any], default: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """The title of each group of keys, a sentence on it, and its table; each method is a group."""
    properties = {key: _resolve(one, schema) for key, one in schema["properties"].items()}
    alone = {key: one for key, one in properties.items() if not any(_children(one))}
    # Where a group names another one, as `method_settings` does, that one's table is enough.
    others = {one["$ref"] for one in schema["properties"].values() if "$ref" in one}
    said = "Single keys, which count for every experiment."
    yield "Keys of the run", said, _table({"properties": alone}, schema, default)
    for key, one in properties.items():
        if key in alone:
            continue
        if key != "methods":
            table = _table(one, schema, default.get(key), key, others)
            yield f"`{key}`", one["description"], table
            continue
        for name, own in _children(one):
            described, here = _resolve(own, schema), f"{key}.{name}"
            table = _table(described, schema, (default.get(key) or {}).get(name), here)
            yield f"`{here}`", described.get("description", ""), table


def page(schema: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """The page, as Markdown, with the values of the default configuration."""

    def link(shown: str, title: str) -> str:
        kept = "".join(c for c in title.lower() if c.isalnum() or c in " -_")
        return f"[{shown}](#{kept.replace(' ', '-')})"

    groups = list(_key_groups(schema, config))
    listed = ", ".join(link(title, title) for title, _, _ in groups)
    kinds = ", ".join(link(f"{kind}s", f"parameters of {kind}s") for kind in SOURCES)
    parts = [HEAD, f"Groups of keys: {listed}.\n\nParameters of {kinds}.\n"]
    parts += [f"## {title}\n\n{about}\n\n{table}" for title, about, table in groups]
    for kind in SOURCES:
        parts.append(f"## Parameters of {kind}s\n\n{KINDS.get(kind, '')}\n")
        for name in sorted(one for one in schema["$defs"] if one.startswith(f"{kind}_")):
            described, source = schema["$defs"][name], name.removeprefix(f"{kind}_")
            parts.append(f"### {kind.capitalize()} `{source}`\n\n{described['description']}\n")
            parts.append(_table(described, schema, {}))
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    """Print the page for a schema and a configuration given as files."""
    try:
        path, defaults = arguments
        schema, config = read_schema(path), configuration.load(defaults)
    except (ConfigurationError, ValueError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    print(page(schema, config), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
