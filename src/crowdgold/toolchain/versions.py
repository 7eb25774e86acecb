"""Versions: of a CmdStan home, its Stan, its stanc and the compiler; the oldest we accept.

Other commands of the toolchain are run by `finished`.
"""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from crowdgold.toolchain.errors import ToolchainError

OLDEST = (2, 32, 0)
"""The oldest CmdStan that the models and their driver run with (`optimize jacobian=1`)."""


def cmdstan_version(home: Path) -> str:
    """Read the version from the line `CMDSTAN_VERSION := x.y.z` of the home's makefile.

    Raises:
        ToolchainError: no makefile, or no such line in it.
    """
    makefile = home / "makefile"
    try:
        text = makefile.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ToolchainError(f"{home} has no readable makefile ({error.strerror})") from error
    found = re.search(r"^CMDSTAN_VERSION := (\S+)", text, re.MULTILINE)
    if not found:
        raise ToolchainError(f"{makefile} has no line 'CMDSTAN_VERSION := x.y.z'")
    return found[1]


def as_numbers(version: str) -> tuple[int, ...]:
    """Order "2.35.0-rc1" before "2.35.0", and both before "2.36.0"."""
    release, _, candidate = version.partition("-rc")
    numbers = [int(number) for number in re.findall(r"\d+", release)[:3]]
    return (*numbers, *[0] * (3 - len(numbers)), int(candidate) if candidate.isdigit() else 10**6)


def stan_version(home: Path) -> str:
    """Return the version of Stan inside the home; CmdStan's own where no header tells it."""
    for header in (home / "stan/src/stan/version.hpp", home / "include/stan/version.hpp"):
        if header.is_file():
            defined = dict(re.findall(r"#define STAN_(\w+) (\d+)", header.read_text("utf-8")))
            parts = [defined.get(part) for part in ("MAJOR", "MINOR", "PATCH")]
            if all(parts):
                return ".".join(str(part) for part in parts)
    return cmdstan_version(home)


def stanc_version(home: Path) -> str:
    """Run the home's `bin/stanc --version`, which also shows that it runs on this machine.

    Raises:
        ToolchainError: there is none, or it does not run.
    """
    stanc = home / "bin" / "stanc"
    if not stanc.is_file():
        raise ToolchainError(f"{home} has no bin/stanc: build it with `make build` in that folder")
    try:
        return _first_line([str(stanc), "--version"])
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolchainError(f"{stanc} does not run: {error}") from error


def compiler_version() -> str:
    """Return the first line that the C++ compiler ($CXX, else g++) says of itself.

    Raises:
        ToolchainError: no compiler or no make is on the PATH.
    """
    command = shlex.split(os.environ.get("CXX", "")) or ["g++"]
    make = os.environ.get("MAKE") or "make"
    for program, debian in ((command[0], "g++"), (make, "make")):
        if not shutil.which(program):
            raise ToolchainError(
                f"Stan models need a C++17 compiler and make, but there is no {program!r} on the "
                f"PATH. Install it (Debian, Ubuntu: `apt-get install {debian}`), or take both with "
                "CmdStan from conda: `conda install -c conda-forge cmdstan`."
            )
    try:
        return _first_line([*command, "--version"])
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolchainError(f"the C++ compiler {command[0]!r} does not run: {error}") from error


def finished(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A command that has ended, with all it said; a make around it does not tell it what to do."""
    around = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    return subprocess.run(
        command,
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name not in around},
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )


def _first_line(command: list[str]) -> str:
    """Return the first line of a command's output."""
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.strip().partition("\n")[0]
