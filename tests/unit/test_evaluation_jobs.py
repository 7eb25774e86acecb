"""An evaluation in jobs of a workflow: what it writes is what `crowdgold evaluate` writes."""

import json
from pathlib import Path

import pytest

import crowdgold
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.study import (
    Source,
    check_study,
    evaluate_checked,
    gather,
    prepare,
    run_one,
    write_evaluation,
)
from crowdgold.models.stan import StanModels
from crowdgold.types.errors import InputError

EXAMPLE = Path(crowdgold.__file__).parent / "example"
SOURCE = Source([EXAMPLE / f"{name}.csv" for name in ("votes", "gold", "scores")])
SETTINGS = Settings(
    methods=("logistic-R", "GT", "GT+MV", "Rogan-Gladen", "AutoEval"),
    metrics=("prevalence", "AUC"),
)
ASKED = SOURCE, SETTINGS


def test_jobs_in_any_order_write_what_the_command_writes(tmp_path):
    """All files byte for byte, but for the time. Jobs are run backwards, each from files."""
    stan = StanModels()
    study = SOURCE.read()
    check = check_study(study, SETTINGS)
    direct = evaluate_checked(study, check, SOURCE, SETTINGS, stan, 1, print)
    write_evaluation(direct, check, tmp_path / "direct")
    prepare(*ASKED, tmp_path / "study")
    places = sorted(int(file.stem) for file in (tmp_path / "study").glob("*.job"))
    assert len(places) == 3  # what is the same for all models, and AutoEval of two models
    parts = [tmp_path / f"{place}.job" for place in places]
    for place in reversed(places):
        run_one(*ASKED, tmp_path / "study", place, stan, parts[place])
    gather(*ASKED, tmp_path / "study", parts, stan, tmp_path / "joined")
    names = sorted(file.name for file in (tmp_path / "direct").iterdir())
    assert names == sorted(file.name for file in (tmp_path / "joined").iterdir())
    for name in set(names) - {"study.json"}:
        written = [(tmp_path / of / name).read_bytes() for of in ("direct", "joined")]
        assert written[0] == written[1], name
    one, other = (_without_time(tmp_path / of / "study.json") for of in ("direct", "joined"))
    assert one == other
    # The control: other jobs in a place are noticed.
    gather(*ASKED, tmp_path / "study", [parts[0], parts[0], parts[0]], stan, tmp_path / "swapped")
    swapped = (tmp_path / "swapped/estimates.csv").read_bytes()
    assert swapped != (tmp_path / "direct/estimates.csv").read_bytes()


def _without_time(path):
    summary = json.loads(path.read_text())
    del summary["seconds"], summary["date"]
    for fit in summary["fits"]:
        del fit["seconds"]
    return summary


def test_what_does_not_fit_the_jobs_is_refused(tmp_path):
    """A file that is not there leaves nothing; one that changed since; half of a result."""
    votes, study = tmp_path / "votes.csv", tmp_path / "study"
    source = Source([votes, SOURCE.paths[1]])
    with pytest.raises(InputError, match=r"votes\.csv"):
        prepare(source, SETTINGS, study)
    assert not study.exists()
    votes.write_bytes(SOURCE.paths[0].read_bytes())
    settings = Settings(methods=("GT",), metrics=("prevalence",))
    prepare(source, settings, study)
    run_one(source, settings, study, 0, StanModels(), tmp_path / "0.job")
    (tmp_path / "half.job").write_bytes((tmp_path / "0.job").read_bytes()[:-9])
    with pytest.raises(InputError, match=r"half\.job: damaged"):
        gather(source, settings, study, [tmp_path / "half.job"], StanModels(), tmp_path / "out")
    votes.write_text("".join(votes.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(InputError, match=r"votes\.csv: changed since"):
        run_one(source, settings, study, 0, StanModels(), tmp_path / "1.job")
    assert not (tmp_path / "1.job").exists()
