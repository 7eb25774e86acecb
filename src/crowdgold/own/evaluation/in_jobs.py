"""An evaluation in jobs of a workflow: planned, run one by one, and joined from their files.

The files are pickles: of this program, for this program, and gone with the results. Numbers are
those of `evaluate_checked`, whatever the order of the jobs.
"""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crowdgold.data.outputs import unfinished
from crowdgold.models.stan import StanModels
from crowdgold.own.check.data import DataCheck
from crowdgold.own.evaluation.assumed_errors import assumed_errors
from crowdgold.own.evaluation.files import (
    Source,
    read_and_check,
    with_source,
    write_evaluation,
)
from crowdgold.own.evaluation.fitting import Found, run_job
from crowdgold.own.evaluation.planned import Planned, plan_study
from crowdgold.own.evaluation.questions import Settings
from crowdgold.own.evaluation.study import join_found

STUDY = "study.pickle"


@dataclass(frozen=True)
class Prepared:
    """A study that has been read, checked and split into jobs."""

    source: Source
    check: DataCheck
    planned: Planned


def _write(content: Any, path: Path) -> None:
    with unfinished(path) as own:
        own.write_bytes(pickle.dumps(content))


def _read(path: Path) -> Any:
    return pickle.loads(path.read_bytes())  # noqa: S301 (made by `_write`)


def prepare(source: Source, settings: Settings, folder: Path) -> None:
    """Read, check and split a study; write it, and a file JOB.job for each job, named by its place.

    Raises:
        UnsupportedError: where it supports no method, or no metric that is asked for.
        InputError: where files or settings cannot be used.
    """
    study, check = read_and_check(source, settings)
    planned = plan_study(study, settings)
    folder.mkdir(parents=True, exist_ok=True)
    for place, job in enumerate(planned.jobs):
        (folder / f"{place}.job").write_text(f"{job}\n", encoding="utf-8")
    _write(Prepared(source, check, planned), folder / STUDY)


def run_one(folder: Path, place: int, stan: StanModels, out: Path) -> None:
    """Run a job of a prepared study, and write what it finds."""
    planned: Planned = _read(folder / STUDY).planned
    found = run_job(planned.jobs[place], planned.study, planned.settings, planned.strata, stan)
    _write(found, out)


def gather(folder: Path, parts: Sequence[Path], stan: StanModels, out: Path) -> None:
    """Join what the jobs found, and write the evaluation.

    Args:
        folder: of the prepared study.
        parts: what each job found, in the order of the jobs.
        stan: the compiled models, for their version.

    Raises:
        UnsupportedError: where no metric that is asked for has an estimate.
    """
    prepared: Prepared = _read(folder / STUDY)
    found: list[Found] = [one for part in parts for one in _read(part)]
    seconds = sum(one.seconds for one in found)
    planned = prepared.planned
    assumed = assumed_errors(planned.study, planned.settings, planned.strata)
    joined = join_found(planned, found, prepared.check, seconds, assumed)
    evaluation = with_source(joined, prepared.check, prepared.source, stan)
    write_evaluation(evaluation, prepared.check, out)
