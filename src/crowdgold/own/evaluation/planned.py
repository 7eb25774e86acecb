"""The work on a study, split into jobs before any is run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from crowdgold.data import InputError
from crowdgold.data.own import Study
from crowdgold.metrics.binary import LABEL_METRICS
from crowdgold.own.check.experts import refuse_contradicted
from crowdgold.own.evaluation.jobs import Job, Stratum, find_strata, plan_jobs
from crowdgold.own.evaluation.look import of_this_look
from crowdgold.own.evaluation.questions import Settings, check_settings


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
