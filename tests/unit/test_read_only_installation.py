"""An installation that its user can only read, with no home: every command works, and says so."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from crowdgold.record.imports import package_root
from crowdgold.system.kernels import IN_MEMORY

DIAGNOSE = """
import numpy as np
from crowdgold.models.stan_fit import diagnose
draws = np.random.default_rng(1).normal(size=(4, 500))
assert diagnose({'x': draws}, 0, 0).passed
"""
WITHOUT_PRIVILEGES = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
"""A root without capabilities is bound by permissions, as everybody else is."""


def as_reader(arguments, folder):
    """Run Python as somebody who may not write into the installation."""
    before = WITHOUT_PRIVILEGES if os.geteuid() == 0 else []
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "OPENBLAS_NUM_THREADS")
            if key in os.environ}  # fmt: skip
    home = folder / "library/none"
    own = {"HOME": str(home), "PYTHONPATH": str(folder / "library"), "TMPDIR": str(folder / "tmp")}
    return subprocess.run(
        [*before, sys.executable, *arguments], cwd=folder / "work", env={**kept, **own},
        capture_output=True, text=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def installed():
    """A folder with the library, which nobody may write to, beside a folder where they may."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = folder / "library/crowdgold"
        shutil.copytree(package_root(), library, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "tmp").mkdir()
        shutil.copytree(package_root() / "example", folder / "work/study")
        locked = [library.parent, library, *library.rglob("*")]
        for path in locked:
            path.chmod(0o555 if path.is_dir() else 0o444)
        tried = as_reader(["-c", f"open({str(library / 'x')!r}, 'w')"], folder)
        if "PermissionError" not in tried.stderr:
            pytest.skip(f"permissions bind nobody here: {tried.stderr}")
        yield folder
        for path in locked:
            path.chmod(0o755)


def test_an_evaluation_compiles_in_memory_and_says_so_once(installed):
    """What compiles nothing says nothing."""
    said = as_reader(["-m", "crowdgold.cli", "--version"], installed)
    assert (said.returncode, said.stdout[:10], said.stderr) == (0, "crowdgold ", "")
    files = [f"study/{name}.csv" for name in ("votes", "gold", "scores")]
    asked = ["evaluate", *files, "--out", "mine", "--no-models", "--cores", "2"]
    done = as_reader(["-m", "crowdgold.cli", *asked], installed)
    assert done.returncode == 0, done.stderr
    assert "AUC" in done.stdout
    assert [line for line in done.stderr.splitlines() if "compile" in line] == [IN_MEMORY]
    assert not list((installed / "library").rglob("__pycache__"))


def test_diagnostics_of_chains_need_no_home(installed):
    """The library that computes them says nothing, and writes nowhere."""
    done = as_reader(["-c", DIAGNOSE], installed)
    assert (done.returncode, done.stderr) == (0, "")
