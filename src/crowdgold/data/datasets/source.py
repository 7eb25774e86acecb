"""What is pinned of a dataset: its files, their checksums, its licence and what to cite."""

from dataclasses import dataclass

from crowdgold.data.datasets.conversion import Converter


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
