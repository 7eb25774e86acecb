"""Where a figure or a table comes from, by its record, and whether it is still as recorded.

Numbers of different code in one figure are found file by file, and refused unless asked for. Jobs
of different kinds use different modules, so that two jobs are compared by the files that both used:
a file that held one thing for one job and another for the other makes their numbers a mixture,
whatever the commits are called. A commit that changes none of a job's files (a page, a caption,
another paper's plot) makes no mixture, and neither do settings, which are no code. A prepared
dataset that two jobs saw in different states counts as a file that they both used.

Snakemake runs a job again where its code changed, so that a mixture arises only around it: by other
rerun triggers, by `--touch`, by files that were copied, or by an edit while jobs ran.
"""

import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from crowdgold.reading.json_shapes import (
    ANYTHING,
    COUNT,
    TEXT,
    Shape,
    check_shape,
    keys,
    list_of,
    named,
    optional,
    read_json,
)
from crowdgold.record.imports import code_hash, package_root
from crowdgold.record.record import ENDINGS
from crowdgold.record.results import METADATA_KEY, read_metadata
from crowdgold.record.seals import blocks_of, check_seal, condensed, file_hash, makers
from crowdgold.types.columns import counted, list_names
from crowdgold.types.errors import InputError

SHOWN = 3
"""Files, and tables of a state, that a message names."""
Makers = list[tuple[str, Mapping[str, Any]]]


class MixedCode(InputError):  # noqa: N818 - a state of tables rather than a mistake
    """Tables that were made by different code."""


def mixtures(tables: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Makers]]:
    """The files that were not the same for all jobs: file -> content's hash -> the jobs, each with
    the table that it made. It is given path of a table -> its metadata (`seals.fold`).
    """
    states: dict[str, dict[str, Makers]] = {}
    for path, metadata in tables.items():
        for maker in makers(metadata):
            job = {"datasets": {}, **maker}
            seen = {f"dataset {name}": own["sha256"] for name, own in job["datasets"].items()}
            for file, held in {**job.get("code", {}), **seen}.items():
                of_file = states.setdefault(file, {})
                of_file.setdefault(held, []).append((job.get("path", path), job))
    return {file: states[file] for file in sorted(states) if len(states[file]) > 1}


def _held_now(file: str) -> str:
    """The hash of what a module, script or Stan program holds now; empty where it is gone."""
    for folder in (package_root().parent, Path.cwd()):
        if (folder / file).is_file():
            return code_hash(folder / file)
    return ""


def stale(mixed: Mapping[str, Mapping[str, Makers]]) -> list[str]:
    """The tables that have to be made again, so that none is of other code than the rest.

    They are those that did not see a file of `mixtures` as it is now; where it is not known how it
    is now, those that did not see what most jobs saw.
    """
    paths: set[str] = set()
    for file, states in mixed.items():
        kept = _held_now(file) or max(states, key=lambda held: len(states[held]))
        others = [jobs for held, jobs in states.items() if held != kept]
        paths.update(path for jobs in others for path, _ in jobs)
    return sorted(paths)


def look_for_mixture(figure: str, tables: Mapping[str, Mapping[str, Any]], rule: str) -> str:
    """A note for a figure on numbers of different code; empty where all is of the same.

    Tables are path -> metadata. The rule is `allow` or `refuse`, the configuration's key
    `mixed_code`: then MixedCode names files and tables, and says how to mend it.
    """
    mixed = mixtures(tables)
    if not mixed:
        return ""
    again = stale(mixed)
    if rule == "allow":
        number = sum(len(blocks_of(metadata)) for metadata in tables.values())
        return (
            f"Mixed code: of the tables behind {counted(number, 'block')}, {len(again)} made by "
            f"other code than the rest, by {counted(len(mixed), 'file')}"
        )
    lines = [f"figure {figure} would mix numbers of different code."]
    for file, states in list(mixed.items())[:SHOWN]:
        lines.append(f"  {file} was not the same:")
        for held, jobs in states.items():
            commits = sorted({str(job["code_version"]) for _, job in jobs})
            paths = list(dict.fromkeys(path for path, _ in jobs))
            lines.append(
                f"    {held[:16]}: {counted(len(paths), 'table')}, at commit "
                f"{', '.join(commits)}: {list_names(paths, SHOWN)}"
            )
    if len(mixed) > SHOWN:
        lines.append(f"  and {len(mixed) - SHOWN} more files")
    lines += [
        f"Make the older tables again: make figures AGAIN='{' '.join(again)}'",
        "Or draw it nonetheless, with a note in the figure: mixed_code: allow in the configuration",
    ]
    raise MixedCode("\n".join(lines))


AS_RECORDED, CHANGED, GONE = "as recorded", "changed since", "gone"
OUTSIDE = "a link out of the results folder, not read"
FOLDERS = ("figures", "tables", "summaries", "times", "benchmarks")
"""Of what is drawn, or joined from blocks, in the folder of results."""
MEND = "make figures makes it anew"
DAMAGED = f"its record was changed; {MEND}"

_HASHES = named(TEXT)
_DATASETS = named(keys({"sha256": TEXT, "sources": _HASHES}))
_TOOLCHAIN = optional(keys({"cmdstan_version": TEXT, "way": TEXT, "stan": TEXT, "compiler": TEXT}))
_MADE_WITH: dict[str, Shape] = {
    "toolchain": _TOOLCHAIN, "datasets": _DATASETS, "machine": _HASHES,
    "packages": _HASHES, "seed": ANYTHING, "python": TEXT, "code_version": TEXT,
}  # fmt: skip
"""Part of a job's provenance -> its shape; in what is condensed, a list of them."""
_CONDENSED = keys(
    {"path": TEXT, "sha256": TEXT, "blocks": COUNT, "code": named(list_of(TEXT))},
    {"configuration": list_of(TEXT), **{key: list_of(one) for key, one in _MADE_WITH.items()}},
)
FIGURE = keys(
    {
        "figure": TEXT,
        "files": _HASHES,
        "tables": list_of(_CONDENSED),
        "drawn": keys({"code_version": TEXT, "code": named(ANYTHING)}),
        "mixed_code": TEXT,
    }
)
"""Of the record beside a figure."""
FOLDED = keys({}, {"made_from": list_of(keys({"path": TEXT})), "parts": named(ANYTHING)})
"""Of a table's metadata, where what its blocks share stands in parts (`made_from.fold`)."""
_JOB: dict[str, Shape] = {**_MADE_WITH, "code": _HASHES, "configuration": TEXT}
_DATA = keys({"path": TEXT, "sha256": TEXT}, _JOB)
BLOCKS = keys(
    {
        "made_from": list_of(
            keys(
                {"path": TEXT, "configuration": TEXT},
                {**_JOB, "sha256": TEXT, "data": optional(_DATA)},
            )
        )
    },
    {"summarised": optional(keys({}, _JOB))},
)
"""Of a table that was joined from blocks, each with its whole provenance."""
BLOCK = keys(
    {"code_version": TEXT, "code": _HASHES},
    {**_JOB, "sources": _HASHES, "dataset": TEXT, "data": optional(_DATA)},
)
"""Of a block, and of a prepared dataset."""


def _results_folder(path: Path) -> Path:
    """The folder of results that a figure or table lies in, or else its own folder."""
    folder = Path(os.path.abspath(path)).parent
    return folder.parent if folder.name in FOLDERS else folder


def _state(folder: Path, path: str, sha256: str) -> str:
    """How a file of a record is now; only what lies in the folder of results is read, wherever a
    path leads. The path may begin with the folder of the run, which may have moved.
    """
    parts = PurePath(path).parts
    candidates = (
        folder.joinpath(*parts[first:])
        for first in range(len(parts))
        if not {"..", PurePath(path).anchor} & set(parts[first:])
    )
    file = next((one for one in candidates if os.path.isfile(one)), None)
    if file is None:
        return GONE
    if not file.resolve().is_relative_to(folder.resolve()):
        return OUTSIDE
    return AS_RECORDED if file_hash(file) == sha256 else CHANGED


def _trace_figure(path: Path) -> dict[str, Any]:
    """A figure's record, with the state of its files and of its tables."""
    beside = path.with_suffix(".json")
    if not beside.is_file():
        raise InputError(
            f"{path}: no record of it ({beside.name} beside it), so that it was not drawn by "
            "crowdgold, or was moved; expected a figure in results/figures/"
        )
    mend = f"it is not a record of a figure, results/figures/NAME.json; {MEND}"
    if beside.resolve().parent != beside.parent.resolve():
        raise InputError(f"{beside} is a link to another folder, which is not read; {mend}")
    record: dict[str, Any] = read_json(beside, mend)
    check_shape(record, FIGURE, beside, mend)
    check_seal(beside)
    files = {
        name: {"sha256": held, "state": _state(path.parent, name, held)}
        for name, held in record["files"].items()
    }
    tables = [
        {**table, "state": _state(_results_folder(path), table["path"], table["sha256"])}
        for table in record["tables"]
    ]
    whole = path.name not in files or files[path.name]["state"] == AS_RECORDED
    return {**record, "files": files, "tables": tables, "as_recorded": whole}


def _trace_table(path: Path) -> dict[str, Any]:
    """What a table was made from, with the state of its blocks."""
    try:
        recorded = METADATA_KEY in (pq.read_metadata(path).metadata or {})
    except (pa.ArrowException, OSError):
        recorded = True  # damaged; what reads it says how
    if not recorded:
        raise InputError(f"{path} holds no record of what made it; expected a table of results/")
    metadata = read_metadata(path)
    check_shape(metadata, FOLDED, path, DAMAGED)
    kept = {"table": str(path), "sha256": file_hash(path), "as_recorded": True}
    if "made_from" in metadata:
        blocks = blocks_of(metadata)
        check_shape({**metadata, "made_from": blocks}, BLOCKS, path, DAMAGED)
        mixed = {file: list(states) for file, states in mixtures({str(path): metadata}).items()}
        for block in blocks:
            if "sha256" in block:
                block["state"] = _state(_results_folder(path), block["path"], block["sha256"])
        made = {"summarised": metadata.get("summarised"), "mixed_code": mixed}
        return {**kept, **condensed(metadata), **made, "made_from": blocks}
    if "code_version" not in metadata:
        raise InputError(f"{path} says nothing of where it comes from; {MEND}")
    check_shape(metadata, BLOCK, path, DAMAGED)
    return {**kept, **metadata}


def trace(path: Path) -> Mapping[str, Any]:
    """Where a figure (.svg, .pdf, .png, .csv, .json) or a table (.parquet, or the .csv beside it)
    comes from; InputError where there is no such file, it is of another kind, nothing is known of
    it, or its record is damaged.
    """
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "no such file"
        raise InputError(f"{path}: {what}; expected a figure or a table of results/")
    ending = path.suffix.removeprefix(".").lower()
    if ending == "parquet":
        return _trace_table(path)
    table = path.with_suffix(".parquet")
    if ending == "csv" and table.is_file() and not path.with_suffix(".json").is_file():
        return _trace_table(table)
    if ending not in (*ENDINGS, "json"):
        known = ", ".join(f".{one}" for one in (*ENDINGS, "json", "parquet"))
        raise InputError(f"{path}: neither a figure nor a table; expected one of {known}")
    return _trace_figure(path)
