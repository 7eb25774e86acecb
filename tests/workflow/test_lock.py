"""The lock file, the conda environment and pyproject.toml name the same things."""

import re
import tomllib

import yaml
from packaging.markers import Marker
from packaging.requirements import Requirement

from .conftest import ROOT

CONDA_NAMES = {"matplotlib-base": "matplotlib"}
ONLY_CONDA = {"python", "pip", "cmdstan", "cxx-compiler", "make"}


def direct():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    return {Requirement(line).name: Requirement(line) for line in wanted}


def locked(python):
    versions = {}
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        if found := re.match(r"([\w.-]+)(?:\[\w+\])?==(\S+)(?: ; (.*?))? \\$", line):
            name, version, marker = found.groups()
            if not marker or Marker(marker).evaluate({"python_full_version": f"{python}.0"}):
                versions[name] = version
    return versions


def conda():
    lines = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    lines = [one for line in lines for one in (line["pip"] if isinstance(line, dict) else [line])]
    parts = [re.split(r"(==|=|>=)", line, maxsplit=1) for line in lines]
    return {CONDA_NAMES.get(part[0], part[0]): part[-1] for part in parts}


def test_the_lock_holds_every_direct_dependency_in_its_range():
    for python in ("3.11", "3.12", "3.13"):
        versions = locked(python)
        for name, wanted in direct().items():
            assert versions[name] in wanted.specifier, name


def test_every_locked_package_has_hashes():
    text = (ROOT / "requirements.lock").read_text()
    for block in re.split(r"\n(?=[\w])", text):
        if "==" in block.split("\n")[0]:
            assert "--hash=sha256:" in block, block


def test_conda_has_the_same_versions():
    versions = locked(conda()["python"])
    named = {name: version for name, version in conda().items() if name not in ONLY_CONDA}
    assert named == {name: versions[name] for name in direct()}


def test_no_host_is_named():
    for name in ("requirements.lock", "requirements-uv.lock", "Makefile", "environment.yml"):
        assert "://" not in (ROOT / name).read_text(), name
