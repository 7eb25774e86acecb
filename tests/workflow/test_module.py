"""The workflow from elsewhere: another folder, another Snakefile, one that snakedeploy writes."""

import os
import sys

import pytest
import yaml

from crowdgold.experiments.wiring.source import choices

from .conftest import ROOT, Checkout, environment, run

FIGURE = "results/figures/tiny.svg"
MODULE = """
module crowdgold:
    snakefile: {snakefile!r}
{config}

use rule * from crowdgold as crowdgold_*

rule own:
    input: {figure!r}
    output: "own.txt"
    shell: "wc -c {{input}} > {{output}}"
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A checkout that nothing is to be written to, and what is in it."""
    checkout = Checkout.make(tmp_path_factory.mktemp("source") / "checkout")
    return checkout, files_in(checkout.folder)


def files_in(folder):
    found = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder) for path in found if path.suffix not in (".pyc", ".nbi", ".nbc")
    }


def snakemake(folder, library, *arguments, **more):
    """Run Snakemake in a folder, with the library of a checkout; what it said."""
    own = {**os.environ, "PYTHONPATH": str(library / "src"), "COLUMNS": "200", **more}
    return run(sys.executable, "-m", "snakemake", "--cores", "2", *arguments, cwd=folder, env=own)


def test_from_another_folder(source, tmp_path):
    """All is written to the folder that is asked for; a second run has nothing to do."""
    checkout, before = source
    asked = ["-s", checkout.folder / "workflow/Snakefile", "--directory", tmp_path / "out", FIGURE]
    snakemake(tmp_path, checkout.folder, *asked)
    assert (tmp_path / "out" / FIGURE).is_file()
    assert files_in(checkout.folder) == before
    assert "Nothing to be done" in snakemake(tmp_path, checkout.folder, *asked)


@pytest.mark.parametrize(
    ("given", "results"),
    [("", "results"), ("    config: config['crowdgold']", "results/mine")],
    ids=["its own configuration", "a part of the configuration"],
)
def test_as_a_module_of_another_snakefile(source, tmp_path, given, results):
    """Its rules make what another rule reads; what is given lies over its own configuration."""
    checkout, before = source
    own = {"crowdgold": {"pathvars": {"results": results}, "seed": 7}}
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(own))
    figure = FIGURE.replace("results", results)
    (tmp_path / "Snakefile").write_text(
        'configfile: "own.yaml"\n' * bool(given)
        + MODULE.format(
            snakefile=str(checkout.folder / "workflow/Snakefile"), config=given, figure=figure
        )
    )
    snakemake(tmp_path, checkout.folder, "own")
    assert (tmp_path / "own.txt").read_text().endswith(f"{figure}\n")
    kept = yaml.safe_load((tmp_path / results / "config.yaml").read_text())
    assert kept["seed"] == (7 if given else 20260301)
    assert set(kept["experiments"]) == {"tiny"}
    assert files_in(checkout.folder) == before


def test_a_copy_of_the_default_is_no_choice():
    default = {"seed": 1, "sampler": {"chains": 2, "draws": 500}, "methods": {"A": {"x": 1}}}
    assert choices(default, default) == {}
    edited = {"seed": 1, "sampler": {"chains": 4, "draws": 500}, "methods": {"B": {}}, "scale": "x"}
    expected = {"sampler": {"chains": 4}, "methods": {"B": {}}, "scale": "x"}
    assert choices(edited, default) == expected


@pytest.fixture(scope="module")
def snakedeploy(tmp_path_factory):
    """The program, in an environment of its own."""
    folder = tmp_path_factory.mktemp("snakedeploy")
    lock = ROOT / "requirements-snakedeploy.lock"
    return environment(folder, "--require-hashes", "-r", lock).with_name("snakedeploy")


@pytest.fixture
def hosted(source, tmp_path):
    """A repository that git finds where it would look for one on the network, and its settings."""
    checkout, _ = source
    repository = tmp_path / "hosts/someone/crowdgold"
    repository.mkdir(parents=True)
    git = ["git", "-C", repository, "-c", "user.name=A", "-c", "user.email=a@b"]
    run("git", "init", "--quiet", repository)
    run(*git, f"--work-tree={checkout.folder}", "add", "--all")
    run(*git, f"--work-tree={checkout.folder}", "commit", "--quiet", "--message", "All of it")
    run(*git, "tag", "v1")
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{tmp_path}/hosts/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


def test_as_snakedeploy_deploys_it(source, snakedeploy, hosted, tmp_path):
    """From a repository with a tag: configuration, profiles and a Snakefile, which runs.

    The rules come from the repository, the rest from the library, which is of the same version.
    """
    checkout, _ = source
    deployed = tmp_path / "deployed"
    url = "https://github.com/someone/crowdgold"
    run(
        snakedeploy, "deploy-workflow", url, deployed, "--tag", "v1",
        env={**os.environ, **hosted},
    )  # fmt: skip
    assert (
        'github("someone/crowdgold", path="workflow/Snakefile", tag="v1")'
        in (deployed / "workflow/Snakefile").read_text()
    )
    default = deployed / "config/config.yaml"
    default.write_text(default.read_text().replace("seed: 20260301", "seed: 5"))
    assert (deployed / "profiles/default/config.yaml").is_file()
    snakemake(deployed, checkout.folder, FIGURE, **hosted)
    assert (deployed / FIGURE).is_file()
    assert yaml.safe_load((deployed / "results/config.yaml").read_text())["seed"] == 5


def test_rules_of_another_version_than_the_library_are_refused(source, tmp_path, hosted):
    checkout, _ = source
    other = tmp_path / "other"
    Checkout(checkout.folder).copy(other)
    package = other / "src/crowdgold/__init__.py"
    package.write_text(package.read_text().replace('__version__ = "', '__version__ = "9'))
    (tmp_path / "Snakefile").write_text(
        MODULE.format(snakefile="", config="", figure=FIGURE).replace(
            "''", 'github("someone/crowdgold", path="workflow/Snakefile", tag="v1")'
        )
    )
    with pytest.raises(AssertionError, match=r"pip install 'crowdgold\[workflow\]=="):
        snakemake(tmp_path, other, "--dry-run", "own", **hosted)
