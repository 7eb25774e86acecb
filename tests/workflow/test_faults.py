"""Faults of the machine and of files: each is noticed, named, and mended by a rerun."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import threading

import pandas as pd
import pytest

from crowdgold.evaluation.folder import write_folder
from crowdgold.models.stan import StanModels
from crowdgold.system.toolchain import ToolchainError, compiled_model
from crowdgold.types.errors import InputError

from .conftest import ROOT

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


def truncate(executable):
    executable.write_bytes(executable.read_bytes()[:10])


def flip_a_bit(executable):
    content = bytearray(executable.read_bytes())
    content[12] ^= 1
    executable.write_bytes(content)


def empty(executable):
    executable.write_bytes(b"")


def lose_the_record(executable):
    executable.with_suffix(".json").unlink()


def halve_the_record(executable):
    record = executable.with_suffix(".json")
    record.write_text(record.read_text()[:20])


HARM = [truncate, flip_a_bit, empty, lose_the_record, halve_the_record]


@pytest.mark.parametrize("harm", HARM)
def test_a_damaged_model_is_named_removed_and_never_run(tmp_path, toolchain, harm):
    executable = place_model(tmp_path / "results/stan")
    models = StanModels(executable.parent, toolchain)
    assert models.executable("vote") == executable
    harm(executable)
    with pytest.raises(ToolchainError, match=r"results/stan/vote is damaged: .*run again") as said:
        StanModels(executable.parent, toolchain).load("vote")
    assert "it is compiled anew" in str(said.value)
    assert not executable.exists(), "a rerun compiles what is missing"


@pytest.mark.parametrize("harm", HARM)
def test_a_damaged_model_in_the_cache_is_compiled_anew(tmp_path, toolchain, monkeypatch, harm):
    executable, said, compiled = place_model(tmp_path / "cache"), [], []

    def compile_again(stan_file, target, chosen, log):
        compiled.append(target)
        place_model(target.parent)

    monkeypatch.setattr("crowdgold.system.toolchain.compile_model", compile_again)
    asked = (ROOT / "stan/vote.stan", executable, toolchain, said.append)
    assert compiled_model(*asked) == executable
    assert compiled == []
    harm(executable)
    compiled_model(*asked)
    assert compiled == [executable]
    assert any(f"{executable} is damaged" in line for line in said)
    compiled_model(*asked)
    assert len(compiled) == 1


def test_of_two_that_want_a_model_one_compiles(tmp_path, toolchain, monkeypatch):
    compiled, begun = [], threading.Event()

    def compile_slowly(stan_file, target, chosen, log):
        compiled.append(target)
        begun.wait(5)
        place_model(target.parent)

    monkeypatch.setattr("crowdgold.system.toolchain.compile_model", compile_slowly)
    asked = (ROOT / "stan/vote.stan", tmp_path / "vote", toolchain)
    both = [
        threading.Thread(target=compiled_model, args=(*asked, lambda line: begun.set()))
        for _ in range(2)
    ]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert len(compiled) == 1


# -------------------------------------------------------------- disks, and who may write


def mounted(*arguments):
    return os.geteuid() == 0 and (
        subprocess.run(["mount", *arguments], check=False, capture_output=True).returncode == 0
    )


@pytest.fixture
def small_disk(finished):
    """A finished run whose results stand on a disk of 64 MB; only root can mount one."""
    results, kept = finished.folder / "results", finished.folder / "kept"
    results.rename(kept)
    results.mkdir()
    if not mounted("-t", "tmpfs", "-o", "size=64m", "tmpfs", str(results)):
        pytest.skip("only root can mount a small disk, and only where that is allowed")
    try:
        shutil.copytree(kept, results, dirs_exist_ok=True)
        yield finished
    finally:
        subprocess.run(["umount", "--lazy", str(results)], check=True)


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


def test_a_full_disk_is_named_and_a_rerun_mends_it(small_disk):
    before = take_away(small_disk)
    filler = fill(small_disk.folder / "results")
    said = small_disk.run(check=False)
    assert "No space left on device" in said
    assert "Traceback" not in said
    assert not any((small_disk.folder / path).exists() for path in LAST), "half a result"
    filler.unlink()
    small_disk.run("--nolock")
    assert contents(small_disk) == before


@pytest.fixture
def tiny_disk(tmp_path):
    """A disk of 100 kB, empty."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if not mounted("-t", "tmpfs", "-o", "size=100k", "tmpfs", str(disk)):
        pytest.skip("only root can mount a small disk, and only where that is allowed")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_an_evaluation_that_finds_no_room_leaves_nothing(tiny_disk):
    rows = pd.DataFrame({"item": [f"item {k}" for k in range(20_000)], "estimate": 0.5})
    tables = {"estimates": rows.head(3), "items": rows}
    with pytest.raises(InputError, match=r"disk/mine cannot be written: No space left"):
        write_folder(tables, {}, {}, tiny_disk / "mine")
    assert list(tiny_disk.iterdir()) == []
    write_folder({"estimates": rows.head(3), "items": rows.head(9)}, {}, {}, tiny_disk / "mine")
    assert len(pd.read_csv(tiny_disk / "mine/items.csv")) == 9


def test_a_folder_that_cannot_be_written_is_named(checkout):
    """Root may write everywhere but on a disk that is mounted read-only."""
    results = checkout.folder / "results"
    results.mkdir()
    if os.geteuid() != 0:
        results.chmod(0o555)
    elif not mounted("--bind", str(results), str(results)):
        pytest.skip("root may write everywhere, and nothing can be mounted here")
    else:
        assert mounted("-o", "remount,bind,ro", str(results))
    try:
        said = checkout.run(check=False)
    finally:
        if os.geteuid() == 0:
            subprocess.run(["umount", "--lazy", str(results)], check=True)
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
    before = [take_away(run) for run in both]
    started = [
        subprocess.Popen(
            run.command(), cwd=run.folder, env=run.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for run in both
    ]  # fmt: skip
    assert [process.wait(timeout=400) for process in started] == [0, 0]
    assert [contents(run) for run in both] == before


def test_every_test_that_the_page_on_reliability_names_is_there():
    page = (ROOT / "docs/reliability.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page)
    assert len(named) > 15
    for file, test in named:
        text = (ROOT / file).read_text()
        assert not test or f"\ndef {test}(" in text, (file, test)
