"""Jobs of an evaluation: what each says, and that in a workflow they write the same files."""

import json
from dataclasses import replace

import numpy as np
import pytest

from crowdgold.evaluation import fitting
from crowdgold.evaluation.jobs import plan_study
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.study import (
    check_study,
    evaluate_checked,
    gather,
    prepare,
    run_one,
    write_evaluation,
)
from crowdgold.models.stan import SamplingError, StanModels
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.reading.study import StudyFiles
from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note
from unit.made_files import EXAMPLE

FILES = StudyFiles([EXAMPLE / f"{name}.csv" for name in ("votes", "gold", "scores")])
SETTINGS = Settings(
    methods=("logistic-R", "GT", "GT+MV", "Rogan-Gladen", "AutoEval"),
    metrics=("prevalence", "AUC"),
)
ASKED = FILES, SETTINGS


def content(folder):
    """All that a folder holds, byte for byte, but for the day and the measured seconds."""
    held = {one.name: one.read_bytes() for one in folder.iterdir()}
    summary = json.loads(held.pop("study.json"))
    del summary["seconds"], summary["date"]
    for one in summary["fits"]:
        del one["seconds"]
    return summary, held


def test_jobs_in_any_order_write_what_the_command_writes(tmp_path):
    """Jobs are run backwards, each from files. Control: other jobs in a place are noticed."""
    stan, study = StanModels(), FILES.read()
    check = check_study(study, SETTINGS)
    direct = evaluate_checked(study, check, SETTINGS, stan, 1, print)
    write_evaluation(direct, check, tmp_path / "direct")
    prepare(*ASKED, tmp_path / "study")
    places = sorted(int(file.stem) for file in (tmp_path / "study").glob("*.job"))
    assert len(places) == 3  # what is the same for all models, and AutoEval of two models
    parts = [tmp_path / f"{place}.job" for place in places]
    for place in reversed(places):
        run_one(*ASKED, tmp_path / "study", place, stan, parts[place])
    gather(*ASKED, tmp_path / "study", parts, stan, tmp_path / "joined")
    assert content(tmp_path / "joined") == content(tmp_path / "direct")
    assert {"crowdgold", "python", "numpy"} <= set(content(tmp_path / "joined")[0]["versions"])
    gather(*ASKED, tmp_path / "study", [parts[0]] * 3, stan, tmp_path / "swapped")
    assert content(tmp_path / "swapped")[1] != content(tmp_path / "direct")[1]


def test_what_does_not_fit_the_jobs_is_refused(tmp_path):
    """A file that is not there, which leaves nothing; half of a result; a file that changed."""
    votes, study = tmp_path / "votes.csv", tmp_path / "study"
    asked = StudyFiles([votes, FILES.paths[1]]), Settings(("GT",), ("prevalence",))
    with pytest.raises(InputError, match=r"votes\.csv"):
        prepare(*asked, study)
    assert not study.exists()
    votes.write_bytes(FILES.paths[0].read_bytes())
    prepare(*asked, study)
    run_one(*asked, study, 0, StanModels(), tmp_path / "0.job")
    (tmp_path / "half.job").write_bytes((tmp_path / "0.job").read_bytes()[:-9])
    with pytest.raises(InputError, match=r"half\.job: damaged"):
        gather(*asked, study, [tmp_path / "half.job"], StanModels(), tmp_path / "out")
    votes.write_text("".join(votes.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(InputError, match="changed since the evaluation was split into jobs"):
        run_one(*asked, study, 0, StanModels(), tmp_path / "1.job")
    assert not (tmp_path / "1.job").exists()


@pytest.fixture(scope="module")
def planned():
    """A study with one job, of GT."""
    study = StudyFiles(FILES.paths[:2]).read()
    return plan_study(study, Settings(methods=("GT",), metrics=("prevalence", "TPR_H")))


def run(planned):
    (found,) = fitting.run_job(planned.jobs[0], planned, StanModels())
    return found


def test_chains_that_fail_are_said_and_their_numbers_are_there(planned, monkeypatch):
    """Diagnostics are no reason to say nothing."""
    failed, fit = Diagnostics(failures=("R-hat 1.5",)), fitting.fit
    monkeypatch.setattr(fitting, "fit", lambda *given: replace(fit(*given), diagnostics=failed))
    found = run(planned)
    assert (found.diagnostics.problems, found.problem) == (["R-hat 1.5"], None)
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
    planned, monkeypatch, error, said
):
    def fails(*given):
        raise error

    monkeypatch.setattr(fitting, "fit", fails)
    if said is None:
        with pytest.raises(KeyboardInterrupt):
            run(planned)
    else:
        found = run(planned)
        assert (found.method, found.problem) == ("GT", Note("failed", {"error": said}))
