"""The evaluation of a study from beginning to end, without its files.

The compiled Stan models of a study's methods.

The level of a study's intervals where they are to hold over all looks, and what that costs.

The work on a study, split into jobs before any is run.
"""

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

from crowdgold.checking.gold_sample import GoldSample, assess_gold_sample
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

COMPILERS = 2
"""Models that are compiled at a time; each takes more than a gigabyte of memory."""


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

    Returns:
        method -> why its model cannot be had, for lack of a compiler, say.
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


def of_this_look(settings: Settings, items: Items) -> Settings:
    """The settings with the level of this look, where intervals are to hold over all."""
    labels = int((items.gold != NO_GOLD).sum())
    if settings.anytime is None or not labels:
        return settings
    level = level_of_look(settings.level, labels, settings.anytime)
    return replace(settings, one_look=level)


def times_as_wide(settings: Settings, found: Sequence[Found]) -> tuple[float, float] | None:
    """The least and the most times that the answer's intervals are as wide as those of one look.

    None where the method of the answer has no interval of any width.
    """
    ratios = []
    for one in found:
        if one.method != answering() or one.sample is None or one.named is None:
            continue
        wide, usual = (
            np.array([each.upper - each.lower for each in one.sample.estimates(one.named, level)])
            for level in (settings.interval_level, settings.level)
        )
        known = np.isfinite(wide) & (usual > 0)
        ratios += (wide[known] / usual[known]).tolist()
    return (min(ratios), max(ratios)) if ratios else None


def note_looks(settings: Settings, items: Items, found: Sequence[Found]) -> list[str]:
    """Say what intervals that hold over all looks cost.

    Args:
        settings: of this look.
        items: of the study.
        found: what the jobs found.
    """
    if settings.one_look is None or settings.anytime is None:
        return []
    labels, planned = int((items.gold != NO_GOLD).sum()), settings.anytime
    ends = times_as_wide(settings, found)
    here = [] if ends is None else [f"{_between(*ends)} times with {labels:,} gold labels"]
    most = price(settings.level, planned, planned)
    then = [f"{most:.2f} times with {planned:,}, and more where few labels are of a class"]
    wide = "; ".join([*here, *then[: labels < planned or not here]])
    past = (
        f". There are more labels than {planned:,}, which is no harm: intervals still hold, and "
        "are little wider. Only if this is the first look, name the number of labels at which you "
        "now mean to stop"
    )
    return [
        "you may look after every label and stop when you like: intervals hold over all looks. For "
        f"that they are wider than those of one look: {wide}. Keep --anytime {planned}. Intervals "
        f"of models are for one look{past if labels > planned else ''}"
    ]


def _between(least: float, most: float) -> str:
    low, high = f"{least:.2f}", f"{most:.2f}"
    return low if low == high else f"{low} to {high}"


class UnsupportedError(InputError):
    """Data that can be read and do not support what is asked of them."""


@dataclass(frozen=True)
class Planned:
    """A study whose work is split into jobs.

    Attributes:
        study: the user's tables.
        settings: what is asked.
        strata: by name.
        notes: what was left out.
        jobs: those that take longest first.
        against: (stratum, method) -> why it is not run.
    """

    study: Study
    settings: Settings
    strata: Mapping[str, Stratum]
    notes: Sequence[str]
    jobs: Sequence[Job]
    against: Mapping[tuple[str, str], str]

    @property
    def methods(self) -> list[str]:
        """The methods of the jobs."""
        return list(dict.fromkeys(name for job in self.jobs for name in job.methods))

    def asked(self, stratum: str) -> list[str]:
        """The methods that are run on a stratum."""
        return [name for job in self.jobs if job.stratum == stratum for name in job.methods]

    def without(self, failed: Mapping[str, str]) -> "Planned":
        """Take methods whose model cannot be had out of the jobs; say of each where that is."""
        kept = [
            replace(job, methods=tuple(name for name in job.methods if name not in failed))
            for job in self.jobs
        ]
        against = {
            (job.stratum, name): failed[name]
            for job in self.jobs
            for name in job.methods
            if name in failed
        }
        jobs = [job for job in kept if job.methods]
        return replace(self, jobs=jobs, against={**self.against, **against})


def _check_support(settings: Settings, study: Study) -> None:
    """Raise an `UnsupportedError` where no metric that is asked for can be had of these tables."""
    wanted = set(settings.metrics)
    if not study.items.predictors and not wanted & set(LABEL_METRICS):
        raise UnsupportedError(
            f"{', '.join(settings.metrics)}: they are of a model's scores, and the study has none"
        )


def plan_study(study: Study, settings: Settings) -> Planned:
    """Split the work on a study into jobs.

    Raises:
        UnsupportedError: where no metric asked for can be had of these tables.
        InputError: where a setting cannot be used.
    """
    check_settings(settings, study.items.predictors)
    _check_support(settings, study)
    study = study.with_expert_error(settings.expert_error)
    refuse_contradicted(study.items)
    strata, notes = find_strata(study)
    jobs, against = plan_jobs(study, settings, strata)
    settings = of_this_look(settings, study.items)
    return Planned(study, settings, {one.name: one for one in strata}, notes, jobs, against)


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
    answers = rows.with_ends(answers, estimates)
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
