"""Texts that several people judged, and what is known of the datasets of them (HLV, table 4).

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
"""

from collections.abc import Mapping
from dataclasses import dataclass

COLUMNS = ["item", "part", "text", "second", "annotator", "label", "count"]
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
