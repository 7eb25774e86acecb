"""A user's study from its files to the folder of its evaluation, at once or in jobs of a workflow.

Each job of a workflow reads the files again, and writes what it finds as a run that can be stopped
keeps it (`run_key`). Numbers are those of the command, whatever the order of the jobs.
"""

import importlib
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.checking.gold_sample import assess_gold_sample
from crowdgold.checking.scores import notes_on_missing
from crowdgold.checking.study import DataCheck, Foretold, check_data, verdicts_within
from crowdgold.checking.text import as_json
from crowdgold.evaluation import rows
from crowdgold.evaluation.answer import NO_METHOD
from crowdgold.evaluation.assumed_errors import (
    NONE_ASSUMED,
    assumed_errors,
    if_gold_wrong,
    note_on_errors,
)
from crowdgold.evaluation.choosing import (
    NO_MODEL,
    answers_of,
    first_choice,
    notes_on_annotators,
    order_of_choice,
    votes_alone,
    why_set_aside,
    with_ranges,
)
from crowdgold.evaluation.fitting import Finding, run_job
from crowdgold.evaluation.folder import (
    Answered,
    Evaluation,
    FitTold,
    NotRun,
    Source,
    StratumCounts,
    Summary,
    write_folder,
)  # fmt: skip
from crowdgold.evaluation.jobs import (
    ALL,
    JobPlan,
    UnsupportedError,
    chosen_methods,
    is_quick,
    items_of,
    plan_study,
    stream,
)
from crowdgold.evaluation.processes import ENDINGS, Say, run_jobs, signals_held
from crowdgold.evaluation.questions import (
    STANDARD,
    Settings,
    check_settings,
    read_thresholds,
    thresholds_of,
    what_intervals_are_about,
)
from crowdgold.evaluation.run_key import (
    KeptJobs,
    digest_of,
    key_of,
    read_findings,
    versions,
    write_findings,
)
from crowdgold.inference.expert_errors import why_unknown
from crowdgold.inference.interval import price
from crowdgold.inference.rectified import POPULATION
from crowdgold.methods.method import MODEL
from crowdgold.methods.misfit import held_against
from crowdgold.methods.needs import NOT_USABLE
from crowdgold.methods.registry import METHODS, answering, offered, with_role
from crowdgold.metrics.binary import METRICS, THRESHOLD_METRICS
from crowdgold.models.stan import StanModels
from crowdgold.reading.door import Reading
from crowdgold.reading.study import Study, StudyFiles
from crowdgold.system.packages import missing
from crowdgold.system.temporary import process_folder
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items
from crowdgold.types.notes import Note

COMPILERS = 2  # models that are compiled at a time; each takes more than a gigabyte of memory


def _load_all(names: Collection[str], stan: StanModels) -> dict[str, str]:
    """Load models, of which several are compiled at a time; name -> why one cannot be had."""
    failed: dict[str, str] = {}
    pool = ThreadPoolExecutor(COMPILERS)
    try:
        stan.found()
        made = {name: pool.submit(stan.executable, name) for name in names}
        for name, executable in made.items():
            try:
                executable.result()
                stan.load(name)
            except (RuntimeError, OSError) as error:
                failed[name] = str(error)
    except (RuntimeError, OSError) as error:
        return dict.fromkeys(names, str(error))
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)  # who interrupts does not wait for it
        raise
    pool.shutdown()
    return failed


def load_models(methods: Collection[str], stan: StanModels) -> dict[str, Note]:
    """Load the Stan models of methods; they are compiled, with a line that says so, if need be.

    Of a method whose model cannot be had, for lack of a compiler, say, it tells why.
    """
    sampled = {method: METHODS[method].models_with({}) for method in methods}
    if lack := missing("cmdstanpy"):
        without = Note("no_stan", {"package": lack})
        return {method: without for method in methods if sampled[method]}
    with signals_held(ENDINGS):
        before, tempfile.tempdir = tempfile.tempdir, str(process_folder())
        try:
            importlib.import_module("cmdstanpy")  # it makes a folder as it is loaded
        finally:
            tempfile.tempdir = before
    names = dict.fromkeys(name for models in sampled.values() for name in models)
    failed = _load_all(names, stan) if names else {}
    return {
        method: Note("no_stan_model", {"problem": failed[name]})
        for method, models in sampled.items()
        for name in models
        if name in failed
    }


def notes_on_looks(settings: Settings, items: Items, findings: Sequence[Finding]) -> list[Note]:
    """What intervals that hold over all looks cost, with the settings of this look."""
    if settings.one_look is None or settings.anytime is None:
        return []
    ratios: list[float] = []
    for one in findings:
        if one.method == answering() and one.sample is not None and one.named is not None:
            wide, usual = (
                np.array([own.upper - own.lower for own in one.sample.estimates(one.named, level)])
                for level in (settings.interval_level, settings.level)
            )
            known = np.isfinite(wide) & (usual > 0)
            ratios += (wide[known] / usual[known]).tolist()
    labels, planned = int((items.gold != NO_GOLD).sum()), settings.anytime
    costs = []
    if ratios:
        ends = dict.fromkeys(f"{one:.2f}" for one in (min(ratios), max(ratios)))
        costs.append(f"{' to '.join(ends)} times with {labels:,} gold labels")
    if labels < planned or not costs:
        most = price(settings.level, planned, planned)
        costs.append(f"{most:.2f} times with {planned:,}, and more where few labels are of a class")
    values = {"costs": "; ".join(costs), "planned": planned}
    return [Note("looks_past" if labels > planned else "all_looks", values)]


def _notes(settings: Settings, items: Items) -> list[Note]:
    """Say what was decided for lack of a setting, or of scores."""
    notes = list(notes_on_missing(items))
    if items.opinions is not None and items.opinions.number.any() and not why_unknown(items):
        notes.append(Note("no_rates_of_annotators"))
    if not items.predictors:
        of_scores = [name for name in offered() if METHODS[name].needs_scores]
        notes.append(Note("study_without_scores", {"methods": of_scores}))
    if not items.has_votes:
        of_votes = [name for name in settings.metrics if METRICS[name].needs_votes]
        of_votes += [name for name in settings.methods if METHODS[name].needs_votes]
        if of_votes:
            notes.append(Note("study_without_votes", {"names": of_votes}))
    if not set(settings.metrics) & set(THRESHOLD_METRICS):
        return notes
    without = [one for one in items.predictors if not thresholds_of(settings, items, one)]
    if without:
        metrics = [name for name in THRESHOLD_METRICS if name in settings.metrics]
        whose = "its scores are" if len(without) == 1 else "their scores are"
        notes.append(Note("no_threshold", {"models": without, "metrics": metrics, "whose": whose}))
    return notes


def _not_run(
    against: Mapping[tuple[str, str], Note], findings: Sequence[Finding]
) -> Iterator[NotRun]:
    yield from (NotRun(*key, NO_PREDICTOR, why) for key, why in against.items())
    failed = {(one.stratum, one.method, one.model): one.problem for one in findings if one.problem}
    for (stratum, method, model), why in failed.items():
        # A fit that failed is of all models.
        if model == NO_PREDICTOR or (stratum, method, NO_PREDICTOR) not in failed:
            yield NotRun(stratum, method, model, why)


def join_findings(
    planned: JobPlan, findings: Sequence[Finding], check: DataCheck | None, seconds: float,
    assumed: pd.DataFrame,
) -> Evaluation:  # fmt: skip
    """The evaluation from all findings; methods that a check calls not usable give no answer."""
    study, settings, items = planned.study, planned.settings, planned.study.items
    inside = {name: items_of(study, stratum) for name, stratum in planned.strata.items()}
    n_gold = {name: int((part.gold != NO_GOLD).sum()) for name, part in inside.items()}
    sizes = {key: size for name, part in inside.items()
             for key, size in rows.sizes_of(name, part).items()}  # fmt: skip
    estimates = rows.estimate_rows(findings, list(inside), items.predictors, sizes, settings)
    samples, unusable = {}, {}
    for name, part in inside.items():
        if check is not None and name == ALL:
            samples[name], verdicts = check.gold_sample, check.verdicts
        else:
            rng = stream(settings, planned.strata[name], "gold")
            tests = 1 if name == ALL else len(inside) - 1
            samples[name] = assess_gold_sample(part, rng, tests=tests)
            verdicts = (
                ()
                if check is None
                else verdicts_within(check, part, samples[name], study.weights is not None)
            )
        unusable[name] = {one.method: one.against for one in verdicts if one.verdict == NOT_USABLE}
    aside = {name: why_set_aside(sample) for name, sample in samples.items()}
    # Of gold that was surely chosen nothing is answered, and nothing told either.
    wrong = {} if aside.get(ALL) else {ALL: if_gold_wrong(items, settings, assumed)}
    answers = answers_of(estimates, sizes, n_gold, aside, unusable)
    answers, assumes = with_ranges(answers, planned, check)
    weights = {
        name: None if study.weights is None else study.weights[one.rows]
        for name, one in planned.strata.items()
    }
    answers = [
        replace(one, votes_alone=votes_alone(one.of, inside[one.stratum], weights[one.stratum]))
        for one in answers
    ]
    if check is not None and not aside[ALL]:
        answers = [
            replace(one, notes=one.notes + notes_on_annotators(one, check.judges.apart))
            for one in answers
        ]
    strata = [
        StratumCounts(
            name, len(part), int(part.votes_total.sum()), n_gold[name],
            int((part.gold == 1).sum()), int((part.gold == 0).sum()), not samples[name].chosen,
            first_choice(n_gold[name], aside[name], planned.asked(name)),
            what_intervals_are_about(settings.about, len(part)), assumes.get(name), wrong.get(name),
        )
        for name, part in inside.items()
    ]  # fmt: skip
    notes = (
        *study.notes, *planned.notes,
        *note_on_errors(items), *_notes(settings, items),
        *notes_on_looks(settings, items, findings),
    )  # fmt: skip
    fits = [FitTold(one.stratum, one.method, one.model, one.diagnostics, one.seconds)
            for one in findings if not one.problem]  # fmt: skip
    summary = Summary(
        settings, items.predictors,
        {name: thresholds_of(settings, items, name) for name in items.predictors},
        study.weights is not None, notes, tuple(strata),
        held_against(set(estimates["method"])), tuple(fits),
        tuple(_not_run(planned.against, findings)), seconds,
    )  # fmt: skip
    tables = {
        "estimates": estimates.drop(columns="notes", errors="ignore"),
        "curves": rows.curve_rows(findings),
        "items": rows.item_rows(findings, items),
        "annotators": rows.annotator_rows(findings),
        "parameters": rows.parameter_rows(findings),
        "predictive": rows.predictive_rows(findings),
        "expert_errors": assumed,
    }
    return Evaluation(tables, summary, tuple(answers))


def evaluate_study(
    study: Study, settings: Settings, stan: StanModels, cores: int = 1,
    say: Say = lambda line: None, check: DataCheck | None = None,
    answered: Answered = lambda evaluation: None, keep: Path | None = None,
) -> Evaluation:  # fmt: skip
    """Evaluate a study: what needs no sampling first, then the models, compiled where need be.

    Numbers do not depend on how many `cores` work at a time. `say` is told what takes long.
    `answered` is called with the answers of the methods that sample nothing, before the others are
    sampled. Methods that a `check` of the study calls not usable give no answer. Finished jobs, of
    this run and of one that was stopped, are in the folder `keep`. Raises an `UnsupportedError`
    where no metric asked for can be had of these tables, and an `InputError` where a setting cannot
    be used.
    """
    start, planned = time.perf_counter(), plan_study(study, settings)
    quick = [job for job in planned.jobs if is_quick(job.methods)]
    assumed = assumed_errors(planned)
    findings = [one for job in quick for one in run_job(job, planned, stan)]

    def joined() -> Evaluation:
        return join_findings(planned, findings, check, time.perf_counter() - start, assumed)

    if len(quick) == len(planned.jobs):
        KeptJobs(keep, "", say).take_up([])
        return joined()
    if quick:
        answered(joined())
    sampled = [name for name in planned.methods if not is_quick([name])]
    planned = planned.without(load_models(sampled, stan))
    slow = [job for job in planned.jobs if not is_quick(job.methods)]
    kept = KeptJobs(keep, key_of(planned.study, planned.settings, stan), say)
    findings += run_jobs(slow, planned, stan, cores, say, kept)
    return joined()


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


def foretell(study: Study, check: DataCheck, settings: Settings) -> DataCheck:
    """A check with what `evaluate_study` will answer about all items, by its own rule.

    The methods that sample nothing are run, so that their answers are those that it will give.
    Raises what it would of the data.
    """
    planned = plan_study(study, settings)
    quick = replace(planned, strata={ALL: planned.strata[ALL]}, jobs=[
        one for one in planned.jobs if is_quick(one.methods) and one.stratum == ALL
    ])  # fmt: skip
    findings = [one for job in quick.jobs for one in run_job(job, quick, StanModels())]
    found = join_findings(quick, findings, check, 0.0, NONE_ASSUMED) if findings else None
    answers = found.answers if found else ()
    aside = why_set_aside(check.gold_sample)
    usable = {one.method for one in check.verdicts if one.verdict != NOT_USABLE}
    asked = [name for name in planned.asked(ALL) if name in usable]
    gold = check.gold_positive + check.gold_negative
    order, reason = order_of_choice(gold, aside, asked)
    model = next((name for name in order if name in asked), "") if reason else ""
    known = [(one, one.value) for one in answers if one.value and not one.allowed]
    unanswered: dict[str, list[str]] = {}
    for one in answers:
        if one.value is None and one.allowed is None and not model:
            why = "; ".join(passed.text for passed in one.passed_over[:1])
            unanswered.setdefault(why or NO_METHOD, []).append(one.of.in_words)
    return replace(check, foretold=Foretold(
        tuple(dict.fromkeys(value.method for _, value in known)), model,
        {one.of.in_words: (half, one.of.words.in_per_cent) for one, value in known
         if (half := value.half) is not None},
        {why: tuple(names) for why, names in unanswered.items()},
        sum(one.has("gold_alone") for one, _ in known),
        any(one.allowed and one.allowed.ends for one in answers),
    ))  # fmt: skip


def require_answers(evaluation: Evaluation) -> None:
    """Raise an `UnsupportedError` where no metric has an estimate or a range, with the reasons.

    A range is no answer to someone who named methods none of which can run on these data.
    """
    if evaluation.tables["estimates"]["estimate"].notna().any():
        return
    summary, answers = evaluation.summary, evaluation.answers
    lacking = {one.method for one in summary.not_run if not one.failed}
    asked = set(summary.settings.methods)
    none_named = asked in [set(chosen_methods(None, models)) for models in (True, False)]
    if any(one.allowed and one.allowed.ends for one in answers) and (none_named or asked - lacking):
        return
    reasons = [f"{one.method}: {one.reason}" for one in summary.not_run]
    whys = [one.why for one in summary.not_run]
    for answer in answers:
        told = [one for one in answer.passed_over if one.why[0] not in whys]
        reasons += [f"{answer.of.metric}, {one.text}" for one in told]
    if not summary.whole.gold and not set(with_role(MODEL)) & asked:
        reasons.insert(0, NO_MODEL.text)
    reasons += [note.text for note in summary.notes]
    lines = "\n".join(f"  - {why}" for why in dict.fromkeys(reasons))
    raise UnsupportedError(f"no metric that was asked for has an estimate:\n{lines}")


def evaluate_checked(
    study: Study, check: DataCheck, settings: Settings, stan: StanModels, cores: int, say: Say,
    answered: Answered = lambda evaluation: None, keep: Path | None = None,
) -> Evaluation:  # fmt: skip
    """As `evaluate_study`, with the files that it was read from (`with_source`)."""
    evaluation = evaluate_study(study, settings, stan, cores, say, check, answered, keep)
    return with_source(evaluation, check, study.files, stan)


def with_source(
    evaluation: Evaluation, check: DataCheck, files: StudyFiles, stan: StanModels
) -> Evaluation:
    """An evaluation whose summary has its date, files, reading, versions and warnings.

    Raises an `UnsupportedError` where no metric that is asked for has an estimate.
    """
    require_answers(evaluation)
    source = Source(
        date.today().isoformat(), tuple(map(str, files.paths)),
        {**vars(files.reading), "columns": dict(files.reading.columns)}, versions(stan),
        check.warnings,
    )  # fmt: skip
    return replace(evaluation, summary=replace(evaluation.summary, source=source))


def write_evaluation(
    evaluation: Evaluation, check: DataCheck, out: Path, options: bytes | None = None,
    force: bool = False,
) -> Path | None:  # fmt: skip
    """Write the folder of an evaluation, with the check as `crowdgold check --json` has it.

    `options` are the study file that repeats it; for the rest see `write_folder`.
    """
    found = evaluation.as_json()
    about: dict[str, Any] = {
        name: found[name] for name in ("files", "notes", "notes_codes") if name in found
    }
    seed = evaluation.summary.settings.seed
    checked = {**about, **as_json(check), "supported": check.supported, "seed": seed}
    return write_folder(evaluation.tables, found, checked, out, options, force)


DIGEST_FILE = "study.sha256"  # tells whether a study has changed since it was split into jobs


def files_and_settings(
    paths: Sequence[str], asked: Mapping[str, Any]
) -> tuple[StudyFiles, Settings]:
    """What a workflow evaluates: files, and what its configuration says of them and asks for."""
    said = {one.name: asked[one.name] for one in fields(Reading) if one.name in asked}
    settings = Settings(
        methods=tuple(asked.get("methods", offered())),
        metrics=tuple(asked.get("metrics", STANDARD)),
        thresholds=read_thresholds(asked.get("thresholds", [])),
        about=asked.get("about", POPULATION), level=asked["level"], seed=asked["seed"],
    )  # fmt: skip
    return StudyFiles(list(map(Path, paths)), Reading(**said)), settings


def prepare(files: StudyFiles, settings: Settings, folder: Path) -> None:
    """Read, check and split a study; write a file JOB.job for each job, named by its place.

    Errors are those of `check_study` and `plan_study`.
    """
    study = files.read()
    check_study(study, settings)
    planned = plan_study(study, settings)
    folder.mkdir(parents=True, exist_ok=True)
    for place, job in enumerate(planned.jobs):
        (folder / f"{place}.job").write_text(f"{job}\n", encoding="utf-8")
    (folder / DIGEST_FILE).write_text(digest_of(planned.study, planned.settings))


def _plan_again(files: StudyFiles, settings: Settings, folder: Path) -> tuple[Study, JobPlan]:
    """A study that was split into jobs, read and planned again; `InputError` if it has changed."""
    study = files.read()
    planned = plan_study(study, settings)
    if (folder / DIGEST_FILE).read_text() != digest_of(planned.study, planned.settings):
        paths = ", ".join(map(str, files.paths))
        raise InputError(f"{paths}: changed since the evaluation was split into jobs; run it again")
    return study, planned


def run_one(
    files: StudyFiles, settings: Settings, folder: Path, place: int, stan: StanModels, out: Path
) -> None:
    """Run a job of a prepared study, and write what it finds."""
    _, planned = _plan_again(files, settings, folder)
    write_findings(run_job(planned.jobs[place], planned, stan), out)


def gather(
    files: StudyFiles, settings: Settings, folder: Path, parts: Sequence[Path], stan: StanModels,
    out: Path,
) -> None:  # fmt: skip
    """Join what the jobs of a prepared study found, in their order, and write the evaluation.

    Raises an `UnsupportedError` where no metric that is asked for has an estimate, and an
    `InputError` where a part is damaged.
    """
    study, planned = _plan_again(files, settings, folder)
    check = check_study(study, settings)
    findings: list[Finding] = []
    for part in parts:
        one = read_findings(part)
        if one is None:
            raise InputError(f"{part}: damaged; remove it and run again")
        findings += one
    seconds = sum(one.seconds for one in findings)
    joined = join_findings(planned, findings, check, seconds, assumed_errors(planned))
    write_evaluation(with_source(joined, check, files, stan), check, out)
