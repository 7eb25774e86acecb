"""Snorkel (CLARA, section 7.4): its label model's probabilities of each item."""

import time

import numpy as np

from crowdgold.inference.labels import Fit, ProbableLabels
from crowdgold.methods.method import Method, Run, Style, of_labels_behind
from crowdgold.methods.needs import ANNOTATORS, SEVERAL
from crowdgold.types.annotations import Annotations
from crowdgold.types.parameters import Settings


def fit_label_model(
    annotations: Annotations, rng: np.random.Generator, settings: Settings, run: Run
) -> Fit:
    """The label model; the likelier category of each item stands for its true label."""
    from crowdgold.models import snorkel_labels

    start = time.perf_counter()
    model = snorkel_labels.fit_label_model(annotations, rng)
    found = snorkel_labels.probabilities(model, annotations)
    labels = ProbableLabels(found.argmax(axis=1), found)
    return Fit("Snorkel", labels, seconds={"inference": time.perf_counter() - start})


METHOD = Method(
    name="Snorkel", title="Snorkel's label model", of_items=of_labels_behind(fit_label_model),
    of_labels=fit_label_model, needs=(ANNOTATORS, SEVERAL), uses_gold=False, package="snorkel",
    style=Style("#AA8800", "D", "--"),
)  # fmt: skip
