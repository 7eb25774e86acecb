"""Where a figure or a table comes from, by its record, and whether it is still as recorded.

Numbers of different code in one figure are found file by file, and refused unless asked for. Jobs
of different kinds use different modules, so that two are compared by the files, and the prepared
datasets, that both used, whatever the commits are called. A commit that changes none of these makes
no mixture, and neither do settings, which are no code.

Snakemake runs a job again where its code changed, so that a mixture arises only around it: by other
rerun triggers, by `--touch`, by files that were copied, or by an edit while jobs ran.
"""

import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

from crowdgold.reading.json_shapes import check_shape, read_json
from crowdgold.record.imports import code_hash, package_root
from crowdgold.record.record import (
    ENDINGS,
    FIGURE,
    FILES,
    MADE_FROM,
    MEND,
    METADATA_KEY,
    TABLES,
    blocks_of,
    contents,
    jobs,
    read_record,
    summary,
)
from crowdgold.record.seals import check_seal, file_hash
from crowdgold.types.columns import counted, list_names
from crowdgold.types.errors import InputError

SHOWN = 3
"""Files, and tables of a state, that a message names."""
Mixtures = dict[str, dict[str, dict[str, str]]]
"""File that was not the same for all jobs -> content's hash -> each table made of it -> its job's
commit."""


class MixedCode(InputError):  # noqa: N818 - a state of tables rather than a mistake
    """Tables that were made by different code."""


def mixtures(tables: Iterable[Mapping[str, Any]]) -> Mixtures:
    """The files that were not the same for all jobs behind tables, given as `source_record`s."""
    states: Mixtures = {}
    for table in tables:
        for path, job in jobs(table["path"], table):
            for file, held in contents(job).items():
                made = states.setdefault(file, {}).setdefault(held, {})
                made[path] = str(job.get("code_version"))
    return {file: states[file] for file in sorted(states) if len(states[file]) > 1}


def _held_now(file: str) -> str:
    """The hash of what a module, script or Stan program holds now; empty where it is gone."""
    for folder in (package_root().parent, Path.cwd()):
        if (folder / file).is_file():
            return code_hash(folder / file)
    return ""


def stale(mixed: Mixtures) -> list[str]:
    """The tables that have to be made again, so that none is of other code than the rest.

    They are those that did not see a file as it is now; where it is not known how it is now, those
    that did not see what most jobs saw.
    """
    paths: set[str] = set()
    for file, states in mixed.items():
        kept = _held_now(file) or max(states, key=lambda held: len(states[held]))
        others = [made for held, made in states.items() if held != kept]
        paths.update(os.path.expanduser(path) for made in others for path in made)
    return sorted(paths)


def look_for_mixture(figure: str, tables: Collection[Mapping[str, Any]], rule: str) -> str:
    """A note for a figure on numbers of different code; empty where all is of the same.

    Tables are as in `mixtures`. The rule is `allow` or `refuse`, the configuration's key
    `mixed_code`: then MixedCode names files and tables, and says how to mend it.
    """
    mixed = mixtures(tables)
    if not mixed:
        return ""
    again = stale(mixed)
    if rule == "allow":
        number = sum(len(blocks_of(table)) for table in tables)
        return (
            f"Mixed code: of the tables behind {counted(number, 'block')}, {len(again)} made by "
            f"other code than the rest, by {counted(len(mixed), 'file')}"
        )
    lines = [f"figure {figure} would mix numbers of different code."]
    for file, states in list(mixed.items())[:SHOWN]:
        lines.append(f"  {file} was not the same:")
        lines += [
            f"    {held[:16]}: {counted(len(made), 'table')}, at commit "
            f"{', '.join(sorted({*made.values()}))}: {list_names(list(made), SHOWN)}"
            for held, made in states.items()
        ]
    if len(mixed) > SHOWN:
        lines.append(f"  and {len(mixed) - SHOWN} more files")
    lines += [
        f"Make the older tables again: make figures AGAIN='{' '.join(again)}'",
        "Or draw it nonetheless, with a note in the figure: mixed_code: allow in the configuration",
    ]
    raise MixedCode("\n".join(lines))


AS_RECORDED, CHANGED_SINCE, GONE = "as recorded", "changed since", "gone"
OUTSIDE = "a link out of the results folder, not read"


def _results_folder(path: Path) -> Path:
    """The folder of results that a figure or table lies in, or else its own folder."""
    folder = Path(os.path.abspath(path)).parent
    return folder.parent if folder.name in ("figures", *TABLES) else folder


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
    return AS_RECORDED if file_hash(file) == sha256 else CHANGED_SINCE


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
        for name, held in record[FILES].items()
    }
    tables = [
        {**table, "state": _state(_results_folder(path), table["path"], table["sha256"])}
        for table in record["tables"]
    ]
    whole = path.name not in files or files[path.name]["state"] == AS_RECORDED
    return {**record, FILES: files, "tables": tables, "as_recorded": whole}


def _trace_table(path: Path) -> dict[str, Any]:
    """A table's record and its summary, with the state of what it was made from."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with suppress(pa.ArrowException, OSError):  # damaged; what reads it says how
        if METADATA_KEY not in (pq.read_metadata(path).metadata or {}):
            raise InputError(
                f"{path} holds no record of what made it; expected a table of results/"
            )
    record = read_record(path)
    if not {"code_version", MADE_FROM} & set(record):
        raise InputError(f"{path} says nothing of where it comes from; {MEND}")
    for one in record.get(MADE_FROM, ()) if "block" not in record else ():
        if "sha256" in one:
            one["state"] = _state(_results_folder(path), one["path"], one["sha256"])
    mixed = mixtures([{"path": str(path), **record}])
    return {
        **record,
        "table": str(path),
        "sha256": file_hash(path),
        "as_recorded": True,
        "mixed_code": {file: list(states) for file, states in mixed.items()},
        "made_with": summary(record),
    }


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
