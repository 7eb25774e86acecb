"""`crowdgold trace`: which code, configuration, data, seed and machine made a figure or table."""

import argparse
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crowdgold.cli.terminal import tell

ABOUT = """\
Say where a figure or a table of the workflow comes from: the code, the configuration, the seed, the
checksums of the data, the Stan files, the toolchain and the machine. A figure, named by any of its
files, is traced to the tables that it is drawn from, a table to the blocks that it is joined from.
Files that have changed since are named."""
EXAMPLE = """\
example:
  $ crowdgold trace results/figures/maven_fig4.svg
  $ crowdgold trace results/tables/maven_fig4.parquet --json > origin.json

exit codes: 0, done; 1, done, and the file is not as it was recorded; 2, a file that cannot be
traced, with what is wrong and how to mend it."""
MOST_NAMED = 12
"""Blocks that are named; --json names all."""
HASH_LENGTH = 12
"""Characters of a hash that are shown."""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument("file", metavar="FIGURE|TABLE", type=Path, help="a file of results/")
    command.add_argument(
        "--json", action="store_true", help="write all that is known as a JSON object"
    )
    command.set_defaults(run=run)


def _line(head: str, text: object) -> str:
    return f"  {head:<14}{text}"


def _lines(head: str, texts: Iterable[object]) -> list[str]:
    """Lines under one head, which is said once."""
    return [_line("" if place else head, text) for place, text in enumerate(texts)]


def _code(code: Mapping[str, Any]) -> str:
    whole = hashlib.sha256(json.dumps(code, sort_keys=True).encode()).hexdigest()
    return f"{len(code)} files, together {whole[:HASH_LENGTH]}"


def _datasets(datasets: Mapping[str, Any]) -> Iterator[str]:
    for name, own in datasets.items():
        yield f"{name}, prepared: sha256 {own['sha256']}"
        for file, digest in list(own["sources"].items())[:MOST_NAMED]:
            yield f"  of {file}: sha256 {digest}"
        if len(own["sources"]) > MOST_NAMED:
            yield f"  and of {len(own['sources']) - MOST_NAMED} more files"


def _made_with(known: Mapping[str, Any]) -> Iterator[str]:
    """What something was made with, by the summary of its record."""
    yield _line("code", _code(known["code"]))
    programs = {name: digest for name, digest in known["code"].items() if name.endswith(".stan")}
    digest = (f"{name}: sha256 {', '.join(hashes)}..." for name, hashes in programs.items())
    yield from _lines("Stan files", digest)
    hashes, few = [one[:HASH_LENGTH] for one in known.get("configuration", [])], MOST_NAMED // 4
    more = f" and {len(hashes) - few} more" if len(hashes) > few else ""
    toolchains = [
        f"CmdStan {one['cmdstan_version']} ({one['way']}), Stan {one['stan']}, {one['compiler']}"
        for one in filter(None, known.get("toolchain", []))
    ]
    packages = (
        ", ".join(f"{name} {version}" for name, version in one.items())
        for one in known.get("packages", [])
    )
    yield from _lines("commit", known.get("code_version", []))
    yield from _lines("configuration", [", ".join(hashes[:few]) + more] if hashes else [])
    yield from _lines("seed", (one for one in known.get("seed", []) if one is not None))
    yield from _lines(
        "data", (line for one in known.get("datasets", []) for line in _datasets(one))
    )
    yield from _lines("toolchain", toolchains or ["none: no Stan model"])
    yield from _lines("machine", (", ".join(one.values()) for one in known.get("machine", [])))
    yield from _lines("Python", known.get("python", []))
    yield from _lines("packages", packages)


def _describe_figure(found: Mapping[str, Any], path: Path) -> Iterator[str]:
    states = {name: own["state"] for name, own in found["files"].items()}
    changed = [f"{name} {state}" for name, state in states.items() if state != "as recorded"]
    yield f"{path}: figure {found['figure']} ({', '.join(changed) or 'its files are as recorded'})"
    drawn = found["drawn"]
    yield _line("drawn by", f"commit {drawn['code_version']}; {_code(drawn['code'])}")
    if found["mixed_code"]:
        yield _line("WARNING", found["mixed_code"])
    yield _line("tables", len(found["tables"]))
    for table in found["tables"]:
        yield from ("", f"{table['path']} ({table['state']})", _line("sha256", table["sha256"]))
        yield _line("blocks", table["blocks"])
        yield from _made_with(table)


def _describe_table(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"{found['table']} ({'block' if 'block' in found else 'table'})"
    named = ["paper", "experiment", "setting", "block", "scale"]
    which = [f"{key} {found[key]}" for key in named if found.get(key)]
    which += [", ".join(found["method"])] if found.get("method") else []
    yield from [_line("result", "; ".join(which))] if which else []
    yield _line("sha256", found["sha256"])
    if "block" not in found:
        yield _line("blocks", found["made_with"]["blocks"])
    yield from _made_with(found["made_with"])
    if found.get("sources"):
        own = {found["dataset"]: {"sha256": found["sha256"], "sources": found["sources"]}}
        yield from _lines("data", _datasets(own))
    for file, states in found["mixed_code"].items():
        yield _line("WARNING", f"{file} had {len(states)} states while its blocks were made")
    made_from = found.get("made_from", [])
    yield from [""] if made_from else []
    for one in made_from[:MOST_NAMED]:
        state = f", {one['state']}" if "state" in one else ""
        data = "".join(f", data of {own['path']}" for own in one.get("made_from", []))
        yield f"  {one['path']} (configuration {one['configuration'][:HASH_LENGTH]}{state}{data})"
    if len(made_from) > MOST_NAMED:
        yield f"  and {len(made_from) - MOST_NAMED} more blocks; --json names all"


def describe(found: Mapping[str, Any], path: Path) -> str:
    """What `record.tracing.trace` found of a file, in lines for a reader."""
    lines = _describe_figure(found, path) if "figure" in found else _describe_table(found)
    return "\n".join(lines)


def run(asked: argparse.Namespace) -> int:
    """Trace a file and say what was found."""
    from crowdgold.record.tracing import trace  # here: it takes a second to load

    found = trace(asked.file)
    tell(json.dumps(found) if asked.json else describe(found, asked.file))
    return 0 if found["as_recorded"] else 1
