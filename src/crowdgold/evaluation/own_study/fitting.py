"""The work of a job: its methods fitted to the items of a stratum, and what they say of a model."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from crowdgold.data import InputError, Items
from crowdgold.data.own import Study
from crowdgold.estimators import (
    METHODS,
    ConfusionPosterior,
    Fit,
    FixedLabels,
    LabelPosterior,
    fit,
)
from crowdgold.estimators.judge_error import judgement_counts_of_items
from crowdgold.estimators.label_prediction import PREDICTION_DRAWS, predict_from_posterior
from crowdgold.estimators.maven import MavenSettings, fit_maven
from crowdgold.evaluation.central_interval import central_interval
from crowdgold.evaluation.estimate import Estimate
from crowdgold.evaluation.imputation import evaluate
from crowdgold.evaluation.own_study.imputing import Ranked, correct, impute, resample
from crowdgold.evaluation.own_study.jobs import (
    Job,
    Stratum,
    annotations_of,
    items_of,
    stream,
)
from crowdgold.evaluation.own_study.predictive import check_predictions
from crowdgold.evaluation.own_study.questions import (
    NO_MODEL,
    Questions,
    Settings,
    is_of_population,
    questions_of,
)
from crowdgold.evaluation.own_study.samples import Sample
from crowdgold.evaluation.reviewers import evaluate_annotations
from crowdgold.models.diagnostics import Diagnostics
from crowdgold.models.judge_error import ADJUSTED, CLIP, correct_rate
from crowdgold.models.stan import SamplerSettings, SamplingError, StanModels

CLARA_METRICS = {"prevalence": "prevalence", "TPR": "TPR_H", "TNR": "TNR_H"}
"""Its names of metrics of all labels -> those of items and voters."""
GOLD_ONLY = "GT"
ANNOTATOR_METRICS = ("TPR:each", "TNR:each")
CLARA_SETTINGS = {"chains": 4, "warmup": 300, "draws": 500, "lag": 5}
CLARA_LONGER = {**CLARA_SETTINGS, "warmup": 1000, "lag": 25}
"""Where its chains fail their gate: without gold, prevalence and error rates move together."""
MOST_LABELS_LONGER = 12_000
"""With more labels the longer chains would take most of a minute: then the failed gate is said."""


@dataclass(frozen=True)
class Found:
    """What a method says of a model in a stratum.

    Attributes:
        stratum, model, method: whose it is.
        texts: the metrics' names.
        sample: their values, from which estimates and comparisons are made; None where a method
            gives `estimates` only.
        estimates: of methods that cannot be compared between models.
        annotators: estimates of each annotator's rates.
        curves: (3, P) points of the curves and the ends of their intervals; None without scores.
        probability: P(Y_i = 1) of each item of the study; None in a stratum, or where it has none.
        checks: posterior predictive checks (`predictive.COLUMNS`); None where there are none.
        parameters: (name, median, lower, upper) of each model parameter.
        diagnostics: of the fit.
        seconds: wall time.
        problem: why there is nothing; empty where there is something.
    """

    stratum: str
    model: str
    method: str
    texts: Sequence[str] = ()
    sample: Sample | None = None
    estimates: Sequence[Estimate] = ()
    annotators: Sequence[Estimate] = ()
    curves: np.ndarray | None = None
    probability: np.ndarray | None = None
    checks: pd.DataFrame | None = None
    parameters: Sequence[tuple[str, float, float, float]] = ()
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    seconds: float = 0.0
    problem: str = ""


@dataclass(frozen=True)
class Work:
    """A job with all that it needs."""

    study: Study
    settings: Settings
    stratum: Stratum
    model: str
    items: Items
    stan: StanModels

    @property
    def number(self) -> int:
        """Give the number of the model, for random streams."""
        return 0 if self.model == NO_MODEL else self.items.predictors.index(self.model)

    @property
    def ranked(self) -> Ranked:
        """Give the items as the model ranks them, with their weights, of mean 1."""
        weights = self.study.weights
        if weights is not None:
            weights = np.asarray(weights, dtype=float)[self.stratum.rows]
            weights = weights / weights.mean()
        return Ranked(self.items, self.model, weights)

    @property
    def questions(self) -> Questions:
        """Give what is asked of the model."""
        return questions_of(self.settings, self.study.items, self.model)

    def rng(self, role: str, method: str = "") -> np.random.Generator:
        """Give the random numbers of a role; a method's own depend on the model too."""
        return stream(self.settings, self.stratum, role, method, self.number if method else 0)

    def found(self, method: str, questions: Questions, sample: Sample, **more: object) -> Found:
        """Split a sample of all values into metrics and points of the curves."""
        size = len(questions.metrics)
        curves = None
        if questions.curves:
            points = range(size, len(questions.limits))
            limits = questions.limits[size:]
            level = self.settings.level
            drawn = sample.select(points).estimates([""] * len(limits), limits, level)
            curves = np.array([[one.estimate, one.lower, one.upper] for one in drawn]).T
        kept = sample.select(range(size))
        whose = (self.stratum.name, self.model, method)
        return Found(*whose, questions.texts, kept, curves=curves, **more)  # type: ignore[arg-type]

    def of_study(self, probability: np.ndarray) -> np.ndarray | None:
        """Give probabilities where they are of all items of the study."""
        return probability if self.stratum.key == 0 else None


def _parameters(
    draws: Mapping[str, np.ndarray], level: float
) -> list[tuple[str, float, float, float]]:
    ends = {name: central_interval(values, level) for name, values in draws.items()}
    return [
        (name, float(np.median(draws[name])), float(lower), float(upper))
        for name, (lower, upper) in ends.items()
    ]


def _of_posterior(work: Work, method: str, fitted: Fit) -> Found:
    """Impute from a fit with draws of P(Y_i = 1)."""
    assert isinstance(fitted.labels, LabelPosterior)
    questions = work.questions
    streams = work.rng("labels"), work.rng("own", method)
    times = work.rng("population") if is_of_population(method, work.settings.about) else None
    sample, probability = impute(fitted.labels, questions, work.ranked, *streams, times)
    draws, level = fitted.labels.parameters, work.settings.level
    checks = None
    if f"mu:{work.model}" in draws:
        checks = check_predictions(draws, work.items, work.model, work.rng("checks", method), level)
    return work.found(
        method, questions, sample, probability=work.of_study(probability), checks=checks,
        parameters=_parameters(draws, level), diagnostics=fitted.diagnostics,
    )  # fmt: skip


def _maven_fit(work: Work, method: str) -> Fit:
    settings = MavenSettings(**METHODS[method].preset)
    rng, draws = work.rng("fit"), work.settings.imputations
    sampler = SamplerSettings()
    return fit_maven(work.items, rng, work.stan, sampler, draws, settings, (work.model,))


def _maven(work: Work, methods: Sequence[str]) -> list[Found]:
    """Fit MAVEN once, for its own estimates and for the prediction that gold labels correct."""
    fitted = _maven_fit(work, "MAVEN")
    found = [_of_posterior(work, "MAVEN", fitted)] if "MAVEN" in methods else []
    if "MAVEN-R" in methods:
        own = work.rng("own", "MAVEN-R")
        means = predict_from_posterior(fitted, work.items, own, (work.model,), PREDICTION_DRAWS)
        found.append(_corrected(work, "MAVEN-R", means[work.model], fitted.diagnostics))
    return found


def _corrected(
    work: Work, method: str, prediction: np.ndarray, diagnostics: Diagnostics | None = None
) -> Found:
    """Let the gold labels correct a prediction (n,) of every label."""
    questions, rng = work.questions, work.rng("resamples")
    sample = correct(prediction, questions, work.ranked, rng, target=work.settings.about)
    return work.found(
        method, questions, sample, probability=work.of_study(prediction),
        diagnostics=diagnostics or Diagnostics(),
    )  # fmt: skip


def _votes(work: Work, methods: Sequence[str]) -> list[Found]:
    """Correct the shares of positive votes, which are the same whatever the model."""
    items = work.items
    return [_corrected(work, "votes-R", items.votes_positive / items.votes_total)]


def _calibrated(work: Work, methods: Sequence[str]) -> list[Found]:
    return [_of_posterior(work, "MAVEN-C", _maven_fit(work, "MAVEN-C"))]


def _dawid_skene(work: Work, methods: Sequence[str]) -> list[Found]:
    settings = {"imputations": work.settings.imputations}
    return [_of_posterior(work, "DS", fit("DS", work.items, work.rng("fit"), settings, work.stan))]


def _labels(work: Work, methods: Sequence[str]) -> list[Found]:
    """Take labels for the truth: GT or GT+MV."""
    found = []
    for method in methods:
        if method == "AutoEval":
            found.append(_auto_eval(work))
            continue
        fitted, questions = fit(method, work.items, work.rng("fit")), work.questions
        assert isinstance(fitted.labels, FixedLabels)
        labels, resamples = fitted.labels.labels, work.settings.resamples
        rng, gold_only = work.rng("resamples"), method == GOLD_ONLY
        sample = resample(labels, questions, work.ranked, rng, resamples, gold_only)
        found.append(work.found(method, questions, sample))
    return found


def _auto_eval(work: Work) -> Found:
    own = replace(work.items, scores={work.model: work.items.scores[work.model]})
    fitted = fit("AutoEval", own, work.rng("fit"))
    texts, level = work.questions.texts, work.settings.level
    found = evaluate(fitted, own, texts, work.rng("own", "AutoEval"), level)
    estimates = [one for one in found if np.isfinite(one.estimate)]
    return Found(work.stratum.name, work.model, "AutoEval", texts, estimates=estimates)


def _clara(work: Work, methods: Sequence[str]) -> list[Found]:
    annotations, settings = annotations_of(work.study, work.stratum), work.settings
    fitted = fit("CLARA", annotations, work.rng("fit"), CLARA_SETTINGS)
    if not fitted.diagnostics.passed and len(annotations.label) <= MOST_LABELS_LONGER:
        fitted = fit("CLARA", annotations, work.rng("fit"), CLARA_LONGER)
    assert isinstance(fitted.labels, ConfusionPosterior)
    wanted = [name for name, ours in CLARA_METRICS.items() if ours in settings.metrics]
    rest = work.rng("own", "CLARA"), settings.level, settings.resamples
    named = evaluate_annotations(fitted, annotations, wanted, *rest)
    estimates = [replace(one, metric=CLARA_METRICS[one.metric]) for one in named]
    annotators = evaluate_annotations(fitted, annotations, ANNOTATOR_METRICS, *rest)
    rows = pd.Index(annotations.item.astype(str)).get_indexer(work.items.item.astype(str))
    probability = np.where(rows >= 0, fitted.labels.probability[rows, 1], np.nan)
    return [
        Found(
            work.stratum.name, work.model, "CLARA", tuple(CLARA_METRICS.values()),
            estimates=estimates, annotators=annotators,
            probability=work.of_study(probability), diagnostics=fitted.diagnostics,
        )
    ]  # fmt: skip


def _rogan_gladen(work: Work, methods: Sequence[str]) -> list[Found]:
    counts = judgement_counts_of_items(work.items, work.rng("fit"))
    one = correct_rate(counts, work.settings.level, ADJUSTED, CLIP)
    estimate, lower, upper, error = (
        float(value) for value in (one.estimate, one.lower, one.upper, one.standard_error)
    )
    found = Estimate("prevalence", estimate, lower, upper, standard_error=error, note=one.note)
    wanted = [found] if "prevalence" in work.settings.metrics else []
    whose = (work.stratum.name, work.model, "Rogan-Gladen")
    return [Found(*whose, ("prevalence",), estimates=wanted)]


WORKERS = {
    "MAVEN": _maven, "MAVEN-R": _maven, "MAVEN-C": _calibrated, "DS": _dawid_skene, "GT": _labels,
    "GT+MV": _labels, "AutoEval": _labels, "CLARA": _clara, "Rogan-Gladen": _rogan_gladen,
    "votes-R": _votes,
}  # fmt: skip


def _problem(error: Exception) -> str:
    """Say why a method failed; what it does not say itself is named by its type."""
    said = " ".join(str(error).split())
    if isinstance(error, InputError | SamplingError):
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def run_job(
    job: Job, study: Study, settings: Settings, strata: Mapping[str, Stratum], stan: StanModels
) -> list[Found]:
    """Do the work of a job.

    Args:
        job: what to do.
        study: the user's tables.
        settings: of the evaluation.
        strata: the study's strata by name.
        stan: compiled models.

    Returns:
        what each of its methods says, or why it says nothing.
    """
    start, stratum = time.perf_counter(), strata[job.stratum]
    work = Work(study, settings, stratum, job.model, items_of(study, stratum), stan)
    try:
        found = WORKERS[job.methods[0]](work, job.methods)
    except Exception as error:  # whatever it is, the other methods have their say
        problem = _problem(error)
        found = [Found(job.stratum, job.model, name, problem=problem) for name in job.methods]
    seconds = (time.perf_counter() - start) / max(1, len(found))
    return [replace(one, seconds=seconds) for one in found]
