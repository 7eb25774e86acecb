"""A release: the same commit gives the same bytes, and every place names the same version."""

import hashlib
import os
import re
import sys
import tarfile
import zipfile

import pytest
import yaml

from crowdgold import __version__

from .conftest import ROOT, run

HOOKS = ROOT / ".pre-commit-config.yaml"


def release(folder, **more):
    """What `make release` makes, in a folder; the environment is taken as it is."""
    made = ["make", "--old-file", ".venv/.made-from-requirements", "release", f"DIST={folder}"]
    run("sh", "-c", f"umask {more.pop('umask')}; {' '.join(made)}", cwd=ROOT, env=os.environ | more)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    return release(tmp_path_factory.mktemp("release") / "dist", umask="022")


def test_two_builds_are_equal(released, tmp_path):
    """Byte by byte, in another folder, time zone and with other permissions."""
    again = release(tmp_path / "other/dist", umask="077", TZ="Asia/Tokyo")
    assert again == released


def test_the_checksums_are_of_what_is_there(released):
    listed = dict(reversed(line.split()) for line in released["SHA256SUMS"].decode().splitlines())
    kinds = ("-py3-none-any.whl", ".tar.gz", "-repository.tar.gz")
    assert set(listed) == {f"crowdgold-{__version__}{kind}" for kind in kinds}
    for name, digest in listed.items():
        assert hashlib.sha256(released[name]).hexdigest() == digest


def test_the_wheel_has_the_workflow_and_no_rest_of_a_run(released, tmp_path):
    (tmp_path / "a.whl").write_bytes(released[f"crowdgold-{__version__}-py3-none-any.whl"])
    names = zipfile.ZipFile(tmp_path / "a.whl").namelist()
    parts = ("workflow/Snakefile", "config/config.yaml", "stan/vote.stan", "scripts/compute.py")
    for part in parts:
        assert f"crowdgold/assets/{part}" in names
    kept = zipfile.ZipFile(tmp_path / "a.whl").read("crowdgold/assets/config/config.yaml")
    assert kept == (ROOT / "config.yaml").read_bytes()
    assert not [name for name in names if "__pycache__" in name or name.endswith(".nbi")]


def test_the_source_distribution_makes_the_same_wheel(released, tmp_path):
    (tmp_path / "a.tar.gz").write_bytes(released[f"crowdgold-{__version__}.tar.gz"])
    with tarfile.open(tmp_path / "a.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / f"crowdgold-{__version__}"
    assert (unpacked / "Snakefile").is_file()
    assert (unpacked / "config/config.yaml").resolve() == unpacked / "config.yaml"
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=unpacked)
    (again,), name = tmp_path.glob("*.whl"), f"crowdgold-{__version__}-py3-none-any.whl"
    (tmp_path / "first").write_bytes(released[name])
    first, second = (zipfile.ZipFile(path) for path in (tmp_path / "first", again))
    assert set(first.namelist()) == set(second.namelist())
    assert all(first.read(one) == second.read(one) for one in first.namelist())


def test_the_workflow_of_the_wheel_runs(released, tmp_path):
    """With the library beside it, and nothing of the checkout."""
    (tmp_path / "a.whl").write_bytes(released[f"crowdgold-{__version__}-py3-none-any.whl"])
    zipfile.ZipFile(tmp_path / "a.whl").extractall(tmp_path / "site")
    rules = tmp_path / "site/crowdgold/assets/workflow/Snakefile"
    said = run(
        sys.executable, "-m", "snakemake", "-s", rules, "--cores", "1", "--dry-run",
        "results/figures/judge_error_formula.svg",
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
    )  # fmt: skip
    assert re.search(r"^compute +1$", said, re.MULTILINE), said


def test_every_place_names_the_same_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]
    (latest, *_) = re.findall(r"^## (\d\S*?)(?:,.*)?$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert cited == latest == __version__
    for page in ("install", "module"):
        text = (ROOT / f"docs/{page}.md").read_text()
        named = re.findall(r"(?:crowdgold-|crowdgold:|--tag v)(\d+\.\d+\.\d+)", text)
        assert set(named) == {__version__}


def test_the_hooks_are_the_linters_of_make_lint():
    """From this environment, so that nothing is fetched."""
    hooks = [one for repo in yaml.safe_load(HOOKS.read_text())["repos"] for one in repo["hooks"]]
    programs = {one["entry"].split()[0].rpartition("/")[2] for one in hooks}
    assert all(one["language"] == "system" for one in hooks)
    recipe = (ROOT / "Makefile").read_text().partition("\nlint:")[2].partition("\n\n")[0]
    assert programs == set(re.findall(r"\$\(BIN\)/(\w+)", recipe)) - {"snakemake"}
