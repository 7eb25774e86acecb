"""What a study looks like from outside, and how far two studies are from each other.

The features are those that anyone can count: items, votes on each, gold labels, how often votes are
right, how well scores separate, whether annotators are known. A world of the arena and a user's
data have the same, so that the nearest world can be found.

    d^2 = mean of the squared differences of the features that both have

Counts differ by the logarithm of their ratio (of gold labels, each with one added: none is a
count), rates by their log odds, each kept off 0 and 1 by `EDGE`; having scores or not, or known
annotators or not, differs by `ABSENT`. At a distance of 1 counts and odds differ by a factor e.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace

import numpy as np

from crowdgold.data import NO_GOLD, Items
from crowdgold.metrics import LabelMass, RankedItems, parse_metric

COUNTS = ("items", "votes_per_item", "gold")
RATES = ("base_rate", "tpr", "tnr", "auc")
PRESENT = ("scores", "annotators")
EDGE = 0.005
ABSENT = 2.0
FEWEST = 5
"""Labelled items of a class from which on its rate is a feature."""


@dataclass(frozen=True)
class StudyFeatures:
    """What a study looks like.

    Attributes:
        items: their number.
        votes_per_item: mean.
        gold: gold labels.
        scores: whether there are scores of a model.
        annotators: whether it is known who gave each vote.
        base_rate: share of positives among the labelled items; NaN where too few are labelled.
        tpr, tnr: share of right votes on labelled positives and negatives; NaN likewise.
        auc: of the first model on the labelled items; NaN likewise, and without scores.
    """

    items: float
    votes_per_item: float
    gold: float
    scores: bool
    annotators: bool
    base_rate: float = float("nan")
    tpr: float = float("nan")
    tnr: float = float("nan")
    auc: float = float("nan")


def _rates(items: Items, labels: np.ndarray) -> dict[str, float]:
    """Measure rates on the items that are labelled."""
    known = np.flatnonzero(labels != NO_GOLD)
    positives = int((labels[known] == 1).sum())
    if min(positives, len(known) - positives) < FEWEST:
        return {}
    found = {
        name: _value(metric, replace(items.take(known), scores={}), labels[known])
        for name, metric in (("base_rate", "prevalence"), ("tpr", "TPR_H"), ("tnr", "TNR_H"))
    }
    if items.predictors:
        scored = known[np.isfinite(items.scores[items.predictors[0]][known])]
        if len(np.unique(labels[scored])) == 2:
            found["auc"] = _value("AUC", items.take(scored), labels[scored])
    return found


def _value(metric: str, items: Items, labels: np.ndarray) -> float:
    """The value of a metric of items whose labels are known."""
    parsed = parse_metric(metric)
    ranked = RankedItems.of(items, parsed.predictors(items)[0])
    return parsed.value([LabelMass.of_labels(labels)], [ranked])


def features_of(items: Items, with_truth: bool = False) -> StudyFeatures:
    """Look at a study.

    Args:
        items: votes, gold labels and scores.
        with_truth: whether rates are measured on the true labels of all items, as of a world, and
            not on gold labels.
    """
    labels = items.truth if with_truth and items.truth is not None else items.gold
    return StudyFeatures(
        items=len(items),
        votes_per_item=float(items.votes_total.mean()),
        gold=int((items.gold != NO_GOLD).sum()),
        scores=bool(items.predictors),
        annotators=items.labels is not None,
        **_rates(items, np.asarray(labels)),
    )


def mean_features(of_replicates: list[StudyFeatures]) -> StudyFeatures:
    """Average the features of the replicates of a world."""
    values = [asdict(one) for one in of_replicates]
    means = {name: float(np.mean([one[name] for one in values])) for name in (*COUNTS, *RATES)}
    first = of_replicates[0]
    return StudyFeatures(**means, scores=first.scores, annotators=first.annotators)


def _odds(rate: float) -> float:
    inside = min(max(rate, EDGE), 1 - EDGE)
    return float(np.log(inside / (1 - inside)))


def differences(one: StudyFeatures, other: StudyFeatures) -> dict[str, float]:
    """How far two studies differ in each feature that both have."""
    found = {}
    for field in fields(StudyFeatures):
        name = field.name
        a, b = float(getattr(one, name)), float(getattr(other, name))
        if np.isnan(a) or np.isnan(b):
            continue
        if name in PRESENT:
            found[name] = ABSENT * (a != b)
        elif name in RATES:
            found[name] = _odds(a) - _odds(b)
        else:
            found[name] = float(np.log((a + 1) / (b + 1)) if name == "gold" else np.log(a / b))
    return found


def distance(one: StudyFeatures, other: StudyFeatures) -> float:
    """The distance of two studies: root mean square of `differences`."""
    return float(np.sqrt(np.mean(np.square(list(differences(one, other).values())))))


def nearest(study: StudyFeatures, worlds: Mapping[str, StudyFeatures]) -> list[tuple[str, float]]:
    """Sort worlds by their distance to a study, the nearest first."""
    found = [(name, distance(study, world)) for name, world in worlds.items()]
    return sorted(found, key=lambda one: one[1])
