"""The work of a job: its methods fitted to the items of a stratum, and what they say of a model."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from crowdgold.data import NO_PREDICTOR, InputError, Items, Table
from crowdgold.data.own import Study
from crowdgold.evaluation.reviewers import evaluate_annotations
from crowdgold.inference.engine import sample_of
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.interval import central_interval
from crowdgold.inference.labels import Fit, Labels
from crowdgold.inference.questions import Named, Questions, View
from crowdgold.inference.request import OWN, Request, Streams
from crowdgold.inference.samples import Sample
from crowdgold.methods import METHODS, fit
from crowdgold.models.stan import SamplingError, StanModels
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.own.evaluation.jobs import (
    Job,
    Stratum,
    annotations_of,
    items_of,
    stream,
)
from crowdgold.own.evaluation.predictive import check_predictions
from crowdgold.own.evaluation.questions import Settings, questions_of

ANNOTATOR_METRICS = ("TPR:each", "TNR:each")


@dataclass(frozen=True)
class Found:
    """What a method says of a model in a stratum.

    Attributes:
        stratum, model, method: whose it is.
        named: names and ranges of the metrics.
        sample: what it says of them, from which estimates are made.
        common: the same of the items that every model has a score of, for comparisons; None where
            there are none.
        annotators: estimates of each annotator's rates.
        whole: whether it speaks of every item of the stratum.
        curves: (3, P) points of the curves and the ends of their intervals; None without scores.
        probability: P(Y_i = 1) of each item of the study, NaN where it has none; None in a stratum.
        checks: posterior predictive checks (`predictive.COLUMNS`); None where there are none.
        parameters: (name, median, lower, upper) of each model parameter.
        diagnostics: of the fit.
        seconds: wall time.
        problem: why there is nothing; empty where there is something.
    """

    stratum: str
    model: str
    method: str
    named: Named | None = None
    sample: Sample | None = None
    common: Sample | None = None
    annotators: Sequence[Estimate] = ()
    whole: bool = True
    curves: np.ndarray | None = None
    probability: np.ndarray | None = None
    checks: pd.DataFrame | None = None
    parameters: Sequence[tuple[str, float, float, float]] = ()
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    seconds: float = 0.0
    problem: str = ""


@dataclass(frozen=True)
class Work:
    """A method with all that it needs.

    Attributes:
        study, settings: of the evaluation.
        stratum: whose items they are.
        method: its name.
        items: of the stratum.
        stan: compiled models.
        curves: whether curves are asked for.
    """

    study: Study
    settings: Settings
    stratum: Stratum
    method: str
    items: Items
    stan: StanModels
    curves: bool = True

    def rng(self, role: str, method: str = "", model: str = NO_PREDICTOR) -> np.random.Generator:
        """Random numbers of a role; a method's own depend on the model too."""
        known = model != NO_PREDICTOR and bool(method)
        number = self.items.predictors.index(model) if known else 0
        return stream(self.settings, self.stratum, role, method, number)

    def request(self) -> Request:
        """How metrics are estimated: models share all random numbers but a method's own."""

        def make(role: str, predictor: str) -> np.random.Generator:
            return self.rng(role, self.method if role == OWN else "", predictor)

        settings = self.settings
        return Request(Streams(make), settings.interval_level, settings.about)

    def weights(self, rows: np.ndarray) -> np.ndarray | None:
        """What the items at some positions of the stratum count, of mean 1; None for all alike."""
        if self.study.weights is None:
            return None
        weights = np.asarray(self.study.weights, dtype=float)[self.stratum.rows][rows]
        scaled: np.ndarray = weights / weights.mean()
        return scaled

    def questions(self, model: str) -> Questions:
        """What is asked of a model; without curves where the method estimates some metrics only."""
        asked = questions_of(self.settings, self.study.items, model)
        if self.curves and not METHODS[self.method].estimates:
            return asked
        return replace(asked, curves=False)

    def fit(self, table: Table) -> Fit:
        """The method fitted to a table, with the settings that it has here."""
        offer = METHODS[self.method].offer
        own = offer.settings if offer else {}
        settings = {"imputations": self.settings.imputations, **own}
        return fit(self.method, table, self.rng("fit"), settings, self.stan)

    def view(self, rows: np.ndarray, model: str) -> View:
        """Items at some positions of the stratum as a model ranks them."""
        return View(self.items.take(rows), model, self.weights(rows))


def _scored(items: Items, models: Sequence[str]) -> np.ndarray:
    """Positions of the items that have a score of every one of some models."""
    known = [np.isfinite(items.scores[name]) for name in models]
    return np.flatnonzero(np.all(known, axis=0)) if known else np.arange(len(items))


def _curves(questions: Questions, sample: Sample, level: float) -> np.ndarray | None:
    """Points of the curves and the ends of their intervals, (3, P); None where none are asked."""
    size, named = len(questions.asked), questions.named
    points = range(size, len(named.texts))
    if not points:
        return None
    drawn = sample.select(points).estimates(named.select(points), level)
    return np.array([[one.estimate, one.lower, one.upper] for one in drawn]).T


def _of_study(work: Work, rows: np.ndarray, known: np.ndarray | None) -> np.ndarray | None:
    """Probabilities of all items of the study, NaN where there is none; None in a stratum."""
    if work.stratum.key != 0 or known is None:
        return None
    found = np.full(len(work.items), np.nan)
    found[rows] = known
    return found


def _parameters(
    draws: Mapping[str, np.ndarray], level: float
) -> list[tuple[str, float, float, float]]:
    ends = {name: central_interval(values, level) for name, values in draws.items()}
    return [
        (name, float(np.median(draws[name])), float(lower), float(upper))
        for name, (lower, upper) in ends.items()
    ]


def _says(
    work: Work, fitted: Fit, labels: Labels, rows: np.ndarray, model: str, compared: bool
) -> Found:
    """What a fit says of a model.

    Args:
        work: the method and its items.
        labels: what it gave, for the items at `rows`.
        rows: positions in the stratum of the items that it speaks of here.
        model: a model, or `NO_PREDICTOR`.
        compared: whether models are compared.
    """
    questions, request = work.questions(model), work.request()
    view = work.view(rows, model)
    given = replace(fitted, labels=labels)
    sample = sample_of(given, view, questions, request)
    asked, common = range(len(questions.asked)), None
    if compared and model != NO_PREDICTOR:
        shared = _scored(view.items, work.items.predictors)
        common = sample
        if len(shared) < len(rows):
            part = replace(fitted, labels=labels.take(shared))
            metrics = replace(questions, curves=False)
            common = sample_of(part, work.view(rows[shared], model), metrics, request)
        common = common.select(asked)
    draws, checks = labels.parameters, None
    if f"mu:{model}" in draws:
        rng = work.rng("checks", work.method, model)
        checks = check_predictions(draws, view.items, model, rng, work.settings.interval_level)
    known = sample.probability
    if known is None and labels.of_items:
        known = labels.probabilities(view, request.streams.own(model))
    return Found(
        work.stratum.name, model, work.method, questions.named.select(asked),
        sample.select(asked), common, whole=len(rows) == len(work.items),
        curves=_curves(questions, sample, work.settings.interval_level),
        probability=_of_study(work, rows, known), checks=checks,
        parameters=_parameters(draws, work.settings.interval_level), diagnostics=fitted.diagnostics,
    )  # fmt: skip


def _of_model(work: Work, model: str, compared: bool) -> list[Found]:
    """Fit a method that conditions on a model's scores to the items that have one."""
    rows = _scored(work.items, [model])
    items = work.items.take(rows)
    own = replace(items, scores={model: items.scores[model]})
    fitted = work.fit(own)
    return [_says(work, fitted, fitted.labels, rows, model, compared)]


def of_each(work: Work, fitted: Fit, compared: bool) -> list[Found]:
    """What a fit whose labels are the same for all models says of the items, and of each model."""
    everyone = np.arange(len(work.items))
    found = [_says(work, fitted, fitted.labels, everyone, NO_PREDICTOR, compared)]
    for model in work.items.predictors if fitted.labels.of_items else ():
        rows = _scored(work.items, [model])
        labels = fitted.labels if len(rows) == len(everyone) else fitted.labels.take(rows)
        found.append(_says(work, fitted, labels, rows, model, compared))
    return found


def _of_annotators(work: Work) -> list[Found]:
    """Fit a method of annotators to their labels; it says nothing of models."""
    annotations, level = annotations_of(work.study, work.stratum), work.settings.interval_level
    fitted, request = work.fit(annotations), work.request()
    items = replace(work.items, labels=annotations)
    questions = work.questions(NO_PREDICTOR)
    sample = sample_of(fitted, View(items, NO_PREDICTOR), questions, request)
    rng = request.streams.own(NO_PREDICTOR)
    annotators = evaluate_annotations(fitted, annotations, ANNOTATOR_METRICS, rng, level, 0)
    rows = pd.Index(annotations.item.astype(str)).get_indexer(work.items.item.astype(str))
    known = fitted.labels.probabilities(View(items, NO_PREDICTOR), work.rng(OWN))
    probability = np.where(rows >= 0, known[rows], np.nan)
    return [
        Found(
            work.stratum.name, NO_PREDICTOR, work.method, questions.named, sample,
            annotators=annotators, diagnostics=fitted.diagnostics,
            probability=_of_study(work, np.arange(len(work.items)), probability),
        )
    ]  # fmt: skip


def _problem(error: Exception) -> str:
    """Why a method failed; what it does not say itself is named by its type."""
    said = " ".join(str(error).split())
    if isinstance(error, InputError | SamplingError):
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _run_method(work: Work, model: str) -> list[Found]:
    start = time.perf_counter()
    compared = len(work.items.predictors) > 1
    try:
        if METHODS[work.method].of_annotators:
            found = _of_annotators(work)
        elif METHODS[work.method].needs_scores:
            found = _of_model(work, model, compared)
        else:
            found = of_each(work, work.fit(work.items), compared)
    except Exception as error:  # whatever it is, the other methods have their say
        found = [Found(work.stratum.name, model, work.method, problem=_problem(error))]
    seconds = (time.perf_counter() - start) / len(found)
    return [replace(one, seconds=seconds) for one in found]


def run_job(
    job: Job, study: Study, settings: Settings, strata: Mapping[str, Stratum], stan: StanModels
) -> list[Found]:
    """What each method of a job says, or why it says nothing.

    Args:
        settings: of the evaluation.
        strata: the study's strata by name.
    """
    stratum = strata[job.stratum]
    items = items_of(study, stratum)
    return [
        one
        for method in job.methods
        for one in _run_method(Work(study, settings, stratum, method, items, stan), job.model)
    ]
