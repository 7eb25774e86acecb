"""What is pinned of a dataset: its files, their checksums, its licence and what to cite.

Is a file what it should be? By its pinned sha256, or by the one recorded at its first use.

A source of which no checksum is known is trusted once: how its file begins is checked, and the
sha256 is written beside the cache. From then on the file must stay the same.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from crowdgold.assets import cache_folder
from crowdgold.data.datasets.conversion import Converter
from crowdgold.data.outputs import write_text


@dataclass(frozen=True)
class File:
    """A file of a dataset: its name, its sha256, and how to get it.

    `urls` is the file's own address, or, with `convert`, those of the files it is made from. With
    `parts` it is the address of a page, and the file can be made only from what stands in the local
    folder under names of that pattern. Where no sha256 is known, the file `starts_with` a text.
    What is `local_only` was made by hand of what that address shows, and is never downloaded.
    """

    name: str
    sha256: str | None
    urls: tuple[str, ...]
    convert: Converter | None = None
    parts: str = ""
    starts_with: str = ""
    local_only: bool = False


@dataclass(frozen=True)
class Source:
    """The files of a dataset, and what a user must know about them.

    What is `on_request` is not downloaded because a figure could show it, only when it is asked
    for by name: it is large, or no checksum of it is known. `folder` is that of its files in a
    local folder; where not given, the dataset's name.
    """

    files: tuple[File, ...]
    licence: str
    citation: str
    cautions: str
    on_request: bool = False
    folder: str = ""


def cached(name: str, file: File) -> Path:
    """The place of a dataset's file in the user's cache."""
    return cache_folder() / name / file.name


def record_of(name: str, file: File) -> Path:
    """The place where the sha256 of a file that has no pinned one is recorded."""
    path = cached(name, file)
    return path.with_name(f"{path.name}.sha256")


def expected_sha256(name: str, file: File) -> str | None:
    """The sha256 that a file must have; none before the first use of one without a pin."""
    if file.sha256 is not None:
        return file.sha256
    path = record_of(name, file)
    return path.read_text(encoding="ascii").strip() if path.is_file() else None


def fault(name: str, file: File, content: bytes) -> str:
    """Say what is wrong with a file's content; empty where nothing is."""
    expected = expected_sha256(name, file)
    if file.sha256 is None and not content.startswith(file.starts_with.encode()):
        return f"it begins with {content[:40]!r}, expected {file.starts_with!r}"
    if expected is None or hashlib.sha256(content).hexdigest() == expected:
        return ""
    if file.sha256 is not None:
        return f"its sha256 is not the pinned {expected}"
    return f"its sha256 is not {expected}, recorded in {record_of(name, file)} at its first use"


def record(name: str, file: File, content: bytes) -> str:
    """Record the sha256 of a file that has no pinned one, and say what is known of it."""
    if file.sha256 is not None:
        return "sha256 as pinned"
    path = record_of(name, file)
    if path.is_file():
        return f"sha256 as recorded in {path}"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(f"{hashlib.sha256(content).hexdigest()}\n", path)
    return f"no sha256 of it is known; that of this copy is recorded in {path}"
