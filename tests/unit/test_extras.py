"""What is said where a package of an extra is not installed, and what pyproject.toml has in it."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from crowdgold.cli import main
from crowdgold.evaluation import study as compiled
from crowdgold.models.stan import StanModels
from crowdgold.system import extras

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
OPTIONAL = PROJECT["optional-dependencies"]
NAMES = {"sklearn": "scikit-learn", "crowdkit": "crowd-kit"}
"""Module -> its distribution, where they differ."""
EXAMPLE = Path(extras.__file__).parent / "example"


def brought_by(extra):
    return {Requirement(line).name for line in OPTIONAL[extra]}


def test_an_extra_brings_what_it_is_named_for():
    for module, extra in extras.EXTRA_OF.items():
        assert NAMES.get(module, module) in brought_by(extra), module


def test_what_an_evaluation_needs_stands_in_no_extra():
    always = {Requirement(line).name for line in PROJECT["dependencies"]}
    assert not always & {NAMES.get(module, module) for module in extras.EXTRA_OF}


def test_the_workflow_has_all_but_the_peers_and_the_networks():
    own = next(Requirement(line) for line in OPTIONAL["workflow"] if line.startswith("crowdgold"))
    assert own.extras == {"parquet", "report", "stan"}


@pytest.fixture
def without(monkeypatch):
    """`without("matplotlib")`: as if it were not installed."""
    find = extras.importlib.util.find_spec

    def hide(*modules):
        monkeypatch.setattr(
            extras.importlib.util,
            "find_spec",
            lambda name, *rest: None if name in modules else find(name, *rest),
        )

    return hide


@pytest.mark.parametrize(
    ("module", "options", "extra"),
    [
        ("matplotlib", ["--report", "{example}/votes.csv"], "report"),
        ("pyarrow", ["{folder}/votes.parquet"], "parquet"),
    ],
)
def test_a_command_without_its_extra_ends_with_one_line(
    without, capsys, tmp_path, module, options, extra
):
    """It names the extra, before anything is computed or written."""
    without(module)
    (tmp_path / "votes.parquet").write_bytes(b"PAR1")
    given = [one.format(example=EXAMPLE, folder=tmp_path) for one in options]
    assert main(["evaluate", *given, "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[-1].endswith(
        f"needs {module}, which is not installed: pip install 'crowdgold[{extra}]'"
    )
    assert len(said.err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_package_that_no_extra_brings_is_a_fault_of_ours(monkeypatch, tmp_path):
    """Its trace is not hidden."""

    def broken(*asked):
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr("crowdgold.cli.evaluate._settings", broken)
    with pytest.raises(ModuleNotFoundError, match="numpy"):
        main(["evaluate", str(EXAMPLE / "votes.csv"), "--out", str(tmp_path / "out")])


def test_a_fit_by_stan_says_what_to_install(without):
    without("cmdstanpy")
    with pytest.raises(ModuleNotFoundError, match=r"'vote', which .* 'crowdgold\[stan\]'"):
        StanModels().load("vote")


def test_without_cmdstanpy_what_stan_samples_is_left_out_in_one_sentence(without):
    without("cmdstanpy")
    found = compiled.load_models(["MAVEN", "CLARA", "DS"], None)
    assert set(found) == {"MAVEN", "DS"}
    assert len(set(found.values())) == 1
    assert "pip install 'crowdgold[stan]'" in found["DS"]
