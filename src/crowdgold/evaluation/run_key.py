"""What the numbers of a run depend on, as one key, and the finished jobs that are kept under it.

Jobs of a run that was stopped are kept until a run of the same key ends well; another key begins
anew. The folder `.unfinished` in the folder of the evaluation has a file for each job that samples;
what samples nothing is there again at once. What a job found is written as JSON, of a few known
classes and without code in it; a file begins with the sha256 of the rest, so that a damaged one is
none. The jobs of the workflow hand their results on in the same form.
"""

import hashlib
import json
import platform
import re
import shutil
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold import __version__
from crowdgold.evaluation.fitting import Finding
from crowdgold.evaluation.jobs import Job
from crowdgold.evaluation.questions import Settings
from crowdgold.inference.design import Clustered, KnownChances, SimpleRandom
from crowdgold.inference.estimate import Draws, Estimate, Named, Stated
from crowdgold.inference.rectified import Rectified
from crowdgold.metrics.metric import Scale
from crowdgold.models.stan import StanModels
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.reading.study import Study, StudyFiles
from crowdgold.system.assets import asset_folder, package_folder
from crowdgold.system.packages import missing
from crowdgold.system.temporary import unfinished
from crowdgold.types.notes import Note

CLASSES = {
    one.__name__: one
    for one in (
        Finding, Named, Draws, Rectified, SimpleRandom, KnownChances, Clustered,
        Stated, Estimate, Note, Diagnostics, Scale,
    )
}  # fmt: skip
"""The only classes that a file of findings can hold."""
DIGEST = 64  # digits of a sha256


Encode = Callable[[np.ndarray], Any]  # an array -> what stands for it


def _plain(value: Any, encode: Encode) -> Any:
    """A value as JSON has it: a dictionary has one key, which says what it stands for."""
    again = partial(_plain, encode=encode)
    match value:
        case np.ndarray():
            return {"array": encode(value)}
        case np.generic():
            return value.item()
        case Enum():
            return {type(value).__name__: {"value": value.value}}
        case pd.DataFrame():
            columns = [[name, str(column.dtype), column.tolist()] for name, column in value.items()]
            return {"table": again(columns)}
        case Mapping():
            return {"mapping": [[key, again(one)] for key, one in value.items()]}
        case tuple():
            return {"tuple": again(list(value))}
        case list():
            return [again(one) for one in value]
    if is_dataclass(value):
        own = {one.name: again(getattr(value, one.name)) for one in fields(value) if one.init}
        return {type(value).__name__: own}
    return None if value is pd.NA else value


def _value(stored: Any) -> Any:
    """The value that `_plain` was given, with arrays as `_content` writes them."""
    if isinstance(stored, list):
        return [_value(one) for one in stored]
    if not isinstance(stored, dict):
        return stored
    ((kind, content),) = stored.items()
    match kind:
        case "array":
            dtype, shape, text = content
            return np.frombuffer(b64decode(text), dtype).reshape(shape).copy()
        case "tuple":
            return tuple(_value(content))
        case "mapping":
            return {key: _value(one) for key, one in content}
        case "table":
            return pd.DataFrame({name: pd.Series(own, dtype=dtype) for name, dtype, own in content})
    return CLASSES[kind](**{name: _value(one) for name, one in content.items()})


def _content(array: np.ndarray) -> list[Any]:
    if array.dtype.hasobject:
        raise TypeError("an array of objects cannot be stored")
    return [array.dtype.str, array.shape, b64encode(array.tobytes()).decode()]


def _digest(array: np.ndarray) -> str:
    content = array.tobytes()
    if array.dtype.hasobject:
        content = json.dumps(array.tolist(), default=repr).encode()
    return hashlib.sha256(f"{array.dtype} {array.shape} ".encode() + content).hexdigest()


def write_findings(findings: Sequence[Finding], path: Path) -> None:
    """Write what a job found, to a temporary name first.

    Raises an `OSError` where it cannot be written, and a `TypeError` where it holds something else
    than `CLASSES`, numbers and texts.
    """
    content = json.dumps(_plain(list(findings), _content)).encode()
    with unfinished(path) as own:
        own.write_bytes(hashlib.sha256(content).hexdigest().encode() + content)


def read_findings(path: Path) -> list[Finding] | None:
    """What a job found; None where there is no file, or a damaged one."""
    try:
        whole = path.read_bytes()
    except OSError:
        return None
    digest, content = whole[:DIGEST], whole[DIGEST:]
    if hashlib.sha256(content).hexdigest().encode() != digest:
        return None
    findings: list[Finding] = _value(json.loads(content))
    return findings


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


def digest_of(*values: Any) -> str:
    """What tells values from others, 64 digits."""
    text = json.dumps(_plain(list(values), _digest), default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def key_of(study: Study, settings: Settings, stan: StanModels) -> str:
    """The key of a run: of its input as read, its settings and the code that runs."""
    read = replace(study, files=StudyFiles())  # other names of the same content are no other study
    return digest_of(read, settings, versions(stan), source_digest())


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
    key: str  # of the run (`key_of`); empty where none of its jobs samples
    say: Callable[[str], None]  # told what is kept, and what is not used

    def _path(self, folder: Path, job: Job) -> Path:
        own = hashlib.sha256(repr(job).encode()).hexdigest()
        return folder / f"{self.key[:DIGITS]}-{own[:DIGITS]}.job"

    def take_up(self, jobs: Sequence[Job]) -> dict[Job, list[Finding]]:
        """What the jobs that are finished already found.

        Files of another key's run are removed, which is said, and so are half-written ones.
        """
        if self.folder is None or not holds_jobs(self.folder):
            return {}
        own = f"{self.key[:DIGITS]}-"
        others = [one for one in self.folder.iterdir() if not one.name.startswith(own)]
        for one in others:
            one.unlink(missing_ok=True)
        if any(one.suffix == ".job" for one in others):
            self.say(
                f"Begun anew: {self.folder.parent} has finished models of a run that was stopped, "
                "with other input, options or code."
            )
        every = {job: read_findings(self._path(self.folder, job)) for job in jobs}
        found = {job: one for job, one in every.items() if one is not None}
        if found:
            self.say(
                f"Going on from a run that was stopped: {len(found)} of {len(jobs)} models are "
                f"kept and not sampled again ({', '.join(map(str, found))})."
            )
        return found

    def add(self, job: Job, findings: Sequence[Finding]) -> None:
        """Keep a job, unless it failed: it could end well another time."""
        if self.folder is None or any(one.problem for one in findings):
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_findings(findings, self._path(self.folder, job))
        except (OSError, TypeError) as error:  # the run goes on without
            self.say(f"{job}: it is not kept for another run: {error}")

    def tell(self) -> None:
        """Say what is kept, as a run is stopped."""
        kept = list(self.folder.glob(f"{self.key[:DIGITS]}-*")) if self.folder else []
        if self.folder and kept:
            self.say(
                f"Finished models kept in {self.folder.parent}: {len(kept)}. The same command "
                "goes on from there."
            )


def discard(folder: Path | None) -> None:
    """Remove finished jobs that no run needs, and the folder that was made for them alone."""
    if folder is not None and holds_jobs(folder):
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            folder.parent.rmdir()
