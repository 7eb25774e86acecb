"""Methods that lie outside the library: a file, or an entry point, and no change of the library."""

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.study import evaluate_study
from crowdgold.experiment import configuration
from crowdgold.experiment.registries import known_names, rule_files
from crowdgold.experiment.schema import read_schema
from crowdgold.inference.labels import LabelPrediction
from crowdgold.methods import registry
from crowdgold.methods.registry import METHODS, fit
from crowdgold.models.stan import StanModels
from crowdgold.plots.style import method_order, style_of
from crowdgold.presentation.answers import assumptions_of
from crowdgold.reading.study import Study
from crowdgold.types.errors import InputError
from unit.reference import make_items
from unit.test_evaluate_study import simulated

ROOT = Path(__file__).parents[2]
NAME = "outside-R"
PAGE = (ROOT / "docs/contributing.md").read_text().split("```python\n")[1].split("```")[0]
SHOWN = PAGE.replace("smooth-votes-R", NAME)
"""The file of a method that docs/contributing.md shows, by a name that no method of ours has."""


@pytest.fixture
def own():
    """What is registered in a test is gone after it."""
    modules = set(sys.modules)
    with patch.dict(registry.METHODS), patch.dict(registry.MODULES):
        yield
    for name in set(sys.modules) - modules:
        if name.startswith(("crowdgold_method_", "package_of_others")):
            del sys.modules[name]


@pytest.fixture
def outside(own, tmp_path):
    path = tmp_path / "smooth_votes.py"
    path.write_text(SHOWN)
    registry.register(path)
    return path


def prediction(settings):
    items = make_items([0, 1, 3], [2, 2, 3], [0, 1, -1])
    labels = fit(NAME, items, np.random.default_rng(0), settings).labels
    assert isinstance(labels, LabelPrediction)
    return labels.probability["A"].tolist()


def test_the_method_of_the_documentation_is_fitted_with_its_settings_checked(outside):
    assert prediction({}) == [0.25, 0.5, 0.8]
    assert prediction({"votes": 0}) == [0, 0.5, 1]
    for given, said in (
        ({"votes": 11}, "votes: found 11, expected 0 or more and at most 10"),
        ({"vote": 1}, "outside-R: no setting 'vote'; did you mean 'votes'"),
    ):
        with pytest.raises(InputError, match=said):
            prediction(given)
    with pytest.raises(InputError, match="outside-R needs gold labels; there are 0"):
        fit(NAME, make_items([0, 1], 2, -1), np.random.default_rng(0))


def test_a_configuration_is_checked_with_its_declaration(outside):
    schema, known = read_schema(ROOT / "workflow/schemas/config.schema.yaml"), known_names()
    parts = [*sorted((ROOT / "config/experiments").glob("*.yaml")), ROOT / "config.yaml"]
    base = configuration.overlay({}, *map(configuration.load, parts))

    def with_votes(votes):
        methods = {"methods": {NAME: {"votes": votes}}}
        block = {"methods": ["GT", NAME]}
        return configuration.overlay(base, methods, {"experiments": {"sensitivity_mu": block}})

    configuration.check(with_votes(2), schema, known)
    with pytest.raises(configuration.ConfigurationError, match=r"votes: found 11, .* maximum: 10"):
        configuration.check(with_votes(11), schema, known)


def test_a_job_depends_on_its_file_and_on_what_that_imports(outside):
    script = ROOT / "scripts/summarise.py"
    with_it, without = (set(rule_files(script, {"method": names})) for names in ([NAME], []))
    assert outside in with_it - without
    assert any(path.name == "labels.py" for path in with_it)
    assert outside in rule_files(ROOT / "scripts/estimate.py", {})


def test_figures_checks_evaluations_and_reports_know_it(outside):
    assert method_order(pd.Series(["new", NAME, "GT"])) == ["GT", "new", NAME]
    assert style_of(NAME).colour == "#557700"
    items = simulated(500, 250)
    asked = Settings(methods=("GT", NAME), metrics=("prevalence",))
    found = evaluate_study(Study(items), asked, StanModels())
    assert {one.method for one in found.summary.fits} == {"GT", NAME}
    again = evaluate_study(Study(items), asked, StanModels())
    assert found.tables["estimates"].equals(again.tables["estimates"])
    assert assumptions_of([NAME], "items")[0][1].startswith("Takes the share of positive votes")


def test_an_entry_point_offers_a_module_and_the_environment_a_file(own, tmp_path, monkeypatch):
    (tmp_path / "package_of_others.py").write_text(SHOWN.replace(NAME, "other"))
    (tmp_path / "third.py").write_text(SHOWN.replace(NAME, "third"))
    monkeypatch.syspath_prepend(tmp_path)
    point = importlib.metadata.EntryPoint("other", "package_of_others", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    monkeypatch.setenv(registry.VARIABLE, str(tmp_path / "third.py"))
    assert not {"other", "third"} & set(METHODS)
    registry._find()
    assert {"other", "third"} < set(METHODS)


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("x = 1\nimport no_such_package\n", r", line 2: .*No module named 'no_such_package'"),
        ("x = (\n", ": .*SyntaxError"),
        ("raise RuntimeError('two\\nlines')\n", ", line 1: .*RuntimeError: two lines"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_named_with_the_cause_in_one_line(
    tmp_path, monkeypatch, code, cause
):
    path = tmp_path / "broken.py"
    path.write_text(code)
    monkeypatch.setenv(registry.VARIABLE, str(path))
    command = [sys.executable, "-m", "crowdgold.cli", "check", "votes.csv"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert re.fullmatch(rf"Error: {path}{cause}.*\n", done.stderr)


def test_two_methods_of_one_name_and_files_without_one_are_refused(outside, tmp_path):
    (tmp_path / "again.py").write_text(SHOWN)
    (tmp_path / "empty.py").write_text("x = 1\n")
    for name, said in (
        ("again", r"another method 'outside-R', of .*smooth_votes"),
        ("empty", "it makes no method"), ("none", "no such file"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=said):
            registry.register(tmp_path / f"{name}.py")
