"""Writing files so that a reader never sees half of one, and no two writers share one."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from crowdgold.data.errors import InputError
from crowdgold.temporary import registered


def own_name(path: Path, ending: str) -> Path:
    """A hidden name beside a path, `.NAME.CODE.ENDING`, that no other writer has.

    Process ids would not do: jobs on several nodes write to one folder.
    """
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.{ending}")


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A name of one's own to write a file under; it is renamed where the block ends well.

    Of two that make the same file, such as a job of a run that was killed and one of the run after
    it, each writes its own, and the last to end has the place. Where the block fails, what was
    written is removed; what a killed process wrote stays, as `.NAME.CODE.partial`.
    """
    own = own_name(path, "partial")
    with registered(own):
        try:
            yield own
            own.replace(path)
        except BaseException:
            with suppress(OSError):
                own.unlink()
            raise


def write_text(text: str, path: str | Path) -> None:
    """Write a text file to a temporary name beside it, then rename.

    Raises:
        InputError: where there can be no file of this name.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; expected the name of a file to write")
    try:
        with unfinished(path) as own:
            own.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror}; expected a folder that is there, with "
            "room, and that you may write to"
        ) from error
