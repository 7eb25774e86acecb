"""Where a figure or a table comes from, by its record, and whether it is still as recorded."""

import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from crowdgold.data import InputError
from crowdgold.data.json_shapes import (
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
from crowdgold.experiments.provenance.figure_record import ENDINGS
from crowdgold.experiments.provenance.made_from import blocks_of, condensed, file_hash
from crowdgold.experiments.provenance.mixed_code import mixtures
from crowdgold.experiments.provenance.seals import check_seal
from crowdgold.experiments.results import METADATA_KEY, read_metadata

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
    """How a file of a record is now; only what lies in a folder is read, wherever a path leads.

    Args:
        folder: of results.
        path: as in the record; it may begin with the folder of the run, which may have moved.
        sha256: as in the record.
    """
    parts = PurePath(path).parts
    found = (
        folder.joinpath(*parts[first:])
        for first in range(len(parts))
        if not {"..", PurePath(path).anchor} & set(parts[first:])
    )
    own = next((one for one in found if os.path.isfile(one)), None)
    if own is None:
        return GONE
    if not own.resolve().is_relative_to(folder.resolve()):
        return OUTSIDE
    return AS_RECORDED if file_hash(own) == sha256 else CHANGED


def _read_record(path: Path) -> dict[str, Any]:
    """Read the record of a figure.

    Raises:
        DamagedTable: where its bytes are not those that were written.
        InputError: where it is not one.
    """
    mend = f"it is not a record of a figure, results/figures/NAME.json; {MEND}"
    if path.resolve().parent != path.parent.resolve():
        raise InputError(f"{path} is a link to another folder, which is not read; {mend}")
    record: dict[str, Any] = read_json(path, mend)
    check_shape(record, FIGURE, path, mend)
    check_seal(path)
    return record


def trace_figure(path: Path) -> dict[str, Any]:
    """A figure's record, with the state of its files and of its tables.

    Args:
        path: its .svg, .pdf, .png, .csv or .json.

    Raises:
        InputError: where there is no record beside it, or it is not one.
    """
    beside = path.with_suffix(".json")
    if not beside.is_file():
        raise InputError(
            f"{path}: no record of it ({beside.name} beside it), so that it was not drawn by "
            "crowdgold, or was moved; expected a figure in results/figures/"
        )
    record = _read_record(beside)
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


def trace_table(path: Path) -> dict[str, Any]:
    """What a table was made from, with the state of its blocks.

    Raises:
        InputError: where it is damaged, holds no record, or says nothing.
    """
    try:
        own = METADATA_KEY in (pq.read_metadata(path).metadata or {})
    except (pa.ArrowException, OSError):
        own = True  # damaged; what reads it says how
    if not own:
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
    """Say where a figure or a table comes from.

    Args:
        path: a figure (.svg, .pdf, .png, .csv, .json) or a table (.parquet, or the .csv beside it).

    Raises:
        InputError: where there is no such file, it is of another kind, or nothing is known of it.
    """
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "no such file"
        raise InputError(f"{path}: {what}; expected a figure or a table of results/")
    ending = path.suffix.removeprefix(".").lower()
    if ending == "parquet":
        return trace_table(path)
    table = path.with_suffix(".parquet")
    if ending == "csv" and table.is_file() and not path.with_suffix(".json").is_file():
        return trace_table(table)
    if ending not in (*ENDINGS, "json"):
        known = ", ".join(f".{one}" for one in (*ENDINGS, "json", "parquet"))
        raise InputError(f"{path}: neither a figure nor a table; expected one of {known}")
    return trace_figure(path)
