"""The online part of CLARA (section 5.1): how sure an item's label is, given its labels so far.

    P(y_i = k | r_i1 ... r_ij) ~ theta_k prod_j psi_a_ij,k,r_ij,     confidence = max_k P(y_i = k)

in logarithms, since items can have hundreds of labels. Another label is asked for where the
confidence is below a threshold ("only if it is above a threshold" in section 5.4.2 is a slip). With
two categories it is never below 0.5, where one label is all; and hardly ever 1, where all labels
are asked for.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from crowdgold.data import Annotations, InputError
from crowdgold.data.label_columns import ONE_LABEL
from crowdgold.data.parameters import unknown
from crowdgold.models.clara.labelling_model import LabellingModel


@dataclass(frozen=True)
class LabelsSoFar:
    """What is known of the true label of each item after each of its labels.

    Attributes:
        start: (I + 1,) the labels of item i are start[i] to start[i + 1].
        probability: (L, K) P(y = k | the item's labels up to and with this one).
    """

    start: np.ndarray
    probability: np.ndarray

    @property
    def confidence(self) -> np.ndarray:
        """The largest probability after each label."""
        return np.asarray(self.probability.max(axis=1))


def _log_likelihood(model: LabellingModel, annotations: Annotations) -> np.ndarray:
    """The log of P(label given | true label k) of each label: (L, K)."""
    found, expected = (", ".join(map(str, one.category)) for one in (annotations, model))
    if found != expected:
        raise InputError(
            f"the labels have the categories {found}; expected the model's, {expected}: read them "
            "with categories=model.category"
        )
    by_group = model.confusion == "group"
    names, own = (
        (annotations.group, annotations.group_of)
        if by_group
        else (annotations.annotator, annotations.annotator_of)
    )
    place = {name: m for m, name in enumerate(model.name)}
    matrix = np.array([place.get(name, len(place)) for name in names])
    return np.asarray(np.log(model.matrix)[matrix[own], :, annotations.label])


def _softmax(log_weight: np.ndarray) -> np.ndarray:
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def probabilities_so_far(model: LabellingModel, annotations: Annotations) -> LabelsSoFar:
    """The probabilities of each item's true label after each of its labels, in their order.

    Args:
        model: a fitted model; annotators that it does not know have its fallback.
        annotations: the labels, with the model's categories in the same order.

    Raises:
        InputError: where the categories are not the model's.
    """
    start = np.concatenate([[0], np.cumsum(annotations.labels_of_item)])
    log_weight = _log_likelihood(model, annotations)
    place = np.arange(len(annotations)) - start[annotations.item_of]
    order = np.argsort(place, kind="stable")
    before = np.log(model.prevalence)
    # All first labels at once, then all second ones: sums in the order in which labels come.
    for turn in np.split(order, np.cumsum(np.bincount(place))[:-1]) if len(order) else ():
        log_weight[turn] += before if place[turn[0]] == 0 else log_weight[turn - 1]
    return LabelsSoFar(start, _softmax(log_weight))


def asks_for_another(
    confidence: float, labels: int, threshold: float, most: int | None = None
) -> bool:
    """Say whether an item needs another label.

    Args:
        confidence: after its labels so far.
        labels: how many these are.
        threshold: the confidence that is enough.
        most: labels after which no more are asked for, whatever the confidence.
    """
    return confidence < threshold and (most is None or labels < most)


@dataclass(frozen=True, slots=True)
class ItemSoFar:
    """What is known of an item: its labels so far, the most likely one, and how sure that is."""

    labels: int
    label: str
    confidence: float


@dataclass(slots=True)
class _Item:
    """The labels of an item by annotator, as (matrix, label) positions, and log weights (K,)."""

    given: dict[str, tuple[int, int]] = field(default_factory=dict)
    log_weight: list[float] = field(default_factory=list)


class LabelStream:
    """Labels that come one at a time, of items in any order; each item is kept in memory.

    Plain floats, since arrays of two numbers would take ten times as long.
    """

    def __init__(self, model: LabellingModel, repeated: str = "refuse") -> None:
        """Start without labels.

        Args:
            repeated: the rule for an annotator who labels an item again, one of
                `data.label_columns.ONE_LABEL`.
        """
        if repeated not in ONE_LABEL:
            raise InputError(f"repeated: {unknown('rule', repeated, ONE_LABEL)}")
        self.model, self.repeated = model, repeated
        self.unknown: dict[str, int] = {}
        """Annotators or groups that the model does not know -> labels of theirs."""
        self._category = {str(name): k for k, name in enumerate(model.category)}
        self._matrix: Mapping[str, int] = {str(name): m for m, name in enumerate(model.name)}
        self._prior: list[float] = np.log(model.prevalence).tolist()
        # By matrix, then by the label given: log probabilities over the true labels.
        self._log: list[list[list[float]]] = np.log(model.matrix).transpose(0, 2, 1).tolist()
        self._items: dict[str, _Item] = {}

    def add(self, item: str, annotator: str, label: str, group: str = "") -> ItemSoFar:
        """Add a label, and say what is known of its item then.

        Raises:
            InputError: where the label is none of the model's, or the annotator has labelled the
                item before and the rule is to refuse that.
        """
        if label not in self._category:
            expected = ", ".join(self._category)
            raise InputError(f"column 'label': found {label!r}, expected one of {expected}")
        known = self._items.get(item)
        again = known is not None and annotator in known.given
        if again and self.repeated == "refuse":
            raise InputError(
                f"column 'annotator': found {annotator!r} on item {item!r} again, expected each "
                "annotator once on an item"
            )
        if known is None:
            known = self._items[item] = _Item({}, self._prior)
        if not again:
            given = known.given[annotator] = self._find(annotator, group), self._category[label]
            known.log_weight = self._plus(known.log_weight, given)
        elif self.repeated == "last":
            known.given[annotator] = self._find(annotator, group), self._category[label]
            known.log_weight = self._prior
            for given in known.given.values():
                known.log_weight = self._plus(known.log_weight, given)
        return self._describe(known)

    def _find(self, annotator: str, group: str) -> int:
        """Find the matrix of a label; count those who have none of their own."""
        if self.model.confusion == "shared":
            return 0
        name = group if self.model.confusion == "group" else annotator
        matrix = self._matrix.get(name, len(self._matrix))
        if matrix == len(self._matrix):
            self.unknown[name] = self.unknown.get(name, 0) + 1
        return matrix

    def _plus(self, log_weight: list[float], given: tuple[int, int]) -> list[float]:
        more = self._log[given[0]][given[1]]
        return [w + x for w, x in zip(log_weight, more, strict=True)]

    def _describe(self, item: _Item) -> ItemSoFar:
        largest = max(item.log_weight)
        total = sum(math.exp(w - largest) for w in item.log_weight)
        label = str(self.model.category[item.log_weight.index(largest)])
        return ItemSoFar(len(item.given), label, 1 / total)
