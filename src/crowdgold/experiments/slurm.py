"""Snakemake's plugin for Slurm, mended for a run: it loses no job while Slurm does not answer.

Where every query of a check fails, the plugin (2.8.0) neither keeps nor reports the jobs that it
asked about, and the run waits for ever. Its parts are replaced when a run begins, since it has no
setting for any of it.
"""

import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from logging import Logger
from types import ModuleType
from typing import Any

PLUGIN = "snakemake_executor_plugin_slurm"
LOST_AFTER = 600.0
"""Seconds of answers without a job, until it counts as lost; sacct learns late of some."""
PAUSE = 5.0
"""Seconds between two looks for the controller."""
GUIDE = "docs/cluster.md"

States = dict[str, str]
Query = Callable[[str, Logger], Awaitable[tuple[States | None, float | None]]]

RAISE = {
    "OUT_OF_MEMORY": ("mem_mb", "MB of memory"),
    "TIMEOUT": ("runtime", "minutes"),
}
"""State of a failed job -> the resource that it had too little of, and its unit."""


class Answers:
    """What Slurm said last of a run's jobs, and since when it has not named one."""

    def __init__(self) -> None:
        self.states: States | None = None
        self.unnamed: dict[str, float] = {}

    def state(self, job: str | None) -> str:
        """State of a job or of a task of an array ("7_2"); empty where it is not known."""
        return (self.states or {}).get(job or "", "")

    def is_lost(self, job: str) -> bool:
        """Whether answers have not named the job for long; a failed query tells nothing."""
        array = job.partition("_")[0]
        if self.states is None or any(
            name in (job, array) or name.startswith(f"{array}_[") for name in self.states
        ):
            self.unnamed.pop(job, None)
            return False
        now = time.monotonic()
        return now - self.unnamed.setdefault(job, now) >= LOST_AFTER


def _always_answered(query: Query, answers: Answers) -> Query:
    """Query whose failure is an answer that names no job: the plugin keeps what is not named."""

    async def ask(command: str, logger: Logger) -> tuple[States | None, float | None]:
        # The raw number of an array's task is not the "7_2" that the plugin looks for.
        answers.states, seconds = await query(command.replace("JobIdRaw", "JobId"), logger)
        if answers.states is not None:
            return answers.states, seconds
        logger.warning(
            f"Slurm does not answer ({command.split()[0]}): submitted jobs go on, and are asked "
            f"for again. If it never answers: {GUIDE}, Without accounting"
        )
        return {}, 0.0

    return ask


def _reporting_lost_jobs(check: Callable[..., AsyncIterator[Any]], answers: Answers) -> Any:
    """Check that reports a lost job as failed, so that it is started again."""

    async def check_and_report(self: Any, jobs: list[Any]) -> AsyncIterator[Any]:
        async for job in check(self, jobs):
            if answers.is_lost(job.external_jobid):
                message = f"SLURM-job '{job.external_jobid}' is not known to Slurm any more. "
                self.report_job_error(job, msg=message)
            else:
                yield job

    return check_and_report


def _controller_is_down() -> bool:
    """Whether Slurm says that no controller answers."""
    try:
        said = subprocess.run(["scontrol", "ping"], capture_output=True, text=True, check=False)
    except OSError:  # sbatch will tell; an error here would be lost with its thread
        return False
    return " is DOWN" in said.stdout and " is UP" not in said.stdout


def _when_slurm_answers(submit: Callable[..., None]) -> Callable[..., None]:
    """Submission that waits for the controller: its failures would use up a job's few retries."""

    def wait_and_submit(self: Any, what: Any) -> None:
        if _controller_is_down():
            self.logger.warning("Slurm's controller does not answer: jobs wait to be submitted")
            while _controller_is_down():
                time.sleep(PAUSE)
        submit(self, what)

    return wait_and_submit


def _advice(state: str, job: Any) -> str:
    """What to raise where a job got too little of something; empty for other failures."""
    resource, unit = RAISE.get(state, ("", ""))
    asked = job.resources.get(resource) if resource else None
    if not isinstance(asked, int):
        return ""
    return (
        f"It asked for {asked} {unit}. If it fails for good: more in profiles/slurm/config.yaml, "
        f"set-resources: {job.name}: {{{resource}: {2 * asked}}}. "
    )


def _with_advice(report: Callable[..., None], answers: Answers) -> Callable[..., None]:
    """Report of a failed job that says what to raise."""

    def report_and_advise(self: Any, job: Any, msg: str | None = None, **details: Any) -> None:
        advice = _advice(answers.state(job.external_jobid), job.job)
        report(self, job, msg=f"{msg or ''} {advice}".strip() + " ", **details)

    return report_and_advise


def mend(plugin: ModuleType, logger: Logger) -> None:
    """Nothing; replaces the plugin's parts in this process.

    A plugin without those parts stays as it is, and a warning says so.
    """
    executor, answers = getattr(plugin, "Executor", None), Answers()
    submissions = ("run_job", "run_array_jobs")
    parts = ("check_active_jobs", "report_job_error", *submissions)
    if not (hasattr(plugin, "query_job_status") and all(hasattr(executor, p) for p in parts)):
        logger.warning(
            "Snakemake's plugin for Slurm is not one that is known here: a controller that is away "
            "for seconds can hang the run. `make slurm` installs the known one"
        )
        return
    changed: Any = plugin
    changed.query_job_status = _always_answered(changed.query_job_status, answers)
    changed = executor
    changed.check_active_jobs = _reporting_lost_jobs(changed.check_active_jobs, answers)
    changed.report_job_error = _with_advice(changed.report_job_error, answers)
    for name in submissions:
        setattr(changed, name, _when_slurm_answers(getattr(changed, name)))
