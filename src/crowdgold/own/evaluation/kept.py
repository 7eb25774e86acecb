"""Finished jobs of a run that was stopped, kept until a run of the same key ends well.

The folder `.unfinished` in the folder of the evaluation has a file for each job that samples; what
samples nothing is there again at once. Another key begins anew.
"""

import hashlib
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from crowdgold.own.evaluation.fitting import Found
from crowdgold.own.evaluation.jobs import Job
from crowdgold.own.evaluation.stored import read_found, write_found

UNFINISHED = ".unfinished"
DIGITS = 32
"""Of a key, and of a job's, in the name of a file."""
_NAME = re.compile(r"\.?[0-9a-f]{32}-[0-9a-f]{32}\.job(\.[0-9a-f]{12}\.partial)?")


def holds_jobs(folder: Path) -> bool:
    """Whether a folder is one of finished jobs, and holds nothing else."""
    if folder.name != UNFINISHED or folder.is_symlink() or not folder.is_dir():
        return False
    return all(_NAME.fullmatch(one.name) and one.is_file() for one in folder.iterdir())


@dataclass(frozen=True)
class KeptJobs:
    """The finished jobs of a run.

    Attributes:
        folder: holds them; None where nothing is kept.
        key: of the run (`run_key`); empty where none of its jobs samples.
        say: told what is kept, and what is not used.
    """

    folder: Path | None
    key: str
    say: Callable[[str], None]

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
                count = len(list(self.folder.glob(f"{self.key[:DIGITS]}-*"))) if self.folder else 0
                if self.folder and count:
                    self.say(
                        f"Finished models kept in {self.folder.parent}: {count}. The same command "
                        "goes on from there."
                    )
            raise


def discard(folder: Path | None) -> None:
    """Remove finished jobs that no run needs, and the folder that was made for them alone."""
    if folder is not None and holds_jobs(folder):
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            folder.parent.rmdir()
