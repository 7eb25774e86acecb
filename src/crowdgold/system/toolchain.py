"""CmdStan for crowdgold: find a home or make one, and compile models with it.

A home is a folder with CmdStan's makefile and bin/stanc. One that is there comes first, then one
that cmdstanpy installs, then one assembled from httpstan's wheel of PyPI, which has Stan's headers,
libraries and stanc; `toolchain/main.cpp` and `toolchain/makefile` bring what CmdStan would. Homes
and executables are built in a temporary folder and renamed when complete, under a lock that ends
with its process, so that two processes never meet.
`python -m crowdgold.system.toolchain` does all of it from a command line.
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

Log = Callable[[str], object]

OLDEST = (2, 32, 0)
"""The oldest CmdStan that the models and their driver run with (`optimize jacobian=1`)."""
VERSION = "2.35.0"  # in the name of an assembled home
MANIFEST = "crowdgold-manifest.txt"  # sizes of its files
SUMS = "crowdgold-sha256sums.txt"  # of its programs and libraries
SOURCES = ("main.cpp", "command_line.hpp", "inputs.hpp", "outputs.hpp", "makefile")
LOCK = "httpstan.lock"  # the wheel and its hash, for pip
WAY_OUT = "Or install CmdStan from conda (`conda install -c conda-forge cmdstan`) or set $CMDSTAN."


class ToolchainError(RuntimeError):
    """No usable CmdStan home, or a model that does not compile: what was found, and how to mend."""


@contextmanager
def locked(path: Path, log: Log) -> Iterator[None]:
    """Hold an exclusive lock on a file; say so when another process has it."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            log(f"crowdgold: waiting for another process that holds {path}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def cmdstan_version(home: Path) -> str:
    """The version in the line `CMDSTAN_VERSION := x.y.z` of the home's makefile."""
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
    """What versions are ordered by: "2.35.0-rc1" before "2.35.0", both before "2.36.0"."""
    release, _, candidate = version.partition("-rc")
    numbers = [int(number) for number in re.findall(r"\d+", release)[:3]]
    return (*numbers, *[0] * (3 - len(numbers)), int(candidate) if candidate.isdigit() else 10**6)


def stan_version(home: Path) -> str:
    """The version of Stan inside the home; CmdStan's own where no header tells it."""
    for header in (home / "stan/src/stan/version.hpp", home / "include/stan/version.hpp"):
        if header.is_file():
            defined = dict(re.findall(r"#define STAN_(\w+) (\d+)", header.read_text("utf-8")))
            parts = [defined.get(part) for part in ("MAJOR", "MINOR", "PATCH")]
            if all(parts):
                return ".".join(str(part) for part in parts)
    return cmdstan_version(home)


def _first_line(command: list[str], program: str) -> str:
    """The first line a command prints; an error that names the program where it does not run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolchainError(f"{program} does not run: {error}") from error
    return done.stdout.strip().partition("\n")[0]


def compiler_version() -> str:
    """The first line that the C++ compiler ($CXX, else g++) says of itself; needs make as well."""
    command = shlex.split(os.environ.get("CXX", "")) or ["g++"]
    make = os.environ.get("MAKE") or "make"
    for program, debian in ((command[0], "g++"), (make, "make")):
        if not shutil.which(program):
            raise ToolchainError(
                f"Stan models need a C++17 compiler and make, but there is no {program!r} on the "
                f"PATH. Install it (Debian, Ubuntu: `apt-get install {debian}`), or take both with "
                "CmdStan from conda: `conda install -c conda-forge cmdstan`."
            )
    return _first_line([*command, "--version"], f"the C++ compiler {command[0]!r}")


def _run_to_end(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A command that has ended, with all it printed; no flags of a make around it reach it."""
    of_make = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    return subprocess.run(
        command, cwd=folder, text=True, errors="replace", stdin=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if name not in of_make},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip


@dataclass(frozen=True)
class Toolchain:
    """A CmdStan home that was seen to work, and the versions that make a result."""

    home: Path
    way: str  # how it was come by: "environment", "conda", "home folder", "installed", "assembled"
    cmdstan_version: str
    stanc: str
    stan: str
    compiler: str

    @classmethod
    def of(cls, home: Path, way: str) -> "Toolchain":
        """The toolchain of a home; a `ToolchainError` says why it is not usable."""
        home = home.resolve()
        version, stanc = cmdstan_version(home), home / "bin" / "stanc"
        if not stanc.is_file():
            raise ToolchainError(
                f"{home} has no bin/stanc: build it with `make build` in that folder"
            )
        stanc_version = _first_line([str(stanc), "--version"], str(stanc))
        return cls(home, way, version, stanc_version, stan_version(home), compiler_version())

    def to_json(self) -> str:
        """The fields as a JSON object."""
        return json.dumps(asdict(self) | {"home": str(self.home)}, indent=2) + "\n"

    @classmethod
    def from_json(cls, path: Path) -> "Toolchain":
        """What `to_json` wrote into a file; its home must still be there."""
        mend = "run `python -m crowdgold.system.toolchain find --json` again"
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            values = {field.name: str(content[field.name]) for field in fields(cls)}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ToolchainError(
                f"{path} is not a record of a toolchain ({error}); {mend}"
            ) from error
        home = Path(values.pop("home"))
        if not (home / "makefile").is_file():
            raise ToolchainError(f"{path} names the CmdStan home {home}, which is gone; {mend}")
        return cls(home, **values)

    def describe(self) -> str:
        """In one sentence what was found."""
        return (
            f"CmdStan {self.cmdstan_version} at {self.home} ({self.way}; Stan {self.stan}, "
            f"{self.stanc}, {self.compiler})"
        )


def default_folder() -> Path:
    """An assembled home's place in the user's cache, whose name changes with `SOURCES`."""
    sources = asset_folder("toolchain")
    digest = hashlib.sha256(b"".join((sources / name).read_bytes() for name in SOURCES))
    return cache_folder() / f"cmdstan-{VERSION}-{digest.hexdigest()[:10]}"


def is_assembled(home: Path) -> bool:
    """Whether a home is one of ours, whole or not, rather than a real CmdStan."""
    return (home / MANIFEST).is_file()


def is_whole(folder: Path | None = None) -> bool:
    """Whether a home already stands in the folder (the cache when None), whole and current."""
    return fault_of((folder or default_folder()).expanduser().resolve()) is None


def assemble(folder: Path | None = None, log: Log = print) -> Path:
    """An assembled home, built first where it is missing, broken or outdated."""
    home = (folder or default_folder()).expanduser().resolve()
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
    """Refuse a machine that cannot run the wheel's programs, or has no compiler or make."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise ToolchainError(
            f"a CmdStan home can be assembled on Linux x86_64 only; this is {platform.system()} "
            f"{platform.machine()}. {WAY_OUT}"
        )
    compiler_version()


def fault_of(home: Path) -> str | None:
    """What is wrong with an assembled home; None where it is whole and up to date."""
    try:
        listed = (home / MANIFEST).read_text(encoding="utf-8").splitlines()
    except OSError:
        return "it has no manifest"
    sources = asset_folder("toolchain")
    there = [name for name in SOURCES if (home / name).is_file()]
    if any((home / name).read_bytes() != (sources / name).read_bytes() for name in there):
        return "the front end's sources have changed"
    for line in listed:
        size, _, name = line.partition(" ")
        try:
            if (home / name).stat().st_size != int(size):
                return f"{name} is damaged"
        except (OSError, ValueError):
            return f"{name} is missing"
    if len(listed) <= len(SOURCES):
        return "its manifest is truncated"
    if (home / SUMS).is_file():  # a home from before has none
        for line in (home / SUMS).read_text(encoding="utf-8").splitlines():
            digest, _, name = line.partition("  ")
            if not (home / name).is_file() or _sha256(home / name) != digest:
                return f"{name} is damaged"
    return None


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def build(home: Path, log: Log) -> None:
    """Build a home beside its place, then put it there; the caller holds its lock."""
    start, prefix = time.monotonic(), f".{home.name}-assembling-"
    for left in home.parent.glob(f"{prefix}*"):  # whoever made it is gone: it had the lock
        log(f"crowdgold: removing {left}, which was not finished")
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=home.parent) as temporary:
        work = Path(temporary) / "home"
        work.mkdir()
        log("crowdgold: downloading Stan's headers and stanc from PyPI (45 MB)")
        wheel = download(Path(temporary))
        try:
            for member, content in zip_members(wheel, 1_000_000_000):  # five times what it holds
                name = member.partition("/")[2]
                wanted = name.split("/")[0] in ("include", "lib", "stanc")
                if wanted and not name.startswith("include/pybind11/"):
                    target = work / ("bin/stanc" if name == "stanc" else name)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content)
        except ArchiveError as error:
            raise ToolchainError(str(error)) from error
        (work / "bin/stanc").chmod(0o755)
        for name in SOURCES:
            shutil.copyfile(asset_folder("toolchain") / name, work / name)
        log("crowdgold: compiling the front end and Stan's headers (about a minute)")
        run(["make", "-s", "-j2", "shared"], work, "compiling toolchain/main.cpp or Stan's headers")
        # The content of what is run or linked is checked, that of the many headers only by size.
        programs = sorted(p for one in ("bin/*", "lib/*", "*.o") for p in work.glob(one))
        sums = [f"{_sha256(p)}  {p.relative_to(work)}\n" for p in programs if p.is_file()]
        (work / SUMS).write_text("".join(sums), encoding="utf-8")
        files = sorted(path for path in work.rglob("*") if path.is_file())
        sizes = [f"{path.stat().st_size} {path.relative_to(work)}\n" for path in files]
        (work / MANIFEST).write_text("".join(sizes), encoding="utf-8")
        if home.exists():
            home.rename(Path(temporary) / "replaced")
        work.rename(home)
    log(f"crowdgold: CmdStan home {home} assembled in {time.monotonic() - start:.0f} s")


def pip_program() -> list[str]:
    """Arguments by which Python runs pip: as a module, or from the wheel that ensurepip bundles.

    Environments that uv makes have no pip of their own.
    """
    bundle = importlib.util.find_spec("ensurepip")  # some systems have it in a package of its own
    if importlib.util.find_spec("pip") is None and bundle and bundle.origin:
        for wheel in Path(bundle.origin).parent.glob("_bundled/pip-*.whl"):
            return [str(wheel / "pip")]
    return ["-m", "pip"]


def download(folder: Path) -> Path:
    """The wheel of the lock file, fetched with pip, which checks its hash."""
    pip = [sys.executable, *pip_program(), "--disable-pip-version-check", "--quiet", "download"]
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--python-version", "3.11"]
    wheel = ["--platform", "manylinux2014_x86_64", "--dest", str(folder)]
    lock = ["--requirement", str(asset_folder("toolchain") / LOCK)]
    run([*pip, *options, *wheel, *lock], folder, "downloading httpstan's wheel from PyPI with pip")
    wheels = list(folder.glob("httpstan-*.whl"))
    if len(wheels) != 1:
        raise ToolchainError(f"pip download left {len(wheels)} wheels of httpstan, expected one")
    return wheels[0]


def run(command: list[str], folder: Path, purpose: str) -> None:
    """Run a command in a folder; where it fails, an error has the end of what it said."""
    done = _run_to_end(command, folder)
    if done.returncode:
        said = "\n".join(done.stdout.strip().splitlines()[-15:])
        raise ToolchainError(f"{purpose} failed (exit {done.returncode}):\n{said}\n{WAY_OUT}")


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ToolchainError(f"cannot read the Stan file {file}: {error.strerror}") from error


def included_files(stan_file: Path) -> list[Path]:
    """The files that a model includes, directly or not, in the order they are met.

    As for stanc with one include path, each is sought in the folder of `stan_file`.
    """
    include = re.compile(r"""^[ \t]*#include[ \t]+[<"]?([^\s<>"]+)[>"]?""", re.MULTILINE)
    found: list[Path] = []

    def follow(file: Path) -> None:
        for name in include.findall(_read(file).decode("utf-8", errors="replace")):
            included = stan_file.parent / name
            if not included.is_file():
                raise ToolchainError(f"{file} includes {name}, but there is no file {included}")
            if included not in found:
                found.append(included)
                follow(included)

    follow(stan_file)
    return found


def model_hash(stan_file: Path) -> str:
    """A SHA-256 over the model and the files it includes, as hexadecimal digits."""
    files = [stan_file, *included_files(stan_file)]
    digests = [hashlib.sha256(_read(file)).digest() for file in files]
    return hashlib.sha256(b"".join(digests)).hexdigest()


def compile_model(
    stan_file: Path, executable: Path, toolchain: Toolchain, log: Log = print
) -> None:
    """Compile a model; `executable` appears complete or not at all, beside it a JSON record.

    The record, `executable.with_suffix(".json")`, holds the sha256 that `executable_fault` looks
    for. Compilation runs in a temporary folder, so that paths may hold any character.
    """
    stan_file, executable = Path(stan_file).resolve(), Path(executable).absolute()
    digest = model_hash(stan_file)
    log(f"crowdgold: compiling {stan_file.name} (about half a minute)")
    start = time.monotonic()
    # make fails on paths with spaces and other characters.
    parent = "/tmp" if re.search(r"[^\w./+-]", tempfile.gettempdir()) else None  # noqa: S108
    with scratch_folder("compile", parent) as work:
        source = work / f"{re.sub(r'[^0-9A-Za-z_]', '_', stan_file.stem)}.stan"
        made = source.with_suffix("")
        shutil.copyfile(stan_file, source)
        (work / "include").symlink_to(stan_file.parent)
        included = included_files(stan_file)
        flags = [f"--filename-in-msg={stan_file.name}"]
        flags += [f"--include-paths={work / 'include'}"] if included else []
        command = [os.environ.get("MAKE") or "make"]
        command += ["STANCFLAGS+=" + flag.replace(" ", "\\ ") for flag in flags]
        try:
            done = _run_to_end([*command, str(made)], toolchain.home)
        except OSError as error:
            raise ToolchainError(f"cannot run make in {toolchain.home}: {error}") from error
        if done.returncode:
            said = "\n".join(done.stdout.strip().splitlines()[-40:])
            raise ToolchainError(
                f"{stan_file} does not compile with {toolchain.describe()}:\n{said}"
            )
        record = {
            "model": stan_file.name,
            "model_hash": digest,
            "included": [str(path.relative_to(stan_file.parent)) for path in included],
            "executable_sha256": _sha256(made),
            "seconds": round(time.monotonic() - start, 1),
            "toolchain": json.loads(toolchain.to_json()),
        }
        (work / "record").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        try:
            executable.parent.mkdir(parents=True, exist_ok=True)
            places = {work / "record": executable.with_suffix(".json"), made: executable}
            for file, target in places.items():
                with unfinished(target) as own:
                    shutil.copy(file, own)
        except OSError as error:
            raise ToolchainError(f"cannot write {executable}: {error}") from error


def executable_fault(executable: Path) -> str | None:
    """Why an executable must not be run, or None where it is the one that was compiled."""
    record = executable.resolve().with_suffix(".json")
    try:
        found = _sha256(executable)
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
    """The folder of the user's cache that compiled models are kept in."""
    return cache_folder() / "models"


def cached_model(stan_file: Path, toolchain: Toolchain, log: Log = print) -> Path:
    """The executable of a model from the user's cache, compiled first where it is not there.

    Its place there changes with the model, the files that it includes, and the toolchain.
    """
    made_from = model_hash(stan_file) + toolchain.to_json()
    key = hashlib.sha256(made_from.encode()).hexdigest()[:16]
    return compiled_model(stan_file, models_folder() / key / stan_file.stem, toolchain, log)


def find_toolchain(folder: Path | None = None, log: Log = print) -> Toolchain:
    """The first usable CmdStan home of three ways.

    1. `$CMDSTAN`, the active conda environment's, the newest in `~/.cmdstan`;
    2. an installation by cmdstanpy, where the network lets it;
    3. one assembled from PyPI, in `folder` or in crowdgold's cache.

    A home that was assembled before is taken without asking the network again. What is skipped is
    logged, and what takes more than 5 seconds.
    """
    compiler_version()
    for home, way in present_homes():
        try:
            return usable(home, way)
        except ToolchainError as error:
            log(f"crowdgold: skipped {home} ({way}): {error}")
    installed = None if is_whole(folder) else install(log)
    return installed or Toolchain.of(assemble(folder, log), "assembled")


def present_homes() -> Iterator[tuple[Path, str]]:
    """The places where a home may already stand, with the name of the way."""
    if named := os.environ.get("CMDSTAN"):
        yield Path(named).expanduser(), "environment"
    if prefix := os.environ.get("CONDA_PREFIX"):
        home = Path(prefix) / "bin" / "cmdstan"
        if home.exists():
            yield home, "conda"
    homes = [home for home in Path("~/.cmdstan").expanduser().glob("cmdstan-*") if home.is_dir()]
    by_version = sorted(homes, key=lambda home: as_numbers(home.name.removeprefix("cmdstan-")))
    for home in reversed(by_version):
        yield home, "home folder"


def usable(home: Path, way: str) -> Toolchain:
    """A home that is accepted; a `ToolchainError` where it is broken or too old for the models."""
    if is_assembled(home):
        if fault := fault_of(home):
            raise ToolchainError(f"it was assembled by crowdgold, and {fault}")
        way = "assembled"
    toolchain = Toolchain.of(home, way)
    if as_numbers(toolchain.cmdstan_version) < OLDEST:
        oldest = ".".join(str(number) for number in OLDEST)
        raise ToolchainError(f"CmdStan {toolchain.cmdstan_version} is older than {oldest}")
    return toolchain


def network_allows(
    address: str = "https://github.com/stan-dev/cmdstan/releases/latest", seconds: float = 5.0
) -> bool:
    """Whether an address answers within a few seconds, name look-up included."""
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


def install(log: Log) -> Toolchain | None:
    """CmdStan as cmdstanpy installs it; None where the network or the build does not let it."""
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, or 1 (130 when interrupted) with a message."""
    top = argparse.ArgumentParser(
        prog="python -m crowdgold.system.toolchain",
        description="Find or assemble a CmdStan home, compile models.",
    )
    commands = top.add_subparsers(dest="command", required=True)
    find = commands.add_parser("find", help="find a CmdStan home, or make one, and print it")
    building = commands.add_parser(
        "assemble", help="assemble a CmdStan home from PyPI, whatever else is there"
    )
    compiling = commands.add_parser("compile", help="compile Stan models into executables")
    where = f"where an assembled home goes (default: {default_folder()})"
    for command in (find, building, compiling):
        command.add_argument("--folder", type=Path, help=where)
    for command in (find, building):
        command.add_argument("--json", action="store_true", help="print JSON")
    compiling.add_argument("models", nargs="+", type=Path, metavar="NAME.stan")
    compiling.add_argument(
        "--into", type=Path, default=Path(), help="folder of the executables (default: this one)"
    )
    asked = top.parse_args(arguments)

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
