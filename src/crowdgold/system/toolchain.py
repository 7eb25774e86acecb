"""CmdStan for crowdgold: find a home or make one, and compile models with it.

toolchain = find_toolchain()
compile_model(Path("stan/vote.stan"), Path("build/vote"), toolchain)

The error of this package.

One process at a time: a lock on a file, which ends with the process that holds it.

Versions: of a CmdStan home, its Stan, its stanc and the compiler; the oldest we accept.

Other commands of the toolchain are run by `finished`.

What was found: one CmdStan home, the way to it, and the versions that made a result.

Assemble a CmdStan home from a PyPI wheel and crowdgold's own front end.

The wheel brings Stan's headers, its libraries and stanc; `toolchain/main.cpp` and
`toolchain/makefile` bring what CmdStan would. A home is built in a temporary folder and renamed
when complete, under a lock, so that two processes never meet; a manifest shows later whether it
is still whole.

Compile a Stan model into an executable, atomically, with a record of what it was made from.

Find a CmdStan home, or make one: what is there first, then an installation, then PyPI.

`python -m crowdgold.system.toolchain`: find or assemble a CmdStan home, compile models.
"""

import argparse
import fcntl
import hashlib
import importlib.util
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from crowdgold.system.archives import ArchiveError, zip_members
from crowdgold.system.assets import asset_folder, cache_folder
from crowdgold.system.temporary import scratch_folder, unfinished


class ToolchainError(RuntimeError):
    """No usable CmdStan home, or a model that does not compile.

    The message names what was found, what was expected and how to mend it.
    """


@contextmanager
def locked(path: Path, log: Callable[[str], object]) -> Iterator[None]:
    """Hold an exclusive lock on a file; say so when another process has it."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            log(f"crowdgold: waiting for another process that holds {path}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


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


WAYS = ("environment", "conda", "home folder", "installed", "assembled")


@dataclass(frozen=True)
class Toolchain:
    """A CmdStan home that was seen to work, and how it was come by (one of `WAYS`)."""

    home: Path
    way: str
    cmdstan_version: str
    stanc: str
    stan: str
    compiler: str

    @classmethod
    def of(cls, home: Path, way: str) -> "Toolchain":
        """Look at a home.

        Raises:
            ToolchainError: it is not usable; the message says why.
        """
        home = home.resolve()
        return cls(
            home=home,
            way=way,
            cmdstan_version=cmdstan_version(home),
            stanc=stanc_version(home),
            stan=stan_version(home),
            compiler=compiler_version(),
        )

    def to_json(self) -> str:
        """Write the fields as a JSON object."""
        return json.dumps(asdict(self) | {"home": str(self.home)}, indent=2) + "\n"

    @classmethod
    def from_json(cls, path: Path) -> "Toolchain":
        """Read what `to_json` wrote into a file.

        Raises:
            ToolchainError: the file is missing, malformed, or names a home that is gone.
        """
        mend = "run `python -m crowdgold.system.toolchain find --json` again"
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            found = cls(**{f.name: str(content[f.name]) for f in fields(cls)})  # type: ignore[arg-type]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ToolchainError(
                f"{path} is not a record of a toolchain ({error}); {mend}"
            ) from error
        home = Path(found.home)
        if not (home / "makefile").is_file():
            raise ToolchainError(f"{path} names the CmdStan home {home}, which is gone; {mend}")
        return cls(**(asdict(found) | {"home": home}))

    def describe(self) -> str:
        """Say in one sentence what was found."""
        return (
            f"CmdStan {self.cmdstan_version} at {self.home} ({self.way}; Stan {self.stan}, "
            f"{self.stanc}, {self.compiler})"
        )


Log = Callable[[str], object]

VERSION = "2.35.0"
ASSEMBLING = "assembling"
"""In the name of the folder beside a home in which it is built."""
MANIFEST = "crowdgold-manifest.txt"
SUMS = "crowdgold-sha256sums.txt"
PROGRAMS = ("bin/*", "lib/*", "*.o")
"""What is run or linked: its content is checked, that of the many headers only by size."""
SOURCES = ("main.cpp", "command_line.hpp", "inputs.hpp", "outputs.hpp", "makefile")
LOCK = "httpstan.lock"
WANTED = ("include", "lib", "stanc")
UNWANTED = "include/pybind11/"
MOST_UNPACKED = 1_000_000_000
"""Bytes; the wheel unpacks to a fifth of it."""
WAY_OUT = "Or install CmdStan from conda (`conda install -c conda-forge cmdstan`) or set $CMDSTAN."


def default_folder() -> Path:
    """Return the place in the user's cache; its name changes with the front end's sources."""
    sources = asset_folder("toolchain")
    digest = hashlib.sha256(b"".join((sources / name).read_bytes() for name in SOURCES))
    return cache_folder() / f"cmdstan-{VERSION}-{digest.hexdigest()[:10]}"


def is_assembled(home: Path) -> bool:
    """Say whether a home is one of ours, whole or not, rather than a real CmdStan."""
    return (home / MANIFEST).is_file()


def is_whole(folder: Path | None = None) -> bool:
    """Say whether a home already stands in the folder (the cache when None), whole and current."""
    return fault_of(place(folder)) is None


def place(folder: Path | None) -> Path:
    """Return the absolute path of an assembled home."""
    return (folder or default_folder()).expanduser().resolve()


def assemble(folder: Path | None = None, log: Log = print) -> Path:
    """Return an assembled home, built first if it is missing, broken or outdated.

    Raises:
        ToolchainError: the machine cannot use it, the download failed, or it does not compile.
    """
    home = place(folder)
    check_machine()
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        with locked(home.parent / f".{home.name}.lock", log):
            if home.exists():
                fault = fault_of(home)
                if fault is None:
                    return home
                if not is_assembled(home) and any(home.iterdir()):
                    raise ToolchainError(f"{home} exists and is not an assembled CmdStan home")
                log(f"crowdgold: rebuilding {home}: {fault}")
            build(home, log)
    except OSError as error:
        raise ToolchainError(f"cannot write the CmdStan home {home}: {error}. {WAY_OUT}") from error
    return home


def check_machine() -> None:
    """Refuse a machine that cannot run the wheel's programs.

    Raises:
        ToolchainError: not x86-64 Linux, or no compiler or make.
    """
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise ToolchainError(
            f"a CmdStan home can be assembled on Linux x86_64 only; this is {platform.system()} "
            f"{platform.machine()}. {WAY_OUT}"
        )
    compiler_version()


def fault_of(home: Path) -> str | None:
    """Say what is wrong with an assembled home, or None where it is whole and up to date."""
    try:
        listed = (home / MANIFEST).read_text(encoding="utf-8").splitlines()
    except OSError:
        return "it has no manifest"
    sources = asset_folder("toolchain")
    if any(
        (home / name).read_bytes() != (sources / name).read_bytes()
        for name in SOURCES
        if (home / name).is_file()
    ):
        return "the front end's sources have changed"
    for line in listed:
        size, _, name = line.partition(" ")
        try:
            if (home / name).stat().st_size != int(size):
                return f"{name} is damaged"
        except (OSError, ValueError):
            return f"{name} is missing"
    return damaged_program(home) if len(listed) > len(SOURCES) else "its manifest is truncated"


def damaged_program(home: Path) -> str | None:
    """Say which program or library is not what it was, or None; a home from before has no sums."""
    if not (home / SUMS).is_file():
        return None
    for line in (home / SUMS).read_text(encoding="utf-8").splitlines():
        digest, _, name = line.partition("  ")
        if sha256_of(home / name) != digest:
            return f"{name} is damaged"
    return None


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits; none of a file that is not there."""
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def build(home: Path, log: Log) -> None:
    """Build a home in a temporary folder beside it, and put it in place; its lock is held."""
    start = time.monotonic()
    for left in home.parent.glob(
        f".{home.name}-{ASSEMBLING}-*"
    ):  # whoever made it is gone: it had the lock
        log(f"crowdgold: removing {left}, which was not finished")
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(
        prefix=f".{home.name}-{ASSEMBLING}-", dir=home.parent
    ) as temporary:
        work = Path(temporary) / "home"
        work.mkdir()
        log("crowdgold: downloading Stan's headers and stanc from PyPI (45 MB)")
        unpack(download(Path(temporary)), work)
        for name in SOURCES:
            shutil.copyfile(asset_folder("toolchain") / name, work / name)
        log("crowdgold: compiling the front end and Stan's headers (about a minute)")
        run(["make", "-s", "-j2", "shared"], work, "compiling toolchain/main.cpp or Stan's headers")
        (work / SUMS).write_text(sums(work), encoding="utf-8")
        (work / MANIFEST).write_text(manifest(work), encoding="utf-8")
        if home.exists():
            home.rename(Path(temporary) / "replaced")
        work.rename(home)
    log(f"crowdgold: CmdStan home {home} assembled in {time.monotonic() - start:.0f} s")


def pip_program() -> list[str]:
    """What Python is told to run pip: a module, or what Python keeps for new environments.

    Environments that uv makes have no pip of their own.
    """
    keeper = importlib.util.find_spec("ensurepip")  # some systems have it in a package of its own
    if importlib.util.find_spec("pip") is None and keeper and keeper.origin:
        for wheel in Path(keeper.origin).parent.glob("_bundled/pip-*.whl"):
            return [str(wheel / "pip")]
    return ["-m", "pip"]


def download(folder: Path) -> Path:
    """Fetch the wheel of the lock file with pip, which checks its hash."""
    pip = [sys.executable, *pip_program(), "--disable-pip-version-check", "--quiet", "download"]
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--python-version", "3.11"]
    wheel = ["--platform", "manylinux2014_x86_64", "--dest", str(folder)]
    lock = ["--requirement", str(asset_folder("toolchain") / LOCK)]
    run([*pip, *options, *wheel, *lock], folder, "downloading httpstan's wheel from PyPI with pip")
    wheels = list(folder.glob("httpstan-*.whl"))
    if len(wheels) != 1:
        raise ToolchainError(f"pip download left {len(wheels)} wheels of httpstan, expected one")
    return wheels[0]


def unpack(wheel: Path, home: Path) -> None:
    """Unpack the headers, libraries and stanc of the wheel into a home.

    Raises:
        ToolchainError: it is damaged, or a member could lead out of the home.
    """
    try:
        for member, content in zip_members(wheel, MOST_UNPACKED):
            name = member.partition("/")[2]
            if name.split("/")[0] in WANTED and not name.startswith(UNWANTED):
                target = home / ("bin/stanc" if name == "stanc" else name)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
    except ArchiveError as error:
        raise ToolchainError(str(error)) from error
    (home / "bin/stanc").chmod(0o755)


def manifest(home: Path) -> str:
    """List every file of a home with its size, one a line."""
    files = sorted(path for path in home.rglob("*") if path.is_file())
    return "".join(f"{path.stat().st_size} {path.relative_to(home)}\n" for path in files)


def sums(home: Path) -> str:
    """List the programs and libraries of a home with their SHA-256, as `sha256sum` does."""
    files = sorted(path for pattern in PROGRAMS for path in home.glob(pattern) if path.is_file())
    return "".join(f"{sha256_of(path)}  {path.relative_to(home)}\n" for path in files)


def run(command: list[str], folder: Path, purpose: str) -> None:
    """Run a command in a folder.

    Raises:
        ToolchainError: it failed; the message carries the end of what it said.
    """
    done = finished(command, folder)
    if done.returncode:
        said = "\n".join(done.stdout.strip().splitlines()[-15:])
        raise ToolchainError(f"{purpose} failed (exit {done.returncode}):\n{said}\n{WAY_OUT}")


LogCompile = Callable[[str], object]

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
    stan_file: Path, executable: Path, toolchain: Toolchain, log: LogCompile = print
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
    stan_file: Path, executable: Path, toolchain: Toolchain, log: LogCompile = print
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


def cached_model(stan_file: Path, toolchain: Toolchain, log: LogCompile = print) -> Path:
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


LogHome = Callable[[str], object]

PROBE_SECONDS = 5.0
RELEASES = "https://github.com/stan-dev/cmdstan/releases/latest"


def find_toolchain(folder: Path | None = None, log: LogHome = print) -> Toolchain:
    """Return the first usable CmdStan home of three ways.

    1. `$CMDSTAN`, the active conda environment's, the newest in `~/.cmdstan`;
    2. an installation by cmdstanpy, where the network lets it;
    3. one assembled from PyPI, in `folder` or in crowdgold's cache.

    A home that was assembled before is taken without asking the network again.

    Args:
        folder: where an assembled home goes; the cache when None.
        log: called with a line for what is skipped and for what takes more than 5 seconds.

    Raises:
        ToolchainError: no compiler or make, or none of the three ways gave a home.
    """
    compiler_version()
    for home, way in present_homes():
        try:
            return usable(home, way)
        except ToolchainError as error:
            log(f"crowdgold: skipped {home} ({way}): {error}")
    found = None if is_whole(folder) else install(log)
    return found or Toolchain.of(assemble(folder, log), "assembled")


def present_homes() -> Iterator[tuple[Path, str]]:
    """Yield the places where a home may already stand, with the name of the way."""
    if named := os.environ.get("CMDSTAN"):
        yield Path(named).expanduser(), "environment"
    if prefix := os.environ.get("CONDA_PREFIX"):
        home = Path(prefix) / "bin" / "cmdstan"
        if home.exists():
            yield home, "conda"
    shelf = Path("~/.cmdstan").expanduser()
    homes = [home for home in shelf.glob("cmdstan-*") if home.is_dir()]
    by_version = sorted(homes, key=lambda home: as_numbers(home.name.removeprefix("cmdstan-")))
    for home in reversed(by_version):
        yield home, "home folder"


def usable(home: Path, way: str) -> Toolchain:
    """Look at a home and accept it.

    Raises:
        ToolchainError: it is broken or older than the models need.
    """
    if is_assembled(home):
        if fault := fault_of(home):
            raise ToolchainError(f"it was assembled by crowdgold, and {fault}")
        way = "assembled"
    found = Toolchain.of(home, way)
    if as_numbers(found.cmdstan_version) < OLDEST:
        oldest = ".".join(str(number) for number in OLDEST)
        raise ToolchainError(f"CmdStan {found.cmdstan_version} is older than {oldest}")
    return found


def network_allows(address: str = RELEASES, seconds: float = PROBE_SECONDS) -> bool:
    """Say whether an address answers within a few seconds, name look-up included."""
    answered = threading.Event()

    def ask() -> None:
        request = urllib.request.Request(address, method="HEAD")  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=seconds):  # noqa: S310
                answered.set()
        except (OSError, ValueError):
            pass

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(seconds)
    return answered.is_set()


def install(log: LogHome) -> Toolchain | None:
    """Let cmdstanpy install CmdStan; None where the network or the build does not let it."""
    if not network_allows():
        log("crowdgold: CmdStan's releases cannot be reached; assembling a home from PyPI instead")
        return None
    import cmdstanpy

    log("crowdgold: installing CmdStan (some minutes)")
    if not cmdstanpy.install_cmdstan(cores=os.cpu_count() or 1):
        log("crowdgold: CmdStan's installation failed; assembling a home from PyPI instead")
        return None
    try:
        return usable(Path(cmdstanpy.cmdstan_path()), "installed")
    except ToolchainError as error:
        log(f"crowdgold: the installed CmdStan is not usable: {error}")
        return None


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    top = argparse.ArgumentParser(
        prog="python -m crowdgold.system.toolchain",
        description="Find or assemble a CmdStan home, compile models.",
    )
    commands = top.add_subparsers(dest="command", required=True)
    find = commands.add_parser("find", help="find a CmdStan home, or make one, and print it")
    build = commands.add_parser(
        "assemble", help="assemble a CmdStan home from PyPI, whatever else is there"
    )
    compiling = commands.add_parser("compile", help="compile Stan models into executables")
    for command in (find, build, compiling):
        command.add_argument(
            "--folder",
            type=Path,
            help=f"where an assembled home goes (default: {default_folder()})",
        )
    for command in (find, build):
        command.add_argument("--json", action="store_true", help="print JSON")
    compiling.add_argument("models", nargs="+", type=Path, metavar="NAME.stan")
    compiling.add_argument(
        "--into", type=Path, default=Path(), help="folder of the executables (default: this one)"
    )
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code: 0, or 1 (130 when interrupted) with a message."""
    asked = parser().parse_args(arguments)

    def log(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    try:
        if asked.command == "assemble":
            found = Toolchain.of(assemble(asked.folder, log), "assembled")
        else:
            found = find_toolchain(asked.folder, log)
        if asked.command == "compile":
            for model in asked.models:
                compile_model(model, asked.into / model.stem, found, log)
        else:
            print(found.to_json().rstrip() if asked.json else found.describe())
    except (ToolchainError, FileNotFoundError) as error:
        log(f"Error: {error}")
        return 1
    except KeyboardInterrupt:
        log("Interrupted.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
