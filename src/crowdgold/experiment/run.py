"""How a run begins: it takes the folder, clears what others left, and keeps its configuration.

On Slurm it also mends Snakemake's plugin. Where every query of a check fails, the plugin (2.8.0)
neither keeps nor reports the jobs that it asked about, and the run waits for ever. It has no
setting for that, so its query is replaced when a run begins.
"""

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from logging import Logger
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

from crowdgold.experiment import integrity
from crowdgold.experiment.registries import kernel_cache
from crowdgold.experiment.schema import METHOD_FILES
from crowdgold.methods import registry
from crowdgold.reading.outputs import write_text
from crowdgold.record.imports import package_root
from crowdgold.types.errors import InputError

PLUGIN = "snakemake_executor_plugin_slurm"
LOCK = Path("results/.running")
DAY = 24 * 3600
SHARED = [Path("results", name) for name in ("datasets", "embeddings", "stan")]
"""Folders that all scales share."""


def replace_query(plugin: ModuleType, logger: Logger) -> None:
    """Replace the plugin's query in this process by one whose failure is an answer without jobs.

    The plugin keeps what is not named. One without the query stays as it is, and a warning says so.
    """
    if not hasattr(plugin, "query_job_status"):
        logger.warning(
            "Snakemake's plugin for Slurm is not one that is known here: a controller that is away "
            "for seconds can hang the run. `make slurm` installs the known one"
        )
        return
    changed: Any = plugin
    query = changed.query_job_status

    async def ask(command: str, logger: Logger) -> tuple[dict[str, str], float]:
        states, seconds = await query(command, logger)
        if states is not None and seconds is not None:
            return states, seconds
        logger.warning(
            f"Slurm does not answer ({command.split()[0]}): submitted jobs go on, and are asked "
            "for again. If it never answers: docs/cluster.md, Without accounting"
        )
        return {}, 0.0

    changed.query_job_status = ask


def set_environment(config: Mapping[str, Any]) -> None:
    """Set what every job finds in its environment."""
    # Compiled kernels are shared between jobs, and live as long as the code they were made from.
    kernels = Path("results/.kernels").resolve() / kernel_cache()
    os.environ.setdefault("NUMBA_CACHE_DIR", str(kernels))
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    # Where a dataset comes from does not change it: an environment variable makes nothing run
    # again.
    if config.get("data_folder"):
        os.environ.update(CROWDGOLD_DATA=str(config["data_folder"]))
    # Jobs read this variable; this process has read the methods that there were before.
    if own_methods := [str(Path(path).resolve()) for path in config.get(METHOD_FILES, [])]:
        already = filter(None, [os.environ.get(registry.VARIABLE)])
        os.environ[registry.VARIABLE] = os.pathsep.join([*already, *own_methods])
        registry.register(*own_methods)
    # Jobs use the library that this process uses, also where it is not installed.
    library_path = [str(package_root().parent), os.environ.get("PYTHONPATH", "")]
    os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, library_path)))


class Run:
    """A run in this folder, which no other works in at the same time; `say` tells what is amiss."""

    def __init__(self, config: Mapping[str, Any], say: Callable[[str], object]) -> None:
        self.config, self._say = config, say
        self.results = Path(config["pathvars"]["results"])
        self._lock: Any = None  # the open file of the lock, which ends with the process

    def begin(self, local: bool = True) -> None:
        """Do what a run does before it looks which files are there; once.

        Jobs that are not `local` can outlive the run that submitted them: what they are writing is
        left. InputError where the folder is another run's, or cannot be written.
        """
        if self._lock is not None:
            return
        try:
            self._hold_folder()
            # What killed writers left, `.NAME.CODE.partial`, nothing reads.
            limit = time.time() - (0 if local else DAY)
            own = [self.results / name for name in (*integrity.FOLDERS, "evaluation")]
            for path in [path for one in [*own, *SHARED] for path in one.rglob(".*.partial")]:
                with suppress(OSError):
                    if path.stat().st_mtime <= limit:
                        remove = shutil.rmtree if path.is_dir() else Path.unlink
                        remove(path)
            # What is not as its job wrote it is named, and set aside, so that it is made again.
            start = time.monotonic()
            found = integrity.compare(self.results, self.config)
            for line in integrity.lines_on(found, time.monotonic() - start):
                self._say(line)
            integrity.take_away(found.damaged)
            if found.damaged:
                self._say(
                    "What is damaged was set aside as .NAME.damaged beside it; the run that it "
                    "belongs to makes it anew"
                )
            self.results.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"{error.filename} cannot be written: {error.strerror}; expected a folder with "
                "room, and that you may write to. Mend it and run again: what is finished is kept"
            ) from None
        # The configuration that the results were made with is kept beside them.
        text = yaml.safe_dump(dict(self.config), sort_keys=False, allow_unicode=True)
        write_text(text, self.results / "config.yaml")

    def _hold_folder(self) -> None:
        """Stop where another run is at work in this folder; the lock ends with this process.

        Snakemake's own lock has to be removed by hand after a run was killed; `make` goes without.
        """
        LOCK.parent.mkdir(exist_ok=True)
        self._lock = LOCK.open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError("another run is at work in this folder; wait for its end") from None
        except OSError as error:
            self._say(
                f"{LOCK}: no lock here ({error.strerror}): never start two runs in this folder"
            )
