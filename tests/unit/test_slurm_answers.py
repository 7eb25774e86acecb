"""What is mended in Snakemake's plugin for Slurm, on a stand-in for it.

The plugin itself, and a real Slurm, are in tests/workflow/test_slurm.py.
"""

import asyncio
import logging
from types import ModuleType, SimpleNamespace

import pytest

from crowdgold.experiments import slurm

RUNNING = {"7_1": "RUNNING", "7_[3-5%2]": "PENDING", "12": "TIMEOUT"}


class Executor:
    """As of the plugin, version 2.8.0: jobs that an answer does not name are asked for again."""

    def __init__(self):
        self.logger, self.asked, self.submitted, self.reported = logging.getLogger(), [], [], []

    async def check_active_jobs(self, jobs):
        command = "sacct -X --format=JobIdRaw,State --name run"
        states, _ = await self.plugin.query_job_status(command, self.logger)
        for job in jobs:
            if states is not None:
                yield job

    def report_job_error(self, job, msg=None, **details):
        self.reported.append((job.external_jobid, msg))

    def run_job(self, job):
        self.submitted.append(job)

    def run_array_jobs(self, jobs):
        self.submitted.extend(jobs)


@pytest.fixture
def plugin():
    """The mended stand-in; `answer` is what Slurm says."""
    made = ModuleType(slurm.PLUGIN)
    made.answer, made.commands = RUNNING, []

    async def query_job_status(command, logger):
        made.commands.append(command)
        return made.answer, None if made.answer is None else 0.1

    made.query_job_status = query_job_status
    made.Executor = type("Executor", (Executor,), {"plugin": made})
    slurm.mend(made, logging.getLogger())
    return made


def job(number, name="estimate", **resources):
    return SimpleNamespace(
        external_jobid=number, job=SimpleNamespace(name=name, resources=resources)
    )


def checked(executor, jobs):
    """The numbers of the jobs that are still to be asked for after a check."""

    async def check():
        return [one.external_jobid async for one in executor.check_active_jobs(jobs)]

    return asyncio.run(check())


def test_a_check_without_an_answer_keeps_every_job(plugin, caplog):
    plugin.answer = None
    assert checked(plugin.Executor(), [job("7_1"), job("8")]) == ["7_1", "8"]
    assert "does not answer (sacct)" in caplog.text


def test_the_task_of_an_array_is_asked_for_by_its_own_number(plugin):
    """sacct's JobIDRaw of the task 7_2 is a number of its own, such as 9."""
    checked(plugin.Executor(), [job("7_2")])
    assert plugin.commands == ["sacct -X --format=JobId,State --name run"]


def test_a_job_that_slurm_never_names_again_is_failed(plugin, monkeypatch):
    """Pending tasks of an array stand under one name, and a failed query tells nothing."""
    now = [0.0]
    monkeypatch.setattr(slurm.time, "monotonic", lambda: now[0])
    executor, jobs = plugin.Executor(), [job(name) for name in ("7_1", "7_4", "8", "9_1")]
    everything = [one.external_jobid for one in jobs]
    assert checked(executor, jobs) == everything
    now[0], plugin.answer = slurm.LOST_AFTER - 1, None
    assert checked(executor, jobs) == everything  # the clock begins anew
    plugin.answer = RUNNING
    assert checked(executor, jobs) == everything
    now[0] += slurm.LOST_AFTER - 1
    assert checked(executor, jobs) == everything
    now[0] += 2
    assert checked(executor, jobs) == ["7_1", "7_4"]
    assert [name for name, _ in executor.reported] == ["8", "9_1"]
    assert "not known to Slurm" in executor.reported[0][1]


def test_submissions_wait_for_the_controller(plugin, tmp_path, monkeypatch, caplog):
    """`scontrol ping` says DOWN twice, then that the second of two controllers is there."""
    program = tmp_path / "scontrol"
    program.write_text(
        f'#!/bin/sh\necho x >> {tmp_path}/asked\necho "Slurmctld(primary) at a is DOWN"\n'
        f'[ $(wc -l < {tmp_path}/asked) -lt 3 ] || echo "Slurmctld(backup) at b is UP"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(slurm, "PAUSE", 0)
    executor = plugin.Executor()
    executor.run_job("one")
    assert (tmp_path / "asked").read_text().count("x") == 3
    executor.run_array_jobs(["two", "three"])
    assert executor.submitted == ["one", "two", "three"]
    assert caplog.text.count("wait to be submitted") == 1


def test_without_scontrol_jobs_are_submitted_at_once(plugin, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    executor = plugin.Executor()
    executor.run_job("one")
    assert executor.submitted == ["one"]


@pytest.mark.parametrize(
    ("state", "advice"),
    [
        ("OUT_OF_MEMORY", "It asked for 2000 MB of memory."),
        ("TIMEOUT", "It asked for 60 minutes."),
        ("FAILED", ""),
    ],
)
def test_a_failed_job_says_what_to_raise(plugin, state, advice):
    plugin.answer = {"12": state}
    executor, failed = plugin.Executor(), job("12", mem_mb=2000, runtime=60)
    checked(executor, [failed])
    executor.report_job_error(failed, "SLURM-job '12' failed.")
    ((_, said),) = executor.reported
    assert said.startswith(f"SLURM-job '12' failed. {advice}")
    raised = {"OUT_OF_MEMORY": "{mem_mb: 4000}", "TIMEOUT": "{runtime: 120}"}.get(state)
    assert raised is None or f"set-resources: estimate: {raised}" in said


def test_a_job_that_was_never_submitted_is_reported_as_before(plugin):
    executor = plugin.Executor()
    executor.report_job_error(job(None), "no sbatch")
    assert executor.reported == [(None, "no sbatch ")]


def test_another_plugin_stays_as_it_is(caplog):
    other = ModuleType(slurm.PLUGIN)
    other.Executor = Executor
    before = dict(vars(Executor))
    slurm.mend(other, logging.getLogger())
    assert dict(vars(Executor)) == before
    assert "make slurm" in caplog.text
