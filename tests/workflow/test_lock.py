"""The lock file, the conda environment and pyproject.toml name the same things."""

import json
import re
import shutil
import sys
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement

from crowdgold.system.packages import EXTRA_OF

from .conftest import ROOT, UV, ended, run

CONDA_NAMES = {"matplotlib-base": "matplotlib"}
ONLY_CONDA = {"python", "pip", "cmdstan", "cxx-compiler", "make"}


PYTHONS = ("3.11", "3.12", "3.13")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXPORT = UV, "export", "--quiet", "--frozen", "--no-emit-project", "--no-hashes", "--no-annotate"


def direct():
    """What the package and its extra for developers ask for, and the extras that this names."""
    wanted, open_ = [*PROJECT["dependencies"]], ["dev"]
    while open_:
        wanted += PROJECT["optional-dependencies"][open_.pop()]
        open_ += [extra for one in wanted if (own := Requirement(one)).name == "crowdgold"
                  for extra in own.extras]  # fmt: skip
        wanted = [line for line in wanted if Requirement(line).name != "crowdgold"]
    return {Requirement(line).name: Requirement(line) for line in wanted}


def locked(python, *extras):
    """The packages that uv.lock installs for some extras, and their versions."""
    lines = run(*EXPORT, *(f"--extra={extra}" for extra in extras), cwd=ROOT).splitlines()
    wanted = [Requirement(line) for line in lines if line[0] != "#"]
    there = {"python_full_version": f"{python}.0", "python_version": python}
    return {
        one.name: str(one.specifier).removeprefix("==")
        for one in wanted if not one.marker or one.marker.evaluate(there)
    }  # fmt: skip


def test_the_page_on_installing_counts_the_packages_of_the_lock_file():
    page = (ROOT / "docs/install.md").read_text()
    rows = re.findall(r"^\| ([\w,]+) \| (\d+) \| \d", page, re.MULTILINE)
    said = {extras: int(count) for extras, count in rows}
    assert {"none", "stan", "workflow"} <= set(said)
    asked = {extras: [] if extras == "none" else extras.split(",") for extras in said}
    for python in PYTHONS:
        assert said == {one: 1 + len(locked(python, *extras)) for one, extras in asked.items()}
    assert f"{said['none']} packages, crowdgold among them" in page


def conda():
    lines = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    lines = [one for line in lines for one in (line["pip"] if isinstance(line, dict) else [line])]
    parts = [re.split(r"(==|=|>=)", line, maxsplit=1) for line in lines]
    return {CONDA_NAMES.get(part[0], part[0]): part[-1] for part in parts}


def test_the_lock_is_of_what_the_package_asks_for(tmp_path):
    for name in ("pyproject.toml", "uv.lock", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    check = UV, "lock", "--check", "--offline", "--python", sys.executable
    run(*check, cwd=tmp_path)
    project = tmp_path / "pyproject.toml"
    project.write_text(project.read_text().replace('"numpy>=2"', '"numpy>=2,<2.1"'))
    assert ended(*check, cwd=tmp_path).returncode != 0


def test_every_locked_package_has_hashes_and_no_other_host_than_pypi_is_named():
    lock = (ROOT / "uv.lock").read_text()
    assert set(re.findall(r"://([^/\"]+)", lock)) == {"pypi.org", "files.pythonhosted.org"}
    for package in tomllib.loads(lock)["package"]:
        files = [*package.get("wheels", ()), package.get("sdist")]
        assert all("hash" in file for file in filter(None, files)), package
    for name in ("requirements-uv.lock", "Makefile", "environment.yml"):
        assert "://" not in (ROOT / name).read_text(), name


def test_uv_itself_is_installed_as_it_is_locked():
    """By pip, which reads no uv.lock."""
    options = (
        "--quiet",
        "--frozen",
        "--no-emit-project",
        "--only-group",
        "uv",
        "--no-annotate",
        "--no-header",
    )
    assert run(UV, "export", *options, cwd=ROOT) == (ROOT / "requirements-uv.lock").read_text()


def test_conda_has_the_same_versions():
    versions = locked(conda()["python"], "dev")
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
