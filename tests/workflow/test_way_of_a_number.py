"""The way of a number, as docs/contributing.md tells it: its files are there, and it is short."""

import re
from itertools import pairwise

import pytest

from crowdgold.experiments.provenance.dependencies import rule_files

from .conftest import ROOT

PAGE = ROOT / "docs/contributing.md"
MOST = 25
USED = {
    "simulate.py": {"simulator": ["irt"], "dataset": []},
    "estimate.py": {"method": ["MAVEN"]},
    "summarise.py": {"method": []},
    "figures.py": {"plot": ["error_and_width"], "method": []},
}
"""Script -> what its job uses where it is about the number of the page."""


def hops(text):
    """The files of the page's list, in their order."""
    section = text.partition("## The way of a number")[2].partition("\n## ")[0]
    return re.findall(r"^\d+\. `([^`]+)`", section, re.MULTILINE)


WAY = hops(PAGE.read_text(encoding="utf-8"))


def test_a_number_passes_few_files_each_once():
    assert 10 < len(WAY) <= MOST
    assert len(set(WAY)) == len(WAY)
    assert WAY[0].endswith(".yaml")


@pytest.mark.parametrize("file", WAY)
def test_a_file_of_the_way_is_there(file):
    assert (ROOT / file).is_file()


@pytest.mark.parametrize("script", USED)
def test_the_modules_after_a_script_are_those_that_its_job_depends_on(script):
    start = WAY.index(f"scripts/{script}") + 1
    ends = (place for place in range(start, len(WAY)) if WAY[place].endswith(".smk"))
    modules = [file for file in WAY[start : next(ends, len(WAY))] if file.endswith(".py")]
    found = {
        path.resolve().relative_to(ROOT.resolve()).as_posix()
        for path in rule_files(ROOT / "scripts" / script, USED[script])
    }
    assert modules
    assert set(modules) <= found
    other = "src/crowdgold/studies/clara/plots/days.py"
    assert (ROOT / other).is_file()
    assert other not in found, "the control: a module that the number does not pass"


def test_every_rule_of_the_way_runs_the_script_after_it():
    for rule, script in pairwise(WAY):
        if rule.endswith(".smk"):
            assert f'"../../{script}"' in (ROOT / rule).read_text(encoding="utf-8")
