"""Metrics of Items from fits that say nothing of single labels: CLARA's rates, Rogan and Gladen's.

They estimate few metrics each. CLARA's TPR and TNR of all labels are the chance of a right label on
positives and negatives, which TPR_H and TNR_H are the shares of in the items at hand.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from crowdgold.data import InputError, Items
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.judged_rate import of_judged_rate
from crowdgold.inference.request import Request
from crowdgold.metrics import Asked
from crowdgold.metrics.reviewers import PREVALENCE, parse_reviewer_metric

if TYPE_CHECKING:
    from crowdgold.inference.annotated_labels import ConfusionPosterior, JudgedRate

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
