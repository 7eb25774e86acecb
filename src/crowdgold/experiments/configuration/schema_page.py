"""The page on the configuration, made from its schema: `config/README.md`.

`python -m crowdgold.experiments.configuration.schema_page SCHEMA CONFIG` prints it.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from crowdgold.experiments.configuration import ConfigurationError, load
from crowdgold.experiments.configuration.problems import SOURCES
from crowdgold.experiments.configuration.schema import read_schema

HEAD = """# The configuration

Made by `make config/README.md` from `workflow/schemas/config.schema.yaml` and from what methods,
generators and checks declare in their files; edit these, not this page.

`config/config.yaml` is the default scale. `config/experiments/` holds the experiments and figures
of each paper. `config/smoke.yaml` and `config/paper.yaml` are laid over them to change the scale:

    snakemake --cores 4 --configfile config/paper.yaml

A file of your own works in the same way; it holds only the keys that differ. An unknown key stops
the run before it starts, with the nearest valid one.
"""


def _resolve(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow a reference; what stands beside it wins."""
    if "$ref" not in schema:
        return schema
    name = schema["$ref"].removeprefix("#/$defs/")
    return {**root["$defs"][name], **{k: v for k, v in schema.items() if k != "$ref"}}


def _values(schema: Mapping[str, Any]) -> str:
    """Say what values a key takes."""
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


def _table(schema: Mapping[str, Any], root: Mapping[str, Any], default: object) -> str:
    rows = "\n".join(_rows(schema, root, "", default, set()))
    return f"| key | values | default | meaning |\n|---|---|---|---|\n{rows}\n"


def page(schema: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """Write the page, as Markdown.

    Args:
        config: the default configuration.
    """
    parts = [HEAD, "## Keys\n", _table(schema, schema, config)]
    for kind in SOURCES:
        for name in sorted(one for one in schema["$defs"] if one.startswith(f"{kind}_")):
            described, source = schema["$defs"][name], name.removeprefix(f"{kind}_")
            parts.append(f"## Parameters of {kind} `{source}`\n\n{described['description']}\n")
            parts.append(_table(described, schema, {}))
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    """Print the page for a schema and a configuration given as files."""
    try:
        path, defaults = arguments
        schema, config = read_schema(path), load(defaults)
    except (ConfigurationError, ValueError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    print(page(schema, config), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
