"""Metrics of Items from fits that say nothing of single labels: CLARA's rates, Rogan and Gladen's.

They estimate few metrics each. CLARA's TPR and TNR of all labels are the chance of a right label on
positives and negatives, which TPR_H and TNR_H are the shares of in the items at hand.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.estimators import ConfusionPosterior, Fit, JudgedRate
from crowdgold.evaluation.estimate import Estimate
from crowdgold.evaluation.judge_error import of_judged_rate
from crowdgold.evaluation.reviewers import evaluate_annotations
from crowdgold.metrics import Metric
from crowdgold.metrics.reviewers import PREVALENCE, parse_reviewer_metric

RATES = {"prevalence": "prevalence", "TPR_H": "TPR", "TNR_H": "TNR"}
"""Metrics of Items -> what they are called of annotators."""


def _one(
    fit: Fit, items: Items, metric: Metric, rng: np.random.Generator, level: float
) -> Estimate:
    if isinstance(fit.labels, JudgedRate):
        if metric.name != PREVALENCE:
            return Estimate.unavailable(metric.text, f"it estimates {PREVALENCE} only")
        return of_judged_rate(fit.labels, parse_reviewer_metric(PREVALENCE), level)
    if metric.name not in RATES:
        return Estimate.unavailable(metric.text, f"it estimates {', '.join(RATES)} only")
    if items.labels is None:
        raise InputError(f"{fit.method}: the table does not say who gave each vote")
    found = evaluate_annotations(fit, items.labels, [RATES[metric.name]], rng, level, 0)
    return replace(found[0], metric=metric.text)


def estimate_rates(
    fit: Fit, items: Items, metrics: Sequence[Metric], rng: np.random.Generator, level: float
) -> list[Estimate]:
    """Estimate the metrics that a fit of rates has, and say of the others why there is none.

    Args:
        fit: a `ConfusionPosterior` of the labels behind the votes, or a `JudgedRate`.
        items: the table.
        metrics: none of them a model parameter.
        rng: passed on; posterior draws are summarised as they are.
        level: of the intervals.

    Raises:
        InputError: where the fit is of another kind.
    """
    if not isinstance(fit.labels, ConfusionPosterior | JudgedRate):
        raise InputError(f"{fit.method} gives no rates")
    return [_one(fit, items, metric, rng, level) for metric in metrics]
