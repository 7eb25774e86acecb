"""Snorkel on Annotations (CLARA, section 7.4): its label model's probabilities of each item."""

import time

import numpy as np

from crowdgold.data import Annotations
from crowdgold.inference.labels import Fit, ProbableLabels
from crowdgold.models.snorkel_labels import fit_label_model, probabilities


def fit_snorkel(annotations: Annotations, rng: np.random.Generator) -> Fit:
    """Fit the label model; the likelier category of each item stands for its true label.

    Args:
        annotations: the labels.
        rng: gives the package's seed.

    Raises:
        InputError: where the package is not installed, or there are fewer than three annotators.
    """
    start = time.perf_counter()
    found = probabilities(fit_label_model(annotations, rng), annotations)
    labels = ProbableLabels(found.argmax(axis=1), found)
    return Fit("Snorkel", labels, seconds={"inference": time.perf_counter() - start})
