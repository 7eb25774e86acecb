"""A job of an evaluation: what it says of a method, and why where it says nothing."""

from dataclasses import replace

import numpy as np
import pytest

from crowdgold.evaluation import fitting
from crowdgold.evaluation.jobs import Job, find_strata
from crowdgold.evaluation.questions import Settings
from crowdgold.models.stan import SamplingError, StanModels
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.reading.study import read_study
from unit.test_evaluate_command import EXAMPLE


@pytest.fixture(scope="module")
def study():
    return read_study([EXAMPLE / "votes.csv", EXAMPLE / "gold.csv"])


def run(study, method="GT"):
    settings = Settings(methods=(method,), metrics=("prevalence", "TPR_H"))
    strata = {one.name: one for one in find_strata(study)[0]}
    return fitting.run_job(Job("all", (method,), ""), study, settings, strata, StanModels())


def estimates(found):
    return found.sample.estimates(found.named, 0.95)


def test_chains_that_fail_are_said_and_their_numbers_are_there(study, monkeypatch):
    """Diagnostics are no reason to say nothing."""
    failed = Diagnostics(failures=("R-hat 1.5",))

    def fit(method, data, rng, settings, stan):
        return replace(true_fit(method, data, rng, settings, stan), diagnostics=failed)

    true_fit = fitting.fit
    monkeypatch.setattr(fitting, "fit", fit)
    (found,) = run(study, "GT")
    assert found.diagnostics.problems == ["R-hat 1.5"]
    assert found.problem == ""
    assert [one.metric for one in estimates(found)] == ["prevalence", "TPR_H"]
    assert np.isfinite([one.estimate for one in estimates(found)]).all()


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
