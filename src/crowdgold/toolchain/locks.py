"""One process at a time: a lock on a file, which ends with the process that holds it."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


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
