"""Assemble a CmdStan home from a PyPI wheel and crowdgold's own front end.

The wheel brings Stan's headers, its libraries and stanc; `toolchain/main.cpp` and
`toolchain/makefile` bring what CmdStan would. A home is built in a temporary folder and renamed
when complete, under a lock, so that two processes never meet; a manifest shows later whether it
is still whole.
"""

import hashlib
import importlib.util
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from crowdgold.archives import ArchiveError, zip_members
from crowdgold.assets import asset_folder, cache_folder
from crowdgold.toolchain.errors import ToolchainError
from crowdgold.toolchain.locks import locked
from crowdgold.toolchain.versions import compiler_version, finished

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
