"""The evaluation of a study from beginning to end, without its files."""

import importlib
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.checking.gold_sample import assess_gold_sample
from crowdgold.checking.scores import notes_on_missing
from crowdgold.checking.study import DataCheck, refuse_contradicted, verdicts_within
from crowdgold.evaluation import rows
from crowdgold.evaluation.assumed_errors import assumed_errors, if_wrong, note_on_errors
from crowdgold.evaluation.fitting import Found, run_job
from crowdgold.evaluation.folder import Answered, Evaluation
from crowdgold.evaluation.headline import first_choice, headlines, why_set_aside
from crowdgold.evaluation.jobs import (
    ALL,
    Job,
    Stratum,
    find_strata,
    is_quick,
    items_of,
    plan_jobs,
    stream,
)
from crowdgold.evaluation.processes import ENDINGS, Say, held, run_jobs
from crowdgold.evaluation.questions import (
    Settings,
    check_settings,
    thresholds_of,
    what_intervals_are_about,
)
from crowdgold.evaluation.ranges import with_ranges
from crowdgold.evaluation.run_key import KeptJobs, key_of
from crowdgold.inference.interval import level_of_look, price
from crowdgold.methods.doubts import NOT_USABLE
from crowdgold.methods.misfit import held_against
from crowdgold.methods.registry import METHODS, answering, offered
from crowdgold.metrics.binary import LABEL_METRICS, THRESHOLD_METRICS
from crowdgold.models.stan import StanModels
from crowdgold.reading.study import Study
from crowdgold.system.extras import missing
from crowdgold.system.temporary import process_folder
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items

COMPILERS = 2  # models that are compiled at a time; each takes more than a gigabyte of memory


def _make(names: Collection[str], stan: StanModels) -> dict[str, str]:
    """Load models, of which several are compiled at a time: name -> why one cannot be had."""
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


def load_models(methods: Collection[str], stan: StanModels) -> dict[str, str]:
    """Load the Stan models of methods; they are compiled, with a line that says so, if need be.

    Of a method whose model cannot be had, for lack of a compiler, say, it tells why.
    """
    sampled = {method: METHODS[method].models_with({}) for method in methods}
    if lack := missing("cmdstanpy"):
        return {method: f"it needs Stan, through {lack}" for method in methods if sampled[method]}
    with held(ENDINGS):
        before, tempfile.tempdir = tempfile.tempdir, str(process_folder())
        try:
            importlib.import_module("cmdstanpy")  # it makes a folder as it is loaded
        finally:
            tempfile.tempdir = before
    names = dict.fromkeys(name for models in sampled.values() for name in models)
    failed = _make(names, stan) if names else {}
    return {
        method: f"its Stan model cannot be had: {failed[name]}"
        for method, models in sampled.items()
        for name in models
        if name in failed
    }


def note_looks(settings: Settings, items: Items, found: Sequence[Found]) -> list[str]:
    """What intervals that hold over all looks cost, with the settings of this look."""
    if settings.one_look is None or settings.anytime is None:
        return []
    ratios: list[float] = []
    for one in found:
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
    past = (
        f". There are more labels than {planned:,}, which is no harm: intervals still hold, and "
        "are little wider. Only if this is the first look, name the number of labels at which you "
        "now mean to stop"
    )
    return [
        "you may look after every label and stop when you like: intervals hold over all looks. For "
        f"that they are wider than those of one look: {'; '.join(costs)}. Keep --anytime "
        f"{planned}. Intervals of models are for one look{past if labels > planned else ''}"
    ]


class UnsupportedError(InputError):
    """Data that can be read and do not support what is asked of them."""


@dataclass(frozen=True)
class Planned:
    """A study whose work is split into jobs."""

    study: Study
    settings: Settings
    strata: Mapping[str, Stratum]  # by name
    notes: Sequence[str]  # what was left out
    jobs: Sequence[Job]  # those that take longest first
    against: Mapping[tuple[str, str], str]  # (stratum, method) -> why it is not run

    @property
    def methods(self) -> list[str]:
        """The methods of the jobs."""
        return list(dict.fromkeys(name for job in self.jobs for name in job.methods))

    def asked(self, stratum: str) -> list[str]:
        """The methods that are run on a stratum."""
        return [name for job in self.jobs if job.stratum == stratum for name in job.methods]

    def without(self, failed: Mapping[str, str]) -> "Planned":
        """Take methods whose model cannot be had out of the jobs; say of each where that is."""
        against, jobs = dict(self.against), []
        for job in self.jobs:
            against |= {(job.stratum, name): failed[name] for name in job.methods if name in failed}
            if methods := tuple(name for name in job.methods if name not in failed):
                jobs.append(replace(job, methods=methods))
        return replace(self, jobs=jobs, against=against)


def plan_study(study: Study, settings: Settings) -> Planned:
    """Split the work on a study into jobs.

    Raises an `UnsupportedError` where no metric asked for can be had of these tables, and an
    `InputError` where a setting cannot be used.
    """
    check_settings(settings, study.items.predictors)
    if not study.items.predictors and not set(settings.metrics) & set(LABEL_METRICS):
        raise UnsupportedError(
            f"{', '.join(settings.metrics)}: they are of a model's scores, and the study has none"
        )
    study = study.with_expert_error(settings.expert_error)
    refuse_contradicted(study.items)
    strata, notes = find_strata(study)
    jobs, against = plan_jobs(study, settings, strata)
    labels = int((study.items.gold != NO_GOLD).sum())
    if settings.anytime is not None and labels:
        level = level_of_look(settings.level, labels, settings.anytime)
        settings = replace(settings, one_look=level)
    return Planned(study, settings, {one.name: one for one in strata}, notes, jobs, against)


def _notes(settings: Settings, items: Items) -> list[str]:
    """Say what was decided for lack of a setting, or of scores."""
    notes = list(notes_on_missing(items))
    if not items.predictors:
        of_scores = ", ".join(name for name in offered() if METHODS[name].needs_scores)
        notes.append(f"no scores: nothing is said of models, and these cannot run: {of_scores}")
    if not set(settings.metrics) & set(THRESHOLD_METRICS):
        return notes
    for model in items.predictors:
        if not thresholds_of(settings, items, model):
            metrics = ", ".join(name for name in THRESHOLD_METRICS if name in settings.metrics)
            notes.append(
                f"{model}: no {metrics}, since its scores are not all in [0, 1]; give a threshold"
            )
    return notes


def _not_run(
    against: Mapping[tuple[str, str], str], found: Sequence[Found]
) -> list[dict[str, Any]]:
    """List what was asked for and is not there, with the reason."""
    listed = [
        {"stratum": stratum, "method": method, "model": "", "reason": why, "failed": False}
        for (stratum, method), why in against.items()
    ]
    failed = {(one.stratum, one.method, one.model): one.problem for one in found if one.problem}
    return listed + [
        {"stratum": stratum, "method": method, "model": model, "reason": why, "failed": True}
        for (stratum, method, model), why in failed.items()
        # A fit that failed is of all models.
        if model == NO_PREDICTOR or (stratum, method, NO_PREDICTOR) not in failed
    ]


def _fits(found: Sequence[Found]) -> list[dict[str, Any]]:
    """List what was run, with its diagnostics and seconds."""
    return [
        {
            "stratum": one.stratum, "method": one.method, "model": one.model,
            "diagnostics_passed": one.diagnostics.passed,
            "problems": list(one.diagnostics.problems), "notes": list(one.diagnostics.notes),
            "rhat": one.diagnostics.rhat if one.diagnostics.chains else None,
            "chains": one.diagnostics.chains, "divergences": one.diagnostics.divergences,
            "seconds": round(one.seconds, 3),
        }
        for one in found
        if not one.problem
    ]  # fmt: skip


def join_found(
    planned: Planned, found: Sequence[Found], check: DataCheck | None, seconds: float,
    assumed: pd.DataFrame,
) -> Evaluation:  # fmt: skip
    """Join what the jobs found, in their order; what a check finds not usable is no headline."""
    study, settings, items = planned.study, planned.settings, planned.study.items
    inside = {name: items_of(study, stratum) for name, stratum in planned.strata.items()}
    n_gold = {name: int((part.gold != NO_GOLD).sum()) for name, part in inside.items()}
    sizes = {key: size for name, part in inside.items()
             for key, size in rows.sizes_of(name, part).items()}  # fmt: skip
    estimates = rows.estimate_rows(found, list(inside), items.predictors, sizes, settings)
    samples, unusable = {}, {}
    for name, part in inside.items():
        if check is not None and name == ALL:
            samples[name], verdicts = check.gold_sample, check.verdicts
        else:
            rng = stream(settings, planned.strata[name], "gold")
            tests = 1 if name == ALL else len(inside) - 1
            samples[name] = assess_gold_sample(part, rng, tests=tests)
            verdicts = () if check is None else verdicts_within(check, part, samples[name])
        unusable[name] = {one.method: one.why for one in verdicts if one.verdict == NOT_USABLE}
    aside = {name: why_set_aside(sample) for name, sample in samples.items()}
    # Of gold that was surely chosen nothing is answered, and nothing told either.
    wrong = {} if aside.get(ALL) else {ALL: if_wrong(items, settings, assumed)}
    answers = [
        one | {"gold": sizes[one["stratum"], one["model"], one["against"]][0]}
        for one in headlines(estimates, n_gold, aside, unusable)
    ]
    answers = rows.with_ends(answers, estimates)
    answers, ranges_if = with_ranges(answers, study, planned.strata, settings, check)
    summary = {
        "settings": asdict(settings),
        "models": items.predictors,
        "thresholds": {name: thresholds_of(settings, items, name) for name in items.predictors},
        "weighted": study.weights is not None,
        "notes": [
            *study.notes, *planned.notes, *note_on_errors(items), *_notes(settings, items),
            *note_looks(settings, items, found),
        ],
        "strata": [
            {
                "name": name, "items": len(part), "votes": int(part.votes_total.sum()),
                "gold": n_gold[name], "gold_positive": int((part.gold == 1).sum()),
                "gold_negative": int((part.gold == 0).sum()),
                "gold_random": not samples[name].chosen,
                "answering": first_choice(n_gold[name], aside[name], planned.asked(name)),
                "about": what_intervals_are_about(settings.about, len(part)),
                "ranges_if": ranges_if.get(name, ""),
                "if_wrong": wrong.get(name, ""),
            }
            for name, part in inside.items()
        ],
        "held_against": held_against(set(estimates["method"])),
        "headlines": answers,
        "fits": _fits(found),
        "not_run": _not_run(planned.against, found),
        "seconds": round(seconds, 3),
    }  # fmt: skip
    tables = {
        "estimates": estimates,
        "curves": rows.curve_rows(found),
        "items": rows.item_rows(found, items),
        "annotators": rows.annotator_rows(found),
        "parameters": rows.parameter_rows(found),
        "predictive": rows.predictive_rows(found),
        "expert_errors": assumed,
    }
    return Evaluation(tables, summary)


def evaluate_study(
    study: Study, settings: Settings, stan: StanModels, cores: int = 1,
    say: Say = lambda line: None, check: DataCheck | None = None,
    answered: Answered = lambda evaluation: None, keep: Path | None = None,
) -> Evaluation:  # fmt: skip
    """Evaluate a study: what needs no sampling first, then the models, compiled where need be.

    Numbers do not depend on how many `cores` work at a time. `say` is told what takes long, and
    `answered` what is known before the models are sampled, where there are both. What a `check` of
    the study finds not usable is no answer. Finished jobs, of this run and of one that was stopped,
    are in the folder `keep`. Raises an `UnsupportedError` where no metric asked for can be had of
    these tables, and an `InputError` where a setting cannot be used.
    """
    start, planned = time.perf_counter(), plan_study(study, settings)
    study, settings, strata = planned.study, planned.settings, planned.strata
    quick = [job for job in planned.jobs if is_quick(job.methods)]
    assumed = assumed_errors(study, settings, strata)
    found = [one for job in quick for one in run_job(job, study, settings, strata, stan)]

    def joined() -> Evaluation:
        return join_found(planned, found, check, time.perf_counter() - start, assumed)

    if len(quick) == len(planned.jobs):
        KeptJobs(keep, "", say).remove_others()
        return joined()
    if quick:
        answered(joined())
    models = [name for job in planned.jobs if not is_quick(job.methods) for name in job.methods]
    planned = planned.without(load_models(dict.fromkeys(models), stan))
    slow = [job for job in planned.jobs if not is_quick(job.methods)]
    kept = KeptJobs(keep, key_of(study, settings, stan), say)
    found += run_jobs(slow, study, settings, strata, stan, cores, say, kept)
    return joined()
