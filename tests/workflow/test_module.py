"""The workflow from elsewhere: another folder, another Snakefile, one that snakedeploy writes."""

import os
import re
import sys

import pytest
import yaml

from crowdgold.experiment.wiring import choices

from .conftest import Checkout, environment, jobs_in, locked, run

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


def planned_in(said):
    """Rule -> jobs, whatever a module is called; `all` and `figures` are the same target."""
    jobs = {rule.removeprefix("crowdgold_"): number for rule, number in jobs_in(said).items()}
    return {rule: number for rule, number in jobs.items() if rule not in ("all", "figures")}


def planned(folder, library, *arguments, **more):
    """Rule -> jobs of a run in a folder, with the library of a checkout."""
    return planned_in(snakemake(folder, library.folder, "--dry-run", *arguments, **more))


@pytest.fixture(scope="module")
def plan(source, tmp_path_factory):
    """What a plain run at the top of a checkout plans: its figures. With an `include` alone it
    would do nothing, silently."""
    checkout = source[0].copy(tmp_path_factory.mktemp("plain") / "checkout")
    plan = planned(checkout.folder, checkout)
    assert plan == planned(checkout.folder, checkout, "--", "figures")
    assert plan["figure_tiny"] == 1
    return plan


def test_the_root_snakefile_from_another_folder(source, plan, tmp_path):
    """The profile beside it is found, from there too."""
    checkout, _ = source
    said = snakemake(tmp_path, checkout.folder, "--dry-run", "-s", checkout.folder / "Snakefile")
    assert planned_in(said) == plan
    assert re.search(r"Using workflow specific profile \S*profiles/default", said)


@pytest.mark.parametrize("snakefile", ["Snakefile", "workflow/Snakefile"])
def test_a_module_plans_what_a_plain_run_plans(source, plan, tmp_path, snakefile):
    """And never in the place of a rule that stands before it."""
    module = MODULE.format(
        snakefile=str(source[0].folder / snakefile), config="", figure=FIGURE
    ).partition("rule own")[0]
    (tmp_path / "Snakefile").write_text(module)
    assert planned(tmp_path, source[0]) == plan
    (tmp_path / "Snakefile").write_text(f'rule own:\n    output: "own.txt"\n{module}')
    assert planned(tmp_path, source[0]) == {"own": 1}


def test_without_the_library_one_line_says_what_to_install(source, tmp_path):
    """As in a catalog, which reads the rules where only Snakemake is."""
    (tmp_path / "crowdgold").mkdir()
    (tmp_path / "crowdgold/__init__.py").touch()
    asked = ["--lint", "-s", source[0].folder / "Snakefile"]
    with pytest.raises(AssertionError) as found:
        snakemake(tmp_path, tmp_path, *asked, PYTHONPATH=str(tmp_path))
    (line,) = [line for line in str(found.value).splitlines() if "pip install" in line]
    assert "no module 'crowdgold.types'" in line
    assert "Traceback" not in str(found.value)


def test_from_another_folder(source, tmp_path):
    """All is written to the folder that is asked for; a second run has nothing to do."""
    checkout, before = source
    asked = ["-s", checkout.folder / "Snakefile", "--directory", tmp_path / "out", FIGURE]
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
    lock = locked(folder / "locked.txt", "--only-group", "snakedeploy")
    return environment(folder / "environment", "--require-hashes", "-r", lock).with_name(
        "snakedeploy"
    )


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


def test_as_snakedeploy_deploys_it(source, plan, snakedeploy, hosted, tmp_path):
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
    assert planned(deployed, checkout, **hosted) == plan
    default = deployed / "config/config.yaml"
    assert not default.is_symlink()
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
