"""Runs through a real Slurm of one node: tables are those of a local run, whatever befalls it."""

import importlib.util
import signal
import subprocess
import time

import pytest

from .slurm_node import missing_programs, slurm_node

TABLE = "results/tables/tiny.parquet"
AWAY = 5
"""Seconds that the controller stays away after a check began whose every query fails."""
# Without a lock, as `make`: a run that was killed leaves Snakemake's own.
OPTIONS = [
    "--workflow-profile=profiles/slurm", "--nolock", "--slurm-status-command=squeue",
    "--slurm-init-seconds-before-status-checks=2", "--seconds-between-status-checks=2",
]  # fmt: skip

pytestmark = [
    pytest.mark.slurm,
    pytest.mark.skipif(bool(missing_programs()), reason="Slurm is not installed here"),
    pytest.mark.skipif(
        importlib.util.find_spec("snakemake_executor_plugin_slurm") is None,
        reason="Snakemake's plugin for Slurm is not installed here (make slurm)",
    ),
]


class Run:
    """A run of the workflow through a node, beside the test."""

    def __init__(self, checkout, node):
        self.node, self.log = node, checkout.folder / "run.log"
        with self.log.open("wb") as log:
            own = {**checkout.environment, **node.environment}
            self.process = subprocess.Popen(
                checkout.command(*OPTIONS), cwd=checkout.folder, env=own, stdout=log, stderr=log
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def wait_for_job(self, but=()):
        """Wait until a job runs; gives its number."""
        self.node.wait(lambda: set(self.node.jobs("R")) - set(but), "a running job")
        return min(set(self.node.jobs("R")) - set(but))

    def kill(self):
        """Kill Snakemake itself, as by the login node's going down; its jobs live on."""
        self.process.kill()
        assert self.process.wait() == -signal.SIGKILL

    def finish(self):
        """Wait for the run's end; it must be a good one."""
        code = self.process.wait(timeout=900)
        assert code == 0, self.log.read_text()
        return self.log.read_text()


def equal_tables(one, other):
    """Hold what the runs of two checkouts made against each other, byte for byte."""
    assert (one.folder / TABLE).read_bytes() == (other.folder / TABLE).read_bytes()


def test_snakemake_is_killed_and_started_again_while_its_jobs_live_on(finished, checkout):
    """A job of the first run is held until one of the second, which makes the same block, runs."""
    with slurm_node(cpus=2) as node:
        with Run(checkout, node) as first:
            left = first.wait_for_job()
            node.command("scontrol", "suspend", left)
            first.kill()
        before = set(node.jobs())
        with Run(checkout, node) as second:
            second.wait_for_job(but=before)
            node.command("scontrol", "resume", left)
            second.finish()
        node.wait(lambda: not node.jobs("R,PD,CG"), "the end of the first run's jobs")
        assert {node.jobs()[job] for job in before} == {"COMPLETED"}
    equal_tables(checkout, finished)
    checkout.run("--nolock")
    equal_tables(checkout, finished)


def test_a_run_survives_what_happens_on_a_cluster(finished, checkout):
    """A job is cancelled, the node drained and resumed, the controller started again, all of it
    while jobs run: the run starts again what was lost, and its table is that of a local run."""
    with slurm_node(cpus=2) as node, Run(checkout, node) as run:
        cancelled = run.wait_for_job()
        node.command("scancel", cancelled)
        node.wait(lambda: node.jobs().get(cancelled) == "CANCELLED", "the job's end")

        run.wait_for_job(but=[cancelled])
        name = f"NodeName={node.host}"
        node.command("scontrol", "update", name, "State=DRAIN", "Reason=test")
        node.wait(lambda: node.state() == "drained", "a drained node")
        assert not node.jobs("R")
        node.command("scontrol", "update", name, "State=RESUME")

        run.wait_for_job()
        node.stop("slurmctld")
        # With the plugin's own line a check begins whose every query fails, within a second.
        node.wait(lambda: "Falling back to 'sacct'" in run.log.read_text(), "a failing check")
        time.sleep(AWAY)
        assert run.process.poll() is None
        node.start("slurmctld")
        said = run.finish()
        assert len(node.jobs()) > 6  # those of the run, and the cancelled one anew
    assert "Trying to restart job" in said
    assert "Slurm does not answer" in said
    equal_tables(checkout, finished)
