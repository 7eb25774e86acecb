"""Writing text files so that a reader never sees half of one, with a message where none can be."""

from pathlib import Path

from crowdgold.data.errors import InputError
from crowdgold.temporary import own_name, unfinished

__all__ = ["own_name", "unfinished", "write_text"]


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
