"""Fixtures that all tests share: one CmdStan home a session, and compiled models.

Both are made once, under a file lock, so that the workers of pytest-xdist share them; compiled
models stay in the user's cache, keyed by the model's text and the toolchain.
"""

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crowdgold.toolchain import (
    Toolchain,
    compile_model,
    executable_fault,
    find_toolchain,
    model_hash,
)

ROOT = Path(__file__).resolve().parent.parent
MODELS = (
    ROOT / "stan",
    ROOT / "tests/conformance/models",
    ROOT / "tests/statistics/models",
)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def cache_folder() -> Path:
    """Where compiled test models stay from one session to the next."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return cache / "crowdgold" / "tests"


@pytest.fixture(scope="session")
def toolchain(cache_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Toolchain:
    """The CmdStan home that crowdgold finds or makes; looked for once, shared by all workers."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    record = shared / "toolchain.json"
    with locked(cache_folder / "toolchain.lock"):
        if not record.is_file():
            record.write_text(find_toolchain().to_json())
        return Toolchain.from_json(record)


@pytest.fixture(scope="session")
def compile_with(cache_folder: Path) -> Callable[[Toolchain, str], Path]:
    """`compile_with(toolchain, "vote")` compiles a model once for each text and toolchain."""

    def compile_with(toolchain: Toolchain, name: str) -> Path:
        stan_file = next(
            (f / f"{name}.stan" for f in MODELS if (f / f"{name}.stan").is_file()), None
        )
        if stan_file is None:
            raise FileNotFoundError(f"no {name}.stan in {' or '.join(map(str, MODELS))}")
        made_from = model_hash(stan_file) + toolchain.to_json()
        key = hashlib.sha256(made_from.encode()).hexdigest()[:16]
        executable = cache_folder / key / name
        with locked(cache_folder / f"{key}.lock"):
            if executable_fault(executable):
                compile_model(stan_file, executable, toolchain)
        return executable

    return compile_with


@pytest.fixture(scope="session")
def compiled(
    toolchain: Toolchain, compile_with: Callable[[Toolchain, str], Path]
) -> Callable[[str], Path]:
    """`compiled("vote")` is the executable of stan/vote.stan, or of a model made for the tests."""
    return lambda name: compile_with(toolchain, name)
