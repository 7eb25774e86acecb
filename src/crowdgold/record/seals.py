"""A file's own checksum, so that one that was cut short or changed is never used.

A sealed file holds the sha256 of all of its bytes, with zeros where the checksum stands: a parquet
file in its metadata, a record of a figure and a verdict in their text. Parquet's own checksums
cover its pages and not what describes them.
"""

import hashlib
import json
import mmap
from contextlib import suppress
from pathlib import Path
from typing import Any

from crowdgold.system.temporary import unfinished
from crowdgold.types.errors import InputError


def content_hash(content: Any) -> str:
    """The sha256 of a JSON-like value. The order of keys counts: predictors have a first."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def file_hash(path: Path) -> str:
    """The sha256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


SEAL_KEY = b"crowdgold_seal"
"""Key of the seal in a parquet file's metadata."""
MARK = b"sha256 of this file:"
LENGTH = 64
UNSEALED = MARK + b"0" * LENGTH
"""What a writer stores under the key before `seal` puts the checksum in."""


class DamagedTable(InputError):  # noqa: N818 - a state of a file rather than a mistake
    """A table, or another sealed file, whose bytes are not those that were written: `found`."""

    def __init__(self, path: Path, found: str) -> None:
        super().__init__(
            f"{path} is damaged: {found}; it is not used. Run the same command again to make it "
            "anew, or remove it first"
        )
        self.path, self.found = path, found


def _place(content: mmap.mmap) -> int:
    """Where the checksum stands; -1 where there is none."""
    # The mark stands once more, encoded, in no file: it is added after the schema was written.
    start = content.rfind(MARK)
    end = start + len(MARK) + LENGTH
    return -1 if start < 0 or end > len(content) else start + len(MARK)


def _checksum(content: mmap.mmap, place: int) -> bytes:
    with memoryview(content) as view:
        digest = hashlib.sha256(view[:place])
        digest.update(b"0" * LENGTH)
        digest.update(view[place + LENGTH :])
    return digest.hexdigest().encode()


def seal(path: Path) -> None:
    """Put the checksum into a file that holds `UNSEALED`, else ValueError."""
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as content:
        place = _place(content)
        if place < 0:
            raise ValueError(f"{path} has no place for its checksum")
        content[place : place + LENGTH] = _checksum(content, place)


def without_seal(text: str) -> str:
    """A sealed text without the line that holds its checksum."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(MARK.decode()))


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name}.damaged")


def set_aside(path: Path) -> None:
    """Take a damaged file out of the way, under a hidden name beside it."""
    with suppress(OSError):
        path.replace(_aside(path))


def was_set_aside(path: Path) -> bool:
    """Whether a file was damaged, and has not been made again since."""
    return _aside(path).exists() and not path.exists()


def write_sealed_text(text: str, path: Path) -> None:
    """Write a text that holds `UNSEALED` once, with its checksum in that place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with unfinished(path) as own:
        own.write_text(text, encoding="utf-8")
        seal(own)


def check_seal(path: Path) -> None:
    """Hold a file against its own checksum: DamagedTable where it is empty, cut short, changed, or
    has no checksum, InputError where there is none.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such table; run the same command again to make it")
    if not path.stat().st_size:
        raise DamagedTable(path, "it is empty")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        place = _place(content)
        if place < 0:
            raise DamagedTable(path, "it has no checksum, as a file that was cut short")
        written = content[place : place + LENGTH]
        if _checksum(content, place) != written:
            raise DamagedTable(path, "its bytes are not those that were written (sha256)")
