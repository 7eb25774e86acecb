"""The wheel, in an environment with nothing else: an answer stands without Stan and Snakemake."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from crowdgold.system.packages import EXTRA_OF

from .conftest import ROOT, UV, environment, locked, run

KEYS = ["stratum", "model", "against", "metric", "method"]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """Built as `make release` builds it; beside it, in locked.txt, the versions of uv.lock."""
    folder = tmp_path_factory.mktemp("wheel")
    locked(folder / "locked.txt", "--all-extras")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def installed(wheel):
    """The Python of an environment with the wheel, and no extra."""
    lock = wheel.with_name("locked.txt")
    return environment(wheel.parent / "environment", "--constraint", lock, wheel)


@pytest.fixture
def outside(tmp_path):
    """Options of a process that sees neither this checkout nor the user's caches."""
    hidden = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    return {"cwd": tmp_path, "env": hidden | {"XDG_CACHE_HOME": str(tmp_path / "cache")}}


def test_no_extra_comes_along(installed, outside):
    """Nothing that an extra brings, and less than half a gigabyte."""
    code = "import importlib.util as u, sys; print([m for m in sys.argv[1:] if u.find_spec(m)])"
    assert run(installed, "-c", code, *EXTRA_OF, **outside) == "[]\n"
    assert "snakemake" in EXTRA_OF
    packages = installed.parents[1] / "lib"
    size = sum(path.stat().st_size for path in packages.rglob("*") if path.is_file())
    assert size < 500e6


def test_the_wheel_alone_evaluates_the_bundled_example(installed, outside, tmp_path):
    """The answer is that of the whole installation, and one line says what Stan would add."""
    code = "import crowdgold; print(crowdgold.__path__[0])"
    package = Path(run(installed, "-c", code, **outside).strip())
    assert ROOT not in package.parents
    files = [package / "example" / f"{name}.csv" for name in ("votes", "gold", "scores")]
    program = installed.with_name("crowdgold")
    said = run(program, "evaluate", *files, "--out", tmp_path / "alone", **outside)
    assert "logistic-R" in said
    assert said.count("crowdgold[stan]") == 1
    run(
        sys.executable, "-m", "crowdgold.cli", "evaluate", *files,
        "--out", tmp_path / "whole", "--no-models", cwd=tmp_path,
    )  # fmt: skip
    alone, whole = (pd.read_csv(tmp_path / name / "estimates.csv") for name in ("alone", "whole"))
    assert set(whole["method"]) >= {"logistic-R", "GT"}
    both = alone[alone["method"].isin(set(whole["method"]))]
    pd.testing.assert_frame_equal(
        both.set_index(KEYS).sort_index(), whole.set_index(KEYS).sort_index()
    )


def test_a_report_without_matplotlib_ends_with_the_extra(installed, outside, tmp_path):
    done = subprocess.run(
        [installed.with_name("crowdgold"), "report", tmp_path], capture_output=True, text=True,
        **outside,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "Error: report needs matplotlib, which is not installed: pip install 'crowdgold[report]'"
    ]


def test_uvx_runs_it(wheel, outside):
    """`pipx run` makes such an environment too."""
    command = [UV, "tool", "run", "--constraints", wheel.with_name("locked.txt"), "--from", wheel]
    said = run(*command, "--python", sys.executable, "crowdgold", "--help", cwd=outside["cwd"])
    assert "evaluate" in said
