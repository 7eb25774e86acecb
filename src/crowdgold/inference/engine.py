"""The one way from what a method gave to estimates of metrics, with intervals.

Every kind of `inference.labels` says what it knows of metrics as one predictor ranks the items; a
difference of two predictors is taken from what is known of each, before anything is summarised.
"""

from collections.abc import Sequence

import numpy as np

from crowdgold.inference.estimate import Estimate
from crowdgold.inference.labels import Fit
from crowdgold.inference.questions import Named, Questions, View
from crowdgold.inference.rectified import POPULATION, Request, Streams
from crowdgold.inference.samples import Sample
from crowdgold.metrics.binary import parse_metric
from crowdgold.metrics.metric import Asked
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items
from crowdgold.types.notes import Note
from crowdgold.types.parameters import LEVEL


def sample_of(fit: Fit, view: View, questions: Questions, request: Request) -> Sample:
    """What a fit says of metrics of items as a predictor ranks them."""
    try:
        return fit.labels.sample(view, questions, request)
    except InputError as problem:
        raise InputError(f"{fit.method}: {problem}") from None


def difference_of(
    samples: Sequence[Sample], columns: Sequence[int], named: Named, level: float
) -> list[Estimate]:
    """Estimates of the differences between the first and the second of two samples."""
    first, second = (sample.select(columns) for sample in samples)
    found = first.minus(second)
    if found is None:
        return [Estimate.unavailable(name, Note("no_difference")) for name in named.texts]
    return found.estimates(named.differences(), level)


def evaluate(
    fit: Fit, items: Items, metrics: Sequence[str], rng: np.random.Generator, level: float = LEVEL,
    resamples: int = 0, target: str = POPULATION, weights: np.ndarray | None = None,
) -> list[Estimate]:  # fmt: skip
    """Estimates of metrics from a fit, one a metric, in order; parameters by their posterior
    median, NaN where it lacks them. `target`: what the intervals are about, the "population" that
    the items were drawn from or these "items"; `weights`: (n,) what each counts, of mean 1.
    """
    parsed = [parse_metric(text) for text in metrics]
    request = Request(Streams.of(rng), level, target, resamples)
    needed: dict[str, list[Asked]] = {}
    for metric in parsed:
        for name in () if metric.is_parameter else metric.predictors(items):
            needed.setdefault(name, []).append(metric)
    place = {name: {metric.text: k for k, metric in enumerate(own)} for name, own in needed.items()}
    questions = {
        name: Questions(tuple(metric.of_one for metric in own)) for name, own in needed.items()
    }
    samples = {
        name: sample_of(fit, View(items, name, weights), asked, request)
        for name, asked in questions.items()
    }

    def estimate(metric: Asked) -> Estimate:
        if metric.is_parameter:
            known = fit.labels.parameters
            draws = known.get(metric.name)
            if draws is None:
                draws = known.get(f"{metric.name}:{metric.predictors(items)[0]}")
            if draws is None:
                return Estimate.unavailable(metric.text)
            # The median: mu has no mean under its prior.
            return Estimate.of_draws(metric.text, draws, level, float(np.median(draws)))
        names = metric.predictors(items)
        columns = [[place[name][metric.text]] for name in names]
        named = questions[names[0]].named.select(columns[0], [metric.text])
        chosen = [samples[name].select(own) for name, own in zip(names, columns, strict=True)]
        if metric.is_difference:
            return difference_of(chosen, [0], named, level)[0]
        return chosen[0].estimates(named, level)[0]

    return [estimate(metric) for metric in parsed]
