"""SIGTERM, as of `scancel` or of a job beyond its time, while Stan samples."""

import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from crowdgold.experiment.logs import job_log

pytestmark = pytest.mark.faults

SAMPLING = """
import sys
from contextlib import nullcontext
from pathlib import Path
from crowdgold.experiment.logs import job_log
from crowdgold.models.stan import SamplerSettings, StanModels

models, record, log = map(Path, sys.argv[1:4])
data = {"J": 2, "y": [28, 8], "sigma": [15, 10]}
with job_log(log) if sys.argv[4] == "a job" else nullcontext():
    stan = StanModels.compiled(models, record)
    stan.sample("eight_schools", data, 3, ["mu"], SamplerSettings(4, 1000, 10_000_000))
"""


class Sampling:
    """A program that samples four chains, one after the other, in a temporary folder of its own."""

    def __init__(self, folder, toolchain, executable, kind):
        self.temporary, self.log = folder / "temporary", folder / "job.log"
        self.temporary.mkdir()
        (folder / "toolchain.json").write_text(toolchain.to_json())
        paths = [executable.parent, folder / "toolchain.json", self.log]
        self.process = subprocess.Popen(
            [sys.executable, "-c", SAMPLING, *map(str, paths), kind],
            env={**os.environ, "TMPDIR": str(self.temporary)},
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def chains(self):
        """Stan's processes that write to the temporary folder."""
        return [
            process
            for process in psutil.process_iter(["cmdline"])
            if f"file={self.temporary}" in " ".join(process.info["cmdline"] or [])
        ]

    def wait_for_draws(self):
        while not (self.chains() and any(f.stat().st_size for f in self.temporary.rglob("*.part"))):
            assert self.process.poll() is None, self.process.stderr.read()
            time.sleep(0.05)


@pytest.fixture
def sampling(tmp_path, toolchain, compiled):
    started = []

    def start(kind):
        started.append(Sampling(tmp_path, toolchain, compiled("eight_schools"), kind))
        started[-1].wait_for_draws()
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate()
        for chain in one.chains():
            chain.kill()


def insist(pid, number):
    """Send a signal to all of a job, and to its program again and again."""
    os.killpg(pid, number)
    for _ in range(50):
        time.sleep(0.005)
        os.kill(pid, number)


@pytest.mark.parametrize(
    "send",
    [os.kill, os.killpg, insist],
    ids=["to the program", "to all of the job", "again and again"],
)
def test_a_terminated_job_leaves_no_draws_and_no_process(sampling, send):
    job = sampling("a job")
    send(job.process.pid, signal.SIGTERM)
    said = job.process.communicate(timeout=60)[1]
    assert job.process.returncode == 143
    assert said == f"Error: terminated (SIGTERM)\n  log: {job.log}\n"
    assert "terminated" in job.log.read_text()
    assert job.chains() == []
    assert list(job.temporary.iterdir()) == []


ANOTHER_TAKES_IT = """
import signal, sys, threading, time
from contextlib import nullcontext
from pathlib import Path
from crowdgold.experiment.logs import job_log

def take():
    time.sleep(0.5)  # by then the main thread waits
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
    time.sleep(10)
    Path(sys.argv[1]).with_suffix(".waited").touch()

if sys.argv[2] == "no job":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
with job_log(sys.argv[1]) if sys.argv[2] == "a job" else nullcontext():
    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    thread.join()
"""


@pytest.mark.parametrize(("kind", "waited"), [("a job", False), ("no job", True)])
def test_a_signal_that_another_thread_took_ends_a_job(tmp_path, kind, waited):
    """A thread that starts a process can take it; a handler alone then runs after the wait."""
    log = tmp_path / "job.log"
    command = [sys.executable, "-c", ANOTHER_TAKES_IT, str(log), kind]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 143, ended.stderr
    assert log.with_suffix(".waited").exists() == waited
    assert (f"log: {log}" in ended.stderr) != waited


def test_without_a_job_log_the_draws_would_stay(sampling):
    program = sampling("no job")
    program.process.terminate()
    program.process.communicate(timeout=60)
    assert program.process.returncode == -signal.SIGTERM
    assert len(list(program.temporary.glob("crowdgold-stan-*"))) == 1


def test_a_log_in_another_thread_leaves_signals_alone(tmp_path):
    """Python takes handlers in the main thread only."""
    before, found = signal.getsignal(signal.SIGTERM), []

    def run():
        with job_log(tmp_path / "job.log"):
            found.append(signal.getsignal(signal.SIGTERM))

    one, two = os.dup(1), os.dup(2)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        os.dup2(one, 1)
        os.dup2(two, 2)
    assert found == [before]
