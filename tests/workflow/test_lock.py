"""The lock file, the conda environment and pyproject.toml name the same things."""

import json
import re
import sys
import tomllib

import pytest
import yaml
from packaging.markers import Marker
from packaging.requirements import Requirement

from crowdgold.system.extras import EXTRA_OF

from .conftest import ROOT, ended

CONDA_NAMES = {"matplotlib-base": "matplotlib"}
ONLY_CONDA = {"python", "pip", "cmdstan", "cxx-compiler", "make"}


def wanted_by(*extras):
    """What the package and some of its extras ask for, and the extras that these name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted, open_ = [*project["dependencies"]], [*extras]
    while open_:
        wanted += project["optional-dependencies"][open_.pop()]
        own = [one for one in map(Requirement, wanted) if one.name == "crowdgold"]
        open_ += [extra for one in own for extra in one.extras]
        wanted = [line for line in wanted if Requirement(line).name != "crowdgold"]
    return {Requirement(line).name: Requirement(line) for line in wanted}


def direct():
    return wanted_by("dev")


def locked(python, name="requirements.lock"):
    versions = {}
    for line in (ROOT / name).read_text().splitlines():
        if found := re.match(r"([\w.-]+)(?:\[\w+\])?==(\S+)(?: ; (.*?))? \\$", line):
            name, version, marker = found.groups()
            if not marker or Marker(marker).evaluate({"python_full_version": f"{python}.0"}):
                versions[name] = version
    return versions


OF_DEVELOPMENT = {"pysocks"}
"""Of `requests[socks]`: only an extra for developers asks for it; the lock says `requests`."""


def installed(python, *extras):
    """The packages of an installation by the lock file: those asked for, and what these need."""
    needs = {}
    for block in re.split(r"(?m)^(?=\w)", (ROOT / "requirements.lock").read_text()):
        name, _, behind = block.partition("==")
        for parent in re.findall(r"# +(?:via )? *([\w.-]+)\n", behind):
            needs.setdefault(parent, set()).add(name)
    found, open_, there = set(), list(wanted_by(*extras)), set(locked(python))
    while open_:
        name = open_.pop()
        if name in there and name not in found:
            found.add(name)
            open_ += needs.get(name, ())
    return {"crowdgold", *found} - OF_DEVELOPMENT


def test_the_page_on_installing_counts_the_packages_of_the_lock_file():
    page = (ROOT / "docs/install.md").read_text()
    rows = re.findall(r"^\| ([\w,]+) \| (\d+) \| \d", page, re.MULTILINE)
    said = {extras: int(count) for extras, count in rows}
    assert {"none", "stan", "workflow"} <= set(said)
    asked = {extras: [] if extras == "none" else extras.split(",") for extras in said}
    for python in PYTHONS:
        assert said == {one: len(installed(python, *extras)) for one, extras in asked.items()}
    assert f"{said['none']} packages, crowdgold among them" in page


def conda():
    lines = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    lines = [one for line in lines for one in (line["pip"] if isinstance(line, dict) else [line])]
    parts = [re.split(r"(==|=|>=)", line, maxsplit=1) for line in lines]
    return {CONDA_NAMES.get(part[0], part[0]): part[-1] for part in parts}


PYTHONS = ("3.11", "3.12", "3.13")


def test_the_lock_holds_every_direct_dependency_in_its_range():
    for versions in map(locked, PYTHONS):
        out = [name for name, one in direct().items() if versions[name] not in one.specifier]
        assert out == []


OPTIONAL = {
    name: f"requirements-{name}.lock" for name in ("peers", "slurm", "docs", "snorkel", "hlv")
}
TORCH = "requirements-torch.lock"
"""PyPI's PyTorch with its CUDA; the group hlv has it apart, so that one for CPUs can do."""


@pytest.mark.parametrize("group", OPTIONAL)
def test_an_optional_group_changes_no_version_of_the_lock(group):
    """It holds what the group asks for, and what both have is the same."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for python in PYTHONS:
        own, versions = locked(python, OPTIONAL[group]), locked(python)
        own |= locked(python, TORCH) if group == "hlv" else {}
        for line in project["optional-dependencies"][group]:
            wanted = Requirement(line)
            if wanted.marker and not wanted.marker.evaluate({"python_version": python}):
                continue
            assert own[wanted.name] in wanted.specifier
        shared = own.keys() & versions.keys()
        assert {"numpy", "pandas"} <= shared
        assert {name: own[name] for name in shared} == {name: versions[name] for name in shared}


TOOLS = tuple(f"requirements-{tool}.lock" for tool in ("uv", "audit", "snakedeploy"))


def test_every_locked_package_has_hashes_and_no_host_is_named():
    locks = ("requirements.lock", TORCH, *TOOLS, *OPTIONAL.values())
    for name in (*locks, "Makefile", "environment.yml"):
        text = (ROOT / name).read_text()
        assert "://" not in text, name
        for block in re.split(r"\n(?=[\w])", text) if name in locks else ():
            assert "==" not in block.split("\n")[0] or "--hash=sha256:" in block, (name, block)


def test_conda_has_the_same_versions():
    versions = locked(conda()["python"])
    named = {name: version for name, version in conda().items() if name not in ONLY_CONDA}
    assert named == {name: versions[name] for name in direct()}


ENVIRONMENTS = sorted((ROOT / "workflow/envs").glob("*.yaml"))
MODULES = {"matplotlib-base": "matplotlib", "scikit-learn": "sklearn"}
"""Package of conda -> its module, where an extra brings it and the names differ."""
LOAD = """
import ast, sys
from pathlib import Path

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(name, name=name)

hidden, scripts = sys.argv[1].split(), sys.argv[2:]
sys.meta_path.insert(0, Hidden())
for script in scripts:
    tree = ast.parse(Path(script).read_text())
    tree.body = [one for one in tree.body if isinstance(one, ast.Import | ast.ImportFrom)]
    exec(compile(tree, script, "exec"))
"""


def imports_without(hidden, environment):
    """What importing the scripts of an environment's rules says where some modules are hidden."""
    named = f'"../envs/{environment.name}"'
    rules = [
        rule
        for path in sorted((ROOT / "workflow/rules").glob("*.smk"))
        for rule in re.split(r"^ *(?:rule|checkpoint)\b", path.read_text(), flags=re.MULTILINE)
        if named in rule
    ]
    scripts = [ROOT / "scripts" / name for name in re.findall(r"scripts/(\w+.py)", "".join(rules))]
    assert scripts
    return ended(sys.executable, "-c", LOAD, " ".join(hidden), *scripts)


@pytest.mark.parametrize("path", ENVIRONMENTS, ids=lambda path: path.stem)
def test_a_rule_s_environment_is_a_part_of_the_whole(path):
    """The same versions, and all that the rules' scripts import before they begin."""
    lines = yaml.safe_load(path.read_text())["dependencies"]
    whole = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    assert set(lines) < {line for line in whole if isinstance(line, str)}
    names = {re.split("[=>]", line)[0] for line in lines}
    done = imports_without(set(EXTRA_OF) - {MODULES.get(one, one) for one in names}, path)
    assert done.returncode == 0, done.stderr
    if path.stem == "figures":  # The control: without what a script imports it is found out.
        assert "ModuleNotFoundError: matplotlib" in imports_without(["matplotlib"], path).stderr


def test_the_oldest_snakemake_is_the_same_everywhere():
    """pyproject.toml's bound, which `make matrix` tests, and the one that the workflow asks for."""
    (bound,) = [one for one in direct()["snakemake"].specifier if one.operator == ">="]
    assert f'min_version("{bound.version}")' in (ROOT / "workflow/Snakefile").read_text()
    assert f"Snakemake {bound.version}" in (ROOT / "docs/running.md").read_text()


PYPI = {"name": "a", "version": "1", "vulns": []}
VULNERABLE = PYPI | {"vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]}


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (PYPI, 0, "x.lock: 1 packages, 0 vulnerable (pypi)"),
        (VULNERABLE, 1, "x.lock: a 1: PYSEC-1; fixed in: 2"),
        ({"name": "a", "skip_reason": "not found"}, 3, "x.lock: not audited: the advisory"),
        (None, 3, "osv: ConnectionError: no host"),
    ],
    ids=["answered", "vulnerable", "skipped", "no host"],
)
def test_an_audit_that_asked_nobody_has_not_passed(tmp_path, answer, code, words):
    """pip-audit ends well where no service knew any package."""
    program = tmp_path / "pip-audit"
    said = f"echo '{json.dumps({'dependencies': [answer]})}'\n"
    trace = "echo Traceback >&2; echo ConnectionError: no host >&2; exit 1"
    program.write_text("#!/bin/sh\n" + (said if answer else trace))
    program.chmod(0o755)
    audit = [sys.executable, ROOT / "tests/audit.py", "--program", program]
    done = ended(*audit, tmp_path / "x.lock")
    assert done.returncode == code, done.stderr
    assert words in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
