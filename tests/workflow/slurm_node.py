"""A real Slurm of one node, for tests: munged, slurmctld and slurmd in a folder of their own.

It takes nothing from the system's configuration and leaves nothing behind; it needs Debian's
packages `munge` and `slurm-wlm` (or their programs), and runs as root or as any user.

    python tests/workflow/slurm_node.py make smoke PROFILE=slurm

runs a command with SLURM_CONF set to a node that lives as long as the command.
"""

import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol", "scancel")
PATIENCE = 240  # Seconds that a daemon has to answer, or a job to end, also on a busy machine

CONFIGURATION = """\
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
# Neither control groups nor a database of accounts.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
MinJobAge=86400
KillWait=2
SlurmctldTimeout=10
SlurmdTimeout=30
# Hands out the memory that is said here, whatever the machine has.
SlurmdParameters=config_overrides
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing_programs() -> list[str]:
    """The programs that are not installed."""
    return [name for name in PROGRAMS if _program(name) is None]


def _program(name: str) -> str | None:
    """Find a program; daemons are not on everybody's path."""
    places = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
    return shutil.which(name, path=places)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class SlurmNode:
    """A running node: its folder, its environment, and what an administrator does to it."""

    def __init__(self, folder: Path, cpus: int, memory_mb: int) -> None:
        self.folder = folder
        self.host = socket.gethostname().split(".")[0]
        # Snakemake's plugin takes SLURM_CONF away from the srun of a job: a site has it in /etc.
        (folder / "bin").mkdir()
        (folder / "bin/srun").write_text(
            f'#!/bin/sh\nSLURM_CONF={folder}/slurm.conf exec {_program("srun")} "$@"\n'
        )
        (folder / "bin/srun").chmod(0o755)
        self.environment = os.environ | {
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PATH": f"{folder}/bin{os.pathsep}{os.environ.get('PATH', '')}",
        }
        self.daemons: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("state", "spool"):
            (folder / name).mkdir()
        text = CONFIGURATION.format(
            host=self.host, user=getpass.getuser(), folder=folder, cpus=cpus, memory=memory_mb,
            controller_port=_free_port(), node_port=_free_port(),
        )  # fmt: skip
        (folder / "slurm.conf").write_text(text)
        (folder / "munge.key").write_bytes(secrets.token_bytes(128))
        (folder / "munge.key").chmod(0o600)

    def start(self, name: str) -> None:
        """Start a daemon in the foreground."""
        program = _program(name)
        assert program, name
        files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log",
                 "seed-file": "seed"}  # fmt: skip
        options = {
            "munged": [
                "--foreground", "--force",
                *(f"--{key}={self.folder}/munge.{ending}" for key, ending in files.items()),
            ],
            "slurmctld": ["-D"],
            "slurmd": ["-D", "-N", self.host],
        }[name]  # fmt: skip
        with (self.folder / f"{name}.out").open("ab") as out:
            self.daemons[name] = subprocess.Popen(
                [program, *options], env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                stderr=out, start_new_session=True,
            )  # fmt: skip

    def stop(self, name: str) -> None:
        """Stop a daemon, by force where it does not listen."""
        daemon = self.daemons.pop(name)
        daemon.send_signal(signal.SIGTERM)
        try:
            daemon.wait(10)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()

    def end(self) -> None:
        """Cancel what runs, and stop the daemons, the last started first."""
        with suppress(RuntimeError, TimeoutError):
            self.command("scancel", f"--user={getpass.getuser()}")
            self.wait(lambda: not self.jobs("R,CG"), "the end of all jobs", 20)
        for name in reversed(list(self.daemons)):
            self.stop(name)

    def command(self, *arguments: str) -> str:
        """Run one of Slurm's commands and give what it prints."""
        done = subprocess.run(
            arguments, env=self.environment, capture_output=True, text=True, check=False, timeout=60
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.strip()}\n{self.story()}")
        return done.stdout.strip()

    def state(self) -> str:
        """The node's state, such as IDLE or DRAINED; empty where nobody answers."""
        try:
            return self.command("sinfo", "--noheader", "--format=%T")
        except RuntimeError:
            return ""

    def jobs(self, states: str = "all") -> dict[str, str]:
        """The state of each job by its number."""
        listed = self.command("squeue", "--noheader", f"--states={states}", "--format=%i %T")
        return dict(line.split() for line in listed.splitlines())

    def wait(self, condition: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
        """Wait until something holds; fails with the daemons' logs where it does not."""
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                raise TimeoutError(f"not within {seconds:.0f} s: {what}\n{self.story()}")
            time.sleep(0.1)

    def story(self) -> str:
        """The end of each daemon's log."""
        logs = sorted((*self.folder.glob("*.log"), *self.folder.glob("*.out")))
        return "\n".join(f"{p.name}: {p.read_text(errors='replace')[-1000:]}" for p in logs)


@contextmanager
def slurm_node(cpus: int | None = None, memory_mb: int = 16_000) -> Iterator[SlurmNode]:
    """Run a Slurm of one node for as long as the block.

    It hands out `cpus`, the machine's by default, and a memory that it does not look for;
    RuntimeError where a program is missing, TimeoutError where a daemon does not answer.
    """
    if missing := missing_programs():
        raise RuntimeError(f"not installed: {', '.join(missing)} (Debian: munge, slurm-wlm)")
    with ExitStack() as stack:
        # munge refuses a socket below a folder that others may write to without the sticky bit.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="slurm-")))
        node = SlurmNode(folder, cpus or os.cpu_count() or 1, memory_mb)
        stack.callback(node.end)
        node.start("munged")
        node.wait((folder / "munge.socket").exists, "munged's socket")
        node.start("slurmctld")
        node.start("slurmd")
        node.wait(lambda: node.state() == "idle", "an idle node")
        yield node


def main(command: list[str]) -> int:
    """Run a command beside a node; gives its exit code."""
    if not command or command[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if command else 2
    # So that the daemons end with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        with slurm_node() as node:
            return subprocess.run(command, env=node.environment, check=False).returncode
    except (RuntimeError, TimeoutError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
