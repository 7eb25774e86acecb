"""The one way from what a method gave to estimates of metrics, with intervals.

Experiments, the Python functions and the command all take it. Every kind of `inference.labels` says
what it knows of metrics as one predictor ranks the items; a difference of two predictors is taken
from what is known of each, before anything is summarised.
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
from crowdgold.types.parameters import LEVEL

NO_DIFFERENCE = "it gives no difference of two predictors"


def sample_of(fit: Fit, view: View, questions: Questions, request: Request) -> Sample:
    """What a fit says of metrics of items as a predictor ranks them.

    Raises:
        InputError: where it is of another kind of table; the message names the method.
    """
    try:
        return fit.labels.sample(view, questions, request)
    except InputError as problem:
        raise InputError(f"{fit.method}: {problem}") from None


def _parameter(metric: Asked, fit: Fit, items: Items, level: float) -> Estimate:
    known = fit.labels.parameters
    draws = known.get(metric.name)
    if draws is None:
        draws = known.get(f"{metric.name}:{metric.predictors(items)[0]}")
    if draws is None:
        return Estimate.unavailable(metric.text)
    # The median: mu has no mean under its prior.
    return Estimate.of_draws(metric.text, draws, level, float(np.median(draws)))


def difference_of(
    samples: Sequence[Sample], columns: Sequence[int], named: Named, level: float
) -> list[Estimate]:
    """Estimates of the differences between the first and the second of two samples.

    Args:
        samples: of two predictors, the same quantities in the same order.
        columns: those that are compared.
        named: names of the differences; ranges and scales of the quantities.
    """
    first, second = (sample.select(columns) for sample in samples)
    found = first.minus(second)
    if found is None:
        return [Estimate.unavailable(name, NO_DIFFERENCE) for name in named.texts]
    return found.estimates(named.differences(), level)


class _Evaluation:
    """What a fit says of a table, each predictor once."""

    def __init__(
        self, fit: Fit, items: Items, asked: Sequence[Asked], request: Request,
        weights: np.ndarray | None,
    ) -> None:  # fmt: skip
        self.fit, self.request = fit, request
        needed: dict[str, list[Asked]] = {}
        for metric in asked:
            for name in metric.predictors(items):
                needed.setdefault(name, []).append(metric)
        self.place = {
            name: {metric.text: k for k, metric in enumerate(own)} for name, own in needed.items()
        }
        self.questions = {
            name: Questions(tuple(metric.of_one for metric in own)) for name, own in needed.items()
        }
        self.samples = {
            name: sample_of(fit, View(items, name, weights), questions, request)
            for name, questions in self.questions.items()
        }
        self.items = items

    def estimate(self, metric: Asked) -> Estimate:
        """The estimate of a metric, or of a difference."""
        if metric.is_parameter:
            return _parameter(metric, self.fit, self.items, self.request.level)
        names = metric.predictors(self.items)
        columns = [[self.place[name][metric.text]] for name in names]
        named = self.questions[names[0]].named.select(columns[0], [metric.text])
        level = self.request.level
        chosen = [
            self.samples[name].select(column) for name, column in zip(names, columns, strict=True)
        ]
        if metric.is_difference:
            (found,) = difference_of(chosen, [0], named, level)
        else:
            (found,) = chosen[0].estimates(named, level)
        return found


def evaluate(
    fit: Fit,
    items: Items,
    metrics: Sequence[str],
    rng: np.random.Generator,
    level: float = LEVEL,
    resamples: int = 0,
    target: str = POPULATION,
    weights: np.ndarray | None = None,
) -> list[Estimate]:
    """Estimates of metrics from a fit.

    Args:
        fit: what a method gave for these items.
        metrics: names (see `parse_metric`); parameters give their posterior median.
        resamples: of the percentile bootstrap, for methods that take labels for the truth; without
            any their intervals rest on what each item contributes.
        target: what the intervals are about: the "population" that the items were drawn from, or
            these "items".
        weights: (n,) what each item counts, of mean 1; None where all count the same.

    Returns:
        one estimate a metric, in order; a parameter that the method lacks is NaN.

    Raises:
        InputError: where a metric is not known or needs a predictor that is not there.
    """
    parsed = [parse_metric(text) for text in metrics]
    of_labels = [metric for metric in parsed if not metric.is_parameter]
    request = Request(Streams.of(rng), level, target, resamples)
    evaluation = _Evaluation(fit, items, of_labels, request, weights)
    return [evaluation.estimate(metric) for metric in parsed]
