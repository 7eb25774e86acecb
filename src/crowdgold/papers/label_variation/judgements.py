"""Annotations of items, and what is made of them: training sets, scores, choices (HLV, 3 to 6).

A method trains on rows with targets and weights that are made of the annotations (section 4).

Ties. The paper says nothing of them; these are the rules of its published code. Of several most
frequent classes AR and ARh train on the one that is met first in the item's list of annotations. MV
and SLMV train on the first in the order of the classes, and hard metrics hold predictions against
that one, arg max_k P_ik. With an even number of annotators (HS-Brexit has six) the latter favours
the first class. Where an item may have several classes, the majority are those that more than half
chose, J_ik = 1(P_ik > 0.5), which may be none; exactly half is not more than half.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from crowdgold.metrics.soft import MULTICLASS, MULTILABEL, noted
from crowdgold.simulate.pairwise_choices import Choices
from crowdgold.types.errors import InputError


@dataclass(frozen=True)
class TrainingMethod:
    """A way to train on annotations that differ."""

    name: str
    full_name: str  # in table 3
    needs_annotators: bool = False  # it must be known who gave which annotation (I)
    multilabel: bool = True  # an item may have several classes (M)
    enlarges: bool = False  # it trains on more rows than there are items (D)
    proposed: bool = False  # by the paper
    objective: str = ""  # the metric that its loss is 1 less; empty where it is a likelihood


METHODS = {
    method.name: method
    for method in (
        TrainingMethod("ReL", "Repeated labelling", enlarges=True),
        TrainingMethod("MV", "Majority voting"),
        TrainingMethod("AR", "Annotator ranking", needs_annotators=True),
        TrainingMethod("ARh", "Annotator ranking (hard)", needs_annotators=True),
        TrainingMethod("AL", "Ambiguous labelling", multilabel=False, enlarges=True),
        TrainingMethod("SL", "Soft labelling"),
        TrainingMethod("SLMV", "Multitask of SL and MV"),
        TrainingMethod("AE", "Annotator ensemble", needs_annotators=True),
        TrainingMethod("AEh", "Annotator ensemble (hard)", needs_annotators=True),
        TrainingMethod("JSD", "Jensen-Shannon divergence", proposed=True, objective="PO-JSD"),
        TrainingMethod("SmF1", "Soft micro F1", proposed=True, objective="soft micro F1"),
        TrainingMethod("SMF1", "Soft macro F1", proposed=True, objective="soft macro F1"),
        TrainingMethod("LA-min", "Loss aggregation with min", proposed=True),
        TrainingMethod("LA-max", "Loss aggregation with max", proposed=True),
    )
}
"""By short name, in the order of table 3."""


def overview() -> pd.DataFrame:
    """Table 3: a row a method, indexed by its short name."""
    return pd.DataFrame(
        [
            (m.full_name, m.needs_annotators, m.multilabel, m.enlarges, m.proposed)
            for m in METHODS.values()
        ],
        columns=["name", "I", "M", "D", "proposed"],
        index=pd.Index(METHODS, name="method"),
    )


def why_left_out(name: str, annotators_known: bool, multilabel: bool) -> str:
    """Why a method cannot be used on a dataset, by its short name; empty where it can."""
    method = METHODS[name]
    if method.needs_annotators and not annotators_known:
        return f"{name} needs to know who gave which annotation, which the dataset does not say"
    if multilabel and not method.multilabel:
        return f"{name} was made for items of one class, and these may have several"
    return ""


SAME = {"accuracy": "micro F1", "soft accuracy": "soft micro F1"}
"""Name of a metric where an item has one class -> its name where it may have several."""


class Score(NamedTuple):
    """A metric's value, NaN where it is undefined, and why."""

    value: float
    note: str


def score(true: np.ndarray, predicted: np.ndarray, multilabel: bool) -> dict[str, Score]:
    """Every metric of predictions Q (N, K) of P (N, K), under the general names of `SAME`."""
    return {
        SAME.get(name, name): Score(*noted(metric, true, predicted))
        for name, metric in (MULTILABEL if multilabel else MULTICLASS).items()
    }


def geometric_mean(scores: Mapping[str, Score]) -> float:
    """The geometric mean of the metrics without the macro F1s, by which hyperparameters are chosen
    (HLV, section 5.1); the correlation enters as (1 + r) / 2.

    An undefined correlation counts as 0: predictions that never vary are not chosen.
    """
    values = {name: one.value for name, one in scores.items() if "macro F1" not in name}
    correlation = values["entropy correlation"]
    values["entropy correlation"] = 0.0 if np.isnan(correlation) else (1 + correlation) / 2
    return float(np.prod(list(values.values())) ** (1 / len(values)))


class Padded(NamedTuple):
    """Annotations laid out by item, padded with 0 to the J of the item with the most."""

    chosen: np.ndarray  # (N, J, K) what an annotation chose, 0 or 1
    annotator: np.ndarray  # (N, J) positions of the annotators
    number: np.ndarray  # (N, J) how many equal annotations an entry stands for


@dataclass(frozen=True, eq=False)
class Judged:
    """R annotations of N items in K classes, one or more of each item.

    `item_of` (R,) is the position of a row's item, ascending; `chosen` (R, K) is 1 for each class
    that it chose, else 0, with exactly one 1 in a row unless `multilabel`; `annotator_of` (R,) is
    the position of who gave it, among A `annotators` (None, and 0 annotators, where that is not
    known); `count` (R,) is how many equal annotations a row stands for, 1 where people are known.
    """

    item_of: np.ndarray
    chosen: np.ndarray
    annotator_of: np.ndarray | None = None
    count: np.ndarray | None = None
    multilabel: bool = False
    annotators: int = 0

    def __post_init__(self) -> None:
        rows = len(self.item_of)
        if (np.diff(self.item_of) < 0).any():
            raise InputError("annotations: found items out of order, expected them ascending")
        if self.count is None:
            object.__setattr__(self, "count", np.ones(rows, dtype=np.int64))
        if self.annotator_of is not None and not self.annotators:
            object.__setattr__(self, "annotators", int(self.annotator_of.max(initial=-1)) + 1)

    @property
    def items(self) -> int:
        """N, the number of items."""
        return int(self.item_of[-1]) + 1

    @property
    def classes(self) -> int:
        """K, the number of classes."""
        return self.chosen.shape[1]

    @property
    def counts(self) -> np.ndarray:
        """(R,) how many annotations each row stands for."""
        return np.asarray(self.count)

    def shares(self) -> np.ndarray:
        """P: (N, K) the share of an item's annotations that chose a class."""
        total = np.bincount(self.item_of, weights=self.counts)
        given = np.zeros((self.items, self.classes))
        np.add.at(given, self.item_of, self.chosen * self.counts[:, None])
        return given / total[:, None]

    def majority(self, first_met: bool = False) -> np.ndarray:
        """The majority-voted labels: (N, K) 0 or 1; of tied classes the first, or the one that is
        `first_met` among an item's annotations.
        """
        shares = self.shares()
        if self.multilabel:
            return np.asarray(shares > 0.5).astype(float)
        if first_met:
            met = np.full(shares.shape, len(self.item_of))
            np.minimum.at(met, (self.item_of, self.chosen.argmax(axis=1)), np.arange(met.max()))
            shares = np.where(shares == shares.max(axis=1, keepdims=True), -met, -np.inf)
        return np.eye(self.classes)[shares.argmax(axis=1)]

    def tied(self) -> np.ndarray:
        """Which items' majority is decided by the rule for ties: (N,) bool."""
        shares = self.shares()
        if self.multilabel:
            return np.asarray(np.isclose(shares, 0.5).any(axis=1))
        return np.asarray(np.isclose(shares, shares.max(axis=1, keepdims=True)).sum(axis=1) > 1)

    def of_items(self, chosen: np.ndarray) -> "Judged":
        """The annotations of items at positions `chosen`, each at most once, renumbered in this
        order.
        """
        place = np.full(self.items, -1)
        place[chosen] = np.arange(len(chosen))
        new = place[self.item_of]
        rows = np.flatnonzero(new >= 0)
        rows = rows[np.argsort(new[rows], kind="stable")]
        return self.of_rows(rows, new)

    def of_rows(self, rows: np.ndarray, item_of: np.ndarray | None = None) -> "Judged":
        """The annotations at positions `rows`, of the items `item_of` (R,) where that is given."""
        item = (self.item_of if item_of is None else item_of)[rows]
        who = None if self.annotator_of is None else self.annotator_of[rows]
        chosen, count = self.chosen[rows], self.counts[rows]
        return replace(self, item_of=item, chosen=chosen, annotator_of=who, count=count)

    def of_present_annotators(self) -> "Judged":
        """The same annotations with those annotators alone who gave any, renumbered."""
        if self.annotator_of is None:
            return self
        names, who = np.unique(self.annotator_of, return_inverse=True)
        return replace(self, annotator_of=who, annotators=len(names))

    def padded(self) -> Padded:
        """Lay the annotations out by item."""
        of_item = np.bincount(self.item_of)
        place = np.arange(len(self.item_of)) - (np.cumsum(of_item) - of_item)[self.item_of]
        shape, at = (self.items, int(of_item.max())), (self.item_of, place)
        chosen = np.zeros((*shape, self.classes))
        annotator, number = np.zeros((2, *shape), np.int64)
        chosen[at], number[at] = self.chosen, self.counts
        if self.annotator_of is not None:
            annotator[at] = self.annotator_of
        return Padded(chosen, annotator, number)


def _agreement(judged: Judged) -> tuple[np.ndarray, np.ndarray]:
    """Whether each annotation goes with the majority on each question, (R, Q), and the majority's
    share.
    """
    shares, majority = judged.shares(), judged.majority(first_met=True)
    of_row = majority[judged.item_of]
    if judged.multilabel:
        with_majority = (judged.chosen == of_row).astype(float)
        share = np.where(majority == 1, shares, 1 - shares)
        return with_majority, share[judged.item_of]
    with_majority = (judged.chosen * of_row).sum(axis=1, keepdims=True)
    return with_majority, (shares * majority).sum(axis=1, keepdims=True)[judged.item_of]


def annotator_scores(judged: Judged, hard: bool) -> np.ndarray:
    """Each annotator's score on each question: (A, Q), Q = 1 where an item has one class.

    AR scores an annotator by the mean, over the items on which they chose the majority-voted label,
    of the share of annotators who chose it; ARh (`hard`) by the share of their items on which they
    did. Both are 0 for an annotator who never did.

    The paper's example, as converted, has "1/2, (3/4 + 2/3)" for the second annotator's score; both
    of their annotations are the majority's, which 3/4 and 2/3 chose, so it is (3/4 + 2/3) / 2.

    Where items may have several classes, each class is a question of its own, to choose it or not,
    whose majority and its share are those of the annotators, as in the published code.
    """
    assert judged.annotator_of is not None
    with_majority, share = _agreement(judged)
    agreed = np.zeros((judged.annotators, with_majority.shape[1]))
    summed, given = np.zeros_like(agreed), np.zeros_like(agreed)
    np.add.at(agreed, judged.annotator_of, with_majority)
    np.add.at(summed, judged.annotator_of, with_majority if hard else with_majority * share)
    np.add.at(given, judged.annotator_of, np.ones_like(with_majority))
    number = given if hard else agreed
    return np.divide(summed, number, out=np.zeros_like(agreed), where=number > 0)


def item_weights(judged: Judged, hard: bool) -> np.ndarray:
    """Each item's weight, (N,): the sum of its annotators' scores, which are means over the classes
    where items may have several.
    """
    scores = annotator_scores(judged, hard).mean(axis=1)
    return np.bincount(judged.item_of, weights=scores[judged.annotator_of])


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """The R rows that a method trains on, with their targets and weights."""

    item: np.ndarray  # (R,) position of a row's item
    target: np.ndarray  # (R, K) what its prediction should be
    weight: np.ndarray  # (R,) of its loss
    second: np.ndarray | None = None  # (R, K) the target of the second head (SLMV)
    annotations: Padded | None = None  # of each row (AE, AEh, LA-min, LA-max)

    def __len__(self) -> int:
        """R, the number of rows."""
        return len(self.item)


def training_set(method: str, judged: Judged, each: bool = False) -> TrainingSet:
    """What a method trains on; an InputError where these annotations do not allow it.

    Equal annotations of an item are one row of ReL with their number as its weight, where the
    dataset holds them so, because it does not say who gave them (ChaosNLI: 100 labels of three
    classes). Over the whole set the loss is the same, a sum over annotations; what differs is that
    they share a step of the optimiser, and that an epoch has fewer steps. `each` lays them out one
    by one. For a given model the sum over all rows is the one of SL, with each item weighted by its
    number of annotations: where all items have as many, ReL and SL differ by the steps of the
    optimiser alone.
    """
    if reason := why_left_out(method, judged.annotator_of is not None, judged.multilabel):
        raise InputError(reason)
    items, ones = np.arange(judged.items), np.ones(judged.items)
    match method:
        case "ReL":
            number = judged.counts
            if not each:
                return TrainingSet(judged.item_of, judged.chosen, number / number.mean())
            rows = np.repeat(np.arange(len(number)), number)
            return TrainingSet(judged.item_of[rows], judged.chosen[rows], np.ones(len(rows)))
        case "MV":
            return TrainingSet(items, judged.majority(), ones)
        case "AR" | "ARh":
            weights = item_weights(judged, method == "ARh")
            return TrainingSet(items, judged.majority(first_met=True), weights)
        case "AL":  # a row for each class that somebody chose for the item
            item, label = np.nonzero(judged.shares() > 0)
            return TrainingSet(item, np.eye(judged.classes)[label], np.ones(len(item)))
        case "SLMV":
            return TrainingSet(items, judged.shares(), ones, second=judged.majority())
        case "AE" | "AEh" | "LA-min" | "LA-max":
            return TrainingSet(items, judged.shares(), ones, annotations=judged.padded())
        case _:  # SL, JSD, SmF1, SMF1
            return TrainingSet(items, judged.shares(), ones)


ONE, PANEL = JUDGES = ("one", "panel")
VISIBLE = 0.05
"""The least difference between two predicted probabilities that a reader of both notices."""
LEAST = 1e-6
"""The least probability that a label is taken to have; its logarithm has to be finite."""


def halves(judged: Judged, rng: np.random.Generator) -> tuple[Judged, Judged]:
    """Split each item's annotations at random in two; of an odd number the first half has one more.

    An item with a single annotation is an InputError.
    """
    each = np.repeat(np.arange(len(judged.counts)), judged.counts)
    order = each[np.lexsort((rng.random(len(each)), judged.item_of[each]))]
    item = judged.item_of[order]
    total = np.bincount(item)
    if total.min() < 2:
        raise InputError(
            f"annotations: item {int(total.argmin())} has one, expected two or more to split"
        )
    place = np.arange(len(item)) - (np.cumsum(total) - total)[item]
    first = place < (total[item] + 1) // 2
    # Each row stands for one annotation.
    parts = (judged.of_rows(order[chosen]) for chosen in (first, ~first))
    one, other = (replace(part, count=np.ones_like(part.item_of)) for part in parts)
    return one, other


def choose(judged: Judged, predicted: np.ndarray, judge: str) -> Choices:
    """Have every pair of methods, whose Q are `predicted` (M, N, K), judged on every item.

    The paper's study is private: lawyers saw an instance and what two methods predict for it, and
    chose the better. Here annotators stand in for them (HLV, 6.1). Those of each test item are
    split at random (`halves`): by the shares of one half the metrics are computed, and the other
    half, `judged`, choose. So no one is held against what they said themselves. A choice is made by
    what a method gives to annotations of the half:

    one      each annotator alone prefers the method that gives their own label more probability,
             by at least `VISIBLE`; nearer predictions look the same, which decides nothing
    panel    an item's annotators together prefer the method under which their labels are likelier

    Neither is one of the metrics. One annotator has no idea of how others differ, so that of two
    right predictions the surer one wins; a panel prefers predictions that have the shares right.
    """
    if judge not in JUDGES:
        raise InputError(f"judge {judge!r}; expected {' or '.join(JUDGES)}")
    kept = np.clip(predicted[:, judged.item_of], LEAST, 1 - LEAST)
    given = judged.chosen * np.log(kept)
    if judged.multilabel:
        given = given + (1 - judged.chosen) * np.log1p(-kept)
    # The logarithm of the probability that each method gives each annotation: (M, R).
    given = given.sum(axis=2)
    if judge == ONE:
        value, least = np.exp(given), VISIBLE
    else:
        value = np.stack([np.bincount(judged.item_of, weights=own) for own in given])
        least = 1e-9
    wins, ties = np.zeros((2, len(value), len(value)))
    for row, own in enumerate(value):
        gain = value - own
        wins[row] = (gain >= least).sum(axis=1)
        ties[row] = (np.abs(gain) < least).sum(axis=1)
    np.fill_diagonal(ties, 0)
    return Choices(wins, ties)
