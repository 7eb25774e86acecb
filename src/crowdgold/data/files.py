"""Writing a text file so that a reader never sees half of it."""

from contextlib import suppress
from pathlib import Path

from crowdgold.data.checks import InputError


def write_text(text: str, path: str | Path) -> None:
    """Write a text file to a temporary name beside it, then rename.

    Raises:
        InputError: where there can be no file of this name.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; expected the name of a file to write")
    temporary = path.with_name(f".{path.name}.partial")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise InputError(
            f"{path} cannot be written: {error.strerror}; expected a folder that is there, with "
            "room, and that you may write to"
        ) from error
