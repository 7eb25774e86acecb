"""Metrics of Annotations with two categories: the prevalence and the annotators' rates (CLARA).

The second category is the positive one. TPR and TNR are an annotator's chances of the right label
on positives and on negatives; recall is TPR, and

    precision = prevalence TPR / (prevalence TPR + (1 - prevalence) (1 - TNR))

A rate is of all labels together, of those of a group (`TPR:auditors`) or of an annotator
(`TPR:R1`), or of every annotator (`TPR:each`), a number for each. `swapped` is no property of the
data: the share of a posterior in which labels are swapped, truly 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError

PREVALENCE, SWAPPED = "prevalence", "swapped"
RATES = ("TPR", "TNR", "precision", "recall")
EACH = "each"


@dataclass(frozen=True)
class ReviewerMetric:
    """A metric as a configuration names it: NAME[:OF]."""

    text: str  # as written
    name: str  # one of `RATES`, `PREVALENCE` or `SWAPPED`
    of: str  # whose rate: a group's, an annotator's, `EACH`, or empty for that of all labels

    @property
    def is_rate(self) -> bool:
        """Whether it is a rate of annotators."""
        return self.name in RATES


def parse_reviewer_metric(text: str) -> ReviewerMetric:
    """A metric by its name; `InputError` where there is none, or it is not one of annotators."""
    name, colon, of = text.partition(":")
    known = (PREVALENCE, *RATES, SWAPPED)
    if name not in known:
        raise InputError(
            f"no metric {name!r} of annotations (in {text!r}); there are {', '.join(known)}"
        )
    if colon and (name not in RATES or not of):
        form = f"{name} or {name}:GROUP" if name in RATES else name
        raise InputError(f"metric {text!r} should have the form {form}")
    return ReviewerMetric(text, name, of)


def rate_of(name: str, prevalence: np.ndarray, tpr: np.ndarray, tnr: np.ndarray) -> np.ndarray:
    """A rate of `RATES` from the prevalence, TPR and TNR; NaN where it divides by 0."""
    if name == "TNR":
        return tnr
    if name != "precision":
        return tpr
    positive = prevalence * tpr
    called = positive + (1 - prevalence) * (1 - tnr)
    return np.divide(positive, called, out=np.full(np.shape(called), np.nan), where=called > 0)


def rate_of_counts(name: str, counts: np.ndarray) -> np.ndarray:
    """A rate of `RATES` from labels (..., 2, 2) by category and label; NaN for 0 / 0."""
    part, whole = {
        "TNR": (counts[..., 0, 0], counts[..., 0, :].sum(axis=-1)),
        "precision": (counts[..., 1, 1], counts[..., :, 1].sum(axis=-1)),
    }.get(name, (counts[..., 1, 1], counts[..., 1, :].sum(axis=-1)))
    return np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)


def annotators_of(metric: ReviewerMetric, annotations: Annotations) -> list[str]:
    """Whose number each value of a metric is: all annotators for `EACH`, else nobody's."""
    return [str(name) for name in annotations.annotator] if metric.of == EACH else [""]


def value_of_label(metric: ReviewerMetric, annotations: Annotations) -> np.ndarray:
    """The value of a rate that each label counts for: (L,) positions; -1 for none."""
    if metric.of == EACH:
        return annotations.annotator_of
    if not metric.of:
        return np.zeros(len(annotations), dtype=np.int64)
    groups, annotators = annotations.group, annotations.annotator
    known = (groups, annotations.group_of), (annotators, annotations.annotator_of)
    for names, position in known:
        found = np.flatnonzero(names == metric.of)
        if len(found):
            return np.where(position == found[0], 0, -1)
    raise InputError(
        f"metric {metric.text!r}: the table has no group or annotator {metric.of!r}; groups: "
        f"{', '.join(map(repr, groups))}; annotators: {annotators[0]!r} and {len(annotators) - 1} "
        "more"
    )


def true_values(
    text: str, annotations: Annotations, parameters: Mapping[str, float]
) -> dict[str, float]:
    """Annotator, empty where the value is nobody's, -> the true value of a metric of the process
    that labels were drawn from; `parameters` are as `Replicate.parameters`.
    """
    metric = parse_reviewer_metric(text)
    if metric.name == SWAPPED:
        return {"": 0.0}
    needed = (PREVALENCE, "TPR", "TNR") if metric.is_rate else (PREVALENCE,)
    found = {}
    for annotator in annotators_of(metric, annotations):
        whose = annotator or metric.of
        names = [f"{name}:{whose}" if whose and name != PREVALENCE else name for name in needed]
        if missing := [name for name in names if name not in parameters]:
            known = list(parameters)
            some = ", ".join(known[:8]) + (" ..." if len(known) > 8 else "")
            raise InputError(
                f"metrics: the true value of {text!r} is not known, for lack of {missing[0]!r}; "
                f"the data have {some or 'no known parameters'}"
            )
        values = [np.array(parameters[name]) for name in names]
        found[annotator] = float(rate_of(metric.name, *values) if metric.is_rate else values[0])
    return found
