"""From the files of a user to the folder of an evaluation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from crowdgold.data.own import Reading, Study, read_study
from crowdgold.methods.method import MODEL
from crowdgold.methods.registry import with_role
from crowdgold.models.stan import StanModels
from crowdgold.own.check.data import DataCheck, check_data
from crowdgold.own.evaluation.evaluated import Answered, Evaluation
from crowdgold.own.evaluation.folder import write_folder
from crowdgold.own.evaluation.headline import NO_MODEL
from crowdgold.own.evaluation.jobs import chosen_methods
from crowdgold.own.evaluation.planned import UnsupportedError
from crowdgold.own.evaluation.processes import Say
from crowdgold.own.evaluation.questions import Settings, check_settings
from crowdgold.own.evaluation.run_key import versions
from crowdgold.own.evaluation.study import evaluate_study

AS_IT_STANDS = Reading()
"""Nothing is said of the files."""


@dataclass(frozen=True)
class Source:
    """The files of a study, and how they are read.

    Attributes:
        paths: votes, gold labels and scores, in one file or several.
        reading: what is said of them.
    """

    paths: Sequence[Path]
    reading: Reading = AS_IT_STANDS

    def read(self) -> Study:
        """Read the study; `InputError` where that cannot be done."""
        return read_study(self.paths, **vars(self.reading))


def read_and_check(source: Source, settings: Settings) -> tuple[Study, DataCheck]:
    """Read a study, and check what it can support; errors are those of `check_study`."""
    study = source.read()
    return study, check_study(study, settings)


def check_study(study: Study, settings: Settings) -> DataCheck:
    """Check what a study can support.

    Raises:
        UnsupportedError: where it supports no method.
        InputError: where settings cannot be used.
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
    """Raise `UnsupportedError` where no metric has an estimate or a range, with the reasons.

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
    study: Study,
    check: DataCheck,
    source: Source,
    settings: Settings,
    stan: StanModels,
    cores: int,
    say: Say,
    answered: Answered = lambda evaluation: None,
    keep: Path | None = None,
) -> Evaluation:
    """Evaluate a study; a method that the check finds not usable gives no answer.

    Args:
        check: what they can support.
        source: what they were read from.
        settings: what is asked.
        stan: compiled models; by default they are compiled when first used.
        cores: processes at a time.
        say: told what takes long.
        answered: told what is known before the models are sampled, where there are both.
        keep: the folder for finished jobs, of this run and of one that was stopped.

    Raises:
        UnsupportedError: where no metric that is asked for has an estimate.
    """
    evaluation = evaluate_study(study, settings, stan, cores, say, check, answered, keep)
    return with_source(evaluation, check, source, stan)


def with_source(
    evaluation: Evaluation, check: DataCheck, source: Source, stan: StanModels
) -> Evaluation:
    """Say of an evaluation what it was made from.

    Raises:
        UnsupportedError: where no metric that is asked for has an estimate.
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
    evaluation: Evaluation,
    check: DataCheck,
    out: Path,
    options: bytes | None = None,
    force: bool = False,
) -> Path | None:
    """Write the folder of an evaluation, with the check as `crowdgold check --json` has it.

    Args:
        check: of the data.
        options: the study file that repeats it; None where it was not asked for by one.
        force: whether what is no earlier evaluation gives way.

    Returns:
        the name under which it is kept, if it is.

    Raises:
        InputError: where it cannot be written.
    """
    about = {name: evaluation.summary[name] for name in ("files", "notes")}
    seed = evaluation.summary["settings"]["seed"]
    checked = {**about, **vars(check), "supported": check.supported, "seed": seed}
    return write_folder(evaluation.tables, evaluation.summary, checked, out, options, force)
