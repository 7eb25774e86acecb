"""A temporary folder goes with the process that made it; the next run removes a killed one's."""

import os
import signal
import subprocess
import sys
import tempfile

import pytest

from crowdgold.system import toolchain as assembling
from crowdgold.system.temporary import remove_abandoned, scratch_folder
from crowdgold.system.toolchain import ToolchainError

HOLDING = """
import sys, time
from crowdgold.system.temporary import scratch_folder
with scratch_folder("stan", sys.argv[1]) as folder:
    (folder / "draws.csv").write_text("1")
    print(folder, flush=True)
    time.sleep(60)
"""


def holding(folder):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(folder)], stdout=subprocess.PIPE, text=True
    )
    return process, process.stdout.readline().strip()


def test_a_folder_is_removed_once_its_process_is_gone(tmp_path, monkeypatch):
    """And not before; nor one that has no lock, which an older version or another program made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "crowdgold-stan-other").mkdir()
    (tmp_path / "mine").mkdir()
    process, folder = holding(tmp_path)
    try:
        assert remove_abandoned() == []
        assert os.listdir(folder)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert os.listdir(folder), "a killed process clears up nothing itself"
    with scratch_folder("stan", str(tmp_path)) as own:
        assert [str(one) for one in remove_abandoned()] == [folder]
        assert own.is_dir()
    assert sorted(os.listdir(tmp_path)) == ["crowdgold-stan-other", "mine"]


def test_half_of_an_assembled_home_is_removed_by_the_next_that_builds(tmp_path, monkeypatch):
    """The one that left it held the lock, and so does the next."""
    left = tmp_path / ".home-assembling-abc123"
    (tmp_path / ".home-of-mine").mkdir()
    (left / "home/include").mkdir(parents=True)
    (tmp_path / ".home.lock").write_text("")

    def fail(folder):
        assert not left.exists()
        raise ToolchainError("no network")

    monkeypatch.setattr(assembling, "download", fail)
    said = []
    with pytest.raises(ToolchainError, match="no network"):
        assembling.build(tmp_path / "home", said.append)
    assert said[0] == f"crowdgold: removing {left}, which was not finished"
    assert set(os.listdir(tmp_path)) == {".home.lock", ".home-of-mine"}
