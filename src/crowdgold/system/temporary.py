"""Temporary files and folders that go with the process that made them, however it ends.

An ordinary end removes them; an end at once (`remove_registered`) removes what is registered; and
what a killed process left, the next one removes (`remove_abandoned`). A folder is abandoned where
nobody holds the lock on a file in it, which the system frees once the process and its forks are
gone. Process numbers would not show it: they are used again, and a container has its own.

Whatever writes a result writes it `unfinished`: a reader never sees half of a file, and no two
writers share one.
"""

import atexit
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

PREFIX = "crowdgold-"
RUNNING = ".running"
"""The file in a folder that its process has locked; without one a folder is left alone."""
_registered: dict[Path, int] = {}
"""Path to be removed -> the process that made it; a fork of that process leaves it alone."""
_folder_of_process: dict[int, Path] = {}


@contextmanager
def registered(path: Path) -> Iterator[None]:
    """Have a file or folder removed where the process ends at once within the block."""
    _registered[path] = os.getpid()
    try:
        yield
    finally:
        _registered.pop(path, None)


def hidden_name(path: Path, ending: str) -> Path:
    """A hidden name beside a path, `.NAME.CODE.ENDING`, that no other writer has.

    Process ids would not do: jobs on several nodes write to one folder. The name is absolute, since
    libraries take `~` at its beginning for the home of the user.
    """
    return path.absolute().with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.{ending}")


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A name beside `path` to write the file under; it is renamed to `path` if the block succeeds.

    Of two processes that make the same file, such as jobs of a killed run and of the next, each
    writes its own, and the last to end has the place. Where the block fails, what was written is
    removed; what a killed process wrote stays, as `.NAME.CODE.partial`.
    """
    partial = hidden_name(path, "partial")
    with registered(partial):
        try:
            yield partial
            partial.replace(path)
        except BaseException:
            with suppress(OSError):
                partial.unlink()
            raise


def remove_registered() -> None:
    """Remove what is registered of this process, which is about to end."""
    for path, process in list(_registered.items()):
        if process == os.getpid():
            shutil.rmtree(path, ignore_errors=True)
            with suppress(OSError):
                path.unlink()


def lock_file(path: Path) -> IO[bytes] | None:
    """Lock a file, made where it is not there, and return it open; None where another holds it.

    An `OSError` where files cannot be locked there.
    """
    file = path.open("ab")
    try:
        import fcntl  # Windows, which is refused in words, has none

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:
        file.close()
        raise
    file.close()
    return None


@contextmanager
def held_folder(folder: Path) -> Iterator[bool]:
    """Lock a folder until the block ends, also under a new name; the value is whether it was free.

    What cannot be locked, such as a file or on some file systems a folder, counts as not free.
    """
    with ExitStack() as stack:
        free = False
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, handle)
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            free = True
        yield free


@contextmanager
def scratch_folder(kind: str, parent: str | None = None) -> Iterator[Path]:
    """A temporary folder, `crowdgold-KIND-CODE`, which is gone when the block ends."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{kind}-", dir=parent))
        _registered[folder] = os.getpid()
        try:
            lock = lock_file(folder / RUNNING)
        except FileNotFoundError:  # taken for an abandoned one before it had a lock
            lock = None
        except OSError:  # files cannot be locked there
            (folder / RUNNING).unlink(missing_ok=True)
            lock = None
            break
        if lock is not None:
            break
        _registered.pop(folder, None)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _registered.pop(folder, None)
        if lock is not None:
            lock.close()


def process_folder() -> Path:
    """The temporary folder of this process, which is gone at its end."""
    if os.getpid() not in _folder_of_process:
        folder = scratch_folder("process")
        _folder_of_process[os.getpid()] = folder.__enter__()
        atexit.register(folder.__exit__, None, None, None)
    return _folder_of_process[os.getpid()]


def remove_abandoned() -> list[Path]:
    """Remove the folders of this user whose processes are gone, and list them."""
    removed = []
    for folder in sorted(Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*")):
        with suppress(OSError):
            known = folder.lstat().st_uid == os.getuid() and not folder.is_symlink()
            if not known or not (folder / RUNNING).is_file():
                continue
            lock = lock_file(folder / RUNNING)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                lock.close()
                removed.append(folder)
    return removed
