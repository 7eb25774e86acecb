"""A job of an evaluation: what it says of a method, and why where it says nothing."""

from dataclasses import replace

import numpy as np
import pytest

from crowdgold.evaluation import fitting
from crowdgold.evaluation.jobs import plan_study
from crowdgold.evaluation.questions import Settings
from crowdgold.models.stan import SamplingError, StanModels
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.reading.study import read_study
from unit.made_files import EXAMPLE


@pytest.fixture(scope="module")
def study():
    return read_study([EXAMPLE / "votes.csv", EXAMPLE / "gold.csv"])


def run(study):
    planned = plan_study(study, Settings(methods=("GT",), metrics=("prevalence", "TPR_H")))
    (job,) = planned.jobs
    return fitting.run_job(job, planned, StanModels())


def test_chains_that_fail_are_said_and_their_numbers_are_there(study, monkeypatch):
    """Diagnostics are no reason to say nothing."""
    failed, true_fit = Diagnostics(failures=("R-hat 1.5",)), fitting.fit
    monkeypatch.setattr(
        fitting, "fit", lambda *given: replace(true_fit(*given), diagnostics=failed)
    )
    (found,) = run(study)
    assert (found.diagnostics.problems, found.problem) == (["R-hat 1.5"], "")
    estimates = found.sample.estimates(found.named, 0.95)
    assert [one.metric for one in estimates] == ["prevalence", "TPR_H"]
    assert np.isfinite([one.estimate for one in estimates]).all()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("m"), "KeyError: 'm'"),
        (AssertionError(), "AssertionError"),
        (IndexError("out of\n  bounds"), "IndexError: out of bounds"),
        (SamplingError("the chain ended"), "the chain ended"),
        (KeyboardInterrupt(), None),
    ],
)
def test_whatever_fails_but_an_interrupt_is_a_problem_of_its_method(
    study, monkeypatch, error, said
):
    def fails(*given):
        raise error

    monkeypatch.setattr(fitting, "fit", fails)
    if said is None:
        with pytest.raises(KeyboardInterrupt):
            run(study)
    else:
        (found,) = run(study)
        assert (found.method, found.problem) == ("GT", said)
