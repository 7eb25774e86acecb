"""From the files of a user to the folder of an evaluation, at once or in jobs of a workflow.

The files of jobs are pickles: of this program, for this program, and gone with the results. Numbers
are those of `evaluate_checked`, whatever the order of the jobs.
"""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from crowdgold.checking.study import DataCheck, check_data
from crowdgold.evaluation.assumed_errors import assumed_errors
from crowdgold.evaluation.fitting import Found, run_job
from crowdgold.evaluation.folder import Answered, Evaluation, write_folder
from crowdgold.evaluation.headline import NO_MODEL
from crowdgold.evaluation.jobs import chosen_methods
from crowdgold.evaluation.processes import Say
from crowdgold.evaluation.questions import Settings, check_settings
from crowdgold.evaluation.run_key import versions
from crowdgold.evaluation.study import (
    Planned,
    UnsupportedError,
    evaluate_study,
    join_found,
    plan_study,
)
from crowdgold.methods.method import MODEL
from crowdgold.methods.registry import with_role
from crowdgold.models.stan import StanModels
from crowdgold.reading.options import Reading
from crowdgold.reading.study import Study, read_study
from crowdgold.system.temporary import unfinished


@dataclass(frozen=True)
class Source:
    """The files of a study, and how they are read."""

    paths: Sequence[Path]  # votes, gold labels and scores, in one file or several
    reading: Reading = field(default_factory=Reading)  # what is said of them

    def read(self) -> Study:
        """The study; an `InputError` where it cannot be read."""
        return read_study(self.paths, **vars(self.reading))


def read_and_check(source: Source, settings: Settings) -> tuple[Study, DataCheck]:
    """A study, and what it can support; errors are those of `check_study`."""
    study = source.read()
    return study, check_study(study, settings)


def check_study(study: Study, settings: Settings) -> DataCheck:
    """What a study can support.

    Raises an `UnsupportedError` where that is no method, an `InputError` where settings are wrong.
    """
    check_settings(settings, study.items.predictors)
    study = study.with_expert_error(settings.expert_error)
    rng = np.random.default_rng(settings.seed)
    check = check_data(study, rng, level=settings.interval_level)
    if not check.supported:
        why = "\n".join(f"  - {one.method}: {one.why}" for one in check.verdicts)
        raise UnsupportedError(f"these data support no method:\n{why}")
    return check


def require_answers(evaluation: Evaluation) -> None:
    """Raise an `UnsupportedError` where no metric has an estimate or a range, with the reasons.

    A range is no answer to someone who named methods none of which can run on these data.
    """
    if evaluation.tables["estimates"]["estimate"].notna().any():
        return
    not_run = evaluation.summary["not_run"]
    lacking = {one["method"] for one in not_run if not one["failed"]}
    asked = set(evaluation.summary["settings"]["methods"])
    none_named = asked in [set(chosen_methods(None, models)) for models in (True, False)]
    ranges = [one["range"] for one in evaluation.summary["headlines"] if one["range"]]
    if any(one["lower"] is not None for one in ranges) and (none_named or asked - lacking):
        return
    reasons = [f"{one['method']}: {one['reason']}" for one in not_run]
    for one in evaluation.summary["headlines"]:
        reasons += [f"{one['metric']}, {why}" for why in one["passed_over"]]
    if not evaluation.summary["strata"][0]["gold"] and not set(with_role(MODEL)) & asked:
        reasons.insert(0, NO_MODEL)
    reasons += evaluation.summary["notes"]
    lines = "\n".join(f"  - {why}" for why in dict.fromkeys(reasons))
    raise UnsupportedError(f"no metric that was asked for has an estimate:\n{lines}")


def evaluate_checked(
    study: Study, check: DataCheck, source: Source, settings: Settings, stan: StanModels,
    cores: int, say: Say, answered: Answered = lambda evaluation: None, keep: Path | None = None,
) -> Evaluation:  # fmt: skip
    """As `evaluate_study`, with what a study was made from; errors are those of `with_source`."""
    evaluation = evaluate_study(study, settings, stan, cores, say, check, answered, keep)
    return with_source(evaluation, check, source, stan)


def with_source(
    evaluation: Evaluation, check: DataCheck, source: Source, stan: StanModels
) -> Evaluation:
    """An evaluation that says what it was made from.

    Raises an `UnsupportedError` where no metric that is asked for has an estimate.
    """
    require_answers(evaluation)
    about = {
        "date": date.today().isoformat(),
        "files": [str(path) for path in source.paths],
        "reading": {**vars(source.reading), "columns": dict(source.reading.columns)},
        "versions": versions(stan),
        "warnings": list(check.warnings),
    }  # fmt: skip
    return Evaluation(evaluation.tables, {**about, **evaluation.summary})


def write_evaluation(
    evaluation: Evaluation, check: DataCheck, out: Path, options: bytes | None = None,
    force: bool = False,
) -> Path | None:  # fmt: skip
    """Write the folder of an evaluation, with the check as `crowdgold check --json` has it.

    `options` are the study file that repeats it, if it was asked for by one. What is no earlier
    evaluation gives way by `force`, and is kept under the name that is returned. Raises an
    `InputError` where nothing can be written.
    """
    about = {name: evaluation.summary[name] for name in ("files", "notes")}
    seed = evaluation.summary["settings"]["seed"]
    checked = {**about, **vars(check), "supported": check.supported, "seed": seed}
    return write_folder(evaluation.tables, evaluation.summary, checked, out, options, force)


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

    Errors are those of `check_study` and `plan_study`.
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
    """Join what the jobs of a prepared study found, in their order, and write the evaluation.

    Raises an `UnsupportedError` where no metric that is asked for has an estimate.
    """
    prepared: Prepared = _read(folder / STUDY)
    found: list[Found] = [one for part in parts for one in _read(part)]
    planned, check, seconds = prepared.planned, prepared.check, sum(one.seconds for one in found)
    assumed = assumed_errors(planned.study, planned.settings, planned.strata)
    joined = join_found(planned, found, check, seconds, assumed)
    write_evaluation(with_source(joined, check, prepared.source, stan), check, out)
