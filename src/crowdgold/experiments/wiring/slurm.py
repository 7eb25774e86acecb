"""Snakemake's plugin for Slurm, mended for a run: it keeps its jobs while Slurm does not answer.

Where every query of a check fails, the plugin (2.8.0) neither keeps nor reports the jobs that it
asked about, and the run waits for ever. It has no setting for that, so its query is replaced when a
run begins.
"""

from collections.abc import Awaitable, Callable
from logging import Logger
from types import ModuleType
from typing import Any

PLUGIN = "snakemake_executor_plugin_slurm"

Query = Callable[[str, Logger], Awaitable[tuple[dict[str, str] | None, float | None]]]


def _always_answered(query: Query) -> Query:
    """Query whose failure is an answer that names no job: the plugin keeps what is not named."""

    async def ask(command: str, logger: Logger) -> tuple[dict[str, str], float]:
        states, seconds = await query(command, logger)
        if states is not None and seconds is not None:
            return states, seconds
        logger.warning(
            f"Slurm does not answer ({command.split()[0]}): submitted jobs go on, and are asked "
            "for again. If it never answers: docs/cluster.md, Without accounting"
        )
        return {}, 0.0

    return ask


def mend(plugin: ModuleType, logger: Logger) -> None:
    """Nothing; replaces the plugin's query in this process.

    A plugin without it stays as it is, and a warning says so.
    """
    if not hasattr(plugin, "query_job_status"):
        logger.warning(
            "Snakemake's plugin for Slurm is not one that is known here: a controller that is away "
            "for seconds can hang the run. `make slurm` installs the known one"
        )
        return
    changed: Any = plugin
    changed.query_job_status = _always_answered(changed.query_job_status)
