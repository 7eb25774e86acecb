"""What killed writers left in results: `.NAME.CODE.partial`, which nothing reads."""

import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

PATTERN = ".*.partial"


def remove_leftovers(folders: Iterable[Path], older: float = 0.0) -> list[Path]:
    """The unfinished files that were there, and are removed. For who holds the lock of the results.

    Args:
        folders: where to look, with all that is in them.
        older: seconds; what was written to since is left, as of jobs on other nodes.
    """
    limit = time.time() - older
    found = [path for folder in folders for path in folder.rglob(PATTERN)]
    gone = []
    for path in found:
        with suppress(OSError):
            if path.stat().st_mtime > limit:
                continue
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
            gone.append(path)
    return gone
