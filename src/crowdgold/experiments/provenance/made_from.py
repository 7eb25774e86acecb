"""What tables were made from: the provenance of their blocks, each part of it stored once.

A block's provenance is a mapping (`provenance.provenance`). A table is made from many blocks, whose
code, machine and toolchain are mostly the same: `fold` stores what is long once, under its hash.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PART = "#"
"""First character of what stands for a part."""
DISTINCT = (
    "code_version", "seed", "toolchain", "datasets", "machine", "python", "packages",
)  # fmt: skip
"""Keys of a job's provenance that `condensed` gives the distinct values of."""


def content_hash(content: Any) -> str:
    """The sha256 of a JSON-like value. The order of keys counts: predictors have a first."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def file_hash(path: Path) -> str:
    """The sha256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folded(value: Any, parts: dict[str, Any]) -> Any:
    if not isinstance(value, Mapping) or not value:
        return value
    name = PART + content_hash(dict(sorted(value.items())))[:16]
    parts[name] = value
    return name


def fold(made_from: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """`made_from`, a list of blocks with their paths, and the `parts` that they share.

    Args:
        made_from: path of a block's table -> its provenance.
    """
    parts: dict[str, Any] = {}
    blocks = []
    for path, found in made_from.items():
        own = {key: _folded(value, parts) for key, value in found.items() if key != "data"}
        if found.get("data"):
            own["data"] = {key: _folded(value, parts) for key, value in found["data"].items()}
        blocks.append({"path": path, **own})
    return {"made_from": blocks, "parts": parts}


def _unfolded(record: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    whole = {
        key: parts.get(value, value) if isinstance(value, str) and value.startswith(PART) else value
        for key, value in record.items()
    }
    if isinstance(whole.get("data"), Mapping):
        whole["data"] = _unfolded(whole["data"], parts)
    return whole


def blocks_of(metadata: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a table, each with its whole provenance; the reverse of `fold`."""
    parts = metadata.get("parts", {})
    return [_unfolded(block, parts) for block in metadata.get("made_from", [])]


def makers(metadata: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Each job that made something of a table: its blocks, their data, their summary."""
    for block in blocks_of(metadata):
        yield block
        if block.get("data"):
            yield block["data"]
    if metadata.get("summarised"):
        yield metadata["summarised"]


def condensed(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """How many blocks a table has, and each distinct value of what they were made with.

    `code` gives for each file the hashes of what it held when one of its jobs ran.
    """
    blocks = blocks_of(metadata)
    settings = dict.fromkeys(one["configuration"] for one in blocks)
    found: dict[str, Any] = {"blocks": len(blocks), "configuration": list(settings)}
    for key in DISTINCT:
        values = [one[key] for one in makers(metadata) if one.get(key) not in (None, {})]
        found[key] = list({json.dumps(one, sort_keys=True): one for one in values}.values())
    code: dict[str, dict[str, None]] = {}
    for maker in makers(metadata):
        for file, held in maker.get("code", {}).items():
            code.setdefault(file, {})[held] = None
    return {**found, "code": {file: list(code[file]) for file in sorted(code)}}
