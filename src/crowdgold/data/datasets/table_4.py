"""Datasets of judged texts held against table 4; their folds; their Annotations (HLV)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.data.annotations import Annotations, annotations_from_frame
from crowdgold.data.datasets.dataset import DrawTask
from crowdgold.data.errors import InputError
from crowdgold.data.judged_texts import COLUMNS, JudgedTexts
from crowdgold.data.parameters import Parameters

FOLDS = 10
FOLD_SEED = 10
"""Of the cross-validation's folds, the same for all methods and runs."""


def check_table_4(about: JudgedTexts, frame: pd.DataFrame) -> pd.DataFrame:
    """Hold a prepared table against table 4, and against exact counts where they are known.

    Returns:
        the table, with columns of fixed types.

    Raises:
        InputError: naming the first count that differs.
    """
    items = frame.drop_duplicates("item")
    chosen = {one for label in frame["label"].unique() for one in str(label).split(",")}
    counted: list[tuple[str, object, object]] = [
        ("items, in thousands", round(len(items) / 1000), about.thousands),
        ("annotations an item", round(float(frame["count"].sum() / len(items)), 1), about.each),
        ("classes", ", ".join(sorted(chosen)), ", ".join(sorted(about.classes))),
        ("annotators known", bool((frame["annotator"] != "").all()), about.annotators_known),
    ]
    if about.parts is not None:
        own = items["part"].value_counts()
        counted += [
            (f"items of {part}", int(own.get(part, 0)), n) for part, n in about.parts.items()
        ]
    if about.annotators:
        counted.append(("annotators", frame["annotator"].nunique(), about.annotators))
    for name, found, expected in counted:
        if found != expected:
            raise InputError(
                f"{about.owner}: {name}: found {found}, expected {expected}; the files are not "
                "those of the paper, or are read otherwise"
            )
    text = dict.fromkeys(COLUMNS[:-1], "string")
    return frame[COLUMNS].astype({**text, "count": "int64"}).reset_index(drop=True)


def folds(items: int) -> np.ndarray:
    """The fold of each of so many items: (items,), 0 to 9, as even as can be."""
    rng = np.random.default_rng(FOLD_SEED)
    return np.asarray(rng.permutation(np.arange(items) % FOLDS))


def drawn_as_annotations(about: JudgedTexts) -> DrawTask:
    """The function that makes Annotations of a prepared table, which has no parameters."""

    def draw_task(
        frame: pd.DataFrame, parameters: Mapping[str, Any], rng: np.random.Generator
    ) -> Annotations:
        Parameters(about.owner, parameters).check_names(())
        if not about.annotators_known or about.multilabel:
            reason = "several classes an item" if about.multilabel else "nobody's name"
            raise InputError(
                f"{about.owner}: its annotations have {reason}: they are no Annotations"
            )
        return annotations_from_frame(frame, about.classes, repeated="keep", source=about.owner)

    return draw_task
