"""Reading zip and gzip files of others: all members are checked before the first is unpacked.

An archive is refused whole where a member's name leads out of the folder that it is unpacked to,
where it holds a link, a device or a second member of one name, or where it would unpack to more
bytes than it may.
"""

import gzip
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import BinaryIO

Packed = Path | BinaryIO  # An archive: its file, or its bytes
_Zip = tuple[zipfile.ZipFile, list[zipfile.ZipInfo]]
OVERLAP = 64  # bytes by which blocks overlap


class ArchiveError(ValueError):
    """An archive that is damaged, or that no honest source would publish."""


def _fault(member: zipfile.ZipInfo, seen: set[str]) -> str:
    """Why a member must not be unpacked; empty where it may be."""
    name = member.orig_filename
    if "\\" in name or "\0" in name:
        return "has a backslash or a zero byte in its name"
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or PureWindowsPath(name).drive:
        return "has an absolute name"
    if ".." in path.parts:
        return "leads out of the folder"
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link or a device"
    if member.flag_bits & 1:
        return "is encrypted"
    return "is there twice" if name in seen else ""


@contextmanager
def _checked_zip(path: Packed, most_bytes: int, name: str) -> Iterator[_Zip]:
    """A zip file and its members that are no folders, once all are known to be harmless.

    A member never gives more bytes than it declares: `zipfile` stops there, and its checksum is
    wrong then. `name` is what messages call the file, its own where empty.
    """
    name = _called(path, name)
    try:
        with zipfile.ZipFile(path) as archive:
            seen: set[str] = set()
            for member in archive.infolist():
                if why := _fault(member, seen):
                    raise ArchiveError(
                        f"{name}: member {member.orig_filename!r} {why}; not unpacked"
                    )
                seen.add(member.filename)
            if sum(member.file_size for member in archive.infolist()) > most_bytes:
                raise ArchiveError(
                    f"{name} would unpack to more than {most_bytes:,} bytes, the most that is "
                    "expected of it; not unpacked"
                )
            yield archive, [member for member in archive.infolist() if not member.is_dir()]
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
        raise ArchiveError(f"{name} is no readable zip file: {error}") from error


def _called(path: Packed, name: str) -> str:
    return name or (path.name if isinstance(path, Path) else "the archive")


def zip_members(path: Packed, most_bytes: int, name: str = "") -> Iterator[tuple[str, bytes]]:
    """Name and content of each member of a zip file, in the order of their names.

    Nothing is unpacked of one that is not harmless, or would unpack to more than `most_bytes`.
    """
    with _checked_zip(path, most_bytes, name) as (archive, members):
        for member in sorted(members, key=lambda member: member.filename):
            yield member.filename, archive.read(member)


def zip_blocks(path: Packed, most_bytes: int, name: str = "") -> Iterator[tuple[str, bytes]]:
    """Name and content of each member of a zip file, in blocks, for a look at what it holds.

    A block begins with the end of the one before, so that no text up to `OVERLAP` is cut in two.
    """
    with _checked_zip(path, most_bytes, name) as (archive, members):
        for member in members:
            before = b""
            with archive.open(member) as part:
                while block := part.read(2**20):
                    yield member.filename, before + block
                    before = block[-OVERLAP:]


def read_gzip(path: Packed, most_bytes: int, name: str = "") -> bytes:
    """The content of a gzipped file, which may unpack to `most_bytes`."""
    try:
        with gzip.open(path) as file:
            content = file.read(most_bytes + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ArchiveError(f"{_called(path, name)} is no readable gzip file: {error}") from error
    if len(content) > most_bytes:
        raise ArchiveError(
            f"{_called(path, name)} would unpack to more than {most_bytes:,} bytes, the most that "
            "is expected of it"
        )
    return content
