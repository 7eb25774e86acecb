"""Rates of Items from fits that say nothing of single labels: CLARA's, corrected and power-tuned.

They estimate few metrics each. CLARA's TPR and TNR of all labels are the chance of a right label on
positives and negatives, which TPR_H and TNR_H are the shares of in the items at hand.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.power_tuned_mean import power_tuned_mean
from crowdgold.inference.request import Request
from crowdgold.metrics import Asked
from crowdgold.metrics.reviewers import PREVALENCE, ReviewerMetric, parse_reviewer_metric
from crowdgold.models.judge_error import INTERVALS, JudgementCounts, correct_rate

if TYPE_CHECKING:
    from crowdgold.inference.annotated_labels import ConfusionPosterior, JudgedRate


def power_tuned_rate(counts: JudgementCounts, level: float) -> tuple[float, float, float, float]:
    """PPI++'s estimate of the rate, its interval's ends, and its standard error.

    Args:
        counts: numbers, with gold labels of items drawn at random from those judged.

    Raises:
        InputError: where there are no gold labels, or they are not of the judged items.
    """
    counts.check()
    names = ("true_positives", "false_negatives", "true_negatives", "false_positives")
    sizes = np.array([getattr(counts, name) for name in names], dtype=int)
    if sizes.sum() == 0 or not counts.within:
        raise InputError("PPI++ needs gold labels of some of the judged items; there are none")
    gold, judged = np.repeat([1.0, 1.0, 0.0, 0.0], sizes), np.repeat([1.0, 0.0, 0.0, 1.0], sizes)
    positive = int(counts.positive) - int(judged.sum())
    others = np.repeat([1.0, 0.0], [positive, int(counts.judged) - len(gold) - positive])
    return power_tuned_mean(gold, judged, others, level)


def of_judged_rate(found: "JudgedRate", metric: ReviewerMetric, level: float) -> Estimate:
    """The prevalence with its interval; other metrics have no value here.

    Experiments keep estimates as the formulas give them, also outside [0, 1]: to move them inside,
    as for a user, would show as a bias. Where there is none, the note says why.

    Args:
        found: the counts, and how they are corrected.
        metric: as asked for.
    """
    if metric.name != PREVALENCE:
        return Estimate.unavailable(metric.text, "a corrected rate is an estimate of prevalence")
    try:
        if found.correction not in INTERVALS:
            estimate, lower, upper, error = power_tuned_rate(found.counts, level)
        else:
            one = correct_rate(found.counts, level, found.correction, found.outside)
            estimate, lower, upper, error = (
                float(value) for value in (one.estimate, one.lower, one.upper, one.standard_error)
            )
    except InputError as problem:
        return Estimate.unavailable(metric.text, str(problem))
    return Estimate(metric.text, estimate, lower, upper, standard_error=error)


RATES = {"prevalence": "prevalence", "TPR_H": "TPR", "TNR_H": "TNR"}
"""Metrics of Items -> what they are called of annotators."""


def of_annotators(
    posterior: "ConfusionPosterior", items: Items, asked: Sequence[Asked], request: Request
) -> list[Estimate]:
    """Rates of all labels behind the items' votes; of other metrics, why there is none.

    Raises:
        InputError: where the items do not say who gave each vote.
    """
    found = []
    for metric in asked:
        if metric.name not in RATES:
            note = f"it estimates {', '.join(RATES)} only"
            found.append(Estimate.unavailable(metric.text, note))
            continue
        if items.labels is None:
            raise InputError("the table does not say who gave each vote")
        rate, rng = parse_reviewer_metric(RATES[metric.name]), request.streams.resamples()
        (one,) = posterior.rates_of_annotators(items.labels, rate, rng, request.level, 0)
        found.append(replace(one, metric=metric.text))
    return found


def of_judgements(judged: "JudgedRate", asked: Sequence[Asked], level: float) -> list[Estimate]:
    """The corrected prevalence; of other metrics, why there is none."""
    return [
        of_judged_rate(judged, parse_reviewer_metric(PREVALENCE), level)
        if metric.name == PREVALENCE
        else Estimate.unavailable(metric.text, f"it estimates {PREVALENCE} only")
        for metric in asked
    ]
