"""The way of a number, as docs/contributing.md tells it, held against a number that is made."""

import json
import os
import re
import sys
from itertools import pairwise

import pytest

from .conftest import ROOT, run

PAGE = (ROOT / "docs/contributing.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## The way of a number")[2].partition("\n## ")[0]
HOPS = re.findall(r"^\d+\. `([^`]+)`", SECTION, re.MULTILINE)
_LISTS = SECTION.split("\n### ")
CARRIERS, READERS = (re.findall(r"^- `([^`]+)`", text, re.MULTILINE) for text in _LISTS[1:])
LIBRARY = "src/crowdgold/"
PLAN = "src/crowdgold/experiment/plan.py"
"""A hop where the number is a block of YAML, of which nothing is an array yet."""


@pytest.fixture(scope="module")
def traced(compiled, tmp_path_factory):
    folder = tmp_path_factory.mktemp("way")
    for model in ("vote", "score"):
        (folder / model).symlink_to(compiled(model))
    source = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    said = run(sys.executable, ROOT / "tests/workflow/traced_way.py", folder, env=source)
    return json.loads(next(line for line in said.splitlines() if line.startswith("{")))


def modules(files):
    return {file for file in files if file.startswith(LIBRARY)} - {PLAN}


def test_the_page_names_every_file_that_the_number_passes_and_no_other(traced):
    passed = {file for stage, files in traced.items() if stage != "stan" for file in files}
    assert modules([*HOPS, *CARRIERS, *READERS]) == passed
    assert {file for file in HOPS if file.startswith("stan/")} == set(traced["stan"])


def test_the_hops_after_a_script_are_passed_in_its_job(traced):
    for stage in ("simulate", "estimate", "summarise", "figures"):
        start = HOPS.index(f"scripts/{stage}.py") + 1
        ends = (place for place in range(start, len(HOPS)) if HOPS[place].endswith(".smk"))
        after = modules(HOPS[start : next(ends, len(HOPS))])
        assert after
        assert after <= set(traced[stage])


def test_each_file_is_named_once_and_they_are_counted():
    named = [*HOPS, *CARRIERS, *READERS]
    assert len(set(named)) == len(named)
    assert all((ROOT / file).is_file() for file in named)
    assert HOPS[0].endswith(".yaml")
    counts = f"{len(HOPS)} hops, {len(CARRIERS)} files that carry and {len(READERS)} that only read"
    assert counts in " ".join(SECTION.split())


def test_every_rule_of_the_way_runs_the_script_after_it():
    rules = [rule for rule in HOPS if rule.endswith(".smk")]
    assert len(rules) == len([script for script in HOPS if script.startswith("scripts/")])
    for rule, script in pairwise(HOPS):
        if rule.endswith(".smk"):
            assert f'"../../{script}"' in (ROOT / rule).read_text(encoding="utf-8")
