"""Systems other than Linux: a line says what is supported, and nothing of Python's is shown."""

import subprocess
import sys

import pytest

from crowdgold.cli import main

COUNTS = ["correct-rate", "645/1000", "--positives", "180/200", "--negatives", "190/200"]
ON_WINDOWS = """
import signal, sys
sys.platform = "win32"
sys.modules["fcntl"] = None  # as where there is no such module
del signal.SIGHUP
from crowdgold.cli import main
sys.exit(main(["check", "votes.csv"]))
"""


@pytest.mark.parametrize(("system", "name"), [("darwin", "macOS"), ("freebsd14", "freebsd14")])
def test_another_unix_is_told_what_may_not_work(monkeypatch, capsys, system, name):
    said = {}
    for one in ("linux", system):
        monkeypatch.setattr("sys.platform", one)
        assert main(COUNTS) == 0
        said[one] = capsys.readouterr()
    linux, other = said["linux"], said[system]
    assert "Linux" not in linux.err
    assert other.out == linux.out
    (line,) = other.err.removesuffix(linux.err).splitlines()
    assert line.startswith(f"Note: crowdgold is tested on Linux; on {name} it may work")
    assert "$CMDSTAN" in line


def test_windows_is_refused_in_one_line_before_anything_is_loaded():
    """In a process of its own, without the modules and signals that Windows has not."""
    ended = subprocess.run(
        [sys.executable, "-c", ON_WINDOWS], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("Error: crowdgold runs on Linux")
    assert "use WSL" in line
