"""Snorkel's label model on Annotations (CLARA, sections 4.3, 5.4 and 7.4): an optional package.

Each annotator is a labelling function, which abstains where it gave no label. The package estimates
the annotators' accuracies from how they agree, and gives each item's probabilities from these; it
takes the categories for equally frequent, since nothing else is known, which is its default.
"""

import importlib.util
from typing import Any

import numpy as np

from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError

PACKAGE = "snorkel"
MISSING = "the package snorkel is not installed (`make snorkel` does it)"
ABSTAIN = -1
FEWEST = 3  # Annotators that it needs


def is_installed() -> bool:
    """Whether the package is there, without loading it, which takes seconds."""
    return importlib.util.find_spec(PACKAGE) is not None


def label_matrix(annotations: Annotations, labels: int | None = None) -> np.ndarray:
    """The first labels of each item (all where not given): (I, A) categories, or `ABSTAIN`."""
    matrix = np.full((len(annotations.item), len(annotations.annotator)), ABSTAIN)
    kept = slice(None) if labels is None else _place(annotations) < labels
    matrix[annotations.item_of[kept], annotations.annotator_of[kept]] = annotations.label[kept]
    return matrix


def _place(annotations: Annotations) -> np.ndarray:
    """How many labels of its item stand before each label: (L,)."""
    count = annotations.labels_of_item
    return np.asarray(np.arange(len(annotations)) - (np.cumsum(count) - count)[annotations.item_of])


def fit_label_model(annotations: Annotations, rng: np.random.Generator) -> Any:
    """The package's label model at its defaults; it needs three annotators."""
    if not is_installed():
        raise InputError(f"Snorkel: {MISSING}")
    if len(annotations.annotator) < FEWEST:
        raise InputError(
            f"Snorkel: found {len(annotations.annotator)} annotators, expected {FEWEST} or more"
        )
    from snorkel.labeling.model import LabelModel  # here: loading PyTorch takes seconds

    model = LabelModel(cardinality=len(annotations.category), verbose=False)
    seed = int(rng.integers(2**31))
    model.fit(label_matrix(annotations), seed=seed, progress_bar=False)
    return model


def probabilities(model: Any, annotations: Annotations, labels: int | None = None) -> np.ndarray:
    """P(y_i = k) of each item: (I, K); arguments as for `label_matrix`."""
    return np.asarray(model.predict_proba(label_matrix(annotations, labels)), dtype=float)


def probabilities_by_label(model: Any, annotations: Annotations) -> np.ndarray:
    """The probabilities of each label's item after the labels up to it, in their order: (L, K)."""
    place = _place(annotations)
    found = np.empty((len(annotations), len(annotations.category)))
    for turn in range(int(place.max(initial=-1)) + 1):
        now = place == turn
        found[now] = probabilities(model, annotations, turn + 1)[annotations.item_of[now]]
    return found
