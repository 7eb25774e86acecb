"""The Moral Foundations Reddit Corpus: which moral sentiments does a comment have? (HLV, table 4).

A file with a row an annotation: `text`, `annotator` and `annotation`, the sentiments joined by
commas, besides `subreddit`, `bucket` and `confidence`. An item is a text, as in the paper. The
names of its eight classes are those that the file holds.
"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from crowdgold.datasets.dataset import COLUMNS_JUDGED_TEXTS, MFRC, check_table_4, folds
from crowdgold.types.columns import Problems, is_empty
from crowdgold.types.errors import InputError

FILE = "final_mfrc_data.csv"
NEEDED = ("text", "annotator", "annotation")
CLASSES = 8


def read_annotations_of(path: Path) -> pd.DataFrame:
    """Read the file: a row an annotation, items named in the order in which their texts come.

    Raises:
        InputError: naming the column that is missing, or the rows without a value.
    """
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    problems = Problems(f"{MFRC.owner}: {path.name}", first_row=2)
    for name in NEEDED:
        if name not in frame:
            problems.add(f"column {name!r} is missing; found {', '.join(map(str, frame.columns))}")
        else:
            problems.add_rows(name, is_empty(frame[name]), frame[name], "a value")
    problems.raise_if_any()
    number, texts = pd.factorize(frame["text"])
    labels = (
        frame["annotation"].str.split(",").map(lambda given: sorted({x.strip() for x in given}))
    )
    found = pd.DataFrame(
        {
            "item": [f"text_{one}" for one in number],
            "part": folds(len(texts))[number].astype(str),
            "text": frame["text"],
            "second": "",
            "annotator": frame["annotator"],
            "label": labels.str.join(","),
            "count": 1,
        }
    )
    # Annotations of an item stand together.
    return found.iloc[number.argsort(kind="stable")].reset_index(drop=True)[COLUMNS_JUDGED_TEXTS]


def classes_of(frame: pd.DataFrame) -> tuple[str, ...]:
    """The classes that a prepared table names, in alphabetical order."""
    return tuple(
        sorted({one for label in frame["label"].unique() for one in str(label).split(",")})
    )


def prepare(folder: Path) -> pd.DataFrame:
    """Make the prepared table of final_mfrc_data.csv.

    Raises:
        InputError: where the file is not as it should be, or not as table 4 says.
    """
    frame = read_annotations_of(folder / FILE)
    found = classes_of(frame)
    if len(found) != CLASSES:
        raise InputError(
            f"{MFRC.owner}: classes: found {', '.join(found)}, expected {CLASSES}, as table 4 "
            "prints"
        )
    return check_table_4(replace(MFRC, classes=found), frame)
