"""What a dataset offers: a table prepared once, and tasks drawn from it.

Votes and truth from a panel of labels: some drawn as votes, the majority of the others as truth.

MAVEN, section 5.2: 3 of 10 annotations, chosen at random, are an item's votes, the majority of the
other 7 is its truth.

Texts that several people judged, and what is known of the datasets of them (HLV, table 4).

A prepared table has one row an annotation:

    item        its name
    part        `train`, `dev` or `test`; of datasets that are cross-validated, the fold, 0 to 9
    text        what was judged; of pairs the premise
    second      of pairs the hypothesis, else empty
    annotator   who judged, empty where that is not known
    label       the class; where an item may have several, those chosen, joined by commas
    count       how many equal annotations the row stands for, 1 where it is known who gave them

The texts hold what people were asked to judge: hate, abuse, misogyny. They stay in
results/datasets, and no figure or page shows one.

What the datasets of judged systems share: a check of their counts, and how Annotations are made.

A prepared table has one row a label: item (a response, ITEM_AGENT), agent, annotator and label.

Datasets of judged texts held against table 4; their folds; their Annotations (HLV).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.types.annotations import Annotations, annotations_from_frame
from crowdgold.types.errors import InputError
from crowdgold.types.items import ITEMS, Table
from crowdgold.types.parameters import Parameters

COLUMNS_JUDGED_TEXTS = ["item", "part", "text", "second", "annotator", "label", "count"]
TRAIN, DEV, TEST = "train", "dev", "test"
BINARY = ("0", "1")


@dataclass(frozen=True)
class JudgedTexts:
    """What table 4 counts of a dataset, and the classes in their order.

    Attributes:
        name: its key.
        title: in figures.
        classes: K labels, in the order of P's columns; empty where the file names them.
        thousands: number of items, to the nearest thousand.
        each: mean number of annotations of an item, to a tenth.
        annotators_known: whether it is known who gave which annotation.
        multilabel: whether an item may have several classes.
        parts: items of each part, exactly; empty where it is cross-validated.
        annotators: how many people, exactly; 0 where that is not known.
    """

    name: str
    title: str
    classes: tuple[str, ...]
    thousands: int
    each: float
    annotators_known: bool = True
    multilabel: bool = False
    parts: Mapping[str, int] | None = None
    annotators: int = 0

    @property
    def owner(self) -> str:
        """How messages name the dataset."""
        return f"dataset {self.name}"


HS_BREXIT = JudgedTexts(
    "hs_brexit", "HS-Brexit", BINARY, 1, 6.0,
    parts={TRAIN: 784, DEV: 168, TEST: 168}, annotators=6,
)  # fmt: skip
# Table 4 prints 10 thousand; there are 10,753.
MD_AGREEMENT = JudgedTexts(
    "md_agreement", "MD-Agreement", BINARY, 11, 5.0,
    parts={TRAIN: 6_592, DEV: 1_104, TEST: 3_057}, annotators=819,
)  # fmt: skip
ARMIS = JudgedTexts(
    "armis", "ArMIS", BINARY, 1, 3.0,
    parts={TRAIN: 657, DEV: 141, TEST: 145}, annotators=3,
)  # fmt: skip
CHAOSNLI_TEXTS = JudgedTexts(
    "chaosnli_texts", "ChaosNLI", ("e", "n", "c"), 3, 100.0, annotators_known=False
)
MFRC = JudgedTexts("mfrc", "MFRC", (), 18, 3.4, multilabel=True)

TABLE_4 = {one.name: one for one in (HS_BREXIT, MD_AGREEMENT, ARMIS, CHAOSNLI_TEXTS, MFRC)}
"""The public datasets by name; TAG is private."""


STUDY = ("n", "n_gold", "gold_fraction", "truth_of")
"""Parameters of an experiment that `draw_task` is given too and leaves to the resampling."""

DrawTask = Callable[[pd.DataFrame, Mapping[str, Any], np.random.Generator], Table]


@dataclass(frozen=True)
class Dataset:
    """A public dataset.

    Attributes:
        name: its key.
        title: for the reader of a figure.
        prepare: folder with the files -> the prepared table.
        draw_task: (prepared table, parameters, rng) -> Items with the truth of every item, of which
            replicates are drawn; or Annotations, which are taken as they are.
        parameters: names of the parameters of `draw_task`.
        table: the kind of table that it gives.
        numbered: whether it holds tables of its own by number, of which replicate k is the k-th;
            `draw_task` has the number as the parameter `seed`.
        gold: where an item's true label comes from, apart from its votes; empty where it has none.
        no_gold: why not, or why no study is made of it; empty where it has.
    """

    name: str
    title: str
    prepare: Callable[[Path], pd.DataFrame]
    draw_task: DrawTask
    parameters: tuple[str, ...] = ()
    table: str = ITEMS
    numbered: bool = False
    gold: str = ""
    no_gold: str = ""


def draw_votes(
    positive: np.ndarray, total: np.ndarray, votes_total: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw votes from each item's labels, and take the majority of the rest as truth.

    Args:
        positive: (n,) how many of an item's labels are positive.
        total: (n,) how many labels an item has, above `votes_total`.
        votes_total: how many labels to draw, without replacement.

    Returns:
        Positive votes (n,) and truth (n,).
    """
    votes_positive = rng.hypergeometric(positive, total - positive, votes_total)
    lead = 2 * (positive - votes_positive) - (total - votes_total)
    coin = rng.random(len(positive)) < 0.5
    return votes_positive, np.where(lead == 0, coin, lead > 0).astype(np.int8)


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
    text = dict.fromkeys(COLUMNS_JUDGED_TEXTS[:-1], "string")
    return frame[COLUMNS_JUDGED_TEXTS].astype({**text, "count": "int64"}).reset_index(drop=True)


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
