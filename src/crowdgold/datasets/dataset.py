"""What a dataset offers: a table prepared once, and tasks drawn from it; and shared checks.

Judged systems (STABLEVAL) have one row a label: item (a response, ITEM_AGENT), agent, annotator and
label. Texts that several people judged (HLV, table 4) have one row an annotation:

    item        its name
    part        `train`, `dev` or `test`; of datasets that are cross-validated, the fold, 0 to 9
    text        what was judged; of pairs the premise
    second      of pairs the hypothesis, else empty
    annotator   who judged, empty where that is not known
    label       the class; where an item may have several, those chosen, joined by commas
    count       how many equal annotations the row stands for, 1 where it is known who gave them

The texts hold hate, abuse, misogyny. They stay in results/datasets, and no figure or page shows
one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.types.annotations import Annotations, annotations_from_frame
from crowdgold.types.errors import InputError
from crowdgold.types.items import ITEMS, NO_GOLD, Items, Table
from crowdgold.types.parameters import Parameters

JUDGED_COLUMNS = ["item", "part", "text", "second", "annotator", "label", "count"]
TRAIN, DEV, TEST = "train", "dev", "test"
BINARY = ("0", "1")


@dataclass(frozen=True)
class JudgedTexts:
    """What HLV's table 4 counts of a dataset of texts, and its classes in their order."""

    name: str
    title: str
    classes: tuple[str, ...]  # in the order of P's columns; empty where the file names them
    thousands: int  # of items
    per_item: float  # mean number of annotations of an item, to a tenth
    annotators_known: bool = True
    multilabel: bool = False
    parts: Mapping[str, int] | None = None  # items of each; None where it is cross-validated
    annotators: int = 0  # 0 where that is not known

    @property
    def owner(self) -> str:
        """How messages name the dataset."""
        return f"dataset {self.name}"

    @property
    def lack(self) -> str:
        """What its annotations have that `Annotations` cannot hold; empty where they can."""
        if self.multilabel:
            return "several classes an item"
        return "" if self.annotators_known else "nobody's name"


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
"""HLV's public datasets by name; its TAG is private."""

STUDY = ("n", "n_gold", "gold_fraction", "truth_of")
"""Parameters of an experiment that `draw_task` gets too, and leaves to `simulate.resample`."""

DrawTask = Callable[[pd.DataFrame, Mapping[str, Any], np.random.Generator], Table]


@dataclass(frozen=True)
class Dataset:
    """A public dataset.

    `prepare` makes the prepared table of a folder with the files. `draw_task` makes of that,
    parameters and rng Items with the truth of every item, of which replicates are drawn; or
    Annotations, which are taken as they are. `gold` says where an item's true label comes from;
    most have the annotators' labels alone, and nobody's are gold.
    """

    name: str
    title: str
    prepare: Callable[[Path], pd.DataFrame]
    draw_task: DrawTask
    parameters: tuple[str, ...] = ()
    table: str = ITEMS
    gold: str = ""


def draw_votes(
    positive: np.ndarray, total: np.ndarray, votes_total: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Positive votes and truth, (n,) each, of n items.

    Votes are drawn from an item's labels without replacement; the majority of the others is its
    truth, by a coin where they are tied (MAVEN, section 5.2: 3 of 10 annotations are votes).
    `positive` and `total` (n,) count an item's labels, `total` above `votes_total`.
    """
    votes_positive = rng.hypergeometric(positive, total - positive, votes_total)
    lead = 2 * (positive - votes_positive) - (total - votes_total)
    coin = rng.random(len(positive)) < 0.5
    return votes_positive, np.where(lead == 0, coin, lead > 0).astype(np.int8)


def items_of(
    frame: pd.DataFrame, votes_positive: np.ndarray, votes_total: np.ndarray | int,
    truth: np.ndarray, scores: Mapping[str, str], rng: np.random.Generator,
    labels: Annotations | None = None,
) -> Items:  # fmt: skip
    """The items of a prepared table, without gold; `scores`: predictor -> column."""
    return Items(
        item=frame["item"].to_numpy(dtype=object),
        votes_positive=votes_positive,
        votes_total=np.full(len(frame), votes_total),
        gold=np.full(len(frame), NO_GOLD, dtype=np.int8),
        scores={name: frame[column].to_numpy(dtype=float) for name, column in scores.items()},
        tie_break=rng.random(len(frame)),
        truth=truth,
        labels=labels,
    )


def responses(owner: str, frame: pd.DataFrame, printed: Mapping[str, float]) -> pd.DataFrame:
    """The rows with items named ITEM_AGENT, a response each; counts must be those `printed`."""
    named = frame.assign(item=frame["item"] + "_" + frame["agent"])
    columns = ["item", "agent", "annotator", "label"]
    table = named[columns].astype("string").reset_index(drop=True)
    check_counts(owner, table, printed)
    return table


def check_counts(owner: str, frame: pd.DataFrame, printed: Mapping[str, float]) -> None:
    """Raise an `InputError` where a prepared table has other counts than the paper prints.

    They are "labels", "responses", "agents", "annotators", and the shares of responses that are
    "unanimous" and of pairs of labels that agree, "pairwise".
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
        # Shares are printed in tenths of a per cent.
        if abs(found[name] - expected) > (5e-4 if expected < 1 else 0):
            raise InputError(
                f"{owner}: {name}: found {found[name]:,.6g}, expected {expected:,g}, as the paper "
                "prints; the files are not those that it used, or are read otherwise"
            )


def drawn_as_it_is(owner: str, categories: Sequence[str], lack: str = "") -> DrawTask:
    """A `draw_task` that takes a prepared table as it is; `categories` are the lowest level first.

    `lack` says what the table has that Annotations cannot hold; it then raises an `InputError`.
    """

    def draw_task(
        frame: pd.DataFrame, parameters: Mapping[str, Any], rng: np.random.Generator
    ) -> Annotations:
        Parameters(owner, parameters).check_names(())
        if lack:
            raise InputError(f"{owner}: its annotations have {lack}: they are no Annotations")
        return annotations_from_frame(frame, categories, repeated="keep", source=owner)

    return draw_task


def check_table_4(about: JudgedTexts, frame: pd.DataFrame) -> pd.DataFrame:
    """The table with columns of fixed types; `InputError` where table 4 counts otherwise."""
    items = frame.drop_duplicates("item")
    chosen = {one for label in frame["label"].unique() for one in str(label).split(",")}
    counts: list[tuple[str, object, object]] = [
        ("items, in thousands", round(len(items) / 1000), about.thousands),
        ("annotations an item", round(float(frame["count"].sum() / len(items)), 1), about.per_item),
        ("classes", ", ".join(sorted(chosen)), ", ".join(sorted(about.classes))),
        ("annotators known", bool((frame["annotator"] != "").all()), about.annotators_known),
    ]
    if about.parts is not None:
        of_parts = items["part"].value_counts()
        parts = about.parts.items()
        counts += [
            (f"items of {part}", int(of_parts.get(part, 0)), number) for part, number in parts
        ]
    if about.annotators:
        counts.append(("annotators", frame["annotator"].nunique(), about.annotators))
    for name, found, expected in counts:
        if found != expected:
            raise InputError(
                f"{about.owner}: {name}: found {found}, expected {expected}; the files are not "
                "those of the paper, or are read otherwise"
            )
    text = dict.fromkeys(JUDGED_COLUMNS[:-1], "string")
    return frame[JUDGED_COLUMNS].astype({**text, "count": "int64"}).reset_index(drop=True)


def folds(items: int) -> np.ndarray:
    """The fold of each of so many items: (items,), 0 to 9, as even as can be.

    They are the same for all methods and runs.
    """
    return np.asarray(np.random.default_rng(10).permutation(np.arange(items) % 10))
