"""Labels and models for the tests of the labelling policy: small, and with known truth."""

import numpy as np
import pandas as pd

from crowdgold.models.clara.labelling import LabellingModel
from crowdgold.types.annotations import annotations_from_frame
from crowdgold.types.items import with_truth

RATES = {"R1": 0.6, "R2": 0.8, "R3": 0.9}
"""TPR = TNR of three reviewers (CLARA, section 4.3)."""
PREVALENCE = 0.1


def symmetric(rate):
    return [[rate, 1 - rate], [1 - rate, rate]]


def true_model(rates=RATES, prevalence=PREVALENCE):
    """The model whose rates are the true ones; an unknown annotator is right 3 times of 4."""
    matrices = [*map(symmetric, rates.values()), symmetric(0.75)]
    return LabellingModel(
        np.array(["0", "1"], dtype=object), np.array([1 - prevalence, prevalence]), "annotator",
        np.array(list(rates), dtype=object), np.array(matrices),
    )  # fmt: skip


def three_reviewers(size, rng, rates=RATES, prevalence=PREVALENCE):
    """Rows of labels of all reviewers on every item, in a random order, with the truth."""
    names, right = np.array(list(rates)), np.array(list(rates.values()))
    truth = (rng.random(size) < prevalence).astype(int)
    who = rng.permuted(np.tile(np.arange(len(names)), (size, 1)), axis=1)
    correct = rng.random(who.shape) < right[who]
    label = np.where(correct, truth[:, None], 1 - truth[:, None])
    item = np.repeat(np.arange(size), len(names))
    return pd.DataFrame(
        {
            "item": item.astype(str),
            "annotator": names[who].ravel(),
            "label": label.ravel().astype(str),
            "truth": truth[item].astype(str),
        }
    )


def annotated(frame, categories=("0", "1")):
    """Annotations of such rows, with the truth where there is one."""
    found = annotations_from_frame(frame, list(categories))
    return with_truth(found, frame) if "truth" in frame else found
