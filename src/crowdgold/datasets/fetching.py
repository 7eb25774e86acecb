"""Getting a dataset's files: from a local folder, the cache, or their address; all checked.

A local folder has one folder a dataset, `product_pairs/answer.csv`; its files may be gzipped
(`chaosnli/predictions.csv.gz`), and in the place of a file that is made by conversion it may hold
the source's own files (`product_pairs/data_product`).
"""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

import pooch

from crowdgold.datasets.pinned import SOURCES
from crowdgold.datasets.source import File, Source, cached, fault, record
from crowdgold.system.archives import ArchiveError, read_gzip
from crowdgold.system.temporary import unfinished
from crowdgold.system.toolchain import network_allows
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import unknown

LOCAL = "CROWDGOLD_DATA"
"""The environment variable that names a local folder, where the config names none."""
PROBE_SECONDS = 5.0
DOWNLOAD_SECONDS = 30.0
MOST_BYTES = 500_000_000
"""The most of one file, downloaded or unpacked: several times the largest that is pinned."""

Log = Callable[[str], object]


class DatasetUnavailable(InputError):  # noqa: N818 - a state of the world rather than a mistake
    """A dataset whose files cannot be had; the message says what was tried and what to do."""


def find_source(name: str) -> Source:
    """The pinned source of a dataset."""
    if name not in SOURCES:
        raise InputError(unknown("dataset", name, SOURCES))
    return SOURCES[name]


def folder_of(name: str) -> str:
    """The folder of a dataset's files in a local folder; several may share one."""
    return find_source(name).folder or name


def fetch(name: str, folder: Path, local: Path | None = None, log: Log = print) -> Path:
    """Put the files of a dataset into a folder, each with its sha256, and return the folder.

    `local` is a folder with copies, `$CROWDGOLD_DATA` where not given. `log` takes the licence, and
    a line for each file.
    """
    source, local = find_source(name), _local_folder(name, local)
    log(f"{name}: licence: {source.licence}. {source.cautions}")
    done: dict[str, Path] = {}
    for count, file in enumerate(source.files, start=1):
        target, kept = folder / file.name, cached(name, file)
        progress = f"{name}: {file.name} ({count} of {len(source.files)})"
        if _is_right(name, target, file, log):
            log(f"{progress} is there")
        else:
            content = _from_local(name, local, file, log)
            if not content and _is_right(name, kept, file, log):
                content = kept.read_bytes()
            if not content:
                how = f"made of {file.parts}" if file.parts else "downloading"
                log(f"{progress}: {how} from {_from_where(file)}")
                content = _from_source(name, file, local, done, log)
            _write(target, content)
            log(f"{progress}: {len(content):,} bytes, {record(name, file, content)}")
        done[file.name] = target
    return folder


def availability(name: str, local: Path | None = None) -> tuple[bool, str]:
    """Whether the files of a dataset can be had, and a sentence that says why.

    It looks into the local folder and the cache, and asks the host for at most 5 seconds.
    """
    source, local = find_source(name), _local_folder(name, local)
    missing = [file for file in source.files if not _is_at_hand(name, file, local)]
    where = f"{local} or in the cache" if local else "the cache"
    if not missing:
        return True, f"{name}: every file is in {where}, with its sha256"
    names = _some([file.name for file in missing])
    if source.on_request:
        return False, (
            f"{name}: {names} not in {where}; it is had only when it is asked for by name "
            f"(results/datasets/{name}.parquet). {_advice(name)}"
        )
    host = urlsplit(missing[0].urls[0]).netloc
    if network_allows(missing[0].urls[0], PROBE_SECONDS):
        return True, f"{name}: {host} answers, to download {names}"
    return False, f"{name}: {names} not in {where}, and {host} does not answer. {_advice(name)}"


def _is_at_hand(name: str, file: File, local: Path | None) -> bool:
    silent = list[str]().append
    if _from_local(name, local, file, silent) is not None:
        return True
    if _is_right(name, cached(name, file), file, silent):
        return True
    if file.convert is None or local is None:
        return False
    if file.parts:
        return any(local.glob(file.parts))
    return all((local / _file_name(url)).is_file() for url in file.urls)


def _file_name(url: str) -> str:
    return Path(urlsplit(url).path).name


def _advice(name: str) -> str:
    source = find_source(name)
    files = [f"{folder_of(name)}/{file.parts or file.name}" for file in source.files]
    return f"Set {LOCAL}, or data_folder in the config, to a folder that holds {_some(files)}"


def _some(names: Sequence[str]) -> str:
    """Names, of more than four the first three."""
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return ", ".join(shown)


def _from_where(file: File) -> str:
    more = f" and {len(file.urls) - 1} more" if len(file.urls) > 1 else ""
    return f"{file.urls[0]}{more}"


def _local_folder(name: str, local: Path | None) -> Path | None:
    given = local or os.environ.get(LOCAL)
    return Path(given) / folder_of(name) if given else None


def _is_right(name: str, path: Path, file: File, log: Log) -> bool:
    """Whether a file is there and right; one that is there and wrong is logged."""
    if not path.is_file():
        return False
    if wrong := fault(name, file, path.read_bytes()):
        log(f"{path}: {wrong}; getting the file again")
    return not wrong


def _from_local(name: str, folder: Path | None, file: File, log: Log) -> bytes | None:
    """The content of a local file, plain or gzipped; None where it is not there, or wrong."""
    if folder is None:
        return None
    for path in (folder / file.name, folder / f"{file.name}.gz"):
        if path.is_file():
            try:
                packed = path.suffix == ".gz" and file.name != path.name
                content = read_gzip(path, MOST_BYTES) if packed else path.read_bytes()
            except (OSError, ArchiveError) as error:
                log(f"{path} cannot be read: {error}")
                continue
            if not (wrong := fault(name, file, content)):
                return content
            log(f"{path}: {wrong}; not used")
    return None


def _from_source(
    name: str, file: File, local: Path | None, done: Mapping[str, Path], log: Log
) -> bytes:
    """The content of a file, downloaded or made of downloads, which the cache keeps."""
    kept = cached(name, file)
    try:
        if file.convert is None:
            kept.unlink(missing_ok=True)
            content = _download(file.urls[0], kept, file.sha256).read_bytes()
        else:
            with tempfile.TemporaryDirectory() as folder:
                parts = _parts(file, Path(folder), local, log)
                content = file.convert(parts, done).encode()
        if wrong := fault(name, file, content):
            kept.unlink(missing_ok=True)
            raise ValueError(f"what {_from_where(file)} gives is not right: {wrong}")
        _write(kept, content)
    except (OSError, ValueError) as error:
        if file.parts:
            by_hand = f"{file.parts} from {file.urls[0]} to {folder_of(name)}/ in such a folder"
        else:
            own = _file_name(file.urls[0]) if file.convert else file.name
            by_hand = f"{file.urls[0]} to {folder_of(name)}/{own} in such a folder"
            if len(file.urls) > 1:
                by_hand += f", and {len(file.urls) - 1} more of that folder"
        raise DatasetUnavailable(
            f"{name}: {file.name} cannot be had from {_from_where(file)}: {error}. "
            f"{_advice(name)}; or download {by_hand}"
        ) from error
    return content


def _parts(file: File, folder: Path, local: Path | None, log: Log) -> list[Path]:
    """The source's own files that a file is made from: of the local folder, or downloaded."""
    if file.parts:
        local_parts = sorted(local.glob(file.parts)) if local is not None else []
        if not local_parts:
            raise ValueError(f"there is no {file.parts} in {local or 'a local folder'}")
        return local_parts
    parts = []
    for url in file.urls:
        name = _file_name(url)
        if local is not None and (local / name).is_file():
            parts.append(local / name)
        else:
            log(f"  {name}")
            parts.append(_download(url, folder / name, None))
    return parts


class _BoundedFile:
    """A file that takes `MOST_BYTES` at most, so that no host can fill the disk."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.taken, self.flush = file, 0, file.flush

    def write(self, content: bytes) -> int:
        self.taken += len(content)
        if self.taken > MOST_BYTES:
            raise OSError(f"it is larger than {MOST_BYTES:,} bytes, the most that is expected")
        return self.file.write(content)


def _download(url: str, path: Path, sha256: str | None) -> Path:
    def up_to_the_most(url: str, output: str | Path, pooch_object: object) -> None:
        with Path(output).open("wb") as file:
            download = pooch.HTTPDownloader(timeout=DOWNLOAD_SECONDS)
            download(url, _BoundedFile(file), pooch_object)

    pooch.get_logger().setLevel("WARNING")
    known = f"sha256:{sha256}" if sha256 else None
    pooch.retrieve(url, known, fname=path.name, path=path.parent, downloader=up_to_the_most)
    return path


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with unfinished(path) as partial:
        partial.write_bytes(content)
