"""The evaluation of a study from beginning to end, without its files."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from crowdgold.data import NO_GOLD, NO_PREDICTOR, Items
from crowdgold.data.own import Study
from crowdgold.evaluation.misfit import held_against
from crowdgold.methods import METHODS
from crowdgold.methods.registry import offered
from crowdgold.metrics.binary import THRESHOLD_METRICS
from crowdgold.models.stan import StanModels
from crowdgold.own.check.data import DataCheck, verdicts_within
from crowdgold.own.check.gold_likeness import GoldSample
from crowdgold.own.check.gold_sample import assess_gold_sample
from crowdgold.own.check.score_check import notes_on_missing
from crowdgold.own.check.verdicts import NOT_USABLE
from crowdgold.own.evaluation import as_gold, rows
from crowdgold.own.evaluation.assumed_errors import assumed_errors, if_wrong, note_on_errors
from crowdgold.own.evaluation.compiled import load_models
from crowdgold.own.evaluation.evaluated import Answered, Evaluation
from crowdgold.own.evaluation.fitting import Found, run_job
from crowdgold.own.evaluation.headline import first_choice, headlines, why_set_aside
from crowdgold.own.evaluation.jobs import (
    ALL,
    is_quick,
    items_of,
    stream,
)
from crowdgold.own.evaluation.look import note_looks
from crowdgold.own.evaluation.planned import Planned, plan_study
from crowdgold.own.evaluation.processes import Say, run_jobs
from crowdgold.own.evaluation.questions import (
    Settings,
    thresholds_of,
    what_intervals_are_about,
)
from crowdgold.own.evaluation.ranges import with_ranges
from crowdgold.own.evaluation.run_key import KeptJobs, key_of


def _describe(items: Items) -> dict[str, Any]:
    """Count what a stratum holds."""
    gold = items.gold
    return {
        "items": len(items),
        "votes": int(items.votes_total.sum()),
        "gold": int((gold != NO_GOLD).sum()),
        "gold_positive": int((gold == 1).sum()),
        "gold_negative": int((gold == 0).sum()),
    }


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


def _tables(
    estimates: pd.DataFrame, found: Sequence[Found], items: Items
) -> dict[str, pd.DataFrame]:
    """Make a table for each file."""
    return {
        "estimates": estimates,
        "curves": rows.curve_rows(found),
        "items": rows.item_rows(found, items),
        "annotators": rows.annotator_rows(found),
        "parameters": rows.parameter_rows(found),
        "predictive": rows.predictive_rows(found),
    }


def _about(planned: Planned, found: Sequence[Found], notes: Sequence[str]) -> dict[str, Any]:
    """Say what was asked of what, and what that costs."""
    study, settings = planned.study, planned.settings
    items = study.items
    return {
        "settings": asdict(settings),
        "models": items.predictors,
        "thresholds": {name: thresholds_of(settings, items, name) for name in items.predictors},
        "weighted": study.weights is not None,
        "notes": [
            *study.notes,
            *planned.notes,
            *notes,
            *_notes(settings, items),
            *note_looks(settings, items, found),
        ],
    }


def _unusable(
    planned: Planned, check: DataCheck | None, samples: Mapping[str, GoldSample]
) -> dict[str, dict[str, str]]:
    """The methods that each stratum does not support -> why."""
    if check is None:
        return {}
    found = {}
    for name, stratum in planned.strata.items():
        verdicts = check.verdicts
        if name != ALL:
            verdicts = verdicts_within(check, items_of(planned.study, stratum), samples[name])
        found[name] = {one.method: one.why for one in verdicts if one.verdict == NOT_USABLE}
    return found


def join_found(
    planned: Planned,
    found: Sequence[Found],
    check: DataCheck | None,
    seconds: float,
    assumed: pd.DataFrame,
) -> Evaluation:
    """Join what the jobs found.

    Args:
        planned: the study and its jobs.
        found: what those found, in their order.
        check: of the study, if there is one; what it finds not usable is no headline.
        seconds: that it took.
        assumed: the answer against assumed errors of experts.
    """
    study, settings, strata = planned.study, planned.settings, list(planned.strata.values())
    counts = {one.name: _describe(items_of(study, one)) for one in strata}
    n_gold = {name: count["gold"] for name, count in counts.items()}
    sizes = {
        key: size
        for one in strata
        for key, size in rows.sizes_of(one.name, items_of(study, one)).items()
    }
    estimates = rows.estimate_rows(
        found, list(planned.strata), study.items.predictors, sizes, settings
    )
    samples = {
        one.name: check.gold_sample
        if check is not None and one.name == ALL
        else assess_gold_sample(
            items_of(study, one),
            stream(settings, one, "gold"),
            tests=1 if one.name == ALL else len(strata) - 1,
        )
        for one in strata
    }
    aside = {name: why_set_aside(sample) for name, sample in samples.items()}
    # Of gold that was surely chosen nothing is answered, and nothing told either.
    wrong = {} if aside.get(ALL) else {ALL: if_wrong(study.items, settings, assumed)}
    answers = [
        one | {"gold": sizes[one["stratum"], one["model"], one["against"]][0]}
        for one in headlines(estimates, n_gold, aside, _unusable(planned, check, samples))
    ]
    answers = as_gold.with_ends(answers, estimates)
    answers, ranges_if = with_ranges(answers, study, planned.strata, settings, check)
    summary = {
        **_about(planned, found, note_on_errors(study.items)),
        "strata": [
            {
                "name": name,
                **count,
                "gold_random": not samples[name].chosen,
                "answering": first_choice(count["gold"], aside[name], planned.asked(name)),
                "about": what_intervals_are_about(settings.about, count["items"]),
                "ranges_if": ranges_if.get(name, ""),
                "if_wrong": wrong.get(name, ""),
            }
            for name, count in counts.items()
        ],
        "held_against": held_against(set(estimates["method"])),
        "headlines": answers,
        "fits": _fits(found),
        "not_run": _not_run(planned.against, found),
        "seconds": round(seconds, 3),
    }
    return Evaluation(_tables(estimates, found, study.items) | {"expert_errors": assumed}, summary)


def _sample(
    planned: Planned, stan: StanModels, cores: int, say: Say, keep: Path | None
) -> tuple[Planned, list[Found]]:
    """What can be run of the jobs, and what those find that sample a model."""
    models = [name for job in planned.jobs if not is_quick(job.methods) for name in job.methods]
    planned = planned.without(load_models(dict.fromkeys(models), stan))
    slow = [job for job in planned.jobs if not is_quick(job.methods)]
    study, settings = planned.study, planned.settings
    kept = KeptJobs(keep, key_of(study, settings, stan), say)
    return planned, run_jobs(slow, study, settings, planned.strata, stan, cores, say, kept)


def evaluate_study(
    study: Study,
    settings: Settings,
    stan: StanModels,
    cores: int = 1,
    say: Say = lambda line: None,
    check: DataCheck | None = None,
    answered: Answered = lambda evaluation: None,
    keep: Path | None = None,
) -> Evaluation:
    """Evaluate a study: what needs no sampling first, then the models.

    Args:
        settings: what is asked, and how it is computed.
        stan: the models; those that are needed are compiled first.
        cores: processes at a time. Numbers do not depend on it.
        say: told what takes long.
        check: of the study, if there is one; what it finds not usable is no answer.
        answered: told what is known before the models are sampled, where there are both.
        keep: the folder for finished jobs, of this run and of one that was stopped; None for none.

    Raises:
        UnsupportedError: where no metric asked for can be had of these tables.
        InputError: where a setting cannot be used.
    """
    start, planned = time.perf_counter(), plan_study(study, settings)
    study, settings = planned.study, planned.settings
    quick = [job for job in planned.jobs if is_quick(job.methods)]
    assumed = assumed_errors(study, settings, planned.strata)
    found = [one for job in quick for one in run_job(job, study, settings, planned.strata, stan)]
    if len(quick) == len(planned.jobs):
        KeptJobs(keep, "", say).remove_others()
        return join_found(planned, found, check, time.perf_counter() - start, assumed)
    if quick:
        answered(join_found(planned, found, check, time.perf_counter() - start, assumed))
    planned, sampled = _sample(planned, stan, cores, say, keep)
    return join_found(planned, found + sampled, check, time.perf_counter() - start, assumed)
