"""Fixtures that all tests share: one CmdStan home a session, and compiled models.

Both are made once, under a file lock, so that the workers of pytest-xdist share them; compiled
models are those of the user's cache, where the commands look for theirs.
"""

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from compile_models import FOLDERS
from crowdgold.system.toolchain import Toolchain, cached_model, find_toolchain

ROOT = Path(__file__).resolve().parent.parent
COMPILER = pytest.StashKey["subprocess.Popen[bytes]"]()
"""The process that compiles models beside the workers (compile_models.py)."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests that need no CmdStan first: meanwhile models are compiled beside the workers.

    Of the others those that run workflows come first: they are the longest, and one of them at the
    end would leave the other workers without work.
    """

    def place(item: pytest.Item) -> int:
        if "toolchain" not in getattr(item, "fixturenames", ()):
            return 0
        return 1 if "workflow" in item.path.parts else 2

    items.sort(key=place)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile all models beside the workers where the whole suite is run by several."""
    config = session.config
    several = getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput")
    if several and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        command = [sys.executable, str(ROOT / "tests/compile_models.py")]
        session.config.stash[COMPILER] = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Stop the process that compiles models, with its make and compiler."""
    if compiler := session.config.stash.get(COMPILER, None):
        with suppress(ProcessLookupError):
            os.killpg(compiler.pid, signal.SIGTERM)
        compiler.wait()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock on the file for the block; other workers wait."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def toolchain(tmp_path_factory: pytest.TempPathFactory) -> Toolchain:
    """The CmdStan home that crowdgold finds or makes; looked for once, shared by all workers."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    record = shared / "toolchain.json"
    with locked(shared / "toolchain.lock"):
        if not record.is_file():
            record.write_text(find_toolchain().to_json())
        return Toolchain.from_json(record)


@pytest.fixture(scope="session")
def compile_with() -> Callable[[Toolchain, str], Path]:
    """`compile_with(toolchain, "vote")` compiles a model once for each text and toolchain."""

    def compile_with(toolchain: Toolchain, name: str) -> Path:
        stan_file = next(
            (f / f"{name}.stan" for f in FOLDERS if (f / f"{name}.stan").is_file()), None
        )
        if stan_file is None:
            raise FileNotFoundError(f"no {name}.stan in {' or '.join(map(str, FOLDERS))}")
        return cached_model(stan_file, toolchain)

    return compile_with


@pytest.fixture(scope="session")
def compiled(
    toolchain: Toolchain, compile_with: Callable[[Toolchain, str], Path]
) -> Callable[[str], Path]:
    """`compiled("vote")` is the executable of stan/vote.stan, or of a model made for the tests."""
    return lambda name: compile_with(toolchain, name)
