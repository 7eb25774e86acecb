"""The jobs that a study's work is split into, and where each takes its random numbers from.

A job is a model, a stratum, and the methods that share a fit. A stream depends on the seed and on
what it is for, and not on the other methods, models or processes.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from crowdgold.checking.study import refuse_contradicted
from crowdgold.evaluation.questions import Settings, check_settings
from crowdgold.inference.interval import level_of_look
from crowdgold.methods.needs import MOST_JUDGES
from crowdgold.methods.registry import METHODS, offered, stream_of
from crowdgold.metrics.binary import LABEL_METRICS, METRICS
from crowdgold.reading.study import Study
from crowdgold.types.annotations import Annotations, annotations_from_frame
from crowdgold.types.columns import list_names
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items
from crowdgold.types.notes import Note

ALL = "all"  # the name of the stratum that holds every item
NO_STRATUM = ""  # the value of an item that belongs to no stratum
NAMED = 5  # strata that are left out, and named
FEWEST_ITEMS = 30  # of a stratum: no method has anything to say of fewer


def chosen_methods(methods: Sequence[str] | None, models: bool) -> tuple[str, ...]:
    """The methods that are asked for, all where none is named, with models or without.

    Raises an `InputError` where that leaves none.
    """
    chosen = tuple(methods or offered())
    kept = tuple(name for name in chosen if models or name not in offered() or is_quick([name]))
    if not kept:
        raise InputError(
            f"--no-models leaves nothing of --methods {' '.join(chosen)}; leave out one of the two"
        )
    return kept


ROLES = ("fit", "labels", "resamples", "own", "checks", "gold", "population")
"""What random numbers are for: labels, resamples of labelled items, and of all items, are the same
for all methods and models."""


@dataclass(frozen=True)
class Stratum:
    """Some items of a study."""

    name: str  # `ALL`, or COLUMN=VALUE
    key: int  # its number, 0 for all items
    rows: np.ndarray  # (m,) positions of its items


@dataclass(frozen=True)
class Job:
    """The methods of a group, which share a fit, on a model of a stratum, or on `NO_PREDICTOR`."""

    stratum: str
    methods: tuple[str, ...]
    model: str

    def __str__(self) -> str:
        of = f" of {self.model}" if self.model != NO_PREDICTOR else ""
        inside = f" in {self.stratum}" if self.stratum != ALL else ""
        return f"{' and '.join(self.methods)}{of}{inside}"


def stream(
    settings: Settings, stratum: Stratum, role: str, method: str = "", model: str = NO_PREDICTOR
) -> np.random.Generator:
    """The random numbers of a role in a stratum, a method's own where it is named.

    Those of a model depend on its name, and not on which others there are.
    """
    number = stream_of(method) if method else 0
    of_model = zlib.crc32(model.encode()) if model and method else 0
    key = (stratum.key, ROLES.index(role), number, of_model)
    return np.random.default_rng(np.random.SeedSequence(settings.seed, spawn_key=key))


def find_strata(study: Study) -> tuple[list[Stratum], list[Note]]:
    """All items, and those of each value of each column; and notes on those left out."""
    size = len(study.items)
    found, few = [Stratum(ALL, 0, np.arange(size))], list[str]()
    for column, values in study.strata.items():
        texts = np.asarray(values).astype(str)
        for value in np.unique(texts[texts != NO_STRATUM]):
            rows = np.flatnonzero(texts == value)
            if len(rows) < FEWEST_ITEMS:
                few.append(f"{column}={value} with {len(rows)}")
                continue
            found.append(Stratum(f"{column}={value}", len(found), rows))
    strata = "1 stratum" if len(few) == 1 else f"{len(few):,} strata"
    told = {"strata": strata, "fewest": FEWEST_ITEMS, "names": list_names(few, NAMED)}
    return found, [Note("strata_left_out", told)] if few else []


def items_of(study: Study, stratum: Stratum) -> Items:
    """The items of a stratum; they say who gave each vote where annotators are few."""
    items, voters = study.items, study.annotations
    if voters is not None and len(voters.annotator) <= MOST_JUDGES and len(voters.category) == 2:
        items = replace(items, labels=voters)
    return items if stratum.key == 0 else items.take(stratum.rows)


def annotations_of(study: Study, stratum: Stratum) -> Annotations:
    """The labels of the items of a stratum; the study has annotators."""
    assert study.annotations is not None
    if stratum.key == 0:
        return study.annotations
    frame = study.annotations.to_frame()
    wanted = pd.Index(study.items.item[stratum.rows].astype(str))
    inside = wanted.get_indexer(pd.Index(frame["item"].astype(str))) >= 0
    categories = study.annotations.category.tolist()
    return annotations_from_frame(frame[inside], categories, "keep")


def is_quick(methods: Iterable[str]) -> bool:
    """Whether methods sample nothing: their answers are there at once."""
    return not any(map(_work_of, methods))


def _work_of(method: str) -> float:
    """How long a method's sampler takes, relative to others; 0 where it samples nothing."""
    offer = METHODS[method].offer
    return offer.work if offer else 0.0


def groups() -> list[tuple[str, ...]]:
    """The methods that share a job: first those without a model, then those that take longest."""
    found: dict[str, list[str]] = {}
    for name in offered():
        offer = METHODS[name].offer
        shared = (offer and offer.fit_of) or name
        found.setdefault(shared if _work_of(name) else "", []).append(name)
    keys = sorted(found, key=lambda key: (key != "", -_work_of(found[key][0])))
    return [tuple(found[key]) for key in keys]


def reason_against(method: str, study: Study, items: Items) -> Note | None:
    """Why a method cannot be run on items of a study; None where it can."""
    known = METHODS[method]
    if study.weights is not None and not known.takes_weights:
        return Note("takes_no_weights")
    if not known.of_annotators or study.annotations is None:
        return known.lacks(items)
    if len(study.annotations.category) != 2:
        return Note("not_two_labels", {"number": len(study.annotations.category)})
    return known.lacks(study.annotations)


@dataclass(frozen=True)
class JobPlan:
    """A study whose work is split into jobs."""

    study: Study
    settings: Settings
    strata: Mapping[str, Stratum]  # by name
    notes: Sequence[Note]  # what was left out
    jobs: Sequence[Job]  # in the order of `groups`
    against: Mapping[tuple[str, str], Note]  # (stratum, method) -> why it is not run

    @property
    def methods(self) -> list[str]:
        """The methods of the jobs."""
        return list(dict.fromkeys(name for job in self.jobs for name in job.methods))

    def asked(self, stratum: str) -> list[str]:
        """The methods that are run on a stratum."""
        return [name for job in self.jobs if job.stratum == stratum for name in job.methods]

    def without(self, failed: Mapping[str, Note]) -> "JobPlan":
        """The plan without the methods that `failed` (method -> why their model cannot be had)."""
        against, jobs = dict(self.against), []
        for job in self.jobs:
            against |= {(job.stratum, name): failed[name] for name in job.methods if name in failed}
            if methods := tuple(name for name in job.methods if name not in failed):
                jobs.append(replace(job, methods=methods))
        return replace(self, jobs=jobs, against=against)


class UnsupportedError(InputError):
    """Data that can be read and do not support what is asked of them."""


def plan_study(study: Study, settings: Settings) -> JobPlan:
    """Split the work on a study into jobs.

    Raises an `UnsupportedError` where no metric asked for can be had of these tables, and an
    `InputError` where a setting cannot be used.
    """
    check_settings(settings, study.items.predictors)
    if not study.items.predictors and not set(settings.metrics) & set(LABEL_METRICS):
        raise UnsupportedError(
            f"{', '.join(settings.metrics)}: they are of a model's scores, and the study has none"
        )
    if not study.items.has_votes and all(METRICS[name].needs_votes for name in settings.metrics):
        raise UnsupportedError(
            f"{', '.join(settings.metrics)}: they are of votes, and the study has none"
        )
    study = study.with_expert_error(settings.expert_error)
    refuse_contradicted(study.items)
    labels = int((study.items.gold != NO_GOLD).sum())
    if settings.anytime is not None and labels:
        level = level_of_look(settings.level, labels, settings.anytime)
        settings = replace(settings, one_look=level)
    strata, notes = find_strata(study)
    jobs: list[Job] = []
    against: dict[tuple[str, str], Note] = {}
    for group in groups():
        for stratum in strata:
            items = items_of(study, stratum)
            asked = [name for name in group if name in settings.methods]
            reasons = {name: reason_against(name, study, items) for name in asked}
            against |= {(stratum.name, name): why for name, why in reasons.items() if why}
            methods = [name for name in asked if not reasons[name]]
            if alone := tuple(name for name in methods if not METHODS[name].needs_scores):
                jobs.append(Job(stratum.name, alone, NO_PREDICTOR))
            if of_models := tuple(name for name in methods if METHODS[name].needs_scores):
                jobs += [Job(stratum.name, of_models, model) for model in items.predictors]
    return JobPlan(study, settings, {one.name: one for one in strata}, notes, jobs, against)
