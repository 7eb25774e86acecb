"""What the numbers of a run depend on, as one key, and the finished jobs that are kept under it.

Jobs of a run that was stopped are kept until a run of the same key ends well; another key begins
anew. The folder `.unfinished` in the folder of the evaluation has a file for each job that samples;
what samples nothing is there again at once. What a job found is written as JSON and arrays of a few
known classes, without code in it; a file begins with the sha256 of the rest, so that a damaged one
is none.
"""

import hashlib
import io
import json
import platform
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold import __version__
from crowdgold.evaluation.fitting import Found
from crowdgold.evaluation.jobs import Job
from crowdgold.evaluation.questions import Settings
from crowdgold.inference.clustered import Clustered
from crowdgold.inference.design import KnownChances, SimpleRandom
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.questions import Named
from crowdgold.inference.rectified import Rectified
from crowdgold.inference.samples import Draws, Stated
from crowdgold.metrics.metric import Scale
from crowdgold.models.stan import StanModels
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.reading.study import Study
from crowdgold.system.assets import asset_folder, package_folder
from crowdgold.system.extras import missing
from crowdgold.system.temporary import unfinished

CLASSES = {
    one.__name__: one
    for one in (
        Found, Named, Draws, Rectified, SimpleRandom, KnownChances, Clustered,
        Stated, Estimate, Diagnostics, Scale,
    )
}  # fmt: skip
"""All that is made from a file."""
TEXT = "text"
DIGEST = 64  # digits of a sha256


def _plain_of(value: Any, arrays: list[np.ndarray]) -> Any:
    """A value as JSON has it: a dictionary has one key, which says what it stands for.

    Arrays within are added to `arrays`, and stand as their place there.
    """
    match value:
        case np.ndarray():
            arrays.append(value)
            return {"array": len(arrays) - 1}
        case np.generic():
            return value.item()
        case Enum():
            return {type(value).__name__: {"value": value.value}}
        case pd.DataFrame():
            columns = [[name, str(column.dtype), column.tolist()] for name, column in value.items()]
            return {"table": _plain_of(columns, arrays)}
        case Mapping():
            return {"mapping": [[key, _plain_of(one, arrays)] for key, one in value.items()]}
        case tuple():
            return {"tuple": _plain_of(list(value), arrays)}
        case list():
            return [_plain_of(one, arrays) for one in value]
    if is_dataclass(value):
        own = [one.name for one in fields(value) if one.init]
        return {
            type(value).__name__: {name: _plain_of(getattr(value, name), arrays) for name in own}
        }
    return None if value is pd.NA else value


def _value_of(stored: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    """The value that `_plain_of` was given."""
    if isinstance(stored, list):
        return [_value_of(one, arrays) for one in stored]
    if not isinstance(stored, dict):
        return stored
    ((kind, content),) = stored.items()
    match kind:
        case "array":
            return arrays[str(content)]
        case "tuple":
            return tuple(_value_of(content, arrays))
        case "mapping":
            return {key: _value_of(one, arrays) for key, one in content}
        case "table":
            return pd.DataFrame({name: pd.Series(own, dtype=dtype) for name, dtype, own in content})
    return CLASSES[kind](**{name: _value_of(one, arrays) for name, one in content.items()})


def write_found(found: Sequence[Found], path: Path) -> None:
    """Write what a job found, to a temporary name first.

    Raises an `OSError` where it cannot be written, and a `TypeError` where it holds something else
    than `CLASSES`, numbers and texts.
    """
    arrays: list[np.ndarray] = []
    text = json.dumps(_plain_of(list(found), arrays)).encode()
    if any(one.dtype.hasobject for one in arrays):
        raise TypeError("an array of objects cannot be stored")
    named = {str(place): one for place, one in enumerate(arrays)}
    whole = io.BytesIO()
    np.savez(whole, **{TEXT: np.frombuffer(text, np.uint8)}, **named)  # type: ignore[arg-type]
    content = whole.getvalue()
    with unfinished(path) as own:
        own.write_bytes(hashlib.sha256(content).hexdigest().encode() + content)


def read_found(path: Path) -> list[Found] | None:
    """What a job found; None where there is no file, or a damaged one."""
    try:
        whole = path.read_bytes()
    except OSError:
        return None
    digest, content = whole[:DIGEST], whole[DIGEST:]
    if hashlib.sha256(content).hexdigest().encode() != digest:
        return None
    with np.load(io.BytesIO(content), allow_pickle=False) as held:
        arrays = {name: held[name] for name in held.files}
    found: list[Found] = _value_of(json.loads(arrays[TEXT].tobytes()), arrays)
    return found


def versions(stan: StanModels) -> dict[str, str]:
    """The versions that numbers depend on, by name."""
    cmdstan = stan.toolchain.cmdstan_version if stan.toolchain else ""
    found = {"crowdgold": __version__, "python": platform.python_version(), "cmdstan": cmdstan}
    packages = ("numpy", "scipy", "numba", "pandas", "cmdstanpy")
    return found | {name: version(name) for name in packages if not missing(name)}


@cache
def source_digest() -> str:
    """The sha256 of the package's modules and of the Stan models: a version can be edited."""
    digest = hashlib.sha256()
    for folder, ending in ((package_folder(), "py"), (asset_folder("stan"), "stan")):
        for path in sorted(folder.rglob(f"*.{ending}")):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(folder)} {content}\n".encode())
    return digest.hexdigest()


def key_of(study: Study, settings: Settings, stan: StanModels) -> str:
    """The key of a run, 64 digits: of its input as read, its settings and the code that runs."""
    arrays: list[np.ndarray] = []
    asked: list[Any] = [study, settings, versions(stan), source_digest()]
    digest = hashlib.sha256(json.dumps(_plain_of(asked, arrays), default=repr).encode())
    for array in arrays:
        content = array.tobytes()
        if array.dtype.hasobject:
            content = json.dumps(array.tolist(), default=repr).encode()
        shape = f"{array.dtype} {array.shape} ".encode()
        digest.update(hashlib.sha256(shape + content).digest())
    return digest.hexdigest()


UNFINISHED = ".unfinished"
DIGITS = 32  # of a key, and of a job's, in the name of a file
_NAME = re.compile(r"\.?[0-9a-f]{32}-[0-9a-f]{32}\.job(\.[0-9a-f]{12}\.partial)?")


def holds_jobs(folder: Path) -> bool:
    """Whether a folder is one of finished jobs, and holds nothing else."""
    if folder.name != UNFINISHED or folder.is_symlink() or not folder.is_dir():
        return False
    return all(_NAME.fullmatch(one.name) and one.is_file() for one in folder.iterdir())


@dataclass(frozen=True)
class KeptJobs:
    """The finished jobs of a run."""

    folder: Path | None  # holds them; None where nothing is kept
    key: str  # of the run (`run_key`); empty where none of its jobs samples
    say: Callable[[str], None]  # told what is kept, and what is not used

    def _path(self, folder: Path, job: Job) -> Path:
        own = hashlib.sha256(repr(job).encode()).hexdigest()
        return folder / f"{self.key[:DIGITS]}-{own[:DIGITS]}.job"

    def remove_others(self) -> None:
        """Remove what a run of another key has kept, and say so; and half of a file."""
        if self.folder is None or not holds_jobs(self.folder):
            return
        own = f"{self.key[:DIGITS]}-" if self.key else "none"
        others = [one for one in self.folder.iterdir() if not one.name.startswith(own)]
        for one in others:
            one.unlink(missing_ok=True)
        if any(one.suffix == ".job" for one in others):
            self.say(
                f"Begun anew: {self.folder.parent} has finished models of a run that was stopped, "
                "with other input, options or code."
            )

    def read(self, jobs: Sequence[Job]) -> dict[Job, list[Found]]:
        """What the finished ones among jobs found."""
        if self.folder is None:
            return {}
        every = {job: read_found(self._path(self.folder, job)) for job in jobs}
        found = {job: one for job, one in every.items() if one is not None}
        if found:
            self.say(
                f"Going on from a run that was stopped: {len(found)} of {len(jobs)} models are "
                f"kept and not sampled again ({', '.join(map(str, found))})."
            )
        return found

    def add(self, job: Job, found: Sequence[Found]) -> None:
        """Keep a job, unless it failed: it could end well another time."""
        if self.folder is None or any(one.problem for one in found):
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_found(found, self._path(self.folder, job))
        except (OSError, TypeError) as error:  # the run goes on without
            self.say(f"{job}: it is not kept for another run: {error}")

    @contextmanager
    def told(self) -> Iterator[None]:
        """Say what is kept where the block is stopped."""
        try:
            yield
        except BaseException:
            with suppress(OSError):
                kept = list(self.folder.glob(f"{self.key[:DIGITS]}-*")) if self.folder else []
                if self.folder and kept:
                    self.say(
                        f"Finished models kept in {self.folder.parent}: {len(kept)}. The same "
                        "command goes on from there."
                    )
            raise


def discard(folder: Path | None) -> None:
    """Remove finished jobs that no run needs, and the folder that was made for them alone."""
    if folder is not None and holds_jobs(folder):
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            folder.parent.rmdir()
