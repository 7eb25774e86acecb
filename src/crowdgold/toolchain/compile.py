"""Compile a Stan model into an executable, atomically, with a record of what it was made from."""

import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from crowdgold.assets import cache_folder
from crowdgold.temporary import scratch_folder, unfinished
from crowdgold.toolchain.errors import ToolchainError
from crowdgold.toolchain.locks import locked
from crowdgold.toolchain.record import Toolchain
from crowdgold.toolchain.versions import finished

Log = Callable[[str], object]

_INCLUDE = re.compile(r"""^[ \t]*#include[ \t]+[<"]?([^\s<>"]+)[>"]?""", re.MULTILINE)
_UNSAFE = re.compile(r"[^\w./+-]")


def included_files(stan_file: Path) -> list[Path]:
    """List the files that a model includes, directly or not, in the order they are met.

    As for stanc with one include path, each is sought in the folder of `stan_file`.

    Raises:
        ToolchainError: the model or an included file cannot be read.
    """
    found: list[Path] = []

    def follow(file: Path) -> None:
        for name in _INCLUDE.findall(_read(file).decode("utf-8", errors="replace")):
            included = stan_file.parent / name
            if not included.is_file():
                raise ToolchainError(f"{file} includes {name}, but there is no file {included}")
            if included not in found:
                found.append(included)
                follow(included)

    follow(stan_file)
    return found


def model_hash(stan_file: Path) -> str:
    """Return a SHA-256 over the model and the files it includes, as hexadecimal digits.

    Raises:
        ToolchainError: the model or an included file cannot be read.
    """
    files = [stan_file, *included_files(stan_file)]
    digests = [hashlib.sha256(_read(file)).digest() for file in files]
    return hashlib.sha256(b"".join(digests)).hexdigest()


def compile_model(
    stan_file: Path, executable: Path, toolchain: Toolchain, log: Log = print
) -> None:
    """Compile a model; `executable` appears complete or not at all, beside it a JSON record.

    The record, `executable.with_suffix(".json")`, holds the model's hash, the toolchain, the
    seconds and the executable's sha256, which `executable_fault` looks for. Compilation runs in a
    temporary folder, so that paths may hold any character.

    Raises:
        ToolchainError: the model is missing or wrong, or the compiler failed.
    """
    stan_file, executable = Path(stan_file).resolve(), Path(executable).absolute()
    digest = model_hash(stan_file)
    log(f"crowdgold: compiling {stan_file.name} (about half a minute)")
    start = time.monotonic()
    with scratch_folder("compile", _plain_folder()) as work:
        source = work / f"{re.sub(r'[^0-9A-Za-z_]', '_', stan_file.stem)}.stan"
        shutil.copyfile(stan_file, source)
        (work / "include").symlink_to(stan_file.parent)
        _make(stan_file, source, toolchain)
        record = {
            "model": stan_file.name,
            "model_hash": digest,
            "included": [str(p.relative_to(stan_file.parent)) for p in included_files(stan_file)],
            "executable_sha256": hashlib.sha256(source.with_suffix("").read_bytes()).hexdigest(),
            "seconds": round(time.monotonic() - start, 1),
            "toolchain": json.loads(toolchain.to_json()),
        }
        (work / "record").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        try:
            executable.parent.mkdir(parents=True, exist_ok=True)
            _put(work / "record", executable.with_suffix(".json"))
            _put(source.with_suffix(""), executable)
        except OSError as error:
            raise ToolchainError(f"cannot write {executable}: {error}") from error


def executable_fault(executable: Path) -> str | None:
    """Say why an executable must not be run, or None where it is the one that was compiled."""
    record = executable.resolve().with_suffix(".json")
    try:
        found = hashlib.sha256(executable.read_bytes()).hexdigest()
        expected = json.loads(record.read_text(encoding="utf-8"))["executable_sha256"]
    except OSError as error:
        return f"{error.filename} cannot be read: {error.strerror}"
    except (ValueError, KeyError, TypeError):
        return f"{record} names no sha256 of it"
    if found == expected:
        return None
    return f"its sha256 is {found[:12]}…, and not {str(expected)[:12]}… as {record} says"


def compiled_model(
    stan_file: Path, executable: Path, toolchain: Toolchain, log: Log = print
) -> Path:
    """The executable of a model, compiled first where it is missing or damaged.

    Of several processes that want it, one compiles, and the others wait.

    Raises:
        ToolchainError: as `compile_model` does.
    """
    try:
        executable.parent.mkdir(parents=True, exist_ok=True)
        with locked(executable.parent / f".{executable.name}.lock", log):
            fault = executable_fault(executable)
            if fault is not None:
                if executable.is_file():
                    log(f"crowdgold: {executable} is damaged: {fault}")
                compile_model(stan_file, executable, toolchain, log)
    except OSError as error:
        raise ToolchainError(f"cannot write {executable}: {error}") from error
    return executable


def models_folder() -> Path:
    """Return the folder of the user's cache that compiled models are kept in."""
    return cache_folder() / "models"


def cached_model(stan_file: Path, toolchain: Toolchain, log: Log = print) -> Path:
    """The executable of a model from the user's cache, compiled first where it is not there.

    Its place there changes with the model, the files that it includes, and the toolchain.

    Raises:
        ToolchainError: as `compile_model` does.
    """
    made_from = model_hash(stan_file) + toolchain.to_json()
    key = hashlib.sha256(made_from.encode()).hexdigest()[:16]
    return compiled_model(stan_file, models_folder() / key / stan_file.stem, toolchain, log)


def _read(file: Path) -> bytes:
    """Read a Stan file."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise ToolchainError(f"cannot read the Stan file {file}: {error.strerror}") from error


def _plain_folder() -> str | None:
    """Return a folder for temporary files whose path make can handle; None for the default."""
    return "/tmp" if _UNSAFE.search(tempfile.gettempdir()) else None  # noqa: S108


def _make(stan_file: Path, source: Path, toolchain: Toolchain) -> None:
    """Run make in the CmdStan home, as cmdstanpy does."""
    flags = [f"--filename-in-msg={stan_file.name}"]
    if included_files(stan_file):
        flags.append(f"--include-paths={source.parent / 'include'}")
    command = [os.environ.get("MAKE") or "make"]
    command += ["STANCFLAGS+=" + flag.replace(" ", "\\ ") for flag in flags]
    try:
        done = finished([*command, str(source.with_suffix(""))], toolchain.home)
    except OSError as error:
        raise ToolchainError(f"cannot run make in {toolchain.home}: {error}") from error
    if done.returncode:
        said = "\n".join(done.stdout.strip().splitlines()[-40:])
        raise ToolchainError(f"{stan_file} does not compile with {toolchain.describe()}:\n{said}")


def _put(source: Path, target: Path) -> None:
    """Copy a file to its place; it appears there complete."""
    with unfinished(target) as own:
        shutil.copy(source, own)
