"""What the datasets of judged systems share: a check of their counts, and how Annotations are made.

A prepared table has one row a label: item (a response, ITEM_AGENT), agent, annotator and label.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.data.annotations import Annotations, annotations_from_frame
from crowdgold.data.datasets.dataset import DrawTask
from crowdgold.data.errors import InputError
from crowdgold.data.parameters import Parameters

COLUMNS = ["item", "agent", "annotator", "label"]
AGREEMENT = 5e-4
"""Shares are printed in tenths of a per cent."""


def responses(frame: pd.DataFrame) -> pd.DataFrame:
    """Name each row's response: its item and agent, as the paper's tables do."""
    named = frame.assign(item=frame["item"] + "_" + frame["agent"])
    return named[COLUMNS].astype("string").reset_index(drop=True)


def check_counts(owner: str, frame: pd.DataFrame, printed: Mapping[str, float]) -> None:
    """Hold a prepared table against the counts that the paper prints.

    Args:
        owner: how messages name the dataset.
        printed: "labels", "responses", "agents", "annotators", and the shares of responses that
            are "unanimous" and of pairs of labels that agree, "pairwise".

    Raises:
        InputError: naming the first count that differs.
    """
    votes = pd.crosstab(frame["item"].to_numpy(), frame["label"].to_numpy()).to_numpy()
    number = votes.sum(axis=1)
    pairs = np.where(number > 1, number * (number - 1), 1)
    agreeing = np.where(number > 1, (votes * (votes - 1)).sum(axis=1), 1)
    found = {
        "labels": len(frame),
        "responses": len(votes),
        "agents": frame["agent"].nunique(),
        "annotators": frame["annotator"].nunique(),
        "unanimous": float((votes.max(axis=1) == number).mean()),
        "pairwise": float((agreeing / pairs).mean()),
    }
    for name, expected in printed.items():
        if abs(found[name] - expected) > (AGREEMENT if expected < 1 else 0):
            raise InputError(
                f"{owner}: {name}: found {found[name]:,.6g}, expected {expected:,g}, as the paper "
                "prints; the files are not those that it used, or are read otherwise"
            )


def drawn_as_it_is(owner: str, categories: Sequence[str]) -> DrawTask:
    """The function that makes Annotations of a prepared table, which has no parameters.

    Args:
        owner: how messages name the dataset.
        categories: the levels, lowest first, of evenly spaced credit.
    """

    def draw_task(
        frame: pd.DataFrame, parameters: Mapping[str, Any], rng: np.random.Generator
    ) -> Annotations:
        Parameters(owner, parameters).check_names(())
        return annotations_from_frame(frame, categories, repeated="keep", source=owner)

    return draw_task
