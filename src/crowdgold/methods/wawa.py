"""Wawa, worker agreement with aggregate: a majority of votes that count by their annotators' skill.

An annotator's skill is the share of the own labels that agree with the majority; tied majorities
count in parts. An item's label is the category whose labels have the most skill together. There is
no model and nothing is sampled, so it takes no time, and it says nothing of its own uncertainty:
intervals take the labels for the truth, as with MV.
"""

import numpy as np

from crowdgold.inference.labels import Fit, FixedLabels
from crowdgold.methods.method import Method, Run, Style, of_labels_behind
from crowdgold.methods.needs import ANNOTATORS, SEVERAL
from crowdgold.models.majority import NO_LABEL, majority_shares
from crowdgold.types.annotations import Annotations
from crowdgold.types.parameters import Settings


def weighted_majority(annotations: Annotations) -> tuple[np.ndarray, np.ndarray]:
    """Each item's label (I,), the lower of equals or `NO_LABEL`, and annotators' skill (A,)."""
    who, size = annotations.annotator_of, len(annotations.annotator)
    agreed = majority_shares(annotations)[annotations.item_of, annotations.label]
    given = np.bincount(who, minlength=size)
    skill = np.bincount(who, agreed, size) / np.maximum(given, 1)
    weight = np.zeros((len(annotations.item), len(annotations.category)))
    np.add.at(weight, (annotations.item_of, annotations.label), skill[who])
    return np.where(annotations.labels_of_item > 0, weight.argmax(axis=1), NO_LABEL), skill


def fit_wawa(
    annotations: Annotations, rng: np.random.Generator, settings: Settings, run: Run
) -> Fit:
    """The weighted majority of each item's labels, taken for its label."""
    return Fit("", FixedLabels(weighted_majority(annotations)[0]))


METHOD = Method(
    name="Wawa", title="majority weighted by agreement",
    about=(
        "The majority of each item's labels, each of which counts by the share of its annotator's "
        "labels that agree with the plain majority."
    ),
    of_items=of_labels_behind(fit_wawa), of_labels=fit_wawa, needs=(ANNOTATORS, SEVERAL),
    uses_gold=False, variant_of="MV", style=Style("#AA5500", "P", ":"),
)  # fmt: skip
