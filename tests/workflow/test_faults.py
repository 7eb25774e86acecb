"""Faults of the machine and of files: each is noticed, named, and mended by a rerun."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import threading
from contextlib import contextmanager

import pandas as pd
import pytest

from crowdgold.evaluation.folder import write_folder
from crowdgold.models.stan import StanModels
from crowdgold.system.toolchain import ToolchainError, compiled_model
from crowdgold.types.errors import InputError

from .conftest import ROOT, ended, run

pytestmark = pytest.mark.faults

LAST = [f"results/figures/tiny.{ending}" for ending in ("csv", "svg", "pdf", "png")]
"""What the last job of a run makes."""


def contents(checkout):
    return [(checkout.folder / path).read_bytes() for path in LAST]


def take_away(checkout):
    """Remove what the last job made; gives what it was."""
    before = contents(checkout)
    for path in LAST:
        (checkout.folder / path).unlink()
    return before


# ------------------------------------------------------------- compiled models


def place_model(folder, content=b"#!/bin/sh\necho compiled\n"):
    """A stand-in for a compiled model, with its record."""
    folder.mkdir(parents=True, exist_ok=True)
    executable = folder / "vote"
    executable.write_bytes(content)
    executable.chmod(0o755)
    digest = hashlib.sha256(content).hexdigest()
    (folder / "vote.json").write_text(json.dumps({"executable_sha256": digest}))
    return executable


def flip_a_bit(executable):
    content = bytearray(executable.read_bytes())
    content[12] ^= 1
    executable.write_bytes(content)


def halve_the_record(executable):
    record = executable.with_suffix(".json")
    record.write_text(record.read_text()[:20])


HARM = {
    "truncated": lambda executable: executable.write_bytes(executable.read_bytes()[:10]),
    "a bit flipped": flip_a_bit,
    "empty": lambda executable: executable.write_bytes(b""),
    "without its record": lambda executable: executable.with_suffix(".json").unlink(),
    "half of its record": halve_the_record,
}


@pytest.fixture
def compiling(monkeypatch):
    """The models that were compiled, where that only places one."""
    compiled = []

    def compile_again(stan_file, target, chosen, log):
        compiled.append(target)
        place_model(target.parent)

    monkeypatch.setattr("crowdgold.system.toolchain.compile_model", compile_again)
    return compiled


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_a_damaged_model_is_named_removed_and_never_run(tmp_path, toolchain, harm):
    executable = place_model(tmp_path / "results/stan")
    models = StanModels(executable.parent, toolchain)
    assert models.executable("vote") == executable
    harm(executable)
    with pytest.raises(ToolchainError, match=r"results/stan/vote is damaged: .*run again") as said:
        StanModels(executable.parent, toolchain).load("vote")
    assert "it is compiled anew" in str(said.value)
    assert not executable.exists(), "a rerun compiles what is missing"


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_a_damaged_model_in_the_cache_is_compiled_anew(tmp_path, toolchain, compiling, harm):
    executable, said = place_model(tmp_path / "cache"), []
    asked = (ROOT / "stan/vote.stan", executable, toolchain, said.append)
    assert compiled_model(*asked) == executable
    assert compiling == []
    harm(executable)
    compiled_model(*asked)
    assert compiling == [executable]
    assert any(f"{executable} is damaged" in line for line in said)
    compiled_model(*asked)
    assert len(compiling) == 1


def test_of_two_that_want_a_model_one_compiles(tmp_path, toolchain, monkeypatch):
    compiled, begun = [], threading.Event()

    def compile_slowly(stan_file, target, chosen, log):
        compiled.append(target)
        begun.wait(5)
        place_model(target.parent)

    monkeypatch.setattr("crowdgold.system.toolchain.compile_model", compile_slowly)
    asked = (ROOT / "stan/vote.stan", tmp_path / "vote", toolchain, lambda line: begun.set())
    both = [threading.Thread(target=compiled_model, args=asked) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert len(compiled) == 1


# -------------------------------------------------------------- disks, and who may write


def mounted(*arguments):
    return os.geteuid() == 0 and ended("mount", *arguments).returncode == 0


@contextmanager
def disk_of(size, folder):
    """A small disk at a folder; only root can mount one."""
    folder.mkdir()
    if not mounted("-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder):
        pytest.skip("only root can mount a small disk, and only where that is allowed")
    try:
        yield folder
    finally:
        run("umount", "--lazy", folder)


def fill(folder):
    """Take all room of a disk; gives the file that takes it."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (2**20, 2**12, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue
    return filler


def test_a_full_disk_is_named_and_a_rerun_mends_it(finished):
    """The results of a finished run stand on a disk of 64 MB."""
    results, kept = finished.folder / "results", finished.folder / "kept"
    results.rename(kept)
    with disk_of("64m", results):
        shutil.copytree(kept, results, dirs_exist_ok=True)
        before = take_away(finished)
        filler = fill(results)
        said = finished.run(check=False)
        assert "No space left on device" in said
        assert "Traceback" not in said
        assert not any((finished.folder / path).exists() for path in LAST), "half a result"
        filler.unlink()
        finished.run("--nolock")
        assert contents(finished) == before


def test_an_evaluation_that_finds_no_room_leaves_nothing(tmp_path):
    rows = pd.DataFrame({"item": [f"item {k}" for k in range(20_000)], "estimate": 0.5})
    with disk_of("100k", tmp_path / "disk") as disk:
        with pytest.raises(InputError, match=r"disk/mine cannot be written: No space left"):
            write_folder({"estimates": rows.head(3), "items": rows}, {}, {}, disk / "mine")
        assert list(disk.iterdir()) == []
        few = {"estimates": rows.head(3), "items": rows.head(9)}
        write_folder(few, {}, {}, disk / "mine")
        assert len(pd.read_csv(disk / "mine/items.csv")) == 9


def test_a_folder_that_cannot_be_written_is_named(checkout):
    """Root may write everywhere but on a disk that is mounted read-only."""
    results = checkout.folder / "results"
    results.mkdir()
    if os.geteuid() != 0:
        results.chmod(0o555)
    elif not mounted("--bind", results, results):
        pytest.skip("root may write everywhere, and nothing can be mounted here")
    else:
        assert mounted("-o", "remount,bind,ro", results)
    try:
        said = checkout.run(check=False)
    finally:
        if os.geteuid() == 0:
            run("umount", "--lazy", results)
        else:
            results.chmod(0o755)
    assert "cannot be written" in said
    assert "Mend it and run again" in said
    assert "Traceback" not in said


# ------------------------------------------------------------------ two workflows


def test_two_runs_in_one_folder_are_refused(checkout):
    """Whoever started the first, by make or by Snakemake itself."""
    results = checkout.folder / "results"
    results.mkdir()
    with (results / ".running").open("w") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        said = checkout.run("--nolock", check=False)
        assert "another run is at work in this folder; wait for its end" in said
        assert "Traceback" not in said
        assert [path.name for path in results.iterdir()] == [".running"]


def test_two_runs_in_two_folders_do_not_interfere(finished_once, tmp_path):
    both = [finished_once.copy(tmp_path / name) for name in ("one", "two")]
    before = [take_away(one) for one in both]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [
        subprocess.Popen(one.command(), cwd=one.folder, env=one.environment, **silent)
        for one in both
    ]
    assert [process.wait(timeout=400) for process in started] == [0, 0]
    assert [contents(one) for one in both] == before


def test_every_test_that_the_page_on_reliability_names_is_there():
    page = (ROOT / "docs/reliability.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page)
    assert len(named) > 15
    for file, test in named:
        text = (ROOT / file).read_text()
        assert not test or f"\ndef {test}(" in text, (file, test)
