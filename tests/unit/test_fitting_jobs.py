"""A job of an evaluation: chains that fail their gate run longer, and whatever fails is said."""

from dataclasses import replace

import numpy as np
import pytest

from crowdgold.data.own import read_study
from crowdgold.evaluation.own_study import Settings, fitting
from crowdgold.evaluation.own_study.jobs import Job, find_strata
from crowdgold.models.diagnostics import Diagnostics
from crowdgold.models.stan import SamplingError, StanModels
from unit.test_evaluate_command import EXAMPLE

SHORT = {"chains": 2, "warmup": 10, "draws": 20, "lag": 1}
LONGER = {**SHORT, "lag": 2}


@pytest.fixture(scope="module")
def study():
    return read_study([EXAMPLE / "votes.csv", EXAMPLE / "gold.csv"])


def run(study, method="CLARA"):
    settings = Settings(methods=(method,), metrics=("prevalence", "TPR_H"), resamples=5)
    strata = {one.name: one for one in find_strata(study)[0]}
    return fitting.run_job(Job("all", (method,), ""), study, settings, strata, StanModels())


@pytest.mark.parametrize("passed", [True, False])
def test_clara_runs_longer_where_its_gate_fails(study, monkeypatch, passed):
    """The second fit is what counts, whatever its own gate says: here the first one's prevalence is
    put far off. Where the first passes, it is the only one."""
    fits = []

    def fit(method, data, rng, settings):
        found = true_fit(method, data, rng, settings)
        labels = found.labels
        if not fits:
            labels = replace(labels, prevalence=np.full_like(labels.prevalence, 0.5))
        chains = Diagnostics(failures=() if passed or fits else ("R-hat 1.5",))
        fits.append(settings)
        return replace(found, labels=labels, diagnostics=chains)

    true_fit = fitting.fit
    monkeypatch.setattr(fitting, "fit", fit)
    monkeypatch.setattr(fitting, "CLARA_SETTINGS", SHORT)
    monkeypatch.setattr(fitting, "CLARA_LONGER", LONGER)
    (found,) = run(study)
    assert fits == ([SHORT] if passed else [SHORT, LONGER])
    assert found.diagnostics.passed
    (prevalence,) = [one for one in found.estimates if one.metric == "prevalence"]
    assert (prevalence.estimate == 0.5) == passed
    assert found.annotators


def test_clara_does_not_run_longer_on_many_labels(study, monkeypatch):
    """Then its failed gate is said."""
    failed = Diagnostics(failures=("R-hat 1.5",))
    fits = []

    def fit(method, data, rng, settings):
        fits.append(settings)
        return replace(true_fit(method, data, rng, settings), diagnostics=failed)

    true_fit = fitting.fit
    monkeypatch.setattr(fitting, "fit", fit)
    monkeypatch.setattr(fitting, "CLARA_SETTINGS", SHORT)
    monkeypatch.setattr(fitting, "MOST_LABELS_LONGER", 10)
    (found,) = run(study)
    assert fits == [SHORT]
    assert found.diagnostics.problems == ["R-hat 1.5"]


def test_longer_is_longer():
    assert fitting.CLARA_LONGER["warmup"] > fitting.CLARA_SETTINGS["warmup"]
    assert fitting.CLARA_LONGER["lag"] > fitting.CLARA_SETTINGS["lag"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("m"), "KeyError: 'm'"),
        (AssertionError(), "AssertionError"),
        (IndexError("out of\n  bounds"), "IndexError: out of bounds"),
        (SamplingError("the chain ended"), "the chain ended"),
    ],
)
def test_whatever_fails_is_a_problem_of_its_method(study, monkeypatch, error, said):
    def fails(*given):
        raise error

    monkeypatch.setattr(fitting, "fit", fails)
    (found,) = run(study, "GT")
    assert (found.method, found.problem) == ("GT", said)


def test_an_interrupt_is_none(study, monkeypatch):
    def ends(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(fitting, "fit", ends)
    with pytest.raises(KeyboardInterrupt):
        run(study, "GT")
