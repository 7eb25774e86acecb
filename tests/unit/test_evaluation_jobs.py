"""An evaluation in jobs of a workflow: what it writes is what `crowdgold evaluate` writes."""

import json
from pathlib import Path

import pytest

import crowdgold
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.run import (
    Source,
    evaluate_checked,
    gather,
    prepare,
    read_and_check,
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


def test_jobs_in_any_order_write_what_the_command_writes(tmp_path):
    """All files byte for byte, but for the time. Jobs are run backwards, each from files."""
    stan = StanModels()
    study, check = read_and_check(SOURCE, SETTINGS)
    direct = evaluate_checked(study, check, SOURCE, SETTINGS, stan, 1, print)
    write_evaluation(direct, check, tmp_path / "direct")
    prepare(SOURCE, SETTINGS, tmp_path / "study")
    places = sorted(int(file.stem) for file in (tmp_path / "study").glob("*.job"))
    assert len(places) == 3  # what is the same for all models, and AutoEval of two models
    parts = [tmp_path / f"{place}.pickle" for place in places]
    for place in reversed(places):
        run_one(tmp_path / "study", place, stan, parts[place])
    gather(tmp_path / "study", parts, stan, tmp_path / "joined")
    names = sorted(file.name for file in (tmp_path / "direct").iterdir())
    assert names == sorted(file.name for file in (tmp_path / "joined").iterdir())
    for name in set(names) - {"study.json"}:
        written = [(tmp_path / of / name).read_bytes() for of in ("direct", "joined")]
        assert written[0] == written[1], name
    one, other = (_without_time(tmp_path / of / "study.json") for of in ("direct", "joined"))
    assert one == other
    # The control: other jobs in a place are noticed.
    gather(tmp_path / "study", [parts[0], parts[0], parts[0]], stan, tmp_path / "swapped")
    swapped = (tmp_path / "swapped/estimates.csv").read_bytes()
    assert swapped != (tmp_path / "direct/estimates.csv").read_bytes()


def _without_time(path):
    summary = json.loads(path.read_text())
    del summary["seconds"], summary["date"]
    for fit in summary["fits"]:
        del fit["seconds"]
    return summary


def test_a_file_that_cannot_be_used_leaves_nothing(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv"):
        prepare(Source([tmp_path / "none.csv"]), SETTINGS, tmp_path / "study")
    assert not (tmp_path / "study").exists()
