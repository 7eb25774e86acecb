"""Real runs of the workflow, in a copy of the checkout with a tiny experiment."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
import pytest
import yaml

from crowdgold.experiment.registries import modules_of

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")
PARTS = (
    "Snakefile", "config.yaml", "config", "workflow", "scripts", "src", "stan", "toolchain",
    "profiles", "benchmarks", "docs/templates", "environment.yml",
)  # fmt: skip

TINY = """
experiments:
  tiny:
    paper: MAVEN
    title: A run that ends in seconds
    simulator: maven
    parameters:
      n: 200
      phi: 0.3
      a0: 0.2
      a1: 0.6
      d0: 1.5
      d1: 1.5
      votes_total: 3
      predictors:
        A: {mu: 1.0, delta: 1.0}
        B: {mu: 0.5, delta: 1.0}
    vary:
      gold_fraction: [0.3, 0.6]
    methods: [MV, ORACLE]
    metrics: [TNR_H, AUC, delta_TPR, delta_AUC]
    replicates: 2
    block: 2
figures:
  tiny:
    paper: MAVEN
    experiments: [tiny]
    plot: error_and_width
    options: {x: gold_fraction}
"""


def run(*command: object, **options: Any) -> str:
    """What a command said, which has to end well."""
    done = ended(*command, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def ended(*command: object, **options: Any) -> "subprocess.CompletedProcess[str]":
    """A command that may end as it likes, with what it said."""
    words = [str(part) for part in command]
    return subprocess.run(words, capture_output=True, text=True, **{"timeout": 400} | options)


def caption(figure: str, config: dict[str, Any], scale: str = "") -> str:
    """A figure's caption as it is rendered, on one line."""
    text = (ROOT / f"workflow/report/{figure}.rst").read_text()
    params = SimpleNamespace(scales={figure: scale}, figures={figure: config["figures"][figure]})
    job = SimpleNamespace(config=config, params=params)
    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(text)
    return str(template.render(snakemake=job))


def jobs_in(said: str) -> dict[str, int]:
    """Rule -> number of jobs, in what a dry run said."""
    if "Job stats" not in said:
        assert "Nothing to be done" in said, said
        return {}
    rows = re.findall(r"^(\w+) +(\d+)$", said, re.MULTILINE)
    return {rule: int(count) for rule, count in rows if rule != "total"}


def locked(file: Path, *options: str) -> Path:
    """A file of requirements with hashes: what extras and groups need, as uv.lock has it."""
    run(UV, "export", "--frozen", "--no-emit-project", *options, "-o", file, cwd=ROOT)
    return file


def environment(folder: Path, *wanted: object) -> Path:
    """The Python of a new environment with some packages, from uv's cache where that has them."""
    run(UV, "venv", "--quiet", "--python", sys.executable, folder)
    install = [UV, "pip", "install", "--quiet", "--python", folder / "bin/python", *wanted]
    try:
        run(*install, "--offline")
    except AssertionError:
        run(*install)
    return folder / "bin/python"


def module_path(kind: str, name: str) -> str:
    """The file of a registry's entry in a checkout."""
    (module,) = modules_of(kind, name)
    return "src/" + module.replace(".", "/") + ".py"


class Checkout:
    """A copy of the checkout, and runs of Snakemake in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def make(cls, folder: Path, experiments: str | None = TINY) -> "Checkout":
        folder.mkdir(parents=True, exist_ok=True)
        for part in PARTS:
            if (ROOT / part).is_dir():
                # With compiled modules and kernels, which are as old as their sources; without
                # those that another process is writing.
                ignore = shutil.ignore_patterns("*.pyc.*", "*.tmp.*")
                shutil.copytree(ROOT / part, folder / part, symlinks=True, ignore=ignore)
            else:
                shutil.copy2(ROOT / part, folder / part)
        if experiments is not None:
            own = folder / "config/experiments/maven.yaml"
            kept = {"benchmarks": yaml.safe_load(own.read_text())["benchmarks"]}
            for path in own.parent.glob("*.yaml"):
                path.write_text("experiments: {}\n")
            own.write_text(experiments + yaml.safe_dump(kept))
        return cls(folder)

    @classmethod
    def whole(cls, folder: Path, prepared: Iterable[str] = ()) -> "Checkout":
        """With our own experiments, and with some datasets as if they were prepared."""
        made = cls.make(folder, experiments=None)
        (datasets := folder / "results/datasets").mkdir(parents=True)
        for name in prepared:
            (datasets / f"{name}.parquet").touch()
        return made

    def copy(self, folder: Path) -> "Checkout":
        shutil.copytree(self.folder, folder, symlinks=True)
        return Checkout(folder)

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.folder / "src"), "COLUMNS": "200"}

    def run(self, *arguments: str, check: bool = True) -> str:
        done = ended(*self.command(*arguments), cwd=self.folder, env=self.environment)
        said = done.stdout + done.stderr
        assert not check or done.returncode == 0, said
        return said

    def jobs(self, *arguments: str) -> dict[str, int]:
        """Rule -> number of jobs that a run would start."""
        return jobs_in(self.run("--dry-run", *arguments))

    def edit(self, path: str, text: str = "\n# Edited.\n") -> None:
        with (self.folder / path).open("a") as file:
            file.write(text)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout.make(tmp_path / "checkout")


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A run that has ended well, made by the first worker that needs it."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    with (shared / "finished.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = Checkout(shared / "finished")
        if not (made.folder / "results/figures/tiny.svg").exists():
            Checkout.make(made.folder).run()
        return made


@pytest.fixture
def finished(finished_once: Checkout, tmp_path: Path) -> Checkout:
    """A copy of a run that has ended well; each test may do to it what it likes."""
    return finished_once.copy(tmp_path / "finished")
