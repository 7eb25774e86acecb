"""Metrics of a fit to Annotations, with intervals."""

from collections.abc import Sequence

import numpy as np

from crowdgold.data import Annotations, InputError
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.labels import Fit
from crowdgold.metrics.reviewers import parse_reviewer_metric


def evaluate_annotations(
    fit: Fit,
    annotations: Annotations,
    metrics: Sequence[str],
    rng: np.random.Generator,
    level: float,
    resamples: int,
) -> list[Estimate]:
    """Estimate metrics of annotators from a fit.

    Args:
        fit: what a method gave for these labels.
        annotations: the labels, of two categories; the second is the positive one.
        metrics: names (see `metrics.reviewers`).
        resamples: bootstrap resamples, for methods without draws.

    Returns:
        one estimate a metric, in order, or one for each annotator where the metric asks for each.

    Raises:
        InputError: where a metric is not known, there are not two categories, or the fit is not of
            annotations.
    """
    if len(annotations.category) != 2:
        raise InputError(
            f"rates of annotators are of two categories; the table has {len(annotations.category)}"
        )
    found: list[Estimate] = []
    for metric in map(parse_reviewer_metric, metrics):
        try:
            found += fit.labels.rates_of_annotators(annotations, metric, rng, level, resamples)
        except InputError as problem:
            raise InputError(f"{fit.method}: {problem}") from None
    return found
