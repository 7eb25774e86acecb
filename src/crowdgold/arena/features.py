"""What a study looks like from outside: what anyone can count.

These are items, votes on each, gold labels, how often votes are right, how well scores separate,
whether annotators are known.
"""

from dataclasses import asdict, dataclass, replace

import numpy as np

from crowdgold.data import NO_GOLD, Items
from crowdgold.metrics import LabelMass, RankedItems, parse_metric

COUNTS = ("items", "votes_per_item", "gold")
RATES = ("base_rate", "tpr", "tnr", "auc")
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
        experts: whether gold labels are those of experts who err, with second opinions.
        together: whether these err together, so that their opinions cannot tell how often.
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
    experts: bool = False
    together: bool = False


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


def features_of(items: Items) -> StudyFeatures:
    """What a study looks like; its rates are those of the true labels, where they are known.

    Args:
        items: votes, gold labels and scores.
    """
    labels = items.gold if items.truth is None else items.truth
    return StudyFeatures(
        items=len(items),
        votes_per_item=float(items.votes_total.mean()),
        gold=int((items.gold != NO_GOLD).sum()),
        scores=bool(items.predictors),
        annotators=items.labels is not None,
        experts=items.opinions is not None,
        together=False,
        **_rates(items, np.asarray(labels)),
    )


def mean_features(of_replicates: list[StudyFeatures]) -> StudyFeatures:
    """Average the features of the replicates of a world."""
    values = [asdict(one) for one in of_replicates]
    means = {name: float(np.mean([one[name] for one in values])) for name in (*COUNTS, *RATES)}
    first = of_replicates[0]
    return StudyFeatures(
        **means,
        scores=first.scores,
        annotators=first.annotators,
        experts=first.experts,
        together=first.together,
    )
