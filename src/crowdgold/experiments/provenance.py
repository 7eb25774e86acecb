"""Where numbers come from: code, configuration, Stan files, toolchain, machine, Python."""

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from crowdgold import __version__

CODE_PATHS = ("src", "scripts", "stan", "toolchain", "workflow", "Snakefile")
"""What decides the numbers; an edit anywhere else leaves the commit's name clean."""


def _git(folder: Path, *arguments: str) -> str | None:
    """Give what git answers, None without git or outside a repository."""
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()


@cache
def code_version(folder: Path) -> str:
    """Name the code in a checkout: its commit, with `-dirty` where code was edited since.

    Outside a git checkout it is the version of the package.
    """
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit or not (folder / "Snakefile").exists():
        return __version__
    edited = _git(folder, "status", "--porcelain", "--", *CODE_PATHS)
    return f"{commit}-dirty" if edited or edited is None else commit


def content_hash(content: Any) -> str:
    """Give the sha256 of a JSON-like value. The order of keys counts: predictors have a first."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def file_hash(path: Path) -> str:
    """Give the sha256 of a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def provenance(
    folder: Path,
    configuration: Any,
    stan_files: Iterable[Path] = (),
    toolchain: Path | None = None,
) -> dict[str, Any]:
    """Gather the provenance of a table.

    Args:
        folder: the checkout.
        configuration: the part of the configuration that the table depends on.
        stan_files: the Stan programs used.
        toolchain: the toolchain's record (JSON), where Stan was used.
    """
    record: Mapping[str, Any] | None = json.loads(toolchain.read_text()) if toolchain else None
    return {
        "code_version": code_version(folder),
        "configuration": content_hash(configuration),
        "stan_files": {file.stem: file_hash(file) for file in stan_files},
        "toolchain": record,
        "machine": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
