"""What is said where a package of an extra is not installed, and what pyproject.toml has in it."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from crowdgold.cli import main
from crowdgold.evaluation import study as compiled
from crowdgold.models.stan import StanModels
from crowdgold.system import packages

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
OPTIONAL = PROJECT["optional-dependencies"]
NAMES = {"sklearn": "scikit-learn", "crowdkit": "crowd-kit"}
"""Module -> its distribution, where they differ."""
EXAMPLE = Path(packages.__file__).parent / "example"


def names(lines):
    return {Requirement(line).name for line in lines}


def test_extras_bring_what_they_are_named_for_and_the_rest_needs_none():
    """The workflow has all but the peers and the networks."""
    optional = {NAMES.get(one, one): extra for one, extra in packages.EXTRA_OF.items()}
    assert not [one for one, extra in optional.items() if one not in names(OPTIONAL[extra])]
    assert not names(PROJECT["dependencies"]) & set(optional)
    own = next(Requirement(line) for line in OPTIONAL["workflow"] if line.startswith("crowdgold"))
    assert own.extras == {"parquet", "report", "stan"}
    assert PROJECT["scripts"] == {"crowdgold": "crowdgold.cli:main"}


@pytest.fixture
def without(monkeypatch):
    """`without("matplotlib")`: as if it were not installed."""
    find = packages.importlib.util.find_spec

    def hide(module):
        def found(name, *rest):
            return None if name == module else find(name, *rest)

        monkeypatch.setattr(packages.importlib.util, "find_spec", found)

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
    (line,) = said.err.splitlines()
    assert said.out == ""
    assert line.endswith(
        f"needs {module}, which is not installed: pip install 'crowdgold[{extra}]'"
    )
    assert not (tmp_path / "out").exists()


def test_a_package_that_no_extra_brings_is_a_fault_of_ours(monkeypatch, tmp_path):
    """Its trace is not hidden."""

    def broken(*asked):
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr("crowdgold.cli.evaluate.settings_of", broken)
    with pytest.raises(ModuleNotFoundError, match="numpy"):
        main(["evaluate", str(EXAMPLE / "votes.csv"), "--out", str(tmp_path / "out")])


def test_without_cmdstanpy_a_fit_says_what_to_install_and_an_evaluation_leaves_it_out(without):
    without("cmdstanpy")
    with pytest.raises(ModuleNotFoundError, match=r"'vote', which .* 'crowdgold\[stan\]'"):
        StanModels().load("vote")
    found = compiled.load_models(["MAVEN", "CLARA", "DS"], None)
    assert set(found) == {"MAVEN", "DS"}
    (why,) = {note.text for note in found.values()}
    assert "pip install 'crowdgold[stan]'" in why
